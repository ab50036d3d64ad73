"""Statements that people wrote: `testdata/rules/verdicts.toml`, whose records tell of each other. Most words of the
rules, and most ways in which they meet, are in no generated narration."""

import csv
from datetime import date, timedelta

import rulefile

# The columns of a generated table that the referee reads.
HEAD = ["customer", "id", "trans_date", "cleared_date", "credit", "debit", "balance", "desc", "topics"]


def write(verdicts, table):
    """One statement a verdict; identifiers ascend with time."""
    with table.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(HEAD)
        for path in verdicts:
            for nth, statement in enumerate(rulefile.load(path)["statement"]):
                for number, (day, amount, text) in enumerate(sorted(dated(statement["records"]), key=lambda of: of[0])):
                    sides = [amount, None] if amount > 0 else [None, -amount]
                    rows.writerow([f"{path.stem} {nth}", f"v{number:06}", day, None, *sides, None, text, None])


def dated(records):
    """Each record on each of its days: `2026-01-28 x9` is that day of nine months, `2026-01-05 x6/11` every 11 days,
    six times."""
    for when, amount, text, _ in records:
        first, _, times = when.partition(" x")
        times, _, gap = times.partition("/")
        for nth in range(int(times or 1)):
            day = date.fromisoformat(first)
            day = day + timedelta(days=nth * int(gap)) if gap else in_month(day, nth)
            filled = text.replace("{M}", f"{day:%b}").replace("{Y}", f"{day:%Y}").replace("{n}", f"{day:%d%m}{nth:04}")
            yield day, amount, filled


def in_month(day, later):
    months = day.month - 1 + later
    return day.replace(year=day.year + months // 12, month=months % 12 + 1, day=min(day.day, 28) if later else day.day)
