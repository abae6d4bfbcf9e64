-- +goose Up

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

DROP TRIGGER books_added;
DROP TRIGGER books_edited;
DROP TRIGGER loans_opened;
DROP TRIGGER loans_closed;

-- How many copies a book begins with. Later, the copies themselves count.
ALTER TABLE books ADD COLUMN first_copies INTEGER NOT NULL DEFAULT 1
    CONSTRAINT books_first_copies CHECK (first_copies BETWEEN 0 AND 999);

-- What stands on the shelf and is lent. The identifiers are UUIDs of version 4.
CREATE TABLE copies (
    seq        INTEGER NOT NULL PRIMARY KEY,
    id         TEXT    NOT NULL DEFAULT (lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' ||
        substr(hex(randomblob(2)), 2) || '-' || substr('89AB', 1 + (random() & 3), 1) ||
        substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))),
    book_id    TEXT    NOT NULL CONSTRAINT copies_book REFERENCES books (id) ON DELETE CASCADE,
    barcode    TEXT,
    shelf      TEXT    NOT NULL DEFAULT '',
    note       TEXT    NOT NULL DEFAULT '',
    state      TEXT    NOT NULL DEFAULT 'lendable'
        CONSTRAINT copies_state CHECK (state IN ('lendable', 'reference', 'damaged', 'lost')),
    created_at INTEGER NOT NULL,
    version    TEXT    NOT NULL DEFAULT (lower(hex(randomblob(8))))
) STRICT;

INSERT INTO copies (book_id, created_at) SELECT id, created_at FROM books ORDER BY seq;

-- Made when the records are there, which is much faster.
CREATE UNIQUE INDEX copies_id ON copies (id);
CREATE UNIQUE INDEX copies_barcode ON copies (barcode) WHERE barcode IS NOT NULL;
CREATE INDEX copies_by_book ON copies (book_id, seq);

-- SQLite cannot change the rules of a table, so the loans move into another one.
CREATE TABLE loans_3 (
    id           TEXT    NOT NULL CONSTRAINT loans_id UNIQUE,
    book_id      TEXT    CONSTRAINT loans_book REFERENCES books (id) ON DELETE SET NULL,
    book_title   TEXT    NOT NULL,              -- stays when the book is deleted
    book_authors TEXT    NOT NULL DEFAULT '[]', -- JSON array of strings, stays too
    copy_id      TEXT    CONSTRAINT loans_copy REFERENCES copies (id) ON DELETE SET NULL,
    user_id      TEXT    CONSTRAINT loans_user REFERENCES users (id) ON DELETE SET NULL,
    borrowed_at  INTEGER NOT NULL,
    due_at       INTEGER,                       -- NULL: no due date
    returned_at  INTEGER,
    renewals     INTEGER NOT NULL DEFAULT 0,
    -- Programs that know copies add one with each change. A return that does not
    -- was made by an older program: see loans_closed.
    version      INTEGER NOT NULL DEFAULT 0,
    -- Neither a lent copy, nor its book, nor its borrower can be deleted.
    CONSTRAINT loans_open_is_complete
        CHECK (returned_at IS NOT NULL OR (book_id IS NOT NULL AND copy_id IS NOT NULL AND user_id IS NOT NULL))
) STRICT;

INSERT INTO loans_3 (id, book_id, book_title, book_authors, copy_id, user_id, borrowed_at, returned_at)
SELECT l.id, l.book_id, l.book_title, coalesce(b.authors, '[]'), c.id, l.user_id, l.borrowed_at, l.returned_at
FROM loans l LEFT JOIN books b ON b.id = l.book_id LEFT JOIN copies c ON c.book_id = l.book_id
ORDER BY l.rowid;

DROP TABLE loans;
ALTER TABLE loans_3 RENAME TO loans;

-- A copy has at most one open loan, and a person at most one of one book.
CREATE UNIQUE INDEX loans_one_open_per_copy ON loans (copy_id) WHERE returned_at IS NULL;
CREATE UNIQUE INDEX loans_one_open_per_reader ON loans (book_id, user_id) WHERE returned_at IS NULL;
-- For lists: open loans by due date, those without one last; past ones by return.
CREATE INDEX loans_open_by_due ON loans (coalesce(due_at, 9223372036854775807), id) WHERE returned_at IS NULL;
CREATE INDEX loans_returned ON loans (returned_at, id) WHERE returned_at IS NOT NULL;
-- For statistics.
CREATE INDEX loans_by_borrowing ON loans (borrowed_at);
-- For the worker: past loans that still know the person.
CREATE INDEX loans_remembered ON loans (returned_at) WHERE returned_at IS NOT NULL AND user_id IS NOT NULL;
-- For the open loans of a book or a user, however long the past is, and for the
-- foreign keys: deleting one of them, or a copy, looks for its loans.
CREATE INDEX loans_by_book ON loans (book_id, returned_at);
CREATE INDEX loans_by_copy ON loans (copy_id);
CREATE INDEX loans_by_user ON loans (user_id, returned_at);

