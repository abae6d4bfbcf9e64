-- What the migrations make of an empty database, for reading. Written by
-- go test ./sqlstore -run TestTheSchemaCanBeReadInOnePlace -update-schema

CREATE TABLE compatible_programs (down_to INTEGER NOT NULL) STRICT;

CREATE TABLE books (
    seq          INTEGER NOT NULL PRIMARY KEY, -- the row in the search index
    id           TEXT    NOT NULL CONSTRAINT books_id UNIQUE,
    created_at   INTEGER NOT NULL,
    version      TEXT    NOT NULL,
    isbn         TEXT    NOT NULL,
    isbn_key     TEXT    NOT NULL,
    cover        TEXT    NOT NULL DEFAULT '',   -- the version of its cover; '' for none
    first_copies INTEGER NOT NULL DEFAULT 1 -- how many copies it begins with; later, the copies themselves count
        CONSTRAINT books_first_copies CHECK (first_copies BETWEEN 0 AND 999),
    published    INTEGER NOT NULL DEFAULT 0,    -- the year; 0: not known
    language     TEXT    NOT NULL DEFAULT '',   -- ISO 639
    kind         TEXT    NOT NULL DEFAULT 'book'
        CONSTRAINT books_kind CHECK (kind IN ('book', 'audio', 'film', 'game', 'magazine', 'map', 'music', 'device', 'other')),
    subjects     TEXT    NOT NULL DEFAULT '[]', -- JSON array of strings
    title        TEXT    NOT NULL,
    title_key    TEXT    NOT NULL,              -- folded
    title_rank   TEXT    NOT NULL DEFAULT '',   -- folded words of the title, without the article
    subtitle     TEXT    NOT NULL DEFAULT '',
    authors      TEXT    NOT NULL,              -- JSON array of strings
    series       TEXT    NOT NULL DEFAULT '',
    series_key   TEXT    NOT NULL DEFAULT '',   -- folded
    volume       TEXT    NOT NULL DEFAULT '',
    publisher    TEXT    NOT NULL DEFAULT '',
    subject_keys TEXT    NOT NULL DEFAULT '',   -- folded, a line break before and after each
    author_words TEXT    NOT NULL,
    rank_words   TEXT    NOT NULL DEFAULT '',   -- words of title and subtitle | authors | series, subjects, publisher
    description  TEXT    NOT NULL,
    search_words TEXT    NOT NULL               -- folded words, one space between two
) STRICT;
CREATE INDEX books_by_creation ON books (created_at, id);
CREATE INDEX books_by_isbn ON books (isbn_key) WHERE isbn_key <> '';
CREATE INDEX books_by_kind ON books (kind, title_key, title, id) WHERE kind <> 'book';
CREATE INDEX books_by_language ON books (language, title_key, title, id) WHERE language <> '';
CREATE INDEX books_by_newest ON books ((-published), title_key, title, id) WHERE published > 0;
CREATE INDEX books_by_rank ON books (title_rank) WHERE title_rank <> '';
CREATE INDEX books_by_series ON books (series_key) WHERE series_key <> '';
CREATE INDEX books_by_title ON books (title_key, title, id);
CREATE INDEX books_by_year ON books (published, title_key, title, id) WHERE published > 0;

CREATE TRIGGER books_added AFTER INSERT ON books BEGIN
    INSERT INTO stock (seq, copies, available) VALUES (new.seq, new.first_copies, new.first_copies);
    INSERT INTO copies (book_id, created_at)
    SELECT new.id, new.created_at
    FROM json_each('[' || substr(replace(hex(zeroblob(new.first_copies)), '00', ',0'), 2) || ']');
END;

CREATE TRIGGER books_delete_by_hand AFTER DELETE ON books WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN
    INSERT INTO changed_books (books) VALUES ('*');
END;

CREATE TRIGGER books_deleted_title AFTER DELETE ON books WHEN EXISTS (SELECT 1 FROM webhook_feed) BEGIN
    INSERT INTO deleted_titles (book_id, title) VALUES (old.id, old.title);
    DELETE FROM deleted_titles WHERE seq <= (SELECT max(seq) FROM deleted_titles) - 10000;
END;

CREATE TRIGGER books_insert_by_hand AFTER INSERT ON books WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN
    INSERT INTO changed_books (books) VALUES ('*');
END;

CREATE TRIGGER books_renamed AFTER UPDATE OF title, authors ON books
WHEN old.title <> new.title OR old.authors <> new.authors BEGIN
    UPDATE loans SET book_title = new.title, book_authors = new.authors WHERE book_id = new.id;
    UPDATE holds SET book_title = new.title, book_authors = new.authors WHERE book_id = new.id;
