-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;

-- What has happened, for those who want to be told: the last ten thousand
-- changes or so. Triggers write it, so that nothing can be forgotten.
--
-- Its order has to do two things that a sequence alone does not. Numbers are
-- handed out before the commit, so a reader could meet number 7 and never learn
-- of number 6, whose transaction took longer. And readers must see the changes
-- of one book as they happened.
--
-- Hence major. It is the number of the transaction, or the highest that had
-- ended when the change was made, whichever is greater.
--   * Readers take what is below the oldest transaction that is still running
--     (pg_snapshot_xmin). No transaction that may still write or commit has a
--     number below that, so nothing will ever be added there.
--   * The number of the transaction alone would put changes of one book in the
--     wrong order: a transaction may be older than the one it had to wait for.
--     But it waits until the other has ended, so the other's number, and the
--     other's major, are not above its own; and within one major, seq decides.
-- The price is that a transaction that runs for long, of anybody in the whole
-- cluster that has written something, delays the news until it ends.
CREATE TABLE changes (
    major    BIGINT NOT NULL,
    seq      BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY,
    mark     BIGINT NOT NULL DEFAULT (random() * 9007199254740992)::bigint, -- tells this change from one with its numbers in another history
    kind     TEXT COLLATE "C" NOT NULL,
    subject  TEXT COLLATE "C" NOT NULL, -- the book, or the user who left
    borrowed BOOLEAN NOT NULL,          -- the state of the book after the change
    CONSTRAINT changes_pkey PRIMARY KEY (major, seq)
);

-- The beginning, so that there always is a newest change to go on from.
INSERT INTO changes (major, kind, subject, borrowed) VALUES (0, 'beginning', '', false);

-- +goose StatementBegin
CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    happened TEXT := TG_ARGV[0];
    about    TEXT;
    lent     BOOLEAN := happened = 'borrowed';
BEGIN
    IF TG_TABLE_NAME = 'loans' THEN
        about := NEW.book_id;
    ELSIF TG_OP = 'DELETE' THEN
        about := OLD.id;
    ELSE
        about := NEW.id;
    END IF;
    IF happened = 'edited' THEN
        lent := EXISTS (SELECT 1 FROM loans WHERE book_id = about AND returned_at IS NULL);
    END IF;
    INSERT INTO changes (major, kind, subject, borrowed)
    VALUES (greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1),
        happened, about, lent);
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- Now and then some of the oldest are dropped, without waiting for anybody who
-- does the same. Always the oldest, all of them up to some point, and none that
-- readers cannot see yet: so whoever finds the change at which they stood finds
-- all that came behind it.
-- +goose StatementBegin
CREATE FUNCTION trim_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    kept RECORD;
BEGIN
    IF NOT pg_try_advisory_xact_lock(7236838) THEN
        RETURN NULL;
    END IF;
    SELECT major, seq INTO kept FROM changes
    WHERE major < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    ORDER BY major, seq OFFSET 256 LIMIT 1;
    IF kept.seq <= NEW.seq - 10000 THEN
        DELETE FROM changes WHERE (major, seq) < (kept.major, kept.seq);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER changes_trim AFTER INSERT ON changes
    FOR EACH ROW WHEN (NEW.seq % 128 = 0) EXECUTE FUNCTION trim_changes();

CREATE TRIGGER books_added AFTER INSERT ON books
    FOR EACH ROW EXECUTE FUNCTION note_change('added');
CREATE TRIGGER books_edited AFTER UPDATE ON books
    FOR EACH ROW EXECUTE FUNCTION note_change('edited');
CREATE TRIGGER books_deleted AFTER DELETE ON books
    FOR EACH ROW EXECUTE FUNCTION note_change('deleted');
CREATE TRIGGER loans_opened AFTER INSERT ON loans
    FOR EACH ROW WHEN (NEW.returned_at IS NULL) EXECUTE FUNCTION note_change('borrowed');
-- Only the end of a loan counts. A past loan also changes when its book or its
-- user is deleted.
CREATE TRIGGER loans_closed AFTER UPDATE OF returned_at ON loans
    FOR EACH ROW WHEN (OLD.returned_at IS NULL AND NEW.returned_at IS NOT NULL) EXECUTE FUNCTION note_change('returned');
-- Whoever is removed, or gets another e-mail address, is to be shown out.
CREATE TRIGGER users_moved AFTER UPDATE OF email_key ON users
    FOR EACH ROW WHEN (OLD.email_key <> NEW.email_key) EXECUTE FUNCTION note_change('left');
CREATE TRIGGER users_removed AFTER DELETE ON users
    FOR EACH ROW EXECUTE FUNCTION note_change('left');
