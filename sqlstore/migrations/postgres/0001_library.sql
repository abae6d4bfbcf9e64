-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;
-- +goose StatementBegin

-- The library on PostgreSQL. COLLATE "C" compares byte by byte, so that lists have the
-- same order on every server, whatever its locale, and on SQLite. Times are microseconds
-- since 1970, UTC.

-- Which programs can work with this schema: those that know the migration down_to.
-- README.md says when a migration raises it.
CREATE TABLE schema_compatibility (down_to INT NOT NULL);
INSERT INTO schema_compatibility (down_to) VALUES (1);

-- ---------------------------------------------------------------- books and users

CREATE TABLE books (
    seq          BIGINT GENERATED ALWAYS AS IDENTITY CONSTRAINT books_pkey PRIMARY KEY,
    id           TEXT COLLATE "C" NOT NULL CONSTRAINT books_id UNIQUE,
    isbn         TEXT COLLATE "C" NOT NULL,
    isbn_key     TEXT COLLATE "C" NOT NULL,
    title        TEXT COLLATE "C" NOT NULL,
    title_key    TEXT COLLATE "C" NOT NULL,
    description  TEXT COLLATE "C" NOT NULL,
    authors      TEXT COLLATE "C" NOT NULL, -- JSON array of strings
    created_at   BIGINT NOT NULL,
    version      TEXT COLLATE "C" NOT NULL,
    search_words TEXT COLLATE "C" NOT NULL, -- folded words, one space between two
    author_words TEXT COLLATE "C" NOT NULL,
    -- The program makes the words. An array of them becomes a tsvector as it is, without
    -- PostgreSQL's own rules about words.
    search        tsvector NOT NULL GENERATED ALWAYS AS (array_to_tsvector(string_to_array(search_words, ' '))) STORED,
    author_search tsvector NOT NULL GENERATED ALWAYS AS (array_to_tsvector(string_to_array(author_words, ' '))) STORED,
    first_copies INT NOT NULL DEFAULT 1 -- how many copies it begins with; later, the copies themselves count
        CONSTRAINT books_first_copies CHECK (first_copies BETWEEN 0 AND 999)
);
CREATE INDEX books_by_title ON books (title_key, title, id);
CREATE INDEX books_by_creation ON books (created_at, id);
CREATE INDEX books_by_isbn ON books (isbn_key) WHERE isbn_key <> '';
-- Without fastupdate: a list of pending entries would make searches slow until the next
-- vacuum, and books are looked for more often than they are added.
CREATE INDEX books_search ON books USING gin (search) WITH (fastupdate = off);
CREATE INDEX books_author_search ON books USING gin (author_search) WITH (fastupdate = off);

CREATE TABLE users (
    seq            BIGINT GENERATED ALWAYS AS IDENTITY CONSTRAINT users_pkey PRIMARY KEY,
    id             TEXT COLLATE "C" NOT NULL CONSTRAINT users_id UNIQUE,
    email          TEXT COLLATE "C" NOT NULL,
    email_key      TEXT COLLATE "C" NOT NULL CONSTRAINT users_email_key UNIQUE,
    first_name     TEXT COLLATE "C" NOT NULL,
    first_name_key TEXT COLLATE "C" NOT NULL,
    last_name      TEXT COLLATE "C" NOT NULL,
    last_name_key  TEXT COLLATE "C" NOT NULL,
    roles          TEXT COLLATE "C" NOT NULL, -- JSON array of strings
    card           TEXT COLLATE "C" CONSTRAINT users_card UNIQUE,
    locale         TEXT COLLATE "C" NOT NULL DEFAULT 'en',
    reminders      BOOLEAN NOT NULL DEFAULT true,
    created_at     BIGINT NOT NULL,
    version        TEXT COLLATE "C" NOT NULL,
    search_words   TEXT COLLATE "C" NOT NULL,
    search tsvector NOT NULL GENERATED ALWAYS AS (array_to_tsvector(string_to_array(search_words, ' '))) STORED
);
CREATE INDEX users_by_name ON users (last_name_key, first_name_key, last_name, first_name, id);
CREATE INDEX users_search ON users USING gin (search) WITH (fastupdate = off);

-- By which rules the words of books and users were made. A program with newer rules
-- makes them again, once.
CREATE TABLE search_index (version INT NOT NULL);
INSERT INTO search_index (version) VALUES (1);

-- ---------------------------------------------------------------- copies, loans, holds

