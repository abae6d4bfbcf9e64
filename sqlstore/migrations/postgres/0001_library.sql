-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;
-- +goose StatementBegin

-- The library on PostgreSQL. COLLATE "C" compares byte by byte, so that lists have the
-- same order on every server, whatever its locale, and on SQLite. Times are microseconds
-- since 1970, UTC.

-- Which programs can work with this schema: those that know the migration down_to.
-- README.md says when a migration raises it.
CREATE TABLE compatible_programs (down_to INT NOT NULL);
INSERT INTO compatible_programs (down_to) VALUES (1);

-- ---------------------------------------------------------------- books and users

-- What lists, facets and suggestions read comes first, what is long comes last.
CREATE TABLE books (
    seq          BIGINT GENERATED ALWAYS AS IDENTITY CONSTRAINT books_pkey PRIMARY KEY,
    id           TEXT COLLATE "C" NOT NULL CONSTRAINT books_id UNIQUE,
    created_at   BIGINT NOT NULL,
    version      TEXT COLLATE "C" NOT NULL,
    isbn         TEXT COLLATE "C" NOT NULL,
    isbn_key     TEXT COLLATE "C" NOT NULL,
    cover        TEXT COLLATE "C" NOT NULL DEFAULT '',   -- the version of its cover; '' for none
    first_copies INT NOT NULL DEFAULT 1 -- how many copies it begins with; later, the copies themselves count
        CONSTRAINT books_first_copies CHECK (first_copies BETWEEN 0 AND 999),
    published    INTEGER NOT NULL DEFAULT 0,             -- the year; 0: not known
    language     TEXT COLLATE "C" NOT NULL DEFAULT '',   -- ISO 639
    kind         TEXT COLLATE "C" NOT NULL DEFAULT 'book'
        CONSTRAINT books_kind CHECK (kind IN ('book', 'audio', 'film', 'game', 'magazine', 'map', 'music', 'device', 'other')),
    subjects     TEXT COLLATE "C" NOT NULL DEFAULT '[]', -- JSON array of strings
    title        TEXT COLLATE "C" NOT NULL,
    title_key    TEXT COLLATE "C" NOT NULL,              -- folded
    title_rank   TEXT COLLATE "C" NOT NULL DEFAULT '',   -- folded words of the title, without the article
    subtitle     TEXT COLLATE "C" NOT NULL DEFAULT '',
    authors      TEXT COLLATE "C" NOT NULL,              -- JSON array of strings
    series       TEXT COLLATE "C" NOT NULL DEFAULT '',
    series_key   TEXT COLLATE "C" NOT NULL DEFAULT '',   -- folded
    volume       TEXT COLLATE "C" NOT NULL DEFAULT '',
    publisher    TEXT COLLATE "C" NOT NULL DEFAULT '',
    subject_keys TEXT COLLATE "C" NOT NULL DEFAULT '',   -- folded, a line break before and after each
    author_words TEXT COLLATE "C" NOT NULL,
    rank_words   TEXT COLLATE "C" NOT NULL DEFAULT '',   -- words of title and subtitle | authors | series, subjects, publisher
    description  TEXT COLLATE "C" NOT NULL,
    search_words TEXT COLLATE "C" NOT NULL,              -- folded words, one space between two
    -- The program makes the words. An array of them becomes a tsvector as it is, without
    -- PostgreSQL's own rules about words. The first letter of each is in the index as well, after a
    -- hyphen, which no word has: all words that begin with it would take long to put together.
    search        tsvector NOT NULL GENERATED ALWAYS AS (array_to_tsvector(string_to_array(
        search_words || regexp_replace(search_words, '(^| )(.)[^ ]*', ' -\2', 'g'), ' '))) STORED,
    author_search tsvector NOT NULL GENERATED ALWAYS AS (array_to_tsvector(string_to_array(
        author_words || regexp_replace(author_words, '(^| )(.)[^ ]*', ' -\2', 'g'), ' '))) STORED
);
CREATE INDEX books_by_title ON books (title_key, title, id);
CREATE INDEX books_by_creation ON books (created_at, id);
CREATE INDEX books_by_isbn ON books (isbn_key) WHERE isbn_key <> '';
CREATE INDEX books_by_series ON books (series_key) WHERE series_key <> '';
CREATE INDEX books_by_language ON books (language, title_key, title, id) WHERE language <> '';
CREATE INDEX books_by_kind ON books (kind, title_key, title, id) WHERE kind <> 'book';
CREATE INDEX books_by_year ON books (published, title_key, title, id) WHERE published > 0;
CREATE INDEX books_by_newest ON books ((-published), title_key, title, id) WHERE published > 0;
CREATE INDEX books_by_rank ON books (title_rank) WHERE title_rank <> '';
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
    group_name     TEXT COLLATE "C" NOT NULL DEFAULT '', -- a class, a department
    group_key      TEXT COLLATE "C" NOT NULL DEFAULT '', -- without regard to case
    active         BOOLEAN NOT NULL DEFAULT TRUE,
    station        BOOLEAN NOT NULL DEFAULT FALSE,       -- a machine beside the shelves, no reader
    managed        BOOLEAN NOT NULL DEFAULT FALSE,       -- the roles come from groups of a directory
    changed_at     BIGINT NOT NULL DEFAULT 0,            -- the last edit; 0: none
    note           TEXT COLLATE "C" NOT NULL DEFAULT '', -- of staff
    block          TEXT COLLATE "C" NOT NULL DEFAULT '', -- why nothing is lent to the person
    category       TEXT COLLATE "C" NOT NULL DEFAULT '', -- pupil, teacher
    category_key   TEXT COLLATE "C" NOT NULL DEFAULT '', -- without regard to ASCII case
    subject        TEXT COLLATE "C",                     -- digest of issuer and subject; NULL: not tied
    search_words   TEXT COLLATE "C" NOT NULL,
    search tsvector NOT NULL GENERATED ALWAYS AS (array_to_tsvector(string_to_array(search_words, ' '))) STORED
);
CREATE INDEX users_by_name ON users (last_name_key, first_name_key, last_name, first_name, id);
CREATE INDEX users_by_group ON users (group_key) WHERE group_key <> '';
CREATE UNIQUE INDEX users_subject ON users (subject) WHERE subject IS NOT NULL;
CREATE INDEX users_search ON users USING gin (search) WITH (fastupdate = off);

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
        CONSTRAINT copies_state CHECK (state IN ('lendable', 'reference', 'damaged', 'lost', 'missing')),
    created_at BIGINT NOT NULL,
    seen_at       BIGINT,                    -- when the library last knew where it was
    missing_since BIGINT,
    before_missing TEXT COLLATE "C" NOT NULL DEFAULT '', -- the state of a missing one before
    touched       BIGINT NOT NULL DEFAULT 0, -- goes up whenever it is lent, returned, set aside, seen or edited
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
    claimed_at   BIGINT,                        -- when the borrower said to have brought it back
    lost         BOOLEAN NOT NULL DEFAULT FALSE, -- it ended with the loss of the copy
    rule         TEXT COLLATE "C" NOT NULL DEFAULT '', -- the name of the rule that decided the due day; '' for the policy
    several      BOOLEAN NOT NULL DEFAULT FALSE, -- lent to somebody who may have several copies
    due_given    BOOLEAN NOT NULL DEFAULT FALSE, -- its due day was given by hand
    -- Neither a lent copy, nor its book, nor its borrower can be deleted.
    CONSTRAINT loans_open_is_complete
        CHECK (returned_at IS NOT NULL OR (book_id IS NOT NULL AND copy_id IS NOT NULL AND user_id IS NOT NULL))
);
-- A copy has at most one open loan, and a person at most one of one book, or any number of several.
CREATE UNIQUE INDEX loans_one_open_per_copy ON loans (copy_id) WHERE returned_at IS NULL;
CREATE UNIQUE INDEX loans_one_open_per_reader ON loans (book_id, user_id) WHERE returned_at IS NULL AND NOT several;
-- For lists: open loans by due date, those without one last; past ones by return.
CREATE INDEX loans_open_by_due ON loans (coalesce(due_at, 9223372036854775807), id) WHERE returned_at IS NULL;
CREATE INDEX loans_claimed ON loans (claimed_at, id) WHERE returned_at IS NULL AND claimed_at IS NOT NULL;
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
    notice_wanted   BOOLEAN NOT NULL DEFAULT false,                 -- tell a borrower for whose copy somebody waits
    notice_time     TEXT COLLATE "C" NOT NULL DEFAULT '08:00', -- from when on people are reminded, HH:MM
    mail_note       TEXT COLLATE "C" NOT NULL DEFAULT '{}', -- JSON object: language to text
    default_locale  TEXT COLLATE "C" NOT NULL DEFAULT 'en', -- of new people where nothing else says it
    rules           TEXT COLLATE "C" NOT NULL DEFAULT '[]', -- JSON array of objects, in order
    version         TEXT COLLATE "C" NOT NULL DEFAULT '1'
);
INSERT INTO policy DEFAULT VALUES;

