-- +goose Up

-- Where the lendable copies of a book stand, for lists of books: each shelf once,
-- in no order, as a JSON array. Triggers write it, for programs of the version
-- before as well: they may go on running, and may be started anew.
ALTER TABLE stock ADD COLUMN shelves TEXT NOT NULL DEFAULT '[]';

UPDATE stock SET happened = '', shelves = s.shelves
FROM (
    SELECT b.seq, json_group_array(DISTINCT c.shelf) AS shelves
    FROM copies c JOIN books b ON b.id = c.book_id
    WHERE c.state = 'lendable' AND c.shelf <> '' GROUP BY b.seq) AS s
WHERE stock.seq = s.seq;

-- The stock tells of no event by that: whoever changes a copy writes it
-- again afterwards.
-- +goose StatementBegin
CREATE TRIGGER copies_shelved AFTER INSERT ON copies WHEN new.shelf <> '' BEGIN
    UPDATE stock SET happened = '', shelves = (
        SELECT json_group_array(DISTINCT shelf) FROM copies WHERE book_id = new.book_id AND state = 'lendable' AND shelf <> '')
    WHERE seq = (SELECT seq FROM books WHERE id = new.book_id);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER copies_moved AFTER UPDATE OF shelf, state ON copies
WHEN old.shelf <> new.shelf OR old.state <> new.state BEGIN
    UPDATE stock SET happened = '', shelves = (
        SELECT json_group_array(DISTINCT shelf) FROM copies WHERE book_id = new.book_id AND state = 'lendable' AND shelf <> '')
    WHERE seq = (SELECT seq FROM books WHERE id = new.book_id);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER copies_unshelved AFTER DELETE ON copies WHEN old.shelf <> '' BEGIN
    UPDATE stock SET happened = '', shelves = (
        SELECT json_group_array(DISTINCT shelf) FROM copies WHERE book_id = old.book_id AND state = 'lendable' AND shelf <> '')
    WHERE seq = (SELECT seq FROM books WHERE id = old.book_id);
END;
-- +goose StatementEnd
