-- +goose Up

-- The answers to requests that their callers may repeat, kept for a day. The key is
-- a digest of the caller and of the name that the caller gave to the request.
-- Nobody but the caller gets to see one, so nothing is noted when they change.
-- Programs that do not know the table ignore keys, and can do all that they could.
CREATE TABLE kept_answers (
    seq         INTEGER NOT NULL PRIMARY KEY,
    key         BLOB    NOT NULL CONSTRAINT kept_answers_key UNIQUE,
    user_id     TEXT    NOT NULL CONSTRAINT kept_answers_user REFERENCES users (id) ON DELETE CASCADE,
    fingerprint BLOB    NOT NULL, -- of the request
    role        TEXT    NOT NULL, -- that the change needed
    for_staff   INTEGER NOT NULL, -- 1 if the caller saw what only staff may see
    answer      BLOB    NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX kept_answers_by_user ON kept_answers (user_id, created_at);
CREATE INDEX kept_answers_by_age ON kept_answers (created_at);
