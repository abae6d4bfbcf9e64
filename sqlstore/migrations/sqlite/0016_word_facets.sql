-- +goose Up
-- +goose StatementBegin

-- What the first books that have a very common word are about, as of the division of the titles: JSON
-- (sqlstore/facets_words.go). Empty if that is not known: the word is not that common, or a program has
-- made the ranges that does not know facets. They are made anew at once.
DELETE FROM title_ranges;
ALTER TABLE range_words ADD COLUMN facets TEXT NOT NULL DEFAULT '';
-- +goose StatementEnd
