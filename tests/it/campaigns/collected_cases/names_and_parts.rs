//! Cases about the customers of a file, and about files with a part of the records.

use super::{Run, as_they_are, hold, refused, right};

const fn left_out(command: &'static str, prints: &'static [&'static str]) -> Run {
    Run { status: 3, command, prints }
}

#[test]
fn one_name_in_two_spellings() {
    hold(
        "61-one-name-in-two-spellings",
        as_they_are,
        &[
            right(
                "batch --policy policy.toml --write metrics --out out nfc.csv nfd.csv one-blank.csv two-blanks.csv \
                 quote.csv curly.csv",
                &[
                    "\"customer\":\"ADA OBI\"",
                    "\"customer\":\"O'NEIL\"",
                    "\"customer\":\"\u{1ecc}LA\"",
                    "\"n\":2",
                    "!\"n\":1",
                ],
            ),
            right("metrics --policy policy.toml --customer \u{1ecc}LA nfd.csv", &["\"customer\":\"\u{1ecc}LA\""]),
            right("metrics --policy policy.toml --customer O\u{323}LA nfc.csv", &["\"customer\":\"\u{1ecc}LA\""]),
            refused("metrics --policy policy.toml --customer \u{41e}LA nfc.csv", &["letter 1 is U+1ECC", "U+041E"]),
        ],
    );
}

#[test]
fn labels_and_file_names_that_several_share() {
    hold(
        "71-label-of-the-customer-twice",
        as_they_are,
        &[
            left_out(
                "batch --policy policy.toml --columns columns.toml --write metrics --out out in/a.csv in/b.csv",
                &["`Savings`", "`0012`", "only one of them can name the customer", "!\"inflow\""],
            ),
            refused("metrics --policy policy.toml --columns columns.toml in/a.csv", &["`Savings`", "`0012`"]),
            right(
                "metrics --policy policy.toml --columns columns.toml --customer 0012 in/a.csv",
                &["\"inflow\":10000,"],
            ),
        ],
    );
    let shared: &[&str] = &["in/ada/statement.csv", "in/bola/statement.csv", "from = \"folder\"", "!\"inflow\""];
    hold(
        "72-file-names-that-two-folders-share",
        as_they_are,
        &[
            Run {
                status: 1,
                command: "batch --policy policy.toml --columns columns.toml --write metrics --out out in",
                prints: &["in/ada/statement.csv", "in/bola/statement.csv", "from = \"folder\"", "!\"inflow\""],
            },
            refused(
                "metrics --policy policy.toml --columns columns.toml in/ada/statement.csv in/bola/statement.csv",
                shared,
            ),
            refused(
                "metrics --policy policy.toml --columns columns.toml --merge in/ada/statement.csv \
                 in/bola/statement.csv",
                shared,
            ),
        ],
    );
    let folder = |desk: &crate::fixtures::desk::Desk| {
        desk.write("columns.toml", &desk.read("columns.toml").replace("file_name", "folder"));
    };
    hold(
        "72-file-names-that-two-folders-share",
        folder,
        &[
            right(
                "batch --policy policy.toml --columns columns.toml --write metrics --out out in",
                &["\"customer\":\"ada\"", "\"customer\":\"bola\"", "\"n\":2"],
            ),
            right(
                "metrics --policy policy.toml --columns columns.toml in/bola/statement.csv",
                &["\"customer\":\"bola\""],
            ),
        ],
    );
}

#[test]
fn the_first_page_of_an_answer() {
    hold(
        "55-first-page-of-an-answer",
        as_they_are,
        &[
            refused("metrics --policy policy.toml --columns plaid --customer C1 plaid.json", &["`has_more`"]),
            refused("metrics --policy policy.toml --columns mono --customer C1 mono.json", &["`meta.next`"]),
            refused("metrics --policy policy.toml --columns belvo --customer C1 belvo.json", &["`next`"]),
            refused("metrics --policy policy.toml --columns stitch --customer C1 stitch.json", &["hasNextPage"]),
            refused("metrics --policy policy.toml --columns open-banking-uk --customer C1 ob.json", &["`Links.Next`"]),
            refused(
                "metrics --policy policy.toml --columns berlin-group --customer C1 berlin.json",
                &["`transactions._links.next`"],
            ),
            refused("metrics --policy policy.toml e2.json", &["page 2 is announced"]),
        ],
    );
}

#[test]
fn an_interim_report_beside_its_statement() {
    let once: &[&str] =
        &["\"n\":2,\"inflow\":250000,\"outflow\":10000,\"last_balance\":340000", "\"balances\":\"verified\""];
    hold(
        "54-interim-report-beside-the-statement",
        as_they_are,
        &[
            right("batch --policy policy.toml --write metrics --out out a.mt940 b.mt942", once),
            right("batch --policy policy.toml --write metrics --out out b.mt942 a.mt940", once),
            right("batch --policy policy.toml --write metrics --out out camt053.xml camt052.xml", once),
            right("batch --policy policy.toml --write metrics --out out c.mt940 d.mt942", once),
            right("metrics --policy policy.toml --merge a.mt940 b.mt942", &["\"n\":2,\"inflow\":250000"]),
        ],
    );
    let other = |desk: &crate::fixtures::desk::Desk| {
        desk.write("b.mt942", &desk.read("b.mt942").replace("2500,00", "2400,00"));
    };
    hold(
        "54-interim-report-beside-the-statement",
        other,
        &[left_out(
            "batch --policy policy.toml --write metrics --out out a.mt940 b.mt942",
            &["b.mt942: line 6 is of an interim report", "a.mt940", "!\"inflow\""],
        )],
    );
}

#[test]
fn a_part_without_the_column_of_debits() {
    let unknown: &[&str] = &["\"outflow\":null", "!\"outflow\":4000"];
    hold(
        "56-part-without-the-column-of-debits",
        as_they_are,
        &[
            right("batch --policy policy.toml --write metrics --out out t", unknown),
            right("batch --policy policy.toml --write metrics --out out jan.csv feb.csv", unknown),
            right("batch --policy policy.toml --write metrics --out out feb.csv jan.csv", unknown),
            right("batch --policy policy.toml --write metrics --out out jan.csv", &["\"outflow\":4000"]),
        ],
    );
}
