-- Cash flow: over records, over windows of days, over months and weeks. Our readings: a mean over 3, 6 or 12 full
-- months is unknown with fewer; a slope needs two months; the middle month of an odd number belongs to neither half;
-- large_credit_count is unknown where there is no median to compare with.
CREATE TABLE m_records AS
WITH middle AS (
    SELECT sid, quantile_cont(credit, 0.5) AS median FROM tx WHERE credit > 0 GROUP BY sid
), credits AS (
    SELECT sid, count(*) AS n, sum(credit) AS total, sum(credit::HUGEINT * credit) AS squares, max(credit) AS greatest,
           quantile_cont(credit, 0.1) AS p10, quantile_cont(credit, 0.9) AS p90, quantile_cont(credit, 0.95) AS p95,
           count(*) FILTER (credit % 100000 = 0) AS round, count(*) FILTER (credit > 3 * median) AS large,
           any_value(median) AS median,
           sum(credit) FILTER (isodow(trans_date) <= 5) AS weekday,
           sum(credit) FILTER (isodow(trans_date) > 5) AS weekend,
           sum(credit) FILTER (day(trans_date) <= 10) AS first10, max(trans_date) AS last_credit
    FROM tx JOIN middle USING (sid) WHERE credit > 0 GROUP BY sid
), debits AS (
    SELECT sid, count(*) AS n, sum(debit) AS total, sum(debit::HUGEINT * debit) AS squares, max(debit) AS greatest,
           quantile_cont(debit, 0.5) AS median, count(*) FILTER (debit % 100000 = 0) AS round
    FROM tx WHERE debit > 0 GROUP BY sid
), repeated AS (
    SELECT sid, max(times) AS times, arg_min(credit, (-times, credit)) AS amount
    FROM (SELECT sid, credit, count(*) AS times FROM tx WHERE credit > 0 GROUP BY ALL) GROUP BY sid
)
SELECT s.sid,
       coalesce(c.total, 0)::BIGINT AS credit_total,
       ratio(c.total, c.n) AS credit_mean, c.median AS credit_median, c.greatest AS credit_max,
       deviation(c.n, c.total, c.squares) AS credit_std,
       c.p10 AS credit_p10, c.p90 AS credit_p90, c.p95 AS credit_p95,
       CASE WHEN s.has_debit THEN coalesce(d.total, 0)::BIGINT END AS debit_total,
       ratio(d.total, d.n) AS debit_mean, d.median AS debit_median, d.greatest AS debit_max,
       deviation(d.n, d.total, d.squares) AS debit_std,
       CASE WHEN s.has_debit THEN (coalesce(c.total, 0) - coalesce(d.total, 0))::BIGINT END AS net_total,
       coalesce(c.total, 0)::DOUBLE / (s.last_date - s.first_date + 1) * 365 AS annualised_inflow,
       CASE WHEN s.has_debit THEN ratio(coalesce(d.total, 0), coalesce(c.total, 0)) END AS spend_ratio,
       CASE WHEN s.has_debit THEN ratio(coalesce(d.n, 0), coalesce(c.n, 0)) END AS debit_credit_count_ratio,
       ratio(coalesce(c.weekday, 0), c.total) AS credit_weekday_share,
       ratio(coalesce(c.weekend, 0), c.total) AS credit_weekend_share,
       ratio(coalesce(c.first10, 0), c.total) AS credit_first10_share,
       CASE WHEN s.is_given THEN s.as_of - c.last_credit END AS days_since_last_credit,
       ratio(g.total, g.gaps) AS credit_interval_mean, g.longest AS credit_interval_max,
       ratio(c.round, c.n) AS round_credit_share,
       CASE WHEN s.has_debit
            THEN ratio(coalesce(c.round, 0) + coalesce(d.round, 0), coalesce(c.n, 0) + coalesce(d.n, 0)) END
           AS round_amount_share,
       c.large AS large_credit_count,
       r.amount AS repeated_credit, ratio(r.times, c.n) AS repeated_amount_share
FROM span s LEFT JOIN credits c USING (sid) LEFT JOIN debits d USING (sid) LEFT JOIN repeated r USING (sid)
LEFT JOIN gap g ON g.sid = s.sid AND g.of_what = 'credit';

