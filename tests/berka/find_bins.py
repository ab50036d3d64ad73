"""Finds the bins and points of rules/examples/berka.toml and says how far to trust them. README.md beside this says how
to run it.

The same search runs on all loans with a known outcome, for the file, and again on the training part of every fold, for
the figures.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import duckdb
import numpy as np

from candidates import BASIS, TABLES, Candidate, candidates

SEED, FOLDS, REPEATS, DRAWS = 4, 5, 5, 2000
CUTS = (0.10, 0.20, 0.40, 0.60, 0.80, 0.90)  # tails finer than the middle
RIDGE = 2.0  # the penalty on squared weights; ranks run from -0.5 to 0.5
ITEMS = 10  # at most so many
LEAST_STRENGTH = 0.05  # AUC beyond a half that a candidate needs alone
POINTS_TO_DOUBLE = 40  # the odds
POINTS_AT_EVEN = 500


def values(folder: Path, known: list[Candidate]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Accounts of loans with a known outcome, in order; whether each went bad; each candidate's value, nan where
    unknown."""
    base = duckdb.connect()
    for statement in TABLES.split(";\n"):
        if statement.strip():
            base.execute(statement.replace("$1", f"'{folder / 'trans_preloan.parquet'}'"))
    late = base.execute(
        "SELECT count(*) FROM plain p JOIN read_csv(?) l ON l.account_id = p.account "
        "WHERE p.day >= strptime('19' || CAST(l.date AS VARCHAR), '%Y%m%d')", [str(folder / "loan.csv")]).fetchone()[0]
    assert late == 0, "records on or after the day of the loan"
    columns = {}
    for grain in ("records", "months"):
        of = [one for one in known if one.grain == grain]
        chosen = ", ".join(f"CAST({one.sql} AS DOUBLE) AS {one.name}" for one in of)
        found = base.execute(f"SELECT account, {chosen} FROM {grain} GROUP BY account ORDER BY account").fetchnumpy()
        columns |= {name: np.ma.filled(np.ma.asarray(column, dtype=float), np.nan) for name, column in found.items()}
    accounts = columns["account"].astype(int)
    loans = base.execute("SELECT account_id, status FROM read_csv(?) WHERE status IS NOT NULL AND status <> ''",
        [str(folder / "loan.csv")])
    outcome = dict(loans.fetchall())
    kept = np.array([account in outcome for account in accounts])
    table = np.column_stack([columns[one.name] / (100.0 if one.money else 1.0) for one in known])
    accounts = accounts[kept]
    return accounts, np.array([outcome[account] in ("B", "D") for account in accounts]), table[kept]


def auc(scores: np.ndarray, bad: np.ndarray, weight: np.ndarray | None = None) -> float:
    """How often a bad loan has the higher risk than a good one; equals count half."""
    weight = np.ones(len(scores)) if weight is None else weight
    wins = (scores[bad][:, None] > scores[~bad][None, :]) + 0.5 * (scores[bad][:, None] == scores[~bad][None, :])
    pairs = weight[bad][:, None] * weight[~bad][None, :]
    return float((wins * pairs).sum() / pairs.sum()) if pairs.sum() else float("nan")


class Item:
    """One candidate in bins: cuts at quantiles, rounded to two digits; a bin's value is its middle rank, so points are
    even steps along ranks."""

    def __init__(self, column: int, sample: np.ndarray, bad: np.ndarray):
        seen = sample[~np.isnan(sample)]
        self.column = column
        cuts = {float(f"{cut:.2g}") for cut in np.quantile(seen, CUTS)} if len(seen) else set()
        self.cuts = np.array(sorted(cut for cut in cuts if cut > seen.min()))
        counts = np.bincount(np.searchsorted(self.cuts, seen, side="right"), minlength=len(self.cuts) + 1)
        self.ranks = (np.cumsum(counts) - counts / 2) / max(counts.sum(), 1) - 0.5
        strength = auc(self.of(sample), bad) - 0.5
        self.sign, self.strength = (1.0 if strength >= 0 else -1.0), abs(strength)
        self.ranks = self.ranks * self.sign

    def of(self, column: np.ndarray) -> np.ndarray:
        ranks = self.ranks[np.searchsorted(self.cuts, np.nan_to_num(column), side="right")]
        return np.where(np.isnan(column), 0.0, ranks)  # an unknown is neither good nor bad


