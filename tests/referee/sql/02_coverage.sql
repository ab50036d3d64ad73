-- Coverage and quality. A statement without records up to as_of has counts of 0 and nothing else. Our readings: repeats
-- of an id are of the file, so that all of them count, whatever their day; a record without a cleared_date did not
-- clear before its day; the first record has no record before it, so that it breaks no chain.
CREATE TABLE m_coverage AS
WITH counted AS (
    SELECT sid, count(*) AS record_count, count(*) FILTER (credit > 0) AS credit_count,
           count(*) FILTER (debit > 0) AS debit_count,
           count(DISTINCT trans_date) AS active_days,
           count(*) FILTER (cleared_date < trans_date) AS cleared_before_count,
           max(cleared_date - trans_date) AS max_clearing_days,
           ratio(sum(cleared_date - trans_date), count(cleared_date)) AS mean_clearing_days,
           count(*) FILTER (narration = '') AS without_narration
    FROM tx GROUP BY sid
), months AS (
    SELECT sid, count(*) FILTER (records > 0) AS covered, count(*) FILTER (is_full) AS full_months,
           count(*) FILTER (records = 0) AS missing
    FROM month GROUP BY sid
), repeats AS (
    SELECT a.sid, count(*) AS repeats
    FROM asked a JOIN source_repeat r ON r.source = a.source AND r.customer = a.customer
    GROUP BY a.sid
), chained AS (
    SELECT sid, n, credit, debit, balance, lag(balance) OVER (PARTITION BY sid ORDER BY n) AS before FROM tx
), breaks AS (
    SELECT sid, count(*) FILTER (balance != before + credit - debit) AS breaks,
           sum(abs(balance - before - credit + debit)) FILTER (balance IS NOT NULL AND before IS NOT NULL) AS off_by,
           arg_min(balance - credit + debit, n) FILTER (balance IS NOT NULL) AS opening,
           arg_max(balance, n) FILTER (balance IS NOT NULL) AS closing,
           sum(credit) AS credits, sum(debit) AS debits
    FROM chained GROUP BY sid
)
SELECT s.sid, s.first_date, s.last_date,
       s.last_date - s.first_date + 1 AS span_days,
       CASE WHEN s.is_given THEN s.as_of - s.period_end END AS staleness_days,
       coalesce(m.covered, 0) AS months_covered,
       coalesce(m.full_months, 0) AS full_months,
       coalesce(m.missing, 0) AS missing_months,
       CASE WHEN g.longest IS NOT NULL THEN greatest(g.longest, s.period_end - s.last_date) END AS longest_gap_days,
       coalesce(c.active_days, 0) AS active_days,
       ratio(c.active_days, s.last_date - s.first_date + 1) AS activity_rate,
       coalesce(c.record_count, 0) AS record_count,
       coalesce(c.credit_count, 0) AS credit_count,
       CASE WHEN s.has_debit THEN coalesce(c.debit_count, 0) END AS debit_count,
       coalesce(r.repeats, 0) AS duplicate_count,
       -- These tables have one date a record: nothing that it could disagree with.
       0 AS date_conflict_count, 0 AS date_repaired_count,
       coalesce(c.cleared_before_count, 0) AS cleared_before_count,
       c.max_clearing_days, c.mean_clearing_days,
       ratio(c.without_narration, c.record_count) AS missing_desc_rate,
       CASE WHEN s.has_balance THEN b.breaks END AS balance_break_count,
       CASE WHEN s.has_balance THEN coalesce(b.off_by, 0)::BIGINT END AS balance_break_total,
       -- These tables declare no order that a row could run against.
       NULL::BIGINT AS out_of_order_count,
       CASE WHEN s.has_balance THEN b.breaks = 0 AND b.opening + b.credits - b.debits = b.closing END AS reconciled
FROM span s LEFT JOIN counted c USING (sid) LEFT JOIN months m USING (sid) LEFT JOIN repeats r USING (sid)
LEFT JOIN breaks b USING (sid)
LEFT JOIN gap g ON g.sid = s.sid AND g.of_what = 'any';
