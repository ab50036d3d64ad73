"""Prints how often the customers of a task are out of order after `sortWithinPartitions`. Nothing but Spark is used."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

import pyarrow
from pyspark.sql import SparkSession


def count(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Closed over nothing of this file, which the server does not have."""
    import itertools

    import pyarrow

    names = [name for batch in batches for name in batch["customer"].to_pylist()]
    unordered = sum(one > next_one for one, next_one in itertools.pairwise(names))
    yield pyarrow.RecordBatch.from_pydict({"unordered": pyarrow.array([unordered], pyarrow.int64())})


if __name__ == "__main__":
    rows = SparkSession.builder.getOrCreate().read.parquet(sys.argv[1])
    counted = rows.repartition(4, "customer").sortWithinPartitions("customer").mapInArrow(count, "unordered long")
    print(sum(row.unordered for row in counted.collect()))
