-- +goose Up
-- +goose StatementBegin

-- ---------------------------------------------------------------- people of an organisation

-- Programs that do not know these columns leave them as they are. They let in who is not active.
ALTER TABLE users ADD COLUMN group_name TEXT NOT NULL DEFAULT '';   -- a class, a department
ALTER TABLE users ADD COLUMN group_key  TEXT NOT NULL DEFAULT '';   -- without regard to case
ALTER TABLE users ADD COLUMN active     INTEGER NOT NULL DEFAULT 1;
ALTER TABLE users ADD COLUMN subject    TEXT;                       -- digest of issuer and subject; NULL: not tied
CREATE INDEX users_by_group ON users (group_key) WHERE group_key <> '';
CREATE UNIQUE INDEX users_subject ON users (subject) WHERE subject IS NOT NULL;
-- +goose StatementEnd
