"""What several tests use: where the repository is, small policies, and the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import lendwright

ROOT = Path(__file__).resolve().parents[2]
STARTER = ROOT / "rules" / "starter.toml"
DAY = "2026-10-31"

SMALL = """
[policy]
name = "small"
version = "1"
currency = "566"
statement_unit = "{unit}"
time_zone = "Africa/Lagos"

[parameters]
least = {{ value = 1_000, unit = "money" }}
share = 0.5
records = 2

[request]
amount = "money"
purpose = "text"

[metric]
income = "SUM(credit)"
largest = "MAX(credit)"
spent = "SUM(debit)"
last_balance = "MIN(balance)"
records_seen = "COUNT(*)"
named = "COUNT(desc)"

[[require]]
id = "R1"
when = "income >= $least"
reason = "Only {{income}} came in"

[[require]]
id = "R2"
when = "records_seen >= $records"
else = "refer"
reason = "{{records_seen}} records"

[[require]]
id = "R3"
when = "spent <= income"
else = "refer"
unknown = "pass"
reason = "More goes out than comes in"

[[offer]]
id = "loan"
tenure = 30
amount = "round_down(LEAST($share * income, COALESCE(request.amount, income)), 1)"
interest = 3
"""

CommandLine = Callable[..., "subprocess.CompletedProcess[str]"]


def run_command(*arguments: str | os.PathLike[str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command line of the package."""
    command: Sequence[str] = [sys.executable, "-m", "lendwright", *(os.fspath(one) for one in arguments)]
    # Not the folder of the sources, whose package has no engine.
    return subprocess.run(command, cwd=cwd or ROOT, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="session")
def small_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy of a few metrics, in a file."""
    path = tmp_path_factory.mktemp("policy") / "small.toml"
    path.write_text(SMALL.format(unit="major"))
    return path


@pytest.fixture(scope="session")
def small(small_file: Path) -> lendwright.Policy:
    """A policy of a few metrics."""
    return lendwright.load(small_file)


@pytest.fixture(scope="session")
def starter() -> lendwright.Policy:
    """The policy that ships."""
    return lendwright.load(STARTER)


@pytest.fixture(scope="session")
def people() -> lendwright.Generated:
    """A few invented people."""
    return lendwright.generate(statements=8, records=60, seed=3, debits=True)