-- A place in a book's queue; seq is the order in which people asked.
CREATE TABLE holds (
    seq          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL CONSTRAINT holds_id UNIQUE,
    book_id      TEXT    CONSTRAINT holds_book REFERENCES books (id) ON DELETE SET NULL,
    book_title   TEXT    NOT NULL,
    book_authors TEXT    NOT NULL DEFAULT '[]',
    user_id      TEXT    CONSTRAINT holds_user REFERENCES users (id) ON DELETE SET NULL,
    state        TEXT    NOT NULL
        CONSTRAINT holds_state CHECK (state IN ('waiting', 'ready', 'fulfilled', 'cancelled', 'expired')),
    copy_id      TEXT    CONSTRAINT holds_copy REFERENCES copies (id),
    until_at     INTEGER,
    created_at   INTEGER NOT NULL,
    ended_at     INTEGER,
    -- A hold has a copy, and a last day, while it is ready and only then.
    CONSTRAINT holds_ready_has_copy
        CHECK ((state = 'ready') = (copy_id IS NOT NULL) AND (state = 'ready') = (until_at IS NOT NULL)),
    CONSTRAINT holds_ended_has_end CHECK ((state IN ('waiting', 'ready')) = (ended_at IS NULL)),
    -- Neither a book that somebody waits for nor that person can be deleted.
    CONSTRAINT holds_active_is_complete
        CHECK (ended_at IS NOT NULL OR (book_id IS NOT NULL AND user_id IS NOT NULL))
) STRICT;

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
    seq       INTEGER NOT NULL PRIMARY KEY CONSTRAINT stock_book REFERENCES books (seq) ON DELETE CASCADE,
    copies    INTEGER NOT NULL,            -- those that can be lent at all
    available INTEGER NOT NULL,            -- those that somebody without a hold may have
    waiting   INTEGER NOT NULL DEFAULT 0,  -- people whose hold is waiting
    lent      INTEGER NOT NULL DEFAULT 0,  -- open loans, also of copies that are lost or damaged
    ready     INTEGER NOT NULL DEFAULT 0,  -- copies that are set aside
    borrowed  INTEGER NOT NULL DEFAULT 0,  -- there is a lendable copy, and all of them are with somebody
    due_at    INTEGER,                     -- when none is available: when the next lent one is due
    happened  TEXT    NOT NULL DEFAULT '', -- borrowed, returned or changed; '' is no event
    CONSTRAINT stock_is_a_count CHECK (copies >= 0 AND available >= 0 AND waiting >= 0 AND lent >= 0 AND ready >= 0)
) STRICT;

INSERT INTO stock (seq, copies, available, lent, borrowed)
SELECT b.seq, 1, l.id IS NULL, l.id IS NOT NULL, l.id IS NOT NULL
FROM books b LEFT JOIN loans l ON l.book_id = b.id AND l.returned_at IS NULL
ORDER BY b.seq;

-- For filters and counts: what is rare in a library.
CREATE INDEX stock_borrowed ON stock (seq) WHERE borrowed;
CREATE INDEX stock_not_available ON stock (seq) WHERE available = 0;
CREATE INDEX stock_waiting ON stock (seq) WHERE waiting > 0;

-- The library's rules, one record.
CREATE TABLE policy (
    number          INTEGER NOT NULL PRIMARY KEY DEFAULT 1 CONSTRAINT policy_is_one CHECK (number = 1),
    loan_days       INTEGER NOT NULL DEFAULT 28,
    renewals        INTEGER NOT NULL DEFAULT 2,
    max_loans       INTEGER NOT NULL DEFAULT 0,
    max_holds       INTEGER NOT NULL DEFAULT 0,
    block_overdue   INTEGER NOT NULL DEFAULT 0,
    hold_days       INTEGER NOT NULL DEFAULT 7,
    history_days    INTEGER DEFAULT 365, -- NULL: the past is kept
    time_zone       TEXT    NOT NULL DEFAULT 'UTC',
    closed_weekdays TEXT    NOT NULL DEFAULT '[]',         -- JSON array of strings
    closed_dates    TEXT    NOT NULL DEFAULT '[]',         -- JSON array of strings
    due_soon_days   INTEGER NOT NULL DEFAULT 3,
    overdue_days    TEXT    NOT NULL DEFAULT '[1, 7, 21]', -- JSON array of numbers
    version         TEXT    NOT NULL DEFAULT '1'
) STRICT;
INSERT INTO policy DEFAULT VALUES;