END;

CREATE TRIGGER books_search_delete AFTER DELETE ON books BEGIN
    INSERT INTO books_search (books_search, rowid, search_words, author_words)
    VALUES ('delete', old.seq, old.search_words, old.author_words);
END;

CREATE TRIGGER books_search_insert AFTER INSERT ON books BEGIN
    INSERT INTO books_search (rowid, search_words, author_words)
    VALUES (new.seq, new.search_words, new.author_words);
END;

CREATE TRIGGER books_search_update AFTER UPDATE ON books
WHEN old.search_words <> new.search_words OR old.author_words <> new.author_words BEGIN
    INSERT INTO books_search (books_search, rowid, search_words, author_words)
    VALUES ('delete', old.seq, old.search_words, old.author_words);
    INSERT INTO books_search (rowid, search_words, author_words)
    VALUES (new.seq, new.search_words, new.author_words);
END;

CREATE TRIGGER books_update_by_hand AFTER UPDATE ON books WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN
    INSERT INTO changed_books (books) VALUES ('*');
END;

CREATE TABLE users (
    seq            INTEGER NOT NULL PRIMARY KEY, -- the row in the search index
    id             TEXT    NOT NULL CONSTRAINT users_id UNIQUE,
    email          TEXT    NOT NULL,
    email_key      TEXT    NOT NULL CONSTRAINT users_email_key UNIQUE,
    first_name     TEXT    NOT NULL,
    first_name_key TEXT    NOT NULL,
    last_name      TEXT    NOT NULL,
    last_name_key  TEXT    NOT NULL,
    roles          TEXT    NOT NULL, -- JSON array of strings
    card           TEXT,
    locale         TEXT    NOT NULL DEFAULT 'en',
    reminders      INTEGER NOT NULL DEFAULT 1,
    created_at     INTEGER NOT NULL,
    version        TEXT    NOT NULL,
    group_name     TEXT    NOT NULL DEFAULT '', -- a class, a department
    group_key      TEXT    NOT NULL DEFAULT '', -- without regard to case
    active         INTEGER NOT NULL DEFAULT 1,
    station        INTEGER NOT NULL DEFAULT 0,  -- a machine beside the shelves, no reader
    managed        INTEGER NOT NULL DEFAULT 0,  -- the roles come from groups of a directory
    changed_at     INTEGER NOT NULL DEFAULT 0,  -- the last edit; 0: none
    note           TEXT     NOT NULL DEFAULT '', -- of staff
    block          TEXT     NOT NULL DEFAULT '', -- why nothing is lent to the person
    category       TEXT    NOT NULL DEFAULT '', -- pupil, teacher
    category_key   TEXT    NOT NULL DEFAULT '', -- without regard to ASCII case
    subject        TEXT,                        -- digest of issuer and subject; NULL: not tied
    search_words   TEXT    NOT NULL
) STRICT;
CREATE INDEX users_by_group ON users (group_key) WHERE group_key <> '';
CREATE INDEX users_by_name ON users (last_name_key, first_name_key, last_name, first_name, id);
CREATE UNIQUE INDEX users_card ON users (card) WHERE card IS NOT NULL;
CREATE UNIQUE INDEX users_subject ON users (subject) WHERE subject IS NOT NULL;
CREATE TRIGGER users_delete_by_hand AFTER DELETE ON users WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;

CREATE TRIGGER users_drop_notices BEFORE DELETE ON users BEGIN
    UPDATE notices SET state = 'dropped', mail_id = NULL WHERE user_id = old.id AND state = 'waiting';
END;

CREATE TRIGGER users_forget_responses AFTER DELETE ON users BEGIN
    UPDATE idempotency_keys SET fingerprint = x'', response = x''
    WHERE key IN (SELECT key FROM idempotency_records WHERE record = old.id);
END;
CREATE TRIGGER users_insert_by_hand AFTER INSERT ON users WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;

CREATE TRIGGER users_renamed AFTER UPDATE OF email, first_name, last_name, card ON users
WHEN old.email <> new.email OR old.first_name <> new.first_name OR old.last_name <> new.last_name OR old.card IS NOT new.card BEGIN
    UPDATE idempotency_keys SET fingerprint = x'', response = x'' WHERE key IN (
        SELECT key FROM idempotency_records WHERE record = old.id
            OR record IN (SELECT id FROM loans WHERE user_id = old.id) OR record IN (SELECT id FROM holds WHERE user_id = old.id));
