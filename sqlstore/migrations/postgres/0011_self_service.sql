-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;

-- Whether readers borrow and give back by themselves, or only at the desk. Programs
-- of the version before can do all that they could: they let readers do both, and
-- leave these two rules as they are when they change others.
ALTER TABLE policy
    ADD COLUMN self_borrow BOOLEAN NOT NULL DEFAULT true,
    ADD COLUMN self_return BOOLEAN NOT NULL DEFAULT true;
