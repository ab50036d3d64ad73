-- Why a metric is unknown, where the catalogue says it: debits, balances or a day of the decision that are not there,
-- too few full months, a denominator of 0. Other reasons, and statements without any record, are not asked.
CREATE TABLE need (name VARCHAR, part VARCHAR, months INTEGER, below VARCHAR);
INSERT INTO need VALUES
    ('debit_count', 'd', 0, ''), ('debit_total', 'd', 0, ''), ('debit_mean', 'd', 0, ''), ('debit_median', 'd', 0, ''),
    ('debit_max', 'd', 0, ''),
    ('debit_std', 'd', 0, ''), ('net_total', 'd', 0, ''), ('spend_ratio', 'd', 0, 'credit_total'),
    ('debit_credit_count_ratio', 'd', 0, 'credit_count'),
    ('outflow_30d', 'd', 0, ''), ('outflow_60d', 'd', 0, ''), ('outflow_90d', 'd', 0, ''),
    ('outflow_180d', 'd', 0, ''), ('outflow_365d', 'd', 0, ''),
    ('net_30d', 'd', 0, ''), ('net_60d', 'd', 0, ''), ('net_90d', 'd', 0, ''), ('net_180d', 'd', 0, ''),
    ('net_365d', 'd', 0, ''),
    ('outflow_month_mean', 'd', 0, ''), ('net_month_mean', 'd', 0, ''), ('net_month_min', 'd', 0, ''),
    ('negative_net_months', 'd', 0, ''),
    ('loan_debit_total', 'd', 0, ''), ('loan_debit_count', 'd', 0, ''), ('repayment_month_mean', 'd', 0, ''),
    ('repayment_to_income', 'd', 0, 'income_total'), ('betting_debit_total', 'd', 0, ''),
    ('betting_rate', 'd', 0, 'credit_total'),
    ('sweep_count', 'd', 0, ''), ('salary_day_withdrawal_share', 'd', 0, ''),
    ('discretionary_share', 'd', 0, 'debit_total'),
    ('opening_balance', 'b', 0, ''), ('closing_balance', 'b', 0, ''), ('balance_break_count', 'b', 0, ''),
    ('balance_break_total', 'b', 0, ''), ('round_amount_share', 'd', 0, ''),
    ('reconciled', 'b', 0, ''),
    ('eod_balance_mean', 'b', 0, ''), ('eod_balance_median', 'b', 0, ''), ('eod_balance_min', 'b', 0, ''),
    ('eod_balance_max', 'b', 0, ''),
    ('eod_balance_p10', 'b', 0, ''), ('eod_balance_mean_30d', 'b', 0, ''), ('eod_balance_mean_90d', 'b', 0, ''),
    ('balance_on_1', 'b', 0, ''), ('balance_on_5', 'b', 0, ''), ('balance_on_10', 'b', 0, ''),
    ('balance_on_15', 'b', 0, ''),
    ('balance_on_20', 'b', 0, ''), ('balance_on_25', 'b', 0, ''), ('low_balance_days', 'b', 0, ''),
    ('zero_balance_days', 'b', 0, ''),
    ('negative_balance_days', 'b', 0, ''), ('overdraft_count', 'b', 0, ''), ('buffer_days', 'b', 0, 'outflow_90d'),
    ('inflow_3m_mean', 'c', 3, ''), ('inflow_6m_mean', 'c', 6, ''), ('inflow_12m_mean', 'c', 12, ''),
    ('salary_count_3m', 'c', 3, ''),
    ('inflow_month_cv', 'c', 0, 'credit_total'), ('inflow_trend', 'c', 0, 'credit_total'),
    ('income_stability', 'c', 0, 'income_total'),
    ('credit_weekday_share', 'c', 0, 'credit_total'), ('credit_weekend_share', 'c', 0, 'credit_total'),
    ('credit_first10_share', 'c', 0, 'credit_total'), ('round_credit_share', 'c', 0, 'credit_count'),
    ('salary_share', 'c', 0, 'credit_total'), ('loan_inflow_rate', 'c', 0, 'credit_total'),
    ('cash_deposit_share', 'c', 0, 'credit_total'), ('gig_income_share', 'c', 0, 'income_total'),
    ('circular_count', 'd', 0, ''),
    ('bounce_charge_total', 'd', 0, ''), ('late_penalty_total', 'd', 0, ''), ('essential_month_mean', 'd', 0, ''),
    ('disposable_month_mean', 'd', 0, ''), ('top_category', 'd', 0, ''), ('top_category_total', 'd', 0, ''),
    ('debit_stream_count', 'd', 0, ''), ('debit_stream_month_total', 'd', 0, ''),
    ('loan_stream_month_total', 'd', 0, ''),
    ('outflow_full_month_mean', 'd', 0, ''),
    ('spend_ratio_90d', 'd', 0, 'earned_90d'), ('stake_to_income', 'd', 0, 'income_total'),
    ('win_share', 'c', 0, 'credit_total'), ('earned_share', 'c', 0, 'income_total'),
    ('repaid_by_loan_90d', 'd', 0, ''), ('circular_share_90d', 'd', 0, 'inflow_90d'),
    ('two_way_share_90d', 'd', 0, 'inflow_90d'),
    ('essential_full_month_mean', 'd', 0, ''), ('salary_months_3m', 'c', 3, ''), ('sales_3m_mean', 'c', 3, ''),
    ('stock_months_3m', 'd', 3, ''),
    ('staleness_days', 'a', 0, ''), ('days_since_last_credit', 'a', 0, ''), ('days_since_salary', 'a', 0, '');