-- ---------------------------------------------------------------- stocktaking

-- A search for everything on some shelves. Nobody is kept in it.
CREATE TABLE stocktakes (
    seq        BIGINT GENERATED ALWAYS AS IDENTITY CONSTRAINT stocktakes_pkey PRIMARY KEY,
    id         TEXT COLLATE "C" NOT NULL CONSTRAINT stocktakes_id UNIQUE,
    name       TEXT COLLATE "C" NOT NULL,
    shelves    TEXT COLLATE "C" NOT NULL,           -- JSON array of strings; []: all, also copies without a shelf
    started_at BIGINT NOT NULL,
    closed_at  BIGINT,
    again      BIGINT NOT NULL DEFAULT 0,           -- scans of what was scanned before
    marked     BIGINT NOT NULL DEFAULT 0,           -- copies that became missing
    numbers    TEXT COLLATE "C" NOT NULL DEFAULT '' -- JSON: what was counted at the end
);
CREATE INDEX stocktakes_by_start ON stocktakes (started_at, id);

-- The copies that were on the shelves or away from them at the start, and all that were scanned. Neither column is a
-- foreign key, which would lock all copies while a stocktake starts.
CREATE TABLE stocktake_copies (
    stocktake  BIGINT  NOT NULL,
    copy       BIGINT  NOT NULL,
    touched    BIGINT,                         -- of the copy, at the start; NULL: it was not expected
    away       BOOLEAN NOT NULL DEFAULT FALSE, -- lent or set aside at the start
    outcome    TEXT COLLATE "C",               -- of the first scan; remaining: there was none until the end
    scanned_at BIGINT,
    CONSTRAINT stocktake_copies_pkey PRIMARY KEY (stocktake, copy)
);
CREATE INDEX stocktake_copies_by_copy ON stocktake_copies (copy);
CREATE FUNCTION leave_stocktakes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM stocktake_copies WHERE copy = OLD.seq;
    RETURN NULL;
