CREATE TABLE decision_book (id INTEGER PRIMARY KEY CHECK (id = 1), keys_check BLOB NOT NULL) STRICT;
CREATE TABLE policies (
    digest TEXT NOT NULL,
    parameters TEXT NOT NULL,
    engine TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    about TEXT NOT NULL,
    first_at INTEGER NOT NULL,
    PRIMARY KEY (digest, parameters, engine)
) STRICT;
CREATE TABLE decisions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    at INTEGER NOT NULL,
    shadow TEXT,
    answer TEXT,
    caller TEXT NOT NULL,
    request_key BLOB UNIQUE,
    request_digest BLOB,
    customer BLOB,
    reference BLOB,
    as_of INTEGER,
    policy_name TEXT NOT NULL,
    policy_version TEXT NOT NULL,
    policy_digest TEXT NOT NULL,
    parameters TEXT NOT NULL,
    engine TEXT NOT NULL,
    arm TEXT,
    outcome TEXT NOT NULL CHECK (outcome IN ('offer', 'refer', 'decline', 'failed')),
    reasons TEXT NOT NULL,
    amount_minor INTEGER,
    currency TEXT,
    took_us INTEGER NOT NULL,
    record BLOB
) STRICT;
CREATE INDEX decisions_by_moment ON decisions (at);
CREATE INDEX decisions_by_customer ON decisions (customer) WHERE customer IS NOT NULL;
CREATE INDEX decisions_by_reference ON decisions (reference) WHERE reference IS NOT NULL;
CREATE INDEX decisions_of_shadows ON decisions (answer) WHERE answer IS NOT NULL;
CREATE TABLE outcomes (
    decision TEXT PRIMARY KEY REFERENCES decisions (id),
    at INTEGER NOT NULL,
    bad INTEGER NOT NULL,
    loan_date INTEGER,
    bad_date INTEGER,
    observed_until INTEGER,
    amount_minor INTEGER
) STRICT;
