-- Circuits that all processes of a ledger share. This file is final: its digest is stored in every ledger made with it.

CREATE TABLE circuits (
    name    TEXT    PRIMARY KEY,
    version INTEGER NOT NULL,
    state   TEXT    NOT NULL,
    updated INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

UPDATE meta SET schema = 3;
