"""What a loan might be judged by: each candidate twice, as the rule language says it and as SQL says it, so that one
referees the other.

Candidates stand in families by what they mean, not by how well they do. The search takes at most one of a family. This
file knows nothing of outcomes. Money is in minor units in SQL; rule files write it in major ones.
"""

from typing import NamedTuple


class Candidate(NamedTuple):
    family: str
    name: str
    rule: str  # the expression of the rule file
    grain: str  # "records" or "months": the table that the SQL aggregates
    sql: str
    money: bool  # bins are then written in major units
    credits_only: bool  # needs neither debits nor balances


# Sections of the rule file that the candidates stand on. Windows end at the last record, so that the day of asking does
# not move them.
BASIS = '''[words]
interest = ["urok"]
cash = ["vyber", "vklad"]
transfer = ["prevod na ucet"]

[transaction]
is_income = "credit > 0 AND NOT mentions(interest)"
is_interest = "credit > 0 AND mentions(interest)"
is_cash_in = "credit > 0 AND mentions(cash)"
is_cash_out = "debit >= 1000 AND mentions(cash)"
is_transfer_out = "debit > 0 AND mentions(transfer)"
is_half_year = "trans_date > last_date - 180"
is_quarter = "trans_date > last_date - 90"
share_taken = "debit / GREATEST(balance + debit, debit)"

[month]
inflow = "SUM(credit)"
outflow = "SUM(debit)"
low = "MIN(balance)"

[metric]
last_date = "MAX(trans_date)"
month_inflow = "AVG(inflow)"
'''

# The same in SQL: `records` and `months`, of the table $1.
TABLES = """
CREATE TABLE plain AS
SELECT account_id AS account, strptime('19' || lpad(CAST(date AS VARCHAR), 6, '0'), '%Y%m%d')::DATE AS day, seq,
       CASE WHEN type = 'PRIJEM' THEN CAST(amount * 100 AS BIGINT) END AS credit,
       CASE WHEN type <> 'PRIJEM' THEN CAST(amount * 100 AS BIGINT) END AS debit,
       CAST(balance * 100 AS BIGINT) AS balance,
       coalesce(operation, '') AS operation, coalesce(k_symbol, '') AS symbol, coalesce(account, '') AS other
FROM read_parquet($1);
CREATE TABLE months AS
WITH span AS (SELECT account, date_trunc('month', min(day)) AS first, date_trunc('month', max(day)) AS last
              FROM plain GROUP BY account),
     calendar AS (SELECT account, unnest(generate_series(first, last, INTERVAL 1 MONTH))::DATE AS month FROM span)
SELECT c.account, c.month, coalesce(sum(credit), 0) AS inflow, coalesce(sum(debit), 0) AS outflow, min(balance) AS low
FROM calendar c LEFT JOIN plain p ON p.account = c.account AND date_trunc('month', p.day) = c.month
GROUP BY c.account, c.month;
CREATE TABLE records AS
WITH marked AS (
  SELECT p.*, credit > 0 AND symbol <> 'UROK' AS income, credit > 0 AND symbol = 'UROK' AS interest,
         credit > 0 AND operation = 'VKLAD' AS cash_in, debit >= 100000 AND operation LIKE 'VYBER%' AS cash_out,
         debit > 0 AND operation = 'PREVOD NA UCET' AS transfer_out,
         debit / greatest(balance + debit, debit) AS taken,
         date_diff('day', day, max(day) OVER (PARTITION BY p.account)) AS age,
         row_number() OVER (PARTITION BY p.account ORDER BY day, seq) AS place
  FROM plain p)
SELECT m.*, i.month_inflow,
       CASE WHEN income
           THEN date_diff('day', lag(day) OVER (PARTITION BY m.account, income ORDER BY place), day) END AS income_gap
FROM marked m JOIN (SELECT account, avg(inflow) AS month_inflow FROM months GROUP BY account) i USING (account);
"""


