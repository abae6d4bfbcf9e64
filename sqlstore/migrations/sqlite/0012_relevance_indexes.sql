-- +goose Up
-- +goose StatementBegin

-- In a transaction of their own, which keeps no reader waiting.
CREATE INDEX books_by_rank  ON books (title_rank) WHERE title_rank <> '';
CREATE INDEX books_to_index ON books (seq) WHERE words_of <> version;
-- +goose StatementEnd