END;

CREATE TRIGGER users_search_delete AFTER DELETE ON users BEGIN
    INSERT INTO users_search (users_search, rowid, search_words) VALUES ('delete', old.seq, old.search_words);
END;
CREATE TRIGGER users_search_insert AFTER INSERT ON users BEGIN INSERT INTO users_search (rowid, search_words) VALUES (new.seq, new.search_words); END;

CREATE TRIGGER users_search_update AFTER UPDATE ON users
WHEN old.search_words <> new.search_words BEGIN
    INSERT INTO users_search (users_search, rowid, search_words) VALUES ('delete', old.seq, old.search_words);
    INSERT INTO users_search (rowid, search_words) VALUES (new.seq, new.search_words);
END;
CREATE TRIGGER users_update_by_hand AFTER UPDATE ON users WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;

CREATE VIRTUAL TABLE books_search USING fts5 (
    search_words, author_words,
    content = 'books', content_rowid = 'seq', tokenize = 'ascii', detail = column, prefix = '1 2'
);

CREATE VIRTUAL TABLE users_search USING fts5 (
    search_words,
    content = 'users', content_rowid = 'seq', tokenize = 'ascii', detail = none
);

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
        CONSTRAINT copies_state CHECK (state IN ('lendable', 'reference', 'damaged', 'lost', 'missing')),
    created_at INTEGER NOT NULL,
    seen_at       INTEGER,                    -- when the library last knew where it was
    missing_since INTEGER,
    before_missing TEXT NOT NULL DEFAULT '', -- the state of a missing one before
    touched       INTEGER NOT NULL DEFAULT 0, -- goes up whenever it is lent, returned, set aside, seen or edited
    version    TEXT    NOT NULL DEFAULT (lower(hex(randomblob(8))))
) STRICT;
CREATE UNIQUE INDEX copies_barcode ON copies (barcode) WHERE barcode IS NOT NULL;
CREATE INDEX copies_by_book ON copies (book_id, seq);
CREATE UNIQUE INDEX copies_id ON copies (id);
CREATE TRIGGER copies_delete_by_hand AFTER DELETE ON copies WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;
CREATE TRIGGER copies_insert_by_hand AFTER INSERT ON copies WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;
CREATE TRIGGER copies_leave_stocktakes AFTER DELETE ON copies BEGIN DELETE FROM stocktake_copies WHERE copy = old.seq; END;

CREATE TRIGGER copies_moved AFTER UPDATE OF shelf, state ON copies
WHEN old.shelf <> new.shelf OR old.state <> new.state BEGIN
    UPDATE stock SET shelves = (
        SELECT json_group_array(DISTINCT shelf) FROM copies WHERE book_id = new.book_id AND state = 'lendable' AND shelf <> '')
    WHERE seq = (SELECT seq FROM books WHERE id = new.book_id);
END;

CREATE TRIGGER copies_shelved AFTER INSERT ON copies WHEN new.shelf <> '' BEGIN
    UPDATE stock SET shelves = (
        SELECT json_group_array(DISTINCT shelf) FROM copies WHERE book_id = new.book_id AND state = 'lendable' AND shelf <> '')
    WHERE seq = (SELECT seq FROM books WHERE id = new.book_id);
END;

CREATE TRIGGER copies_unshelved AFTER DELETE ON copies WHEN old.shelf <> '' BEGIN
    UPDATE stock SET shelves = (
        SELECT json_group_array(DISTINCT shelf) FROM copies WHERE book_id = old.book_id AND state = 'lendable' AND shelf <> '')
    WHERE seq = (SELECT seq FROM books WHERE id = old.book_id);
END;
CREATE TRIGGER copies_update_by_hand AFTER UPDATE ON copies WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;

