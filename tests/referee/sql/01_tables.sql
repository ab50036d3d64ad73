-- The referee's own tables, from which all metrics are computed: `tx` (records up to as_of, in order), `span`, `month`,
-- `week`, `day`. Written from the catalogue's definitions; must not follow the program's own evaluator in anything.
--
-- Given by compare.py:
--   source_record (source, customer, place, id, trans_date, cleared_date, credit, debit, balance, narration, topics)
--       money in minor units; `place` orders the records of a day; records dropped as repeats of an id are already gone
--   source_repeat (source, customer)                       one row a record dropped
--   asked (sid, source, customer, as_of, names_debit, is_given)      one row a statement and day to judge
--   text_list (narration, topics, lists)                   the word lists that a text mentions
--   text_word (narration, topics, list, word)              and the first word of each list
--   party_list (party, lists)                              the word lists of which a party's name holds a word
--   parameter (source, name, value)                        as the policy of a source says it

CREATE MACRO ratio(a, b) AS CASE WHEN b = 0 THEN NULL ELSE a::DOUBLE / b::DOUBLE END;
-- Sample variance from exact sums: n, sum of x, sum of x squared.
CREATE MACRO deviation(n, s, ss) AS
    CASE WHEN n > 1
        THEN sqrt((n::HUGEINT * ss::HUGEINT - s::HUGEINT * s::HUGEINT)::DOUBLE / (n::DOUBLE * (n - 1)::DOUBLE)) END;
CREATE MACRO parameter_of(statement, wanted) AS
    (SELECT p.value FROM parameter p JOIN asked q ON q.source = p.source WHERE q.sid = statement AND p.name = wanted);

-- Every record with its words, and with its party as the program found it (10_given.sql).
CREATE TABLE record AS
SELECT a.sid, a.as_of, r.id, r.trans_date, r.cleared_date,
       coalesce(r.credit, 0)::BIGINT AS credit, coalesce(r.debit, 0)::BIGINT AS debit, r.balance,
       r.narration, r.topics, coalesce(t.lists, []) AS lists, g.party, coalesce(q.lists, []) AS named,
       row_number() OVER (PARTITION BY a.sid ORDER BY r.trans_date, r.place) AS n,
       coalesce(r.debit, 0) > 0 AS shows_debit,
       r.trans_date > a.as_of - 30 AS last_30, r.trans_date > a.as_of - 60 AS last_60,
       r.trans_date > a.as_of - 90 AS last_90,
       r.trans_date > a.as_of - 180 AS last_180, r.trans_date > a.as_of - 365 AS last_365
FROM asked a
JOIN source_record r ON r.source = a.source AND r.customer = a.customer AND r.trans_date <= a.as_of
LEFT JOIN text_list t ON t.narration = r.narration AND t.topics = r.topics
LEFT JOIN (FROM given WHERE what = 'given_party') g ON g.sid = a.sid AND g.id = r.id
LEFT JOIN party_list q ON q.party = g.party;

