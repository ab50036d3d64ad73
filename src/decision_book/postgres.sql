CREATE TABLE decision_book (id BIGINT PRIMARY KEY CHECK (id = 1), keys_check BYTEA NOT NULL);
CREATE TABLE policies (
    digest TEXT NOT NULL,
    parameters TEXT NOT NULL,
    engine TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    about TEXT NOT NULL,
    first_at BIGINT NOT NULL,
    PRIMARY KEY (digest, parameters, engine)
);
CREATE TABLE decisions (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    at BIGINT NOT NULL,
    shadow TEXT,
    answer TEXT,
    caller TEXT NOT NULL,
    request_key BYTEA UNIQUE,
    request_digest BYTEA,
    customer BYTEA,
    reference BYTEA,
    as_of BIGINT,
    policy_name TEXT NOT NULL,
    policy_version TEXT NOT NULL,
    policy_digest TEXT NOT NULL,
    parameters TEXT NOT NULL,
    engine TEXT NOT NULL,
    arm TEXT,
    outcome TEXT NOT NULL CHECK (outcome IN ('offer', 'refer', 'decline', 'failed')),
    reasons TEXT NOT NULL,
    amount_minor BIGINT,
    currency TEXT,
    took_us BIGINT NOT NULL,
    record BYTEA
);
CREATE INDEX decisions_by_moment ON decisions (at);
CREATE INDEX decisions_by_customer ON decisions (customer) WHERE customer IS NOT NULL;
CREATE INDEX decisions_by_reference ON decisions (reference) WHERE reference IS NOT NULL;
CREATE INDEX decisions_of_shadows ON decisions (answer) WHERE answer IS NOT NULL;
CREATE TABLE outcomes (
    decision TEXT PRIMARY KEY REFERENCES decisions (id),
    at BIGINT NOT NULL,
    bad BIGINT NOT NULL,
    loan_date BIGINT,
    bad_date BIGINT,
    observed_until BIGINT,
    amount_minor BIGINT
);
