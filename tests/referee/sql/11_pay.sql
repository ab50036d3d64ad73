-- Pay: the rule of docs/explanation/detection.md over parties and streams that are given (10_streams.sql), and what is
-- computed of it. Our readings: what names nobody is pay by the word alone, else the payer's history counts; the payer
-- is the stream's most frequent party, the least of equals, else the record's; salary_pay_day is the most frequent day,
-- the least of equals; salary_count_3m counts in the last three full months and is unknown with fewer.
CREATE TABLE pay AS
WITH payer AS (
    SELECT t.sid, t.party, count(*) FILTER (says_salary) AS salaries,
           ratio(count(*) FILTER (says_salary), count(*) FILTER (credit > 0)) AS share,
           quantile_cont(credit, 0.5) FILTER (s.pays_salary) AS usual,
           count(*) FILTER (s.pays_salary AND month(trans_date) = 12) AS decembers
    FROM ptx t LEFT JOIN judged_stream s USING (sid, nth) WHERE t.party IS NOT NULL GROUP BY ALL
), told AS (
    SELECT t.*, coalesce(s.pays_salary, FALSE) AS in_pay, coalesce(s.payer, t.party) AS paid_by,
           is_income AND NOT coalesce(s.pays_salary, FALSE)
               AND (list_contains(lists, 'bonus') AND (NOT is_sent OR of_employer OR p.usual IS NOT NULL)
                    OR month(trans_date) = 12 AND coalesce(5 * credit >= 2 * p.usual AND p.decembers > 0,
                        FALSE)) AS is_bonus,
           NOT is_pension
               AND (says_salary OR NOT is_dividend AND NOT list_has_any(lists, ['loan', 'rental'])) AS may_be,
           says_salary AND (NOT is_sent OR t.party IS NULL
               OR t.party IN ('sal', 'salary', 'salaries', 'staff salary', 'monthly salary', 'payroll', 'wages')
                            OR of_employer OR (p.salaries >= 2 AND p.share >= 0.5)
                                OR (p.share >= 0.3 AND payer_is_monthly)) AS by_word,
           of_employer AND p.share >= 0.5 AS by_payer, p.usual
    FROM ptx t LEFT JOIN judged_stream s USING (sid, nth) LEFT JOIN payer p ON p.sid = t.sid AND p.party = t.party
)
SELECT *, coalesce(is_income AND NOT is_bonus AND NOT is_cash AND may_be AND (in_pay OR by_word OR by_payer),
    FALSE) AS is_salary
FROM told;

CREATE TABLE m_pay AS
WITH salaries AS (
    SELECT sid, count(*) AS n, sum(credit) AS total, sum(credit::HUGEINT * credit) AS squares,
           quantile_cont(credit, 0.5) AS median,
           max(trans_date) AS latest, count(*) FILTER (is_swept) AS gone,
           count(DISTINCT paid_by) AS payers, arg_min(paid_by, n) != arg_max(paid_by, n) AS changed
    FROM pay WHERE is_salary GROUP BY sid
), days AS (
    SELECT sid, arg_min(pay_day, (-times, pay_day)) AS pay_day
    FROM (SELECT sid, day(trans_date) AS pay_day, count(*) AS times FROM pay WHERE is_salary GROUP BY ALL) GROUP BY sid
), stepped AS (
    SELECT sid, trans_date - lag(trans_date) OVER (PARTITION BY sid ORDER BY trans_date) AS days
    FROM (SELECT DISTINCT sid, trans_date FROM pay WHERE is_salary)
), gaps AS (
    SELECT sid, count(days) AS n, sum(days) AS total, sum(days * days) AS squares FROM stepped GROUP BY sid
), listed AS (
    SELECT sid, sum(credit) FILTER (is_income AND NOT is_salary AND of_platform) AS gig,
           max(credit) FILTER (is_cash) AS cash_most,
           sum(credit) FILTER (is_bonus) AS bonus
    FROM pay GROUP BY sid
), monthly AS (
    SELECT sid, date_trunc('month', trans_date)::DATE AS month_start, count(*) AS salaries, sum(credit) AS paid
    FROM pay WHERE is_salary GROUP BY ALL
), months AS (
    SELECT sid, count(*) AS n, count(p.salaries) AS with_salary, count(*) FILTER (is_full) AS full_months,
           count(p.salaries) FILTER (is_full) AS full_with_salary,
           count(p.salaries) FILTER (full_ago <= 3) AS with_salary_3m,
           coalesce(sum(p.salaries) FILTER (full_ago <= 3), 0) AS salaries_3m,
           sum(income - coalesce(p.paid, 0)) AS other
    FROM month LEFT JOIN monthly p USING (sid, month_start) GROUP BY sid
), streams AS (
    SELECT sid, max(regularity) FILTER (pays_salary) AS regularity,
           min(next_date) FILTER (pays_salary AND is_live) AS next_date
    FROM judged_stream GROUP BY sid
)
SELECT s.sid,
       coalesce(p.total, 0)::BIGINT AS salary_total, coalesce(p.n, 0) AS salary_count,
       ratio(p.total, p.n) AS salary_mean, p.median AS salary_median, deviation(p.n, p.total, p.squares) AS salary_std,
       ratio(deviation(p.n, p.total, p.squares), ratio(p.total, p.n)) AS salary_cv,
       coalesce(m.with_salary, 0) AS salary_months, ratio(m.with_salary, m.n) AS salary_month_rate,
       ratio(m.full_with_salary, m.full_months) AS salary_full_month_rate,
       CASE WHEN m.full_months >= 3 THEN m.salaries_3m::BIGINT END AS salary_count_3m,
       CASE WHEN m.full_months >= 3 THEN m.with_salary_3m END AS salary_months_3m,
       p.latest AS salary_last_date, CASE WHEN s.is_given THEN s.as_of - p.latest END AS days_since_salary,
       d.pay_day AS salary_pay_day,
       ratio(g.total, g.n) AS salary_interval_mean, deviation(g.n, g.total, g.squares) AS salary_interval_std,
       ratio(coalesce(p.total, 0), t.credit_total) AS salary_share,
       x.next_date AS salary_next_date,
       CASE WHEN p.n > 1 THEN least(1, m.with_salary / 6) * x.regularity
           * (1 - least(1, deviation(p.n, p.total, p.squares) / ratio(p.total, p.n))) END AS salary_confidence,
       coalesce(p.payers, 0) AS salary_employer_count, p.changed AS salary_changed_employer,
       ratio(m.other, m.n) AS other_income_mean,
       coalesce(l.bonus, 0)::BIGINT AS bonus_total,
       ratio(coalesce(l.gig, 0), i.income_total) AS gig_income_share,
       CASE WHEN s.has_debit THEN ratio(p.gone, p.n) END AS salary_day_withdrawal_share,
       CASE WHEN p.n > 0 THEN coalesce(l.cash_most, 0) > p.median END AS cash_salary_exceeded
FROM span s JOIN m_records t USING (sid) JOIN m_income i USING (sid)
LEFT JOIN salaries p USING (sid) LEFT JOIN days d USING (sid) LEFT JOIN listed l USING (sid)
LEFT JOIN months m USING (sid)
LEFT JOIN gaps g USING (sid) LEFT JOIN streams x USING (sid);
