"""What is compared: statements are generated or taken from the real records, loaded for the referee, and given to the
program."""

import subprocess
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import evidence
import narrations

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# No day: as of each statement's last record. Others lie on the last day of the generator, within statements, after and
# before all.
DAYS = [None, "2026-10-31", "2026-12-01", "2026-08-15", "2026-05-31", "2025-12-25", "1990-01-01"]


@dataclass
class Run:
    """One table of the program, in one or several files; its decisions, which say why something is unknown, where they
    were asked for."""

    name: str
    source: str
    policy: Path
    tables: list
    decisions: Path = None


@dataclass
class Case:
    """Options of `lendwright generate`, the days to judge the statements from, and as of how many of them reasons are
    compared too."""

    name: str
    options: str
    days: list
    reasons: int = 0


CASES = [
    Case("usual", "--statements 120 --records 400 --seed 11 --noise 0.1 --debits --format csv", DAYS),
    Case("clean", "--statements 60 --records 400 --seed 12 --noise 0 --debits --format parquet", DAYS[:4]),
    Case("hard", "--statements 80 --records 400 --seed 13 --noise 0.3 --debits --format csv", DAYS, 1),
    Case("credits", "--statements 100 --records 200 --seed 14 --noise 0.1 --format csv", DAYS, 1),
    Case("credits-hard", "--statements 60 --records 200 --seed 15 --noise 0.3 --format parquet", DAYS[:5]),
    Case("till", "--statements 10 --records 1000 --months 2 --seed 16 --noise 0.1 --debits --format csv",
        [None, "2026-10-15"]),
    Case("long", "--statements 10 --records 3000 --months 120 --seed 17 --noise 0.2 --debits --format parquet",
        [None, "2024-02-29"]),
    Case("sparse", "--statements 40 --records 30 --months 60 --seed 18 --noise 0.1 --debits --format csv",
        [None, "2025-01-01"], 2),
    Case("given", "--statements 40 --records 400 --seed 19 --noise 0.1 --debits --format csv", [None, "2026-08-15"], 1),
    Case("given-hard", "--statements 20 --records 300 --seed 20 --noise 0.4 --debits --format parquet",
        [None, "2026-06-30"], 0),
    Case("given-credits", "--statements 20 --records 200 --seed 21 --noise 0.1 --format csv", [None, "1990-01-01"], 1),
]
# Statements of a few records: most of what they are asked is unknown.
SHORT = [
    Case(f"short-{records}{'-debits' if debits else ''}",
        f"--statements 30 --records {records} --seed {40 + records} --noise 0.1 {debits} --format csv", DAYS[:2], 1)
    for records in (1, 2, 3, 4, 5)
    for debits in ("", "--debits")
]
MORE_SEEDS = [
    Case(f"seed-{seed}", f"--statements 300 --records 400 --seed {seed} --noise {noise} --debits --format parquet",
        DAYS[:4])
    for seed, noise in [(31, 0), (32, 0.1), (33, 0.3), (34, 0.6), (35, 1.0)]
]


def program(args, *words, out=subprocess.DEVNULL):
    """Runs the program; what it complains of goes to the screen, and a failure ends the comparison."""
    subprocess.run([args.binary, *words], check=True, stdout=out)


def judge(policy, columns, day, table):
    """The words of `metrics` and of `decide` that ask about a table as of a day."""
    return ["--policy", policy, *(["--columns", columns] if columns else []), *(["--as-of", day] if day else []), table]


def decide(args, said, path):
    with path.open("wb") as out:
        program(args, "decide", *said, out=out)
    return path


