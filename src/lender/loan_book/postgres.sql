CREATE TABLE house (
    id BIGINT PRIMARY KEY CHECK (id = 1), salt TEXT NOT NULL, created_at BIGINT NOT NULL, copied_at BIGINT,
    zone TEXT
);
CREATE TABLE loans (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    reference TEXT NOT NULL UNIQUE,
    request_digest TEXT NOT NULL,
    customer_id TEXT NOT NULL,
    request TEXT NOT NULL,
    offer_id TEXT,
    loan_id TEXT UNIQUE,
    loan_reference_id TEXT UNIQUE,
    state TEXT NOT NULL,
    wake_at BIGINT,
    body TEXT NOT NULL,
    currency TEXT,
    owed_minor BIGINT NOT NULL DEFAULT 0,
    due_at BIGINT,
    private BYTEA,
    instance BIGINT,
    epoch BIGINT NOT NULL DEFAULT 0,
    version BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    changed_at BIGINT NOT NULL
);
CREATE INDEX loans_to_wake ON loans (wake_at) WHERE instance IS NULL AND wake_at IS NOT NULL;
CREATE INDEX loans_by_customer ON loans (customer_id);
CREATE INDEX loans_by_state ON loans (state, changed_at);
CREATE INDEX loans_claimed ON loans (instance) WHERE instance IS NOT NULL;
CREATE TABLE acceptances (
    loan_reference_id TEXT PRIMARY KEY,
    digest TEXT NOT NULL,
    loan BIGINT NOT NULL REFERENCES loans (id),
    at BIGINT NOT NULL
);
CREATE TABLE offers (
    loan BIGINT NOT NULL REFERENCES loans (id),
    offer_id TEXT NOT NULL,
    place BIGINT NOT NULL,
    offer TEXT NOT NULL,
    terms TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (loan, offer_id)
);
CREATE INDEX offers_by_id ON offers (offer_id);
CREATE TABLE decisions (
    loan BIGINT NOT NULL REFERENCES loans (id),
    number BIGINT NOT NULL,
    at BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    policy_name TEXT NOT NULL,
    policy_version TEXT NOT NULL,
    policy_digest TEXT NOT NULL,
    record BYTEA,
    PRIMARY KEY (loan, number)
);
CREATE TABLE orders (
    loan BIGINT NOT NULL REFERENCES loans (id),
    kind TEXT NOT NULL CHECK (kind IN ('fund', 'debit')),
    instalment BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    transaction_id TEXT NOT NULL UNIQUE,
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
    outcome TEXT NOT NULL CHECK (outcome IN ('planned', 'sent', 'moved', 'not_moved', 'withdrawn')),
    transaction_ref TEXT,
    planned_at BIGINT NOT NULL,
    sent_at BIGINT,
    settled_at BIGINT,
    PRIMARY KEY (loan, kind, instalment, attempt)
);
CREATE UNIQUE INDEX one_order_at_a_time ON orders (loan) WHERE outcome IN ('planned', 'sent');
CREATE UNIQUE INDEX one_funding ON orders (loan) WHERE kind = 'fund' AND outcome IN ('planned', 'sent', 'moved');
CREATE INDEX orders_by_ref ON orders (transaction_ref);
CREATE INDEX orders_by_day ON orders (sent_at);
CREATE TABLE payments (
    payment_ref TEXT NOT NULL,
    digest TEXT NOT NULL,
    loan_id TEXT NOT NULL,
    customer_id TEXT NOT NULL,
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
    standing TEXT NOT NULL CHECK (standing IN ('received', 'waiting', 'posted', 'echo', 'parked', 'dismissed')),
    reason TEXT,
    loan BIGINT REFERENCES loans (id),
    received_at BIGINT NOT NULL,
    settled_at BIGINT,
    PRIMARY KEY (payment_ref, digest)
);
CREATE UNIQUE INDEX one_posting ON payments (payment_ref) WHERE standing IN ('received', 'waiting', 'posted', 'echo');
CREATE INDEX payments_by_loan ON payments (loan, standing);
CREATE INDEX payments_to_look_at ON payments (received_at) WHERE standing = 'received';
CREATE INDEX payments_parked ON payments (received_at) WHERE standing = 'parked';
CREATE TABLE messages (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    loan BIGINT NOT NULL REFERENCES loans (id),
    message TEXT NOT NULL,
    step BIGINT NOT NULL,
    standing TEXT NOT NULL CHECK (standing IN ('waiting', 'sending', 'sent', 'unknown', 'failed')),
    reason TEXT,
    tries BIGINT NOT NULL DEFAULT 0,
    wake_at BIGINT,
    instance BIGINT,
    planned_at BIGINT NOT NULL,
    settled_at BIGINT,
    UNIQUE (loan, message, step)
);
CREATE INDEX messages_to_send ON messages (wake_at) WHERE standing = 'waiting';
CREATE INDEX messages_claimed ON messages (instance) WHERE instance IS NOT NULL;
CREATE TABLE bills_paid (reference TEXT PRIMARY KEY, at BIGINT NOT NULL);
CREATE TABLE audit (
    seq BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    loan BIGINT,
    actor TEXT NOT NULL,
    event TEXT NOT NULL,
    detail TEXT NOT NULL,
    hash TEXT NOT NULL
);
CREATE INDEX audit_by_loan ON audit (loan, seq);
CREATE TABLE audit_head (id BIGINT PRIMARY KEY CHECK (id = 1), seq BIGINT NOT NULL, hash TEXT NOT NULL);
INSERT INTO audit_head (id, seq, hash) VALUES (1, 0, '');
CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'append-only: audit';
END
$$;
CREATE TRIGGER audit_is_kept BEFORE DELETE OR UPDATE ON audit
    FOR EACH ROW EXECUTE FUNCTION audit_is_append_only();
CREATE TRIGGER audit_is_not_emptied BEFORE TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();