-- What stands on the shelf and is lent.
CREATE TABLE copies (
    seq        BIGINT GENERATED ALWAYS AS IDENTITY CONSTRAINT copies_pkey PRIMARY KEY,
    id         TEXT COLLATE "C" NOT NULL DEFAULT gen_random_uuid()::text CONSTRAINT copies_id UNIQUE,
    book_id    TEXT COLLATE "C" NOT NULL CONSTRAINT copies_book REFERENCES books (id) ON DELETE CASCADE,
    barcode    TEXT COLLATE "C" CONSTRAINT copies_barcode UNIQUE,
    shelf      TEXT COLLATE "C" NOT NULL DEFAULT '',
    note       TEXT COLLATE "C" NOT NULL DEFAULT '',
    state      TEXT COLLATE "C" NOT NULL DEFAULT 'lendable'
        CONSTRAINT copies_state CHECK (state IN ('lendable', 'reference', 'damaged', 'lost')),
    created_at BIGINT NOT NULL,
    version    TEXT COLLATE "C" NOT NULL DEFAULT substr(md5(gen_random_uuid()::text), 1, 16)
);
CREATE INDEX copies_by_book ON copies (book_id, seq);

CREATE TABLE loans (
    id           TEXT COLLATE "C" NOT NULL CONSTRAINT loans_id PRIMARY KEY,
    book_id      TEXT COLLATE "C" CONSTRAINT loans_book REFERENCES books (id) ON DELETE SET NULL,
    book_title   TEXT COLLATE "C" NOT NULL,              -- stays when the book is deleted
    book_authors TEXT COLLATE "C" NOT NULL DEFAULT '[]', -- JSON array of strings, stays too
    copy_id      TEXT COLLATE "C" CONSTRAINT loans_copy REFERENCES copies (id) ON DELETE SET NULL,
    user_id      TEXT COLLATE "C" CONSTRAINT loans_user REFERENCES users (id) ON DELETE SET NULL,
    borrowed_at  BIGINT NOT NULL,
    due_at       BIGINT,                                 -- NULL: no due date
    returned_at  BIGINT,
    renewals     INT NOT NULL DEFAULT 0,
    -- Neither a lent copy, nor its book, nor its borrower can be deleted.
    CONSTRAINT loans_open_is_complete
        CHECK (returned_at IS NOT NULL OR (book_id IS NOT NULL AND copy_id IS NOT NULL AND user_id IS NOT NULL))
);
-- A copy has at most one open loan, and a person at most one of one book.
CREATE UNIQUE INDEX loans_one_open_per_copy ON loans (copy_id) WHERE returned_at IS NULL;
CREATE UNIQUE INDEX loans_one_open_per_reader ON loans (book_id, user_id) WHERE returned_at IS NULL;
-- For lists: open loans by due date, those without one last; past ones by return.
CREATE INDEX loans_open_by_due ON loans (coalesce(due_at, 9223372036854775807), id) WHERE returned_at IS NULL;
CREATE INDEX loans_returned ON loans (returned_at, id) WHERE returned_at IS NOT NULL;
-- For statistics.
CREATE INDEX loans_by_borrowing ON loans (borrowed_at);
-- For housekeeping: past loans that still know the person.
CREATE INDEX loans_remembered ON loans (returned_at) WHERE returned_at IS NOT NULL AND user_id IS NOT NULL;
-- For the open loans of a book, a copy or a user, however long the past is, and for the
-- foreign keys: deleting one of them looks for its loans.
CREATE INDEX loans_by_book ON loans (book_id, returned_at);
CREATE INDEX loans_by_copy ON loans (copy_id, returned_at);
CREATE INDEX loans_by_user ON loans (user_id, returned_at);

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
    fetched_at   BIGINT, -- when staff put the copy of a ready hold with those to be handed out
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
-- For housekeeping: what expires next, and past holds that still know the person.
CREATE INDEX holds_expiring ON holds (until_at) WHERE until_at IS NOT NULL;
CREATE INDEX holds_remembered ON holds (ended_at) WHERE ended_at IS NOT NULL AND user_id IS NOT NULL;
-- For the queue of a book, the active holds of a user, and the foreign keys.
CREATE INDEX holds_by_book ON holds (book_id, ended_at, seq);
CREATE INDEX holds_by_user ON holds (user_id, ended_at);

-- A copy that is set aside is lent to nobody else, and one that is lent is not set aside.
-- The copy is locked before the other table is looked at: of two transactions that want it,
-- the second sees what the first has done.
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
END $$;
CREATE TRIGGER loans_check_copy BEFORE INSERT ON loans
    FOR EACH ROW WHEN (NEW.returned_at IS NULL AND NEW.copy_id IS NOT NULL) EXECUTE FUNCTION check_copy();
CREATE TRIGGER loans_check_other_copy BEFORE UPDATE OF copy_id, book_id, user_id, returned_at ON loans
    FOR EACH ROW WHEN (NEW.returned_at IS NULL AND NEW.copy_id IS NOT NULL
        AND (OLD.copy_id, OLD.book_id, OLD.user_id, OLD.returned_at) IS DISTINCT FROM (NEW.copy_id, NEW.book_id, NEW.user_id, NEW.returned_at))
    EXECUTE FUNCTION check_copy();
