-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;

-- Where the lendable copies of a book stand, for lists of books: each shelf once,
-- in no order, as a JSON array. Triggers write it, for programs of the version
-- before as well: they may go on running, and may be started anew.

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

-- Nobody changes a copy from here on.
SELECT lock_tables('books, copies, stock', 'EXCLUSIVE');

CREATE TEMPORARY TABLE shelves_10 ON COMMIT DROP AS
SELECT b.seq, json_agg(DISTINCT c.shelf)::text AS shelves
FROM copies c JOIN books b ON b.id = c.book_id
WHERE c.state = 'lendable' AND c.shelf <> '' GROUP BY b.seq;

-- Nobody reads the stock from here on.
SELECT lock_tables('stock', 'ACCESS EXCLUSIVE');

ALTER TABLE stock ADD COLUMN shelves TEXT COLLATE "C" NOT NULL DEFAULT '[]';
UPDATE stock SET happened = '', shelves = n.shelves FROM shelves_10 n WHERE stock.seq = n.seq;

-- The stock tells of no event by that: whoever changes a copy writes it
-- again afterwards.
-- +goose StatementBegin
CREATE FUNCTION shelve(changed TEXT[]) RETURNS void LANGUAGE sql AS $$
    UPDATE stock SET happened = '', shelves = coalesce((
        SELECT json_agg(DISTINCT shelf)::text FROM copies WHERE book_id = b.id AND state = 'lendable' AND shelf <> ''), '[]')
    FROM books b WHERE b.id = ANY(changed) AND stock.seq = b.seq
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION note_new_shelves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM added WHERE shelf <> '') THEN
        PERFORM shelve(ARRAY(SELECT DISTINCT book_id FROM added WHERE shelf <> ''));
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER copies_shelved AFTER INSERT ON copies REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION note_new_shelves();

-- +goose StatementBegin
CREATE FUNCTION note_shelf() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM shelve(ARRAY[OLD.book_id]);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER copies_moved AFTER UPDATE OF shelf, state ON copies
    FOR EACH ROW WHEN (OLD.shelf <> NEW.shelf OR OLD.state <> NEW.state) EXECUTE FUNCTION note_shelf();
CREATE TRIGGER copies_unshelved AFTER DELETE ON copies
    FOR EACH ROW WHEN (OLD.shelf <> '') EXECUTE FUNCTION note_shelf();

DROP FUNCTION lock_tables;
