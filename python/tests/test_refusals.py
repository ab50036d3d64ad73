"""What could be taken in two ways is refused: units, days, names, and tables that can be read only once."""

from __future__ import annotations

import multiprocessing
import pickle
import shutil
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.fs
import pytest

import lendwright
from conftest import DAY, SMALL

RECORDS = pl.DataFrame(
    {
        "customer": ["A", "A", "B", "B"],
        "trans_date": ["2026-01-01", "2026-02-02", "2026-03-03", "2026-09-04"],
        "credit": [500_000, 600_000, 700_000, 800_000],
    }
)


def lines(decisions: lendwright.Decisions) -> list[Any]:
    return decisions.to_polars()["decision"].to_list()


def test_a_request_for_all_names_nobody(starter: lendwright.Policy) -> None:
    with pytest.raises(lendwright.RequestError, match="names none"):
        starter.decide(RECORDS, DAY, {"customer": "A"})
    with pytest.raises(lendwright.RequestError, match="names none"):
        starter.backtest(RECORDS, as_of=DAY, request={"customer": "A"})


def test_two_days_are_refused(starter: lendwright.Policy) -> None:
    with pytest.raises(lendwright.RequestError, match="give one of them"):
        starter.decide(RECORDS, DAY, {"as_of": "2026-01-01"})
    assert len(starter.decide(RECORDS, DAY, {"as_of": DAY})) == 2


@pytest.mark.parametrize("amount", [Decimal("20000.00"), 20000.0, Decimal("20000.50")])
def test_money_with_decimals_is_refused_in_requests(starter: lendwright.Policy, amount: Any) -> None:
    with pytest.raises(lendwright.RequestError):
        starter.decide(RECORDS, DAY, {"amount": amount})
    with pytest.raises(lendwright.RequestError):
        starter.decide(RECORDS, DAY, pa.table({"customer": ["A"], "amount": [amount]}))
    assert len(starter.decide(RECORDS, DAY, {"amount": int(amount)})) == 2


def test_a_column_that_comes_twice_is_refused(starter: lendwright.Policy) -> None:
    twice = pa.table([["A"], [1], [2]], names=["customer", "amount", "amount"])
    with pytest.raises(lendwright.RequestError, match="two columns `amount`"):
        starter.decide(RECORDS, DAY, twice)
    twice = pa.table([["A"], [0], [1]], names=["customer", "bad", "bad"])
    with pytest.raises(lendwright.Error, match="two columns `bad`"):
        starter.backtest(RECORDS, outcomes=twice)


def test_a_request_without_records_is_a_failure_for_files_too(starter: lendwright.Policy, tmp_path: Path) -> None:
    RECORDS.write_parquet(tmp_path / "records.parquet")
    requests = pl.DataFrame({"customer": ["nobody"], "amount": [100_000]})
    for records in (RECORDS, tmp_path / "records.parquet"):
        [failure] = starter.decide(records, DAY, requests).failures
        assert (failure.source, failure.customer) == ("requests", "nobody")


def test_a_backtest_reads_tables_that_can_be_read_once(starter: lendwright.Policy) -> None:
    outcomes = pa.table({"customer": ["A", "B"], "bad": [0, 1], "loan_date": ["2026-06-01"] * 2})
    records = RECORDS.to_arrow()
    again = lendwright.load(Path(__file__).parents[2] / "rules" / "starter.toml")
    whole = starter.backtest(records, against=again, outcomes=outcomes)
    once = starter.backtest(records.to_reader(), against=again, outcomes=outcomes.to_reader())
    assert once.rows() == whole.rows() and sum(row["known"] for row in once.rows()) == 4


def test_a_day_of_a_loan_keeps_the_request(starter: lendwright.Policy) -> None:
    people = lendwright.generate(statements=20, records=120, debits=True)
    customers = people.records.to_polars()["customer"].unique()
    outcomes = pl.DataFrame({"customer": customers, "bad": [0] * len(customers), "loan_date": ["2026-11-01"] * 20})
    request = {"amount": 2_000_000}
    dated = starter.backtest(people, outcomes=outcomes, request=request)
    plain = starter.backtest(people, as_of=DAY, request=request)
    assert [row["amount"] for row in dated.rows()] == [row["amount"] for row in plain.rows()]


def test_a_backtest_refuses_to_count_accounts(starter: lendwright.Policy) -> None:
    accounts = RECORDS.with_columns(account=pl.Series(["1", "2", "1", "2"]))
    with pytest.raises(lendwright.Error, match="several statements"):
        starter.backtest(accounts, as_of=DAY)
    assert sum(row["customers"] for row in starter.backtest(accounts, as_of=DAY, merge=True).rows()) == 2


