-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;

-- Which books each transaction has changed, for programs that keep answers about
-- books: those that show other books stay good.
--
-- A row of revision is held from the first change of a transaction to its end, so
-- the transactions of one row follow each other, and their numbers are without
-- gaps. Beside its number a row keeps what the last sixteen of them have changed:
-- books, by the last twelve characters of their identifiers, * for everything, or
-- - for what no book shows. A reader who knows a row at number 40 and finds it at
-- 42 looks for 41 and 42. If one of them is not there, because it is too long ago
-- or was not told, everything may have changed.
--
-- Lending changes the books that it is about; whatever else is changed may be
-- seen anywhere. Programs of the version before may go on running, and may be
-- started anew: they read the sum of the numbers, which is what it was, and
-- triggers write for them.

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

-- Nobody is in the middle of a change: each is told in one way or the other.
SELECT lock_tables('users, books, loans, holds, copies, stock, policy, revision', 'ACCESS EXCLUSIVE');

ALTER TABLE revision ADD COLUMN recent TEXT[] COLLATE "C" NOT NULL DEFAULT '{}';

-- library.changed is what this transaction has told so far. It ends with the
-- transaction, and after a return to a savepoint it is what it was then, like the
-- row itself.
-- +goose StatementBegin
CREATE FUNCTION tell_change(what TEXT) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    told TEXT := current_setting('library.changed', true);
    this XID8;
BEGIN
    IF told <> '' AND (what = '-' OR what = told OR told LIKE '%*') THEN
        RETURN;
    END IF;
    this := pg_current_xact_id();
    IF told IS NULL OR told = '' THEN
        UPDATE revision SET changes = changes + 1, last = this, recent = ((changes + 1) || ' ' || what) || recent[1:15]
        WHERE part = this::text::bigint % 16;
        PERFORM set_config('library.changed', what, true);
        RETURN;
    END IF;
    IF strpos(' ' || told || ' ', ' ' || what || ' ') > 0 THEN
        RETURN;
    END IF;
    IF length(told) > 200 THEN
        what := '*'; -- to tell more of them would help nobody
    END IF;
    UPDATE revision SET recent[1] = recent[1] || ' ' || what WHERE part = this::text::bigint % 16;
    PERFORM set_config('library.changed', told || ' ' || what, true);
END
$$;
-- +goose StatementEnd

-- What the triggers on books, users and the policy call.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_change('*');
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- As before, but that it is told first: each copy would tell its book otherwise.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION stock_books() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_change('*');
    INSERT INTO stock (seq, copies, available)
    SELECT seq, first_copies, first_copies FROM added ORDER BY seq;
    INSERT INTO copies (book_id, created_at)
    SELECT a.id, a.created_at FROM added a CROSS JOIN LATERAL generate_series(1, a.first_copies) ORDER BY a.seq;
    INSERT INTO changes (kind, subject, borrowed, available)
    SELECT 'added', id, false, first_copies FROM added ORDER BY seq;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- For each of the other tables one trigger tells the change and makes the event of
-- it, where there were two or three.
DROP TRIGGER loans_changed ON loans;
DROP TRIGGER loans_opened ON loans;
DROP TRIGGER loans_moved ON loans;
DROP TRIGGER holds_changed ON holds;
DROP TRIGGER holds_placed ON holds;
DROP TRIGGER holds_moved ON holds;
DROP TRIGGER copies_changed ON copies;
DROP TRIGGER stock_changed ON stock;
DROP TRIGGER stock_happened ON stock;
DROP FUNCTION note_person;

CREATE TRIGGER loans_emptied AFTER TRUNCATE ON loans FOR EACH STATEMENT EXECUTE FUNCTION count_change();
CREATE TRIGGER holds_emptied AFTER TRUNCATE ON holds FOR EACH STATEMENT EXECUTE FUNCTION count_change();
CREATE TRIGGER copies_emptied AFTER TRUNCATE ON copies FOR EACH STATEMENT EXECUTE FUNCTION count_change();
CREATE TRIGGER stock_counted AFTER INSERT OR DELETE OR TRUNCATE ON stock FOR EACH STATEMENT EXECUTE FUNCTION count_change();

