"""The 24 metrics in DuckDB: one query, no settings but the threads."""

import sys

import duckdb

from worker import serve

QUERY = r"""
WITH record AS (
    SELECT customer, trans_date, credit, debit, balance, "desc" FROM read_parquet($table) WHERE trans_date <= $as_of
),
by_day AS (
    SELECT customer, trans_date,
        trans_date - LAG(trans_date) OVER (PARTITION BY customer ORDER BY trans_date) AS gap
    FROM (SELECT DISTINCT customer, trans_date FROM record)
),
days AS (
    SELECT customer, COUNT(*) AS active_days, MAX(gap) AS longest_gap_days FROM by_day GROUP BY customer
),
by_month AS (
    SELECT customer, COALESCE(SUM(credit), 0) AS inflow, COALESCE(SUM(debit), 0) AS outflow
    FROM record GROUP BY customer, DATE_TRUNC('month', trans_date)
),
months AS (
    SELECT customer,
        COUNT(*) AS month_count,
        AVG(inflow) AS inflow_month_mean,
        MIN(inflow) AS inflow_month_min,
        STDDEV_SAMP(inflow) / NULLIF(AVG(inflow), 0) AS inflow_month_cv,
        COUNT(*) FILTER (WHERE inflow < outflow) AS negative_net_months
    FROM by_month GROUP BY customer
),
statements AS (
    SELECT customer,
        COUNT(*) AS record_count,
        MAX(trans_date) - MIN(trans_date) + 1 AS span_days,
        COUNT(DISTINCT "desc") AS narration_count,
        COALESCE(SUM(credit), 0) AS credit_total,
        COALESCE(SUM(debit), 0) AS debit_total,
        COALESCE(SUM(credit) FILTER (WHERE trans_date > $as_of - 30), 0) AS inflow_30d,
        COALESCE(SUM(credit) FILTER (WHERE trans_date > $as_of - 90), 0) AS inflow_90d,
        COALESCE(SUM(debit) FILTER (WHERE trans_date > $as_of - 90), 0) AS outflow_90d,
        COUNT(*) FILTER (WHERE credit > 0 AND trans_date > $as_of - 90) AS credit_count_90d,
        MAX(credit) FILTER (WHERE trans_date > $as_of - 180) AS credit_max_180d,
        MEDIAN(credit) AS credit_median,
        $as_of - MAX(trans_date) FILTER (WHERE credit > 0) AS days_since_last_credit,
        MIN(balance) AS balance_min,
        COALESCE(SUM(credit) FILTER (WHERE ISODOW(trans_date) >= 6), 0) / NULLIF(SUM(credit), 0)
            AS credit_weekend_share,
        COUNT(*) FILTER (WHERE credit % 1000 = 0) / NULLIF(COUNT(credit), 0) AS round_credit_share,
        COALESCE(SUM(credit) FILTER (WHERE "desc" ILIKE '%salary%'), 0) AS salary_total,
        COALESCE(SUM(debit) FILTER (WHERE regexp_matches("desc",
            '\b(bet9ja|sportybet|betking|1xbet|nairabet|msport|betway|betano)\b', 'i')), 0) / NULLIF(SUM(debit), 0)
            AS betting_debit_share
    FROM record GROUP BY customer
)
SELECT * FROM statements JOIN days USING (customer) JOIN months USING (customer) ORDER BY customer
"""


def main():
    table, as_of, threads = sys.argv[1:]
    connection = duckdb.connect()
    connection.execute(f"SET threads = {int(threads)}")
    query = QUERY.replace("$as_of", f"DATE '{as_of}'")

    def calculate():
        return connection.sql(query, params={"table": table}).to_arrow_table()

    def write(found, path):
        connection.register("found", found)
        connection.execute(f"COPY (SELECT * FROM found) TO '{path}' (FORMAT parquet)")

    serve(calculate, write)


if __name__ == "__main__":
    main()
