-- +goose Up

-- Which books have changed, for programs that keep answers about books: those
-- that show other books stay good. There is one writer at a time, so the order of
-- the numbers is that of the commits. A reader goes on from the last row that it
-- knows; if that is gone, everything may have changed.
--
-- Lending changes the books that it is about; whatever else is changed may be
-- seen anywhere. Triggers write it, for programs of the version before as well:
-- they may go on running, and may be started anew.
CREATE TABLE changed_books (
    seq  INTEGER NOT NULL PRIMARY KEY,
    mark INTEGER NOT NULL DEFAULT (random()), -- tells this row from one with its number in another history
    book TEXT    NOT NULL -- the last 12 characters of its identifier; * for everything, - for what no book shows
) STRICT;
INSERT INTO changed_books (seq, book) VALUES (1, '*');

-- The newest row stays, and with it the numbers grow for ever.
-- +goose StatementBegin
CREATE TRIGGER changed_books_trim AFTER INSERT ON changed_books WHEN new.seq % 256 = 0 BEGIN
    DELETE FROM changed_books WHERE seq <= new.seq - 2048;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER books_tell_insert AFTER INSERT ON books BEGIN
    INSERT INTO changed_books (book) VALUES ('*');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER books_tell_update AFTER UPDATE ON books BEGIN
    INSERT INTO changed_books (book) VALUES ('*');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER books_tell_delete AFTER DELETE ON books BEGIN
    INSERT INTO changed_books (book) VALUES ('*');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER users_tell_insert AFTER INSERT ON users BEGIN
    INSERT INTO changed_books (book) VALUES ('*');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER users_tell_update AFTER UPDATE ON users BEGIN
    INSERT INTO changed_books (book) VALUES ('*');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER users_tell_delete AFTER DELETE ON users BEGIN
    INSERT INTO changed_books (book) VALUES ('*');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER policy_tell_insert AFTER INSERT ON policy BEGIN
    INSERT INTO changed_books (book) VALUES ('*');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER policy_tell_update AFTER UPDATE ON policy BEGIN
    INSERT INTO changed_books (book) VALUES ('*');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER policy_tell_delete AFTER DELETE ON policy BEGIN
    INSERT INTO changed_books (book) VALUES ('*');
END;
-- +goose StatementEnd

-- An open loan is shown with its book, a past one is not.
-- +goose StatementBegin
CREATE TRIGGER loans_tell_insert AFTER INSERT ON loans BEGIN
    INSERT INTO changed_books (book) VALUES (CASE WHEN new.returned_at IS NOT NULL THEN '-' ELSE coalesce(substr(new.book_id, -12), '*') END);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER loans_tell_update AFTER UPDATE ON loans BEGIN
    INSERT INTO changed_books (book) VALUES (CASE WHEN old.returned_at IS NOT NULL THEN '-' ELSE coalesce(substr(old.book_id, -12), '*') END);
    INSERT INTO changed_books (book) SELECT coalesce(substr(new.book_id, -12), '*')
    WHERE new.returned_at IS NULL AND (old.returned_at IS NOT NULL OR old.book_id IS NOT new.book_id);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER loans_tell_delete AFTER DELETE ON loans BEGIN
    INSERT INTO changed_books (book) VALUES (CASE WHEN old.returned_at IS NOT NULL THEN '-' ELSE coalesce(substr(old.book_id, -12), '*') END);
END;
-- +goose StatementEnd

-- So is an active hold.
-- +goose StatementBegin
CREATE TRIGGER holds_tell_insert AFTER INSERT ON holds BEGIN
    INSERT INTO changed_books (book) VALUES (CASE WHEN new.ended_at IS NOT NULL THEN '-' ELSE coalesce(substr(new.book_id, -12), '*') END);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER holds_tell_update AFTER UPDATE ON holds BEGIN
    INSERT INTO changed_books (book) VALUES (CASE WHEN old.ended_at IS NOT NULL THEN '-' ELSE coalesce(substr(old.book_id, -12), '*') END);
    INSERT INTO changed_books (book) SELECT coalesce(substr(new.book_id, -12), '*')
    WHERE new.ended_at IS NULL AND (old.ended_at IS NOT NULL OR old.book_id IS NOT new.book_id);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER holds_tell_delete AFTER DELETE ON holds BEGIN
    INSERT INTO changed_books (book) VALUES (CASE WHEN old.ended_at IS NOT NULL THEN '-' ELSE coalesce(substr(old.book_id, -12), '*') END);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER copies_tell_insert AFTER INSERT ON copies BEGIN
    INSERT INTO changed_books (book) VALUES (substr(new.book_id, -12));
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER copies_tell_update AFTER UPDATE ON copies BEGIN
    INSERT INTO changed_books (book) VALUES (substr(old.book_id, -12));
    INSERT INTO changed_books (book) SELECT substr(new.book_id, -12) WHERE old.book_id <> new.book_id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER copies_tell_delete AFTER DELETE ON copies BEGIN
    INSERT INTO changed_books (book) VALUES (substr(old.book_id, -12));
END;
-- +goose StatementEnd

-- A stock comes and goes with its book.
-- +goose StatementBegin
CREATE TRIGGER stock_tell_update AFTER UPDATE ON stock BEGIN
    INSERT INTO changed_books (book)
    VALUES (coalesce((SELECT substr(id, -12) FROM books WHERE seq = new.seq), '*'));
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER stock_tell_delete AFTER DELETE ON stock BEGIN
    INSERT INTO changed_books (book) VALUES ('*');
END;
-- +goose StatementEnd
