-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;
-- +goose StatementBegin

-- ---------------------------------------------------------------- covers

-- Which cover a book has, '' for none. Programs that do not know the column leave it as it is.
-- No row is written again for a column with a constant default.
ALTER TABLE books ADD COLUMN cover TEXT COLLATE "C" NOT NULL DEFAULT '';

-- The pictures, JPEG, which cannot be compressed again. They go with their book, whoever deletes it.
CREATE TABLE covers (
    book    BIGINT NOT NULL CONSTRAINT covers_pkey PRIMARY KEY CONSTRAINT covers_book REFERENCES books (seq) ON DELETE CASCADE,
    version TEXT COLLATE "C" NOT NULL, -- as the book has it
    small   BYTEA  NOT NULL,
    large   BYTEA  NOT NULL
);
ALTER TABLE covers ALTER COLUMN small SET STORAGE EXTERNAL, ALTER COLUMN large SET STORAGE EXTERNAL;
-- +goose StatementEnd
