-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;
-- +goose StatementBegin

-- Only with a first rank_words, which no ranges with classes have seen, a book is not among the
-- edited ones. The trigger comes first: what readers wait for comes last.
CREATE TRIGGER books_rank_edited AFTER UPDATE OF title_rank, rank_words ON books FOR EACH ROW
    WHEN ((OLD.rank_words <> '' OR OLD.words_of = OLD.version) AND (OLD.title_rank <> NEW.title_rank OR OLD.rank_words <> NEW.rank_words)) EXECUTE FUNCTION note_title();

-- For each range, in which classes of relevance the books with a word may be, a bit each
-- (sqlstore/title_ranges_class.go). Empty if that is not known: a program has made the ranges that
-- does not know classes, or some books had no words for them.
ALTER TABLE range_words ADD COLUMN classes BYTEA NOT NULL DEFAULT '';
-- +goose StatementEnd