-- What each record is: by its words, by its party's name, by what all records with its party say.
CREATE TABLE tx AS
WITH worded AS (
    SELECT *,
           credit > 0 AND list_contains(lists, 'cash_deposit') AS is_cash,
           credit > 0 AND (list_contains(lists, 'salary')
               OR NOT (list_contains(named, 'lenders') OR list_contains(lists, 'lenders'))
                  AND (list_contains(lists, 'salary_glued')
                       OR regexp_matches(narration, '[0-9]salary|salary[0-9]'
                              || '|salary(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)2', 'is')
                          AND NOT regexp_matches(narration, 'salary(loan|adv|ref)|nosalary', 'is'))) AS says_salary,
           list_contains(lists, 'own_transfer') AND NOT list_contains(lists, 'cash_deposit') AS says_own,
           list_contains(lists, 'gift') OR regexp_matches(narration, '/(gift|for food)$', 'is') AS says_gift,
           NOT list_contains(lists, 'bank_reversal')
               AND (list_contains(lists, 'sent')
                    OR regexp_matches(narration,
                       '^(nip|trf|tfr|trsf|transfer|mob|fbnmobile|ussd|from |fip|cip|nxg|ib/|instant payment'
                       || '|[01].*/)| trf/', 'is')) AS is_sent,
           party IS NOT NULL
               AND NOT (list_contains(named, 'ways') AND len(party) - len(replace(party, ' ', '')) < 2)
               AND (NOT list_has_any(named, ['banks', 'wallets', 'forwarders'])
                    OR list_contains(named, 'bank_namesakes') AND contains(party, ' ')
                       AND NOT list_contains(named, 'bank_words')) AS is_somebody
    FROM record
), said AS (
    SELECT *,
           credit > 0 AND list_contains(lists, 'loan_paid_out') OR credit = 0 AND list_contains(lists, 'loan_repaid')
               OR NOT says_salary AND (
                   NOT (credit > 0 AND is_sent AND list_contains(lists, 'trade') AND NOT list_contains(lists, 'loan'))
                       AND (list_contains(named, 'lenders')
                            OR list_contains(lists, 'lenders')
                                AND (list_contains(named, 'lending_banks') OR NOT (is_sent AND is_somebody)))
                   OR list_contains(lists, 'loan') AND NOT is_sent) AS says_lending,
           NOT says_salary AND list_contains(lists, 'loan') AND list_contains(lists, 'firms') AS firm_says_loan,
           list_has_any(lists, ['legal_forms']) OR list_contains(named, 'employers')
               OR list_contains(lists, 'employers') AND NOT is_sent AS of_employer,
           list_contains(lists, 'bounce')
               AND (NOT is_sent OR NOT is_somebody OR list_contains(named, 'bounce_names')) AS says_bounce
    FROM worded
), other AS (
    SELECT sid, party, count(*) FILTER (says_own) >= 2 OR 10 * count(*) FILTER (says_own) >= count(*) AS is_oneself,
           count(*) FILTER (credit > 0) > 0
               AND 10 * count(*) FILTER (credit > 0 AND (says_lending OR firm_says_loan))
                   >= 3 * count(*) FILTER (credit > 0) AS lends,
           10 * count(*) FILTER (says_lending) >= 3 * count(*) AS collects,
           2 * count(*) FILTER (credit > 0 AND list_contains(lists, 'loan'))
               >= count(*) FILTER (credit > 0) AS says_loan,
           2 * count(*) FILTER (credit > 0 AND list_contains(lists, 'refund'))
               >= count(*) FILTER (credit > 0) AS says_refund,
           max(debit) FILTER (credit = 0 AND list_contains(lists, 'card_payment')) AS took
    FROM said WHERE party IS NOT NULL GROUP BY sid, party
), lent AS (
    SELECT s.*, coalesce(o.is_oneself, FALSE) AS of_oneself, o.says_refund, o.took,
           says_lending OR NOT says_salary AND (
               is_somebody AND coalesce(o.lends OR credit = 0 AND o.collects, FALSE)
               OR firm_says_loan AND (credit > 0 OR coalesce(o.says_loan, TRUE))) AS is_of_lender
    FROM said s LEFT JOIN other o USING (sid, party)
), known AS (
    SELECT *,
           NOT (is_of_lender OR list_contains(lists, 'cash_deposit'))
               AND (list_contains(lists, 'own_transfer') AND NOT says_salary AND NOT (is_sent AND is_somebody AND of_employer AND NOT list_contains(lists, 'own_channels'))
                    OR credit > 0 AND NOT says_salary AND NOT list_contains(lists, 'interest')
                       AND (list_contains(named, 'savings') OR list_contains(lists, 'savings') AND NOT is_sent)
                    OR is_somebody AND of_oneself AND NOT of_employer) AS is_own,
           NOT says_salary AND (list_contains(named, 'betting')
                                OR list_contains(lists, 'betting') AND NOT (is_sent AND is_somebody)) AS is_betting,
           credit > 0 AND (says_bounce
                           OR NOT is_sent AND (list_has_any(lists, ['reversal', 'bank_reversal'])
                                            OR list_contains(lists, 'card_payment')
                                                AND NOT list_contains(lists, 'settlement'))
                           OR list_contains(lists, 'reversal')
                               AND regexp_matches(narration, '^(trf to |transfer to |nip cr/)', 'is')) AS is_reversal,
           credit > 0 AND is_sent AND is_somebody AND NOT (says_salary OR list_contains(lists, 'settlement'))
               AND coalesce(credit <= took, FALSE) AS is_paid_back
    FROM lent
), judged AS (
    SELECT *, credit > 0 AND is_of_lender AND NOT is_reversal AS is_loan_credit,
           debit > 0 AND is_of_lender AS is_repayment,
           credit > 0 AND is_betting AND NOT is_reversal AS is_betting_credit,
           credit > 0 AND NOT (is_own OR is_of_lender OR is_betting OR is_reversal)
               AND (is_paid_back OR (list_contains(lists, 'refund') AND coalesce(says_refund, TRUE))) AS is_refund,
           says_bounce AND NOT list_contains(lists, 'bounce_charge') AS is_bounce,
           list_contains(lists, 'bounce_charge') AND credit = 0 AS is_charged
    FROM known
)
SELECT *, credit > 0 AND NOT (is_own OR is_loan_credit OR is_betting_credit OR is_reversal OR is_refund) AS is_income
FROM judged;

