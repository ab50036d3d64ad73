-- The referee's own tables, from which all metrics are computed: `tx` (records up to as_of, in order), `span`, `month`, `week`, `day`.
-- Written from the catalogue's definitions; must not follow the program's own evaluator in anything.
--
-- Given by compare.py:
--   source_record (source, customer, place, id, trans_date, cleared_date, credit, debit, balance, narration, topics)
--       money in minor units; `place` orders the records of a day; records dropped as repeats of an id are already gone
--   source_repeat (source, customer)                       one row a record dropped
--   asked (sid, source, customer, as_of, names_debit)      one row a statement and day to judge
--   text_list (narration, topics, lists)                   the word lists that a text mentions
--   text_word (narration, topics, list, word)              and the first word of each list
--   parameter (name, value)

CREATE MACRO ratio(a, b) AS CASE WHEN b = 0 THEN NULL ELSE a::DOUBLE / b::DOUBLE END;
-- Sample variance from exact sums: n, sum of x, sum of x squared.
CREATE MACRO deviation(n, s, ss) AS
    CASE WHEN n > 1 THEN sqrt((n::HUGEINT * ss::HUGEINT - s::HUGEINT * s::HUGEINT)::DOUBLE / (n::DOUBLE * (n - 1)::DOUBLE)) END;
CREATE MACRO parameter_of(wanted) AS (SELECT value FROM parameter WHERE name = wanted);

CREATE TABLE tx AS
SELECT a.sid, a.as_of, r.id, r.trans_date, r.cleared_date,
       coalesce(r.credit, 0)::BIGINT AS credit, coalesce(r.debit, 0)::BIGINT AS debit, r.balance,
       r.narration, r.topics, coalesce(t.lists, []) AS lists,
       row_number() OVER (PARTITION BY a.sid ORDER BY r.trans_date, r.place) AS n,
       r.debit IS NOT NULL AS shows_debit,
       r.trans_date > a.as_of - 30 AS last_30, r.trans_date > a.as_of - 60 AS last_60, r.trans_date > a.as_of - 90 AS last_90,
       r.trans_date > a.as_of - 180 AS last_180, r.trans_date > a.as_of - 365 AS last_365
FROM asked a
JOIN source_record r ON r.source = a.source AND r.customer = a.customer AND r.trans_date <= a.as_of
LEFT JOIN text_list t ON t.narration = r.narration AND t.topics = r.topics;

-- What each record is, by its words.
ALTER TABLE tx ADD COLUMN is_loan_credit BOOLEAN;
ALTER TABLE tx ADD COLUMN is_betting_credit BOOLEAN;
ALTER TABLE tx ADD COLUMN is_reversal BOOLEAN;
ALTER TABLE tx ADD COLUMN is_income BOOLEAN;
ALTER TABLE tx ADD COLUMN is_repayment BOOLEAN;
ALTER TABLE tx ADD COLUMN is_bounce BOOLEAN;
UPDATE tx SET
    is_loan_credit = credit > 0 AND list_has_any(lists, ['loan', 'lenders']),
    is_betting_credit = credit > 0 AND list_contains(lists, 'betting'),
    is_reversal = credit > 0 AND list_contains(lists, 'reversal'),
    is_bounce = (list_contains(lists, 'bounce') OR (credit > 0 AND list_contains(lists, 'reversal'))) AND NOT list_contains(lists, 'bounce_charge'),
    is_repayment = debit > 0 AND list_has_any(lists, ['loan', 'lenders']),
    is_income = credit > 0 AND NOT list_has_any(lists, ['loan', 'lenders', 'betting', 'reversal', 'refund', 'own_transfer']);

-- One row a statement. A statement has debits where its columns name them, or where a record shows one; likewise balances.
CREATE TABLE span AS
SELECT a.sid, a.as_of, min(t.trans_date) AS first_date, max(t.trans_date) AS last_date, count(t.sid) AS records,
       (a.names_debit OR coalesce(bool_or(t.shows_debit), FALSE)) AS has_debit,
       coalesce(bool_or(t.balance IS NOT NULL), FALSE) AS has_balance
