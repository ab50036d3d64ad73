"""Decides the customers of a table with Spark, and writes the decisions as Parquet.

    spark-submit examples/spark/decide.py --policy rules/starter.toml --as-of 2026-10-31 --out decided statements/

`submit.sh` beside this file has the options of a cluster. With SPARK_REMOTE=sc://HOST:PORT the same file is a client of
Spark Connect: run it with `python`.

The input may be a file or a folder of Parquet, also one with Hive partitions (`customer=C-17/month=2026-03`). Tables in
other formats are read by Spark's own readers: `--format delta` or `--format iceberg` with the package of that format in
`spark.jars.packages`, or a table of the catalog by its name with `--format table`.
"""

from __future__ import annotations

import argparse
import sys

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as spark

import lendwright
import lendwright.spark


def main() -> int:
    """Runs the job. Returns the exit status."""
    options = arguments()
    session = SparkSession.builder.appName("lendwright").getOrCreate()
    # Spark would read the folder `customer=007` as the number 7, who is somebody else.
    session.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
    policy = lendwright.load(options.policy)
    decided = lendwright.spark.decide(
        read(session, options.format, options.input),
        policy,
        table=options.table,
        as_of=options.as_of,
        columns=options.columns,
        customer=options.customer,
        partitions=options.partitions,
        memory_mb=options.memory_mb,
    )
    decided.write.mode(options.mode).parquet(options.out)
    return report(session.read.parquet(options.out), policy.digest)


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description="Decide the customers of a table with Spark.")
    parser.add_argument("input", nargs="+", help="files, folders or names of tables")
    parser.add_argument("--policy", required=True, help="the rule file, which only the driver reads")
    parser.add_argument("--out", required=True, help="the folder for the result, which executors can write")
    parser.add_argument("--as-of", help="the day of the decision, such as 2026-10-31")
    parser.add_argument("--table", default="decisions", choices=["decisions", "offers", "reasons"])
    parser.add_argument("--format", default="parquet", help="parquet, delta, iceberg, ...; `table` for the catalog")
    parser.add_argument("--columns", help="a columns file, if the columns have other names than lendwright's own")
    parser.add_argument("--customer", help="the column with the customer, to be sure that it is the one that is read")
    parser.add_argument("--partitions", type=int, help="the number of tasks; by default Spark chooses")
    parser.add_argument("--memory-mb", type=int, default=256, help="the engine's memory per task, outside the JVM")
    parser.add_argument("--mode", default="error", choices=["error", "overwrite"])
    return parser.parse_args()


def read(session: SparkSession, kind: str, inputs: list[str]) -> DataFrame:
    """All inputs as one table, by name of column. A customer's records may be in several of them."""
    if kind == "parquet":
        return session.read.option("mergeSchema", "true").parquet(*inputs)
    tables = [session.table(name) if kind == "table" else session.read.format(kind).load(name) for name in inputs]
    whole = tables[0]
    for table in tables[1:]:
        whole = whole.unionByName(table, allowMissingColumns=True)
    return whole


def report(written: DataFrame, digest: str) -> int:
    """Prints what was written. The exit status is 3 if some customers failed, as with `lendwright batch`."""
    rows, failed = written.agg(spark.count("*"), spark.count("failure")).collect()[0]
    print(f"{rows - failed:,} rows by policy {digest[:12]}, {failed:,} customers failed")
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