def test_who_fails_under_one_policy_counts_under_neither(tmp_path: Path) -> None:
    def load(name: str, rule: str) -> lendwright.Policy:
        path = tmp_path / name
        path.write_text(SMALL.format(unit="major").replace("[policy]", f'[policy]\nempty_amount = "{rule}"'))
        return lendwright.load(path)

    damaged = RECORDS.with_columns(credit=pl.when(pl.col("trans_date") == "2026-01-01").then(None).otherwise("credit"))
    backtest = load("drop.toml", "drop").backtest(damaged, against=load("error.toml", "error"), as_of=DAY)
    assert [failure.customer for failure in backtest.failures] == ["A"]
    assert backtest.swap_set is not None
    assert sum(row["customers"] for row in backtest.swap_set.rows()) == 1


def test_pickled_policies_with_equal_latest_versions_stay_apart(tmp_path: Path) -> None:
    """A worker keeps compiled policies: it must not mistake one for another."""
    text = SMALL.format(unit="major")
    old = text.replace("[policy]", "[policy]\nvalid_to = 2026-08-31").replace('version = "1"', 'version = "0"')
    new = text.replace("[policy]", "[policy]\nvalid_from = 2026-09-01")
    assert old != text != new
    policies = []
    for name, files in {"both": {"old": old, "new": new}, "one": {"new": new}}.items():
        (tmp_path / name).mkdir()
        for file, content in files.items():
            (tmp_path / name / f"{file}.toml").write_text(content)
        policies.append(lendwright.load(tmp_path / name))
    shutil.rmtree(tmp_path / "both")
    assert policies[0].digest != policies[1].digest
    for policy in policies + policies[::-1]:
        copy = pickle.loads(pickle.dumps(policy))
        assert lines(copy.decide(RECORDS, "2026-08-20", json=True)) == lines(
            policy.decide(RECORDS, "2026-08-20", json=True)
        )


def test_a_producer_that_needs_python_is_read(small: lendwright.Policy, tmp_path: Path) -> None:
    """Its threads wait for Python's lock, which must not be held meanwhile."""
    RECORDS.write_parquet(tmp_path / "records.parquet")

    class Files(pa.fs.FileSystemHandler):  # type: ignore[misc]
        def __init__(self) -> None:
            self.local = pa.fs.LocalFileSystem()

        def get_type_name(self) -> str:
            return "files"

        def get_file_info(self, paths: list[str]) -> Any:
            return self.local.get_file_info(paths)

        def open_input_file(self, path: str) -> Any:
            return pa.PythonFile(Path(path).open("rb"), mode="r")

        open_input_stream = open_input_file

        def normalize_path(self, path: str) -> str:
            return path

        def _unsupported(self, *_: object) -> Any:
            raise NotImplementedError

        get_file_info_selector = create_dir = delete_dir = delete_dir_contents = _unsupported
        delete_root_dir_contents = delete_file = move = copy_file = _unsupported
        open_output_stream = open_append_stream = _unsupported

    files = pa.fs.PyFileSystem(Files())
    dataset = pyarrow.dataset.dataset(str(tmp_path / "records.parquet"), filesystem=files, format="parquet")
    assert len(small.decide(dataset.scanner().to_reader())) == 2


def test_a_forked_child_says_that_it_cannot_decide(small_file: Path, small: lendwright.Policy) -> None:
    """The engine's threads are not in the child: it would wait for ever."""
    small.decide(lendwright.generate(statements=3, records=50), DAY)
    for kind, expected in {"fork": "forked", "spawn": "3 decided"}.items():
        context: Any = multiprocessing.get_context(kind)
        answers = context.SimpleQueue()
        child = context.Process(target=_decide_in_child, args=(str(small_file), answers))
        child.start()
        child.join(60)
        assert not child.is_alive(), "the child hangs"
        assert answers.get() == expected


def _decide_in_child(path: str, answers: Any) -> None:
    try:
        decisions = lendwright.load(path).decide(lendwright.generate(statements=3, records=50), DAY)
        answers.put(f"{len(decisions)} decided")
    except lendwright.Error as error:
        answers.put(error.code)


def test_one_customer_is_explained_whatever_is_wrong_with_others(small: lendwright.Policy) -> None:
    damaged = RECORDS.with_columns(
        trans_date=pl.when(pl.col("customer") == "A").then(pl.lit("?")).otherwise("trans_date")
    )
    assert small.explain(damaged, DAY, customer="B").customer == "B"
    with pytest.raises(lendwright.StatementError, match="no statement of the customer `C`"):
        small.explain(damaged, DAY, customer="C")
