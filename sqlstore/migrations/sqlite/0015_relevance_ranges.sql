-- +goose Up
-- +goose StatementBegin

-- For each range, in which classes of relevance the books with a word may be, a bit each
-- (sqlstore/title_ranges_class.go). Empty if that is not known: a program has made the ranges that
-- does not know classes, or some books had no words for them. Only with a first rank_words,
-- which no such ranges have seen, a book is not among the edited ones.
ALTER TABLE range_words ADD COLUMN classes BLOB NOT NULL DEFAULT x'';
CREATE TRIGGER books_rank_edited AFTER UPDATE OF title_rank, rank_words ON books
WHEN (old.rank_words <> '' OR old.words_of = old.version) AND (old.title_rank <> new.title_rank OR old.rank_words <> new.rank_words) BEGIN
    INSERT INTO edited_titles (book) VALUES (new.seq);
END;
-- +goose StatementEnd
