-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;
-- +goose StatementBegin

CREATE INDEX books_by_language ON books (language, title_key, title, id) WHERE language <> '';

-- The titles that several books have, most books first, and no more than some thousand of them;
-- as of the division of titles that is named. Suggestions begin with what most books have.
CREATE TABLE repeated_titles (
    made      TEXT COLLATE "C" NOT NULL, -- of title_ranges
    title_key TEXT COLLATE "C" NOT NULL,
    books     INT  NOT NULL,
    CONSTRAINT repeated_titles_pkey PRIMARY KEY (made, title_key)
);
-- +goose StatementEnd
