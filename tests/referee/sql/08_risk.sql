-- Betting, reversals, what went out at once, first digits. Our readings: of a credit, what left at once is the sum of
-- debits in later records of its day and of the next day; "over 80%" is more than 0.8 of the credit; days without
-- debits are days on which nothing was swept.
CREATE TABLE leaving AS
-- Running total of debits: what left after a record is the total at the end of the next day less the total at the
-- record.
SELECT sid, n, trans_date, credit > 0 AND next_day - upto > parameter_of(sid, 'swept_share') * credit AS is_swept
FROM (
    SELECT sid, n, trans_date, credit,
           sum(debit) OVER (PARTITION BY sid ORDER BY n ROWS UNBOUNDED PRECEDING) AS upto,
           sum(debit) OVER (PARTITION BY sid ORDER BY trans_date RANGE BETWEEN UNBOUNDED PRECEDING
               AND INTERVAL 1 DAY FOLLOWING) AS next_day
    FROM tx
);

CREATE TABLE m_risk AS
WITH listed AS (
    SELECT sid, sum(credit) AS credits,
           sum(credit) FILTER (is_betting_credit) AS won, count(*) FILTER (is_betting_credit) AS wins,
           sum(debit) FILTER (is_betting) AS staked, sum(credit) FILTER (is_income) AS income,
           sum(credit) FILTER (is_refund) AS refunded, sum(credit) FILTER (is_own_credit) AS own,
           sum(credit) FILTER (is_reversal) AS reversed, count(*) FILTER (is_reversal) AS reversals,
           count(*) FILTER (isodow(cleared_date) > 5) AS weekend_clearings
    FROM tx GROUP BY sid
), swept AS (
    SELECT sid, count(DISTINCT trans_date) FILTER (is_swept) AS days FROM leaving GROUP BY sid
), digits AS (
    SELECT sid, left(credit::VARCHAR, 1)::INT AS digit, count(*) AS times FROM tx WHERE credit > 0 GROUP BY ALL
), benford AS (
    SELECT c.sid, sum(abs(coalesce(d.times, 0)::DOUBLE / c.n - log10(1 + 1.0 / k.digit))) / 2 AS distance,
           any_value(c.n) AS n
    FROM (SELECT sid, sum(times) AS n FROM digits GROUP BY sid) c
    CROSS JOIN (SELECT unnest(range(1, 10))::INT AS digit) k LEFT JOIN digits d ON d.sid = c.sid AND d.digit = k.digit
    GROUP BY c.sid
)
SELECT s.sid,
       coalesce(l.won, 0)::BIGINT AS betting_credit_total, coalesce(l.wins, 0) AS betting_credit_count,
       CASE WHEN s.has_debit THEN coalesce(l.staked, 0)::BIGINT END AS betting_debit_total,
       CASE WHEN s.has_debit THEN ratio(coalesce(l.staked, 0), l.credits) END AS betting_rate,
       CASE WHEN s.has_debit THEN ratio(coalesce(l.staked, 0), l.income) END AS stake_to_income,
       ratio(coalesce(l.won, 0), l.credits) AS win_share,
       coalesce(l.reversed, 0)::BIGINT AS reversal_total, coalesce(l.reversals, 0) AS reversal_count,
       coalesce(l.refunded, 0)::BIGINT AS refund_total, coalesce(l.own, 0)::BIGINT AS own_transfer_total,
       coalesce(l.weekend_clearings, 0) AS weekend_clearing_count,
       CASE WHEN s.has_debit THEN coalesce(w.days, 0) END AS sweep_count,
       CASE WHEN b.n >= 100 THEN b.distance END AS benford_distance
FROM span s LEFT JOIN listed l USING (sid) LEFT JOIN swept w USING (sid) LEFT JOIN benford b USING (sid);