def logistic(sample: np.ndarray, bad: np.ndarray, ridge: float = RIDGE) -> np.ndarray:
    """Weights and, last, the intercept, by Newton's method; the intercept is not held back."""
    design = np.column_stack([sample, np.ones(len(sample))])
    penalty = np.diag([ridge] * sample.shape[1] + [0.0])
    weights = np.zeros(design.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-design @ weights))
        slope = design.T @ (bad - chance) - penalty @ weights
        bend = (design * (chance * (1 - chance))[:, None]).T @ design + penalty
        step = np.linalg.solve(bend, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-10:
            break
    return weights


def likelihood(sample: np.ndarray, bad: np.ndarray, weights: np.ndarray) -> float:
    """The logarithm of the likelihood, less the penalty."""
    log_odds = sample @ weights[:-1] + weights[-1]
    return float((bad * log_odds - np.logaddexp(0, log_odds)).sum() - RIDGE / 2 * (weights[:-1] ** 2).sum())


def search(known: list[Candidate], table: np.ndarray, bad: np.ndarray) -> tuple[list[Item], np.ndarray]:
    """Items one after another: each time the candidate that raises the penalised likelihood most, of a family that has
    none yet.

    All weights must point the way the candidate does alone: an item is never there to correct another.
    """
    every = [Item(column, table[:, column], bad) for column in range(len(known))]
    ranks = [item.of(table[:, item.column]) for item in every]
    chosen: list[int] = []
    weights = logistic(np.empty((len(bad), 0)), bad)
    while len(chosen) < ITEMS:
        taken = {known[column].family for column in chosen}
        best = None
        for column, one in enumerate(known):
            if one.family in taken or every[column].strength <= LEAST_STRENGTH:
                continue
            sample = np.column_stack([ranks[place] for place in [*chosen, column]])
            tried = logistic(sample, bad)
            gain = likelihood(sample, bad, tried)
            if (tried[:-1] > 0).all() and (best is None or gain > best[0]):
                best = (gain, column, tried)
        if best is None:
            break
        chosen.append(best[1])
        weights = best[2]
    return [every[column] for column in chosen], weights


def points(items: list[Item], weights: np.ndarray) -> tuple[int, list[list[int]], list[int]]:
    """The base, each item's points by bin, and its points for an unknown: whole numbers, 0 in the worst bin, more is
    better."""
    unit = POINTS_TO_DOUBLE / np.log(2)
    base, rows, unknown = POINTS_AT_EVEN - unit * weights[-1], [], []
    for item, weight in zip(items, weights):
        worst = item.ranks.max()
        base -= unit * weight * worst
        rows.append([round(unit * weight * (worst - rank)) for rank in item.ranks])
        unknown.append(round(unit * weight * worst))
    return round(base), rows, unknown


def score(found, table: np.ndarray) -> np.ndarray:
    """The scores as the rule file gives them: by whole points."""
    items, weights = found
    base, rows, unknown = points(items, weights)
    total = np.full(len(table), base)
    for item, row, missing in zip(items, rows, unknown):
        column = table[:, item.column]
        bins = np.searchsorted(item.cuts, np.nan_to_num(column), side="right")
        total = total + np.where(np.isnan(column), missing, np.array(row)[bins])
    return total


def folds(bad: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """A fold for each loan, with as many bad ones in each as can be."""
    fold = np.empty(len(bad), dtype=int)
    for outcome in (True, False):
        places = chance.permutation(np.flatnonzero(bad == outcome))
        fold[places] = np.arange(len(places)) % FOLDS
    return fold


def validate(known: list[Candidate], table: np.ndarray, bad: np.ndarray, seed: int = SEED) -> dict:
    """The whole search anew in each of the folds, judged on what it did not see."""
    chance = np.random.default_rng(seed)
    parts, picked = [], {}
    for _ in range(REPEATS):
        fold = folds(bad, chance)
        for held in range(FOLDS):
            out = fold == held
            found = search(known, table[~out], bad[~out])
            parts.append((np.flatnonzero(out), -score(found, table[out])))
            for item in found[0]:
                name = known[item.column].name
                picked[name] = picked.get(name, 0) + 1
    each = np.array([auc(risk, bad[places]) for places, risk in parts])
    draws = []
    for _ in range(DRAWS):  # loans are drawn anew, bad and good ones apart; every fold sees the same draw
        weight = np.zeros(len(bad))
        for outcome in (True, False):
            places = np.flatnonzero(bad == outcome)
            weight += np.bincount(chance.choice(places, len(places)), minlength=len(bad))
        draws.append(np.nanmean([auc(risk, bad[places], weight[places]) for places, risk in parts]))
    low, high = np.quantile(draws, [0.025, 0.975])
    return {"auc": each.mean(), "low": low, "high": high, "repeats": each.reshape(REPEATS, FOLDS).mean(axis=1),
        "worst": each.min(),
            "best": each.max(), "picked": picked, "parts": parts}


def calibration(bad: np.ndarray, figures: dict) -> float:
    """By how much the log-odds of scores that were not fitted on a loan must be stretched to fit: 1 is right, more is
    too careful."""
    log_odds = np.zeros(len(bad))
    for places, risk in figures["parts"]:
        log_odds[places] += (risk + POINTS_AT_EVEN) * np.log(2) / POINTS_TO_DOUBLE / REPEATS
    return float(logistic(log_odds[:, None], bad, ridge=0.0)[0])


def written(number: float) -> str:
    return f"{number:.10g}"


def toml(known: list[Candidate], found) -> str:
    """The definitions and the score, as they stand in the rule file."""
    items, weights = found
    base, rows, unknown = points(items, weights)
    lines = ["# [metric]"]
    lines += [f"{known[item.column].name} = {json.dumps(known[item.column].rule)}" for item in items]
    lines += ["", "[score]", f"base = {base}"]
    for item, row, missing in zip(items, rows, unknown):
        cuts = [written(cut) for cut in item.cuts]
        cells = [f"< {cuts[0]}", *(f"{low}..{high}" for low, high in zip(cuts, cuts[1:])), f">= {cuts[-1]}"]
        told = ", ".join(f'["{cell}", {gain}]' for cell, gain in [*zip(cells, row), ("unknown", missing)])
        lines += ["", "[[score.item]]", f"# {known[item.column].family}", f'on = "{known[item.column].name}"',
            f"points = [{told}]"]
    return "\n".join(lines)


def agree(program: str, folder: Path, known: list[Candidate], accounts: np.ndarray, table: np.ndarray) -> int:
    """Every candidate of every account by the program too; gives how many values were compared."""
    here = Path(__file__).resolve().parents[2]
    head = '[policy]\nname = "candidates"\nversion = "1"\ncurrency = "203"\ntime_zone = "Europe/Prague"\n\n'
    rules = head + BASIS + "".join(f"{one.name} = {json.dumps(one.rule)}\n" for one in known)
    with tempfile.TemporaryDirectory() as place:
        policy = Path(place) / "candidates.toml"
        policy.write_text(rules)
        output = subprocess.run([program, "metrics", "--policy", policy, "--columns",
            here / "rules/examples/berka.columns.toml",
                                 folder / "trans_preloan.parquet"], capture_output=True, text=True, check=True).stdout
    told = {int(line["customer"]): line for line in map(json.loads, output.splitlines())}
    for row, account in enumerate(accounts):
        for column, one in enumerate(known):
            ours, theirs = table[row, column], told[account][one.name]
            theirs = float("nan") if theirs is None else theirs / (100.0 if one.money else 1.0)
            same = np.isnan(ours) == np.isnan(theirs) and (
                np.isnan(ours) or abs(ours - theirs) <= 1e-9 * max(abs(ours), abs(theirs)))
            assert same, f"account {account}: {one.name} is {ours} by SQL, {theirs} by the program"
    return table.size


def summary(known: list[Candidate], found, table: np.ndarray, bad: np.ndarray) -> dict:
    """What the project keeps of the loans: sums over all of them, to hold the rule file and the program against."""
    scores = score(found, table)
    columns = {known[item.column].name: table[:, item.column] for item in found[0]}
    return {"loans": len(bad), "bad": int(bad.sum()), "auc": auc(-scores, bad),
            "score": {"sum": float(scores.sum()), "squares": float((scores**2).sum()), "least": float(scores.min()),
                "most": float(scores.max())},
            "metrics": {name: {"known": int((~np.isnan(column)).sum()), "sum": float(np.nansum(column)),
                "most": float(np.nanmax(column))}
                        for name, column in columns.items()}}


def told(name: str, figures: dict) -> str:
    repeats = " ".join(f"{value:.3f}" for value in figures["repeats"])
    return (f"{name}: AUC {figures['auc']:.3f}, 95% interval {figures['low']:.3f} to {figures['high']:.3f}; "
            f"by repeat {repeats}; single folds {figures['worst']:.3f} to {figures['best']:.3f}")


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("data", type=Path, help="the folder with trans_preloan.parquet and loan.csv")
    ask.add_argument("--lendwright", help="the program, to compare every value with")
    ask = ask.parse_args()
    known = candidates()
    accounts, bad, table = values(ask.data, known)
    print(f"# {len(bad)} loans, {bad.sum()} of them bad; {len(known)} candidates in "
          f"{len({one.family for one in known})} families")
    if ask.lendwright:
        print(f"# {agree(ask.lendwright, ask.data, known, accounts, table)} values are the same by SQL and by the "
              f"program")
    of_credits = [place for place, one in enumerate(known) if one.credits_only]
    narrow = [known[place] for place in of_credits]
    figures = validate(known, table, bad)
    print("#", told("debits and balances", figures))
    print("#", told("credits alone", validate(narrow, table[:, of_credits], bad)))
    print(f"# log-odds of the score, held against loans it was not fitted on: slope {calibration(bad, figures):.2f}")
    shuffled = [validate(known, table, np.random.default_rng(SEED + turn).permutation(bad))["auc"] for turn in range(5)]
    print("# outcomes shuffled, five times:", " ".join(f"{value:.3f}" for value in shuffled))
    picked = sorted(figures["picked"].items(), key=lambda pair: (-pair[1], pair[0]))
    print("# picked in so many of 25 folds:", ", ".join(f"{name} {count}" for name, count in picked))
    found = search(known, table, bad)
    (Path(__file__).parent / "found.json").write_text(json.dumps(summary(known, found, table, bad), indent=1) + "\n")
    print(f"# on the loans it was found on: AUC {auc(-score(found, table), bad):.3f}\n")
    print(toml(known, found))


if __name__ == "__main__":
    main()