def tell(sql, args, name, said, table):
    """Has the program tell whose the records of a run are, and of which streams."""
    asked = [args.binary, "explain", "--policy", HERE / "evidence.toml", *said[2:], "--metric", "given", "--format",
        "json", "--records", "1000000"]
    told = subprocess.run(asked, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    evidence.load(sql, name, told, table.with_suffix(".given.csv"))


def ask(sql, run, source, customers, day, names_debit):
    """Asks the referee about statements of a source as of a day, or of each one's last record."""
    sql.execute(
        f"""INSERT INTO asked
            SELECT $run || ' ' || customer, source, $run, customer, coalesce($day::DATE, max(trans_date)),
                   $names_debit, $day IS NOT NULL
            FROM source_record WHERE source = $source AND customer IN {customers} GROUP BY source, customer""",
        {"run": run, "source": source, "day": day, "names_debit": names_debit},
    )


def generated(sql, args):
    """Every case, as of each of its days."""
    policy = ROOT / "rules/starter.toml"
    done = []
    for case in CASES + SHORT + (MORE_SEEDS if args.full else []):
        folder = args.work / case.name
        program(args, "generate", *case.options.split(), "--labels", "--out", folder)
        table = next(path for path in folder.iterdir() if path.stem == "statements")
        load(sql, "load_generated.sql", case.name, table)
        for number, day in enumerate(case.days):
            out = folder / f"metrics-{number}.parquet"
            name = f"{case.name} as of {day or 'the last record'}"
            said = judge(policy, None, day, table)
            program(args, "metrics", *said, "--out", out)
            decisions = decide(args, said, out.with_suffix(".ndjson")) if number < case.reasons else None
            ask(sql, name, case.name, "(SELECT customer FROM source_record)", day, False)
            tell(sql, args, name, said, out)
            done.append(Run(name, case.name, policy, [out], decisions))
    return done


def handwritten(sql, args):
    """Narrations of banks in six markets, and statements whose records tell of each other."""
    policy = ROOT / "rules/starter.toml"
    folder = args.work / "narrations"
    folder.mkdir()
    tables = {"narrations": folder / "narrations.csv", "verdicts": folder / "verdicts.csv"}
    text = (HERE / "sql" / "load" / "write_narrations.sql").read_text()
    practice = read(ROOT / "testdata/narration/practice.csv")
    sql.execute(text.replace("$table", practice).replace("$out", str(tables["narrations"])))
    narrations.write([ROOT / f"testdata/rules/{name}.toml" for name in ("verdicts", "verdicts-markets")],
        tables["verdicts"])
    done = []
    for source, table in tables.items():
        load(sql, "load_generated.sql", source, table)
        for day in [None, "2026-05-15"]:
            name = f"{source} as of {day or 'the last record'}"
            out = folder / f"{source}-{day}.parquet"
            said = judge(policy, None, day, table)
            program(args, "metrics", *said, "--out", out)
            decisions = decide(args, said, out.with_suffix(".ndjson"))
            ask(sql, name, source, "(SELECT customer FROM source_record)", day, False)
            tell(sql, args, name, said, out)
            done.append(Run(name, source, policy, [out], decisions))
    return done


def berka(sql, args):
    """The real records: as of the last one of each account, as of fixed days, and of each loan's date and ninety days
    before it."""
    folder = args.data / "berka" if args.data else None
    if folder is None or not folder.is_dir():
        print("SKIPPED: the real records (no folder berka/ in the data; see --data)")
        return []
    policy, columns = ROOT / "testdata/rules/koruna.toml", ROOT / "testdata/statement/berka.columns.toml"
    table, out = folder / "trans_preloan.parquet", args.work / "berka"
    out.mkdir()
    load(sql, "load_berka.sql", "berka", table)
    done = []
    for day in [None, "1996-06-30", "1997-01-15", "1999-01-01"]:
        name = f"berka as of {day or 'the last record'}"
        said = judge(policy, columns, day, table)
        program(args, "metrics", *said, "--out", out / f"{name}.parquet")
        decisions = decide(args, said, out / f"{name}.ndjson") if day is None else None
        ask(sql, name, "berka", "(SELECT customer FROM source_record)", day, True)
        tell(sql, args, name, said, out / f"{name}.parquet")
        done.append(Run(name, "berka", policy, [out / f"{name}.parquet"], decisions))
    return done + loans(sql, args, folder, policy, columns, table, out)


def loans(sql, args, folder, policy, columns, table, out):
    """Accounts whose loans are of one day are judged together, in a table of their own; without --full one day in
    twenty."""
    dated = f"""SELECT account_id, strptime('19' || date, '%Y%m%d')::DATE AS day
        FROM read_csv('{folder / "loan.csv"}', all_varchar = true)"""
    days = [day for (day,) in sql.execute(f"SELECT DISTINCT day FROM ({dated}) ORDER BY day").fetchall()]
    runs = {"loan's date": (0, []), "ninety days before the loan": (90, [])}
    for day in days if args.full else days[::20]:
        accounts = f"(SELECT account_id FROM ({dated}) WHERE day = DATE '{day}')"
        part = out / f"accounts-{day}.parquet"
        sql.execute(f"COPY (SELECT * FROM read_parquet('{table}') WHERE account_id::VARCHAR IN {accounts}) TO '{part}' "
                    f"(FORMAT parquet)")
        for name, (before, tables) in runs.items():
            as_of = str(day - timedelta(days=before))
            tables.append(out / f"metrics-{day}-{before}.parquet")
            said = judge(policy, columns, as_of, part)
            program(args, "metrics", *said, "--out", tables[-1])
            ask(sql, f"berka as of the {name}", "berka", accounts, as_of, True)
            tell(sql, args, f"berka as of the {name}", said, tables[-1])
    return [Run(f"berka as of the {name}", "berka", policy, tables) for name, (_, tables) in runs.items()]


def load(sql, script, source, table):
    text = (HERE / "sql" / "load" / script).read_text()
    sql.execute(text.replace("$source", f"'{source}'").replace("$table", read(table)))


def read(table):
    if table.suffix == ".parquet":
        return f"read_parquet('{table}')"
    return f"read_csv('{table}', header = true, all_varchar = true)"
