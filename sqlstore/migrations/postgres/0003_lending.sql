-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;

-- Copies, due dates, holds and the policy. Every book becomes a book with one
-- copy, and every loan a loan of that copy. An old loan gets no due date, so
-- that nobody becomes overdue by an upgrade.
--
-- Programs of the version before may go on running next to this schema:
--   * They read, list, add, import and edit books and users, delete them, and
--     take books back. A trigger does for their returns what newer programs do
--     themselves; if somebody waits for the book, a newer program serves the
--     queue soon after.
--   * They cannot lend: their statement names an index that is gone, and fails
--     without harm. Nor can they delete a book or a user with an active hold.
--   * A book of which two copies are lent is in their lists twice, and they
--     know one of the loans only.
-- A program of that version that is started anew refuses to run.
--
-- What takes long comes first and keeps only writers waiting. What keeps
-- readers waiting comes last, and is quick however many records there are.

-- Takes locks that others may want in another order. Whoever waits for one lock
-- with another in hand may be waited for; so the wait is short, and nothing is
-- held between two attempts. Deadlocks are looked for after a second only.
-- +goose StatementBegin
CREATE FUNCTION lock_tables(tables TEXT, mode TEXT, attempts INT) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    usual TEXT := current_setting('lock_timeout');
BEGIN
    PERFORM set_config('lock_timeout', '300ms', true);
    FOR attempt IN 1..attempts LOOP
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

-- Nobody writes, or locks a record, from here on. Those who read go on.
SELECT lock_tables('users, books, loans', 'EXCLUSIVE', 200);

-- What stands on the shelf and is lent.
CREATE TABLE copies (
    seq        BIGINT GENERATED ALWAYS AS IDENTITY,
    id         TEXT COLLATE "C" NOT NULL DEFAULT gen_random_uuid()::text,
    book_id    TEXT COLLATE "C" NOT NULL,
    barcode    TEXT COLLATE "C",
    shelf      TEXT COLLATE "C" NOT NULL DEFAULT '',
    note       TEXT COLLATE "C" NOT NULL DEFAULT '',
    state      TEXT COLLATE "C" NOT NULL DEFAULT 'lendable'
        CONSTRAINT copies_state CHECK (state IN ('lendable', 'reference', 'damaged', 'lost')),
    created_at BIGINT NOT NULL,
    version    TEXT COLLATE "C" NOT NULL DEFAULT substr(md5(gen_random_uuid()::text), 1, 16)
);

INSERT INTO copies (book_id, created_at) SELECT id, created_at FROM books ORDER BY seq;

-- Keys and indexes are made when the records are there, which is much faster.
ALTER TABLE copies
    ADD CONSTRAINT copies_pkey PRIMARY KEY (seq),
    ADD CONSTRAINT copies_id UNIQUE (id),
    ADD CONSTRAINT copies_barcode UNIQUE (barcode),
    ADD CONSTRAINT copies_book FOREIGN KEY (book_id) REFERENCES books (id) ON DELETE CASCADE;
CREATE INDEX copies_by_book ON copies (book_id, seq);

-- The loans move into a table of a new form. To change every record of the old
-- one would take longer, and keep readers out.
CREATE TABLE loans_3 (
    id           TEXT COLLATE "C" NOT NULL,
    book_id      TEXT COLLATE "C",
    book_title   TEXT COLLATE "C" NOT NULL,              -- stays when the book is deleted
    book_authors TEXT COLLATE "C" NOT NULL DEFAULT '[]', -- JSON array of strings, stays too
    copy_id      TEXT COLLATE "C",
    user_id      TEXT COLLATE "C",
    borrowed_at  BIGINT NOT NULL,
    due_at       BIGINT,                                 -- NULL: no due date
    returned_at  BIGINT,
    renewals     INT NOT NULL DEFAULT 0,
    -- Programs that know copies add one with each change. A return that does not
    -- was made by an older program: see loans_closed.
    version      INT NOT NULL DEFAULT 0
);

INSERT INTO loans_3 (id, book_id, book_title, book_authors, copy_id, user_id, borrowed_at, returned_at)
SELECT l.id, l.book_id, l.book_title, coalesce(b.authors, '[]'), c.id, l.user_id, l.borrowed_at, l.returned_at
FROM loans l LEFT JOIN books b ON b.id = l.book_id LEFT JOIN copies c ON c.book_id = l.book_id
ORDER BY l.borrowed_at;