ALTER TABLE users ADD COLUMN card TEXT;
ALTER TABLE users ADD COLUMN locale TEXT NOT NULL DEFAULT 'en';
ALTER TABLE users ADD COLUMN reminders INTEGER NOT NULL DEFAULT 1;
CREATE UNIQUE INDEX users_card ON users (card) WHERE card IS NOT NULL;

-- Changes that concern one person: kind is loan or hold, subject that record.
ALTER TABLE changes ADD COLUMN available INTEGER NOT NULL DEFAULT 0;
ALTER TABLE changes ADD COLUMN person TEXT;
CREATE INDEX changes_of_person ON changes (person, subject) WHERE person IS NOT NULL;

-- A new book gets its stock and its copies, whoever adds it. The array has as
-- many elements as there are to be copies: a trigger cannot count by itself.
-- +goose StatementBegin
CREATE TRIGGER books_added AFTER INSERT ON books BEGIN
    INSERT INTO stock (seq, copies, available) VALUES (new.seq, new.first_copies, new.first_copies);
    INSERT INTO copies (book_id, created_at)
    SELECT new.id, new.created_at
    FROM json_each('[' || substr(replace(hex(zeroblob(new.first_copies)), '00', ',0'), 2) || ']');
    INSERT INTO changes (kind, subject, borrowed, available) VALUES ('added', new.id, 0, new.first_copies);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER books_edited AFTER UPDATE ON books BEGIN
    INSERT INTO changes (kind, subject, borrowed, available)
    SELECT 'edited', new.id, s.borrowed, s.available FROM stock s WHERE s.seq = new.seq;
END;
-- +goose StatementEnd

-- Loans and holds are shown under the title of their book, which they keep when
-- the book is deleted.
-- +goose StatementBegin
CREATE TRIGGER books_renamed AFTER UPDATE OF title, authors ON books
WHEN old.title <> new.title OR old.authors <> new.authors BEGIN
    UPDATE loans SET book_title = new.title, book_authors = new.authors WHERE book_id = new.id;
    UPDATE holds SET book_title = new.title, book_authors = new.authors WHERE book_id = new.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER stock_happened AFTER UPDATE ON stock WHEN new.happened <> '' BEGIN
    INSERT INTO changes (kind, subject, borrowed, available)
    SELECT new.happened, b.id, new.borrowed, new.available FROM books b WHERE b.seq = new.seq;
END;
-- +goose StatementEnd

-- What happens to a person's loan or hold is told to that person.
-- +goose StatementBegin
CREATE TRIGGER loans_opened AFTER INSERT ON loans WHEN new.user_id IS NOT NULL BEGIN
    INSERT INTO changes (kind, subject, borrowed, person) VALUES ('loan', new.id, 0, new.user_id);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER loans_moved AFTER UPDATE OF returned_at, due_at, renewals ON loans
WHEN new.user_id IS NOT NULL
    AND (old.returned_at IS NOT new.returned_at OR old.due_at IS NOT new.due_at OR old.renewals <> new.renewals) BEGIN
    INSERT INTO changes (kind, subject, borrowed, person) VALUES ('loan', new.id, 0, new.user_id);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER holds_placed AFTER INSERT ON holds WHEN new.user_id IS NOT NULL BEGIN
    INSERT INTO changes (kind, subject, borrowed, person) VALUES ('hold', new.id, 0, new.user_id);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER holds_moved AFTER UPDATE OF state, copy_id, until_at ON holds
WHEN new.user_id IS NOT NULL
    AND (old.state <> new.state OR old.copy_id IS NOT new.copy_id OR old.until_at IS NOT new.until_at) BEGIN
    INSERT INTO changes (kind, subject, borrowed, person) VALUES ('hold', new.id, 0, new.user_id);
END;
-- +goose StatementEnd

-- When a loan or a hold forgets the person, so does its history.
-- +goose StatementBegin
CREATE TRIGGER loans_forgotten AFTER UPDATE OF user_id ON loans
WHEN old.user_id IS NOT NULL AND new.user_id IS NULL BEGIN
    UPDATE changes SET person = NULL WHERE person = old.user_id AND subject = new.id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER holds_forgotten AFTER UPDATE OF user_id ON holds
