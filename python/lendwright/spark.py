"""Decides the statements of a Spark DataFrame on the executors: the same decisions as on one machine.

Rows of a customer are brought to one task by one shuffle, sorted there, and passed to the engine as Arrow batches. The
engine does not trust the order: it sorts by itself what does not come in order, and fails if a customer comes again.

Needs PySpark 4.0 or newer, classic or Connect, and PyArrow 15 or newer; `import lendwright` needs neither. Executors
need the same wheel as the driver. This module must not know a rule or what a column means.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from lendwright import _engine
from lendwright._errors import Error, StatementError
from lendwright._policy import Policy
from lendwright._values import Day, day_text, request_text

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructType

__all__ = ["decide", "metrics", "records"]

# What the engine cuts from both ends of a name: blanks and what does not show. Spark's own `trim` cuts spaces only.
CUT = _engine.letters_cut_from_names()

# The rows of one Arrow batch that goes back to Spark, as many as Spark sends.
BATCH_ROWS = 10_000


def decide(
    df: DataFrame,
    policy: Policy,
    *,
    table: Literal["decisions", "offers", "reasons"] = "decisions",
    as_of: Day | None = None,
    request: Mapping[str, Any] | None = None,
    columns: str | os.PathLike[str] | None = None,
    customer: str | None = None,
    partitions: int | None = None,
    memory_mb: int = 256,
    json: bool = False,
) -> DataFrame:
    """Decides each customer of ``df``. Nothing runs before the result is used.

    The result has the columns that ``lendwright batch --write TABLE --as parquet`` writes, then ``policy_digest`` and
    ``failure``. A customer who cannot be decided is one row with the reason in ``failure``, which is null in all other
    rows: select those before you lend.

    ``table`` is ``decisions`` (one row per statement), ``offers`` (one per offer) or ``reasons`` (one per reason).
    ``as_of`` is the day of the decision; without it, what depends on today is unknown. ``request`` is what is asked
    for, by the names of the policy, with money in minor units. ``columns`` is a columns file, if the columns have
    other names. ``json`` adds the column ``decision``, the line of ``lendwright decide``.

    Rows are brought together by the column that the engine reads as customer: the one that ``columns`` names, or
    ``customer``. The argument ``customer`` may repeat its name, and another name is refused. ``partitions`` is the
    number of tasks. Without it Spark chooses: ``spark.sql.shuffle.partitions``, of which adaptive execution joins small
    ones. A customer is always in one task.

    ``memory_mb`` is what the engine keeps of a task's records before it decides or sorts on disk. The records of one
    customer are always in memory. This memory is outside the JVM: ``spark.executor.memoryOverhead`` must cover it.

    The policy goes with the job as a value, so a later change of its files changes nothing. All columns are shuffled:
    select those that the engine reads first.

    Raises:
        StatementError: if a column is missing or has a type that is not read. No job has run then. In a job it means
            that a row has no customer, and Spark shows the message.
        RequestError: if the request has a field that the policy does not declare.
    """
    if table not in ("decisions", "offers", "reasons"):
        help = "write decisions, offers or reasons"
        raise Error(f"there is no table `{table}`; {help}", code="table", help=help)
    task = _task(policy, table, as_of, columns, memory_mb, request_json=request_text(request), json=json)
    return _planned(df, task, customer, partitions)


def metrics(
    df: DataFrame,
    policy: Policy,
    *,
    as_of: Day | None = None,
    columns: str | os.PathLike[str] | None = None,
    customer: str | None = None,
    partitions: int | None = None,
    memory_mb: int = 256,
) -> DataFrame:
    """Computes the metrics of each customer of `df`: one row per statement, one column per metric.

    Null is unknown. The arguments, ``policy_digest`` and ``failure`` are those of :func:`decide`.
    """
    return _planned(df, _task(policy, "metrics", as_of, columns, memory_mb), customer, partitions)


def records(
    df: DataFrame,
    policy: Policy,
    *,
    as_of: Day | None = None,
    flags: Sequence[str] | None = None,
    columns: str | os.PathLike[str] | None = None,
    customer: str | None = None,
    partitions: int | None = None,
    memory_mb: int = 256,
) -> DataFrame:
    """Says what the policy finds in every record of ``df``: counterparty, stream, kind, flags, and why.

    ``flags`` names values of ``[transaction]`` to show instead of all that begin with ``is_``. The other arguments,
    ``policy_digest`` and ``failure`` are those of :func:`decide`.
    """
    task = _task(policy, "records", as_of, columns, memory_mb, flags=tuple(flags or ()))
    return _planned(df, task, customer, partitions)


@dataclass(frozen=True)
class CustomerTask:
    """Decides the customers of one partition. Spark pickles it on the driver and calls it on the executors.

    The policy in it is a value, not a path. The engine compiles it once per Python worker.
    """

    policy: Policy
    table: str
    as_of: str | None
    request_json: str | None
    columns: str | None
    flags: tuple[str, ...] | None
    json: bool
    memory: int
    result: tuple[tuple[str, str], ...]

    def __call__(self, batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        """Spark's batches in, rows of results out, as soon as a customer's records are all there."""
        schema = _arrow_schema(self.result)
        partition = None
        for batch in batches:
            if batch.num_rows == 0:
                continue
            partition = partition or self.partition()
            for found in partition.push(batch):
                yield from _as_declared(found, schema)
        if partition is not None:
            for found in partition.finish():
                yield from _as_declared(found, schema)

    def partition(self) -> _engine.Partition:
        """What the engine finds in one partition. Raises if the day, the request or the columns file is wrong."""
        return _engine.Partition(
            self.policy._policy,
            self.table,
            as_of=self.as_of,
            request_json=self.request_json,
            columns=self.columns,
            flags=None if self.flags is None else list(self.flags),
            json=self.json,
            memory=self.memory,
            temp=_local_folder(),
        )


def _task(
    policy: Policy,
    table: str,
    as_of: Day | None,
    columns: str | os.PathLike[str] | None,
    memory_mb: int,
    *,
    request_json: str | None = None,
    flags: tuple[str, ...] | None = None,
    json: bool = False,
) -> CustomerTask:
    if memory_mb < 1:
        raise Error(f"`memory_mb` is {memory_mb}; it must be at least 1", code="memory", help="it must be at least 1")
    result = policy._policy._result_columns(table, json=json, flags=None if flags is None else list(flags))
    return CustomerTask(
        policy=policy,
        table=table,
        as_of=day_text(as_of),
        request_json=request_json,
        columns=None if columns is None else _engine.columns_text(os.fspath(columns)),
        flags=flags,
        json=json,
        memory=memory_mb * 1024 * 1024,
        result=tuple(result),
    )


def _planned(df: DataFrame, task: CustomerTask, customer: str | None, partitions: int | None) -> DataFrame:
    """Checks what can be checked without the records, then plans the shuffle, the sort and the task.

    Adaptive execution never splits a partition of `repartition(column)` (its origin is REPARTITION_BY_COL), and leaves
    `repartition(number, column)` as it is. A `REBALANCE` hint would be split, so it must not be used here.
    """
    task.partition()
    _refuse_repeated(df.columns)
    read = task.policy._policy._check_columns(_empty_table(df.schema), task.columns)
    if customer is not None and customer != read:
        # By another column, a customer would be in several tasks, and decided on a part of the records in each.
        help = "name that column in the columns file, or leave `customer` out"
        raise StatementError(
            f"customers are read from `{read}`, not from `{customer}`; {help}", code="columns", help=help
        )
    df = _without_lists(df)
    df, key = _with_key(df, read)
    grouped = df.repartition(key) if partitions is None else df.repartition(partitions, key)
    return grouped.sortWithinPartitions(key).mapInArrow(task, _spark_schema(task.result))


def _refuse_repeated(names: Sequence[str]) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        help = "rename or drop one of them"
        raise StatementError(f"two columns are named `{repeated[0]}`; {help}", code="columns", help=help)


def _without_lists(df: DataFrame) -> DataFrame:
    """Arrays and maps that were not refused are not read: they keep their names, and none of their values is shuffled.

    The names matter: the engine names columns that it does not know in `warnings`.
    """
    from pyspark.sql import functions as spark
    from pyspark.sql.types import ArrayType, MapType

    held = [field.name for field in df.schema.fields if isinstance(field.dataType, (ArrayType, MapType))]
    return df.withColumns({name: spark.lit(None) for name in held}) if held else df


def _with_key(df: DataFrame, customer: str) -> tuple[DataFrame, Column]:
    """What rows are brought together by: the customer's name as the engine compares it, without blanks around it.

    Otherwise ` C-17` and `C-17`, who are one customer, would be in two tasks, and each would be decided on a part of
    the records. A column of text is replaced, so that the sort need not trim at each comparison.
    """
    from pyspark.sql import functions as spark
    from pyspark.sql.types import StringType

    if customer not in df.columns:
        return df, spark.btrim(df[customer].cast("string"), spark.lit(CUT))
    column = df[_quoted(customer)]
    key = spark.btrim(column.cast("string"), spark.lit(CUT))
    if not isinstance(df.schema[customer].dataType, StringType):
        return df, key
    df = df.withColumn(customer, key)
    return df, df[_quoted(customer)]


def _quoted(name: str) -> str:
    """A column's name, whose dots lead into no struct."""
    return "`" + name.replace("`", "``") + "`"