ALTER TABLE loans_3
    ADD CONSTRAINT loans_3_id PRIMARY KEY (id),
    -- Neither a lent copy, nor its book, nor its borrower can be deleted.
    ADD CONSTRAINT loans_open_is_complete
        CHECK (returned_at IS NOT NULL OR (book_id IS NOT NULL AND copy_id IS NOT NULL AND user_id IS NOT NULL)),
    ADD CONSTRAINT loans_book FOREIGN KEY (book_id) REFERENCES books (id) ON DELETE SET NULL,
    ADD CONSTRAINT loans_copy FOREIGN KEY (copy_id) REFERENCES copies (id) ON DELETE SET NULL,
    ADD CONSTRAINT loans_user FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE SET NULL;
-- A copy has at most one open loan, and a person at most one of one book.
CREATE UNIQUE INDEX loans_one_open_per_copy ON loans_3 (copy_id) WHERE returned_at IS NULL;
CREATE UNIQUE INDEX loans_one_open_per_reader ON loans_3 (book_id, user_id) WHERE returned_at IS NULL;
-- For lists: open loans by due date, those without one last; past ones by return.
CREATE INDEX loans_open_by_due ON loans_3 (coalesce(due_at, 9223372036854775807), id) WHERE returned_at IS NULL;
CREATE INDEX loans_returned ON loans_3 (returned_at, id) WHERE returned_at IS NOT NULL;
-- For statistics.
CREATE INDEX loans_by_borrowing ON loans_3 (borrowed_at);
-- For the worker: past loans that still know the person.
CREATE INDEX loans_remembered ON loans_3 (returned_at) WHERE returned_at IS NOT NULL AND user_id IS NOT NULL;
-- For the open loans of a book or a user, however long the past is, and for the
-- foreign keys: deleting one of them, or a copy, looks for its loans.
CREATE INDEX loans_by_book_3 ON loans_3 (book_id, returned_at);
CREATE INDEX loans_by_copy ON loans_3 (copy_id);
CREATE INDEX loans_by_user_3 ON loans_3 (user_id, returned_at);

-- A place in a book's queue; seq is the order in which people asked.
CREATE TABLE holds (
    seq          BIGINT GENERATED ALWAYS AS IDENTITY CONSTRAINT holds_pkey PRIMARY KEY,
    id           TEXT COLLATE "C" NOT NULL CONSTRAINT holds_id UNIQUE,
    book_id      TEXT COLLATE "C" CONSTRAINT holds_book REFERENCES books (id) ON DELETE SET NULL,
    book_title   TEXT COLLATE "C" NOT NULL,
    book_authors TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    user_id      TEXT COLLATE "C" CONSTRAINT holds_user REFERENCES users (id) ON DELETE SET NULL,
    state        TEXT COLLATE "C" NOT NULL
        CONSTRAINT holds_state CHECK (state IN ('waiting', 'ready', 'fulfilled', 'cancelled', 'expired')),
    copy_id      TEXT COLLATE "C" CONSTRAINT holds_copy REFERENCES copies (id),
    until_at     BIGINT,
    created_at   BIGINT NOT NULL,
    ended_at     BIGINT,
    -- A hold has a copy, and a last day, while it is ready and only then.
    CONSTRAINT holds_ready_has_copy
        CHECK ((state = 'ready') = (copy_id IS NOT NULL) AND (state = 'ready') = (until_at IS NOT NULL)),
    CONSTRAINT holds_ended_has_end CHECK ((state IN ('waiting', 'ready')) = (ended_at IS NULL)),
    -- Neither a book that somebody waits for nor that person can be deleted.
    CONSTRAINT holds_active_is_complete
        CHECK (ended_at IS NOT NULL OR (book_id IS NOT NULL AND user_id IS NOT NULL))
);

