#!/usr/bin/env bash
# Submits decide.py to a cluster:
#
#     MASTER=spark://HOST:7077 examples/spark/submit.sh --policy rules/starter.toml --out decided statements/
#
# Each executor's Python needs the wheel of lendwright. PYSPARK_PYTHON names that Python, on every machine. To ship an
# environment with the job instead, pack it with `venv-pack` and give it in ARCHIVES=environment.tar.gz#environment
# with PYSPARK_PYTHON=./environment/bin/python.
set -euo pipefail

MASTER="${MASTER:-local[2]}"
CORES="${CORES:-1}"              # per executor: as many tasks at the same time
EXECUTOR_MEMORY="${EXECUTOR_MEMORY:-1g}"    # the JVM's: the shuffle and its sort
EXECUTOR_OVERHEAD="${EXECUTOR_OVERHEAD:-$((CORES * 512))m}"  # the engine's: --memory-mb and as much again, per task

options=(
    --master "$MASTER"
    --name lendwright
    --executor-cores "$CORES"
    --executor-memory "$EXECUTOR_MEMORY"
    --conf "spark.executor.memoryOverhead=$EXECUTOR_OVERHEAD"
    # A Python worker compiles the policy once.
    --conf spark.python.worker.reuse=true
    # Joins small partitions. Never splits one, so a customer stays in one task.
    --conf spark.sql.adaptive.enabled=true
    # 40% of the bytes of lz4, Spark's default, on records of a bank.
    --conf spark.io.compression.codec=zstd
    # Wider batches cost fewer calls between the JVM and Python.
    --conf spark.sql.execution.arrow.maxRecordsPerBatch=65536
)
[[ -z "${ARCHIVES:-}" ]] || options+=(--archives "$ARCHIVES")
[[ -z "${EVENT_LOG:-}" ]] || options+=(
    --conf spark.eventLog.enabled=true
    --conf "spark.eventLog.dir=$EVENT_LOG"
)
# Further options of spark-submit, separated by blanks.
read -r -a more <<<"${SUBMIT_OPTIONS:-}"

exec "${SPARK_SUBMIT:-spark-submit}" "${options[@]}" "${more[@]}" "$(dirname "$0")/decide.py" "$@"
