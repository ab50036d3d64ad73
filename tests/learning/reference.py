"""What optbinning, scikit-learn and statsmodels find for the cases of src/portfolio/learning/tests.

    tests/learning/run            compares with testdata/learning/expected.json
    tests/learning/run --write    writes it

Cases come from a linear congruential generator that the Rust tests have too,
by additions and products alone, so that both see the same bits.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import statsmodels.api as sm
from optbinning import OptimalBinning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from statsmodels.stats.outliers_influence import variance_inflation_factor

ROWS, COLUMNS = 3000, 12
LEAST_SHARE, MOST_BINS, PREBINS = 0.05, 7, 20
STRENGTHS = {"l2": [0.5, 10.0], "l1": [2.0, 15.0]}


class Generator:
    """Knuth's MMIX constants; the upper 53 bits are the number."""

    def __init__(self, state: int):
        self.state = state

    def next(self) -> float:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 11) / 2**53


def values(kind: int, u: float, noise: float) -> float:
    """A value of a kind of column; nan is unknown."""
    match kind:
        case 0:
            return u
        case 1:
            return float(int(u * 12.0))
        case 2:
            return u * u * u * 50000.0
        case 3:
            return 0.0 if u < 0.45 else u - 0.3
        case 4:
            return float("nan") if noise < 0.15 else -u
        case _:
            return u + noise


def binning_case() -> tuple[np.ndarray, np.ndarray]:
    """Columns of six kinds, twice, the second time with less to say, and outcomes."""
    draw = Generator(41)
    table, bad = np.empty((ROWS, COLUMNS)), np.empty(ROWS, dtype=bool)
    for row in range(ROWS):
        risk = draw.next()
        bad[row] = draw.next() < 0.02 + 0.35 * risk * risk
        for column in range(COLUMNS):
            share = 0.6 if column < 6 else 0.2
            u = share * risk + (1.0 - share) * draw.next()
            table[row, column] = values(column % 6, u, draw.next())
    return table, bad


def binned(column: np.ndarray, bad: np.ndarray, splits: list[float] | None, trend: str) -> float:
    """The information value that optbinning finds, unknown values included."""
    found = OptimalBinning(dtype="numerical", prebinning_method="quantile", max_n_prebins=PREBINS,
                           min_prebin_size=0.01, min_bin_size=LEAST_SHARE, max_n_bins=MOST_BINS, min_bin_n_event=1,
                           min_bin_n_nonevent=1, monotonic_trend=trend, user_splits=splits, solver="cp")
    found.fit(column, bad.astype(int))
    table = found.binning_table
    table.build()
    return float(table.iv)


def binning(table: np.ndarray, bad: np.ndarray) -> list[dict]:
    cases = []
    for place in range(COLUMNS):
        column = table[:, place]
        known = column[~np.isnan(column)]
        splits = sorted({float(cut) for cut in np.quantile(known, np.arange(1, PREBINS) / PREBINS)} - {known.min()})
        inside = np.searchsorted(splits, column, side="right")
        counts = [[int((bad & (inside == at) & ~np.isnan(column)).sum()),
                   int((~bad & (inside == at) & ~np.isnan(column)).sum())] for at in range(len(splits) + 1)]
        free = max(binned(column, bad, None, trend) for trend in ("ascending", "descending"))
        trends = {trend: binned(column, bad, splits, trend)
                  for trend in ("ascending", "descending", "peak", "valley")}
        cases.append({"free": free, "prebins": counts, "trends": trends})
    return cases


def regression_case() -> tuple[np.ndarray, np.ndarray]:
    """Six columns that lean on each other, one of them on nothing, and outcomes."""
    draw = Generator(7)
    table, good = np.empty((800, 6)), np.empty(800, dtype=bool)
    for row in range(800):
        common = draw.next()
        for column in range(6):
            share = 0.1 * column
            table[row, column] = 4.0 * (share * common + (1.0 - share) * draw.next()) - 2.0
        chance = 0.8 + 0.12 * table[row, 0] - 0.06 * table[row, 2] + 0.04 * table[row, 4]
        good[row] = draw.next() < chance
    return table, good


def sure(design: np.ndarray, weights: np.ndarray, strength: float) -> list[float]:
    """Standard errors by the observed information, the penalty included."""
    chance = 1 / (1 + np.exp(-design @ weights))
    bend = (design * (chance * (1 - chance))[:, None]).T @ design
    bend += np.diag([strength] * (design.shape[1] - 1) + [0.0])
    return np.sqrt(np.diag(np.linalg.inv(bend))).tolist()


