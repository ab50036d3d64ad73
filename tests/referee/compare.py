"""Compares the table of metrics that `lendwright metrics` writes with the same metrics computed by DuckDB from the raw
records.

The SQL beside this file is written from the catalogue's definitions and knows nothing of the program. Counts, days,
money and texts must be equal, floats within 1e-9 of each other, and what is unknown must be unknown on both sides.
Exits with 1 on any difference.
"""

import argparse
import shutil
import sys
import time
from pathlib import Path

import duckdb

import rulefile
import runs

HERE = Path(__file__).resolve().parent
TOLERANCE = 1e-9
# What stands beside the metrics in the program's table.
HEAD = {"customer", "statement", "as_of"}


def main():
    args = arguments()
    args.binary = args.binary.resolve()
    shutil.rmtree(args.work, ignore_errors=True)
    args.work.mkdir(parents=True)
    sql = duckdb.connect(str(args.work / "referee.duckdb"))
    sql.execute("SET preserve_insertion_order = false")
    script(sql, "00_sources.sql")
    began = time.monotonic()
    done = runs.generated(sql, args) + runs.handwritten(sql, args) + runs.berka(sql, args)
    said = time.monotonic()
    for policy in {run.policy for run in done}:
        lists, parameters = rulefile.read(policy)
        add_words(sql, lists)
        add_parameters(sql, {run.source for run in done if run.policy == policy}, parameters)
    compute(sql)
    names = metrics(sql)
    print(f"program: {said - began:.0f} s, referee: {time.monotonic() - said:.0f} s, {len(names)} metrics in SQL")
    verdict = Verdict()
    for run in done:
        compare(sql, run, names, verdict)
    return verdict.tell(names, rulefile.metrics(runs.ROOT / "rules/metrics.toml"), args.strict)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, required=True, help="the program that is judged")
    parser.add_argument("--work", type=Path, required=True, help="a folder for tables; emptied first")
    parser.add_argument("--data", type=Path,
        help="the folder that holds berka/; without it only generated statements are compared")
    parser.add_argument("--full", action="store_true", help="every seed, and Berka as of every loan's date")
    parser.add_argument("--strict", action="store_true", help="a metric that one side alone has is a difference too")
    return parser.parse_args()


def one(sql, query):
    """The only row of an answer."""
    return sql.execute(query).fetchall()[0]


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def script(sql, name):
    sql.execute((HERE / "sql" / name).read_text())


def add_words(sql, lists):
    """Word lists of a policy. All policies of a comparison share those of the metrics, and add some of their own."""
    for name, listed in lists.items():
        # Those with which the program reads for parties decide nothing else.
        # A list may be empty in one market and full in another.
        if listed and not name.startswith("narration_"):
            sql.executemany("INSERT INTO word_list VALUES (?, ?)", [[name, word] for word in listed])


def add_parameters(sql, sources, parameters):
    """Parameters of the policy that judges these sources."""
    numbers = rulefile.in_minor_units(parameters).items()
    sql.executemany(
        "INSERT INTO parameter VALUES (?, ?, ?)", [[source, *number] for source in sources for number in numbers]
    )


