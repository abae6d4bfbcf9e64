-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;
-- +goose StatementBegin

-- ---------------------------------------------------------------- the words of the catalogue

-- Every word that a book has or had, from the transaction on that wrote it, in letters that are
-- put together one by one. Questions that are misspelt are corrected by them.
CREATE TABLE vocabulary (
    word   TEXT COLLATE "C" NOT NULL CONSTRAINT vocabulary_pkey PRIMARY KEY, -- folded
    turned TEXT COLLATE "C" NOT NULL -- its letters from the last to the first
);
CREATE INDEX vocabulary_turned ON vocabulary (turned);

-- Every letter or digit of these words.
CREATE TABLE letters (
    letter TEXT COLLATE "C" NOT NULL CONSTRAINT letters_pkey PRIMARY KEY
);
-- +goose StatementEnd
