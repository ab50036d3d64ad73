"""Spark on a standalone cluster of two workers: the decisions of one machine, whatever happens meanwhile."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pyarrow
import pyarrow.compute
import pyarrow.parquet
import pytest
from cluster import Cluster, Job
from event_log import EventLog
from statements import AS_OF, JOB, POLICY, Book, assert_identical, run, written

# More tasks than cores, so that some are not done when a worker is lost.
PARTITIONS = 16


def start(
    cluster: Cluster,
    book: Book,
    out: Path,
    *options: str,
    policy: Path = POLICY,
    settings: Mapping[str, str] | None = None,
) -> Job:
    arguments = ["--policy", str(policy), "--as-of", AS_OF, "--out", str(out), *options]
    return cluster.start_job(JOB, *arguments, str(book.files), settings=settings)


def tasks_done(out: Path) -> int:
    """The tasks whose part of the result is committed while the job runs."""
    return len(list(out.glob("_temporary/0/task_*")))


def log_of(job: Job) -> EventLog:
    path = job.event_file()
    assert path is not None
    return EventLog(path)


def test_the_decisions_are_those_of_one_machine(spark_cluster: Cluster, many: Book, tmp_path: Path) -> None:
    job = start(spark_cluster, many, tmp_path / "out", "--partitions", str(PARTITIONS))
    job.finish()
    assert_identical("decisions", written(tmp_path / "out"), many.decided())
    log = log_of(job)
    assert log.lost_executors() == []
    assert log.retried_stages() == []
    size, rows = log.shuffled()
    # The customer's records are shuffled once; the last rows are those of the job's own count.
    assert many.read().num_rows <= rows <= many.read().num_rows + PARTITIONS
    print(f"\nshuffled {size / rows:.1f} bytes per record; Spark's sort: peak {log.peak_memory():,} bytes per task")


def test_a_worker_that_is_killed_changes_nothing(spark_cluster: Cluster, many: Book, tmp_path: Path) -> None:
    out = tmp_path / "out"
    job = start(spark_cluster, many, out, "--partitions", str(PARTITIONS))
    try:
        job.wait_until("the first tasks", lambda: tasks_done(out) >= 2)
        executors = spark_cluster.lose(next(worker for worker in spark_cluster.workers if worker.holds_shuffle_files()))
        assert executors, "the worker had no executor"
        assert tasks_done(out) < PARTITIONS, "the job was done before the worker was killed"
        job.finish()
    finally:
        spark_cluster.start_worker()
    assert_identical("decisions", written(out), many.decided())
    log = log_of(job)
    assert len(log.lost_executors()) == 1
    # Its shuffle files are lost too, so the stage that wrote them runs again, and then the one that reads them.
    assert log.retried_stages() != []
    assert {"ExecutorLostFailure", "FetchFailed"} & set(log.failed_tasks()) != set()


def test_a_policy_that_changes_meanwhile_changes_nothing(spark_cluster: Cluster, few: Book, tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    shutil.copytree(POLICY.parent, rules)
    policy = rules / POLICY.name
    out = tmp_path / "out"
    job = start(spark_cluster, few, out, "--partitions", str(PARTITIONS), policy=policy)
    job.wait_until("the first task", lambda: tasks_done(out) >= 1)
    assert tasks_done(out) < PARTITIONS, "the job was done before the policy was rewritten"
    for file in rules.glob("*.toml"):
        file.write_text("[policy]\nname = 'another'\n")
    job.finish()
    assert_identical("decisions", written(out), few.decided())
    digests = pyarrow.compute.unique(written(out)["policy_digest"]).to_pylist()
    assert digests == pyarrow.compute.unique(few.decided()["policy_digest"]).to_pylist()


@pytest.mark.parametrize("table", ["offers", "reasons"])
def test_other_tables_are_those_of_one_machine(spark_cluster: Cluster, few: Book, tmp_path: Path, table: str) -> None:
    start(spark_cluster, few, tmp_path / "out", "--table", table).finish()
    assert_identical(table, written(tmp_path / "out"), few.decided(table))


COLUMNS = """
[columns]
customer = "client"
id = "id"
trans_date = "trans_date"
credit = "credit"
debit = "debit"
balance = "balance"
desc = "desc"
"""


def test_customers_stay_whole_whatever_their_column_is_called(
    spark_cluster: Cluster, few: Book, tmp_path: Path
) -> None:
    """The table has a column `customer` that is none: by it, a client would be in several tasks."""

    def rename(table: pyarrow.Table) -> pyarrow.Table:
        client = table["customer"]
        table = table.drop_columns("customer").append_column("client", client)
        return table.append_column("customer", table["trans_date"].cast(pyarrow.string()))

    book = Book.changed(tmp_path / "book", few, rename)
    columns = tmp_path / "columns.toml"
    columns.write_text(COLUMNS)
    expected = tmp_path / "batch"
    options = ["--policy", str(POLICY), "--as-of", AS_OF, "--columns", str(columns), "--as", "parquet"]
    run(["batch", "--quiet", *options, "--out", str(expected), str(book.files)])
    start(spark_cluster, book, tmp_path / "out", "--columns", str(columns), "--partitions", "4").finish()
    assert_identical("decisions", written(tmp_path / "out"), pyarrow.parquet.read_table(expected / "decisions.parquet"))


def test_a_damaged_customer_is_a_row_with_a_failure(spark_cluster: Cluster, few: Book, tmp_path: Path) -> None:
    damaged = few.read()["customer"][0].as_py()

    def damage(table: pyarrow.Table) -> pyarrow.Table:
        credit = table["credit"].cast(pyarrow.string())
        of_damaged = pyarrow.compute.equal(table["customer"], damaged)
        credit = pyarrow.compute.if_else(of_damaged, "12,3x", credit)
        return table.set_column(table.schema.get_field_index("credit"), "credit", credit)

    book = Book.changed(tmp_path / "book", few, damage)
    expected = book.decided(exit_status=3)
    start(spark_cluster, book, tmp_path / "out", "--partitions", "4").finish(expected=3)
    found = written(tmp_path / "out")
    failed = found.filter(pyarrow.compute.is_valid(found["failure"])).to_pylist()
    assert [row["customer"] for row in failed] == [damaged]
    assert [row["outcome"] for row in failed] == [None]
    assert book.failures()[damaged].split(";")[0] in failed[0]["failure"]
    assert failed[0]["policy_digest"] == expected["policy_digest"][0].as_py()
    assert_identical("decisions", found.filter(pyarrow.compute.is_null(found["failure"])), expected)


def test_a_customer_with_a_tenth_of_all_rows_is_one_decision(spark_cluster: Cluster, few: Book, tmp_path: Path) -> None:
    """Adaptive execution sees a skewed partition, and settings that invite it to split the partition."""

    def skew(table: pyarrow.Table) -> pyarrow.Table:
        at = table.schema.get_field_index("customer")
        taken = table.num_rows // 10
        names = ["giant"] * taken + table["customer"].to_pylist()[taken:]
        return table.set_column(at, "customer", pyarrow.array(names))

    book = Book.changed(tmp_path / "book", few, skew)
    settings = {
        "spark.sql.adaptive.advisoryPartitionSizeInBytes": "16k",
        "spark.sql.adaptive.coalescePartitions.parallelismFirst": "false",
        "spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes": "16k",
        "spark.sql.adaptive.skewJoin.skewedPartitionFactor": "1.0",
        "spark.sql.shuffle.partitions": "12",
    }
    start(spark_cluster, book, tmp_path / "out", settings=settings).finish()
    found = written(tmp_path / "out")
    assert_identical("decisions", found, book.decided())
    assert pyarrow.compute.sum(pyarrow.compute.equal(found["customer"], "giant")).as_py() == 1


def test_a_name_with_blanks_is_the_same_customer(spark_cluster: Cluster, few: Book, tmp_path: Path) -> None:
    """Spark would hash ` C-17` and `C-17` to different tasks."""

    def pad(table: pyarrow.Table) -> pyarrow.Table:
        blanks = ["", " ", "\t", "\u00a0", "\u3000 "]
        names = [blanks[row % 5] + name + blanks[row % 3] for row, name in enumerate(table["customer"].to_pylist())]
        return table.set_column(table.schema.get_field_index("customer"), "customer", pyarrow.array(names))

    book = Book.changed(tmp_path / "book", few, pad)
    start(spark_cluster, book, tmp_path / "out", "--partitions", "8").finish()
    assert_identical("decisions", written(tmp_path / "out"), few.decided())


def test_folders_are_columns_as_in_batch(spark_cluster: Cluster, few: Book, tmp_path: Path) -> None:
    """Hive partitions. A customer `007` keeps its zeros, and is in several folders.

    Spark shows the folder `part=1` as a column like any other, so `warnings` says that nothing is read from it.
    """
    rows = few.read().sort_by("customer")
    names = pyarrow.compute.unique(rows["customer"]).to_pylist()[:20]
    book = Book(tmp_path / "book")
    for number, name in enumerate(names):
        of_customer = rows.filter(pyarrow.compute.equal(rows["customer"], name)).drop_columns(["customer"])
        for part, offset in enumerate(range(0, of_customer.num_rows, 5)):
            folder = book.files / f"customer=00{number}" / f"part={part}"
            folder.mkdir(parents=True)
            pyarrow.parquet.write_table(of_customer.slice(offset, 5), folder / "rows.parquet")
    start(spark_cluster, book, tmp_path / "out").finish()
    assert_identical("decisions", written(tmp_path / "out"), book.decided(), but=("statement", "warnings"))