def compute(sql):
    """Each text is searched once for every word; then the tables and the metrics, file by file."""
    sql.execute("""
        CREATE TABLE text AS
        SELECT narration, topics,
               regexp_replace(narration, '\\s+', ' ', 'g')
                   || chr(10) || regexp_replace(topics, '\\s+', ' ', 'g') AS words,
               lower(words) AS lowered
        FROM (SELECT DISTINCT narration, topics FROM source_record)""")
    sql.execute("CREATE TABLE mention (narration VARCHAR, topics VARCHAR, word VARCHAR, place BIGINT)")
    sql.begin()
    listed = sql.execute("SELECT word, bool_or(list IN ('lenders', 'month_names')) FROM word_list GROUP BY word").fetchall()
    for word, is_placed in listed:
        # Most texts lack the word, which is faster to see without a regular expression. Its place matters where the
        # first word of a list is asked for.
        place = f"length(regexp_extract(words, {quoted(rulefile.before(word))}, 1))" if is_placed else "NULL"
        sql.execute(
            f"""INSERT INTO mention
                SELECT narration, topics, $word, {place}
                FROM text
                WHERE contains(lowered, lower($word)) AND regexp_matches(words, {quoted(rulefile.mention(word))})""",
            {"word": word},
        )
    # Of a party its name is searched.
    sql.execute("CREATE TABLE party AS SELECT DISTINCT party FROM given WHERE party IS NOT NULL AND what = "
                "'given_party'")
    sql.execute("CREATE TABLE naming (party VARCHAR, list VARCHAR)")
    of_names = """SELECT list, word FROM word_list
        WHERE list IN ('banks', 'wallets', 'forwarders', 'lenders', 'lending_banks', 'loan', 'pension', 'savings',
                       'betting',
                       'employers', 'acquirers', 'bounce_names', 'firms', 'firm_words', 'financiers', 'gig',
                       'gig_workers', 'bank_namesakes', 'bank_words', 'booking_words', 'ways')"""
    for listed, word in sql.execute(of_names).fetchall():
        found = f"contains(party, lower($word)) AND regexp_matches(party, {quoted(rulefile.mention(word))})"
        sql.execute(f"INSERT INTO naming SELECT party, $list FROM party WHERE {found}", {"word": word, "list": listed})
    sql.commit()
    script(sql, "00_words.sql")
    for file in sorted((HERE / "sql").glob("*.sql")):
        if not file.name.startswith("00_"):
            script(sql, file.name)
    parts = "SELECT table_name FROM duckdb_tables() WHERE starts_with(table_name, 'm_')"
    joins = " ".join(f"LEFT JOIN {name} USING (sid)" for (name,) in sql.execute(parts).fetchall())
    sql.execute(f"CREATE TABLE metric AS SELECT * FROM (SELECT sid FROM span) {joins}")


def metrics(sql):
    """The metrics that the referee has, with their types."""
    return dict(sql.execute("SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = 'metric' AND "
                            "column_name != 'sid'").fetchall())


class Verdict:
    """What was compared and what differs, over all runs."""

    def __init__(self):
        self.values, self.statements, self.unknown, self.reasons = 0, 0, 0, 0
        self.compared, self.differ, self.examples = set(), {}, {}

    def tell(self, names, listed, strict):
        missing, alone = sorted(set(names) - self.compared), sorted(listed - set(names))
        known = dict(line.split(": ", 1) for line in (HERE / "open.txt").read_text().splitlines()
            if line[:1] not in ("", "#"))
        for name in sorted(self.differ):
            print(f"{'OPEN' if name in known else 'DIFFERS'} {name}: {self.differ[name]} values")
            for example in self.examples[name]:
                print(f"    {example}")
        print(f"{self.statements} statements, {self.values} values ({self.unknown} unknown on both sides), "
              f"{self.reasons} reasons")
        print(f"{len(self.compared)} metrics compared, {len(missing)} not there yet"
              + (f": {', '.join(missing)}" if missing else ""))
        if alone:
            print(f"{len(alone)} metrics of rules/metrics.toml are not in SQL: {', '.join(alone)}")
        print(f"{sum(self.differ.values())} differences in {len(self.differ)} metrics, {len(known)} of them known and "
              f"open (open.txt)")
        settled = sorted(name for name in known if name not in self.differ)
        if settled:
            print(f"no longer different, to be taken out of open.txt: {', '.join(settled)}")
        wrong = (set(self.differ) - set(known) or settled or not self.compared
                 or (strict and (missing or alone or known)))
        return 1 if wrong else 0


