-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;

-- Of which loans, holds and users a kept answer tells. When one of these forgets
-- its person, or the person is removed or gets another name, address or card, the
-- answer is emptied in the same transaction. The key stays, so that the request is
-- not done a second time.
--
-- Programs of the version before can do all that they could. They do not say what
-- their answers tell of; so those are emptied whenever anybody is forgotten. To
-- them an answer that was emptied is the answer to another request, which they
-- refuse.

-- Takes locks that others may want in another order: see the migration that made
-- copies.
-- +goose StatementBegin
CREATE FUNCTION lock_tables(tables TEXT, mode TEXT) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    usual TEXT := current_setting('lock_timeout');
BEGIN
    PERFORM set_config('lock_timeout', '300ms', true);
    FOR attempt IN 1..200 LOOP
        BEGIN
            EXECUTE format('LOCK TABLE %s IN %s MODE', tables, mode);
            PERFORM set_config('lock_timeout', usual, true);
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(0.02);
        END;
    END LOOP;
    RAISE EXCEPTION 'the tables are in use all the time; try again when less happens, or when the backup that is running has ended'
        USING ERRCODE = 'lock_not_available';
END
$$;
-- +goose StatementEnd

SELECT lock_tables('loans, users, holds', 'SHARE ROW EXCLUSIVE');
SELECT lock_tables('kept_answers', 'ACCESS EXCLUSIVE');

ALTER TABLE kept_answers ADD COLUMN linked BOOLEAN NOT NULL DEFAULT false; -- answer_records says what it tells of
CREATE INDEX kept_answers_unlinked ON kept_answers (key) WHERE NOT linked;
-- What those from before tell of is not known, and some of it is forgotten already.
UPDATE kept_answers SET fingerprint = '', answer = '', linked = true;

CREATE TABLE answer_records (
    key    BYTEA            NOT NULL CONSTRAINT answer_records_key REFERENCES kept_answers (key) ON DELETE CASCADE,
    record TEXT COLLATE "C" NOT NULL, -- identifier of the loan, hold or user
    CONSTRAINT answer_records_pkey PRIMARY KEY (key, record)
);
CREATE INDEX answer_records_by_record ON answer_records (record);

-- +goose StatementBegin
CREATE FUNCTION forget_answers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE kept_answers SET fingerprint = '', answer = '', linked = true WHERE key IN (
        SELECT key FROM answer_records WHERE record = OLD.id UNION ALL SELECT key FROM kept_answers WHERE NOT linked);
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION forget_answers_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE kept_answers SET fingerprint = '', answer = '', linked = true WHERE key IN (
        SELECT key FROM answer_records WHERE record = OLD.id
        UNION ALL SELECT r.key FROM answer_records r JOIN loans l ON l.id = r.record WHERE l.user_id = OLD.id
        UNION ALL SELECT r.key FROM answer_records r JOIN holds h ON h.id = r.record WHERE h.user_id = OLD.id
        UNION ALL SELECT key FROM kept_answers WHERE NOT linked);
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER loans_forget_answers AFTER UPDATE OF user_id ON loans
    FOR EACH ROW WHEN (OLD.user_id IS NOT NULL AND NEW.user_id IS NULL) EXECUTE FUNCTION forget_answers();
CREATE TRIGGER holds_forget_answers AFTER UPDATE OF user_id ON holds
    FOR EACH ROW WHEN (OLD.user_id IS NOT NULL AND NEW.user_id IS NULL) EXECUTE FUNCTION forget_answers();
CREATE TRIGGER users_forget_answers AFTER DELETE ON users
    FOR EACH ROW EXECUTE FUNCTION forget_answers();
CREATE TRIGGER users_renamed AFTER UPDATE OF email, first_name, last_name, card ON users
    FOR EACH ROW WHEN (OLD.email <> NEW.email OR OLD.first_name <> NEW.first_name OR OLD.last_name <> NEW.last_name
        OR OLD.card IS DISTINCT FROM NEW.card) EXECUTE FUNCTION forget_answers_of_user();

DROP FUNCTION lock_tables;
