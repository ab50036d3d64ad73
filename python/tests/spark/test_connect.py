"""Spark Connect: the same job as a client of Spark's own server, and of pysail, which drops the sort silently."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster import LOOPBACK, Cluster, environment, run_until, spark_home, start, tail, wait_for
from statements import AS_OF, JOB, POLICY, Book, assert_identical, written


def decide(server: str, book: Book, out: Path, *options: str) -> None:
    """The example as a client, which needs no Java."""
    arguments = ["--policy", str(POLICY), "--as-of", AS_OF, "--out", str(out), *options, str(book.files)]
    done = subprocess.run(
        [sys.executable, str(JOB), *arguments],
        env={**environment(), "SPARK_REMOTE": server},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def free_port() -> int:
    with socket.socket() as found:
        found.bind((LOOPBACK, 0))
        return int(found.getsockname()[1])


def answers(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex((LOOPBACK, port)) == 0


def serve(command: list[str], port: int, log: Path) -> Iterator[str]:
    for process in run_until(start(command, log)):
        wait_for("server", lambda: answers(port), process, log, 90)
        yield f"sc://{LOOPBACK}:{port}"
        assert process.poll() is None, tail(log)


@pytest.fixture(scope="module")
def connect_server(spark_cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Spark's server, whose executors are those of the cluster."""
    if not list((spark_home() / "jars").glob("spark-connect_*.jar")):
        pytest.skip("this PySpark ships no Spark Connect server; 4.0 or newer does")
    if importlib.util.find_spec("grpc") is None:
        pytest.skip("the client of Spark Connect is not installed: pip install 'pyspark[connect]'")
    port = free_port()
    settings = {
        "spark.master": spark_cluster.url,
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.executor.memory": spark_cluster.executor_memory,
        "spark.ui.enabled": "false",
        "spark.connect.grpc.binding.address": LOOPBACK,
        "spark.connect.grpc.binding.port": str(port),
    }
    options = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    server = "org.apache.spark.sql.connect.service.SparkConnectServer"
    command = [str(spark_home() / "bin" / "spark-submit"), "--class", server, *options, "spark-internal"]
    yield from serve(command, port, tmp_path_factory.mktemp("connect") / "log")


@pytest.fixture(scope="module")
def sail_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if importlib.util.find_spec("pysail") is None:
        pytest.skip("pysail is not installed: pip install pysail")
    port = free_port()
    command = [str(Path(sys.executable).parent / "sail"), "spark", "server", "--ip", LOOPBACK, "--port", str(port)]
    yield from serve(command, port, tmp_path_factory.mktemp("sail") / "log")


@pytest.mark.parametrize("options", [["--partitions", "4"], []], ids=["four partitions", "any"])
def test_a_client_gets_the_decisions_of_one_machine(
    connect_server: str, few: Book, tmp_path: Path, options: list[str]
) -> None:
    decide(connect_server, few, tmp_path / "out", *options)
    assert_identical("decisions", written(tmp_path / "out"), few.decided())


@pytest.mark.parametrize("options", [["--partitions", "4"], [], ["--memory-mb", "1"]], ids=["four", "any", "on disk"])
def test_an_engine_that_drops_the_sort_changes_nothing(
    sail_server: str, few: Book, tmp_path: Path, options: list[str]
) -> None:
    (tmp_path / "out").mkdir()
    decide(sail_server, few, tmp_path / "out", *options, "--mode", "overwrite")
    assert_identical("decisions", written(tmp_path / "out"), few.decided())


def test_pysail_still_drops_the_sort(sail_server: str, few: Book) -> None:
    """If this fails, pysail keeps the order now, and docs/scale.md is out of date."""
    counted = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("count_unordered.py")), str(few.files)],
        env={**os.environ, **environment(), "SPARK_REMOTE": sail_server},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert counted.returncode == 0, counted.stderr
    assert int(counted.stdout) > 0