-- A person has at most one active hold of a book, and a copy is set aside once.
CREATE UNIQUE INDEX holds_one_active_per_reader ON holds (book_id, user_id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX holds_one_per_copy ON holds (copy_id) WHERE copy_id IS NOT NULL;
-- For lists: active ones by book and place in the queue, past ones by end.
CREATE INDEX holds_active ON holds (book_id, seq) WHERE ended_at IS NULL;
CREATE INDEX holds_ended ON holds (ended_at, id) WHERE ended_at IS NOT NULL;
-- For the worker: what expires next, and past holds that still know the person.
CREATE INDEX holds_expiring ON holds (until_at) WHERE until_at IS NOT NULL;
CREATE INDEX holds_remembered ON holds (ended_at) WHERE ended_at IS NOT NULL AND user_id IS NOT NULL;
-- For the queue of a book, the active holds of a user, and the foreign keys.
CREATE INDEX holds_by_book ON holds (book_id, ended_at, seq);
CREATE INDEX holds_by_user ON holds (user_id, ended_at);

-- What a list of books says of each, counted when it changes and not when it is
-- read. A program writes it once for each of its decisions, after all else, and
-- says what happened: a trigger makes that an event, with the state after it.
CREATE TABLE stock (
    seq       BIGINT  NOT NULL,              -- of the book
    copies    INT     NOT NULL,              -- those that can be lent at all
    available INT     NOT NULL,              -- those that somebody without a hold may have
    waiting   INT     NOT NULL DEFAULT 0,    -- people whose hold is waiting
    lent      INT     NOT NULL DEFAULT 0,    -- open loans, also of copies that are lost or damaged
    ready     INT     NOT NULL DEFAULT 0,    -- copies that are set aside
    borrowed  BOOLEAN NOT NULL DEFAULT false, -- there is a lendable copy, and all of them are with somebody
    due_at    BIGINT,                        -- when none is available: when the next lent one is due
    happened  TEXT COLLATE "C" NOT NULL DEFAULT '', -- borrowed, returned or changed; '' is no event
    CONSTRAINT stock_is_a_count CHECK (copies >= 0 AND available >= 0 AND waiting >= 0 AND lent >= 0 AND ready >= 0)
) WITH (fillfactor = 70);

INSERT INTO stock (seq, copies, available, lent, borrowed)
SELECT b.seq, 1, CASE WHEN l.id IS NULL THEN 1 ELSE 0 END, CASE WHEN l.id IS NULL THEN 0 ELSE 1 END, l.id IS NOT NULL
FROM books b LEFT JOIN loans_3 l ON l.book_id = b.id AND l.returned_at IS NULL
ORDER BY b.seq;

ALTER TABLE stock
    ADD CONSTRAINT stock_pkey PRIMARY KEY (seq),
    ADD CONSTRAINT stock_book FOREIGN KEY (seq) REFERENCES books (seq) ON DELETE CASCADE;
-- For filters and counts: what is rare in a library.
CREATE INDEX stock_borrowed ON stock (seq) WHERE borrowed;
CREATE INDEX stock_not_available ON stock (seq) WHERE available = 0;
CREATE INDEX stock_waiting ON stock (seq) WHERE waiting > 0;

-- The library's rules, one record.
CREATE TABLE policy (
    number          INT     NOT NULL DEFAULT 1 CONSTRAINT policy_pkey PRIMARY KEY CONSTRAINT policy_is_one CHECK (number = 1),
    loan_days       INT     NOT NULL DEFAULT 28,
    renewals        INT     NOT NULL DEFAULT 2,
    max_loans       INT     NOT NULL DEFAULT 0,
    max_holds       INT     NOT NULL DEFAULT 0,
    block_overdue   BOOLEAN NOT NULL DEFAULT false,
    hold_days       INT     NOT NULL DEFAULT 7,
    history_days    INT     DEFAULT 365, -- NULL: the past is kept
    time_zone       TEXT COLLATE "C" NOT NULL DEFAULT 'UTC',
    closed_weekdays TEXT COLLATE "C" NOT NULL DEFAULT '[]',        -- JSON array of strings
    closed_dates    TEXT COLLATE "C" NOT NULL DEFAULT '[]',        -- JSON array of strings
    due_soon_days   INT     NOT NULL DEFAULT 3,
    overdue_days    TEXT COLLATE "C" NOT NULL DEFAULT '[1, 7, 21]', -- JSON array of numbers
    version         TEXT COLLATE "C" NOT NULL DEFAULT '1'
);
INSERT INTO policy DEFAULT VALUES;

ANALYZE copies, loans_3, stock;

-- Nobody reads from here on. Those who write are waiting already: if somebody goes
-- on reading, all is given up for now, so that they do not wait for long.
SELECT lock_tables('books, loans, users, changes', 'ACCESS EXCLUSIVE', 4);

DROP TABLE loans;
ALTER TABLE loans_3 RENAME TO loans;
ALTER TABLE loans RENAME CONSTRAINT loans_3_id TO loans_id;
ALTER INDEX loans_by_book_3 RENAME TO loans_by_book;
ALTER INDEX loans_by_user_3 RENAME TO loans_by_user;

-- How many copies a book begins with. Later, the copies themselves count.
ALTER TABLE books ADD COLUMN first_copies INT NOT NULL DEFAULT 1
    CONSTRAINT books_first_copies CHECK (first_copies BETWEEN 0 AND 999);

ALTER TABLE users
    ADD COLUMN card TEXT COLLATE "C" CONSTRAINT users_card UNIQUE,
    ADD COLUMN locale TEXT COLLATE "C" NOT NULL DEFAULT 'en',
    ADD COLUMN reminders BOOLEAN NOT NULL DEFAULT true;

-- Changes that concern one person: kind is loan or hold, subject that record. The
-- number of the transaction is worked out as before (see the migration before).
ALTER TABLE changes
    ADD COLUMN available INT NOT NULL DEFAULT 0,
    ADD COLUMN person TEXT COLLATE "C",
    ALTER COLUMN major SET DEFAULT
        greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1);
