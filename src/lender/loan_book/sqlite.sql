CREATE TABLE house (
    id INTEGER PRIMARY KEY CHECK (id = 1), salt TEXT NOT NULL, created_at INTEGER NOT NULL, copied_at INTEGER,
    zone TEXT
) STRICT;
CREATE TABLE loans (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    reference TEXT NOT NULL UNIQUE,
    request_digest TEXT NOT NULL,
    customer_id TEXT NOT NULL,
    request TEXT NOT NULL,
    offer_id TEXT,
    loan_id TEXT UNIQUE,
    loan_reference_id TEXT UNIQUE,
    state TEXT NOT NULL,
    wake_at INTEGER,
    body TEXT NOT NULL,
    currency TEXT,
    owed_minor INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER,
    private BLOB,
    instance INTEGER,
    epoch INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX loans_to_wake ON loans (wake_at) WHERE instance IS NULL AND wake_at IS NOT NULL;
CREATE INDEX loans_by_customer ON loans (customer_id);
CREATE INDEX loans_by_state ON loans (state, changed_at);
CREATE INDEX loans_claimed ON loans (instance) WHERE instance IS NOT NULL;
CREATE TABLE acceptances (
    loan_reference_id TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    loan INTEGER NOT NULL REFERENCES loans (id),
    at INTEGER NOT NULL
) STRICT;
CREATE TABLE offers (
    loan INTEGER NOT NULL REFERENCES loans (id),
    offer_id TEXT NOT NULL,
    place INTEGER NOT NULL,
    offer TEXT NOT NULL,
    terms TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (loan, offer_id)
) STRICT;
CREATE INDEX offers_by_id ON offers (offer_id);
CREATE TABLE decisions (
    loan INTEGER NOT NULL REFERENCES loans (id),
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    policy_name TEXT NOT NULL,
    policy_version TEXT NOT NULL,
    policy_digest TEXT NOT NULL,
    record BLOB,
    PRIMARY KEY (loan, number)
) STRICT;
CREATE TABLE orders (
    loan INTEGER NOT NULL REFERENCES loans (id),
    kind TEXT NOT NULL CHECK (kind IN ('fund', 'debit')),
    instalment INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    transaction_id TEXT NOT NULL UNIQUE,
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    outcome TEXT NOT NULL CHECK (outcome IN ('planned', 'sent', 'moved', 'not_moved', 'withdrawn')),
    transaction_ref TEXT,
    planned_at INTEGER NOT NULL,
    sent_at INTEGER,
    settled_at INTEGER,
    PRIMARY KEY (loan, kind, instalment, attempt)
) STRICT;
CREATE UNIQUE INDEX one_order_at_a_time ON orders (loan) WHERE outcome IN ('planned', 'sent');
CREATE UNIQUE INDEX one_funding ON orders (loan) WHERE kind = 'fund' AND outcome IN ('planned', 'sent', 'moved');
CREATE INDEX orders_by_ref ON orders (transaction_ref);
CREATE INDEX orders_by_day ON orders (sent_at);
CREATE TABLE payments (
    payment_ref TEXT NOT NULL,
    digest TEXT NOT NULL,
    loan_id TEXT NOT NULL,
    customer_id TEXT NOT NULL,
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    standing TEXT NOT NULL CHECK (standing IN ('received', 'waiting', 'posted', 'echo', 'parked', 'dismissed')),
    reason TEXT,
    loan INTEGER REFERENCES loans (id),
    received_at INTEGER NOT NULL,
    settled_at INTEGER,
    PRIMARY KEY (payment_ref, digest)
) STRICT;
CREATE UNIQUE INDEX one_posting ON payments (payment_ref) WHERE standing IN ('received', 'waiting', 'posted', 'echo');
CREATE INDEX payments_by_loan ON payments (loan, standing);
CREATE INDEX payments_to_look_at ON payments (received_at) WHERE standing = 'received';
CREATE INDEX payments_parked ON payments (received_at) WHERE standing = 'parked';
CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    loan INTEGER NOT NULL REFERENCES loans (id),
    message TEXT NOT NULL,
    step INTEGER NOT NULL,
    standing TEXT NOT NULL CHECK (standing IN ('waiting', 'sending', 'sent', 'unknown', 'failed')),
    reason TEXT,
    tries INTEGER NOT NULL DEFAULT 0,
    wake_at INTEGER,
    instance INTEGER,
    planned_at INTEGER NOT NULL,
    settled_at INTEGER,
    UNIQUE (loan, message, step)
) STRICT;
CREATE INDEX messages_to_send ON messages (wake_at) WHERE standing = 'waiting';
CREATE INDEX messages_claimed ON messages (instance) WHERE instance IS NOT NULL;
CREATE TABLE bills_paid (reference TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT;
CREATE TABLE audit (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    loan INTEGER,
    actor TEXT NOT NULL,
    event TEXT NOT NULL,
    detail TEXT NOT NULL,
    hash TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_loan ON audit (loan, seq);
CREATE TABLE audit_head (id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
INSERT INTO audit_head (id, seq, hash) VALUES (1, 0, '');
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit BEGIN
    SELECT RAISE(ABORT, 'append-only: audit');
END;
CREATE TRIGGER audit_is_unchanged BEFORE UPDATE ON audit BEGIN
    SELECT RAISE(ABORT, 'append-only: audit');
END;
