"""What customers ask for: one request for all, or a table with a row for each."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy
import pandas
import polars
import pyarrow as pa
import pytest

import lendwright
from conftest import DAY, STARTER, run_command

RECORDS = pa.table(
    {
        "customer": ["A", "A", "B", "B"],
        "trans_date": ["2026-10-01", "2026-10-02"] * 2,
        "credit": [50_000, 60_000, 70_000, 80_000],
    }
)


def amounts(decisions: lendwright.Decisions) -> dict[str, int]:
    return {row["customer"]: row["amount"] for row in decisions.offers.rows()}


@pytest.mark.parametrize("amount", [200_000, Decimal("2E+5"), numpy.int64(200_000)])
def test_a_request_for_all_is_a_mapping_with_money_in_minor_units(small: lendwright.Policy, amount: Any) -> None:
    assert amounts(small.decide(RECORDS, DAY, {"amount": amount})) == {"A": 200_000, "B": 200_000}


def test_without_a_request_the_largest_amount_is_offered(small: lendwright.Policy) -> None:
    largest = {"A": 55_000_00, "B": 75_000_00}
    assert amounts(small.decide(RECORDS, DAY)) == largest
    assert amounts(small.decide(RECORDS, DAY, {})) == largest
    assert amounts(small.decide(RECORDS, DAY, {"amount": None})) == largest


@pytest.mark.parametrize("library", [pa.table, pandas.DataFrame, polars.DataFrame])
def test_a_table_of_requests_has_a_row_for_each_customer(small: lendwright.Policy, library: Any) -> None:
    requests = library({"customer": ["B", "A"], "amount": [100_000, None], "purpose": [None, "rent"]})
    if library is pandas.DataFrame:
        # With a null, pandas makes floats of integers, and money is not taken from floats.
        requests["amount"] = requests["amount"].astype("Int64")
    assert amounts(small.decide(RECORDS, DAY, requests)) == {"A": 55_000_00, "B": 100_000}


def test_a_customer_without_a_row_has_the_request_of_none(small: lendwright.Policy) -> None:
    requests = pa.table({"customer": ["B"], "amount": [100_000]})
    assert amounts(small.decide(RECORDS, DAY, requests)) == {"A": 55_000_00, "B": 100_000}


def test_each_customer_may_have_a_day_of_its_own(small: lendwright.Policy) -> None:
    requests = pa.table({"customer": ["A", "B"], "as_of": pa.array([date(2026, 10, 5), None])})
    decisions = small.decide(RECORDS, DAY, requests)
    assert {row["customer"]: row["as_of"] for row in decisions.rows()} == {"A": "2026-10-05", "B": DAY}


def test_a_request_without_records_is_a_failure(small: lendwright.Policy) -> None:
    decisions = small.decide(RECORDS, DAY, pa.table({"customer": ["A", "nobody"], "amount": [100_000, 100_000]}))
    assert [row["customer"] for row in decisions.rows()] == ["A", "B"]
    [failure] = decisions.failures
    assert (failure.customer, failure.place) == ("nobody", None)
    assert "the table has no row of this customer" in failure.what
    assert "1 could not be decided: see `failures`" in repr(decisions)
    assert "1 could not be decided: see `failures`" in decisions._repr_html_()


@pytest.mark.parametrize(
    ("requests", "what"),
    [
        ({"amont": 5}, "did you mean `amount`"),
        ({"amount": "5"}, "money is a whole number of minor units"),
        ({"amount": 5.5}, "money is a whole number of minor units"),
        ({"amount": float("nan")}, "request field `amount`: nan is no number; leave the field out"),
        (pa.table({"customer": ["A"], "amont": [5]}), "row 1: request field `amont`: did you mean `amount`"),
        (pa.table({"customer": ["A", "A"], "amount": [5, 6]}), "row 2: its customer has a request in an earlier row"),
        (pa.table({"customer": [None], "amount": [5]}), "row 1: it names no `customer`"),
        (pa.table({"amount": [5]}), "row 1: it names no `customer`"),
        (pa.table({"customer": ["A"], "amount": ["much"]}), "money is a whole number of minor units"),
    ],
)
def test_a_request_that_cannot_be_used_says_why(small: lendwright.Policy, requests: Any, what: str) -> None:
    with pytest.raises(lendwright.RequestError) as raised:
        small.decide(RECORDS, DAY, requests)
    assert what in str(raised.value)
    assert raised.value.code == "request"


def test_what_is_no_value_of_a_request_is_a_type_error(small: lendwright.Policy) -> None:
    for value in (object(), pandas.Timestamp(DAY)):
        with pytest.raises(TypeError, match="request field `purpose`"):
            small.decide(RECORDS, DAY, {"purpose": value})


def test_an_explanation_takes_the_request_of_its_customer(small: lendwright.Policy) -> None:
    explanation = small.explain(RECORDS, DAY, {"amount": 100_000}, customer="A")
    assert "loan over 30 days: NGN 1,000.00 at 3 % flat" in explanation.text


def test_requests_give_the_lines_of_the_command(starter: lendwright.Policy, tmp_path: Path) -> None:
    run_command("generate", "--statements", "4", "--records", "80", "--format", "parquet", "--out", tmp_path)
    table = tmp_path / "statements.parquet"
    request = {"amount": 5_000_000, "obligations": 100_000}
    (tmp_path / "request.json").write_text(json.dumps({**request, "as_of": DAY}))
    command = ["decide", "--policy", str(STARTER), "--request", "request.json", "statements.parquet"]
    lines = run_command(*command, cwd=tmp_path).stdout.splitlines()
    decisions = starter.decide(polars.read_parquet(table), DAY, request, json=True, label="statements.parquet")
    assert decisions.columns[-1] == "decision"
    assert [row["decision"] for row in decisions.rows()] == lines
    rows = polars.DataFrame({"customer": [row["customer"] for row in decisions.rows()], **request})
    each = starter.decide(polars.read_parquet(table), DAY, rows, json=True, label="statements.parquet")
    assert [row["decision"] for row in each.rows()] == lines


GIVEN = """
[policy]
name = "given"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"

