-- +goose Up

-- On PostgreSQL this migration is about what a transaction costs there. Here there is
-- nothing to change.
SELECT 1;