-- One row per statement. A statement has debits where its columns name them, or where a record shows one; likewise
-- balances.
--
-- These tables state no period. A statement reaches the edge of a month if its days without a record there are no more
-- than 7 and as usual for the account: one day in 50 of those from the first record to the last has as many such days
-- after it.
CREATE TABLE span AS
WITH recorded AS (
    SELECT a.sid, a.as_of, a.is_given, min(t.trans_date) AS first_date, max(t.trans_date) AS last_date,
           count(t.sid) AS records,
           (a.names_debit OR coalesce(bool_or(t.shows_debit), FALSE)) AS has_debit,
           coalesce(bool_or(t.balance IS NOT NULL), FALSE) AS has_balance
    FROM asked a LEFT JOIN tx t USING (sid)
    GROUP BY a.sid, a.as_of, a.is_given, a.names_debit
), edge AS (
    SELECT *, first_date - date_trunc('month', first_date)::DATE AS before, last_day(last_date) - last_date AS after
    FROM recorded
), step AS (
    SELECT sid, lead(trans_date) OVER (PARTITION BY sid ORDER BY trans_date) - trans_date AS days
    FROM (SELECT DISTINCT sid, trans_date FROM tx)
), silence AS (
    SELECT e.sid, sum(greatest(s.days - e.before, 0)) AS as_long_before,
           sum(greatest(s.days - e.after, 0)) AS as_long_after
    FROM edge e JOIN step s USING (sid) WHERE s.days IS NOT NULL GROUP BY e.sid
)
SELECT e.sid, e.as_of, e.is_given, e.first_date, e.last_date, e.records, e.has_debit, e.has_balance,
       CASE WHEN before <= 7 AND as_long_before > 0 AND as_long_before * 50 >= last_date - first_date
            THEN date_trunc('month', first_date)::DATE ELSE first_date END AS period_start,
       CASE WHEN (NOT is_given OR as_of >= last_day(last_date))
                 AND after <= 7 AND as_long_after > 0 AND as_long_after * 50 >= last_date - first_date
            THEN last_day(last_date) ELSE last_date END AS period_end
FROM edge e LEFT JOIN silence s USING (sid);

CREATE TABLE month AS
WITH calendar AS (
    SELECT sid, period_start, period_end,
           unnest(generate_series(date_trunc('month', first_date)::TIMESTAMP,
               date_trunc('month', last_date)::TIMESTAMP, INTERVAL 1 MONTH))::DATE
               AS month_start
    FROM span WHERE records > 0
), summed AS (
    SELECT sid, date_trunc('month', trans_date)::DATE AS month_start, count(*) AS records, sum(credit) AS inflow,
           sum(debit) AS outflow,
           sum(credit) FILTER (is_income) AS income, sum(debit) FILTER (is_repayment) AS repayment,
           sum(debit) FILTER (list_has_any(lists,
               ['rent', 'groceries', 'utilities', 'transport', 'health', 'education', 'insurance'])) AS essential
    FROM tx GROUP BY ALL
)
SELECT c.sid, c.month_start,
       row_number() OVER (PARTITION BY c.sid ORDER BY c.month_start) - 1 AS number,
       count(*) OVER (PARTITION BY c.sid) AS months,
       c.period_start <= c.month_start AND c.period_end >= last_day(c.month_start) AS is_full,
       coalesce(s.records, 0) AS records,
       coalesce(s.inflow, 0)::BIGINT AS inflow, coalesce(s.outflow, 0)::BIGINT AS outflow,
       coalesce(s.income, 0)::BIGINT AS income, coalesce(s.repayment, 0)::BIGINT AS repayment,
       coalesce(s.essential, 0)::BIGINT AS essential,
       CASE WHEN c.period_start <= c.month_start AND c.period_end >= last_day(c.month_start)
            THEN row_number() OVER (PARTITION BY c.sid, c.period_start <= c.month_start
                AND c.period_end >= last_day(c.month_start)
                                    ORDER BY c.month_start DESC) END AS full_ago
FROM calendar c LEFT JOIN summed s USING (sid, month_start);

-- ISO weeks, from the first record's to the last's.
CREATE TABLE week AS
WITH calendar AS (
    SELECT sid, unnest(generate_series(date_trunc('week', first_date)::TIMESTAMP,
        date_trunc('week', last_date)::TIMESTAMP, INTERVAL 7 DAY))::DATE
               AS week_start
    FROM span WHERE records > 0
)
SELECT c.sid, c.week_start, count(t.sid) FILTER (t.credit > 0) AS credits
FROM calendar c LEFT JOIN tx t ON t.sid = c.sid AND date_trunc('week', t.trans_date)::DATE = c.week_start
GROUP BY ALL;

-- Calendar days from the first record to the last, with the balance at their end: the day's last known one, else the
-- one carried forward. Days before the first known balance have none.
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
    SELECT sid, of_what, trans_date - lag(trans_date) OVER (PARTITION BY sid, of_what ORDER BY trans_date) AS days
    FROM dated
)
SELECT sid, of_what, count(days) AS gaps, sum(days) AS total, sum(days * days) AS squares, max(days) AS longest
FROM stepped GROUP BY ALL;
