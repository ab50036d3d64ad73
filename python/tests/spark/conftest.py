"""Fixtures of the Spark tests: data of a given size, what one machine decides about it, and a cluster.

SPARK_CUSTOMERS (200,000) and SPARK_RECORDS (10 per customer) set the size. Where there is no Java or no PySpark, every
test is skipped, and the reason closes the run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import cluster
import pytest
import statements

CUSTOMERS = int(os.environ.get("SPARK_CUSTOMERS", "200000"))
RECORDS = int(os.environ.get("SPARK_RECORDS", "10"))

# For tests of something that does not depend on the size.
FEW = min(CUSTOMERS, 2_000)

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = cluster.missing()
    if reason is None:
        return
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reason = cluster.missing()
    if reason is not None:
        terminalreporter.section("SPARK WAS NOT TESTED", "!", red=True, bold=True)
        terminalreporter.line(reason)


@pytest.fixture(scope="session")
def spark_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[cluster.Cluster]:
    with cluster.Cluster(tmp_path_factory.mktemp("cluster") / "cluster") as started:
        yield started


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> statements.Book:
    """All customers, in eight files without any order of rows."""
    return statements.Book.generate(tmp_path_factory.mktemp("many"), CUSTOMERS, RECORDS)


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory) -> statements.Book:
    return statements.Book.generate(tmp_path_factory.mktemp("few"), FEW, RECORDS)