[metric]
records = "COUNT(*)"
fico = { given = "count" }

[[require]]
id = "FICO"
when = "fico >= 600"
unknown = "refer"
reason = "{fico}"

[[offer]]
id = "o"
tenure = 30
amount = "SUM(credit)"
interest = 5
"""


def test_given_metrics_are_columns_of_requests(tmp_path: Path) -> None:
    (tmp_path / "given.toml").write_text(GIVEN)
    (tmp_path / "plain.toml").write_text(GIVEN.replace('fico = { given = "count" }', 'fico = "600 + records"'))
    given, plain = (lendwright.load(tmp_path / name) for name in ("given.toml", "plain.toml"))
    records = pa.table(
        {
            "customer": ["A", "B", "C", "D"],
            "trans_date": ["2026-10-01"] * 4,
            "credit": [50_000, 60_000, 70_000, 80_000],
        }
    )
    requests = pa.table({"customer": ["A", "B", "C"], "given.fico": [700, 500, None]})
    outcomes = {"A": "offer", "B": "decline", "C": "refer", "D": "refer"}
    decisions = given.decide(records, DAY, requests)
    assert {row["customer"]: row["outcome"] for row in decisions.rows()} == outcomes
    reasons = {row["customer"]: row["reason"] for row in decisions.reasons.rows()}
    # Nothing was said of D; of C, that nobody knows it.
    assert (reasons["C"], reasons["D"]) == ("FICO", "INPUT_MISSING")
    backtest = given.backtest(records, against=plain, as_of=DAY, requests=requests)
    assert backtest.flips is not None
    assert {row["customer"] for row in backtest.flips.rows()} == {"B", "C", "D"}
    # What became of loans gives their day; what customers ask for stays.
    loans = pa.table({"customer": ["A", "B"], "bad": [0, 1], "loan_date": [date(2026, 10, 20)] * 2})
    backtest = given.backtest(records, outcomes=loans, as_of=DAY, requests=requests)
    counted = {row["outcome"]: row["customers"] for row in backtest.rows()}
    assert (counted["offer"], counted["decline"], counted["refer"]) == (1, 1, 2)
