-- +goose Up

-- The last edits of the catalogue, for programs that keep how many books match a
-- search: they correct the number by what was edited since they have counted,
-- instead of counting anew. A book that goes counts -1 with its words, one that
-- comes counts 1, and an edit is both.
--
-- There is one writer at a time, so the order of the numbers is that of the
-- commits. A count goes on from the newest row that it has seen; if that is gone,
-- books are counted anew. Triggers write it, for programs of the version before
-- as well: they may go on running, and may be started anew.
CREATE TABLE book_edits (
    seq          INTEGER NOT NULL PRIMARY KEY,
    mark         INTEGER NOT NULL DEFAULT (random()), -- tells this row from one with its number in another history
    delta        INTEGER NOT NULL, -- 1 or -1; 0 for what is not told, after which nothing can be corrected
    search_words TEXT    NOT NULL,
    author_words TEXT    NOT NULL
) STRICT;
INSERT INTO book_edits (seq, delta, search_words, author_words) VALUES (1, 0, '', '');

-- The newest row stays, and with it the numbers grow for ever.
-- +goose StatementBegin
CREATE TRIGGER book_edits_trim AFTER INSERT ON book_edits WHEN new.seq % 64 = 0 BEGIN
    DELETE FROM book_edits WHERE seq <= new.seq - 512;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER books_edits_insert AFTER INSERT ON books BEGIN
    INSERT INTO book_edits (delta, search_words, author_words) VALUES (1, new.search_words, new.author_words);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER books_edits_update AFTER UPDATE ON books
WHEN old.search_words <> new.search_words OR old.author_words <> new.author_words BEGIN
    INSERT INTO book_edits (delta, search_words, author_words)
    VALUES (-1, old.search_words, old.author_words), (1, new.search_words, new.author_words);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER books_edits_delete AFTER DELETE ON books BEGIN
    INSERT INTO book_edits (delta, search_words, author_words) VALUES (-1, old.search_words, old.author_words);
END;
-- +goose StatementEnd
