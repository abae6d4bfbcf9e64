-- +goose Up

-- Of which loans, holds and users a kept answer tells. When one of these forgets
-- its person, or the person is removed or gets another name, address or card, the
-- answer is emptied in the same transaction. The key stays, so that the request is
-- not done a second time.
--
-- Programs of the version before can do all that they could. They do not say what
-- their answers tell of; so those are emptied whenever anybody is forgotten. To
-- them an answer that was emptied is the answer to another request, which they
-- refuse.
ALTER TABLE kept_answers ADD COLUMN linked INTEGER NOT NULL DEFAULT 0; -- 1 if answer_records says what it tells of
CREATE INDEX kept_answers_unlinked ON kept_answers (linked) WHERE linked = 0;
-- What those from before tell of is not known, and some of it is forgotten already.
UPDATE kept_answers SET fingerprint = x'', answer = x'', linked = 1;

CREATE TABLE answer_records (
    key    BLOB NOT NULL CONSTRAINT answer_records_key REFERENCES kept_answers (key) ON DELETE CASCADE,
    record TEXT NOT NULL, -- identifier of the loan, hold or user
    PRIMARY KEY (key, record)
) STRICT, WITHOUT ROWID;
CREATE INDEX answer_records_by_record ON answer_records (record);

-- +goose StatementBegin
CREATE TRIGGER loans_forget_answers AFTER UPDATE OF user_id ON loans
WHEN old.user_id IS NOT NULL AND new.user_id IS NULL BEGIN
    UPDATE kept_answers SET fingerprint = x'', answer = x'', linked = 1 WHERE key IN (
        SELECT key FROM answer_records WHERE record = old.id UNION ALL SELECT key FROM kept_answers WHERE linked = 0);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER holds_forget_answers AFTER UPDATE OF user_id ON holds
WHEN old.user_id IS NOT NULL AND new.user_id IS NULL BEGIN
    UPDATE kept_answers SET fingerprint = x'', answer = x'', linked = 1 WHERE key IN (
        SELECT key FROM answer_records WHERE record = old.id UNION ALL SELECT key FROM kept_answers WHERE linked = 0);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER users_forget_answers AFTER DELETE ON users BEGIN
    UPDATE kept_answers SET fingerprint = x'', answer = x'', linked = 1 WHERE key IN (
        SELECT key FROM answer_records WHERE record = old.id UNION ALL SELECT key FROM kept_answers WHERE linked = 0);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER users_renamed AFTER UPDATE OF email, first_name, last_name, card ON users
WHEN old.email <> new.email OR old.first_name <> new.first_name OR old.last_name <> new.last_name OR old.card IS NOT new.card BEGIN
    UPDATE kept_answers SET fingerprint = x'', answer = x'', linked = 1 WHERE key IN (
        SELECT key FROM answer_records WHERE record = old.id
            OR record IN (SELECT id FROM loans WHERE user_id = old.id) OR record IN (SELECT id FROM holds WHERE user_id = old.id)
        UNION ALL SELECT key FROM kept_answers WHERE linked = 0);
END;
-- +goose StatementEnd

-- The words of users who go, go from the search index as well, and do not only
-- stop being found. The index is made anew without those that have gone before.
INSERT INTO users_search (users_search, rank) VALUES ('secure-delete', 1);
INSERT INTO users_search (users_search) VALUES ('rebuild');

-- Whether the file may have traces of what was deleted: until now, nothing was
-- overwritten. The program cleans the file once, after this migration. Nothing
-- ever happened in a new file.
CREATE TABLE traces (maybe INTEGER NOT NULL) STRICT;
INSERT INTO traces (maybe) SELECT max(seq) > 1 FROM changes;
