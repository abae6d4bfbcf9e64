CREATE TABLE IF NOT EXISTS books (
    id          TEXT PRIMARY KEY,
    isbn        TEXT NOT NULL,
    title       TEXT NOT NULL,
    description TEXT NOT NULL,
    authors     TEXT[] NOT NULL
);

CREATE TABLE IF NOT EXISTS users (
    id         TEXT PRIMARY KEY,
    email      TEXT NOT NULL UNIQUE, -- in small letters
    first_name TEXT NOT NULL,
    last_name  TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS copies (
    id      TEXT PRIMARY KEY,
    book_id TEXT NOT NULL REFERENCES books ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS copies_by_book ON copies (book_id);

CREATE TABLE IF NOT EXISTS loans (
    id          TEXT PRIMARY KEY,
    copy_id     TEXT REFERENCES copies ON DELETE SET NULL,
    book_id     TEXT REFERENCES books ON DELETE SET NULL,
    user_id     TEXT REFERENCES users ON DELETE SET NULL,
    borrowed_at TIMESTAMPTZ NOT NULL,
    due_at      TIMESTAMPTZ NOT NULL,
    returned_at TIMESTAMPTZ
);
CREATE UNIQUE INDEX IF NOT EXISTS loans_one_open_per_copy ON loans (copy_id) WHERE returned_at IS NULL;
CREATE INDEX IF NOT EXISTS loans_open_by_user ON loans (user_id) WHERE returned_at IS NULL;
CREATE INDEX IF NOT EXISTS loans_by_book ON loans (book_id);
CREATE INDEX IF NOT EXISTS loans_by_user ON loans (user_id);

CREATE TABLE IF NOT EXISTS policy (
    loan_days INT NOT NULL DEFAULT 28,
    max_loans INT NOT NULL DEFAULT 0
);
INSERT INTO policy SELECT 28, 0 WHERE NOT EXISTS (SELECT 1 FROM policy);
