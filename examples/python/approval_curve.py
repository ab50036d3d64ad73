"""Draws the share of people who get an offer against a parameter of a policy.

python examples/python/approval_curve.py rules/starter.toml curve.png
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

import lendwright

PARAMETER = "min_counted_income"
"""The least income a month. Rule files, and so parameters, have money in major units: naira."""
VALUES = range(20_000, 400_001, 20_000)


def approval_rate(policy: lendwright.Policy, people: lendwright.Generated) -> float:
    """The share of people with an offer."""
    outcomes = [row["outcome"] for row in policy.decide(people, as_of="2026-10-31").rows()]
    return outcomes.count("offer") / len(outcomes)


def main(policy: str = "rules/starter.toml", picture: str = "curve.png") -> None:
    """Writes the picture."""
    people = lendwright.generate(statements=100, records=150, seed=3)
    rates = [approval_rate(lendwright.load(policy, {PARAMETER: value}), people) for value in VALUES]
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(VALUES, [100 * rate for rate in rates], marker="o")
    axes.set(xlabel=f"{PARAMETER}, NGN", ylabel="people who get an offer, %", ylim=(0, 100))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.grid(alpha=0.3)
    figure.savefig(Path(picture), dpi=120)


if __name__ == "__main__":
    main(*sys.argv[1:3])