CREATE TRIGGER holds_check_copy BEFORE INSERT ON holds FOR EACH ROW WHEN (NEW.copy_id IS NOT NULL) EXECUTE FUNCTION check_copy();
CREATE TRIGGER holds_check_other_copy BEFORE UPDATE OF copy_id, book_id, user_id ON holds
    FOR EACH ROW WHEN (NEW.copy_id IS NOT NULL
        AND (OLD.copy_id, OLD.book_id, OLD.user_id) IS DISTINCT FROM (NEW.copy_id, NEW.book_id, NEW.user_id))
    EXECUTE FUNCTION check_copy();

-- Loans and holds are shown under the title of their book, which they keep when the book
-- is deleted.
CREATE FUNCTION rename_book() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE loans SET book_title = NEW.title, book_authors = NEW.authors WHERE book_id = NEW.id;
    UPDATE holds SET book_title = NEW.title, book_authors = NEW.authors WHERE book_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER books_renamed AFTER UPDATE OF title, authors ON books
    FOR EACH ROW WHEN ((OLD.title, OLD.authors) IS DISTINCT FROM (NEW.title, NEW.authors)) EXECUTE FUNCTION rename_book();

-- ---------------------------------------------------------------- the policy

-- The library's rules, one record.
CREATE TABLE policy (
    number          INT     NOT NULL DEFAULT 1 CONSTRAINT policy_pkey PRIMARY KEY CONSTRAINT policy_is_one CHECK (number = 1),
    loan_days       INT     NOT NULL DEFAULT 28,
    renewals        INT     NOT NULL DEFAULT 2,
    max_loans       INT     NOT NULL DEFAULT 0,
    max_holds       INT     NOT NULL DEFAULT 0,
    block_overdue   BOOLEAN NOT NULL DEFAULT false,
    hold_days       INT     NOT NULL DEFAULT 7,
    history_days    INT     DEFAULT 365,                            -- NULL: the past is kept
    time_zone       TEXT COLLATE "C" NOT NULL DEFAULT 'UTC',
    closed_weekdays TEXT COLLATE "C" NOT NULL DEFAULT '[]',         -- JSON array of strings
    closed_dates    TEXT COLLATE "C" NOT NULL DEFAULT '[]',         -- JSON array of strings
    due_soon_days   INT     NOT NULL DEFAULT 3,
    overdue_days    TEXT COLLATE "C" NOT NULL DEFAULT '[1, 7, 21]', -- JSON array of numbers
    self_borrow     BOOLEAN NOT NULL DEFAULT true,                  -- false: only at the desk
    self_return     BOOLEAN NOT NULL DEFAULT true,
    version         TEXT COLLATE "C" NOT NULL DEFAULT '1'
);
INSERT INTO policy DEFAULT VALUES;

-- ---------------------------------------------------------------- the stock

-- What a list of books says of each, counted when it changes and not when it is read.
-- A program writes it once for each of its decisions, after all else, and says what
-- happened: a trigger makes that an event, with the state after it.
CREATE TABLE stock (
    seq       BIGINT  NOT NULL CONSTRAINT stock_pkey PRIMARY KEY CONSTRAINT stock_book REFERENCES books (seq) ON DELETE CASCADE,
    copies    INT     NOT NULL,               -- those that can be lent at all
    available INT     NOT NULL,               -- those that somebody without a hold may have
    waiting   INT     NOT NULL DEFAULT 0,     -- people whose hold is waiting
    lent      INT     NOT NULL DEFAULT 0,     -- open loans, also of copies that are lost or damaged
    ready     INT     NOT NULL DEFAULT 0,     -- copies that are set aside
    borrowed  BOOLEAN NOT NULL DEFAULT false, -- there is a lendable copy, and all of them are with somebody
    due_at    BIGINT,                         -- when none is available: when the next lent one is due
    happened  TEXT COLLATE "C" NOT NULL DEFAULT '',   -- borrowed, returned or changed; '' is no event
    shelves   TEXT COLLATE "C" NOT NULL DEFAULT '[]', -- of the lendable copies: each once, in no order, as a JSON array
    CONSTRAINT stock_is_a_count CHECK (copies >= 0 AND available >= 0 AND waiting >= 0 AND lent >= 0 AND ready >= 0)
) WITH (fillfactor = 70);
-- For filters and counts: what is rare in a library.
CREATE INDEX stock_borrowed ON stock (seq) WHERE borrowed;
CREATE INDEX stock_not_available ON stock (seq) WHERE available = 0;
CREATE INDEX stock_waiting ON stock (seq) WHERE waiting > 0;

