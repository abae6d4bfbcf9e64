-- +goose Up

-- Text is compared byte by byte: that is SQLite's own way.
CREATE TABLE books (
    seq          INTEGER NOT NULL PRIMARY KEY, -- the row in the search index
    id           TEXT    NOT NULL CONSTRAINT books_id UNIQUE,
    isbn         TEXT    NOT NULL,
    isbn_key     TEXT    NOT NULL,
    title        TEXT    NOT NULL,
    title_key    TEXT    NOT NULL,
    description  TEXT    NOT NULL,
    authors      TEXT    NOT NULL, -- JSON array of strings
    created_at   INTEGER NOT NULL, -- microseconds since 1970, UTC
    version      TEXT    NOT NULL,
    search_words TEXT    NOT NULL, -- folded words, one space between two
    author_words TEXT    NOT NULL
) STRICT;

CREATE INDEX books_by_title ON books (title_key, title, id);
CREATE INDEX books_by_creation ON books (created_at, id);
CREATE INDEX books_by_isbn ON books (isbn_key) WHERE isbn_key <> '';

CREATE TABLE users (
    seq            INTEGER NOT NULL PRIMARY KEY, -- the row in the search index
    id             TEXT    NOT NULL CONSTRAINT users_id UNIQUE,
    email          TEXT    NOT NULL,
    email_key      TEXT    NOT NULL CONSTRAINT users_email_key UNIQUE,
    first_name     TEXT    NOT NULL,
    first_name_key TEXT    NOT NULL,
    last_name      TEXT    NOT NULL,
    last_name_key  TEXT    NOT NULL,
    roles          TEXT    NOT NULL, -- JSON array of strings
    created_at     INTEGER NOT NULL,
    version        TEXT    NOT NULL,
    search_words   TEXT    NOT NULL
) STRICT;

CREATE INDEX users_by_name ON users (last_name_key, first_name_key, last_name, first_name, id);

CREATE TABLE loans (
    id          TEXT    NOT NULL CONSTRAINT loans_id UNIQUE,
    book_id     TEXT    CONSTRAINT loans_book REFERENCES books (id) ON DELETE SET NULL,
    book_title  TEXT    NOT NULL, -- stays when the book is deleted
    user_id     TEXT    CONSTRAINT loans_user REFERENCES users (id) ON DELETE SET NULL,
    borrowed_at INTEGER NOT NULL,
    returned_at INTEGER,
    -- Neither a lent book nor its borrower can be deleted.
    CONSTRAINT loans_open_is_complete
        CHECK (returned_at IS NOT NULL OR (book_id IS NOT NULL AND user_id IS NOT NULL))
) STRICT;

-- Nobody can lend a book twice, whatever the program does.
CREATE UNIQUE INDEX loans_one_open_per_book ON loans (book_id) WHERE returned_at IS NULL;
CREATE INDEX loans_open_by_user ON loans (user_id) WHERE returned_at IS NULL;
-- For the foreign keys: deleting a book or a user looks for its loans.
CREATE INDEX loans_by_book ON loans (book_id);
CREATE INDEX loans_by_user ON loans (user_id);

-- The search indexes. The words are made by the program. The tokenizer "ascii"
-- takes every character beyond ASCII as part of a word, so that the index has
-- exactly those words, and none of SQLite's opinions about letters.
CREATE VIRTUAL TABLE books_search USING fts5 (
    search_words, author_words,
    content = 'books', content_rowid = 'seq', tokenize = 'ascii', detail = column
);
CREATE VIRTUAL TABLE users_search USING fts5 (
    search_words,
    content = 'users', content_rowid = 'seq', tokenize = 'ascii', detail = none
);

-- +goose StatementBegin
CREATE TRIGGER books_search_insert AFTER INSERT ON books BEGIN
    INSERT INTO books_search (rowid, search_words, author_words)
    VALUES (new.seq, new.search_words, new.author_words);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER books_search_update AFTER UPDATE ON books
WHEN old.search_words <> new.search_words OR old.author_words <> new.author_words BEGIN
    INSERT INTO books_search (books_search, rowid, search_words, author_words)
    VALUES ('delete', old.seq, old.search_words, old.author_words);
    INSERT INTO books_search (rowid, search_words, author_words)
    VALUES (new.seq, new.search_words, new.author_words);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER books_search_delete AFTER DELETE ON books BEGIN
    INSERT INTO books_search (books_search, rowid, search_words, author_words)
    VALUES ('delete', old.seq, old.search_words, old.author_words);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER users_search_insert AFTER INSERT ON users BEGIN
    INSERT INTO users_search (rowid, search_words) VALUES (new.seq, new.search_words);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER users_search_update AFTER UPDATE ON users
WHEN old.search_words <> new.search_words BEGIN
    INSERT INTO users_search (users_search, rowid, search_words) VALUES ('delete', old.seq, old.search_words);
    INSERT INTO users_search (rowid, search_words) VALUES (new.seq, new.search_words);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER users_search_delete AFTER DELETE ON users BEGIN
    INSERT INTO users_search (users_search, rowid, search_words) VALUES ('delete', old.seq, old.search_words);
END;
-- +goose StatementEnd