INSERT INTO need SELECT regexp_replace(column_name, '_total$', '_share'), 'd', 0, 'debit_total'
FROM duckdb_columns() WHERE table_name = 'spent_total' AND column_name != 'sid';
INSERT INTO need SELECT unnest([column_name, regexp_replace(column_name, '_total$', '_month_mean')]), 'd', 0, ''
FROM duckdb_columns() WHERE table_name = 'spent_total' AND column_name != 'sid';

CREATE TABLE reason AS
WITH known AS (
    SELECT s.sid, s.is_given, s.has_debit, s.has_balance, coalesce(m.full_months, 0) AS full_months,
           coalesce(m.months, 0) AS months,
           map {'': 1, 'credit_total': coalesce(t.credits, 0), 'credit_count': coalesce(t.n, 0),
               'income_total': coalesce(t.income, 0),
                'inflow_90d': coalesce(t.in90, 0), 'earned_90d': coalesce(t.earned90, 0),
                'debit_total': coalesce(t.debits, 0), 'outflow_90d': coalesce(t.out90, 0)} AS value
    FROM span s
    LEFT JOIN (SELECT sid, count(*) AS months, count(*) FILTER (is_full) AS full_months FROM month
        GROUP BY sid) m USING (sid)
    LEFT JOIN (SELECT sid, sum(credit)::BIGINT AS credits, count(*) FILTER (credit > 0) AS n,
        sum(credit) FILTER (is_income)::BIGINT AS income,
                      sum(debit)::BIGINT AS debits, sum(debit) FILTER (last_90)::BIGINT AS out90,
                      sum(credit) FILTER (last_90)::BIGINT AS in90,
                      sum(credit) FILTER (last_90 AND NOT (is_loan_credit OR is_own_credit))::BIGINT AS earned90
                      FROM tx
                      GROUP BY sid) t USING (sid)
    WHERE s.records > 0
), judged AS (
    SELECT k.sid, n.name,
           CASE WHEN n.part = 'a' AND NOT k.is_given THEN 'needs_as_of'
                -- The months stand around the debits, not within.
                WHEN n.name = 'stock_months_3m' AND k.full_months < 3 THEN 'needs_3_months'
                WHEN n.part = 'b' AND NOT k.has_balance THEN 'needs_balance'
                WHEN (n.part = 'd' OR n.name = 'buffer_days') AND NOT k.has_debit THEN 'needs_debit'
                WHEN k.full_months < n.months THEN 'needs_' || n.months || '_months'
                -- A deviation or a slope of one month lacks a second before it lacks a denominator.
                WHEN k.months < 2 AND n.name IN ('inflow_month_cv', 'inflow_trend', 'income_stability') THEN NULL
                WHEN k.value[n.below] = 0 THEN 'zero_denominator' END AS code
    FROM known k CROSS JOIN need n
)
SELECT sid, name, code FROM judged WHERE code IS NOT NULL;