def compare(sql, run, names, verdict):
    """One run of the program against the referee, all metrics at once."""
    files = [str(file) for file in run.tables]
    sql.execute("CREATE OR REPLACE TEMP TABLE program AS SELECT * FROM read_parquet(?, union_by_name = true)", [files])
    columns = {row[0] for row in sql.execute("DESCRIBE program").fetchall()} - HEAD
    both = sorted(set(names) & columns)
    sql.execute(
        """CREATE OR REPLACE TEMP TABLE pair AS
           SELECT coalesce(a.sid, p.customer) AS sid, a.sid IS NOT NULL AND p.customer IS NOT NULL AS paired, r, p
           FROM (SELECT a.sid, a.customer, a.as_of, r FROM asked a JOIN metric r USING (sid) WHERE a.run = ?) a
           FULL JOIN program p ON p.customer = a.customer AND p.as_of = a.as_of""",
        [run.name],
    )
    total, alone = one(sql, "SELECT count(*), count(*) FILTER (NOT paired) FROM pair")
    if alone:
        note(sql, verdict, run, "(statements)", alone, "NOT paired", "r.sid", "p.customer || ' ' || p.as_of")
    wrong = {name: f"paired AND ({differs(name, names[name])})" for name in both}
    counts = one(sql, "SELECT " + ", ".join(f"count(*) FILTER ({w})" for w in wrong.values()) + " FROM pair")
    unknown = ", ".join(f'count(*) FILTER (paired AND r."{name}" IS NULL AND p."{name}" IS NULL)' for name in both)
    for name, count in zip(both, counts):
        if count:
            note(sql, verdict, run, name, count, wrong[name], f'r."{name}"', f'p."{name}"')
    verdict.compared |= set(both)
    verdict.statements += total
    verdict.values += total * len(both)
    verdict.unknown += sum(one(sql, f"SELECT {unknown} FROM pair"))
    if run.decisions:
        reasons(sql, run, both, verdict)
    print(f"{run.name}: {total} statements, {len(both)} metrics, {sum(counts)} differences", flush=True)


def reasons(sql, run, names, verdict):
    """What the program's decisions give as the reason of an unknown, where the catalogue says which it is."""
    sql.execute(
        """CREATE OR REPLACE TEMP TABLE pair AS
           SELECT a.sid, e.name, e.code AS r, d.unknown[e.name] AS p
           FROM asked a JOIN reason e USING (sid)
           JOIN read_json(?, columns = {customer: 'VARCHAR', unknown: 'MAP(VARCHAR, VARCHAR)'}) d USING (customer)
           WHERE a.run = ? AND list_contains(?, e.name)""",
        [str(run.decisions), run.name, names],
    )
    verdict.reasons += one(sql, "SELECT count(*) FROM pair")[0]
    counts = sql.execute("SELECT name, count(*) FROM pair WHERE r IS DISTINCT FROM p GROUP BY name").fetchall()
    for name, count in counts:
        note(sql, verdict, run, f"why({name})", count, f"name = '{name}' AND r IS DISTINCT FROM p", "r", "p")


def differs(name, kind):
    """When the referee's and the program's value of a metric are not the same."""
    mine, other = f'r."{name}"', f'p."{name}"'
    if kind != "DOUBLE":
        return f"{mine} IS DISTINCT FROM {other}"
    near = f"abs({mine} - {other}) <= {TOLERANCE} * greatest(abs({mine}), abs({other}))"
    return f"({mine} IS NULL) != ({other} IS NULL) OR NOT coalesce({near}, TRUE)"


def note(sql, verdict, run, name, count, condition, mine, other):
    verdict.differ[name] = verdict.differ.get(name, 0) + count
    examples = verdict.examples.setdefault(name, [])
    if len(examples) < 3:
        row = one(sql, f"SELECT sid, ({mine})::VARCHAR, ({other})::VARCHAR FROM pair WHERE {condition} ORDER BY sid "
                       f"LIMIT 1")
        examples.append(f"{run.name}, {row[0]}: referee {row[1]}, program {row[2]} ({count} in this run)")


if __name__ == "__main__":
    sys.exit(main())
