-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;
-- +goose StatementBegin

-- ---------------------------------------------------------------- notices by mail

-- With what the library has sent mails, and whether they wait for an admin. The table may be there already:
-- whoever restores a backup makes it, so that an older backup waits, too.
CREATE TABLE IF NOT EXISTS outbox (
    number     INTEGER NOT NULL DEFAULT 1 PRIMARY KEY CONSTRAINT outbox_is_one CHECK (number = 1),
    paused     BOOLEAN NOT NULL DEFAULT FALSE,
    mail_from  TEXT COLLATE "C", -- NULL: nothing was sent yet
    public_url TEXT COLLATE "C"
);
INSERT INTO outbox (number) VALUES (1) ON CONFLICT DO NOTHING;

-- Mails that are to be sent: one for a person at a time. They go when they are sent, or never can be.
CREATE TABLE mails (
    id         TEXT COLLATE "C" CONSTRAINT mails_id PRIMARY KEY, -- of which the Message-ID is made
    user_id    TEXT COLLATE "C" NOT NULL CONSTRAINT mails_one_per_person UNIQUE
        CONSTRAINT mails_user REFERENCES users (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL, -- right before the first attempt
    attempts   INTEGER NOT NULL DEFAULT 0,
    next_at    BIGINT NOT NULL, -- when to try again; while it is being sent, when the claim ends
    claim      TEXT COLLATE "C", -- of the sender; NULL: nobody is at it
    fixed      BOOLEAN NOT NULL  -- a mail server may have it, so nothing is added
);
CREATE INDEX mails_by_next ON mails (next_at);

-- What people are told, each once: see notice.go. "about" is a loan or a hold.
CREATE TABLE notices (
    id            TEXT COLLATE "C" CONSTRAINT notices_id PRIMARY KEY,
    kind          TEXT COLLATE "C" NOT NULL,
    about         TEXT COLLATE "C" NOT NULL,
    occasion      BIGINT NOT NULL, -- when the hold became ready or expired, when the loan is due
    value         INTEGER NOT NULL DEFAULT 0, -- days overdue
    user_id       TEXT COLLATE "C" CONSTRAINT notices_user REFERENCES users (id) ON DELETE SET NULL,
    book_id       TEXT COLLATE "C" NOT NULL,
    book_title    TEXT COLLATE "C" NOT NULL,
    state         TEXT COLLATE "C" NOT NULL CONSTRAINT notices_state CHECK (state IN ('waiting', 'sent', 'dropped', 'failed')),
    mail_id       TEXT COLLATE "C" CONSTRAINT notices_mail REFERENCES mails (id) ON DELETE SET NULL,
    attempts      INTEGER NOT NULL DEFAULT 0,
    problem_code  INTEGER, -- of the last attempt
    problem_stage TEXT COLLATE "C",
    created_at    BIGINT NOT NULL,
    sent_at       BIGINT
);
CREATE UNIQUE INDEX notices_once ON notices (about, kind, occasion, value);
CREATE INDEX notices_by_creation ON notices (created_at, id);
CREATE INDEX notices_by_user ON notices (user_id, created_at, id);
CREATE INDEX notices_by_mail ON notices (mail_id) WHERE mail_id IS NOT NULL;
CREATE INDEX notices_waiting ON notices (created_at) WHERE state = 'waiting' AND mail_id IS NULL;
CREATE INDEX notices_by_state ON notices (state, kind);

-- To whose address mails cannot be delivered. With another address the row means nothing.
CREATE TABLE mail_problems (
    user_id   TEXT COLLATE "C" CONSTRAINT mail_problems_pkey PRIMARY KEY
        CONSTRAINT mail_problems_user REFERENCES users (id) ON DELETE CASCADE,
    email_key TEXT COLLATE "C" NOT NULL,
    code      INTEGER NOT NULL,
    since_at  BIGINT NOT NULL
);

-- A notice forgets its person with the loan or the hold. What has not been sent by then never is.
CREATE OR REPLACE FUNCTION forget_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE changes SET person = NULL WHERE person = OLD.user_id AND subject = NEW.id;
    UPDATE notices SET user_id = NULL, state = CASE state WHEN 'waiting' THEN 'dropped' ELSE state END, mail_id = NULL WHERE about = NEW.id;
    RETURN NULL;
END $$;
CREATE FUNCTION drop_notices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE notices SET state = 'dropped', mail_id = NULL WHERE user_id = OLD.id AND state = 'waiting';
    RETURN OLD;
END $$;

-- Programs that do not know these columns leave them as they are.
ALTER TABLE policy
    ADD COLUMN notice_time TEXT COLLATE "C" NOT NULL DEFAULT '08:00', -- from when on people are reminded, HH:MM
    ADD COLUMN mail_note   TEXT COLLATE "C" NOT NULL DEFAULT '{}';    -- JSON object: language to text
CREATE TRIGGER users_drop_notices BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION drop_notices();
-- +goose StatementEnd
