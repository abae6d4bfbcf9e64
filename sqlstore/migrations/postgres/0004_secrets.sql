-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;
-- +goose StatementBegin

-- ---------------------------------------------------------------- what all processes must know

-- Random texts that processes make when they need them, such as the key of nonces.
CREATE TABLE secrets (
    name   TEXT COLLATE "C" PRIMARY KEY,
    secret TEXT COLLATE "C" NOT NULL
);
-- +goose StatementEnd
