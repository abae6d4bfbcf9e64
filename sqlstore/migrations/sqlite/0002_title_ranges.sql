-- +goose Up
-- +goose StatementBegin

-- ---------------------------------------------------------------- where common words are

-- The titles in their order, divided into ranges, and how many books of each range have each
-- common word: a page of a search in the order of titles begins where the first of them are.
-- The program makes it anew now and then (sqlstore/title_ranges_make.go). A range that has
-- a book with a word says so, or the book is among the edited_titles.
CREATE TABLE title_ranges (
    number INTEGER NOT NULL PRIMARY KEY DEFAULT 1 CONSTRAINT title_ranges_is_one CHECK (number = 1),
    made   TEXT    NOT NULL, -- another each time
    edits  TEXT    NOT NULL, -- up to which of the book_edits the books of a word are counted
    ranges TEXT    NOT NULL  -- JSON array of objects: the title_key at which each begins, how many books it has
) STRICT;

-- A word stands for all that begin with it, as in a search. Each byte is of one range.
CREATE TABLE range_words (
    word   TEXT    NOT NULL CONSTRAINT range_words_pkey PRIMARY KEY,
    books  INTEGER NOT NULL,
    ranges BLOB    NOT NULL
) STRICT;

-- The books that were added since, or got another title or other words, whoever did that.
CREATE TABLE edited_titles (
    at   INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    book INTEGER NOT NULL
) STRICT;
CREATE TRIGGER books_title_added AFTER INSERT ON books BEGIN INSERT INTO edited_titles (book) VALUES (new.seq); END;
CREATE TRIGGER books_title_edited AFTER UPDATE OF seq, title_key, search_words ON books
WHEN old.title_key <> new.title_key OR old.search_words <> new.search_words OR old.seq <> new.seq BEGIN
    INSERT INTO edited_titles (book) VALUES (new.seq);
END;
-- +goose StatementEnd