FROM asked a LEFT JOIN tx t USING (sid)
GROUP BY a.sid, a.as_of, a.names_debit;

CREATE TABLE month AS
WITH calendar AS (
    SELECT sid, first_date, last_date,
           unnest(generate_series(date_trunc('month', first_date)::TIMESTAMP, date_trunc('month', last_date)::TIMESTAMP, INTERVAL 1 MONTH))::DATE
               AS month_start
    FROM span WHERE records > 0
), summed AS (
    SELECT sid, date_trunc('month', trans_date)::DATE AS month_start, count(*) AS records, sum(credit) AS inflow, sum(debit) AS outflow,
           sum(credit) FILTER (is_income) AS income, sum(debit) FILTER (is_repayment) AS repayment,
           sum(debit) FILTER (list_has_any(lists, ['rent', 'groceries', 'utilities', 'transport', 'health', 'education', 'insurance'])) AS essential
    FROM tx GROUP BY ALL
)
SELECT c.sid, c.month_start,
       row_number() OVER (PARTITION BY c.sid ORDER BY c.month_start) - 1 AS number,
       count(*) OVER (PARTITION BY c.sid) AS months,
       c.first_date <= c.month_start AND c.last_date >= last_day(c.month_start) AS is_full,
       coalesce(s.records, 0) AS records,
       coalesce(s.inflow, 0)::BIGINT AS inflow, coalesce(s.outflow, 0)::BIGINT AS outflow,
       coalesce(s.income, 0)::BIGINT AS income, coalesce(s.repayment, 0)::BIGINT AS repayment, coalesce(s.essential, 0)::BIGINT AS essential,
       CASE WHEN c.first_date <= c.month_start AND c.last_date >= last_day(c.month_start)
            THEN row_number() OVER (PARTITION BY c.sid, c.first_date <= c.month_start AND c.last_date >= last_day(c.month_start)
                                    ORDER BY c.month_start DESC) END AS full_ago
FROM calendar c LEFT JOIN summed s USING (sid, month_start);

-- ISO weeks, from the first record's to the last's.
CREATE TABLE week AS
WITH calendar AS (
    SELECT sid, unnest(generate_series(date_trunc('week', first_date)::TIMESTAMP, date_trunc('week', last_date)::TIMESTAMP, INTERVAL 7 DAY))::DATE
               AS week_start
    FROM span WHERE records > 0
)
SELECT c.sid, c.week_start, count(t.sid) FILTER (t.credit > 0) AS credits
FROM calendar c LEFT JOIN tx t ON t.sid = c.sid AND date_trunc('week', t.trans_date)::DATE = c.week_start
GROUP BY ALL;

-- Calendar days from the first record to the last, with the balance at their end: the day's last known one, else the one carried
-- forward. Days before the first known balance have none.
CREATE TABLE day AS
WITH calendar AS (
    SELECT sid, as_of, unnest(generate_series(first_date::TIMESTAMP, last_date::TIMESTAMP, INTERVAL 1 DAY))::DATE AS day
    FROM span WHERE has_balance
), closing AS (
    SELECT sid, trans_date AS day, arg_max(balance, n) AS balance
    FROM tx WHERE balance IS NOT NULL GROUP BY ALL
)
SELECT c.sid, c.as_of, c.day,
       last_value(k.balance IGNORE NULLS) OVER (PARTITION BY c.sid ORDER BY c.day ROWS UNBOUNDED PRECEDING) AS eod
FROM calendar c LEFT JOIN closing k USING (sid, day);

-- Gaps between one distinct day and the next: of all records, of credits.
CREATE TABLE gap AS
WITH dated AS (
    SELECT DISTINCT sid, 'any' AS of_what, trans_date FROM tx
    UNION ALL SELECT DISTINCT sid, 'credit', trans_date FROM tx WHERE credit > 0
), stepped AS (
    SELECT sid, of_what, trans_date - lag(trans_date) OVER (PARTITION BY sid, of_what ORDER BY trans_date) AS days FROM dated
)
SELECT sid, of_what, count(days) AS gaps, sum(days) AS total, sum(days * days) AS squares, max(days) AS longest
FROM stepped GROUP BY ALL;