END $$;
CREATE TRIGGER copies_leave_stocktakes AFTER DELETE ON copies FOR EACH ROW EXECUTE FUNCTION leave_stocktakes();

-- Scanned codes of no copy.
CREATE TABLE stocktake_codes (
    seq        BIGINT GENERATED ALWAYS AS IDENTITY CONSTRAINT stocktake_codes_pkey PRIMARY KEY,
    stocktake  BIGINT NOT NULL,
    code       BYTEA  NOT NULL, -- UTF-8
    scanned_at BIGINT NOT NULL,
    CONSTRAINT stocktake_codes_once UNIQUE (stocktake, code)
);

-- ---------------------------------------------------------------- the stock

-- What a list of books says of each, counted when it changes and not when it is read.
CREATE TABLE stock (
    seq       BIGINT  NOT NULL CONSTRAINT stock_pkey PRIMARY KEY CONSTRAINT stock_book REFERENCES books (seq) ON DELETE CASCADE,
    copies    INT     NOT NULL,               -- those that can be lent at all
    available INT     NOT NULL,               -- those that somebody without a hold may have
    waiting   INT     NOT NULL DEFAULT 0,     -- people whose hold is waiting
    lent      INT     NOT NULL DEFAULT 0,     -- open loans, also of copies that are lost or damaged
    ready     INT     NOT NULL DEFAULT 0,     -- copies that are set aside
    borrowed  BOOLEAN NOT NULL DEFAULT false, -- there is a lendable copy, and all of them are with somebody
    due_at    BIGINT,                         -- when none is available: when the next lent one is due
    shelves   TEXT COLLATE "C" NOT NULL DEFAULT '[]', -- of the lendable copies: each once, in no order, as a JSON array
    CONSTRAINT stock_is_a_count CHECK (copies >= 0 AND available >= 0 AND waiting >= 0 AND lent >= 0 AND ready >= 0)
) WITH (fillfactor = 70);
-- For filters and counts: what is rare in a library.
CREATE INDEX stock_borrowed ON stock (seq) WHERE borrowed;
CREATE INDEX stock_not_available ON stock (seq) WHERE available = 0;
CREATE INDEX stock_waiting ON stock (seq) WHERE waiting > 0;

