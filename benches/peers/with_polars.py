"""The 24 metrics in Polars: one lazy query; the streaming engine where `--streaming` is given."""

import datetime
import sys

import polars as pl

from worker import serve

BETTING = r"(?i)\b(bet9ja|sportybet|betking|1xbet|nairabet|msport|betway|betano)\b"


def query(table, as_of):
    record = pl.scan_parquet(table).filter(pl.col("trans_date") <= as_of)
    credit, debit, day, desc = pl.col("credit"), pl.col("debit"), pl.col("trans_date"), pl.col("desc")
    known_share = lambda part, whole: pl.when(whole != 0).then(part / whole)
    within = lambda days: day > as_of - datetime.timedelta(days=days)
    statements = record.group_by("customer").agg(
        record_count=pl.len(),
        span_days=(day.max() - day.min()).dt.total_days() + 1,
        active_days=day.n_unique(),
        longest_gap_days=day.unique().sort().diff().max().dt.total_days(),
        narration_count=desc.drop_nulls().n_unique(),
        credit_total=credit.sum(),
        debit_total=debit.sum(),
        inflow_30d=credit.filter(within(30)).sum(),
        inflow_90d=credit.filter(within(90)).sum(),
        outflow_90d=debit.filter(within(90)).sum(),
        credit_count_90d=((credit > 0) & within(90)).sum(),
        credit_max_180d=credit.filter(within(180)).max(),
        credit_median=credit.median(),
        days_since_last_credit=(pl.lit(as_of) - day.filter(credit > 0).max()).dt.total_days(),
        balance_min=pl.col("balance").min(),
        credit_weekend_share=known_share(credit.filter(day.dt.weekday() >= 6).sum(), credit.sum()),
        round_credit_share=known_share((credit % 1000 == 0).sum(), credit.count()),
        salary_total=credit.filter(desc.str.to_lowercase().str.contains("salary", literal=True)).sum(),
        betting_debit_share=known_share(debit.filter(desc.str.contains(BETTING)).sum(), debit.sum()),
    )
    months = (
        record.group_by("customer", month=day.dt.truncate("1mo"))
        .agg(inflow=credit.sum(), outflow=debit.sum())
        .group_by("customer")
        .agg(
            month_count=pl.len(),
            inflow_month_mean=pl.col("inflow").mean(),
            inflow_month_min=pl.col("inflow").min(),
            inflow_month_cv=known_share(pl.col("inflow").std(), pl.col("inflow").mean()),
            negative_net_months=(pl.col("inflow") < pl.col("outflow")).sum(),
        )
    )
    return statements.join(months, on="customer").sort("customer")


def main():
    table, as_of, threads = sys.argv[1:4]
    if pl.thread_pool_size() != int(threads):
        sys.exit(f"set POLARS_MAX_THREADS={threads}")
    engine = "streaming" if "--streaming" in sys.argv else "in-memory"
    lazy = query(table, datetime.date.fromisoformat(as_of))
    serve(lambda: lazy.collect(engine=engine), lambda found, path: found.write_parquet(path))


if __name__ == "__main__":
    main()
