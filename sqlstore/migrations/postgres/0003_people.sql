-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;
-- +goose StatementBegin

-- ---------------------------------------------------------------- people of an organisation

-- Programs that do not know these columns leave them as they are. They let in who is not active.
-- No row is written again for a column with a constant default, and the indexes begin empty.
ALTER TABLE users
    ADD COLUMN group_name TEXT COLLATE "C" NOT NULL DEFAULT '',  -- a class, a department
    ADD COLUMN group_key  TEXT COLLATE "C" NOT NULL DEFAULT '',  -- without regard to case
    ADD COLUMN active     BOOLEAN NOT NULL DEFAULT TRUE,
    ADD COLUMN subject    TEXT COLLATE "C";                      -- digest of issuer and subject; NULL: not tied
CREATE INDEX users_by_group ON users (group_key) WHERE group_key <> '';
CREATE UNIQUE INDEX users_subject ON users (subject) WHERE subject IS NOT NULL;
-- +goose StatementEnd
