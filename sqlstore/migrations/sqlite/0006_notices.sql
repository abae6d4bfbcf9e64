-- +goose Up
-- +goose StatementBegin

-- ---------------------------------------------------------------- notices by mail

-- Programs that do not know these columns leave them as they are.
ALTER TABLE policy ADD COLUMN notice_time TEXT NOT NULL DEFAULT '08:00'; -- from when on people are reminded, HH:MM
ALTER TABLE policy ADD COLUMN mail_note   TEXT NOT NULL DEFAULT '{}';    -- JSON object: language to text

-- With what the library has sent mails, and whether they wait for an admin. The table may be there already:
-- whoever restores a backup makes it, so that an older backup waits, too.
CREATE TABLE IF NOT EXISTS outbox (
    number     INTEGER NOT NULL PRIMARY KEY DEFAULT 1 CONSTRAINT outbox_is_one CHECK (number = 1),
    paused     INTEGER NOT NULL DEFAULT 0,
    mail_from  TEXT, -- NULL: nothing was sent yet
    public_url TEXT
) STRICT;
INSERT INTO outbox (number) VALUES (1) ON CONFLICT DO NOTHING;

-- Mails that are to be sent: one for a person at a time. They go when they are sent, or never can be.
CREATE TABLE mails (
    id         TEXT    NOT NULL CONSTRAINT mails_id PRIMARY KEY, -- of which the Message-ID is made
    user_id    TEXT    NOT NULL CONSTRAINT mails_one_per_person UNIQUE
        CONSTRAINT mails_user REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL, -- right before the first attempt
    attempts   INTEGER NOT NULL DEFAULT 0,
    next_at    INTEGER NOT NULL, -- when to try again; while it is being sent, when the claim ends
    claim      TEXT,             -- of the sender; NULL: nobody is at it
    fixed      INTEGER NOT NULL  -- a mail server may have it, so nothing is added
) STRICT;
CREATE INDEX mails_by_next ON mails (next_at);

-- What people are told, each once: see notice.go. "about" is a loan or a hold.
CREATE TABLE notices (
    id            TEXT    NOT NULL CONSTRAINT notices_id PRIMARY KEY,
    kind          TEXT    NOT NULL,
    about         TEXT    NOT NULL,
    occasion      INTEGER NOT NULL, -- when the hold became ready or expired, when the loan is due
    value         INTEGER NOT NULL DEFAULT 0, -- days overdue
    user_id       TEXT CONSTRAINT notices_user REFERENCES users (id) ON DELETE SET NULL,
    book_id       TEXT    NOT NULL,
    book_title    TEXT    NOT NULL,
    state         TEXT    NOT NULL CONSTRAINT notices_state CHECK (state IN ('waiting', 'sent', 'dropped', 'failed')),
    mail_id       TEXT CONSTRAINT notices_mail REFERENCES mails (id) ON DELETE SET NULL,
    attempts      INTEGER NOT NULL DEFAULT 0,
    problem_code  INTEGER, -- of the last attempt
    problem_stage TEXT,
    created_at    INTEGER NOT NULL,
    sent_at       INTEGER
) STRICT;
CREATE UNIQUE INDEX notices_once ON notices (about, kind, occasion, value);
CREATE INDEX notices_by_creation ON notices (created_at, id);
CREATE INDEX notices_by_user ON notices (user_id, created_at, id);
CREATE INDEX notices_by_mail ON notices (mail_id) WHERE mail_id IS NOT NULL;
CREATE INDEX notices_waiting ON notices (created_at) WHERE state = 'waiting' AND mail_id IS NULL;
CREATE INDEX notices_by_state ON notices (state, kind);

-- To whose address mails cannot be delivered. With another address the row means nothing.
CREATE TABLE mail_problems (
    user_id   TEXT    NOT NULL CONSTRAINT mail_problems_pkey PRIMARY KEY
        CONSTRAINT mail_problems_user REFERENCES users (id) ON DELETE CASCADE,
    email_key TEXT    NOT NULL,
    code      INTEGER NOT NULL,
    since_at  INTEGER NOT NULL
) STRICT;

-- A notice forgets its person with the loan or the hold. What has not been sent by then never is.
DROP TRIGGER loans_forgotten;
CREATE TRIGGER loans_forgotten AFTER UPDATE OF user_id ON loans
WHEN old.user_id IS NOT NULL AND new.user_id IS NULL BEGIN
    UPDATE changes SET person = NULL WHERE person = old.user_id AND subject = new.id;
    UPDATE notices SET user_id = NULL, state = iif(state = 'waiting', 'dropped', state), mail_id = NULL WHERE about = new.id;
END;
DROP TRIGGER holds_forgotten;
CREATE TRIGGER holds_forgotten AFTER UPDATE OF user_id ON holds
WHEN old.user_id IS NOT NULL AND new.user_id IS NULL BEGIN
    UPDATE changes SET person = NULL WHERE person = old.user_id AND subject = new.id;
    UPDATE notices SET user_id = NULL, state = iif(state = 'waiting', 'dropped', state), mail_id = NULL WHERE about = new.id;
END;
CREATE TRIGGER users_drop_notices BEFORE DELETE ON users BEGIN
    UPDATE notices SET state = 'dropped', mail_id = NULL WHERE user_id = old.id AND state = 'waiting';
END;
-- +goose StatementEnd