CREATE TABLE loans (
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
    claimed_at   INTEGER,                       -- when the borrower said to have brought it back
    lost         INTEGER NOT NULL DEFAULT 0, -- it ended with the loss of the copy
    rule         TEXT    NOT NULL DEFAULT '', -- the name of the rule that decided the due day; '' for the policy
    several      INTEGER NOT NULL DEFAULT 0, -- lent to somebody who may have several copies
    due_given    INTEGER NOT NULL DEFAULT 0, -- its due day was given by hand
    -- Neither a lent copy, nor its book, nor its borrower can be deleted.
    CONSTRAINT loans_open_is_complete
        CHECK (returned_at IS NOT NULL OR (book_id IS NOT NULL AND copy_id IS NOT NULL AND user_id IS NOT NULL))
) STRICT;
CREATE INDEX loans_by_book ON loans (book_id, returned_at);
CREATE INDEX loans_by_borrowing ON loans (borrowed_at);
CREATE INDEX loans_by_copy ON loans (copy_id, returned_at);
CREATE INDEX loans_by_user ON loans (user_id, returned_at);
CREATE INDEX loans_claimed ON loans (claimed_at, id) WHERE returned_at IS NULL AND claimed_at IS NOT NULL;
CREATE UNIQUE INDEX loans_one_open_per_copy ON loans (copy_id) WHERE returned_at IS NULL;
CREATE UNIQUE INDEX loans_one_open_per_reader ON loans (book_id, user_id) WHERE returned_at IS NULL AND NOT several;
CREATE INDEX loans_open_by_due ON loans (coalesce(due_at, 9223372036854775807), id) WHERE returned_at IS NULL;
CREATE INDEX loans_remembered ON loans (returned_at) WHERE returned_at IS NOT NULL AND user_id IS NOT NULL;
CREATE INDEX loans_returned ON loans (returned_at, id) WHERE returned_at IS NOT NULL;

CREATE TRIGGER loans_check_copy BEFORE INSERT ON loans
WHEN new.returned_at IS NULL AND new.copy_id IS NOT NULL BEGIN
    SELECT RAISE(ABORT, 'copy_of_the_book')
    WHERE NOT EXISTS (SELECT 1 FROM copies WHERE id = new.copy_id AND book_id = new.book_id);
    SELECT RAISE(ABORT, 'copy_is_set_aside')
    WHERE EXISTS (SELECT 1 FROM holds WHERE copy_id = new.copy_id AND user_id <> new.user_id);
END;

CREATE TRIGGER loans_check_other_copy BEFORE UPDATE OF copy_id, book_id, user_id, returned_at ON loans
WHEN new.returned_at IS NULL AND new.copy_id IS NOT NULL AND (old.copy_id IS NOT new.copy_id
    OR old.book_id IS NOT new.book_id OR old.user_id IS NOT new.user_id OR old.returned_at IS NOT NULL) BEGIN
    SELECT RAISE(ABORT, 'copy_of_the_book')
    WHERE NOT EXISTS (SELECT 1 FROM copies WHERE id = new.copy_id AND book_id = new.book_id);
    SELECT RAISE(ABORT, 'copy_is_set_aside')
    WHERE EXISTS (SELECT 1 FROM holds WHERE copy_id = new.copy_id AND user_id <> new.user_id);
END;
CREATE TRIGGER loans_delete_by_hand AFTER DELETE ON loans WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;

CREATE TRIGGER loans_forget_responses AFTER UPDATE OF user_id ON loans
WHEN old.user_id IS NOT NULL AND new.user_id IS NULL BEGIN
    UPDATE idempotency_keys SET fingerprint = x'', response = x''
    WHERE key IN (SELECT key FROM idempotency_records WHERE record = old.id);
END;

CREATE TRIGGER loans_forgotten AFTER UPDATE OF user_id ON loans
WHEN old.user_id IS NOT NULL AND new.user_id IS NULL BEGIN
    UPDATE changes SET person = NULL WHERE person = old.user_id AND subject = new.id;
    UPDATE notices SET user_id = NULL, state = iif(state = 'waiting', 'dropped', state), mail_id = NULL WHERE about = new.id;
