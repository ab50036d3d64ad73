"""What of the 24 metrics is mere reading: the six columns that they need, read into memory by Polars and by DuckDB, in
turn with the whole of Polars' query, over the same table. Whoever reads the columns no faster cannot be further ahead
of a peer than its query is of these.

reading.py TABLE AS_OF [ROUNDS]; threads by POLARS_MAX_THREADS
"""

import datetime
import os
import statistics
import sys
import time

import duckdb
import polars as pl

from with_polars import query

COLUMNS = ["customer", "trans_date", "credit", "debit", "balance", "desc"]


def main(table, as_of, rounds=9):
    connection = duckdb.connect(config={"threads": int(os.environ.get("POLARS_MAX_THREADS", os.cpu_count()))})
    quoted = ", ".join(f'"{column}"' for column in COLUMNS)
    works = {
        "polars_query": lambda: query(table, as_of).collect(),
        "polars_reading": lambda: pl.read_parquet(table, columns=COLUMNS),
        "polars_reading_streaming": lambda: pl.scan_parquet(table).select(COLUMNS).collect(engine="streaming"),
        "duckdb_reading": lambda: connection.sql(f"SELECT {quoted} FROM read_parquet('{table}')").to_arrow_table(),
    }
    took = {name: [] for name in works}
    for turn in range(rounds + 1):
        for name, work in works.items():
            began = time.perf_counter()
            made = work()
            if turn:
                took[name].append(time.perf_counter() - began)
            del made
    whole = statistics.median(took["polars_query"])
    for name, seconds in took.items():
        median = statistics.median(seconds)
        print(f"{name}: {median * 1e3:.0f} ms, the query is {whole / median:.2f} times that")


if __name__ == "__main__":
    main(sys.argv[1], datetime.date.fromisoformat(sys.argv[2]), *map(int, sys.argv[3:]))
