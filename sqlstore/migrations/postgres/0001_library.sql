-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;

-- COLLATE "C" compares byte by byte, so that lists have the same order on every
-- server, whatever its locale, and on SQLite.
CREATE TABLE books (
    seq          BIGINT GENERATED ALWAYS AS IDENTITY CONSTRAINT books_pkey PRIMARY KEY,
    id           TEXT COLLATE "C" NOT NULL CONSTRAINT books_id UNIQUE,
    isbn         TEXT COLLATE "C" NOT NULL,
    isbn_key     TEXT COLLATE "C" NOT NULL,
    title        TEXT COLLATE "C" NOT NULL,
    title_key    TEXT COLLATE "C" NOT NULL,
    description  TEXT COLLATE "C" NOT NULL,
    authors      TEXT COLLATE "C" NOT NULL, -- JSON array of strings
    created_at   BIGINT NOT NULL,           -- microseconds since 1970, UTC
    version      TEXT COLLATE "C" NOT NULL,
    search_words TEXT COLLATE "C" NOT NULL, -- folded words, one space between two
    author_words TEXT COLLATE "C" NOT NULL,
    -- The search indexes. The words are made by the program; an array of them
    -- becomes a tsvector as it is, past PostgreSQL's opinions about words.
    search        tsvector NOT NULL GENERATED ALWAYS AS (array_to_tsvector(string_to_array(search_words, ' '))) STORED,
    author_search tsvector NOT NULL GENERATED ALWAYS AS (array_to_tsvector(string_to_array(author_words, ' '))) STORED
);

CREATE INDEX books_by_title ON books (title_key, title, id);
CREATE INDEX books_by_creation ON books (created_at, id);
CREATE INDEX books_by_isbn ON books (isbn_key) WHERE isbn_key <> '';
-- Without fastupdate: a list of pending entries would make searches slow until
-- the next vacuum, and books are looked for more often than they are added.
CREATE INDEX books_search ON books USING gin (search) WITH (fastupdate = off);
CREATE INDEX books_author_search ON books USING gin (author_search) WITH (fastupdate = off);

CREATE TABLE users (
    seq            BIGINT GENERATED ALWAYS AS IDENTITY CONSTRAINT users_pkey PRIMARY KEY,
    id             TEXT COLLATE "C" NOT NULL CONSTRAINT users_id UNIQUE,
    email          TEXT COLLATE "C" NOT NULL,
    email_key      TEXT COLLATE "C" NOT NULL CONSTRAINT users_email_key UNIQUE,
    first_name     TEXT COLLATE "C" NOT NULL,
    first_name_key TEXT COLLATE "C" NOT NULL,
    last_name      TEXT COLLATE "C" NOT NULL,
    last_name_key  TEXT COLLATE "C" NOT NULL,
    roles          TEXT COLLATE "C" NOT NULL, -- JSON array of strings
    created_at     BIGINT NOT NULL,
    version        TEXT COLLATE "C" NOT NULL,
    search_words   TEXT COLLATE "C" NOT NULL,
    search tsvector NOT NULL GENERATED ALWAYS AS (array_to_tsvector(string_to_array(search_words, ' '))) STORED
);

CREATE INDEX users_by_name ON users (last_name_key, first_name_key, last_name, first_name, id);
CREATE INDEX users_search ON users USING gin (search) WITH (fastupdate = off);

CREATE TABLE loans (
    id          TEXT COLLATE "C" NOT NULL CONSTRAINT loans_id PRIMARY KEY,
    book_id     TEXT COLLATE "C" CONSTRAINT loans_book REFERENCES books (id) ON DELETE SET NULL,
    book_title  TEXT COLLATE "C" NOT NULL, -- stays when the book is deleted
    user_id     TEXT COLLATE "C" CONSTRAINT loans_user REFERENCES users (id) ON DELETE SET NULL,
    borrowed_at BIGINT NOT NULL,
    returned_at BIGINT,
    -- Neither a lent book nor its borrower can be deleted.
    CONSTRAINT loans_open_is_complete
        CHECK (returned_at IS NOT NULL OR (book_id IS NOT NULL AND user_id IS NOT NULL))
);

-- Nobody can lend a book twice, whatever the program does.
CREATE UNIQUE INDEX loans_one_open_per_book ON loans (book_id) WHERE returned_at IS NULL;
CREATE INDEX loans_open_by_user ON loans (user_id) WHERE returned_at IS NULL;
-- For the foreign keys: deleting a book or a user looks for its loans.
CREATE INDEX loans_by_book ON loans (book_id);
CREATE INDEX loans_by_user ON loans (user_id);

-- The open loan of a book and the borrower, as they are at the moment of the
-- call. VOLATILE, which is the default, is essential: it gives the function a
-- snapshot of its own, newer than that of a statement that had to wait for a
-- lock on the book.
-- +goose StatementBegin
CREATE FUNCTION open_loan(book TEXT)
RETURNS TABLE (
    id TEXT, book_title TEXT, borrowed_at BIGINT,
    user_id TEXT, first_name TEXT, last_name TEXT, user_version TEXT
) LANGUAGE plpgsql VOLATILE ROWS 1 AS $$
BEGIN -- plpgsql keeps the plan, the language sql would make it anew each time
    RETURN QUERY
    SELECT l.id, l.book_title, l.borrowed_at, u.id, u.first_name, u.last_name, u.version
    FROM loans l JOIN users u ON u.id = l.user_id
    WHERE l.book_id = book AND l.returned_at IS NULL;
END
$$;
-- +goose StatementEnd

-- The revision of the library is the number of transactions that have changed
-- it. It is spread over sixteen rows, by the number of the transaction, so that
-- writers do not queue for one row; their sum grows with every commit, and only
-- then. A transaction counts once, however much it changes.
CREATE TABLE revision (
    part    INT    NOT NULL CONSTRAINT revision_pkey PRIMARY KEY,
    changes BIGINT NOT NULL,
    last    XID8
) WITH (fillfactor = 10);
INSERT INTO revision (part, changes) SELECT part, 0 FROM generate_series(0, 15) AS part;

-- +goose StatementBegin
CREATE FUNCTION count_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    this XID8 := pg_current_xact_id();
BEGIN
    UPDATE revision SET changes = changes + 1, last = this
    WHERE part = (this::text::bigint % 16) AND last IS DISTINCT FROM this;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER books_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON books
    FOR EACH STATEMENT EXECUTE FUNCTION count_change();
CREATE TRIGGER users_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON users
    FOR EACH STATEMENT EXECUTE FUNCTION count_change();
CREATE TRIGGER loans_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON loans
    FOR EACH STATEMENT EXECUTE FUNCTION count_change();
