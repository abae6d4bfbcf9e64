-- +goose Up

-- The open loan of a copy is found however often the copy was lent before,
-- whichever index the planner takes. Programs of the version before can do all
-- that they could.
DROP INDEX loans_by_copy;
CREATE INDEX loans_by_copy ON loans (copy_id, returned_at);
