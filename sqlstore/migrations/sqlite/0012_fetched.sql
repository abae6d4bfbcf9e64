-- +goose Up

-- When staff have put the copy of a ready hold with those that are to be handed
-- out. Programs of the version before may go on running, and may be started anew:
-- a trigger clears it when they give the copy to somebody else.
ALTER TABLE holds ADD COLUMN fetched_at INTEGER;

-- +goose StatementBegin
CREATE TRIGGER holds_left_the_copy AFTER UPDATE OF copy_id ON holds
WHEN new.fetched_at IS NOT NULL AND old.copy_id IS NOT new.copy_id AND old.fetched_at IS new.fetched_at BEGIN
    UPDATE holds SET fetched_at = NULL WHERE seq = new.seq;
END;
-- +goose StatementEnd
