-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;
-- +goose StatementBegin

-- ---------------------------------------------------------------- web hooks

-- Nobody writes here who has no web hook. Where there is one, a process makes events of
-- the changes: see sqlstore/outbox/hook.go. A backup has none of these rows, so that a library that
-- was restored tells of what happens from then on.

-- In a change of a loan or a hold, the column available of the table changes is what
-- happened (library.Step), 0 if its program does not tell.

-- How far the changes were read; no row before the first web hook.
CREATE TABLE webhook_feed (
    number INT    NOT NULL DEFAULT 1 CONSTRAINT webhook_feed_pkey PRIMARY KEY CONSTRAINT webhook_feed_is_one CHECK (number = 1),
    major  BIGINT NOT NULL,
    seq    BIGINT NOT NULL,
    mark   BIGINT NOT NULL
);

-- What is told, until all web hooks are done with it. It names no person. Who adds events
-- has locked the row above, so that their numbers are in the order of commits.
CREATE TABLE webhook_events (
    seq          BIGINT GENERATED ALWAYS AS IDENTITY CONSTRAINT webhook_events_pkey PRIMARY KEY,
    id           TEXT COLLATE "C" NOT NULL, -- the same for every attempt
    type         TEXT COLLATE "C" NOT NULL,
    book_id      TEXT COLLATE "C" NOT NULL,
    book_title   TEXT COLLATE "C" NOT NULL,
    record       TEXT COLLATE "C" NOT NULL, -- the loan or the hold; '' for books
    happened_at  BIGINT NOT NULL,
    collected_at BIGINT NOT NULL
);

-- How far each has come.
CREATE TABLE webhooks (
    hook          TEXT COLLATE "C" CONSTRAINT webhooks_pkey PRIMARY KEY, -- digest of the address
    position      BIGINT  NOT NULL,               -- the last event that is done with
    attempts      INT     NOT NULL DEFAULT 0,     -- failed, one after the other
    failing_since BIGINT,
    next_at       BIGINT,                         -- NULL: now
    is_off        BOOLEAN NOT NULL DEFAULT false, -- the receiver wants nothing more, until the next start
    used_at       BIGINT  NOT NULL
);

-- Open loans that were told of as overdue: once for each time that they were lent or renewed.
CREATE TABLE webhook_overdue (
    loan_id  TEXT COLLATE "C" CONSTRAINT webhook_overdue_pkey PRIMARY KEY,
    renewals INT NOT NULL
);

-- What deleted books were called, until that is told.
CREATE TABLE deleted_titles (
    seq     BIGINT GENERATED ALWAYS AS IDENTITY CONSTRAINT deleted_titles_pkey PRIMARY KEY,
    book_id TEXT COLLATE "C" NOT NULL,
    title   TEXT COLLATE "C" NOT NULL
);
CREATE INDEX deleted_titles_by_book ON deleted_titles (book_id);
CREATE FUNCTION keep_deleted_title() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    newest BIGINT;
BEGIN
    IF EXISTS (SELECT 1 FROM webhook_feed) THEN
        INSERT INTO deleted_titles (book_id, title) VALUES (OLD.id, OLD.title) RETURNING seq INTO newest;
        DELETE FROM deleted_titles WHERE seq <= newest - 10000;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER books_deleted_title AFTER DELETE ON books FOR EACH ROW EXECUTE FUNCTION keep_deleted_title();
-- +goose StatementEnd
