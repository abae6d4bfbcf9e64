-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;

-- By which rules the words of books and users were made that are searched for. The
-- program makes them anew once, after this migration, where the rules have changed:
-- any part of a Chinese, Japanese or Korean title is found now.
--
-- Programs of the version before can do all that they could. What they write next to
-- this one is found as they find it, until it is edited again.
CREATE TABLE search_index (version INTEGER NOT NULL);
INSERT INTO search_index (version) VALUES (1);
