-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;

-- Lending costs PostgreSQL less, above all where several loans are made by one
-- statement. Programs of the version before can do all that they could.

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

-- Nobody lends from here on: each loan begins with a lock on its book.
SELECT lock_tables('books, loans, stock', 'EXCLUSIVE');

-- The open loan of a copy is found however often the copy was lent before,
-- whichever index the planner takes.
CREATE INDEX loans_by_copy_7 ON loans (copy_id, returned_at);

-- Nobody reads loans from here on.
SELECT lock_tables('loans, stock', 'ACCESS EXCLUSIVE');

DROP INDEX loans_by_copy;
ALTER INDEX loans_by_copy_7 RENAME TO loans_by_copy;

-- As tell_change, for all that a statement has changed. The row of the revision
-- stays below two kilobytes, from where on it would be compressed at each change:
-- after a transaction that has much to tell, fewer of those before it are kept.
-- +goose StatementBegin
CREATE FUNCTION tell_changes(what TEXT[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    told TEXT := coalesce(current_setting('library.changed', true), '');
    this XID8;
    more TEXT;
BEGIN
    IF told LIKE '%*' THEN
        RETURN;
    END IF;
    -- - says that no book shows a change, so it is said only if there is nothing else.
    IF cardinality(what) = 1 THEN
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
        PERFORM set_config('library.changed', more, true);
    ELSE
        UPDATE revision SET recent[1] = recent[1] || ' ' || more WHERE part = this::text::bigint % 16;
        PERFORM set_config('library.changed', told || ' ' || more, true);
    END IF;
END
$$;
-- +goose StatementEnd

-- The triggers of loans and of the stock work once for a statement.
DROP TRIGGER loans_changed ON loans;

-- +goose StatementBegin
CREATE FUNCTION note_new_loans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changes(ARRAY(SELECT coalesce(right(book_id, 12), '*') FROM added));
    INSERT INTO changes (kind, subject, borrowed, person)
    SELECT 'loan', id, false, user_id FROM added WHERE user_id IS NOT NULL;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER loans_added AFTER INSERT ON loans REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION note_new_loans();

-- +goose StatementBegin
CREATE FUNCTION note_moved_loans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changes(ARRAY(
        SELECT CASE WHEN returned_at IS NOT NULL THEN '-' ELSE coalesce(right(book_id, 12), '*') END FROM before
        UNION ALL
        SELECT CASE WHEN returned_at IS NOT NULL THEN '-' ELSE coalesce(right(book_id, 12), '*') END FROM after));
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER loans_changed AFTER UPDATE ON loans REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_moved_loans();

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_loan() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM tell_change(CASE WHEN OLD.returned_at IS NOT NULL THEN '-' ELSE coalesce(right(OLD.book_id, 12), '*') END);
    ELSE
        INSERT INTO changes (kind, subject, borrowed, person) VALUES ('loan', NEW.id, false, NEW.user_id);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER loans_deleted AFTER DELETE ON loans
    FOR EACH ROW EXECUTE FUNCTION note_loan();
CREATE TRIGGER loans_moved AFTER UPDATE OF returned_at, due_at, renewals ON loans
    FOR EACH ROW WHEN (NEW.user_id IS NOT NULL
        AND (OLD.returned_at, OLD.due_at, OLD.renewals) IS DISTINCT FROM (NEW.returned_at, NEW.due_at, NEW.renewals))
    EXECUTE FUNCTION note_loan();

DROP TRIGGER stock_changed ON stock;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_stock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changes(ARRAY(
        SELECT coalesce(right(b.id, 12), '*') FROM after a
            LEFT JOIN LATERAL (SELECT id FROM books WHERE seq = a.seq OFFSET 0) b ON true));
    INSERT INTO changes (kind, subject, borrowed, available)
    SELECT a.happened, b.id, a.borrowed, a.available FROM after a
        CROSS JOIN LATERAL (SELECT id FROM books WHERE seq = a.seq OFFSET 0) b
    WHERE a.happened <> '';
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER stock_changed AFTER UPDATE ON stock REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_stock();

DROP FUNCTION lock_tables;
