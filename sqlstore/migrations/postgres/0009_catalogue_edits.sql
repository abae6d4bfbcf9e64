-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;

-- The last edits of the catalogue, for programs that keep how many books match a
-- search: they correct the number by what was edited since they have counted,
-- instead of counting anew. A book that goes counts -1 with its words, one that
-- comes counts 1, and an edit is both. Triggers write it, for programs of the
-- version before as well: they may go on running, and may be started anew.
--
-- Transactions commit in any order, so a count remembers the snapshot that it was
-- made in. It lacks the edits of those transactions that this snapshot does not
-- show, and that can be seen now. None of these is gone if there is a row
-- of a transaction below all that were running then (xmin of the snapshot):
--   * Whoever trims drops all rows below some transaction that can be seen then.
--     If the row could be seen, nothing above it was dropped.
--   * If it could not, its transaction was still running. It has ended before the
--     snapshot was taken, which hence shows all that was dropped.
-- Nobody drops own rows: others cannot see them before they are gone.
--
-- The numbers of transactions mean something to one server, since it was started.
-- Rows from before, or from a restored dump, correct nothing. They are the first to go,
-- so that as long as there is one, nothing else is gone.
CREATE TABLE book_edits (
    xid          XID8        NOT NULL DEFAULT pg_current_xact_id(),
    seq          BIGINT      NOT NULL GENERATED ALWAYS AS IDENTITY,
    started      TIMESTAMPTZ NOT NULL DEFAULT pg_postmaster_start_time(),
    delta        INT         NOT NULL, -- 1 or -1; 0 for what is not told, after which nothing can be corrected
    search_words TEXT COLLATE "C" NOT NULL,
    author_words TEXT COLLATE "C" NOT NULL,
    CONSTRAINT book_edits_pkey PRIMARY KEY (xid, seq)
);
INSERT INTO book_edits (started, delta, search_words, author_words) VALUES ('-infinity', 0, '', '');

-- Now and then the oldest are dropped, without waiting for anybody who does the
-- same.
-- +goose StatementBegin
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
END
$$;
-- +goose StatementEnd

CREATE TRIGGER book_edits_trim AFTER INSERT ON book_edits
    FOR EACH ROW WHEN (NEW.seq % 64 = 0) EXECUTE FUNCTION trim_book_edits();

-- Of a statement that changes many books, such as those of an import, it is only
-- told that there was one: to count anew costs less than to keep all their words.
-- +goose StatementBegin
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
END
$$;
-- +goose StatementEnd

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

-- Nobody is in the middle of an edit from here on: each is told, or has ended
-- before anybody counts.
SELECT lock_tables('books', 'SHARE ROW EXCLUSIVE');

CREATE TRIGGER books_edits_insert AFTER INSERT ON books REFERENCING NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_book_edits();
CREATE TRIGGER books_edits_update AFTER UPDATE ON books REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION note_book_edits();
CREATE TRIGGER books_edits_delete AFTER DELETE ON books REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT EXECUTE FUNCTION note_book_edits();
CREATE TRIGGER books_edits_emptied AFTER TRUNCATE ON books
    FOR EACH STATEMENT EXECUTE FUNCTION note_book_edits();

DROP FUNCTION lock_tables;
