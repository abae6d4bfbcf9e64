-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;

-- The answers to requests that their callers may repeat, kept for a day. The key is
-- a digest of the caller and of the name that the caller gave to the request.
-- Nobody but the caller gets to see one, so nothing is noted when they change.
-- Programs that do not know the table ignore keys, and can do all that they could.
CREATE TABLE kept_answers (
    key         BYTEA             NOT NULL CONSTRAINT kept_answers_key PRIMARY KEY,
    user_id     TEXT COLLATE "C"  NOT NULL CONSTRAINT kept_answers_user REFERENCES users (id) ON DELETE CASCADE,
    fingerprint BYTEA             NOT NULL, -- of the request
    role        TEXT COLLATE "C"  NOT NULL, -- that the change needed
    for_staff   BOOLEAN           NOT NULL, -- the caller saw what only staff may see
    answer      BYTEA             NOT NULL,
    created_at  BIGINT            NOT NULL
);

CREATE INDEX kept_answers_by_user ON kept_answers (user_id, created_at);
CREATE INDEX kept_answers_by_age ON kept_answers (created_at);
