"""Files of every format are decided as the command line decides them, and so are their records as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import ZipFile

import polars
import pyarrow as pa
import pytest

import lendwright
from bank_files import CAMT, COLUMNS, CSV, MT940, NDJSON, OFX, PROVIDER, QIF, QIF_COLUMNS, workbook_ods, workbook_xlsx
from conftest import DAY, ROOT, run_command


def write_files(folder: Path) -> dict[str, tuple[Path, list[str]]]:
    """A file of each format, and the options that it needs."""
    texts = {
        "table.csv": CSV,
        "table.ndjson": NDJSON,
        "statement.json": PROVIDER,
        "bank.xml": CAMT,
        "bank.sta": MT940,
        "bank.ofx": OFX,
        "bank.qif": QIF,
        "own.csv": CSV.replace("trans_date", "day").replace("credit", "amount"),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "columns.toml").write_text(COLUMNS)
    (folder / "qif.toml").write_text(QIF_COLUMNS)
    polars.read_csv(CSV.encode(), schema_overrides={"id": polars.String}).write_parquet(folder / "table.parquet")
    with ZipFile(folder / "table.xlsx", "w") as workbook:
        workbook_xlsx(workbook, CSV)
    with ZipFile(folder / "table.ods", "w") as workbook:
        workbook_ods(workbook, CSV)
    files: dict[str, tuple[Path, list[str]]] = {path.name: (path, []) for path in sorted(folder.iterdir())}
    files["own.csv"] = (folder / "own.csv", ["--columns", "columns.toml"])
    files["bank.qif"] = (folder / "bank.qif", ["--columns", "qif.toml"])
    return {name: found for name, found in files.items() if not name.endswith(".toml")}


FORMATS = [
    *("table.csv", "table.ndjson", "table.parquet", "table.xlsx", "table.ods", "own.csv", "statement.json"),
    *("bank.xml", "bank.sta", "bank.ofx", "bank.qif"),
]


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_is_decided_as_the_command_decides_it(
    small: lendwright.Policy, small_file: Path, tmp_path: Path, name: str
) -> None:
    path, options = write_files(tmp_path)[name]
    columns = tmp_path / options[1] if options else None
    command = run_command("decide", "--policy", small_file, "--as-of", DAY, *options, name, cwd=tmp_path)
    assert command.returncode == 0, command.stderr
    lines = command.stdout.splitlines()
    assert lines

    statements = lendwright.read(path, columns, policy=small)
    assert len(statements) == len(lines)
    ways = {
        "statements": small.decide(statements, DAY, json=True),
        "the path": small.decide(path, DAY, columns=columns, json=True),
        "its text": small.decide(str(path), DAY, columns=columns, json=True),
    }
    for way, decisions in ways.items():
        found = [row["decision"] for row in decisions.rows()]
        # The command names the file as it was called.
        assert [line.replace(str(path), name) for line in found] == lines, way
        assert decisions.failures == []


@pytest.mark.parametrize("name", FORMATS)
def test_records_that_were_read_give_the_same_outcome_as_a_table(
    small: lendwright.Policy, tmp_path: Path, name: str
) -> None:
    path, options = write_files(tmp_path)[name]
    statements = lendwright.read(path, tmp_path / options[1] if options else None, policy=small)
    from_file = small.decide(statements, DAY)
    named = statements.records.to_polars()
    if named["customer"].null_count():
        named = named.with_columns(customer=polars.lit("C-17"))
    for table in (named, named.to_pandas(), named.to_arrow()):
        again = small.decide(table, DAY)
        for column in ("outcome", "reasons", "offers", "amount_max", "records", "balance_verdict"):
            assert [row[column] for row in again.rows()] == [row[column] for row in from_file.rows()], column


@pytest.mark.parametrize(("name", "currency"), [("mono", "NGN"), ("plaid", "USD"), ("belvo", "MXN")])
def test_a_columns_file_that_ships_goes_by_its_name(name: str, currency: str, tmp_path: Path) -> None:
    folder = tmp_path / "customer=C-17"
    folder.mkdir()
    answer = folder / "answer.json"
    answer.write_bytes((ROOT / "testdata" / "columns" / f"{name}.json").read_bytes())
    by_name = lendwright.read(answer, name, currency=currency)
    by_file = lendwright.read(answer, ROOT / "rules" / "columns" / f"{name}.toml", currency=currency)
    assert by_name.customers == ["C-17"]
    assert by_name.records.rows() == by_file.records.rows() != []


def test_the_unit_of_a_file_is_that_of_its_policy(tmp_path: Path, small: lendwright.Policy) -> None:
    path = tmp_path / "table.csv"
    path.write_text(CSV.replace(".50", "").replace(".25", ""))
    statements = lendwright.read(path, unit="minor")
    with pytest.raises(lendwright.StatementError, match="read them again for this policy") as raised:
        small.decide(statements, DAY)
    assert raised.value.code == "reading"
    assert len(small.decide(lendwright.read(path, policy=small), DAY)) == 2


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"currency": "XXX"}, "is no currency; write an ISO 4217 code such as NGN"),
        ({"time_zone": "Lagos"}, "is no time zone; write one such as Africa/Lagos"),
        ({"unit": "kobo"}, "is no unit of amounts; write `major` or `minor`"),
    ],
)
def test_a_setting_that_is_wrong_says_what_to_write(tmp_path: Path, wrong: Any, what: str) -> None:
    (tmp_path / "table.csv").write_text(CSV)
    with pytest.raises(lendwright.StatementError) as raised:
        lendwright.read(tmp_path / "table.csv", **wrong)
    assert what in str(raised.value)


def test_a_file_that_cannot_be_read_says_where(tmp_path: Path, small: lendwright.Policy) -> None:
    path = tmp_path / "table.csv"
    path.write_text(CSV.replace("2500.50", "a lot"))
    with pytest.raises(lendwright.StatementError) as raised:
        lendwright.read(path)
    assert raised.value.code == "value"
    assert raised.value.place is not None and "credit" in raised.value.place
    with pytest.raises(lendwright.StatementError, match="No such file"):
        small.decide(tmp_path / "missing.csv")
    with pytest.raises(lendwright.StatementError, match="unknown kind of file"):
        lendwright.read(__file__)


def test_statements_show_themselves(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(CSV)
    statements = lendwright.read(path)
    assert statements.customers == ["A", "B"]
    assert "SALARY" in repr(statements) and "SALARY" in statements._repr_html_()
    assert len(pa.table(statements)) == len(statements.records) == 5
    assert isinstance(statements.warnings, list)


def test_generated_records_are_those_of_the_command(tmp_path: Path) -> None:
    options = ["--statements", "5", "--records", "40", "--seed", "9", "--debits", "--noise", "0.3", "--hard", "split"]
    command = run_command("generate", *options, "--labels", "--format", "parquet", "--out", tmp_path)
    assert command.returncode == 0, command.stderr
    made = lendwright.generate(statements=5, records=40, seed=9, debits=True, noise=0.3, hard="split")
    assert made.records.to_polars().equals(polars.read_parquet(tmp_path / "statements.parquet"))
    labels = polars.read_csv(tmp_path / "labels.csv", infer_schema=False)
    assert made.labels.to_polars().columns == labels.columns
    assert made.labels.to_polars().with_columns(polars.all().replace("", None)).equals(labels)


def test_people_of_a_market_are_those_of_the_command(tmp_path: Path) -> None:
    options = ["--statements", "3", "--records", "40", "--debits", "--market", "kenya"]
    command = run_command("generate", *options, "--format", "parquet", "--out", tmp_path)
    assert command.returncode == 0, command.stderr
    made = lendwright.generate(statements=3, records=40, debits=True, market="kenya")
    assert made.records.to_polars().equals(polars.read_parquet(tmp_path / "statements.parquet"))


def test_a_seed_gives_the_same_records_again() -> None:
    one, other = (lendwright.generate(statements=2, records=30, seed=4).records.to_arrow() for _ in range(2))
    assert one.equals(other)
    assert not one.equals(lendwright.generate(statements=2, records=30, seed=5).records.to_arrow())


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"statements": 0}, ValueError),
        ({"records": -1}, ValueError),
        ({"seed": -1}, ValueError),
        ({"noise": 3.0}, lendwright.Error),
        ({"hard": ["soft"]}, lendwright.Error),
        ({"market": "atlantis"}, lendwright.Error),
        ({"start": "yesterday"}, lendwright.Error),
    ],
)
def test_a_value_out_of_range_is_refused(wrong: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        lendwright.generate(**wrong)


def test_whose_a_statement_is_may_be_said(small: lendwright.Policy, tmp_path: Path) -> None:
    path = tmp_path / "statement.json"
    path.write_text(PROVIDER)
    assert lendwright.read(path, customer="C-17", policy=small).customers == ["C-17"]
    for name in ["", "null", "1.5e3"]:
        with pytest.raises(lendwright.StatementError) as raised:
            lendwright.read(path, customer=name, policy=small)
        assert raised.value.code == "customer"
