-- Loans taken and repaid, capacity. What needs debits is unknown without them. Our readings: lenders are told apart by
-- the word that a narration mentions first, of those that begin at one place the longest; a returned payment is one
-- that the bank says came back unpaid, and a day counts once, also by what the bank charges for it; a loan
-- repaid something where a repayment of a record after it, of its day and the 7 after, is reached by the loans of
-- records before that one, of its day and the 7 before.
CREATE TABLE m_obligations AS
WITH loans AS (
    SELECT sid, sum(credit) AS credits, sum(credit) FILTER (is_loan_credit) AS lent,
           count(*) FILTER (is_loan_credit) AS times,
           count(*) FILTER (is_loan_credit AND last_30) AS stacked,
           sum(debit) FILTER (is_repayment) AS repaid, count(*) FILTER (is_repayment) AS repayments,
           sum(credit) FILTER (is_loan_credit AND last_30) AS lent30,
           sum(credit) FILTER (is_loan_credit AND last_90) AS lent90,
           count(*) FILTER (is_bounce) AS bounces, count(*) FILTER (is_bounce AND last_30) AS bounces30,
           count(*) FILTER (is_bounce AND last_90) AS bounces90,
           count(DISTINCT trans_date) FILTER (is_bounce OR is_charged) AS days,
           count(DISTINCT trans_date) FILTER ((is_bounce OR is_charged) AND last_30) AS days30,
           count(DISTINCT trans_date) FILTER ((is_bounce OR is_charged) AND last_90) AS days90,
           sum(debit) FILTER (charges_bounce) AS bounce_charges,
           sum(debit) FILTER (list_contains(lists, 'late_penalty')) AS penalties
    FROM tx GROUP BY sid
), months AS (
    SELECT sid, ratio(sum(repayment), count(*)) AS repayment, ratio(sum(essential), count(*)) AS essential,
           ratio(sum(income), count(*)) AS income, quantile_cont(income, 0.5) AS income_median,
           ratio(sum(repayment) FILTER (is_full), count(*) FILTER (is_full)) AS full_repayment,
           ratio(sum(income) FILTER (is_full), count(*) FILTER (is_full)) AS full_income,
           ratio(sum(essential) FILTER (is_full), count(*) FILTER (is_full)) AS full_essential
    FROM month GROUP BY sid
), lenders AS (
    SELECT t.sid, count(DISTINCT w.word) AS lenders
    FROM tx t JOIN text_word w ON w.narration = t.narration AND w.topics = t.topics AND w.list = 'lenders'
    WHERE t.is_of_lender GROUP BY t.sid
), lent_before AS (
    SELECT r.sid, r.n, r.trans_date, any_value(r.debit) AS debit, sum(l.credit) AS lent
    FROM tx r JOIN tx l ON l.sid = r.sid AND l.is_loan_credit AND l.n < r.n AND r.trans_date - l.trans_date <= 7
    WHERE r.is_repayment GROUP BY r.sid, r.n, r.trans_date
), repaid_by_loan AS (
    SELECT l.sid, count(*) AS times
    FROM tx l SEMI JOIN (FROM lent_before WHERE lent >= debit) r
        ON r.sid = l.sid AND l.n < r.n AND r.trans_date - l.trans_date <= 7
    WHERE l.is_loan_credit AND l.last_90 GROUP BY l.sid
)
SELECT s.sid,
       coalesce(l.lent, 0)::BIGINT AS loan_credit_total, coalesce(l.times, 0) AS loan_credit_count,
       ratio(coalesce(l.lent, 0), l.credits) AS loan_inflow_rate,
       coalesce(n.lenders, 0) AS lender_count,
       CASE WHEN s.has_debit THEN coalesce(l.repaid, 0)::BIGINT END AS loan_debit_total,
       CASE WHEN s.has_debit THEN coalesce(l.repayments, 0) END AS loan_debit_count,
       CASE WHEN s.has_debit THEN m.repayment END AS repayment_month_mean,
       CASE WHEN s.has_debit THEN ratio(m.repayment, m.income) END AS repayment_to_income,
       coalesce(l.stacked, 0) AS stacked_loan_count,
       coalesce(l.lent30, 0)::BIGINT AS borrowed_30d, coalesce(l.lent90, 0)::BIGINT AS borrowed_90d,
       CASE WHEN s.has_debit THEN coalesce(b.times, 0) END AS repaid_by_loan_90d,
       coalesce(l.bounces, 0) AS bounce_count, coalesce(l.bounces30, 0) AS bounce_count_30d,
       coalesce(l.bounces90, 0) AS bounce_count_90d, coalesce(l.days, 0) AS returned_days,
       coalesce(l.days30, 0) AS returned_days_30d, coalesce(l.days90, 0) AS returned_days_90d,
       CASE WHEN s.has_debit THEN coalesce(l.bounce_charges, 0)::BIGINT END AS bounce_charge_total,
       CASE WHEN s.has_debit THEN coalesce(l.penalties, 0)::BIGINT END AS late_penalty_total,
       CASE WHEN s.has_debit THEN m.essential END AS essential_month_mean,
       CASE WHEN s.has_debit THEN m.income - m.repayment - m.essential END AS disposable_month_mean,
       parameter_of(s.sid, 'max_dti') * m.income
           - CASE WHEN s.has_debit THEN m.repayment ELSE parameter_of(s.sid, 'assumed_obligations') END AS max_instalment,
       CASE WHEN s.has_debit THEN m.full_repayment END AS repayment_full_month_mean,
       CASE WHEN s.has_debit THEN m.full_essential END AS essential_full_month_mean,
       parameter_of(s.sid, 'max_dti') * m.full_income
           - CASE WHEN s.has_debit THEN m.full_repayment
             ELSE parameter_of(s.sid, 'assumed_obligations') END AS affordable_instalment
FROM span s LEFT JOIN loans l USING (sid) LEFT JOIN months m USING (sid) LEFT JOIN lenders n USING (sid)
LEFT JOIN repaid_by_loan b USING (sid);