def candidates() -> list[Candidate]:
    found: list[Candidate] = []

    def add(family, name, rule, grain, sql, money=False, credits_only=False):
        found.append(Candidate(family, name, rule, grain, sql, money, credits_only))

    def low_share(family, name, rule, sql, window=None):
        within, rows = (f"{window[0]} AND ", f" FILTER (WHERE {window[0]})") if window else ("", "")
        sql_within, sql_rows = (f"{window[1]} AND ", f" FILTER (WHERE {window[1]})") if window else ("", "")
        add(family, name, f"COUNT(*) FILTER (WHERE {within}balance < {rule}) / COUNT(*){rows}", "records",
            f"count(*) FILTER (WHERE {sql_within}balance < {sql}) / (count(*){sql_rows})")

    half = ("is_half_year", "age < 180")
    for thousand in (5, 8, 10, 15, 20):
        low_share("low balances", f"share_below_{thousand}k", thousand * 1000, thousand * 100_000)
    for percent in (20, 30, 50, 70):
        low_share("low balances", f"share_below_{percent}pct", f"{percent / 100} * month_inflow",
            f"{percent / 100} * month_inflow")
    for thousand in (5, 10, 15, 20):
        low_share("low balances of late", f"half_year_below_{thousand}k", thousand * 1000, thousand * 100_000, half)
    for percent in (2, 3, 5, 7, 10, 15):
        add("lowest balance", f"balance_q{percent:02}", f"QUANTILE(balance, {percent / 100})", "records",
            f"quantile_cont(balance, {percent / 100})", money=True)
    for percent in (10, 20):
        add("lowest balance", f"month_low_q{percent}", f"QUANTILE(low, {percent / 100})", "months",
            f"quantile_cont(low, {percent / 100})", money=True)
    for percent in (5, 10, 25):
        add("low balances of late", f"half_year_q{percent:02}",
            f"QUANTILE(balance, {percent / 100}) FILTER (WHERE is_half_year)", "records",
            f"quantile_cont(balance, {percent / 100}) FILTER (WHERE age < 180)", money=True)
    for name, rule, days in (("half_year_low", *half[:1], 180), ("quarter_low", "is_quarter", 90)):
        add("low balances of late", name, f"MIN(balance) FILTER (WHERE {rule})", "records",
            f"min(balance) FILTER (WHERE age < {days})", money=True)

    # A mean of less than a koruna would turn the sign of a spread: the spread is then as bad as can be.
    spread = "STDDEV(balance){0} / GREATEST(AVG(balance){0}, 1)"
    for name, rule, sql in (("balance_cv", "", ""), ("half_year_cv", *(f" FILTER (WHERE {side})" for side in half)),
                            ("quarter_cv", " FILTER (WHERE is_quarter)", " FILTER (WHERE age < 90)")):
        add("unsteady balance", name, spread.format(rule), "records",
            f"(stddev_samp(balance){sql}) / greatest((avg(balance){sql}), 100)")
    add("unsteady balance", "spread_to_inflow", "STDDEV(balance) / NULLIF(month_inflow, 0)", "records",
        "stddev_samp(balance) / nullif(min(month_inflow), 0)")
    add("unsteady balance", "month_low_cv", "STDDEV(low) / GREATEST(AVG(low), 1)", "months",
        "stddev_samp(low) / greatest(avg(low), 100)")

    add("balance at hand", "balance_at_hand", "LAST(balance)", "records", "arg_max(balance, place)", money=True)
    for name, rule, days in (("quarter_balance", "is_quarter", 90), ("half_year_balance", "is_half_year", 180)):
        add("balance at hand", name, f"AVG(balance) FILTER (WHERE {rule})", "records",
            f"avg(balance) FILTER (WHERE age < {days})", money=True)
    add("usual low of a month", "month_low_mean", "AVG(low)", "months", "avg(low)", money=True)
    add("usual low of a month", "month_low_median", "MEDIAN(low)", "months", "median(low)", money=True)
    add("usual low of a month", "balance_q25", "QUANTILE(balance, 0.25)", "records", "quantile_cont(balance, 0.25)",
        money=True)

    add("standing payments", "transfer_share", "SUM(debit) FILTER (WHERE is_transfer_out) / NULLIF(SUM(credit), 0)",
        "records",
        "coalesce(sum(debit) FILTER (WHERE transfer_out), 0) / nullif(sum(credit), 0)")
    add("standing payments", "transfer_count", "COUNT(*) FILTER (WHERE is_transfer_out)", "records",
        "count(*) FILTER (WHERE transfer_out)")
    add("standing payments", "payees", "COUNT(DISTINCT reference) FILTER (WHERE is_transfer_out)", "records",
        "count(DISTINCT other) FILTER (WHERE transfer_out AND other <> '')")
    add("standing payments", "cash_out_share", "SUM(debit) FILTER (WHERE is_cash_out) / NULLIF(SUM(debit), 0)",
        "records",
        "coalesce(sum(debit) FILTER (WHERE cash_out), 0) / nullif(sum(debit), 0)")

    add("what a withdrawal takes", "taken_mean", "AVG(share_taken) FILTER (WHERE is_cash_out)", "records",
        "avg(taken) FILTER (WHERE cash_out)")
    add("what a withdrawal takes", "taken_q90", "QUANTILE(share_taken, 0.9) FILTER (WHERE is_cash_out)", "records",
        "quantile_cont(taken, 0.9) FILTER (WHERE cash_out)")
    add("what a withdrawal takes", "any_taken_q90", "QUANTILE(share_taken, 0.9) FILTER (WHERE debit > 0)", "records",
        "quantile_cont(taken, 0.9) FILTER (WHERE debit > 0)")
    add("what a withdrawal takes", "greatest_debit", "MAX(debit) / GREATEST(AVG(balance), 1)", "records",
        "max(debit) / greatest(avg(balance), 100)")

    add("uneven months", "net_cv", "STDDEV(inflow - outflow) / NULLIF(month_inflow, 0)", "months",
        "stddev_samp(inflow - outflow) / nullif(avg(inflow), 0)")
    add("uneven months", "outflow_cv", "STDDEV(outflow) / NULLIF(AVG(outflow), 0)", "months",
        "stddev_samp(outflow) / nullif(avg(outflow), 0)")
    add("money left over", "spend_ratio", "SUM(debit) / NULLIF(SUM(credit), 0)", "records",
        "coalesce(sum(debit), 0) / nullif(sum(credit), 0)")
    add("money left over", "month_left_over", "AVG(inflow - outflow)", "months", "avg(inflow - outflow)", money=True)
    add("money left over", "overspent_months", "COUNT(*) FILTER (WHERE outflow > inflow) / COUNT(month_number)",
        "months",
        "count(*) FILTER (WHERE outflow > inflow) / count(*)")

    # From here on credits alone.
    def of_credits(family, name, rule, grain, sql, money=False):
        add(family, name, rule, grain, sql, money, credits_only=True)

    income, paid = " FILTER (WHERE is_income)", " FILTER (WHERE income)"
    of_credits("uneven income", "inflow_cv", "STDDEV(inflow) / NULLIF(month_inflow, 0)", "months",
        "stddev_samp(inflow) / nullif(avg(inflow), 0)")
    of_credits("uneven income", "income_cv", f"STDDEV(credit){income} / NULLIF(AVG(credit){income}, 0)", "records",
               f"(stddev_samp(credit){paid}) / nullif((avg(credit){paid}), 0)")
    of_credits("uneven income", "greatest_to_usual", f"MAX(credit){income} / NULLIF(MEDIAN(credit){income}, 0)",
        "records",
               f"(max(credit){paid}) / nullif((median(credit){paid}), 0)")
    of_credits("waiting for income", "longest_wait", f"MAX_GAP(trans_date){income}", "records", "max(income_gap)")
    of_credits("waiting for income", "incomes_a_month",
        f"COUNT(*){income} / COUNT(DISTINCT month_start_of(trans_date))", "records",
               f"(count(*){paid}) / count(DISTINCT date_trunc('month', day))")
    earned, of_interest = " FILTER (WHERE is_interest)", " FILTER (WHERE interest)"
    of_credits("interest earned", "interest_cv", f"STDDEV(credit){earned} / NULLIF(AVG(credit){earned}, 0)", "records",
               f"(stddev_samp(credit){of_interest}) / nullif((avg(credit){of_interest}), 0)")
    for percent in (10, 25):
        of_credits("interest earned", f"interest_q{percent}", f"QUANTILE(credit, {percent / 100}){earned}", "records",
                   f"quantile_cont(credit, {percent / 100}){of_interest}", money=True)
    of_credits("interest of late", "interest_last", f"LAST(credit){earned}", "records",
        f"arg_max(credit, place){of_interest}", money=True)
    of_credits("interest of late", "quarter_interest", "SUM(credit) FILTER (WHERE is_interest AND is_quarter)",
        "records",
               "coalesce(sum(credit) FILTER (WHERE interest AND age < 90), 0)", money=True)
    of_credits("cash paid in", "cash_in_share", "SUM(credit) FILTER (WHERE is_cash_in) / NULLIF(SUM(credit), 0)",
        "records",
               "coalesce(sum(credit) FILTER (WHERE cash_in), 0) / nullif(sum(credit), 0)")
    of_credits("cash paid in", "cash_in_spread", "STDDEV(credit) FILTER (WHERE is_cash_in)", "records",
               "stddev_samp(credit) FILTER (WHERE cash_in)", money=True)
    of_credits("size of income", "month_income", "month_inflow", "months", "avg(inflow)", money=True)
    of_credits("size of income", "usual_income", f"MEDIAN(credit){income}", "records", f"median(credit){paid}",
        money=True)
    return found