-- An open loan and an active hold are shown with their book, past ones are not.
-- What happens to a person's loan or hold is told to that person.
-- +goose StatementBegin
CREATE FUNCTION note_loan() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM tell_change(coalesce(right(NEW.book_id, 12), '*'));
        IF NEW.user_id IS NOT NULL THEN
            INSERT INTO changes (kind, subject, borrowed, person) VALUES ('loan', NEW.id, false, NEW.user_id);
        END IF;
        RETURN NULL;
    END IF;
    PERFORM tell_change(CASE WHEN OLD.returned_at IS NOT NULL THEN '-' ELSE coalesce(right(OLD.book_id, 12), '*') END);
    IF TG_OP = 'DELETE' THEN
        RETURN NULL;
    END IF;
    PERFORM tell_change(CASE WHEN NEW.returned_at IS NOT NULL THEN '-' ELSE coalesce(right(NEW.book_id, 12), '*') END);
    IF NEW.user_id IS NOT NULL
        AND (OLD.returned_at, OLD.due_at, OLD.renewals) IS DISTINCT FROM (NEW.returned_at, NEW.due_at, NEW.renewals) THEN
        INSERT INTO changes (kind, subject, borrowed, person) VALUES ('loan', NEW.id, false, NEW.user_id);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER loans_changed AFTER INSERT OR UPDATE OR DELETE ON loans
    FOR EACH ROW EXECUTE FUNCTION note_loan();

-- +goose StatementBegin
CREATE FUNCTION note_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM tell_change(coalesce(right(NEW.book_id, 12), '*'));
        IF NEW.user_id IS NOT NULL THEN
            INSERT INTO changes (kind, subject, borrowed, person) VALUES ('hold', NEW.id, false, NEW.user_id);
        END IF;
        RETURN NULL;
    END IF;
    PERFORM tell_change(CASE WHEN OLD.ended_at IS NOT NULL THEN '-' ELSE coalesce(right(OLD.book_id, 12), '*') END);
    IF TG_OP = 'DELETE' THEN
        RETURN NULL;
    END IF;
    PERFORM tell_change(CASE WHEN NEW.ended_at IS NOT NULL THEN '-' ELSE coalesce(right(NEW.book_id, 12), '*') END);
    IF NEW.user_id IS NOT NULL
        AND (OLD.state, OLD.copy_id, OLD.until_at) IS DISTINCT FROM (NEW.state, NEW.copy_id, NEW.until_at) THEN
        INSERT INTO changes (kind, subject, borrowed, person) VALUES ('hold', NEW.id, false, NEW.user_id);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER holds_changed AFTER INSERT OR UPDATE OR DELETE ON holds
    FOR EACH ROW EXECUTE FUNCTION note_hold();

-- +goose StatementBegin
CREATE FUNCTION note_copy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM tell_change(right(OLD.book_id, 12));
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM tell_change(right(NEW.book_id, 12));
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER copies_changed AFTER INSERT OR UPDATE OR DELETE ON copies
    FOR EACH ROW EXECUTE FUNCTION note_copy();

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_stock() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    book TEXT;
BEGIN
    SELECT id INTO book FROM books WHERE seq = NEW.seq;
    PERFORM tell_change(coalesce(right(book, 12), '*'));
    IF NEW.happened <> '' THEN
        INSERT INTO changes (kind, subject, borrowed, available) VALUES (NEW.happened, book, NEW.borrowed, NEW.available);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER stock_changed AFTER UPDATE ON stock
    FOR EACH ROW EXECUTE FUNCTION note_stock();

DROP FUNCTION lock_tables;
