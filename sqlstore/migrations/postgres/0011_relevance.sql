-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;
-- +goose StatementBegin

-- ---------------------------------------------------------------- how well books fit a question

-- Programs that do not know these columns leave them as they are. So the words of a book are
-- out of date when words_of is not its version, and the program makes them anew
-- (sqlstore/index_books.go). No row is written again for a column with a constant default.
ALTER TABLE books
    ADD COLUMN title_rank TEXT COLLATE "C" NOT NULL DEFAULT '', -- folded words of the title, without the article
    ADD COLUMN rank_words TEXT COLLATE "C" NOT NULL DEFAULT '', -- those of title and subtitle | authors | series, subjects, publisher
    ADD COLUMN words_of   TEXT COLLATE "C" NOT NULL DEFAULT ''; -- the version of the book whose words the row has
-- +goose StatementEnd
