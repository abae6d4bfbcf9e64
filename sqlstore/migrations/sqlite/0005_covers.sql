-- +goose Up
-- +goose StatementBegin

-- ---------------------------------------------------------------- covers

-- Which cover a book has, '' for none. Programs that do not know the column leave it as it is.
ALTER TABLE books ADD COLUMN cover TEXT NOT NULL DEFAULT '';

-- The pictures, JPEG. They go with their book, whoever deletes it.
CREATE TABLE covers (
    book    INTEGER NOT NULL PRIMARY KEY CONSTRAINT covers_book REFERENCES books (seq) ON DELETE CASCADE,
    version TEXT    NOT NULL, -- as the book has it
    small   BLOB    NOT NULL,
    large   BLOB    NOT NULL
) STRICT;
-- +goose StatementEnd