WHEN old.user_id IS NOT NULL AND new.user_id IS NULL BEGIN
    UPDATE changes SET person = NULL WHERE person = old.user_id AND subject = new.id;
END;
-- +goose StatementEnd

-- A copy that is set aside is lent to nobody else, and one that is lent is not
-- set aside. There is one writer at a time, so nothing has to be locked. What is
-- raised are the names that the rules have on PostgreSQL.
-- +goose StatementBegin
CREATE TRIGGER loans_check_copy BEFORE INSERT ON loans
WHEN new.returned_at IS NULL AND new.copy_id IS NOT NULL BEGIN
    SELECT RAISE(ABORT, 'copy_of_the_book')
    WHERE NOT EXISTS (SELECT 1 FROM copies WHERE id = new.copy_id AND book_id = new.book_id);
    SELECT RAISE(ABORT, 'copy_is_set_aside')
    WHERE EXISTS (SELECT 1 FROM holds WHERE copy_id = new.copy_id AND user_id <> new.user_id);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER loans_check_other_copy BEFORE UPDATE OF copy_id, book_id, user_id, returned_at ON loans
WHEN new.returned_at IS NULL AND new.copy_id IS NOT NULL AND (old.copy_id IS NOT new.copy_id
    OR old.book_id IS NOT new.book_id OR old.user_id IS NOT new.user_id OR old.returned_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'copy_of_the_book')
    WHERE NOT EXISTS (SELECT 1 FROM copies WHERE id = new.copy_id AND book_id = new.book_id);
    SELECT RAISE(ABORT, 'copy_is_set_aside')
    WHERE EXISTS (SELECT 1 FROM holds WHERE copy_id = new.copy_id AND user_id <> new.user_id);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER holds_check_copy BEFORE INSERT ON holds WHEN new.copy_id IS NOT NULL BEGIN
    SELECT RAISE(ABORT, 'copy_of_the_book')
    WHERE NOT EXISTS (SELECT 1 FROM copies WHERE id = new.copy_id AND book_id = new.book_id);
    SELECT RAISE(ABORT, 'copy_is_lent')
    WHERE EXISTS (SELECT 1 FROM loans WHERE copy_id = new.copy_id AND returned_at IS NULL);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER holds_check_other_copy BEFORE UPDATE OF copy_id, book_id, user_id ON holds
WHEN new.copy_id IS NOT NULL AND (old.copy_id IS NOT new.copy_id
    OR old.book_id IS NOT new.book_id OR old.user_id IS NOT new.user_id) BEGIN
    SELECT RAISE(ABORT, 'copy_of_the_book')
    WHERE NOT EXISTS (SELECT 1 FROM copies WHERE id = new.copy_id AND book_id = new.book_id);
    SELECT RAISE(ABORT, 'copy_is_lent')
    WHERE EXISTS (SELECT 1 FROM loans WHERE copy_id = new.copy_id AND returned_at IS NULL);
END;
-- +goose StatementEnd

-- A return by an older program, which leaves the version as it is. The queue is
-- left to a newer program; until then nobody may have what others wait for.
-- +goose StatementBegin
CREATE TRIGGER loans_closed AFTER UPDATE OF returned_at ON loans
WHEN old.returned_at IS NULL AND new.returned_at IS NOT NULL AND old.version = new.version BEGIN
    UPDATE stock SET
        copies = n.copies, lent = n.lent, available = n.available, happened = 'returned',
        borrowed = n.copies > 0 AND n.copies = n.lendable_lent,
        due_at = CASE WHEN n.available = 0 THEN n.due_at END
    FROM (
        SELECT b.seq AS seq, count(*) FILTER (WHERE c.state = 'lendable') AS copies, count(l.id) AS lent,
            count(l.id) FILTER (WHERE c.state = 'lendable') AS lendable_lent, min(l.due_at) FILTER (WHERE c.state = 'lendable') AS due_at,
            max(0, count(*) FILTER (WHERE c.state = 'lendable' AND l.id IS NULL AND h.id IS NULL)
                - (SELECT count(*) FROM holds WHERE book_id = new.book_id AND state = 'waiting')) AS available
        FROM books b JOIN copies c ON c.book_id = b.id
            LEFT JOIN loans l ON l.copy_id = c.id AND l.returned_at IS NULL
            LEFT JOIN holds h ON h.copy_id = c.id
        WHERE b.id = new.book_id GROUP BY b.seq
    ) AS n
    WHERE stock.seq = n.seq;
END;
-- +goose StatementEnd
