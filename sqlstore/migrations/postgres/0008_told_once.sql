-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;

-- What a transaction has changed is told once. The triggers of loans and of the
-- stock each told it, and noted their events, and that was half of what a loan
-- cost. A program that lends tells all of it by itself, at the end: it says so
-- beforehand with library.told, and the triggers leave it alone until the
-- transaction ends. For everybody else they work as before, so programs of the
-- version before can do all that they could.

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

SELECT lock_tables('books, loans, stock', 'EXCLUSIVE');
SELECT lock_tables('loans, stock', 'ACCESS EXCLUSIVE');

-- As before, and in fewer steps: what is told first need not be compared with
-- what was told.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION tell_changes(what TEXT[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    told TEXT := coalesce(current_setting('library.changed', true), '');
    this XID8;
    more TEXT;
BEGIN
    IF told LIKE '%*' THEN
        RETURN;
    END IF;
    -- - says that no book shows a change, so it is said only if there is nothing else.
    IF told = '' AND NOT '-' = ANY(what) THEN
        more := nullif(array_to_string(what, ' '), '');
    ELSIF cardinality(what) = 1 THEN
        IF what[1] <> '-' AND strpos(' ' || told || ' ', ' ' || what[1] || ' ') = 0 THEN
            more := what[1];
        END IF;
    ELSE
        SELECT string_agg(w, ' ') INTO more FROM (
            SELECT DISTINCT w FROM unnest(what) AS w WHERE w <> '-' AND strpos(' ' || told || ' ', ' ' || w || ' ') = 0) AS s;
    END IF;
    IF more IS NULL THEN
        IF told <> '' OR cardinality(what) = 0 THEN
            RETURN;
        END IF;
        more := '-';
    ELSIF length(told) + length(more) > 210 OR strpos(more, '*') > 0 THEN
        more := '*';
    END IF;
    this := pg_current_xact_id();
    IF told = '' THEN
        UPDATE revision SET changes = changes + 1, last = this,
            recent = ((changes + 1) || ' ' || more) || recent[1:CASE WHEN length(more) > 60 THEN 5 ELSE 15 END]
        WHERE part = this::text::bigint % 16;
        told := set_config('library.changed', more, true);
    ELSE
        UPDATE revision SET recent[1] = recent[1] || ' ' || more WHERE part = this::text::bigint % 16;
        told := set_config('library.changed', told || ' ' || more, true);
    END IF;
END
$$;
-- +goose StatementEnd

DROP TRIGGER loans_added ON loans;
CREATE TRIGGER loans_added AFTER INSERT ON loans REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT WHEN (current_setting('library.told', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION note_new_loans();

DROP TRIGGER loans_changed ON loans;
CREATE TRIGGER loans_changed AFTER UPDATE ON loans REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT WHEN (current_setting('library.told', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION note_moved_loans();

DROP TRIGGER loans_moved ON loans;
CREATE TRIGGER loans_moved AFTER UPDATE OF returned_at, due_at, renewals ON loans
    FOR EACH ROW WHEN (NEW.user_id IS NOT NULL
        AND (OLD.returned_at, OLD.due_at, OLD.renewals) IS DISTINCT FROM (NEW.returned_at, NEW.due_at, NEW.renewals)
        AND current_setting('library.told', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION note_loan();

DROP TRIGGER stock_changed ON stock;
CREATE TRIGGER stock_changed AFTER UPDATE ON stock REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT WHEN (current_setting('library.told', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION note_stock();

DROP FUNCTION lock_tables;