def _empty_table(schema: StructType) -> pyarrow.Table:
    """A table without rows that has the columns as the executors will get them."""
    import pyarrow

    return pyarrow.schema([(field.name, _arrow_type(field.dataType)) for field in schema.fields]).empty_table()


def _arrow_type(kind: DataType) -> pyarrow.DataType:
    """The type in which Spark sends a column to Python.

    Values are sent as they are: a cast could change digits of an amount. Types that no statement has are shown to the
    engine as what they resemble. It refuses them where it would read them.
    """
    import pyarrow
    from pyspark.sql import types as spark

    if isinstance(kind, spark.StructType):
        return pyarrow.struct([(field.name, _arrow_type(field.dataType)) for field in kind.fields])
    if isinstance(kind, spark.ArrayType):
        return pyarrow.list_(_arrow_type(kind.elementType))
    if isinstance(kind, spark.DecimalType):
        return pyarrow.decimal128(kind.precision, kind.scale)
    plain = {
        "void": pyarrow.null(),
        "boolean": pyarrow.bool_(),
        "byte": pyarrow.int8(),
        "short": pyarrow.int16(),
        "integer": pyarrow.int32(),
        "long": pyarrow.int64(),
        "float": pyarrow.float32(),
        "double": pyarrow.float64(),
        "string": pyarrow.string(),
        "char": pyarrow.string(),
        "varchar": pyarrow.string(),
        "binary": pyarrow.binary(),
        "date": pyarrow.date32(),
        "timestamp": pyarrow.timestamp("us", "UTC"),
        "timestamp_ntz": pyarrow.timestamp("us"),
    }
    return plain.get(kind.typeName(), pyarrow.list_(pyarrow.null()))


