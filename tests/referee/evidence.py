"""What the program tells of parties and streams, by `lendwright explain` over evidence.toml, as rows that the SQL can
join."""

import csv
import json

# Records of which each is so.
OF_RECORD = ["given_somebody", "given_legal_form", "given_repeat", "given_broken_name", "given_oneself"]
# Of each stream one value.
OF_STREAM = ["given_credit", "given_monthly", "given_often", "given_live", "given_missed", "given_month_amount",
    "given_amount",
    "given_regularity", "given_next_date"]


def load(sql, run, told, path):
    """Puts what explanations tell, one a line, beside the statements of a run."""
    with path.open("w", newline="") as out:
        write = csv.writer(out)
        write.writerow(["customer", "what", "nth", "party", "value", "id"])
        for line in told.splitlines():
            of_statement(json.loads(line), write)
    sql.execute(
        """INSERT INTO given
           SELECT ? || ' ' || customer, what, nth, party, value, id
           FROM read_csv(?, header = true, all_varchar = false,
                         types = {customer: 'VARCHAR', what: 'VARCHAR', nth: 'INTEGER', party: 'VARCHAR',
                                  value: 'VARCHAR', id: 'VARCHAR'})""",
        [run, str(path)],
    )


def of_statement(explained, write):
    customer = explained["customer"]
    ids = {record["row"]: record["id"] for record in explained["records"]}
    numbers = {number["name"]: number for number in explained["numbers"]}
    groups = {name: grouped(number) for name, number in numbers.items()}
    write.writerow([customer, "given", None, None, None, None])
    for what in ("given_party", "given_stream"):
        for nth, group in enumerate(groups[what]):
            for row in group["rows"]:
                write.writerow([customer, what, nth, group["name"], None, ids[row]])
    for what in OF_RECORD:
        for row in rows(numbers[what]):
            write.writerow([customer, what, None, None, None, ids[row]])
    streams = [group["name"] for group in groups["given_stream"]]
    for what in OF_STREAM:
        if [group["name"] for group in groups[what]] != streams:
            raise ValueError(f"{customer}: {what} does not have a value of every stream")
        for nth, group in enumerate(groups[what]):
            write.writerow([customer, what, nth, group["name"], group["counts"]["value"], None])


def rows(number):
    """The rows of the records that a number counts."""
    return [record["row"] for counted in number["counted"] or [] for record in counted["records"]]


def grouped(number):
    """The groups that a number counts; none where there is no record."""
    counted = number.get("counted") or [{}]
    return counted[0].get("groups", {}).get("groups", [])