CREATE TABLE m_windows AS
WITH sums AS (
    SELECT sid,
           sum(credit) FILTER (last_30) AS in30, sum(credit) FILTER (last_60) AS in60,
           sum(credit) FILTER (last_90) AS in90,
           sum(credit) FILTER (last_180) AS in180, sum(credit) FILTER (last_365) AS in365,
           sum(debit) FILTER (last_30) AS out30, sum(debit) FILTER (last_60) AS out60,
           sum(debit) FILTER (last_90) AS out90,
           sum(credit) FILTER (last_90 AND NOT (is_loan_credit OR is_own_credit)) AS earned90,
           sum(debit) FILTER (last_90 AND NOT is_own) AS spent90,
           sum(debit) FILTER (last_180) AS out180, sum(debit) FILTER (last_365) AS out365,
           count(*) FILTER (credit > 0 AND last_30) AS n30, count(*) FILTER (credit > 0 AND last_90) AS n90,
           sum(credit) FILTER (trans_date <= as_of - 30 AND trans_date > as_of - 210) AS before30
    FROM tx GROUP BY sid
), filled AS (
    SELECT *
    FROM span s LEFT JOIN sums USING (sid)
)
SELECT sid,
       coalesce(in30, 0)::BIGINT AS inflow_30d, coalesce(in60, 0)::BIGINT AS inflow_60d,
       coalesce(in90, 0)::BIGINT AS inflow_90d,
       coalesce(in180, 0)::BIGINT AS inflow_180d, coalesce(in365, 0)::BIGINT AS inflow_365d,
       CASE WHEN has_debit THEN coalesce(out30, 0)::BIGINT END AS outflow_30d,
       CASE WHEN has_debit THEN coalesce(out60, 0)::BIGINT END AS outflow_60d,
       CASE WHEN has_debit THEN coalesce(out90, 0)::BIGINT END AS outflow_90d,
       CASE WHEN has_debit THEN coalesce(out180, 0)::BIGINT END AS outflow_180d,
       CASE WHEN has_debit THEN coalesce(out365, 0)::BIGINT END AS outflow_365d,
       CASE WHEN has_debit THEN ratio(coalesce(spent90, 0), coalesce(earned90, 0)) END AS spend_ratio_90d,
       inflow_30d - outflow_30d AS net_30d, inflow_60d - outflow_60d AS net_60d, inflow_90d - outflow_90d AS net_90d,
       inflow_180d - outflow_180d AS net_180d, inflow_365d - outflow_365d AS net_365d,
       coalesce(n30, 0) AS credit_count_30d, coalesce(n90, 0) AS credit_count_90d,
       ratio(coalesce(in30, 0), coalesce(before30, 0)::DOUBLE / 6) AS inflow_spike_30d
FROM filled;

CREATE TABLE m_months AS
WITH grouped AS (
    SELECT sid, count(*) AS n, sum(inflow) AS total, sum(inflow::HUGEINT * inflow) AS squares, min(inflow) AS least,
           max(inflow) AS greatest,
           quantile_cont(inflow, 0.5) AS median,
           sum(number) AS sx, sum(number * number) AS sxx, sum(number::HUGEINT * inflow) AS sxy,
           arg_min(month_start, (-inflow, month_start)) AS peak,
           count(*) FILTER (inflow = 0) AS without_inflow,
           sum(outflow) AS out_total, sum(inflow - outflow) AS net_total, min(inflow - outflow) AS net_least,
           count(*) FILTER (inflow < outflow) AS net_negative,
           count(*) FILTER (is_full) AS full_months, sum(inflow) FILTER (is_full) AS full_total,
           sum(inflow::HUGEINT * inflow) FILTER (is_full) AS full_squares, min(inflow) FILTER (is_full) AS full_least,
           sum(outflow) FILTER (is_full) AS full_outflow, sum(income) FILTER (is_full) AS full_income,
           sum(inflow) FILTER (full_ago <= 3) AS in3, sum(inflow) FILTER (full_ago <= 6) AS in6,
           sum(inflow) FILTER (full_ago <= 12) AS in12,
           sum(inflow) FILTER (number < months // 2) AS half1,
           sum(inflow) FILTER (number >= months - months // 2) AS half2
    FROM month GROUP BY sid
), weeks AS (
    SELECT sid, count(*) FILTER (credits = 0) AS without_credit FROM week GROUP BY sid
)
SELECT s.sid,
       ratio(total, n) AS inflow_month_mean, median AS inflow_month_median, least AS inflow_month_min,
       greatest AS inflow_month_max,
       deviation(n, total, squares) AS inflow_month_std,
       ratio(deviation(n, total, squares), ratio(total, n)) AS inflow_month_cv,
       CASE WHEN s.has_debit THEN ratio(out_total, n) END AS outflow_month_mean,
       CASE WHEN s.has_debit THEN ratio(net_total, n) END AS net_month_mean,
       CASE WHEN s.has_debit THEN net_least END AS net_month_min,
       CASE WHEN s.has_debit THEN coalesce(net_negative, 0) END AS negative_net_months,
       ratio(full_total, full_months) AS inflow_full_month_mean, full_least AS inflow_full_month_min,
       ratio(deviation(full_months, full_total, full_squares), ratio(full_total, full_months)) AS inflow_full_month_cv,
       CASE WHEN s.has_debit THEN ratio(full_outflow, full_months) END AS outflow_full_month_mean,
       ratio(full_income, full_months) AS income_full_month_mean,
       coalesce(n, 0) AS month_count,
       CASE WHEN full_months >= 3 THEN in3::DOUBLE / 3 END AS inflow_3m_mean,
       CASE WHEN full_months >= 6 THEN in6::DOUBLE / 6 END AS inflow_6m_mean,
       CASE WHEN full_months >= 12 THEN in12::DOUBLE / 12 END AS inflow_12m_mean,
       coalesce(without_inflow, 0) AS zero_inflow_months,
       coalesce(without_credit, 0) AS zero_inflow_weeks,
       CASE WHEN n > 1 THEN
           ratio((n::HUGEINT * sxy - sx::HUGEINT * total)::DOUBLE / (n::HUGEINT * sxx - sx::HUGEINT * sx)::DOUBLE,
               ratio(total, n)) END AS inflow_trend,
       ratio(half2, half1) AS inflow_half_ratio,
       peak AS peak_inflow_month
FROM span s LEFT JOIN grouped USING (sid) LEFT JOIN weeks USING (sid);