END;
CREATE TRIGGER loans_insert_by_hand AFTER INSERT ON loans WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;
CREATE TRIGGER loans_update_by_hand AFTER UPDATE ON loans WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;

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
    fetched_at   INTEGER, -- when staff put the copy of a ready hold with those to be handed out
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
CREATE INDEX holds_active ON holds (book_id, seq) WHERE ended_at IS NULL;
CREATE INDEX holds_by_book ON holds (book_id, ended_at, seq);
CREATE INDEX holds_by_user ON holds (user_id, ended_at);
CREATE INDEX holds_ended ON holds (ended_at, id) WHERE ended_at IS NOT NULL;
CREATE INDEX holds_expiring ON holds (until_at) WHERE until_at IS NOT NULL;
CREATE UNIQUE INDEX holds_one_active_per_reader ON holds (book_id, user_id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX holds_one_per_copy ON holds (copy_id) WHERE copy_id IS NOT NULL;
CREATE INDEX holds_remembered ON holds (ended_at) WHERE ended_at IS NOT NULL AND user_id IS NOT NULL;

CREATE TRIGGER holds_check_copy BEFORE INSERT ON holds WHEN new.copy_id IS NOT NULL BEGIN
    SELECT RAISE(ABORT, 'copy_of_the_book')
    WHERE NOT EXISTS (SELECT 1 FROM copies WHERE id = new.copy_id AND book_id = new.book_id);
    SELECT RAISE(ABORT, 'copy_is_lent')
    WHERE EXISTS (SELECT 1 FROM loans WHERE copy_id = new.copy_id AND returned_at IS NULL);
END;

CREATE TRIGGER holds_check_other_copy BEFORE UPDATE OF copy_id, book_id, user_id ON holds
WHEN new.copy_id IS NOT NULL AND (old.copy_id IS NOT new.copy_id
    OR old.book_id IS NOT new.book_id OR old.user_id IS NOT new.user_id) BEGIN
    SELECT RAISE(ABORT, 'copy_of_the_book')
    WHERE NOT EXISTS (SELECT 1 FROM copies WHERE id = new.copy_id AND book_id = new.book_id);
    SELECT RAISE(ABORT, 'copy_is_lent')
    WHERE EXISTS (SELECT 1 FROM loans WHERE copy_id = new.copy_id AND returned_at IS NULL);
END;
CREATE TRIGGER holds_delete_by_hand AFTER DELETE ON holds WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;

CREATE TRIGGER holds_forget_responses AFTER UPDATE OF user_id ON holds
WHEN old.user_id IS NOT NULL AND new.user_id IS NULL BEGIN
    UPDATE idempotency_keys SET fingerprint = x'', response = x''
    WHERE key IN (SELECT key FROM idempotency_records WHERE record = old.id);
END;

CREATE TRIGGER holds_forgotten AFTER UPDATE OF user_id ON holds
WHEN old.user_id IS NOT NULL AND new.user_id IS NULL BEGIN
    UPDATE changes SET person = NULL WHERE person = old.user_id AND subject = new.id;
    UPDATE notices SET user_id = NULL, state = iif(state = 'waiting', 'dropped', state), mail_id = NULL WHERE about = new.id;
END;
CREATE TRIGGER holds_insert_by_hand AFTER INSERT ON holds WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;
CREATE TRIGGER holds_update_by_hand AFTER UPDATE ON holds WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;

CREATE TABLE policy (
    number          INTEGER NOT NULL PRIMARY KEY DEFAULT 1 CONSTRAINT policy_is_one CHECK (number = 1),
    loan_days       INTEGER NOT NULL DEFAULT 28,
    renewals        INTEGER NOT NULL DEFAULT 2,
    max_loans       INTEGER NOT NULL DEFAULT 0,
    max_holds       INTEGER NOT NULL DEFAULT 0,
    block_overdue   INTEGER NOT NULL DEFAULT 0,
    hold_days       INTEGER NOT NULL DEFAULT 7,
    history_days    INTEGER DEFAULT 365,                   -- NULL: the past is kept
    time_zone       TEXT    NOT NULL DEFAULT 'UTC',
    closed_weekdays TEXT    NOT NULL DEFAULT '[]',         -- JSON array of strings
    closed_dates    TEXT    NOT NULL DEFAULT '[]',         -- JSON array of strings
    due_soon_days   INTEGER NOT NULL DEFAULT 3,
    overdue_days    TEXT    NOT NULL DEFAULT '[1, 7, 21]', -- JSON array of numbers
    self_borrow     INTEGER NOT NULL DEFAULT 1,            -- 0: only at the desk
    self_return     INTEGER NOT NULL DEFAULT 1,
    notice_wanted   INTEGER NOT NULL DEFAULT 0,            -- 1: tell a borrower for whose copy somebody waits
    notice_time     TEXT    NOT NULL DEFAULT '08:00',      -- from when on people are reminded, HH:MM
    mail_note       TEXT    NOT NULL DEFAULT '{}',         -- JSON object: language to text
    default_locale  TEXT    NOT NULL DEFAULT 'en',         -- of new people where nothing else says it
    rules           TEXT    NOT NULL DEFAULT '[]',         -- JSON array of objects, in order
    version         TEXT    NOT NULL DEFAULT '1'
) STRICT;
CREATE TRIGGER policy_delete_by_hand AFTER DELETE ON policy WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;
CREATE TRIGGER policy_insert_by_hand AFTER INSERT ON policy WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;
CREATE TRIGGER policy_update_by_hand AFTER UPDATE ON policy WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;

CREATE TABLE stocktakes (
    seq        INTEGER NOT NULL PRIMARY KEY,
    id         TEXT    NOT NULL CONSTRAINT stocktakes_id UNIQUE,
    name       TEXT    NOT NULL,
    shelves    TEXT    NOT NULL,           -- JSON array of strings; []: all, also copies without a shelf
    started_at INTEGER NOT NULL,
    closed_at  INTEGER,
    again      INTEGER NOT NULL DEFAULT 0, -- scans of what was scanned before
    marked     INTEGER NOT NULL DEFAULT 0, -- copies that became missing
    numbers    TEXT    NOT NULL DEFAULT '' -- JSON: what was counted at the end
) STRICT;
CREATE INDEX stocktakes_by_start ON stocktakes (started_at, id);

CREATE TABLE stocktake_copies (
    stocktake  INTEGER NOT NULL,
    copy       INTEGER NOT NULL,
    touched    INTEGER,                    -- of the copy, at the start; NULL: it was not expected
    away       INTEGER NOT NULL DEFAULT 0, -- lent or set aside at the start
    outcome    TEXT,                       -- of the first scan; remaining: there was none until the end
    scanned_at INTEGER,
    CONSTRAINT stocktake_copies_pkey PRIMARY KEY (stocktake, copy)
) STRICT, WITHOUT ROWID;
CREATE INDEX stocktake_copies_by_copy ON stocktake_copies (copy);

CREATE TABLE stocktake_codes (
    seq        INTEGER NOT NULL PRIMARY KEY,
    stocktake  INTEGER NOT NULL,
    code       BLOB    NOT NULL, -- UTF-8
    scanned_at INTEGER NOT NULL,
    CONSTRAINT stocktake_codes_once UNIQUE (stocktake, code)
) STRICT;

CREATE TABLE stock (
    seq       INTEGER NOT NULL PRIMARY KEY CONSTRAINT stock_book REFERENCES books (seq) ON DELETE CASCADE,
    copies    INTEGER NOT NULL,              -- those that can be lent at all
    available INTEGER NOT NULL,              -- those that somebody without a hold may have
    waiting   INTEGER NOT NULL DEFAULT 0,    -- people whose hold is waiting
    lent      INTEGER NOT NULL DEFAULT 0,    -- open loans, also of copies that are lost or damaged
    ready     INTEGER NOT NULL DEFAULT 0,    -- copies that are set aside
    borrowed  INTEGER NOT NULL DEFAULT 0,    -- there is a lendable copy, and all of them are with somebody
    due_at    INTEGER,                       -- when none is available: when the next lent one is due
    shelves   TEXT    NOT NULL DEFAULT '[]', -- of the lendable copies: each once, in no order, as a JSON array
    CONSTRAINT stock_is_a_count CHECK (copies >= 0 AND available >= 0 AND waiting >= 0 AND lent >= 0 AND ready >= 0)
) STRICT;
CREATE INDEX stock_borrowed ON stock (seq) WHERE borrowed;
CREATE INDEX stock_not_available ON stock (seq) WHERE available = 0;
CREATE INDEX stock_waiting ON stock (seq) WHERE waiting > 0;
CREATE TRIGGER stock_delete_by_hand AFTER DELETE ON stock WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;
CREATE TRIGGER stock_insert_by_hand AFTER INSERT ON stock WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;
CREATE TRIGGER stock_update_by_hand AFTER UPDATE ON stock WHEN NOT sqlite_compileoption_used('LIBRARY_PUBLISHES') BEGIN INSERT INTO changed_books (books) VALUES ('*'); END;

CREATE TABLE changes (
    seq       INTEGER NOT NULL PRIMARY KEY,
    mark      INTEGER NOT NULL DEFAULT (random()), -- tells this change from one with its number in another history
    kind      TEXT    NOT NULL,
    subject   TEXT    NOT NULL,           -- the book, loan or hold, or the user who left
    borrowed  INTEGER NOT NULL,           -- the state of the book after the change
    available INTEGER NOT NULL DEFAULT 0, -- the same
    step      INTEGER NOT NULL DEFAULT 0, -- of a loan or a hold: what happened to it (library.Step)
    person    TEXT                        -- whom a change of a loan or hold concerns
) STRICT;
CREATE INDEX changes_of_person ON changes (person, subject) WHERE person IS NOT NULL;
CREATE TRIGGER changes_trim AFTER INSERT ON changes WHEN new.seq % 128 = 0 BEGIN DELETE FROM changes WHERE seq <= new.seq - 10000; END;

CREATE TABLE idempotency_keys (
    seq         INTEGER NOT NULL PRIMARY KEY,
    key         BLOB    NOT NULL CONSTRAINT idempotency_keys_key UNIQUE,
    user_id     TEXT    NOT NULL CONSTRAINT idempotency_keys_user REFERENCES users (id) ON DELETE CASCADE,
    fingerprint BLOB    NOT NULL, -- of the request
    role        TEXT    NOT NULL, -- that the change needed
    for_staff   INTEGER NOT NULL, -- 1 if the caller saw what only staff may see
    response    BLOB    NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_by_user ON idempotency_keys (user_id, created_at);

CREATE TABLE unknown_cards (
    seq        INTEGER NOT NULL PRIMARY KEY,
    station_id TEXT    NOT NULL CONSTRAINT unknown_cards_station REFERENCES users (id) ON DELETE CASCADE,
    tried_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX unknown_cards_by_station ON unknown_cards (station_id, tried_at);

CREATE TABLE idempotency_records (
    key    BLOB NOT NULL CONSTRAINT idempotency_records_key REFERENCES idempotency_keys (key) ON DELETE CASCADE,
    record TEXT NOT NULL, -- identifier of the loan, hold or user
    PRIMARY KEY (key, record)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_records_by_record ON idempotency_records (record);

CREATE TABLE changed_books (
    seq  INTEGER NOT NULL PRIMARY KEY,
    mark INTEGER NOT NULL DEFAULT (random()), -- tells this row from one with its number in another history
    books TEXT   NOT NULL -- the last 12 characters of their identifiers; * for everything, - for what no book shows
) STRICT;

CREATE TRIGGER changed_books_trim AFTER INSERT ON changed_books WHEN new.seq % 256 = 0 BEGIN
    DELETE FROM changed_books WHERE seq <= new.seq - 2048;
END;

CREATE TABLE secrets (
    name   TEXT PRIMARY KEY,
    secret TEXT NOT NULL
) STRICT;

CREATE TABLE logouts (
    seq       INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    token     BLOB    NOT NULL CONSTRAINT logouts_token UNIQUE, -- digest: each logout token counts once
    ends      BLOB    NOT NULL, -- digest of the session or the subject
    before_at INTEGER,          -- only tokens issued up to then; NULL: all
    until_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX logouts_until ON logouts (until_at);

CREATE TABLE directory_users (
    user_id       TEXT    NOT NULL PRIMARY KEY CONSTRAINT directory_users_user REFERENCES users (id) ON DELETE CASCADE,
    user_name     TEXT,            -- NULL: the address
    user_name_key TEXT    CONSTRAINT directory_users_name UNIQUE,
    external_id   TEXT    CONSTRAINT directory_users_external UNIQUE,
    kept          TEXT    NOT NULL, -- JSON: attributes as they were sent
    adopted       INTEGER NOT NULL,
    removed       INTEGER NOT NULL  -- until the user is switched on again
) STRICT;

CREATE TABLE directory_groups (
    id           TEXT    NOT NULL PRIMARY KEY,
    display_name TEXT    NOT NULL,
    external_id  TEXT    CONSTRAINT directory_groups_external UNIQUE,
    created_at   INTEGER NOT NULL,
    changed_at   INTEGER NOT NULL,
    version      TEXT    NOT NULL
) STRICT;

CREATE TABLE directory_members (
    group_id TEXT NOT NULL CONSTRAINT directory_members_group REFERENCES directory_groups (id) ON DELETE CASCADE,
    user_id  TEXT NOT NULL CONSTRAINT directory_members_user REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (group_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX directory_members_of_user ON directory_members (user_id);

CREATE TABLE covers (
    book    INTEGER NOT NULL PRIMARY KEY CONSTRAINT covers_book REFERENCES books (seq) ON DELETE CASCADE,
    version TEXT    NOT NULL, -- as the book has it
    small   BLOB    NOT NULL,
    large   BLOB    NOT NULL
) STRICT;

CREATE TABLE outbox (
    number     INTEGER NOT NULL PRIMARY KEY DEFAULT 1 CONSTRAINT outbox_is_one CHECK (number = 1),
    paused     INTEGER NOT NULL DEFAULT 0,
    mail_from  TEXT, -- NULL: nothing was sent yet
    public_url TEXT
) STRICT;

CREATE TABLE mails (
    id         TEXT    NOT NULL CONSTRAINT mails_id PRIMARY KEY, -- of which the Message-ID is made
    user_id    TEXT    NOT NULL CONSTRAINT mails_one_per_person UNIQUE
        CONSTRAINT mails_user REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL, -- right before the first attempt
    attempts   INTEGER NOT NULL DEFAULT 0,
    next_at    INTEGER NOT NULL, -- when to try again; while it is being sent, when the claim ends
    claim      TEXT,             -- of the sender; NULL: nobody is at it
    given      INTEGER NOT NULL DEFAULT 0 -- how often a server may have got the whole of it: it is sent once more at most
) STRICT;
CREATE INDEX mails_by_next ON mails (next_at);

CREATE TABLE notices (
    id            TEXT    NOT NULL CONSTRAINT notices_id PRIMARY KEY,
    kind          TEXT    NOT NULL,
    about         TEXT    NOT NULL,
    occasion      INTEGER NOT NULL, -- when the hold became ready or expired, when the loan is due
    value         INTEGER NOT NULL DEFAULT 0, -- days overdue
    user_id       TEXT CONSTRAINT notices_user REFERENCES users (id) ON DELETE SET NULL,
    book_id       TEXT    NOT NULL,
    book_title    TEXT    NOT NULL,
    state         TEXT    NOT NULL CONSTRAINT notices_state CHECK (state IN ('waiting', 'sent', 'dropped', 'failed')),
    mail_id       TEXT CONSTRAINT notices_mail REFERENCES mails (id) ON DELETE SET NULL,
    attempts      INTEGER NOT NULL DEFAULT 0,
    problem_code  INTEGER, -- of the last attempt
    problem_stage TEXT,
    created_at    INTEGER NOT NULL,
    sent_at       INTEGER,
    tried_for     INTEGER NOT NULL DEFAULT 0 -- the pauses between its attempts, together
) STRICT;
CREATE INDEX notices_by_creation ON notices (created_at, id);
CREATE INDEX notices_by_mail ON notices (mail_id) WHERE mail_id IS NOT NULL;
CREATE INDEX notices_by_state ON notices (state, created_at, id, kind);
CREATE INDEX notices_by_user ON notices (user_id, created_at, id);
CREATE UNIQUE INDEX notices_once ON notices (about, kind, occasion, value);
CREATE INDEX notices_waiting ON notices (created_at) WHERE state = 'waiting' AND mail_id IS NULL;

CREATE TABLE mail_problems (
    user_id   TEXT    NOT NULL CONSTRAINT mail_problems_pkey PRIMARY KEY
        CONSTRAINT mail_problems_user REFERENCES users (id) ON DELETE CASCADE,
    email_key TEXT    NOT NULL,
    code      INTEGER NOT NULL,
    since_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE webhook_feed (
    number INTEGER NOT NULL DEFAULT 1 PRIMARY KEY CONSTRAINT webhook_feed_is_one CHECK (number = 1),
    major  INTEGER NOT NULL,
    seq    INTEGER NOT NULL,
    mark   INTEGER NOT NULL
) STRICT;

CREATE TABLE webhook_events (
    seq          INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL,            -- the same for every attempt
    type         TEXT    NOT NULL,
    book_id      TEXT    NOT NULL,
    book_title   TEXT    NOT NULL,
    record       TEXT    NOT NULL,            -- the loan or the hold; '' for books
    happened_at  INTEGER NOT NULL,
    collected_at INTEGER NOT NULL
) STRICT;

CREATE TABLE webhooks (
    hook          TEXT    NOT NULL PRIMARY KEY, -- digest of the address
    position      INTEGER NOT NULL,             -- the last event that is done with
    attempts      INTEGER NOT NULL DEFAULT 0,   -- failed, one after the other
    failing_since INTEGER,
    next_at       INTEGER,                      -- NULL: now
    is_off        INTEGER NOT NULL DEFAULT 0,   -- the receiver wants nothing more, until the next start
    used_at       INTEGER NOT NULL
) STRICT;

CREATE TABLE webhook_overdue (
    loan_id  TEXT    NOT NULL PRIMARY KEY,
    renewals INTEGER NOT NULL
) STRICT;

CREATE TABLE deleted_titles (
    seq     INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    book_id TEXT    NOT NULL,
    title   TEXT    NOT NULL
) STRICT;
CREATE INDEX deleted_titles_by_book ON deleted_titles (book_id);

CREATE TABLE vocabulary (
    word   TEXT NOT NULL CONSTRAINT vocabulary_pkey PRIMARY KEY, -- folded
    turned TEXT NOT NULL -- its letters from the last to the first
) STRICT, WITHOUT ROWID;
CREATE INDEX vocabulary_turned ON vocabulary (turned);

CREATE TABLE letters (
    letter TEXT NOT NULL CONSTRAINT letters_pkey PRIMARY KEY
) STRICT, WITHOUT ROWID;