def regression(table: np.ndarray, good: np.ndarray) -> dict:
    """Weights with the intercept last."""
    design = np.column_stack([table, np.ones(len(good))])
    plain = sm.Logit(good.astype(float), design).fit(method="newton", tol=1e-14, maxiter=100, disp=0)
    found = {"plain": {"weights": plain.params.tolist(), "errors": plain.bse.tolist(), "p": plain.pvalues.tolist(),
                       "log_likelihood": float(plain.llf)}}
    for kind, strengths in STRENGTHS.items():
        for strength in strengths:
            settings = ({"l1_ratio": 0.0, "solver": "newton-cholesky", "tol": 1e-12} if kind == "l2"
                        else {"l1_ratio": 1.0, "solver": "saga", "tol": 1e-13})
            made = LogisticRegression(C=1 / strength, max_iter=200_000, random_state=1, **settings).fit(table, good)
            weights = np.append(made.coef_[0], made.intercept_[0])
            found[f"{kind} {strength}"] = {"weights": weights.tolist()}
            if kind == "l2":
                found[f"{kind} {strength}"]["errors"] = sure(design, weights, strength)
    found["inflation"] = [float(variance_inflation_factor(design, at)) for at in range(6)]
    found["auc"] = float(roc_auc_score(good, table[:, 0]))
    return found


CUTS, SPECIAL = [3.0, 6.0, 9.0], 5.0


def weighted_case(table: np.ndarray, good: np.ndarray) -> dict:
    """The regression and AUC with weights, and with two rows of each customer."""
    draw = Generator(11)
    weights = np.array([0.25 + 3.0 * draw.next() for _ in range(len(good))])
    weights /= weights.mean()
    design = np.column_stack([table, np.ones(len(good))])
    plain = sm.GLM(good.astype(float), design, family=sm.families.Binomial(), freq_weights=weights).fit(tol=1e-14)
    strength = STRENGTHS["l2"][1]
    ridge = LogisticRegression(C=1 / strength, l1_ratio=0.0, solver="newton-cholesky", tol=1e-12,
                               max_iter=200_000).fit(table, good, sample_weight=weights)
    # White's sandwich: each row's slope, times its weight.
    chance = 1 / (1 + np.exp(-design @ plain.params))
    inside = np.linalg.inv((design * (weights * chance * (1 - chance))[:, None]).T @ design)
    slopes = design * (weights * (good - chance))[:, None]
    sandwich = inside @ slopes.T @ slopes @ inside
    pairs = sm.Logit(good.astype(float), design).fit(
        method="newton", tol=1e-14, maxiter=100, disp=0, cov_type="cluster",
        cov_kwds={"groups": np.arange(len(good)) // 2, "use_correction": False})
    return {"sum": float((weights ** 2).sum()), "plain": plain.params.tolist(),
            "errors": np.sqrt(np.diag(sandwich)).tolist(),
            "l2": np.append(ridge.coef_[0], ridge.intercept_[0]).tolist(),
            "cluster_errors": pairs.bse.tolist(),
            "auc": float(roc_auc_score(good, table[:, 0], sample_weight=weights))}


def chosen_case(table: np.ndarray, bad: np.ndarray) -> dict:
    """Weight of evidence and information by bins that were chosen, without smoothing; one value is special."""
    draw = Generator(12)
    weights = np.array([0.25 + 3.0 * draw.next() for _ in range(len(bad))])
    weights /= weights.mean()
    column = table[:, 1]
    places = np.where(column == SPECIAL, len(CUTS) + 1, np.searchsorted(CUTS, column, side="right"))
    found = {}
    for name, by in (("even", np.ones(len(bad))), ("weighted", weights)):
        goods = np.array([(by * ~bad)[places == at].sum() for at in range(len(CUTS) + 2)]) / (by * ~bad).sum()
        bads = np.array([(by * bad)[places == at].sum() for at in range(len(CUTS) + 2)]) / (by * bad).sum()
        evidence = np.log(goods / bads)
        found[name] = {"woe": evidence.tolist(), "iv": float(((goods - bads) * evidence).sum())}
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    table, bad = binning_case()
    columns, good = regression_case()
    expected = {"binning": {"bads": int(bad.sum()), "sum": float(np.nansum(table)), "columns": binning(table, bad)},
                "regression": {"goods": int(good.sum()), "sum": float(columns.sum())} | regression(columns, good),
                "weighted": weighted_case(columns, good), "chosen": chosen_case(table, bad)}
    place = Path(__file__).parents[2] / "testdata/learning/expected.json"
    if "--write" in sys.argv[1:]:
        place.parent.mkdir(exist_ok=True)
        place.write_text(json.dumps(expected, indent=1) + "\n")
    else:
        differs = differences(json.loads(place.read_text()), expected, "")
        for line in differs:
            print(line)
        print(f"{len(differs)} figures differ from {place.name}")
        sys.exit(1 if differs else 0)


def differences(kept, found, place: str) -> list[str]:
    """Where two answers differ by more than 1e-7: solvers are not the same to the last digit on every machine."""
    if isinstance(kept, dict) and isinstance(found, dict):
        return [line for key in sorted(kept.keys() | found.keys())
                for line in differences(kept.get(key), found.get(key), f"{place}.{key}")]
    if isinstance(kept, list) and isinstance(found, list) and len(kept) == len(found):
        return [line for at, pair in enumerate(zip(kept, found)) for line in differences(*pair, f"{place}[{at}]")]
    is_number = isinstance(kept, (int, float)) and isinstance(found, (int, float))
    same = abs(kept - found) <= 1e-7 * max(1.0, abs(kept)) if is_number else kept == found
    return [] if same else [f"{place.lstrip('.')}: {kept} is kept, {found} is found"]


if __name__ == "__main__":
    main()
