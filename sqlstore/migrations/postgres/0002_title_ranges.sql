-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;
-- +goose StatementBegin

-- ---------------------------------------------------------------- where common words are

-- The titles in their order, divided into ranges, and how many books of each range have each
-- common word: a page of a search in the order of titles begins where the first of them are.
-- The program makes it anew now and then (sqlstore/title_ranges_make.go). A range that has
-- a book with a word says so, or the book is among the edited_titles.
CREATE TABLE title_ranges (
    number INT  NOT NULL DEFAULT 1 CONSTRAINT title_ranges_pkey PRIMARY KEY CONSTRAINT title_ranges_is_one CHECK (number = 1),
    made   TEXT COLLATE "C" NOT NULL, -- another each time
    edits  TEXT COLLATE "C" NOT NULL, -- up to which of the book_edits the books of a word are counted
    ranges TEXT COLLATE "C" NOT NULL  -- JSON array of objects: the title_key at which each begins, how many books it has
);

-- A word stands for all that begin with it, as in a search. Each byte is of one range.
CREATE TABLE range_words (
    word   TEXT COLLATE "C" NOT NULL CONSTRAINT range_words_pkey PRIMARY KEY,
    books  INT   NOT NULL,
    ranges BYTEA NOT NULL
);

-- The books that were added since, or got another title or other words, whoever did that, and
-- the numbers of the transactions. There is no index: the table is always read as a whole.
CREATE TABLE edited_titles (
    at   XID8   NOT NULL DEFAULT pg_current_xact_id(),
    book BIGINT NOT NULL
);
CREATE FUNCTION note_new_titles() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO edited_titles (book) SELECT seq FROM added; RETURN NULL; END $$;
CREATE FUNCTION note_title() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO edited_titles (book) VALUES (NEW.seq); RETURN NULL; END $$;
CREATE TRIGGER books_title_added AFTER INSERT ON books REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_new_titles();
CREATE TRIGGER books_title_edited AFTER UPDATE OF title_key, search_words ON books FOR EACH ROW
    WHEN (OLD.title_key <> NEW.title_key OR OLD.search_words <> NEW.search_words) EXECUTE FUNCTION note_title();

-- +goose StatementEnd
