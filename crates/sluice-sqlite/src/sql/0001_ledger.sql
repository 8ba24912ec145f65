-- The ledger as it begins. This file is final: its digest is stored in every ledger made with it.
-- Times are ledger time in milliseconds since 1970-01-01T00:00:00Z unless a name says otherwise.

CREATE TABLE meta (
    one              INTEGER PRIMARY KEY CHECK (one = 1),
    ledger           TEXT    NOT NULL,
    incarnation      INTEGER NOT NULL,
    schema           INTEGER NOT NULL,
    last_time        INTEGER NOT NULL,
    last_boot        TEXT    NOT NULL,
    last_boottime_ns INTEGER NOT NULL,
    retention_halted INTEGER NOT NULL,
    -- Row ids are drawn from here and never used twice, so that the events of a removed record
    -- are never taken for those of a later one.
    next_record      INTEGER NOT NULL
) STRICT;

CREATE TABLE migrations (
    number  INTEGER PRIMARY KEY,
    name    TEXT    NOT NULL,
    sha256  TEXT    NOT NULL,
    applied INTEGER NOT NULL
) STRICT;

CREATE TABLE secrets (
    id      TEXT    PRIMARY KEY,
    purpose TEXT    NOT NULL CHECK (purpose IN ('fingerprint', 'downstream')),
    bytes   BLOB    NOT NULL CHECK (length(bytes) = 32),
    created INTEGER NOT NULL,
    retired INTEGER
) STRICT;

-- What may grow stands last, so that reading the rest never follows an overflow chain.
CREATE TABLE records (
    id                    INTEGER PRIMARY KEY,
    namespace             TEXT    NOT NULL,
    key                   TEXT    NOT NULL,
    version               INTEGER NOT NULL,
    incarnation           INTEGER NOT NULL,
    created               INTEGER NOT NULL,
    updated               INTEGER NOT NULL,
    lease_boot            TEXT    NOT NULL,
    lease_until_ns        INTEGER NOT NULL,
    status                TEXT    NOT NULL,
    epoch                 INTEGER NOT NULL,
    claim_id              BLOB    NOT NULL,
    holder_machine        TEXT    NOT NULL,
    holder_boot           TEXT    NOT NULL,
    holder_pid            INTEGER NOT NULL,
    holder_pid_start      INTEGER,
    holder_process_group  INTEGER,
    holder_lock           TEXT,
    lease_ms              INTEGER NOT NULL,
    attempt_timeout_ms    INTEGER,
    declares_marks        INTEGER NOT NULL,
    marked                INTEGER NOT NULL,
    -- Not written yet: what retention and the window of a target will need.
    repeatable            INTEGER,
    first_sent            INTEGER,
    result_expires        INTEGER,
    record_expires        INTEGER,
    downstream_first_used INTEGER,
    downstream_key        TEXT    NOT NULL,
    downstream_rotation   INTEGER NOT NULL,
    fingerprint_secret    TEXT,
    fingerprint_mac       BLOB,
    tool                  TEXT,
    actor                 TEXT,
    run_id                TEXT,
    object_id             TEXT,
    unresolved            TEXT,
    landed                TEXT,
    not_kept              TEXT,
    result_bytes          INTEGER,
    result_sha256         BLOB,
    evidence_not_kept     TEXT,
    evidence_bytes        INTEGER,
    evidence_sha256       BLOB,
    fault                 TEXT,
    result                BLOB,
    evidence              BLOB,
    UNIQUE (namespace, key)
) STRICT;

-- For lists of what runs or needs a person. Small, since every other status leaves it.
CREATE INDEX records_open ON records (status, updated) WHERE status IN ('in_flight', 'indeterminate');

-- Grants that a newer one has replaced; the newest stands in its record.
CREATE TABLE grants (
    namespace TEXT    NOT NULL,
    key       TEXT    NOT NULL,
    claim_id  BLOB    NOT NULL,
    epoch     INTEGER NOT NULL,
    PRIMARY KEY (namespace, key, claim_id, epoch)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    seq       INTEGER PRIMARY KEY,
    record    INTEGER,
    namespace TEXT    NOT NULL,
    key       TEXT    NOT NULL,
    version   INTEGER,
    at        INTEGER NOT NULL,
    kind      TEXT    NOT NULL,
    epoch     INTEGER,
    claim_id  BLOB,
    status    TEXT,
    words     TEXT,
    sealed    INTEGER
) STRICT;

CREATE INDEX events_of_record ON events (record);

CREATE TABLE deliveries (
    namespace TEXT    NOT NULL,
    key       TEXT    NOT NULL,
    count     INTEGER NOT NULL,
    first     INTEGER NOT NULL,
    last      INTEGER NOT NULL,
    recent    TEXT    NOT NULL,
    PRIMARY KEY (namespace, key)
) STRICT, WITHOUT ROWID;
