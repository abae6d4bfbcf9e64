-- +goose Up

-- From which migration on a program must know the schema to work with it: see
-- README.md. Programs that know 0003 can do all that they could.
CREATE TABLE compatibility (down_to INTEGER NOT NULL);
INSERT INTO compatibility (down_to) VALUES (3);