CREATE INDEX changes_of_person ON changes (person, subject) WHERE person IS NOT NULL;

CREATE TRIGGER copies_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON copies
    FOR EACH STATEMENT EXECUTE FUNCTION count_change();
CREATE TRIGGER loans_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON loans
    FOR EACH STATEMENT EXECUTE FUNCTION count_change();
CREATE TRIGGER holds_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON holds
    FOR EACH STATEMENT EXECUTE FUNCTION count_change();
CREATE TRIGGER stock_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON stock
    FOR EACH STATEMENT EXECUTE FUNCTION count_change();
CREATE TRIGGER policy_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON policy
    FOR EACH STATEMENT EXECUTE FUNCTION count_change();

-- A new book gets its stock and its copies, whoever adds it.
DROP TRIGGER books_added ON books;
-- +goose StatementBegin
CREATE FUNCTION stock_books() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
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
CREATE TRIGGER books_added AFTER INSERT ON books REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION stock_books();

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO changes (kind, subject, borrowed) VALUES (TG_ARGV[0], OLD.id, false);
    ELSE
        INSERT INTO changes (kind, subject, borrowed) VALUES (TG_ARGV[0], NEW.id, false);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

DROP TRIGGER books_edited ON books;
-- +goose StatementBegin
CREATE FUNCTION note_edit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO changes (kind, subject, borrowed, available)
    SELECT 'edited', NEW.id, s.borrowed, s.available FROM stock s WHERE s.seq = NEW.seq;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER books_edited AFTER UPDATE ON books
    FOR EACH ROW EXECUTE FUNCTION note_edit();

-- Loans and holds are shown under the title of their book, which they keep when
-- the book is deleted.
-- +goose StatementBegin
CREATE FUNCTION rename_book() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE loans SET book_title = NEW.title, book_authors = NEW.authors WHERE book_id = NEW.id;
    UPDATE holds SET book_title = NEW.title, book_authors = NEW.authors WHERE book_id = NEW.id;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER books_renamed AFTER UPDATE OF title, authors ON books
    FOR EACH ROW WHEN ((OLD.title, OLD.authors) IS DISTINCT FROM (NEW.title, NEW.authors)) EXECUTE FUNCTION rename_book();

-- +goose StatementBegin
CREATE FUNCTION note_stock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO changes (kind, subject, borrowed, available)
    SELECT NEW.happened, b.id, NEW.borrowed, NEW.available FROM books b WHERE b.seq = NEW.seq;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER stock_happened AFTER UPDATE ON stock
    FOR EACH ROW WHEN (NEW.happened <> '') EXECUTE FUNCTION note_stock();

-- What happens to a person's loan or hold is told to that person.
-- +goose StatementBegin
CREATE FUNCTION note_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO changes (kind, subject, borrowed, person) VALUES (TG_ARGV[0], NEW.id, false, NEW.user_id);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER loans_opened AFTER INSERT ON loans
    FOR EACH ROW WHEN (NEW.user_id IS NOT NULL) EXECUTE FUNCTION note_person('loan');
CREATE TRIGGER loans_moved AFTER UPDATE OF returned_at, due_at, renewals ON loans
    FOR EACH ROW WHEN (NEW.user_id IS NOT NULL
        AND (OLD.returned_at, OLD.due_at, OLD.renewals) IS DISTINCT FROM (NEW.returned_at, NEW.due_at, NEW.renewals))
    EXECUTE FUNCTION note_person('loan');
CREATE TRIGGER holds_placed AFTER INSERT ON holds
    FOR EACH ROW WHEN (NEW.user_id IS NOT NULL) EXECUTE FUNCTION note_person('hold');
CREATE TRIGGER holds_moved AFTER UPDATE OF state, copy_id, until_at ON holds
    FOR EACH ROW WHEN (NEW.user_id IS NOT NULL
        AND (OLD.state, OLD.copy_id, OLD.until_at) IS DISTINCT FROM (NEW.state, NEW.copy_id, NEW.until_at))
    EXECUTE FUNCTION note_person('hold');

