-- What the migrations make of an empty database, for reading. Written by
-- go test ./sqlstore -run TestTheSchemaCanBeReadInOnePlace -update-schema

CREATE TABLE compatible_programs (
    down_to integer NOT NULL
);

CREATE TABLE books (
    seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    id text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    version text COLLATE "C" NOT NULL,
    isbn text COLLATE "C" NOT NULL,
    isbn_key text COLLATE "C" NOT NULL,
    cover text COLLATE "C" NOT NULL DEFAULT ''::text,
    first_copies integer NOT NULL DEFAULT 1,
    published integer NOT NULL DEFAULT 0,
    language text COLLATE "C" NOT NULL DEFAULT ''::text,
    kind text COLLATE "C" NOT NULL DEFAULT 'book'::text,
    subjects text COLLATE "C" NOT NULL DEFAULT '[]'::text,
    title text COLLATE "C" NOT NULL,
    title_key text COLLATE "C" NOT NULL,
    title_rank text COLLATE "C" NOT NULL DEFAULT ''::text,
    subtitle text COLLATE "C" NOT NULL DEFAULT ''::text,
    authors text COLLATE "C" NOT NULL,
    series text COLLATE "C" NOT NULL DEFAULT ''::text,
    series_key text COLLATE "C" NOT NULL DEFAULT ''::text,
    volume text COLLATE "C" NOT NULL DEFAULT ''::text,
    publisher text COLLATE "C" NOT NULL DEFAULT ''::text,
    subject_keys text COLLATE "C" NOT NULL DEFAULT ''::text,
    author_words text COLLATE "C" NOT NULL,
    rank_words text COLLATE "C" NOT NULL DEFAULT ''::text,
    description text COLLATE "C" NOT NULL,
    search_words text COLLATE "C" NOT NULL,
    search tsvector NOT NULL GENERATED ALWAYS AS (array_to_tsvector(string_to_array((search_words || regexp_replace(search_words, '(^| )(.)[^ ]*'::text, ' -\2'::text, 'g'::text)), ' '::text))) STORED,
    author_search tsvector NOT NULL GENERATED ALWAYS AS (array_to_tsvector(string_to_array((author_words || regexp_replace(author_words, '(^| )(.)[^ ]*'::text, ' -\2'::text, 'g'::text)), ' '::text))) STORED,
    CONSTRAINT books_id UNIQUE (id),
    CONSTRAINT books_pkey PRIMARY KEY (seq),
    CONSTRAINT books_first_copies CHECK (((first_copies >= 0) AND (first_copies <= 999))),
    CONSTRAINT books_kind CHECK ((kind = ANY (ARRAY['book'::text, 'audio'::text, 'film'::text, 'game'::text, 'magazine'::text, 'map'::text, 'music'::text, 'device'::text, 'other'::text])))
);
CREATE INDEX books_author_search ON books USING gin (author_search) WITH (fastupdate=off);
CREATE INDEX books_by_creation ON books USING btree (created_at, id);
CREATE INDEX books_by_isbn ON books USING btree (isbn_key) WHERE (isbn_key <> ''::text);
CREATE INDEX books_by_kind ON books USING btree (kind, title_key, title, id) WHERE (kind <> 'book'::text);
CREATE INDEX books_by_language ON books USING btree (language, title_key, title, id) WHERE (language <> ''::text);
CREATE INDEX books_by_newest ON books USING btree (((- published)), title_key, title, id) WHERE (published > 0);
CREATE INDEX books_by_rank ON books USING btree (title_rank) WHERE (title_rank <> ''::text);
CREATE INDEX books_by_series ON books USING btree (series_key) WHERE (series_key <> ''::text);
CREATE INDEX books_by_title ON books USING btree (title_key, title, id);
CREATE INDEX books_by_year ON books USING btree (published, title_key, title, id) WHERE (published > 0);
CREATE INDEX books_search ON books USING gin (search) WITH (fastupdate=off);
CREATE TRIGGER books_added AFTER INSERT ON books REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION stock_books();
CREATE TRIGGER books_by_hand AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON books FOR EACH STATEMENT WHEN ((current_setting('library.publishes'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION invalidate_all();
CREATE TRIGGER books_deleted_title AFTER DELETE ON books FOR EACH ROW EXECUTE FUNCTION keep_deleted_title();
CREATE TRIGGER books_renamed AFTER UPDATE OF title, authors ON books FOR EACH ROW WHEN (((old.title IS DISTINCT FROM new.title) OR (old.authors IS DISTINCT FROM new.authors))) EXECUTE FUNCTION rename_book();

CREATE TABLE users (
    seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    id text COLLATE "C" NOT NULL,
    email text COLLATE "C" NOT NULL,
    email_key text COLLATE "C" NOT NULL,
    first_name text COLLATE "C" NOT NULL,
    first_name_key text COLLATE "C" NOT NULL,
    last_name text COLLATE "C" NOT NULL,
    last_name_key text COLLATE "C" NOT NULL,
    roles text COLLATE "C" NOT NULL,
    card text COLLATE "C",
    locale text COLLATE "C" NOT NULL DEFAULT 'en'::text,
    reminders boolean NOT NULL DEFAULT true,
    created_at bigint NOT NULL,
    version text COLLATE "C" NOT NULL,
    group_name text COLLATE "C" NOT NULL DEFAULT ''::text,
    group_key text COLLATE "C" NOT NULL DEFAULT ''::text,
    active boolean NOT NULL DEFAULT true,
    station boolean NOT NULL DEFAULT false,
    managed boolean NOT NULL DEFAULT false,
    changed_at bigint NOT NULL DEFAULT 0,
    note text COLLATE "C" NOT NULL DEFAULT ''::text,
    block text COLLATE "C" NOT NULL DEFAULT ''::text,
    category text COLLATE "C" NOT NULL DEFAULT ''::text,
    category_key text COLLATE "C" NOT NULL DEFAULT ''::text,
    subject text COLLATE "C",
    search_words text COLLATE "C" NOT NULL,
    search tsvector NOT NULL GENERATED ALWAYS AS (array_to_tsvector(string_to_array(search_words, ' '::text))) STORED,
    CONSTRAINT users_card UNIQUE (card),
    CONSTRAINT users_email_key UNIQUE (email_key),
    CONSTRAINT users_id UNIQUE (id),
    CONSTRAINT users_pkey PRIMARY KEY (seq)
);
CREATE INDEX users_by_group ON users USING btree (group_key) WHERE (group_key <> ''::text);
CREATE INDEX users_by_name ON users USING btree (last_name_key, first_name_key, last_name, first_name, id);
CREATE INDEX users_search ON users USING gin (search) WITH (fastupdate=off);
CREATE UNIQUE INDEX users_subject ON users USING btree (subject) WHERE (subject IS NOT NULL);
CREATE TRIGGER users_by_hand AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON users FOR EACH STATEMENT WHEN ((current_setting('library.publishes'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION invalidate_all();
CREATE TRIGGER users_drop_notices BEFORE DELETE ON users FOR EACH ROW EXECUTE FUNCTION drop_notices();
CREATE TRIGGER users_forget_responses AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION forget_responses();
CREATE TRIGGER users_renamed AFTER UPDATE OF email, first_name, last_name, card ON users FOR EACH ROW WHEN (((old.email <> new.email) OR (old.first_name <> new.first_name) OR (old.last_name <> new.last_name) OR (old.card IS DISTINCT FROM new.card))) EXECUTE FUNCTION forget_responses_of_user();

CREATE TABLE copies (
    seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    id text COLLATE "C" NOT NULL DEFAULT (gen_random_uuid())::text,
    book_id text COLLATE "C" NOT NULL,
    barcode text COLLATE "C",
    shelf text COLLATE "C" NOT NULL DEFAULT ''::text,
    note text COLLATE "C" NOT NULL DEFAULT ''::text,
    state text COLLATE "C" NOT NULL DEFAULT 'lendable'::text,
    created_at bigint NOT NULL,
    seen_at bigint,
    missing_since bigint,
    before_missing text COLLATE "C" NOT NULL DEFAULT ''::text,
    touched bigint NOT NULL DEFAULT 0,
    version text COLLATE "C" NOT NULL DEFAULT substr(md5((gen_random_uuid())::text), 1, 16),
    CONSTRAINT copies_barcode UNIQUE (barcode),
    CONSTRAINT copies_id UNIQUE (id),
    CONSTRAINT copies_pkey PRIMARY KEY (seq),
    CONSTRAINT copies_book FOREIGN KEY (book_id) REFERENCES books(id) ON DELETE CASCADE,
    CONSTRAINT copies_state CHECK ((state = ANY (ARRAY['lendable'::text, 'reference'::text, 'damaged'::text, 'lost'::text, 'missing'::text])))
);
CREATE INDEX copies_by_book ON copies USING btree (book_id, seq);
CREATE TRIGGER copies_by_hand AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON copies FOR EACH STATEMENT WHEN ((current_setting('library.publishes'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION invalidate_all();
CREATE TRIGGER copies_leave_stocktakes AFTER DELETE ON copies FOR EACH ROW EXECUTE FUNCTION leave_stocktakes();
CREATE TRIGGER copies_moved AFTER UPDATE OF shelf, state ON copies FOR EACH ROW WHEN (((old.shelf <> new.shelf) OR (old.state <> new.state))) EXECUTE FUNCTION note_shelf();
CREATE TRIGGER copies_shelved AFTER INSERT ON copies REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_new_shelves();
CREATE TRIGGER copies_unshelved AFTER DELETE ON copies FOR EACH ROW WHEN ((old.shelf <> ''::text)) EXECUTE FUNCTION note_shelf();

CREATE TABLE loans (
    id text COLLATE "C" NOT NULL,
    book_id text COLLATE "C",
    book_title text COLLATE "C" NOT NULL,
    book_authors text COLLATE "C" NOT NULL DEFAULT '[]'::text,
    copy_id text COLLATE "C",
    user_id text COLLATE "C",
    borrowed_at bigint NOT NULL,
    due_at bigint,
    returned_at bigint,
    renewals integer NOT NULL DEFAULT 0,
    claimed_at bigint,
    lost boolean NOT NULL DEFAULT false,
    rule text COLLATE "C" NOT NULL DEFAULT ''::text,
    several boolean NOT NULL DEFAULT false,
    due_given boolean NOT NULL DEFAULT false,
    CONSTRAINT loans_id PRIMARY KEY (id),
    CONSTRAINT loans_book FOREIGN KEY (book_id) REFERENCES books(id) ON DELETE SET NULL,
    CONSTRAINT loans_copy FOREIGN KEY (copy_id) REFERENCES copies(id) ON DELETE SET NULL,
    CONSTRAINT loans_user FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE SET NULL,
    CONSTRAINT loans_open_is_complete CHECK (((returned_at IS NOT NULL) OR ((book_id IS NOT NULL) AND (copy_id IS NOT NULL) AND (user_id IS NOT NULL))))
);
CREATE INDEX loans_by_book ON loans USING btree (book_id, returned_at);
CREATE INDEX loans_by_borrowing ON loans USING btree (borrowed_at);
CREATE INDEX loans_by_copy ON loans USING btree (copy_id, returned_at);
CREATE INDEX loans_by_user ON loans USING btree (user_id, returned_at);
CREATE INDEX loans_claimed ON loans USING btree (claimed_at, id) WHERE ((returned_at IS NULL) AND (claimed_at IS NOT NULL));
CREATE UNIQUE INDEX loans_one_open_per_copy ON loans USING btree (copy_id) WHERE (returned_at IS NULL);
CREATE UNIQUE INDEX loans_one_open_per_reader ON loans USING btree (book_id, user_id) WHERE ((returned_at IS NULL) AND (NOT several));
CREATE INDEX loans_open_by_due ON loans USING btree (COALESCE(due_at, '9223372036854775807'::bigint), id) WHERE (returned_at IS NULL);
CREATE INDEX loans_remembered ON loans USING btree (returned_at) WHERE ((returned_at IS NOT NULL) AND (user_id IS NOT NULL));
CREATE INDEX loans_returned ON loans USING btree (returned_at, id) WHERE (returned_at IS NOT NULL);
CREATE TRIGGER loans_by_hand AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON loans FOR EACH STATEMENT WHEN ((current_setting('library.publishes'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION invalidate_all();
CREATE TRIGGER loans_check_copy BEFORE INSERT ON loans FOR EACH ROW WHEN (((new.returned_at IS NULL) AND (new.copy_id IS NOT NULL))) EXECUTE FUNCTION check_copy();
CREATE TRIGGER loans_check_other_copy BEFORE UPDATE OF copy_id, book_id, user_id, returned_at ON loans FOR EACH ROW WHEN (((new.returned_at IS NULL) AND (new.copy_id IS NOT NULL) AND ((((old.copy_id IS DISTINCT FROM new.copy_id) OR (old.book_id IS DISTINCT FROM new.book_id)) OR (old.user_id IS DISTINCT FROM new.user_id)) OR (old.returned_at IS DISTINCT FROM new.returned_at)))) EXECUTE FUNCTION check_copy();
CREATE TRIGGER loans_forget_responses AFTER UPDATE OF user_id ON loans FOR EACH ROW WHEN (((old.user_id IS NOT NULL) AND (new.user_id IS NULL))) EXECUTE FUNCTION forget_responses();
CREATE TRIGGER loans_forgotten AFTER UPDATE OF user_id ON loans FOR EACH ROW WHEN (((old.user_id IS NOT NULL) AND (new.user_id IS NULL))) EXECUTE FUNCTION forget_person();

CREATE TABLE holds (
    seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    id text COLLATE "C" NOT NULL,
    book_id text COLLATE "C",
    book_title text COLLATE "C" NOT NULL,
    book_authors text COLLATE "C" NOT NULL DEFAULT '[]'::text,
    user_id text COLLATE "C",
    state text COLLATE "C" NOT NULL,
    copy_id text COLLATE "C",
    until_at bigint,
    fetched_at bigint,
    created_at bigint NOT NULL,
    ended_at bigint,
    CONSTRAINT holds_id UNIQUE (id),
    CONSTRAINT holds_pkey PRIMARY KEY (seq),
    CONSTRAINT holds_book FOREIGN KEY (book_id) REFERENCES books(id) ON DELETE SET NULL,
    CONSTRAINT holds_copy FOREIGN KEY (copy_id) REFERENCES copies(id),
    CONSTRAINT holds_user FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE SET NULL,
    CONSTRAINT holds_active_is_complete CHECK (((ended_at IS NOT NULL) OR ((book_id IS NOT NULL) AND (user_id IS NOT NULL)))),
    CONSTRAINT holds_ended_has_end CHECK (((state = ANY (ARRAY['waiting'::text, 'ready'::text])) = (ended_at IS NULL))),
    CONSTRAINT holds_ready_has_copy CHECK ((((state = 'ready'::text) = (copy_id IS NOT NULL)) AND ((state = 'ready'::text) = (until_at IS NOT NULL)))),
    CONSTRAINT holds_state CHECK ((state = ANY (ARRAY['waiting'::text, 'ready'::text, 'fulfilled'::text, 'cancelled'::text, 'expired'::text])))
);
CREATE INDEX holds_active ON holds USING btree (book_id, seq) WHERE (ended_at IS NULL);
CREATE INDEX holds_by_book ON holds USING btree (book_id, ended_at, seq);
CREATE INDEX holds_by_user ON holds USING btree (user_id, ended_at);
CREATE INDEX holds_ended ON holds USING btree (ended_at, id) WHERE (ended_at IS NOT NULL);
CREATE INDEX holds_expiring ON holds USING btree (until_at) WHERE (until_at IS NOT NULL);
CREATE UNIQUE INDEX holds_one_active_per_reader ON holds USING btree (book_id, user_id) WHERE (ended_at IS NULL);
CREATE UNIQUE INDEX holds_one_per_copy ON holds USING btree (copy_id) WHERE (copy_id IS NOT NULL);
CREATE INDEX holds_remembered ON holds USING btree (ended_at) WHERE ((ended_at IS NOT NULL) AND (user_id IS NOT NULL));
CREATE TRIGGER holds_by_hand AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON holds FOR EACH STATEMENT WHEN ((current_setting('library.publishes'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION invalidate_all();
CREATE TRIGGER holds_check_copy BEFORE INSERT ON holds FOR EACH ROW WHEN ((new.copy_id IS NOT NULL)) EXECUTE FUNCTION check_copy();
CREATE TRIGGER holds_check_other_copy BEFORE UPDATE OF copy_id, book_id, user_id ON holds FOR EACH ROW WHEN (((new.copy_id IS NOT NULL) AND (((old.copy_id IS DISTINCT FROM new.copy_id) OR (old.book_id IS DISTINCT FROM new.book_id)) OR (old.user_id IS DISTINCT FROM new.user_id)))) EXECUTE FUNCTION check_copy();
CREATE TRIGGER holds_forget_responses AFTER UPDATE OF user_id ON holds FOR EACH ROW WHEN (((old.user_id IS NOT NULL) AND (new.user_id IS NULL))) EXECUTE FUNCTION forget_responses();
CREATE TRIGGER holds_forgotten AFTER UPDATE OF user_id ON holds FOR EACH ROW WHEN (((old.user_id IS NOT NULL) AND (new.user_id IS NULL))) EXECUTE FUNCTION forget_person();

CREATE TABLE policy (
    number integer NOT NULL DEFAULT 1,
    loan_days integer NOT NULL DEFAULT 28,
    renewals integer NOT NULL DEFAULT 2,
    max_loans integer NOT NULL DEFAULT 0,
    max_holds integer NOT NULL DEFAULT 0,
    block_overdue boolean NOT NULL DEFAULT false,
    hold_days integer NOT NULL DEFAULT 7,
    history_days integer DEFAULT 365,
    time_zone text COLLATE "C" NOT NULL DEFAULT 'UTC'::text,
    closed_weekdays text COLLATE "C" NOT NULL DEFAULT '[]'::text,
    closed_dates text COLLATE "C" NOT NULL DEFAULT '[]'::text,
    due_soon_days integer NOT NULL DEFAULT 3,
    overdue_days text COLLATE "C" NOT NULL DEFAULT '[1, 7, 21]'::text,
    self_borrow boolean NOT NULL DEFAULT true,
    self_return boolean NOT NULL DEFAULT true,
    notice_wanted boolean NOT NULL DEFAULT false,
    notice_time text COLLATE "C" NOT NULL DEFAULT '08:00'::text,
    mail_note text COLLATE "C" NOT NULL DEFAULT '{}'::text,
    default_locale text COLLATE "C" NOT NULL DEFAULT 'en'::text,
    rules text COLLATE "C" NOT NULL DEFAULT '[]'::text,
    version text COLLATE "C" NOT NULL DEFAULT '1'::text,
    CONSTRAINT policy_pkey PRIMARY KEY (number),
    CONSTRAINT policy_is_one CHECK ((number = 1))
);
CREATE TRIGGER policy_by_hand AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON policy FOR EACH STATEMENT WHEN ((current_setting('library.publishes'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION invalidate_all();

CREATE TABLE stocktakes (
    seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    shelves text COLLATE "C" NOT NULL,
    started_at bigint NOT NULL,
    closed_at bigint,
    again bigint NOT NULL DEFAULT 0,
    marked bigint NOT NULL DEFAULT 0,
    numbers text COLLATE "C" NOT NULL DEFAULT ''::text,
    CONSTRAINT stocktakes_id UNIQUE (id),
    CONSTRAINT stocktakes_pkey PRIMARY KEY (seq)
);
CREATE INDEX stocktakes_by_start ON stocktakes USING btree (started_at, id);

CREATE TABLE stocktake_copies (
    stocktake bigint NOT NULL,
    copy bigint NOT NULL,
    touched bigint,
    away boolean NOT NULL DEFAULT false,
    outcome text COLLATE "C",
    scanned_at bigint,
    CONSTRAINT stocktake_copies_pkey PRIMARY KEY (stocktake, copy)
);
CREATE INDEX stocktake_copies_by_copy ON stocktake_copies USING btree (copy);

CREATE TABLE stocktake_codes (
    seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    stocktake bigint NOT NULL,
    code bytea NOT NULL,
    scanned_at bigint NOT NULL,
    CONSTRAINT stocktake_codes_once UNIQUE (stocktake, code),
    CONSTRAINT stocktake_codes_pkey PRIMARY KEY (seq)
);

CREATE TABLE stock (
    seq bigint NOT NULL,
    copies integer NOT NULL,
    available integer NOT NULL,
    waiting integer NOT NULL DEFAULT 0,
    lent integer NOT NULL DEFAULT 0,
    ready integer NOT NULL DEFAULT 0,
    borrowed boolean NOT NULL DEFAULT false,
    due_at bigint,
    shelves text COLLATE "C" NOT NULL DEFAULT '[]'::text,
    CONSTRAINT stock_pkey PRIMARY KEY (seq),
    CONSTRAINT stock_book FOREIGN KEY (seq) REFERENCES books(seq) ON DELETE CASCADE,
    CONSTRAINT stock_is_a_count CHECK (((copies >= 0) AND (available >= 0) AND (waiting >= 0) AND (lent >= 0) AND (ready >= 0)))
) WITH (fillfactor=70);
CREATE INDEX stock_borrowed ON stock USING btree (seq) WHERE borrowed;
CREATE INDEX stock_not_available ON stock USING btree (seq) WHERE (available = 0);
CREATE INDEX stock_waiting ON stock USING btree (seq) WHERE (waiting > 0);
CREATE TRIGGER stock_by_hand AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON stock FOR EACH STATEMENT WHEN ((current_setting('library.publishes'::text, true) IS DISTINCT FROM 'on'::text)) EXECUTE FUNCTION invalidate_all();

CREATE TABLE revision (
    part integer NOT NULL,
    changes bigint NOT NULL,
    recent text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
    CONSTRAINT revision_pkey PRIMARY KEY (part)
) WITH (fillfactor=10);

CREATE TABLE changes (
    major bigint NOT NULL DEFAULT GREATEST(((pg_current_xact_id())::text)::bigint, (((pg_snapshot_xmax(pg_current_snapshot()))::text)::bigint - 1)),
    seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    mark bigint NOT NULL DEFAULT ((random() * ('9007199254740992'::bigint)::double precision))::bigint,
    kind text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    borrowed boolean NOT NULL,
    available integer NOT NULL DEFAULT 0,
    step integer NOT NULL DEFAULT 0,
    person text COLLATE "C",
    CONSTRAINT changes_pkey PRIMARY KEY (major, seq)
);
CREATE INDEX changes_of_person ON changes USING btree (person, subject) WHERE (person IS NOT NULL);
CREATE TRIGGER changes_trim AFTER INSERT ON changes FOR EACH ROW WHEN (((new.seq % (128)::bigint) = 0)) EXECUTE FUNCTION trim_changes();

CREATE TABLE idempotency_keys (
    key bytea NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    fingerprint bytea NOT NULL,
    role text COLLATE "C" NOT NULL,
    for_staff boolean NOT NULL,
    response bytea NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT idempotency_keys_key PRIMARY KEY (key),
    CONSTRAINT idempotency_keys_user FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys USING btree (created_at);
CREATE INDEX idempotency_keys_by_user ON idempotency_keys USING btree (user_id, created_at);

CREATE TABLE unknown_cards (
    seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    station_id text COLLATE "C" NOT NULL,
    tried_at bigint NOT NULL,
    CONSTRAINT unknown_cards_pkey PRIMARY KEY (seq),
    CONSTRAINT unknown_cards_station FOREIGN KEY (station_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX unknown_cards_by_station ON unknown_cards USING btree (station_id, tried_at);

CREATE TABLE idempotency_records (
    key bytea NOT NULL,
    record text COLLATE "C" NOT NULL,
    CONSTRAINT idempotency_records_pkey PRIMARY KEY (key, record),
    CONSTRAINT idempotency_records_key FOREIGN KEY (key) REFERENCES idempotency_keys(key) ON DELETE CASCADE
);
CREATE INDEX idempotency_records_by_record ON idempotency_records USING btree (record);

CREATE TABLE secrets (
    name text COLLATE "C" NOT NULL,
    secret text COLLATE "C" NOT NULL,
    CONSTRAINT secrets_pkey PRIMARY KEY (name)
);

CREATE TABLE logouts (
    seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    token bytea NOT NULL,
    ends bytea NOT NULL,
    before_at bigint,
    until_at bigint NOT NULL,
    CONSTRAINT logouts_token UNIQUE (token),
    CONSTRAINT logouts_pkey PRIMARY KEY (seq)
);
CREATE INDEX logouts_until ON logouts USING btree (until_at);

CREATE TABLE directory_users (
    user_id text COLLATE "C" NOT NULL,
    user_name text COLLATE "C",
    user_name_key text COLLATE "C",
    external_id text COLLATE "C",
    kept text COLLATE "C" NOT NULL,
    adopted boolean NOT NULL,
    removed boolean NOT NULL,
    CONSTRAINT directory_users_external UNIQUE (external_id),
    CONSTRAINT directory_users_name UNIQUE (user_name_key),
    CONSTRAINT directory_users_pkey PRIMARY KEY (user_id),
    CONSTRAINT directory_users_user FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

CREATE TABLE directory_groups (
    id text COLLATE "C" NOT NULL,
    display_name text COLLATE "C" NOT NULL,
    external_id text COLLATE "C",
    created_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    version text COLLATE "C" NOT NULL,
    CONSTRAINT directory_groups_external UNIQUE (external_id),
    CONSTRAINT directory_groups_pkey PRIMARY KEY (id)
);

CREATE TABLE directory_members (
    group_id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    CONSTRAINT directory_members_pkey PRIMARY KEY (group_id, user_id),
    CONSTRAINT directory_members_group FOREIGN KEY (group_id) REFERENCES directory_groups(id) ON DELETE CASCADE,
    CONSTRAINT directory_members_user FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX directory_members_of_user ON directory_members USING btree (user_id);

CREATE TABLE covers (
    book bigint NOT NULL,
    version text COLLATE "C" NOT NULL,
    small bytea NOT NULL,
    large bytea NOT NULL,
    CONSTRAINT covers_pkey PRIMARY KEY (book),
    CONSTRAINT covers_book FOREIGN KEY (book) REFERENCES books(seq) ON DELETE CASCADE
);

CREATE TABLE outbox (
    number integer NOT NULL DEFAULT 1,
    paused boolean NOT NULL DEFAULT false,
    mail_from text COLLATE "C",
    public_url text COLLATE "C",
    CONSTRAINT outbox_pkey PRIMARY KEY (number),
    CONSTRAINT outbox_is_one CHECK ((number = 1))
);

CREATE TABLE mails (
    id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    next_at bigint NOT NULL,
    claim text COLLATE "C",
    given integer NOT NULL DEFAULT 0,
    CONSTRAINT mails_one_per_person UNIQUE (user_id),
    CONSTRAINT mails_id PRIMARY KEY (id),
    CONSTRAINT mails_user FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX mails_by_next ON mails USING btree (next_at);

CREATE TABLE notices (
    id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    about text COLLATE "C" NOT NULL,
    occasion bigint NOT NULL,
    value integer NOT NULL DEFAULT 0,
    user_id text COLLATE "C",
    book_id text COLLATE "C" NOT NULL,
    book_title text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL,
    mail_id text COLLATE "C",
    attempts integer NOT NULL DEFAULT 0,
    problem_code integer,
    problem_stage text COLLATE "C",
    created_at bigint NOT NULL,
    sent_at bigint,
    tried_for bigint NOT NULL DEFAULT 0,
    CONSTRAINT notices_id PRIMARY KEY (id),
    CONSTRAINT notices_mail FOREIGN KEY (mail_id) REFERENCES mails(id) ON DELETE SET NULL,
    CONSTRAINT notices_user FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE SET NULL,
    CONSTRAINT notices_state CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'dropped'::text, 'failed'::text])))
);
CREATE INDEX notices_by_creation ON notices USING btree (created_at, id);
CREATE INDEX notices_by_mail ON notices USING btree (mail_id) WHERE (mail_id IS NOT NULL);
CREATE INDEX notices_by_state ON notices USING btree (state, created_at, id, kind);
CREATE INDEX notices_by_user ON notices USING btree (user_id, created_at, id);
CREATE UNIQUE INDEX notices_once ON notices USING btree (about, kind, occasion, value);
CREATE INDEX notices_waiting ON notices USING btree (created_at) WHERE ((state = 'waiting'::text) AND (mail_id IS NULL));

CREATE TABLE mail_problems (
    user_id text COLLATE "C" NOT NULL,
    email_key text COLLATE "C" NOT NULL,
    code integer NOT NULL,
    since_at bigint NOT NULL,
    CONSTRAINT mail_problems_pkey PRIMARY KEY (user_id),
    CONSTRAINT mail_problems_user FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

CREATE TABLE webhook_feed (
    number integer NOT NULL DEFAULT 1,
    major bigint NOT NULL,
    seq bigint NOT NULL,
    mark bigint NOT NULL,
    CONSTRAINT webhook_feed_pkey PRIMARY KEY (number),
    CONSTRAINT webhook_feed_is_one CHECK ((number = 1))
);

CREATE TABLE webhook_events (
    seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    id text COLLATE "C" NOT NULL,
    type text COLLATE "C" NOT NULL,
    book_id text COLLATE "C" NOT NULL,
    book_title text COLLATE "C" NOT NULL,
    record text COLLATE "C" NOT NULL,
    happened_at bigint NOT NULL,
    collected_at bigint NOT NULL,
    CONSTRAINT webhook_events_pkey PRIMARY KEY (seq)
);

CREATE TABLE webhooks (
    hook text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    failing_since bigint,
    next_at bigint,
    is_off boolean NOT NULL DEFAULT false,
    used_at bigint NOT NULL,
    CONSTRAINT webhooks_pkey PRIMARY KEY (hook)
);

CREATE TABLE webhook_overdue (
    loan_id text COLLATE "C" NOT NULL,
    renewals integer NOT NULL,
    CONSTRAINT webhook_overdue_pkey PRIMARY KEY (loan_id)
);

CREATE TABLE deleted_titles (
    seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    book_id text COLLATE "C" NOT NULL,
    title text COLLATE "C" NOT NULL,
    CONSTRAINT deleted_titles_pkey PRIMARY KEY (seq)
);
CREATE INDEX deleted_titles_by_book ON deleted_titles USING btree (book_id);

CREATE TABLE vocabulary (
    word text COLLATE "C" NOT NULL,
    turned text COLLATE "C" NOT NULL,
    CONSTRAINT vocabulary_pkey PRIMARY KEY (word)
);
CREATE INDEX vocabulary_turned ON vocabulary USING btree (turned);

CREATE TABLE letters (
    letter text COLLATE "C" NOT NULL,
    CONSTRAINT letters_pkey PRIMARY KEY (letter)
);

CREATE FUNCTION check_copy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM copies WHERE id = NEW.copy_id AND book_id = NEW.book_id FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the book has no such copy' USING ERRCODE = 'check_violation', CONSTRAINT = 'copy_of_the_book';
    END IF;
    IF TG_TABLE_NAME = 'loans' THEN
        IF EXISTS (SELECT 1 FROM holds WHERE copy_id = NEW.copy_id AND user_id <> NEW.user_id) THEN
            RAISE EXCEPTION 'the copy is set aside for somebody else'
                USING ERRCODE = 'check_violation', CONSTRAINT = 'copy_is_set_aside';
        END IF;
    ELSIF EXISTS (SELECT 1 FROM loans WHERE copy_id = NEW.copy_id AND returned_at IS NULL) THEN
        RAISE EXCEPTION 'the copy is lent' USING ERRCODE = 'check_violation', CONSTRAINT = 'copy_is_lent';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION drop_notices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE notices SET state = 'dropped', mail_id = NULL WHERE user_id = OLD.id AND state = 'waiting';
    RETURN OLD;
END $$;

CREATE FUNCTION forget_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE changes SET person = NULL WHERE person = OLD.user_id AND subject = NEW.id;
    UPDATE notices SET user_id = NULL, state = CASE state WHEN 'waiting' THEN 'dropped' ELSE state END, mail_id = NULL WHERE about = NEW.id;
    RETURN NULL;
END $$;

CREATE FUNCTION forget_responses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE idempotency_keys SET fingerprint = '', response = ''
    WHERE key IN (SELECT key FROM idempotency_records WHERE record = OLD.id);
    RETURN NULL;
END $$;

CREATE FUNCTION forget_responses_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE idempotency_keys SET fingerprint = '', response = '' WHERE key IN (
        SELECT key FROM idempotency_records WHERE record = OLD.id
        UNION ALL SELECT r.key FROM idempotency_records r JOIN loans l ON l.id = r.record WHERE l.user_id = OLD.id
        UNION ALL SELECT r.key FROM idempotency_records r JOIN holds h ON h.id = r.record WHERE h.user_id = OLD.id);
    RETURN NULL;
END $$;

CREATE FUNCTION invalidate_all() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE revision SET changes = changes + 1, recent = ((changes + 1) || ' *') || recent[1:15]
    WHERE part = pg_current_xact_id()::text::bigint % 16;
    RETURN NULL;
END $$;

CREATE FUNCTION keep_deleted_title() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    newest BIGINT;
BEGIN
    IF EXISTS (SELECT 1 FROM webhook_feed) THEN
        INSERT INTO deleted_titles (book_id, title) VALUES (OLD.id, OLD.title) RETURNING seq INTO newest;
        DELETE FROM deleted_titles WHERE seq <= newest - 10000;
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION leave_stocktakes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM stocktake_copies WHERE copy = OLD.seq;
    RETURN NULL;
END $$;

CREATE FUNCTION note_new_shelves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM added WHERE shelf <> '') THEN
        PERFORM shelve(ARRAY(SELECT DISTINCT book_id FROM added WHERE shelf <> ''));
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION note_shelf() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM shelve(ARRAY[OLD.book_id]); RETURN NULL; END $$;

CREATE FUNCTION rename_book() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE loans SET book_title = NEW.title, book_authors = NEW.authors WHERE book_id = NEW.id;
    UPDATE holds SET book_title = NEW.title, book_authors = NEW.authors WHERE book_id = NEW.id;
    RETURN NULL;
END $$;

CREATE FUNCTION shelve(changed text[]) RETURNS void LANGUAGE sql AS $$
    UPDATE stock SET shelves = coalesce((
        SELECT json_agg(DISTINCT shelf)::text FROM copies WHERE book_id = b.id AND state = 'lendable' AND shelf <> ''), '[]')
    FROM books b WHERE b.id = ANY(changed) AND stock.seq = b.seq
$$;

CREATE FUNCTION stock_books() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO stock (seq, copies, available)
    SELECT seq, first_copies, first_copies FROM added ORDER BY seq;
    INSERT INTO copies (book_id, created_at)
    SELECT a.id, a.created_at FROM added a CROSS JOIN LATERAL generate_series(1, a.first_copies) ORDER BY a.seq;
    RETURN NULL;
END $$;

CREATE FUNCTION trim_changes() RETURNS trigger LANGUAGE plpgsql AS $$
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
END $$;
