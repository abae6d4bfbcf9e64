-- +goose Up
-- +goose StatementBegin

-- The titles that several books have, most books first, and no more than some thousand of them;
-- as of the division of titles that is named. Suggestions begin with what most books have.
CREATE TABLE repeated_titles (
    made      TEXT    NOT NULL, -- of title_ranges
    title_key TEXT    NOT NULL,
    books     INTEGER NOT NULL,
    PRIMARY KEY (made, title_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX books_by_language ON books (language, title_key, title, id) WHERE language <> '';
-- +goose StatementEnd
