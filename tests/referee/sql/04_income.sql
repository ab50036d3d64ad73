-- Income, by the words of the rule file; pay and bonuses are in 11_pay.sql. Our readings: "months" are all from the
-- first record's to the last's; a month's deviation is that of all of them; a credit may be a dividend, rent or pension
-- and yet no income (given back, one's own): it counts in those all the same.
CREATE TABLE m_income AS
WITH listed AS (
    SELECT sid, sum(credit) FILTER (is_income) AS income,
           sum(credit) FILTER (is_pension) AS pension,
           count(*) FILTER (is_pension) AS pensions,
           sum(credit) FILTER (is_dividend) AS dividend,
           sum(credit) FILTER (list_contains(lists, 'rental')) AS rental
    FROM tx GROUP BY sid
), months AS (
    SELECT sid, count(*) AS n, sum(income) AS total, sum(income::HUGEINT * income) AS squares,
           quantile_cont(income, 0.5) AS median,
           count(*) FILTER (is_full) AS full, sum(income) FILTER (is_full) AS full_total,
           sum(income::HUGEINT * income) FILTER (is_full) AS full_squares,
           quantile_cont(income, 0.5) FILTER (is_full) AS full_median
    FROM month GROUP BY sid
)
SELECT s.sid,
       coalesce(l.income, 0)::BIGINT AS income_total,
       ratio(m.total, m.n) AS income_month_mean, m.median AS income_month_median,
       CASE WHEN m.n > 1 AND m.total > 0
            THEN 1 - least(1, deviation(m.n, m.total, m.squares) / ratio(m.total, m.n)) END AS income_stability,
       m.full_median AS income_full_month_median,
       CASE WHEN m.full > 1 AND m.full_total > 0
            THEN 1 - least(1, deviation(m.full, m.full_total, m.full_squares) / ratio(m.full_total, m.full))
            END AS income_full_month_stability,
       ratio(l.pension, l.pensions) AS pension_mean,
       coalesce(l.dividend, 0)::BIGINT AS dividend_total, coalesce(l.rental, 0)::BIGINT AS rental_total
FROM span s LEFT JOIN listed l USING (sid) LEFT JOIN months m USING (sid);