def _spark_schema(result: Sequence[tuple[str, str]]) -> StructType:
    from pyspark.sql import types as spark

    kinds: dict[str, DataType] = {
        "text": spark.StringType(),
        "integer": spark.LongType(),
        "float": spark.DoubleType(),
        "boolean": spark.BooleanType(),
        "date": spark.DateType(),
    }
    return spark.StructType([spark.StructField(name, kinds[kind]) for name, kind in result])


def _arrow_schema(result: Sequence[tuple[str, str]]) -> pyarrow.Schema:
    """The types of a result that Spark takes: no dictionaries, no large texts, days as 32 bits."""
    import pyarrow

    kinds: dict[str, pyarrow.DataType] = {
        "text": pyarrow.string(),
        "integer": pyarrow.int64(),
        "float": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
        "date": pyarrow.date32(),
    }
    return pyarrow.schema([(name, kinds[kind]) for name, kind in result])


def _as_declared(found: object, schema: pyarrow.Schema) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow

    table = pyarrow.table(found).cast(schema)
    return (batch for batch in table.to_batches(max_chunksize=BATCH_ROWS) if batch.num_rows > 0)


def _local_folder() -> str | None:
    """Where Spark's own temporary files are, so that what the engine sorts is on the same disks and is cleared."""
    folders = [folder for folder in os.environ.get("SPARK_LOCAL_DIRS", "").split(",") if folder]
    return folders[os.getpid() % len(folders)] if folders else None
