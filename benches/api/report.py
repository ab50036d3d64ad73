"""The tables of what load.py found, as Markdown. Knows the names of the numbers, not their source."""


def time(seconds: float | None) -> str:
    if seconds is None:
        return "none"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 0.001 else f"{seconds * 1e6:.0f} us"


def percent(share: float | None) -> str:
    return "none" if share is None else f"{share * 100:.1f}%"


def rate(per_second: float) -> str:
    return f"{per_second:,.0f}"


def capacity_of(found: dict[str, float]) -> dict[str, str]:
    """The cells of one size of statements, by the heads of their columns."""
    cells = {
        "decided per second": rate(found["decided_per_s"]),
        "by `batch`": rate(found["batch_per_s"]),
        "ratio": f"{found['of_batch']:.2f}",
        "CPU of each": time(found["cpu_s"]),
        "CPU by `batch`": time(found["batch_cpu_s"]),
        "ratio of CPU": f"{found['cpu_of_batch']:.2f}",
    }
    for name, load in (("alone", "alone"), ("half", "at half"), ("full", "at full")):
        cells[f"p50, p99 {load}"] = f"{time(found[f'{name}_p50_s'])}, {time(found[f'{name}_p99_s'])}"
    return cells


def overload_of(found: dict[str, float]) -> dict[str, str]:
    """The same of twice the load."""
    return {
        "asked per second": rate(found["twice_asked_per_s"]),
        "decided": rate(found["twice_decided_per_s"]),
        "refused": percent(found["twice_refused_share"]),
        "refused in 5 ms": percent(found.get("refused_in_5ms_share")),
        "p99 of a refusal": time(found.get("refused_p99_s")),
        "in 5 ms of the last byte": percent(found.get("refused_after_sent_in_5ms_share")),
        "p99 of the decided": time(found["twice_p99_s"]),
        "of that alone": f"{found['twice_p99_of_alone']:.1f}",
        "of that at half": f"{found['twice_p99_of_half']:.1f}",
        "generator late, p99": time(found["generator_late_p99_s"]),
    }


def row(cells) -> str:
    return f"| {' | '.join(cells)} |"


def table(numbers: dict[str, float], sizes: list[int]) -> str:
    """A table of capacity, and one of twice the load."""
    text = ""
    for title, cells_of in (("As fast as it goes", capacity_of), ("Twice that rate", overload_of)):
        lines = []
        for records in sizes:
            start = f"api_{records}_"
            found = {name.removeprefix(start): value for name, value in numbers.items() if name.startswith(start)}
            cells = {"records": f"{records:,}"} | cells_of(found)
            lines = lines or [row(cells), row("---" for _ in cells)]
            lines.append(row(cells.values()))
        text += f"{title}:\n\n" + "\n".join(lines) + "\n\n"
    return text.rstrip()
