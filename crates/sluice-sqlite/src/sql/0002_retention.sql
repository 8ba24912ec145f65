-- Retention and what people look for. This file is final: its digest is stored in every ledger made with it.

ALTER TABLE meta ADD COLUMN retention_since INTEGER NOT NULL DEFAULT -9223372036854775808;
UPDATE meta SET schema = 2;

-- How long results and records are kept, counted from the last change of the record: 7 and 90 days by default.
ALTER TABLE records ADD COLUMN keep_result_ms INTEGER NOT NULL DEFAULT 604800000;
ALTER TABLE records ADD COLUMN remember_ms    INTEGER NOT NULL DEFAULT 7776000000;

UPDATE records SET
    record_expires = updated + remember_ms,
    result_expires = CASE
        WHEN result IS NOT NULL OR evidence IS NOT NULL OR fault IS NOT NULL THEN updated + keep_result_ms
    END
WHERE status IN ('succeeded', 'failed', 'released');

-- What is due next. New entries come at its end, since times only grow.
CREATE INDEX records_due ON records (coalesce(result_expires, record_expires)) WHERE record_expires IS NOT NULL;

-- Both are nearly empty in a healthy ledger.
CREATE INDEX records_double ON records (id) WHERE instr(landed, ',') > 0;
CREATE INDEX events_conflicts ON events (record) WHERE kind = 'notice.key_conflict';

-- Events of the ledger itself have no namespace.
CREATE INDEX events_of_ledger ON events (seq) WHERE namespace = '';