-- A change of shelves is no event of its own: the program that changes a copy writes the
-- stock again afterwards.
CREATE FUNCTION shelve(changed TEXT[]) RETURNS void LANGUAGE sql AS $$
    UPDATE stock SET happened = '', shelves = coalesce((
        SELECT json_agg(DISTINCT shelf)::text FROM copies WHERE book_id = b.id AND state = 'lendable' AND shelf <> ''), '[]')
    FROM books b WHERE b.id = ANY(changed) AND stock.seq = b.seq
$$;
CREATE FUNCTION note_new_shelves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM added WHERE shelf <> '') THEN
        PERFORM shelve(ARRAY(SELECT DISTINCT book_id FROM added WHERE shelf <> ''));
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION note_shelf() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM shelve(ARRAY[OLD.book_id]); RETURN NULL; END $$;
CREATE TRIGGER copies_shelved AFTER INSERT ON copies REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_new_shelves();
CREATE TRIGGER copies_moved AFTER UPDATE OF shelf, state ON copies
    FOR EACH ROW WHEN (OLD.shelf <> NEW.shelf OR OLD.state <> NEW.state) EXECUTE FUNCTION note_shelf();
CREATE TRIGGER copies_unshelved AFTER DELETE ON copies FOR EACH ROW WHEN (OLD.shelf <> '') EXECUTE FUNCTION note_shelf();

-- ---------------------------------------------------------------- the revision, for caches

-- The revision of the library is the number of transactions that have changed it. It is
-- spread over sixteen rows, by the number of the transaction, so that writers do not queue
-- for one row; their sum grows with every commit, and only then.
--
-- A row is locked from the first change of a transaction to its end, so that the
-- transactions of one row follow each other and their numbers have no gaps. Beside its
-- number a row has what the last sixteen of them have changed: books, by the last twelve
-- characters of their identifiers, * for everything, or - for what no book shows. A reader
-- who knows a row at number 40 and finds it at 42 looks for 41 and 42. If one of them is not
-- there, everything may have changed. Lending changes the books that it is about; all other
-- changes may be seen anywhere.
CREATE TABLE revision (
    part    INT    NOT NULL CONSTRAINT revision_pkey PRIMARY KEY,
    changes BIGINT NOT NULL,
    recent  TEXT[] COLLATE "C" NOT NULL DEFAULT '{}'
) WITH (fillfactor = 10);
INSERT INTO revision (part, changes) SELECT part, 0 FROM generate_series(0, 15) AS part;

