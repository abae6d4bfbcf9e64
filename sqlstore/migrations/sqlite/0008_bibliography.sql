-- +goose Up
-- +goose StatementBegin

-- ---------------------------------------------------------------- more about a book

-- Programs that do not know these columns leave them as they are.
ALTER TABLE books ADD COLUMN subtitle     TEXT    NOT NULL DEFAULT '';
ALTER TABLE books ADD COLUMN publisher    TEXT    NOT NULL DEFAULT '';
ALTER TABLE books ADD COLUMN series       TEXT    NOT NULL DEFAULT '';
ALTER TABLE books ADD COLUMN volume       TEXT    NOT NULL DEFAULT '';
ALTER TABLE books ADD COLUMN published    INTEGER NOT NULL DEFAULT 0;    -- the year; 0: not known
ALTER TABLE books ADD COLUMN language     TEXT    NOT NULL DEFAULT '';   -- ISO 639
ALTER TABLE books ADD COLUMN subjects     TEXT    NOT NULL DEFAULT '[]'; -- JSON array of strings
ALTER TABLE books ADD COLUMN series_key   TEXT    NOT NULL DEFAULT '';   -- folded
ALTER TABLE books ADD COLUMN subject_keys TEXT    NOT NULL DEFAULT '';   -- folded, a line break before and after each
-- +goose StatementEnd
