-- +goose Up

-- Whether readers borrow and give back by themselves, or only at the desk. Programs
-- of the version before can do all that they could: they let readers do both, and
-- leave these two rules as they are when they change others.
ALTER TABLE policy ADD COLUMN self_borrow INTEGER NOT NULL DEFAULT 1;
ALTER TABLE policy ADD COLUMN self_return INTEGER NOT NULL DEFAULT 1;