-- When a loan or a hold forgets the person, so does its history.
-- +goose StatementBegin
CREATE FUNCTION forget_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE changes SET person = NULL WHERE person = OLD.user_id AND subject = NEW.id;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER loans_forgotten AFTER UPDATE OF user_id ON loans
    FOR EACH ROW WHEN (OLD.user_id IS NOT NULL AND NEW.user_id IS NULL) EXECUTE FUNCTION forget_person();
CREATE TRIGGER holds_forgotten AFTER UPDATE OF user_id ON holds
    FOR EACH ROW WHEN (OLD.user_id IS NOT NULL AND NEW.user_id IS NULL) EXECUTE FUNCTION forget_person();

-- A copy that is set aside is lent to nobody else, and one that is lent is not
-- set aside. The copy is locked before the other table is looked at: of two
-- transactions that want it, the second sees what the first has done.
-- +goose StatementBegin
CREATE FUNCTION check_copy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM copies WHERE id = NEW.copy_id AND book_id = NEW.book_id FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the book has no such copy' USING ERRCODE = 'check_violation', CONSTRAINT = 'copy_of_the_book';
    END IF;
    IF TG_TABLE_NAME = 'loans' THEN
        IF EXISTS (SELECT 1 FROM holds WHERE copy_id = NEW.copy_id AND user_id <> NEW.user_id) THEN
            RAISE EXCEPTION 'the copy is set aside for somebody else'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'copy_is_set_aside';
        END IF;
    ELSIF EXISTS (SELECT 1 FROM loans WHERE copy_id = NEW.copy_id AND returned_at IS NULL) THEN
        RAISE EXCEPTION 'the copy is lent' USING ERRCODE = 'check_violation', CONSTRAINT = 'copy_is_lent';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER loans_check_copy BEFORE INSERT ON loans
    FOR EACH ROW WHEN (NEW.returned_at IS NULL AND NEW.copy_id IS NOT NULL) EXECUTE FUNCTION check_copy();
CREATE TRIGGER loans_check_other_copy BEFORE UPDATE OF copy_id, book_id, user_id, returned_at ON loans
    FOR EACH ROW WHEN (NEW.returned_at IS NULL AND NEW.copy_id IS NOT NULL
        AND (OLD.copy_id, OLD.book_id, OLD.user_id, OLD.returned_at) IS DISTINCT FROM (NEW.copy_id, NEW.book_id, NEW.user_id, NEW.returned_at))
    EXECUTE FUNCTION check_copy();
CREATE TRIGGER holds_check_copy BEFORE INSERT ON holds
    FOR EACH ROW WHEN (NEW.copy_id IS NOT NULL) EXECUTE FUNCTION check_copy();
CREATE TRIGGER holds_check_other_copy BEFORE UPDATE OF copy_id, book_id, user_id ON holds
    FOR EACH ROW WHEN (NEW.copy_id IS NOT NULL
        AND (OLD.copy_id, OLD.book_id, OLD.user_id) IS DISTINCT FROM (NEW.copy_id, NEW.book_id, NEW.user_id))
    EXECUTE FUNCTION check_copy();

-- A return by an older program, which leaves the version as it is. The queue is
-- left to a newer program; until then nobody may have what others wait for.
-- +goose StatementBegin
CREATE FUNCTION count_return() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE stock SET
        copies = n.copies, lent = n.lent, available = n.available, happened = 'returned',
        borrowed = n.copies > 0 AND n.copies = n.lendable_lent,
        due_at = CASE WHEN n.available = 0 THEN n.due_at END
    FROM (
        SELECT b.seq, count(*) FILTER (WHERE c.state = 'lendable') AS copies, count(l.id) AS lent,
            count(l.id) FILTER (WHERE c.state = 'lendable') AS lendable_lent, min(l.due_at) FILTER (WHERE c.state = 'lendable') AS due_at,
            greatest(0, count(*) FILTER (WHERE c.state = 'lendable' AND l.id IS NULL AND h.id IS NULL)
                - (SELECT count(*) FROM holds WHERE book_id = NEW.book_id AND state = 'waiting')) AS available
        FROM books b JOIN copies c ON c.book_id = b.id
            LEFT JOIN loans l ON l.copy_id = c.id AND l.returned_at IS NULL
            LEFT JOIN holds h ON h.copy_id = c.id
        WHERE b.id = NEW.book_id GROUP BY b.seq
    ) AS n
    WHERE stock.seq = n.seq;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER loans_closed AFTER UPDATE OF returned_at ON loans
    FOR EACH ROW WHEN (OLD.returned_at IS NULL AND NEW.returned_at IS NOT NULL AND OLD.version = NEW.version)
    EXECUTE FUNCTION count_return();

DROP FUNCTION lock_tables;
