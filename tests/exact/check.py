"""Decisions on rules of its own, aimed at ties, beside Python's `fractions`: which requirements fail, and what is
offered.

Shares nothing with the program but its command line. `tests/exact/run BINARY` runs it; exit status 1 where one answer
differs.
"""

import argparse
import csv
import json
import random
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

HEADER = """[policy]
name = "exact"
version = "1"
currency = "566"
time_zone = "UTC"

[metric]
total = "SUM(credit)"
largest = "MAX(credit)"
mean = "AVG(credit)"
middle = "MEDIAN(credit)"
"""


def decimal(chance: random.Random) -> str:
    """A share with one to six decimals."""
    places = chance.randint(1, 6)
    return f"0.{chance.randint(1, 10**places - 1):0{places}d}"


def major(minor: int) -> str:
    return f"{minor // 100}.{minor % 100:02d}"


def median(credits: list[int]) -> Fraction:
    ordered = sorted(credits)
    half = len(ordered) // 2
    return Fraction(ordered[half]) if len(ordered) % 2 else Fraction(ordered[half - 1] + ordered[half], 2)


def half_away(value: Fraction) -> int:
    magnitude = (2 * abs(value) + 1) // 2
    return magnitude if value >= 0 else -magnitude


class Rule:
    """A requirement as its text, as a function of what a customer's credits come to, and with a way to hit its bound.
    """

    def __init__(self, chance: random.Random):
        self.kind = chance.choice(["share", "quotient", "mean", "spread", "middle", "rounded"])
        self.share, self.other = decimal(chance), decimal(chance)
        self.p, self.q = Fraction(self.share), Fraction(self.other)
        self.step = chance.choice([1, 7, 50, 100, 1_000])
        self.strict = chance.random() < 0.5
        sign = "<" if self.strict else "<="
        self.text = {
            "share": f"largest {sign} {self.share} * total",
            "quotient": f"largest / total {sign} {self.share}",
            "mean": f"{self.share} * largest {sign} mean",
            "spread": f"{self.share} * total - {self.other} * largest {sign} 250.50",
            "middle": f"middle {sign} {self.share} * total + {self.other} * largest",
            "rounded": f"ROUND({self.share} * total, {self.step}) {sign} largest",
        }[self.kind]

    def holds(self, credits: list[int]) -> bool:
        total, largest = Fraction(sum(credits)), Fraction(max(credits))
        step = self.step * 100
        left, right = {
            "share": (largest, self.p * total),
            "quotient": (largest / total, self.p),
            "mean": (self.p * largest, total / len(credits)),
            "spread": (self.p * total - self.q * largest, Fraction(25_050)),
            "middle": (median(credits), self.p * total + self.q * largest),
            "rounded": (Fraction(half_away(self.p * total / step) * step), largest),
        }[self.kind]
        return left < right if self.strict else left <= right

    def tie(self, chance: random.Random) -> list[int]:
        """Credits near the bound of this rule: at it, or a minor unit to one side."""
        size = 10 ** chance.randint(0, 9)
        whole = self.p.denominator * chance.randint(1, 1 + size // self.p.denominator)
        largest = self.p * whole
        if self.kind == "mean":
            # Of so many equal credits but for one, the mean is just that share of the largest.
            count = chance.randint(2, 6)
            high = count * self.p.denominator * chance.randint(1, 50)
            rest = count * self.p * high - high
            if rest.denominator == 1 and rest >= count - 1:
                share, left = divmod(int(rest), count - 1)
                credits = [high] + [share + (1 if at < left else 0) for at in range(count - 1)]
                credits[1] += chance.choice([-1, 0, 1])
                return [credit for credit in credits if credit > 0] or [1]
        first = max(1, int(largest) + chance.choice([-1, 0, 0, 1]))
        rest = max(1, int(whole) - first)
        parts = chance.randint(1, 3)
        share, left = divmod(rest, parts)
        return [first] + [value for value in [share + left] + [share] * (parts - 1) if value > 0]


def run(binary: str, folder: Path, policy: str, customers: list[list[int]]) -> dict[str, dict]:
    (folder / "policy.toml").write_text(policy)
    with open(folder / "data.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["customer", "trans_date", "credit"])
        for number, credits in enumerate(customers):
            for at, credit in enumerate(credits):
                rows.writerow([f"c{number}", f"2026-06-{at + 1:02d}", major(credit)])
    command = [binary, "decide", "--policy", str(folder / "policy.toml"), "--as-of", "2026-06-30",
        str(folder / "data.csv")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if len(lines) != len(customers):
        sys.exit(f"{len(lines)} decisions on {len(customers)} customers: {done.stderr[:500]}")
    return {line["customer"]: line for line in lines}


def requirements(binary: str, folder: Path, chance: random.Random, count: int) -> tuple[int, list[str]]:
    rules = [Rule(chance) for _ in range(30)]
    blocks = [
        f'[[require]]\nid = "R{at}"\nwhen = "{rule.text}"\nelse = "decline"\nunknown = "refer"\nreason = "no"\n'
        for at, rule in enumerate(rules)
    ]
    offer = '[[offer]]\nid = "o"\ntenure = 30\namount = 100\ninterest = 1\n'
    customers = [chance.choice(rules).tie(chance) for _ in range(count)]
    found = run(binary, folder, HEADER + "".join(blocks) + offer, customers)
    wrong = []
    for number, credits in enumerate(customers):
        failed = {reason["id"] for reason in found[f"c{number}"]["reasons"]}
        expected = {f"R{at}" for at, rule in enumerate(rules) if not rule.holds(credits)}
        wrong += [f"{rules[int(rule[1:])].text} of {credits}: {rule in failed}" for rule in failed ^ expected]
    return count * len(rules), wrong


def offers(binary: str, folder: Path, chance: random.Random, count: int) -> tuple[int, list[str]]:
    shares = [(decimal(chance), decimal(chance)) for _ in range(20)]
    blocks = [
        f'[[offer]]\nid = "o{at}"\ntenure = {at + 1}\namount = "{share} * total"\n'
        f'interest = "{fee} + 0.1"\nfee = "{fee} * amount"\n'
        for at, (share, fee) in enumerate(shares)
    ]
    customers = []
    for _ in range(count):
        # Totals at which the product is whole, half, or one minor unit beside.
        share = Fraction(chance.choice(shares)[0])
        total = share.denominator * chance.randint(1, 10 ** chance.randint(1, 9)) // chance.choice([1, 2])
        total += chance.choice([-1, 0, 1])
        customers.append([max(1, total)])
    found = run(binary, folder, HEADER + "".join(blocks), customers)
    wrong = []
    for number, credits in enumerate(customers):
        made = {offer["tenure"]: offer for offer in found[f"c{number}"]["offers"]}
        for at, (share, fee) in enumerate(shares):
            amount = int(Fraction(share) * sum(credits))
            priced = (amount, half_away(Fraction(fee) * amount), float(Fraction(fee) + Fraction(1, 10)))
            expected = priced if amount > 0 else None
            offer = made.get(at + 1)
            got = offer and (offer["amountOffered"], offer["fee"], offer["interest"])
            if got != expected:
                wrong.append(f"{share} of {credits}, fee {fee}: {got}, not {expected}")
    return count * len(shares), wrong


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("binary")
    arguments.add_argument("--customers", type=int, default=2_000)
    arguments.add_argument("--rounds", type=int, default=4)
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    asked, wrong = 0, []
    for round_number in range(options.rounds):
        chance = random.Random(options.seed * 1_000 + round_number)
        with tempfile.TemporaryDirectory() as folder:
            for check in (requirements, offers):
                count, differ = check(options.binary, Path(folder), chance, options.customers)
                asked, wrong = asked + count, wrong + differ
    for line in wrong[:20]:
        print(line, file=sys.stderr)
    print(f"{asked} answers beside Python's fractions, {len(wrong)} differ")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
