-- What the records of a statement make up: `span`, `month`, `week`, `day`, `gap`.

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
