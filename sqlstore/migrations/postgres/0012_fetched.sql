-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;

-- When staff have put the copy of a ready hold with those that are to be handed
-- out. Programs of the version before may go on running, and may be started anew:
-- a trigger clears it when they give the copy to somebody else.
ALTER TABLE holds ADD COLUMN fetched_at BIGINT;

-- +goose StatementBegin
CREATE FUNCTION leave_copy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.fetched_at := NULL;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER holds_left_the_copy BEFORE UPDATE OF copy_id ON holds
    FOR EACH ROW WHEN (NEW.fetched_at IS NOT NULL AND OLD.copy_id IS DISTINCT FROM NEW.copy_id
        AND OLD.fetched_at IS NOT DISTINCT FROM NEW.fetched_at)
    EXECUTE FUNCTION leave_copy();
