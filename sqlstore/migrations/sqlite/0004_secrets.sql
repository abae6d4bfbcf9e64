-- +goose Up
-- +goose StatementBegin

-- ---------------------------------------------------------------- what all processes must know

-- Random texts that processes make when they need them, such as the key of nonces.
CREATE TABLE secrets (
    name   TEXT PRIMARY KEY,
    secret TEXT NOT NULL
) STRICT;
-- +goose StatementEnd
