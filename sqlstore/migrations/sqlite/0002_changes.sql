-- +goose Up

-- What has happened, for those who want to be told: the last ten thousand
-- changes or so. Triggers write it, so that nothing can be forgotten. There is
-- one writer at a time, so the order of the numbers is that of the commits.
CREATE TABLE changes (
    seq      INTEGER NOT NULL PRIMARY KEY,
    mark     INTEGER NOT NULL DEFAULT (random()), -- tells this change from one with its number in another history
    kind     TEXT    NOT NULL,
    subject  TEXT    NOT NULL, -- the book, or the user who left
    borrowed INTEGER NOT NULL  -- the state of the book after the change
) STRICT;

-- The beginning, so that there always is a newest change to go on from.
INSERT INTO changes (seq, kind, subject, borrowed) VALUES (1, 'beginning', '', 0);

-- Now and then as many are dropped as have come since. The newest stays, and
-- with it the numbers grow for ever.
-- +goose StatementBegin
CREATE TRIGGER changes_trim AFTER INSERT ON changes WHEN new.seq % 128 = 0 BEGIN
    DELETE FROM changes WHERE seq <= new.seq - 10000;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER books_added AFTER INSERT ON books BEGIN
    INSERT INTO changes (kind, subject, borrowed) VALUES ('added', new.id, 0);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER books_edited AFTER UPDATE ON books BEGIN
    INSERT INTO changes (kind, subject, borrowed)
    VALUES ('edited', new.id, EXISTS (SELECT 1 FROM loans WHERE book_id = new.id AND returned_at IS NULL));
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER books_deleted AFTER DELETE ON books BEGIN
    INSERT INTO changes (kind, subject, borrowed) VALUES ('deleted', old.id, 0);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER loans_opened AFTER INSERT ON loans WHEN new.returned_at IS NULL BEGIN
    INSERT INTO changes (kind, subject, borrowed) VALUES ('borrowed', new.book_id, 1);
END;
-- +goose StatementEnd

-- Only the end of a loan counts. A past loan also changes when its book or its
-- user is deleted.
-- +goose StatementBegin
CREATE TRIGGER loans_closed AFTER UPDATE OF returned_at ON loans
WHEN old.returned_at IS NULL AND new.returned_at IS NOT NULL BEGIN
    INSERT INTO changes (kind, subject, borrowed) VALUES ('returned', new.book_id, 0);
END;
-- +goose StatementEnd

-- Whoever is removed, or gets another e-mail address, is to be shown out.
-- +goose StatementBegin
CREATE TRIGGER users_moved AFTER UPDATE OF email_key ON users WHEN old.email_key <> new.email_key BEGIN
    INSERT INTO changes (kind, subject, borrowed) VALUES ('left', new.id, 0);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER users_removed AFTER DELETE ON users BEGIN
    INSERT INTO changes (kind, subject, borrowed) VALUES ('left', old.id, 0);
END;
-- +goose StatementEnd
