-- +goose Up
-- +goose StatementBegin

-- ---------------------------------------------------------------- how well books fit a question

-- Programs that do not know these columns leave them as they are. So the words of a book are
-- out of date when words_of is not its version, and the program makes them anew
-- (sqlstore/index_books.go).
ALTER TABLE books ADD COLUMN title_rank TEXT NOT NULL DEFAULT ''; -- folded words of the title, without the article
ALTER TABLE books ADD COLUMN rank_words TEXT NOT NULL DEFAULT ''; -- those of title and subtitle | authors | series, subjects, publisher
ALTER TABLE books ADD COLUMN words_of   TEXT NOT NULL DEFAULT ''; -- the version of the book whose words the row has
-- +goose StatementEnd
