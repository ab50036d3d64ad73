"""The wheel holds the command line: the same program under `lendwright` and `python -m lendwright`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

import lendwright
from bank_files import PROVIDER
from conftest import DAY, ROOT, STARTER, run_command


def test_the_command_says_its_version() -> None:
    run = run_command("--version")
    assert (run.returncode, run.stderr) == (0, "")
    # A build of a clone names its commit, too.
    assert run.stdout.split()[:2] == ["lendwright", lendwright.__version__]


def test_the_command_is_on_the_path_of_the_environment() -> None:
    installed = Path(sysconfig.get_path("scripts")) / "lendwright"
    if not installed.exists():
        pytest.skip("the wheel is not installed in this environment")
    run = subprocess.run([installed, "--version"], capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert run.stdout.split()[:2] == ["lendwright", lendwright.__version__]


@pytest.mark.parametrize("arguments", [["decide"], ["no-such-command"], ["--no-such-option"]])
def test_wrong_usage_ends_with_status_2(arguments: list[str]) -> None:
    run = run_command(*arguments)
    assert run.returncode == 2
    assert run.stdout == "" and "Usage" in run.stderr


def test_no_arguments_show_the_first_steps() -> None:
    run = run_command()
    assert run.returncode == 2
    assert run.stdout == ""
    assert "Begin here:" in run.stderr


def test_a_file_that_is_not_there_ends_with_status_1() -> None:
    run = run_command("decide", "--policy", STARTER, "missing.json")
    assert run.returncode == 1
    assert "missing.json" in run.stderr


def test_a_batch_with_a_failure_ends_with_status_3(small_file: Path, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("customer,trans_date,credit\nA,2026-10-01,5\nB,never,5\n")
    run = run_command("batch", "--policy", small_file, "--out", "out", "t.csv", cwd=tmp_path)
    assert run.returncode == 3
    [failure] = (json.loads(line) for line in (tmp_path / "out" / "failures.ndjson").read_text().splitlines())
    assert failure["customer"] == "B"


def test_the_command_reads_standard_input(small_file: Path) -> None:
    command = [sys.executable, "-m", "lendwright", "decide", "--policy", str(small_file), "-"]
    run = subprocess.run(command, input=PROVIDER, capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert json.loads(run.stdout)["outcome"] in ("offer", "refer", "decline"), run.stderr


def test_a_reader_that_leaves_early_is_no_error(small_file: Path, tmp_path: Path) -> None:
    rows = "".join(f"C{number},2026-10-01,5\n" for number in range(2000))
    (tmp_path / "t.csv").write_text(f"customer,trans_date,credit\n{rows}")
    command = [sys.executable, "-m", "lendwright", "decide", "--policy", str(small_file), "--as-of", DAY]
    with subprocess.Popen([*command, "t.csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as child:
        assert child.stdout is not None and child.stderr is not None
        assert child.stdout.readline().startswith(b"{")
        child.stdout.close()
        errors = child.stderr.read()
        child.wait(timeout=60)
    assert b"Traceback" not in errors and b"panicked" not in errors


@pytest.mark.skipif(os.name != "posix", reason="the signal of an interrupt is another one")
def test_an_interrupt_ends_a_command_that_waits() -> None:
    command = [sys.executable, "-m", "lendwright", "decide", "--policy", str(STARTER), "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as child:
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        status = child.wait(timeout=10)
    assert status in (130, -signal.SIGINT)


def test_importing_the_package_imports_no_other_library() -> None:
    script = "import sys, lendwright; print({'polars', 'pandas', 'pyarrow', 'numpy'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert run.stdout == "set()\n"
