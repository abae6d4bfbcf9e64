-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;
-- +goose StatementBegin

-- ---------------------------------------------------------------- more about a book

-- Programs that do not know these columns leave them as they are. No row is written again
-- for a column with a constant default.
ALTER TABLE books
    ADD COLUMN subtitle     TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN publisher    TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN series       TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN volume       TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN published    INTEGER          NOT NULL DEFAULT 0,    -- the year; 0: not known
    ADD COLUMN language     TEXT COLLATE "C" NOT NULL DEFAULT '',   -- ISO 639
    ADD COLUMN subjects     TEXT COLLATE "C" NOT NULL DEFAULT '[]', -- JSON array of strings
    ADD COLUMN series_key   TEXT COLLATE "C" NOT NULL DEFAULT '',   -- folded
    ADD COLUMN subject_keys TEXT COLLATE "C" NOT NULL DEFAULT '';   -- folded, a line break before and after each
-- +goose StatementEnd
