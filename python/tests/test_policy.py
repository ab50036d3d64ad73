"""A policy is loaded with its parameters, says what is wrong with it, travels to other processes, and explains."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy
import pandas
import pytest

import lendwright
from conftest import DAY, ROOT, SMALL, STARTER, run_command


def test_a_policy_names_itself(small: lendwright.Policy) -> None:
    assert (small.name, small.version, small.currency) == ("small", "1", "NGN")
    assert len(small.digest) == 64
    assert repr(small) == f"<Policy small 1, digest {small.digest[:12]}>"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2000, "2000.00"),
        (2000.5, "2000.50"),
        ("2000.50", "2000.50"),
        (Decimal("2000.50"), "2000.50"),
        (Decimal("2E+3"), "2000.00"),
        (1e6, "1000000.00"),
        (numpy.int64(7), "7.00"),
        (numpy.float64(7.25), "7.25"),
        (numpy.float32(7.1), "7.10"),
        (numpy.array(7.25), "7.25"),
    ],
)
def test_a_parameter_of_any_kind_of_number_is_read_by_its_digits(small_file: Path, value: Any, shown: str) -> None:
    assert lendwright.load(small_file, {"least": value}).parameters["least"].value == shown


def test_a_parameter_changes_decisions_and_the_digest_of_none(small_file: Path, people: lendwright.Generated) -> None:
    few = lendwright.load(small_file, {"least": 10**9}).decide(people, DAY)
    many = lendwright.load(small_file, {"least": 0}).decide(people, DAY)
    assert {row["outcome"] for row in few.rows()} == {"decline"}
    assert {row["outcome"] for row in many.rows()} <= {"offer", "refer"}


def test_parameters_of_every_point_of_a_curve_are_read(small_file: Path) -> None:
    for share in numpy.linspace(0.1, 0.9, 9):
        assert Decimal(lendwright.load(small_file, {"share": share}).parameters["share"].value) == Decimal(str(share))


@pytest.mark.parametrize("value", [None, [1], {}, b"1", datetime(2026, 1, 1), pandas.Timestamp("2026-01-01")])
def test_what_is_no_value_of_a_parameter_is_a_type_error(small_file: Path, value: Any) -> None:
    with pytest.raises(TypeError, match="parameter `least`"):
        lendwright.load(small_file, {"least": value})


@pytest.mark.parametrize("value", ["x", True, float("nan"), 0.001, 1e30, date(2026, 1, 1)])
def test_a_value_that_a_parameter_cannot_have_is_refused_with_its_place(small_file: Path, value: Any) -> None:
    with pytest.raises(lendwright.PolicyError, match="parameter `least`") as raised:
        lendwright.load(small_file, {"least": value})
    assert raised.value.code == "parameter"
    assert raised.value.place is not None and raised.value.place.startswith(f"{small_file}:")


def test_an_unknown_parameter_is_refused(small_file: Path) -> None:
    with pytest.raises(lendwright.PolicyError, match="unknown parameter `lest`") as raised:
        lendwright.load(small_file, {"lest": 1})
    assert raised.value.code == "unknown-parameter"


def test_the_shipped_policy_says_the_bounds_of_its_parameters(starter: lendwright.Policy) -> None:
    least = starter.parameters["min_counted_income"]
    assert (least.value, least.min, least.max) == ("70000.00", "10000.00", "1000000.00")


def test_every_parameter_can_be_given_back_as_it_is(starter: lendwright.Policy) -> None:
    values = {name: parameter.value for name, parameter in starter.parameters.items()}
    assert len(values) > 10
    again = lendwright.load(STARTER, values)
    assert again.parameters == starter.parameters


def test_a_policy_with_mistakes_lists_all_of_them(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(SMALL.format(unit="major").replace("SUM(credit)", "SUM(kredit)").replace("MAX(", "MAXX("))
    with pytest.raises(lendwright.PolicyError) as raised:
        lendwright.load(path)
    error = raised.value
    assert (error.code, error.help) == ("unknown-name", "did you mean `credit`?")
    assert [finding.code for finding in error.findings] == ["unknown-name", "unknown-function"]
    first = error.findings[0]
    assert error.place == f"{first.file}:{first.line}:{first.column}"
    assert (first.severity, first.message) == ("error", "unknown name `kredit`")
    assert str(first) == f"{error.place}: error: unknown name `kredit` [unknown-name]; did you mean `credit`?"
    command = run_command("check", path)
    for finding in error.findings:
        assert finding.message in command.stdout + command.stderr


def test_a_policy_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(lendwright.PolicyError, match="cannot read") as raised:
        lendwright.load(tmp_path / "missing.toml")
    assert (raised.value.code, raised.value.findings) == ("file", [])


def test_a_policy_travels_with_its_files(tmp_path: Path, people: lendwright.Generated) -> None:
    (tmp_path / "used.toml").write_text('[metric]\nearned = "SUM(credit)"\n')
    path = tmp_path / "policy.toml"
    path.write_text(SMALL.format(unit="major").replace("[policy]", '[policy]\nuse = ["used.toml"]'))
    policy = lendwright.load(path, {"share": 0.25})
    packed = pickle.dumps(policy)
    expected = policy.decide(people, DAY).to_arrow()
    path.unlink()
    (tmp_path / "used.toml").write_text("[metric]\nearned = 'MAX(credit)'\n")
    for copied in (pickle.loads(packed), copy.copy(policy), copy.deepcopy(policy)):
        assert copied.digest == policy.digest
        assert copied.parameters == policy.parameters
        assert copied.decide(people, DAY).to_arrow() == expected
    script = "import pickle, sys; print(pickle.load(sys.stdin.buffer).digest)"
    other = subprocess.run([sys.executable, "-c", script], input=packed, capture_output=True, cwd="/", check=True)
    assert other.stdout.decode().strip() == policy.digest


def test_exceptions_travel_with_their_attributes(tmp_path: Path, small: lendwright.Policy) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text("[policy]\nname = 5\n")
    errors: list[lendwright.Error] = []
    for work in (lambda: lendwright.load(path), lambda: small.decide(DAY), lambda: small.decide(path, "31/10/2026")):
        with pytest.raises(lendwright.Error) as raised:
            work()
        errors.append(raised.value)
    for error in errors:
        copied = pickle.loads(pickle.dumps(error))
        assert type(copied) is type(error)
        assert str(copied) == str(error)
        assert vars(copied) == vars(error)


def test_check_finds_what_the_command_finds(small: lendwright.Policy, small_file: Path) -> None:
    findings = small.check()
    assert {finding.code for finding in findings} == {"unused"}
    assert all(finding.severity == "warning" and finding.help for finding in findings)
    command = run_command("check", small_file)
    for finding in findings:
        assert finding.message in command.stdout + command.stderr


def test_the_shipped_policy_has_no_findings(starter: lendwright.Policy) -> None:
    assert starter.check() == []


def test_an_explanation_is_the_text_of_the_command(starter: lendwright.Policy, tmp_path: Path) -> None:
    run_command("generate", "--statements", "1", "--records", "80", "--seed", "3", "--out", tmp_path)
    statement = tmp_path / "statement-000001.json"
    explanation = starter.explain(statement, DAY)
    command = ["explain", "--policy", str(STARTER), "--as-of", DAY]
    assert explanation.text == run_command(*command, statement).stdout.rstrip("\n")
    assert explanation.text == str(explanation) == repr(explanation)
    assert explanation.data["decision"]["customer"] == explanation.customer
    assert explanation.data["decision"]["outcome"] in explanation.text
    page = tmp_path / "page.html"
    assert run_command(*command, "--html", page, statement).returncode == 0
    assert explanation.html == page.read_text()


def test_an_explanation_in_a_notebook_is_a_page_in_a_frame_without_scripts(
    small: lendwright.Policy, people: lendwright.Generated
) -> None:
    customer = people.records.rows(1)[0]["customer"]
    shown = small.explain(people, DAY, customer=customer)._repr_html_()
    assert shown.startswith("<iframe ") and shown.endswith("</iframe>")
    assert " sandbox " in shown
    assert "<script" not in shown and "&lt;!DOCTYPE html&gt;" in shown


def test_an_explanation_is_of_one_statement(small: lendwright.Policy, people: lendwright.Generated) -> None:
    with pytest.raises(lendwright.StatementError, match="there are 8 statements; name the customer") as raised:
        small.explain(people)
    assert raised.value.help == "name the customer: `customer=...`"
    with pytest.raises(lendwright.StatementError, match="no statement of the customer `nobody`"):
        small.explain(people, customer="nobody")
    with pytest.raises(lendwright.StatementError, match="nothing to explain"):
        small.explain(people.records.to_arrow().slice(0, 0))


@pytest.mark.parametrize("day", [DAY, date(2026, 10, 31), numpy.datetime64(DAY)])
def test_a_day_is_a_date_or_its_text(small: lendwright.Policy, people: lendwright.Generated, day: Any) -> None:
    assert {row["as_of"] for row in small.decide(people, day).rows()} == {DAY}


@pytest.mark.parametrize("day", [datetime(2026, 10, 31), pandas.Timestamp(DAY), 20261031])
def test_a_moment_is_no_day(small: lendwright.Policy, people: lendwright.Generated, day: Any) -> None:
    for ask in (small.decide, small.metrics, small.records, small.explain):
        with pytest.raises(TypeError, match="day"):
            ask(people, day)


def test_a_text_that_is_no_day_says_how_to_write_one(small: lendwright.Policy, people: lendwright.Generated) -> None:
    with pytest.raises(lendwright.RequestError, match="write it as 2026-10-31"):
        small.decide(people, "31/10/2026")


def test_records_show_the_flags_that_are_named(starter: lendwright.Policy, people: lendwright.Generated) -> None:
    everything = starter.records(people, DAY)
    named = starter.records(people, DAY, flags="is_income")
    assert "is_income" in named.columns and len(named.columns) < len(everything.columns)
    assert len(named) == len(everything) == len(people.records)
    with pytest.raises(lendwright.Error, match="no value of records `nothing`"):
        starter.records(people, DAY, flags=["nothing"])


def test_metrics_are_the_columns_of_the_command(starter: lendwright.Policy, tmp_path: Path) -> None:
    run_command("generate", "--statements", "2", "--records", "60", "--format", "parquet", "--out", tmp_path)
    table = tmp_path / "statements.parquet"
    found = starter.metrics(table, DAY)
    command = run_command("metrics", "--policy", STARTER, "--as-of", DAY, "--out", tmp_path / "metrics.parquet", table)
    assert command.returncode == 0, command.stderr
    assert found.to_pandas().equals(pandas.read_parquet(tmp_path / "metrics.parquet"))


def test_a_folder_of_versions_is_decided_by_the_day(tmp_path: Path, people: lendwright.Generated) -> None:
    for version, days in (("1", "valid_to = 2026-05-31"), ("2", "valid_from = 2026-06-01")):
        text = SMALL.format(unit="major").replace('version = "1"', f'version = "{version}"\n{days}')
        (tmp_path / f"v{version}.toml").write_text(text)
    policy = lendwright.load(tmp_path)
    assert policy.version == "2"
    for same in (policy, pickle.loads(pickle.dumps(policy))):
        assert {row["version"] for row in same.decide(people, "2026-03-01").rows()} == {"1"}
        assert {row["version"] for row in same.decide(people, "2026-07-01").rows()} == {"2"}


def test_the_policies_of_the_package_need_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("starter", "salary-advance", "small-business"):
        shipped = lendwright.load(name)
        assert shipped.digest == lendwright.load(ROOT / "rules" / f"{name}.toml").digest
        assert pickle.loads(pickle.dumps(shipped)).digest == shipped.digest
    # A file of that name comes first.
    (tmp_path / "starter").write_text("[policy]\nname = 5\n")
    with pytest.raises(lendwright.PolicyError):
        lendwright.load("starter")
