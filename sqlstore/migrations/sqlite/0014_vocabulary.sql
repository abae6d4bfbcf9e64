-- +goose Up
-- +goose StatementBegin

-- ---------------------------------------------------------------- the words of the catalogue

-- Every word that a book has or had, from the transaction on that wrote it, in letters that are
-- put together one by one. Questions that are misspelt are corrected by them.
CREATE TABLE vocabulary (
    word   TEXT NOT NULL CONSTRAINT vocabulary_pkey PRIMARY KEY, -- folded
    turned TEXT NOT NULL -- its letters from the last to the first
) STRICT, WITHOUT ROWID;
CREATE INDEX vocabulary_turned ON vocabulary (turned);

-- Every letter or digit of these words.
CREATE TABLE letters (
    letter TEXT NOT NULL CONSTRAINT letters_pkey PRIMARY KEY
) STRICT, WITHOUT ROWID;
-- +goose StatementEnd
