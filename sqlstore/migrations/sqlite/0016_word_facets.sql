-- +goose Up
-- +goose StatementBegin

-- What the books that have a common word are about, as of the division of the titles: JSON of
-- library.FacetCounts (sqlstore/facets_words.go). Empty if that is not known: the word is not that common, or a
-- program has made the ranges that does not know facets. They are made anew at once.
DELETE FROM title_ranges;
ALTER TABLE range_words ADD COLUMN facets TEXT NOT NULL DEFAULT '';

-- What an edited book is about: JSON of library.FacetBook. Empty from a program that does not know it;
-- then facets cannot be corrected, and the books are looked at.
ALTER TABLE book_edits ADD COLUMN facets TEXT NOT NULL DEFAULT '';
-- +goose StatementEnd
