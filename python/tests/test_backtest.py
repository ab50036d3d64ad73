"""A backtest counts what policies would have done, and what is known of those who got a loan."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest

import lendwright
from conftest import DAY, STARTER

CHALLENGER = {"min_counted_income": 300_000}


@pytest.fixture(scope="module")
def book() -> lendwright.Generated:
    return lendwright.generate(statements=25, records=80, seed=3)


@pytest.fixture(scope="module")
def challenger() -> lendwright.Policy:
    return lendwright.load(STARTER, CHALLENGER)


def outcomes_of(policy: lendwright.Policy, book: lendwright.Generated) -> dict[str, str]:
    return {row["customer"]: row["outcome"] for row in policy.decide(book, DAY).rows()}


def test_a_backtest_counts_the_decisions(challenger: lendwright.Policy, book: lendwright.Generated) -> None:
    decisions = challenger.decide(book, DAY)
    backtest = challenger.backtest(book, as_of=DAY)
    counted = {row["outcome"]: row["customers"] for row in backtest.rows()}
    assert {outcome: count for outcome, count in counted.items() if count} == dict(
        Counter(row["outcome"] for row in decisions.rows())
    )
    reasons = Counter(row["reason"] for row in decisions.reasons.rows())
    assert {row["reason"]: row["any"] for row in backtest.reasons.rows()} == dict(reasons)
    assert backtest.swap_set is None and backtest.flips is None
    [offered] = [row["amount"] for row in backtest.rows() if row["outcome"] == "offer"]
    assert offered == sum(row["amount_max"] or 0 for row in decisions.rows() if row["outcome"] == "offer")


def test_a_comparison_lists_every_customer_whose_outcome_differs(
    starter: lendwright.Policy, challenger: lendwright.Policy, book: lendwright.Generated
) -> None:
    before, now = outcomes_of(starter, book), outcomes_of(challenger, book)
    backtest = challenger.backtest(book, against=starter, as_of=DAY)
    assert backtest.flips is not None and backtest.swap_set is not None
    flips = {
        row["customer"]: (row["champion"], row["challenger"])
        for row in backtest.flips.rows()
        if row["champion"] != row["challenger"]
    }
    assert flips == {name: (before[name], now[name]) for name in before if before[name] != now[name]} != {}
    pairs = {(row["champion"], row["challenger"]): row["customers"] for row in backtest.swap_set.rows()}
    assert {pair: count for pair, count in pairs.items() if count} == dict(
        Counter((before[name], now[name]) for name in before)
    )


def test_rates_of_bad_loans_are_those_of_known_customers(
    starter: lendwright.Policy, book: lendwright.Generated
) -> None:
    offered = [name for name, outcome in outcomes_of(starter, book).items() if outcome == "offer"]
    known = pl.DataFrame({"customer": offered[:4], "bad": [1, 0, 0, 0]})
    backtest = starter.backtest(book, outcomes=known, as_of=DAY)
    [row] = [row for row in backtest.rows() if row["outcome"] == "offer"]
    assert (row["customers"], row["known"], row["bad"], row["bad_rate"]) == (len(offered), 4, 1, 0.25)
    assert row["bad_rate_min"] == pytest.approx(1 / len(offered))
    assert row["bad_rate_max"] == pytest.approx((len(offered) - 3) / len(offered))


def test_columns_of_outcomes_that_nobody_asks_for_may_hold_anything(
    small: lendwright.Policy, book: lendwright.Generated
) -> None:
    customer = book.records.to_polars()["customer"][0]
    known = pl.DataFrame({"customer": [customer], "bad": [1], "amount": [float("nan")], "notes": [["a", "b"]]})
    assert sum(row["known"] or 0 for row in small.backtest(book, outcomes=known, as_of=DAY).rows()) == 1


@pytest.mark.parametrize(
    ("outcomes", "what"),
    [
        ({"customer": ["A", "A"], "bad": [1, 0]}, "row 2: its customer has an outcome in an earlier row"),
        ({"customer": ["A"], "bad": [2]}, "row 1: `bad` is neither 0 nor 1"),
        ({"customer": ["A"]}, "there is no column `bad`"),
        ({"customer": [1.0], "bad": [1]}, "row 1: `customer` is neither a text nor a whole number"),
        ({"bad": [1]}, "`customer`"),
    ],
)
def test_outcomes_that_cannot_be_used_say_why(
    small: lendwright.Policy, book: lendwright.Generated, outcomes: dict[str, list[object]], what: str
) -> None:
    with pytest.raises(lendwright.Error) as raised:
        small.backtest(book, outcomes=pl.DataFrame(outcomes))
    assert what in str(raised.value)


def test_a_backtest_lists_who_could_not_be_decided(small: lendwright.Policy, book: lendwright.Generated) -> None:
    records = book.records.to_polars()
    records[0, "credit"] = None
    backtest = small.backtest(records, against=small, as_of=DAY)
    assert [failure.customer for failure in backtest.failures] == [records[0, "customer"]]
    counted = sum(row["customers"] for row in backtest.rows() if row["policy"] == "champion")
    assert counted == 24


def test_an_outcome_without_a_decision_is_a_failure(small: lendwright.Policy, book: lendwright.Generated) -> None:
    outcomes = pl.DataFrame({"customer": ["nobody"], "bad": [1]})
    backtest = small.backtest(book, outcomes=outcomes, as_of=DAY)
    [failure] = backtest.failures
    assert (failure.source, failure.customer) == ("outcomes", "nobody")
    dated = outcomes.with_columns(loan_date=pl.lit("2026-05-01"))
    assert [failure.customer for failure in small.backtest(book, outcomes=dated, as_of=DAY).failures] == ["nobody"]
