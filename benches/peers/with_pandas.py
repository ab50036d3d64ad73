"""The 24 metrics in pandas, on PyArrow: columns made once, then groupings of them."""

import sys

import pandas as pd
import pyarrow

from worker import serve

BETTING = r"\b(?:bet9ja|sportybet|betking|1xbet|nairabet|msport|betway|betano)\b"
COLUMNS = ["customer", "trans_date", "credit", "debit", "balance", "desc"]


def calculate(table, as_of):
    record = pd.read_parquet(table, columns=COLUMNS)
    record["trans_date"] = pd.to_datetime(record["trans_date"])
    record = record[record["trans_date"] <= as_of]
    credit, debit, day, desc = record["credit"], record["debit"], record["trans_date"], record["desc"]
    within = lambda days: day > as_of - pd.Timedelta(days=days)
    shaped = pd.DataFrame(
        {
            "customer": record["customer"].astype("category"),
            "day": day,
            "month": day.dt.year * 12 + day.dt.month,
            "credit": credit,
            "debit": debit,
            "balance": record["balance"],
            "desc": desc,
            "credit_day": day.where(credit > 0),
            "inflow_30d": credit.where(within(30)),
            "inflow_90d": credit.where(within(90)),
            "outflow_90d": debit.where(within(90)),
            "counted_90d": (credit > 0) & within(90),
            "credit_180d": credit.where(within(180)),
            "weekend": credit.where(day.dt.day_of_week >= 5),
            "round": credit % 1000 == 0,
            "salary": credit.where(desc.str.contains("salary", case=False, regex=False, na=False)),
            "betting": debit.where(desc.str.contains(BETTING, case=False, na=False)),
        }
    )
    by_customer = shaped.groupby("customer", observed=True, sort=True)
    found = by_customer.agg(
        record_count=("day", "size"),
        first_day=("day", "min"),
        last_day=("day", "max"),
        active_days=("day", "nunique"),
        narration_count=("desc", "nunique"),
        credit_total=("credit", "sum"),
        debit_total=("debit", "sum"),
        inflow_30d=("inflow_30d", "sum"),
        inflow_90d=("inflow_90d", "sum"),
        outflow_90d=("outflow_90d", "sum"),
        credit_count_90d=("counted_90d", "sum"),
        credit_max_180d=("credit_180d", "max"),
        credit_median=("credit", "median"),
        last_credit=("credit_day", "max"),
        balance_min=("balance", "min"),
        weekend=("weekend", "sum"),
        round=("round", "sum"),
        credit_count=("credit", "count"),
        salary_total=("salary", "sum"),
        betting=("betting", "sum"),
    )
    whole = found["credit_total"].where(found["credit_total"] != 0)
    found["span_days"] = (found["last_day"] - found["first_day"]).dt.days + 1
    found["days_since_last_credit"] = (as_of - found["last_credit"]).dt.days
    found["credit_weekend_share"] = found["weekend"] / whole
    found["round_credit_share"] = found["round"] / found["credit_count"].where(found["credit_count"] != 0)
    found["betting_debit_share"] = found["betting"] / found["debit_total"].where(found["debit_total"] != 0)
    days = shaped[["customer", "day"]].drop_duplicates().sort_values(["customer", "day"])
    days["gap"] = days.groupby("customer", observed=True)["day"].diff()
    found["longest_gap_days"] = days.groupby("customer", observed=True)["gap"].max().dt.days
    month = shaped.groupby(["customer", "month"], observed=True)[["credit", "debit"]].sum().reset_index("month")
    month["negative"] = month["credit"] < month["debit"]
    by_month = month.groupby("customer", observed=True)
    found["month_count"] = by_month.size()
    found["inflow_month_mean"] = by_month["credit"].mean()
    found["inflow_month_min"] = by_month["credit"].min()
    mean = found["inflow_month_mean"]
    found["inflow_month_cv"] = by_month["credit"].std() / mean.where(mean != 0)
    found["negative_net_months"] = by_month["negative"].sum()
    return found.drop(columns=["first_day", "last_day", "last_credit", "weekend", "round", "credit_count", "betting"])


def write(found, path):
    found = found.reset_index()
    found["customer"] = found["customer"].astype(str)
    found.to_parquet(path)


def main():
    table, as_of, threads = sys.argv[1:]
    pyarrow.set_cpu_count(int(threads))
    as_of = pd.Timestamp(as_of)
    serve(lambda: calculate(table, as_of), write)


if __name__ == "__main__":
    main()