-- Notes what a statement has changed. library.changed is what this transaction has noted so
-- far; it ends with the transaction, and after a return to a savepoint it is what it was
-- then, like the row itself. The row stays below two kilobytes, above which it would be
-- compressed at each change: after a transaction with much to note, fewer of those before it
-- are kept.
CREATE FUNCTION tell_changes(what TEXT[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    told TEXT := coalesce(current_setting('library.changed', true), '');
    part_of_this INT;
    more TEXT;
BEGIN
    IF told LIKE '%*' THEN
        RETURN;
    END IF;
    -- The sign - means that no book shows a change, so it is noted only if there is nothing else.
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
    part_of_this := pg_current_xact_id()::text::bigint % 16;
    IF told = '' THEN
        UPDATE revision SET changes = changes + 1,
            recent = ((changes + 1) || ' ' || more) || recent[1:CASE WHEN length(more) > 60 THEN 5 ELSE 15 END]
        WHERE part = part_of_this;
        told := set_config('library.changed', more, true);
    ELSE
        UPDATE revision SET recent[1] = recent[1] || ' ' || more WHERE part = part_of_this;
        told := set_config('library.changed', told || ' ' || more, true);
    END IF;
END $$;

CREATE FUNCTION count_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM tell_changes(ARRAY['*']); RETURN NULL; END $$;
CREATE TRIGGER books_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON books FOR EACH STATEMENT EXECUTE FUNCTION count_change();
CREATE TRIGGER users_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON users FOR EACH STATEMENT EXECUTE FUNCTION count_change();
CREATE TRIGGER policy_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON policy FOR EACH STATEMENT EXECUTE FUNCTION count_change();
CREATE TRIGGER stock_counted AFTER INSERT OR DELETE OR TRUNCATE ON stock FOR EACH STATEMENT EXECUTE FUNCTION count_change();
CREATE TRIGGER copies_emptied AFTER TRUNCATE ON copies FOR EACH STATEMENT EXECUTE FUNCTION count_change();
CREATE TRIGGER loans_emptied AFTER TRUNCATE ON loans FOR EACH STATEMENT EXECUTE FUNCTION count_change();
CREATE TRIGGER holds_emptied AFTER TRUNCATE ON holds FOR EACH STATEMENT EXECUTE FUNCTION count_change();

CREATE FUNCTION note_copy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM tell_changes(ARRAY[right(OLD.book_id, 12)]);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM tell_changes(ARRAY[right(NEW.book_id, 12)]);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER copies_changed AFTER INSERT OR UPDATE OR DELETE ON copies FOR EACH ROW EXECUTE FUNCTION note_copy();

-- ---------------------------------------------------------------- events

-- What has happened, for the stream of events: the last ten thousand changes or so.
--
-- Its order has to do two things that a sequence alone does not. Numbers are handed out
-- before the commit, so a reader could meet number 7 and never learn of number 6, whose
-- transaction took longer. And readers must see the changes of one book as they happened.
--
-- Hence major. It is the number of the transaction, or the highest that had ended when the
-- change was made, whichever is greater.
--   * Readers take what is below the oldest transaction that is still running
--     (pg_snapshot_xmin). No transaction that may still write or commit has a number below
--     that, so nothing will ever be added there.
--   * The number of the transaction alone would put changes of one book in the wrong order:
--     a transaction may be older than the one it had to wait for. But it waits until the
--     other has ended, so the other's number, and the other's major, are not above its own;
--     and within one major, seq decides.
-- The price is that a transaction that runs for long, of anybody in the whole cluster that
-- has written something, delays the events until it ends.
CREATE TABLE changes (
    major     BIGINT NOT NULL
        DEFAULT greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1),
    seq       BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY,
    mark      BIGINT NOT NULL DEFAULT (random() * 9007199254740992)::bigint, -- tells this change from one with its numbers in another history
    kind      TEXT COLLATE "C" NOT NULL,
    subject   TEXT COLLATE "C" NOT NULL, -- the book, loan or hold, or the user who left
    borrowed  BOOLEAN NOT NULL,          -- the state of the book after the change
    available INT NOT NULL DEFAULT 0,    -- the same
    person    TEXT COLLATE "C",          -- whom a change of a loan or hold concerns
    CONSTRAINT changes_pkey PRIMARY KEY (major, seq)
);
CREATE INDEX changes_of_person ON changes (person, subject) WHERE person IS NOT NULL;

-- The beginning, so that there always is a newest change to go on from.
INSERT INTO changes (major, kind, subject, borrowed) VALUES (0, 'beginning', '', false);

-- Every 128 changes some of the oldest are dropped, if nobody else is doing that. Always the
-- oldest, all of them up to some point, and none that readers cannot see yet: so a reader who
-- finds the change at which it stood finds all that came after it.
--
-- The table stays bounded even if a transaction is open for long, anybody's in the cluster,
-- and readers cannot see what happens meanwhile. When there are twenty thousand changes, all
-- but the newest half are dropped, and the newest one that readers can see. That gets a new
-- mark: so a reader who stood at it learns that something is missing, and one who begins
-- there does so after all that was dropped.
CREATE FUNCTION trim_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    settled BIGINT := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
    kept RECORD;
    cut RECORD;
BEGIN
    IF NOT pg_try_advisory_xact_lock(7236838) THEN
        RETURN NULL;
    END IF;
    SELECT major, seq INTO kept FROM changes
    WHERE major < settled ORDER BY major, seq OFFSET 256 LIMIT 1;
    IF kept.seq <= NEW.seq - 10000 THEN
        DELETE FROM changes WHERE (major, seq) < (kept.major, kept.seq);
    END IF;

    -- The second: the first may be one that was kept before.
    SELECT seq INTO kept FROM changes ORDER BY major, seq OFFSET 1 LIMIT 1;
    IF kept.seq > NEW.seq - 20000 THEN
        RETURN NULL;
    END IF;
    SELECT major, seq INTO kept FROM changes WHERE major < settled ORDER BY major DESC, seq DESC LIMIT 1;
    SELECT major, seq INTO cut FROM changes ORDER BY major DESC, seq DESC OFFSET 10000 LIMIT 1;
    IF (cut.major, cut.seq) > (kept.major, kept.seq) THEN
        DELETE FROM changes WHERE (major, seq) < (cut.major, cut.seq) AND (major, seq) <> (kept.major, kept.seq);
        UPDATE changes SET mark = (random() * 9007199254740992)::bigint WHERE (major, seq) = (kept.major, kept.seq);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER changes_trim AFTER INSERT ON changes FOR EACH ROW WHEN (NEW.seq % 128 = 0) EXECUTE FUNCTION trim_changes();

-- A new book gets its stock and its copies. * is noted first: each copy would note its book otherwise.
CREATE FUNCTION stock_books() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changes(ARRAY['*']);
    INSERT INTO stock (seq, copies, available)
    SELECT seq, first_copies, first_copies FROM added ORDER BY seq;
    INSERT INTO copies (book_id, created_at)
    SELECT a.id, a.created_at FROM added a CROSS JOIN LATERAL generate_series(1, a.first_copies) ORDER BY a.seq;
    INSERT INTO changes (kind, subject, borrowed, available)
    SELECT 'added', id, false, first_copies FROM added ORDER BY seq;
    RETURN NULL;
END $$;
CREATE TRIGGER books_added AFTER INSERT ON books REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION stock_books();

CREATE FUNCTION note_edit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO changes (kind, subject, borrowed, available)
    SELECT 'edited', NEW.id, s.borrowed, s.available FROM stock s WHERE s.seq = NEW.seq;
    RETURN NULL;
END $$;
CREATE TRIGGER books_edited AFTER UPDATE ON books FOR EACH ROW EXECUTE FUNCTION note_edit();

-- Somebody who is removed, or gets another e-mail address, loses the open streams.
CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO changes (kind, subject, borrowed) VALUES (TG_ARGV[0], OLD.id, false); RETURN NULL; END $$;
CREATE TRIGGER books_deleted AFTER DELETE ON books FOR EACH ROW EXECUTE FUNCTION note_change('deleted');
CREATE TRIGGER users_removed AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION note_change('left');
CREATE TRIGGER users_moved AFTER UPDATE OF email_key ON users
    FOR EACH ROW WHEN (OLD.email_key <> NEW.email_key) EXECUTE FUNCTION note_change('left');

-- Lending is most of what happens. The triggers of loans and of the stock work once for a
-- statement, and a program that lends notes everything by itself at the end of its
-- transaction: it says so beforehand with library.told, and these triggers leave it alone
-- until the transaction ends.
CREATE FUNCTION note_stock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changes(ARRAY(
        SELECT coalesce(right(b.id, 12), '*') FROM after a
            LEFT JOIN LATERAL (SELECT id FROM books WHERE seq = a.seq OFFSET 0) b ON true));
    INSERT INTO changes (kind, subject, borrowed, available)
    SELECT a.happened, b.id, a.borrowed, a.available FROM after a
        CROSS JOIN LATERAL (SELECT id FROM books WHERE seq = a.seq OFFSET 0) b
    WHERE a.happened <> '';
    RETURN NULL;
END $$;
CREATE TRIGGER stock_changed AFTER UPDATE ON stock REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT WHEN (current_setting('library.told', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION note_stock();

-- An open loan and an active hold are shown with their book, past ones are not. Changes of
-- a person's loan or hold are for that person alone.
CREATE FUNCTION note_new_loans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changes(ARRAY(SELECT coalesce(right(book_id, 12), '*') FROM added));
    INSERT INTO changes (kind, subject, borrowed, person)
    SELECT 'loan', id, false, user_id FROM added WHERE user_id IS NOT NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER loans_added AFTER INSERT ON loans REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT WHEN (current_setting('library.told', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION note_new_loans();

CREATE FUNCTION note_moved_loans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM tell_changes(ARRAY(
        SELECT CASE WHEN returned_at IS NOT NULL THEN '-' ELSE coalesce(right(book_id, 12), '*') END FROM before
        UNION ALL
        SELECT CASE WHEN returned_at IS NOT NULL THEN '-' ELSE coalesce(right(book_id, 12), '*') END FROM after));
    RETURN NULL;
END $$;
CREATE TRIGGER loans_changed AFTER UPDATE ON loans REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT WHEN (current_setting('library.told', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION note_moved_loans();

CREATE FUNCTION note_loan() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM tell_changes(ARRAY[CASE WHEN OLD.returned_at IS NOT NULL THEN '-' ELSE coalesce(right(OLD.book_id, 12), '*') END]);
    ELSE
        INSERT INTO changes (kind, subject, borrowed, person) VALUES ('loan', NEW.id, false, NEW.user_id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER loans_deleted AFTER DELETE ON loans FOR EACH ROW EXECUTE FUNCTION note_loan();
CREATE TRIGGER loans_moved AFTER UPDATE OF returned_at, due_at, renewals ON loans
    FOR EACH ROW WHEN (NEW.user_id IS NOT NULL
        AND (OLD.returned_at, OLD.due_at, OLD.renewals) IS DISTINCT FROM (NEW.returned_at, NEW.due_at, NEW.renewals)
        AND current_setting('library.told', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION note_loan();

CREATE FUNCTION note_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM tell_changes(ARRAY[CASE WHEN OLD.ended_at IS NOT NULL THEN '-' ELSE coalesce(right(OLD.book_id, 12), '*') END]);
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN NULL;
    END IF;
    PERFORM tell_changes(ARRAY[CASE WHEN NEW.ended_at IS NOT NULL THEN '-' ELSE coalesce(right(NEW.book_id, 12), '*') END]);
    IF NEW.user_id IS NOT NULL AND (TG_OP = 'INSERT'
        OR (OLD.state, OLD.copy_id, OLD.until_at) IS DISTINCT FROM (NEW.state, NEW.copy_id, NEW.until_at)) THEN
        INSERT INTO changes (kind, subject, borrowed, person) VALUES ('hold', NEW.id, false, NEW.user_id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER holds_changed AFTER INSERT OR UPDATE OR DELETE ON holds FOR EACH ROW EXECUTE FUNCTION note_hold();

-- When a loan or a hold forgets the person, so do its events.
CREATE FUNCTION forget_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN UPDATE changes SET person = NULL WHERE person = OLD.user_id AND subject = NEW.id; RETURN NULL; END $$;
CREATE TRIGGER loans_forgotten AFTER UPDATE OF user_id ON loans
    FOR EACH ROW WHEN (OLD.user_id IS NOT NULL AND NEW.user_id IS NULL) EXECUTE FUNCTION forget_person();
CREATE TRIGGER holds_forgotten AFTER UPDATE OF user_id ON holds
    FOR EACH ROW WHEN (OLD.user_id IS NOT NULL AND NEW.user_id IS NULL) EXECUTE FUNCTION forget_person();

-- ---------------------------------------------------------------- idempotency keys

-- The responses to requests that their callers may repeat, for a day. The key is a digest of
-- the caller and of the Idempotency-Key. Nobody but the caller gets to see one, so that
-- these tables have no events.
CREATE TABLE idempotency_keys (
    key         BYTEA             NOT NULL CONSTRAINT idempotency_keys_key PRIMARY KEY,
    user_id     TEXT COLLATE "C"  NOT NULL CONSTRAINT idempotency_keys_user REFERENCES users (id) ON DELETE CASCADE,
    fingerprint BYTEA             NOT NULL, -- of the request
    role        TEXT COLLATE "C"  NOT NULL, -- that the change needed
    for_staff   BOOLEAN           NOT NULL, -- the caller saw what only staff may see
    response    BYTEA             NOT NULL,
    created_at  BIGINT            NOT NULL
);
CREATE INDEX idempotency_keys_by_user ON idempotency_keys (user_id, created_at);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- Which loans, holds and users a response shows. When one of these forgets its person, or the
-- person is removed or gets another name, address or card, the response is emptied in the same
-- transaction. The key stays, so that the request is not done a second time.
CREATE TABLE idempotency_records (
    key    BYTEA            NOT NULL CONSTRAINT idempotency_records_key REFERENCES idempotency_keys (key) ON DELETE CASCADE,
    record TEXT COLLATE "C" NOT NULL, -- identifier of the loan, hold or user
    CONSTRAINT idempotency_records_pkey PRIMARY KEY (key, record)
);
CREATE INDEX idempotency_records_by_record ON idempotency_records (record);

CREATE FUNCTION forget_responses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE idempotency_keys SET fingerprint = '', response = ''
    WHERE key IN (SELECT key FROM idempotency_records WHERE record = OLD.id);
    RETURN NULL;
END $$;
CREATE TRIGGER loans_forget_responses AFTER UPDATE OF user_id ON loans
    FOR EACH ROW WHEN (OLD.user_id IS NOT NULL AND NEW.user_id IS NULL) EXECUTE FUNCTION forget_responses();
CREATE TRIGGER holds_forget_responses AFTER UPDATE OF user_id ON holds
    FOR EACH ROW WHEN (OLD.user_id IS NOT NULL AND NEW.user_id IS NULL) EXECUTE FUNCTION forget_responses();
CREATE TRIGGER users_forget_responses AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION forget_responses();

CREATE FUNCTION forget_responses_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE idempotency_keys SET fingerprint = '', response = '' WHERE key IN (
        SELECT key FROM idempotency_records WHERE record = OLD.id
        UNION ALL SELECT r.key FROM idempotency_records r JOIN loans l ON l.id = r.record WHERE l.user_id = OLD.id
        UNION ALL SELECT r.key FROM idempotency_records r JOIN holds h ON h.id = r.record WHERE h.user_id = OLD.id);
    RETURN NULL;
END $$;
CREATE TRIGGER users_renamed AFTER UPDATE OF email, first_name, last_name, card ON users
    FOR EACH ROW WHEN (OLD.email <> NEW.email OR OLD.first_name <> NEW.first_name OR OLD.last_name <> NEW.last_name
        OR OLD.card IS DISTINCT FROM NEW.card) EXECUTE FUNCTION forget_responses_of_user();

-- ---------------------------------------------------------------- edits, for counts

-- The last edits of the catalogue, for programs that cache how many books match a search:
-- they correct the number by what was edited since they have counted, instead of counting
-- again. A book that goes counts -1 with its words, one that comes counts 1, and an edit is
-- both.
--
-- Transactions commit in any order, so a count remembers the snapshot that it was made in.
-- It lacks the edits of those transactions that this snapshot does not show, and that can be
-- seen now. None of these is gone if there is a row of a transaction below all that were
-- running then (xmin of the snapshot):
--   * Trimming drops all rows below some transaction that can be seen then. If the row could
--     be seen, nothing above it was dropped.
--   * If it could not, its transaction was still running. It has ended before the snapshot
--     was taken, which hence shows all that was dropped.
-- A transaction never drops its own rows: others cannot see them before they are gone.
--
-- The numbers of transactions mean something to one server, since it was started. Rows from
-- before, or from a restored dump, correct nothing. They are the first to go, so that as long
-- as there is one, nothing else is gone.
CREATE TABLE book_edits (
    xid          XID8        NOT NULL DEFAULT pg_current_xact_id(),
    seq          BIGINT      NOT NULL GENERATED ALWAYS AS IDENTITY,
    started      TIMESTAMPTZ NOT NULL DEFAULT pg_postmaster_start_time(),
    delta        INT         NOT NULL, -- 1 or -1; 0 for an edit that is not described, after which nothing can be corrected
    search_words TEXT COLLATE "C" NOT NULL,
    author_words TEXT COLLATE "C" NOT NULL,
    CONSTRAINT book_edits_pkey PRIMARY KEY (xid, seq)
);
INSERT INTO book_edits (started, delta, search_words, author_words) VALUES ('-infinity', 0, '', '');

-- Every 64 edits the oldest are dropped, if nobody else is doing that.
CREATE FUNCTION trim_book_edits() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    this XID8 := pg_current_xact_id();
    kept XID8;
BEGIN
    IF (SELECT count(*) FROM book_edits) <= 512 OR NOT pg_try_advisory_xact_lock(7236836) THEN
        RETURN NULL;
    END IF;
    SELECT xid INTO kept FROM book_edits
    WHERE started = pg_postmaster_start_time() ORDER BY xid DESC, seq DESC OFFSET 512 LIMIT 1;
    DELETE FROM book_edits WHERE started <> pg_postmaster_start_time() OR xid < kept AND xid <> this;
    RETURN NULL;
END $$;
CREATE TRIGGER book_edits_trim AFTER INSERT ON book_edits FOR EACH ROW WHEN (NEW.seq % 64 = 0) EXECUTE FUNCTION trim_book_edits();

-- Of a statement that changes many books, such as those of an import, it is only noted that
-- there was one: to count again costs less than to keep all their words.
CREATE FUNCTION note_book_edits() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    most CONSTANT INT := 100;
    many BOOLEAN := TG_OP = 'TRUNCATE';
BEGIN
    IF TG_OP = 'DELETE' THEN
        many := (SELECT count(*) > most FROM (SELECT 1 FROM before LIMIT most + 1) AS b);
    ELSIF TG_OP <> 'TRUNCATE' THEN
        many := (SELECT count(*) > most FROM (SELECT 1 FROM after LIMIT most + 1) AS a);
    END IF;
    IF many THEN
        INSERT INTO book_edits (delta, search_words, author_words) VALUES (0, '', '');
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO book_edits (delta, search_words, author_words) SELECT 1, search_words, author_words FROM after;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO book_edits (delta, search_words, author_words) SELECT -1, search_words, author_words FROM before;
    ELSE -- with seq, which tells books with the same words apart
        INSERT INTO book_edits (delta, search_words, author_words)
        SELECT -1, search_words, author_words FROM (
            SELECT seq, search_words, author_words FROM before EXCEPT SELECT seq, search_words, author_words FROM after) AS gone
        UNION ALL
        SELECT 1, search_words, author_words FROM (
            SELECT seq, search_words, author_words FROM after EXCEPT SELECT seq, search_words, author_words FROM before) AS come;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER books_edits_insert AFTER INSERT ON books REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION note_book_edits();
CREATE TRIGGER books_edits_update AFTER UPDATE ON books REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_book_edits();
CREATE TRIGGER books_edits_delete AFTER DELETE ON books REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT EXECUTE FUNCTION note_book_edits();
CREATE TRIGGER books_edits_emptied AFTER TRUNCATE ON books FOR EACH STATEMENT EXECUTE FUNCTION note_book_edits();

-- +goose StatementEnd
