-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;
-- +goose StatementBegin

-- A mail that a server may have got is sent once more at most, so it is counted how often that was.
ALTER TABLE mails ADD COLUMN given INTEGER NOT NULL DEFAULT 0; -- how often a server may have got the whole of it
UPDATE mails SET given = 1 WHERE fixed;
ALTER TABLE mails DROP COLUMN fixed;

-- A notice has its own two days, whatever mail it is in, and a standstill uses none of them up.
ALTER TABLE notices ADD COLUMN tried_for BIGINT NOT NULL DEFAULT 0; -- the pauses between its attempts, together

-- Notices of a state by age, and how many there are of each kind.
DROP INDEX notices_by_state;
CREATE INDEX notices_by_state ON notices (state, created_at, id, kind);
-- +goose StatementEnd