-- The shelves follow the copies.
CREATE FUNCTION shelve(changed TEXT[]) RETURNS void LANGUAGE sql AS $$
    UPDATE stock SET shelves = coalesce((
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

-- A new book gets its stock and its copies.
CREATE FUNCTION stock_books() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO stock (seq, copies, available)
    SELECT seq, first_copies, first_copies FROM added ORDER BY seq;
    INSERT INTO copies (book_id, created_at)
    SELECT a.id, a.created_at FROM added a CROSS JOIN LATERAL generate_series(1, a.first_copies) ORDER BY a.seq;
    RETURN NULL;
END $$;
CREATE TRIGGER books_added AFTER INSERT ON books REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION stock_books();

-- ---------------------------------------------------------------- the revision, for caches

-- The revision of the library is the number of transactions that have changed it. It is
-- spread over sixteen rows, by the number of the transaction, so that writers do not queue
-- for one row; their sum grows with every commit, and only then.
--
-- The program counts once for each of its transactions, right before COMMIT
-- (sqlstore/publish.go). A row is locked from then to the end, so that the transactions of one
-- row follow each other and their numbers have no gaps. Beside its number a row has what the
-- last sixteen of them have changed: books, by the last twelve characters of their
-- identifiers, * for everything, or - for what no book shows. A reader who knows a row at
-- number 40 and finds it at 42 looks for 41 and 42. If one of them is not there, everything may
-- have changed. Lending changes the books that it is about; all other changes may be seen
-- anywhere. The row stays below two kilobytes, above which it would be compressed at each
-- change: after a transaction with much to note, fewer of those before it are kept.
CREATE TABLE revision (
    part    INT    NOT NULL CONSTRAINT revision_pkey PRIMARY KEY,
    changes BIGINT NOT NULL,
    recent  TEXT[] COLLATE "C" NOT NULL DEFAULT '{}'
) WITH (fillfactor = 10);
INSERT INTO revision (part, changes) SELECT part, 0 FROM generate_series(0, 15) AS part;

-- ---------------------------------------------------------------- events

-- What has happened, for the stream of events: the last ten thousand changes or so. The program
-- writes them, right before COMMIT (sqlstore/publish.go). A change by hand is no event.
--
-- Its order has to do two things that a sequence alone does not. Numbers are handed out
-- before the commit, so a reader could meet number 7 and never learn of number 6, whose
-- transaction took longer. And readers must see the changes of one book as they happened.
--
-- Hence major. It is the number of the transaction, or the highest that had ended when the
-- change was published, whichever is greater.
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
    step      INT NOT NULL DEFAULT 0,    -- of a loan or a hold: what happened to it (library.Step)
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

-- When a loan or a hold forgets the person, so do its events and notices. What has not been sent by then never is.
CREATE FUNCTION forget_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE changes SET person = NULL WHERE person = OLD.user_id AND subject = NEW.id;
    UPDATE notices SET user_id = NULL, state = CASE state WHEN 'waiting' THEN 'dropped' ELSE state END, mail_id = NULL WHERE about = NEW.id;
    RETURN NULL;
END $$;
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

-- The unknown cards that were tried at a station, for some seconds.
CREATE TABLE unknown_cards (
    seq        BIGINT GENERATED ALWAYS AS IDENTITY CONSTRAINT unknown_cards_pkey PRIMARY KEY,
    station_id TEXT COLLATE "C" NOT NULL CONSTRAINT unknown_cards_station REFERENCES users (id) ON DELETE CASCADE,
    tried_at   BIGINT           NOT NULL
);
CREATE INDEX unknown_cards_by_station ON unknown_cards (station_id, tried_at);

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

-- ---------------------------------------------------------------- what all processes must know

-- Random texts that processes make when they need them, such as the key of nonces.
CREATE TABLE secrets (
    name   TEXT COLLATE "C" PRIMARY KEY,
    secret TEXT COLLATE "C" NOT NULL
);

-- Sessions that the identity provider has ended, until no token of theirs can be good any more. The rows
-- of one transaction at a time come in order, so that processes read on from the last one.
CREATE TABLE logouts (
    seq       BIGINT GENERATED ALWAYS AS IDENTITY CONSTRAINT logouts_pkey PRIMARY KEY,
    token     BYTEA  NOT NULL CONSTRAINT logouts_token UNIQUE, -- digest: each logout token counts once
    ends      BYTEA  NOT NULL, -- digest of the session or the subject
    before_at BIGINT,          -- only tokens issued up to then; NULL: all
    until_at  BIGINT NOT NULL
);
CREATE INDEX logouts_until ON logouts (until_at);

-- What a directory of people (SCIM) has said of users, beside what is in their records.
CREATE TABLE directory_users (
    user_id       TEXT COLLATE "C" CONSTRAINT directory_users_pkey PRIMARY KEY
        CONSTRAINT directory_users_user REFERENCES users (id) ON DELETE CASCADE,
    user_name     TEXT COLLATE "C",  -- NULL: the address
    user_name_key TEXT COLLATE "C" CONSTRAINT directory_users_name UNIQUE,
    external_id   TEXT COLLATE "C" CONSTRAINT directory_users_external UNIQUE,
    kept          TEXT COLLATE "C" NOT NULL,        -- JSON: attributes as they were sent
    adopted       BOOLEAN NOT NULL,
    removed       BOOLEAN NOT NULL   -- until the user is switched on again
);

-- Its groups.
CREATE TABLE directory_groups (
    id           TEXT COLLATE "C" CONSTRAINT directory_groups_pkey PRIMARY KEY,
    display_name TEXT COLLATE "C" NOT NULL,
    external_id  TEXT COLLATE "C" CONSTRAINT directory_groups_external UNIQUE,
    created_at   BIGINT NOT NULL,
    changed_at   BIGINT NOT NULL,
    version      TEXT COLLATE "C" NOT NULL
);

CREATE TABLE directory_members (
    group_id TEXT COLLATE "C" NOT NULL CONSTRAINT directory_members_group REFERENCES directory_groups (id) ON DELETE CASCADE,
    user_id  TEXT COLLATE "C" NOT NULL CONSTRAINT directory_members_user REFERENCES users (id) ON DELETE CASCADE,
    CONSTRAINT directory_members_pkey PRIMARY KEY (group_id, user_id)
);
CREATE INDEX directory_members_of_user ON directory_members (user_id);

-- ---------------------------------------------------------------- covers

-- The pictures, JPEG, which cannot be compressed again. They go with their book, whoever deletes it.
CREATE TABLE covers (
    book    BIGINT NOT NULL CONSTRAINT covers_pkey PRIMARY KEY CONSTRAINT covers_book REFERENCES books (seq) ON DELETE CASCADE,
    version TEXT COLLATE "C" NOT NULL, -- as the book has it
    small   BYTEA  NOT NULL,
    large   BYTEA  NOT NULL
);
ALTER TABLE covers ALTER COLUMN small SET STORAGE EXTERNAL, ALTER COLUMN large SET STORAGE EXTERNAL;

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
    given      INTEGER NOT NULL DEFAULT 0 -- how often a server may have got the whole of it: it is sent once more at most
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
    sent_at       BIGINT,
    tried_for     BIGINT NOT NULL DEFAULT 0 -- the pauses between its attempts, together
);
CREATE UNIQUE INDEX notices_once ON notices (about, kind, occasion, value);
CREATE INDEX notices_by_creation ON notices (created_at, id);
CREATE INDEX notices_by_user ON notices (user_id, created_at, id);
CREATE INDEX notices_by_mail ON notices (mail_id) WHERE mail_id IS NOT NULL;
CREATE INDEX notices_waiting ON notices (created_at) WHERE state = 'waiting' AND mail_id IS NULL;
CREATE INDEX notices_by_state ON notices (state, created_at, id, kind);

-- To whose address mails cannot be delivered. With another address the row means nothing.
CREATE TABLE mail_problems (
    user_id   TEXT COLLATE "C" CONSTRAINT mail_problems_pkey PRIMARY KEY
        CONSTRAINT mail_problems_user REFERENCES users (id) ON DELETE CASCADE,
    email_key TEXT COLLATE "C" NOT NULL,
    code      INTEGER NOT NULL,
    since_at  BIGINT NOT NULL
);

CREATE FUNCTION drop_notices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE notices SET state = 'dropped', mail_id = NULL WHERE user_id = OLD.id AND state = 'waiting';
    RETURN OLD;
END $$;
CREATE TRIGGER users_drop_notices BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION drop_notices();

-- ---------------------------------------------------------------- web hooks

-- Nobody writes here who has no web hook. Where there is one, a process makes events of
-- the changes: see sqlstore/outbox/hook.go. A backup has none of these rows, so that a library that
-- was restored tells of what happens from then on.

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

-- ---------------------------------------------------------------- the words of the catalogue

-- Every word that a book has or had, from the transaction on that wrote it, in letters that are
-- put together one by one. Questions that are misspelt are corrected by them.
CREATE TABLE vocabulary (
    word   TEXT COLLATE "C" NOT NULL CONSTRAINT vocabulary_pkey PRIMARY KEY, -- folded
    turned TEXT COLLATE "C" NOT NULL -- its letters from the last to the first
);
CREATE INDEX vocabulary_turned ON vocabulary (turned);

-- Every letter or digit of these words.
CREATE TABLE letters (
    letter TEXT COLLATE "C" NOT NULL CONSTRAINT letters_pkey PRIMARY KEY
);

-- ---------------------------------------------------------------- changes by hand

-- The program says with library.publishes that its transaction publishes what it changes. Any
-- other change, such as one with psql, invalidates everything that programs have cached.
CREATE FUNCTION invalidate_all() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE revision SET changes = changes + 1, recent = ((changes + 1) || ' *') || recent[1:15]
    WHERE part = pg_current_xact_id()::text::bigint % 16;
    RETURN NULL;
END $$;
CREATE TRIGGER books_by_hand AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON books
    FOR EACH STATEMENT WHEN (current_setting('library.publishes', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION invalidate_all();
CREATE TRIGGER users_by_hand AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON users
    FOR EACH STATEMENT WHEN (current_setting('library.publishes', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION invalidate_all();
CREATE TRIGGER copies_by_hand AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON copies
    FOR EACH STATEMENT WHEN (current_setting('library.publishes', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION invalidate_all();
CREATE TRIGGER loans_by_hand AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON loans
    FOR EACH STATEMENT WHEN (current_setting('library.publishes', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION invalidate_all();
CREATE TRIGGER holds_by_hand AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON holds
    FOR EACH STATEMENT WHEN (current_setting('library.publishes', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION invalidate_all();
CREATE TRIGGER policy_by_hand AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON policy
    FOR EACH STATEMENT WHEN (current_setting('library.publishes', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION invalidate_all();
CREATE TRIGGER stock_by_hand AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON stock
    FOR EACH STATEMENT WHEN (current_setting('library.publishes', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION invalidate_all();

-- +goose StatementEnd
