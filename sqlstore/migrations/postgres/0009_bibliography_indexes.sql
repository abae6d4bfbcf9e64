-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;
-- +goose StatementBegin

-- Only books of which more is known are in these indexes, so they begin empty. They are made
-- after the columns, in a transaction of their own, which keeps no reader waiting.
CREATE INDEX books_by_series ON books (series_key) WHERE series_key <> '';
CREATE INDEX books_by_year   ON books (published, title_key, title, id) WHERE published > 0;
CREATE INDEX books_by_newest ON books ((-published), title_key, title, id) WHERE published > 0;
-- +goose StatementEnd
