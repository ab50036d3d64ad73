-- Streams as the program found them (01_given.sql): what each one is, and what recurs; and what came back.

-- Records again, each with whether it left at once, and whether it says that it is no pay.
CREATE TABLE ptx AS
SELECT t.*, coalesce(w.is_swept, FALSE) AS is_swept,
       credit > 0 AND (NOT is_income OR of_state
           OR of_platform OR is_dividend OR is_pension OR list_has_any(lists, ['trade', 'rental'])) AS says_other
FROM tx t LEFT JOIN leaving w USING (sid, n);

-- What a stream is: pay, an obligation, or what binds nobody.
CREATE TABLE judged_stream AS
WITH counted AS (
    SELECT sid, nth, count(*) AS n, mode_of.party AS payer,
           count(*) FILTER (says_other) AS others, count(*) FILTER (says_salary) AS salaries,
           count(*) FILTER (says_salary AND NOT by_person) AS firm_salaries,
           count(DISTINCT ptx.party) FILTER (says_salary) AS salary_payers,
           count(*) FILTER (of_employer) AS employers,
           count(*) FILTER (is_somebody AND (of_employer OR list_contains(named, 'firm_words'))
               AND list_contains(lists, 'month_names')
               AND NOT list_has_any(lists, ['month_bills', 'utilities', 'savings', 'stock', 'education', 'refund']))
               AS monthly, count(DISTINCT w.word) AS months_named,
           count(*) FILTER (credit = a.amount) AS equal, count(*) FILTER (says_gift) AS gifts,
           count(*) FILTER (debit > 0) AS debits, count(*) FILTER (is_repayment) AS repayments,
           count(*) FILTER (is_cash OR list_has_any(lists, ['bank_charges', 'interest'])
               OR is_own_credit) AS loose
    FROM ptx
    LEFT JOIN stream a USING (sid, nth)
    LEFT JOIN (FROM text_word WHERE list = 'month_names') w USING (narration, topics)
    LEFT JOIN (SELECT sid, nth, arg_min(party, (-times, party)) AS party
               FROM (SELECT sid, nth, party, count(*) AS times FROM ptx WHERE party IS NOT NULL GROUP BY ALL)
               GROUP BY ALL) mode_of USING (sid, nth)
    WHERE nth IS NOT NULL GROUP BY ALL
)
SELECT s.*, c.payer, c.debits, c.repayments, 2 * c.loose < c.n AS binds,
       is_credit AND is_often AND 10 * c.others < 4 * c.n
           AND (10 * c.firm_salaries >= 3 * c.n
                OR 10 * c.salaries >= 3 * c.n AND c.salary_payers = 1
                OR is_monthly AND (2 * c.employers >= c.n
                    OR c.n >= 5 AND 2 * c.monthly >= c.n AND c.months_named >= 3 AND 10 * c.equal >= 6 * c.n
                        AND c.gifts = 0)) AS pays_salary
FROM stream s LEFT JOIN counted c USING (sid, nth);

CREATE TABLE m_streams AS
SELECT sid,
       count(s.sid) FILTER (binds AND is_credit AND is_live) AS credit_stream_count,
       coalesce(sum(month_amount) FILTER (binds AND is_credit AND is_live), 0)::BIGINT AS credit_stream_month_total,
       CASE WHEN has_debit THEN count(s.sid) FILTER (binds AND debits > 0 AND is_live) END AS debit_stream_count,
       CASE WHEN has_debit THEN coalesce(sum(month_amount) FILTER (binds AND debits > 0 AND is_live),
           0)::BIGINT END AS debit_stream_month_total,
       CASE WHEN has_debit THEN coalesce(sum(month_amount) FILTER (repayments > 0 AND is_live),
           0)::BIGINT END AS loan_stream_month_total,
       count(s.sid) FILTER (missed > 2) AS ended_stream_count,
       max(regularity) AS stream_regularity_max,
       any_value(i.income_month_median * (1 - parameter_of(sid, 'living_cost_share')))
           - CASE WHEN has_debit THEN coalesce(sum(month_amount) FILTER (repayments > 0 AND is_live), 0)
               ELSE 0 END AS capacity_credit_only
FROM span a LEFT JOIN m_income i USING (sid) LEFT JOIN judged_stream s USING (sid) GROUP BY sid, has_debit;

-- What came back. Our reading: a credit is circular when a debit of its amount and party lies at most three days off,
-- on either side, up to as_of.
CREATE TABLE m_circular AS
WITH circular AS (
    SELECT c.sid, count(*) AS n, sum(c.credit) FILTER (c.last_90) AS total90
    FROM ptx c SEMI JOIN (FROM ptx WHERE debit > 0) d
        ON d.sid = c.sid AND d.party = c.party AND d.debit = c.credit AND abs(d.trans_date - c.trans_date) <= 3
    WHERE c.credit > 0 GROUP BY c.sid
), back AS (
    -- Of each party's income as much as went back to it, in whatever amounts.
    SELECT sid, sum(least(came, went)) AS back90
    FROM (SELECT sid, party, coalesce(sum(credit) FILTER (is_income), 0) AS came, coalesce(sum(debit), 0) AS went
          FROM ptx WHERE last_90 AND is_somebody AND party IS NOT NULL GROUP BY ALL)
    GROUP BY sid
)
SELECT sid, CASE WHEN s.has_debit THEN coalesce(c.n, 0) END AS circular_count,
       CASE WHEN s.has_debit THEN ratio(coalesce(c.total90, 0), w.inflow_90d) END AS circular_share_90d,
       CASE WHEN s.has_debit THEN ratio(coalesce(b.back90, 0), w.inflow_90d) END AS two_way_share_90d
FROM span s JOIN m_windows w USING (sid) LEFT JOIN circular c USING (sid) LEFT JOIN back b USING (sid);
