-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;

-- From which migration on a program must know the schema to work with it: see
-- README.md. Programs that know 0003 can do all that they could.
CREATE TABLE compatibility (down_to INT NOT NULL);
INSERT INTO compatibility (down_to) VALUES (3);

-- The table of changes stays bounded even if a transaction is open for long,
-- anybody's in the cluster, and readers cannot see what happens meanwhile. When
-- there are twenty thousand changes, all but the newest half are dropped, and
-- the newest one that readers can see. That gets a new mark: so whoever stood at
-- it learns that something is missing, and whoever begins there does so after all
-- that was dropped.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION trim_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    settled BIGINT := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
    kept RECORD;
    cut RECORD;
BEGIN
    IF NOT pg_try_advisory_xact_lock(7236838) THEN
        RETURN NULL;
    END IF;
    SELECT major, seq INTO kept FROM changes
    WHERE major < settled ORDER BY major, seq OFFSET 256 LIMIT 1;
    IF kept.seq <= NEW.seq - 10000 THEN
        DELETE FROM changes WHERE (major, seq) < (kept.major, kept.seq);
    END IF;

    -- The second: the first may be one that was kept before.
    SELECT seq INTO kept FROM changes ORDER BY major, seq OFFSET 1 LIMIT 1;
    IF kept.seq > NEW.seq - 20000 THEN
        RETURN NULL;
    END IF;
    SELECT major, seq INTO kept FROM changes WHERE major < settled ORDER BY major DESC, seq DESC LIMIT 1;
    SELECT major, seq INTO cut FROM changes ORDER BY major DESC, seq DESC OFFSET 10000 LIMIT 1;
    IF (cut.major, cut.seq) > (kept.major, kept.seq) THEN
        DELETE FROM changes WHERE (major, seq) < (cut.major, cut.seq) AND (major, seq) <> (kept.major, kept.seq);
        UPDATE changes SET mark = (random() * 9007199254740992)::bigint WHERE (major, seq) = (kept.major, kept.seq);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
