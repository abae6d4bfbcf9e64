-- +goose Up
-- +goose StatementBegin

-- ---------------------------------------------------------------- web hooks

-- Nobody writes here who has no web hook. Where there is one, a process makes events of
-- the changes: see sqlstore/outbox/hook.go. A backup has none of these rows, so that a library that
-- was restored tells of what happens from then on.

-- In a change of a loan or a hold, the column available of the table changes is what
-- happened (library.Step), 0 if its program does not tell.

-- How far the changes were read; no row before the first web hook.
CREATE TABLE webhook_feed (
    number INTEGER NOT NULL DEFAULT 1 PRIMARY KEY CONSTRAINT webhook_feed_is_one CHECK (number = 1),
    major  INTEGER NOT NULL,
    seq    INTEGER NOT NULL,
    mark   INTEGER NOT NULL
) STRICT;

-- What is told, until all web hooks are done with it. It names no person.
CREATE TABLE webhook_events (
    seq          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL,            -- the same for every attempt
    type         TEXT    NOT NULL,
    book_id      TEXT    NOT NULL,
    book_title   TEXT    NOT NULL,
    record       TEXT    NOT NULL,            -- the loan or the hold; '' for books
    happened_at  INTEGER NOT NULL,
    collected_at INTEGER NOT NULL
) STRICT;

-- How far each has come.
CREATE TABLE webhooks (
    hook          TEXT    NOT NULL PRIMARY KEY, -- digest of the address
    position      INTEGER NOT NULL,             -- the last event that is done with
    attempts      INTEGER NOT NULL DEFAULT 0,   -- failed, one after the other
    failing_since INTEGER,
    next_at       INTEGER,                      -- NULL: now
    is_off        INTEGER NOT NULL DEFAULT 0,   -- the receiver wants nothing more, until the next start
    used_at       INTEGER NOT NULL
) STRICT;

-- Open loans that were told of as overdue: once for each time that they were lent or renewed.
CREATE TABLE webhook_overdue (
    loan_id  TEXT    NOT NULL PRIMARY KEY,
    renewals INTEGER NOT NULL
) STRICT;

-- What deleted books were called, until that is told.
CREATE TABLE deleted_titles (
    seq     INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    book_id TEXT    NOT NULL,
    title   TEXT    NOT NULL
) STRICT;
CREATE INDEX deleted_titles_by_book ON deleted_titles (book_id);
CREATE TRIGGER books_deleted_title AFTER DELETE ON books WHEN EXISTS (SELECT 1 FROM webhook_feed) BEGIN
    INSERT INTO deleted_titles (book_id, title) VALUES (old.id, old.title);
    DELETE FROM deleted_titles WHERE seq <= (SELECT max(seq) FROM deleted_titles) - 10000;
END;
-- +goose StatementEnd
