//! The cases collected beside the project (../shared/cases): the program runs each in place and must give its right
//! value or a refusal in words. Each kind also has its own tests with its own data; this file runs the original
//! examples. Skipped if the cases are missing.

mod exports;
mod names_and_parts;
mod third_hunt;

use std::fs;
use std::path::{Path, PathBuf};

use crate::fixtures::desk::Desk;

/// The folder of cases, if it is there.
fn folder() -> Option<PathBuf> {
    let cases = match std::env::var_os("LENDWRIGHT_DATA") {
        Some(data) => PathBuf::from(data).join("../cases"),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases"),
    };
    if cases.is_dir() {
        return Some(cases);
    }
    println!("skipped: no cases at {} (set LENDWRIGHT_DATA to the data beside them)", cases.display());
    None
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target)
        } else {
            drop(fs::copy(entry.path(), target))
        }
    }
}

/// A copy of a case, where the program runs beside the rule files that ship.
fn desk(case: &Path) -> Desk {
    let desk = Desk::new();
    copy(case, desk.path());
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("rules"), &desk.path().join("rules"));
    desk
}

/// A command in a case, and a text that its output must contain; with `!`, must not contain.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) command: &'static str,
    pub(crate) prints: &'static [&'static str],
}

pub(crate) const fn right(command: &'static str, prints: &'static [&'static str]) -> Run {
    Run { status: 0, command, prints }
}

pub(crate) const fn refused(command: &'static str, prints: &'static [&'static str]) -> Run {
    Run { status: 1, command, prints }
}

pub(crate) fn hold(case: &str, prepare: impl FnOnce(&Desk), runs: &[Run]) {
    let Some(cases) = folder() else { return };
    let desk = desk(&cases.join(case));
    prepare(&desk);
    let mut wrong = String::new();
    for run in runs {
        let words: Vec<String> = run.command.split(' ').map(|word| word.replace('%', " ")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut said = desk.run(&words);
        if words[0] == "batch" && said.status != 1 {
            for file in ["metrics.ndjson", "failures.ndjson"] {
                said.out.push_str(&desk.read(&format!("out/{file}")));
            }
            fs::remove_dir_all(desk.path().join("out")).unwrap();
        }
        let all = format!("{}{}", said.out, said.err);
        let missing = run.prints.iter().filter(|text| match text.strip_prefix('!') {
            Some(unwanted) => all.contains(unwanted),
            None => !all.contains(**text),
        });
        let missing: Vec<_> = missing.collect();
        if said.status != run.status || !missing.is_empty() {
            wrong.push_str(&format!("$ {}\n{all}status {}, not as wanted: {missing:?}\n\n", run.command, said.status));
        }
    }
    assert!(wrong.is_empty(), "{case}\n{wrong}");
}

pub(crate) fn as_they_are(_: &Desk) {}

/// The case's policies use the lists that ship.
fn word_lists_beside(desk: &Desk) {
    for file in ["words.toml", "metrics.toml"] {
        desk.write(file, &desk.read(&format!("rules/{file}")));
    }
}

#[test]
fn a_name_that_the_data_do_not_have() {
    let correct = |desk: &Desk| {
        desk.write(
            "currency.toml",
            "[columns]\ncustomer=\"acct\"\ntrans_date=\"date\"\ncredit=\"in\"\ndebit=\"out\"\ncurrency=\"curr\"\n",
        );
    };
    hold(
        "01-ndjson-misspelt-column",
        correct,
        &[
            refused("metrics --policy pol.toml --columns c.toml t.ndjson", &["`outt`", "did you mean `out`?"]),
            refused("metrics --policy pol.toml --columns c.toml t.csv", &["`outt`", "did you mean `out`?"]),
            refused("decide --policy pol.toml --columns c.toml t.ndjson", &["`outt`"]),
            refused("metrics --policy pol.toml --columns currency.toml t.ndjson", &["`curr`"]),
            right("metrics --policy pol.toml --columns ok.toml t.ndjson", &["\"outflow\":30000,"]),
        ],
    );
}

#[test]
fn archives_have_the_rules_of_folders() {
    hold(
        "02-archive-takes-hidden-folders",
        as_they_are,
        &[
            right("batch --policy pol.toml --write metrics --out out in", &["\"inflow\":33700,"]),
            right("batch --policy pol.toml --write metrics --out out t.tar", &["\"inflow\":33700,"]),
            right("batch --policy pol.toml --write metrics --out out t.zip", &["\"inflow\":33700,"]),
            Run {
                status: 3,
                command: "batch --policy pol.toml --write metrics --out out delta",
                prints: &["Delta", "!inflow"],
            },
            Run {
                status: 3,
                command: "batch --policy pol.toml --write metrics --out out delta.zip",
                prints: &["Delta", "!inflow"],
            },
        ],
    );
    hold(
        "04-tar-concatenated",
        as_they_are,
        &[
            right("batch --policy pol.toml --write metrics --out out t.tar", &["\"n\":2,\"inflow\":33800,"]),
            right("batch --policy pol.toml --write metrics --out out t.tar.gz", &["\"n\":2,\"inflow\":33800,"]),
        ],
    );
}

#[test]
fn the_order_of_a_day_where_a_row_is_missing() {
    hold(
        "06-balance-order-where-a-row-lacks",
        as_they_are,
        &[
            right(
                "metrics --policy rules/starter.toml --columns c.toml full.csv",
                &["\"eod_balance_mean\":4183.333333333333,"],
            ),
            right(
                "metrics --policy rules/starter.toml --columns c.toml gap.csv",
                &["\"eod_balance_mean\":4183.333333333333,", "gap.csv"],
            ),
        ],
    );
}

#[test]
fn signs_and_sides() {
    hold(
        "08-swap-sides-turns-debits-into-credits",
        as_they_are,
        &[
            refused(
                "metrics --policy pol.toml --columns split.toml split.csv",
                &["`out`", "\"same_side\" if this bank writes its debits with a minus"],
            ),
            refused("metrics --policy swap.toml --columns split.toml split.csv", &["balance"]),
            refused(
                "metrics --policy pol.toml --columns typed.toml typed.csv",
                &["`amount`", "\"same_side\" if this bank writes its debits with a minus"],
            ),
            refused("metrics --policy swap.toml --columns typed.toml typed.csv", &["swap_sides"]),
        ],
    );
}

#[test]
fn a_currency_that_is_not_the_policys() {
    for currency in ["XAU", "BTC", "$", "US Dollar", "GHC", "USD"] {
        let rows = format!("acct,date,amount,cur\nK1,2026-03-02,337.00,NGN\nK1,2026-03-03,2.50,{currency}\n");
        hold(
            "09-currency-that-is-no-code",
            |desk| desk.write("t.csv", &rows),
            &[refused("metrics --policy pol.toml --columns c.toml t.csv", &["row 2, column `cur`"])],
        );
    }
    let record = "[{\"id\":\"1\",\"trans_date\":\"2026-03-02\",\"credit\":2.5,\"currency\":\"XAU\"}]";
    hold(
        "09-currency-that-is-no-code",
        |desk| desk.write("s.json", record),
        &[refused("metrics --policy pol.toml s.json", &["the currency is neither NGN nor 566"])],
    );
}

#[test]
fn decimal_of_dmn_rounds_half_even() {
    let cases = [
        ("cents", "0.125", "0.12"),
        ("cents", "1.005", "1.0"),
        ("cents", "0.375", "0.38"),
        ("cents", "-0.125", "-0.12"),
        ("whole", "2.5", "2.0"),
        ("whole", "-2.5", "-2.0"),
        ("whole", "-0.5", "0.0"),
        ("whole", "-4.5", "-4.0"),
    ];
    for (model, number, wanted) in cases {
        let Some(cases) = folder() else { return };
        let desk = desk(&cases.join("10-dmn-decimal-half-even"));
        import(&desk, model, &format!("{{\"n\":{number}}}"));
        let said = desk.run(&["decide", "--policy", &format!("{model}.toml"), "--request", "r.json", "s.json"]);
        assert!(said.out.contains(&format!("\"res\":{wanted}")), "decimal({number}): {said:?}");
    }
}

#[test]
fn models_of_dmn() {
    hold(
        "11-dmn-empty-text",
        as_they_are,
        &[right("import dmn m.dmn --out m.toml --force", &[]), right("check m.toml", &["ok"])],
    );
    hold(
        "12-dmn-of-camunda-modeler",
        as_they_are,
        &[
            right("import dmn no-input-data.dmn --out a.toml", &[]),
            right("import dmn integer.dmn --out b.toml", &[]),
            right("import dmn types.dmn --out c.toml", &[]),
            right("check a.toml b.toml c.toml", &["a.toml: ok", "b.toml: ok", "c.toml: ok"]),
        ],
    );
    hold(
        "26-dmn-collect-sum-of-nothing",
        |desk| import(desk, "m", "{\"n\":2}"),
        &[right("decide --policy m.toml --request r.json s.json", &["\"fee\":null"])],
    );
}

#[test]
fn pay_twice_a_month_and_every_four_weeks() {
    hold(
        "13-pay-twice-a-month-and-every-four-weeks",
        as_they_are,
        &[
            right(
                "metrics --policy streams.toml semimonthly.csv",
                &["\"records\":24,\"month\":20000000,", "\"next\":\"2026-09-15\""],
            ),
            right(
                "metrics --policy streams.toml semimonthly-60-40.csv",
                &["\"records\":24,\"month\":20000000,", "\"next\":\"2026-09-15\""],
            ),
            right(
                "metrics --policy streams.toml fourweekly.csv",
                &["\"records\":13,\"month\":21666667,", "\"next\":\"2026-09-04\""],
            ),
        ],
    );
}

#[test]
fn a_balance_brought_forward_is_no_income() {
    for words in ["OPENING BALANCE", "BALANCE B/F", "BROUGHT FORWARD"] {
        let rows = format!(
            "acct,date,cr,db,bal,desc\nK1,2026-03-01,50000.00,,50000.00,{words}\nK1,2026-03-02,100.00,,50100.00,GIFT\n"
        );
        hold(
            "14-opening-balance-counts-as-income",
            |desk| desk.write("t.csv", &rows),
            &[right(
                "metrics --policy rules/starter.toml --columns c.toml t.csv",
                &["\"credit_total\":10000,", "\"income_total\":10000,"],
            )],
        );
    }
}

#[test]
fn a_cell_with_a_decimal_comma_is_refused() {
    hold(
        "15-cell-with-decimal-comma",
        as_they_are,
        &[refused("check p.toml", &["0,30", "0.30"]), refused("check q.toml", &["100,000"])],
    );
}

#[test]
fn names_of_customers() {
    hold(
        "21-customer-names",
        as_they_are,
        &[
            Run {
                status: 3,
                command: "batch --policy pol.toml --columns c.toml --write metrics --out out jan.csv feb.csv",
                prints: &["decimal point", "!\"inflow\""],
            },
            right(
                "metrics --policy pol.toml --columns c.toml spaces.csv",
                &["\"customer\":\"K1\",", "\"n\":2,\"inflow\":33700,\"outflow\":30000,", "!K1  "],
            ),
            refused("metrics --policy pol.toml --columns null.toml null.csv", &["missing value"]),
            right("metrics --policy pol.toml float.parquet", &["\"customer\":\"1001\""]),
            refused("metrics --policy pol.toml exponent.csv", &["exponent"]),
        ],
    );
    hold(
        "43-customer-kinds",
        |desk| desk.write("pol.toml", POLICY),
        &[
            right("metrics --policy pol.toml dec.parquet", &["\"customer\":\"17\""]),
            right("metrics --policy pol.toml float.parquet", &["\"customer\":\"17\""]),
            right("metrics --policy pol.toml int.parquet", &["\"customer\":\"17\""]),
            right("metrics --policy pol.toml text.parquet", &["\"customer\":\"17\""]),
        ],
    );
}

#[test]
fn files_passed_over_empty_and_twice() {
    hold(
        "22-files-passed-over",
        as_they_are,
        &[
            Run {
                status: 3,
                command: "batch --policy pol.toml --write metrics --out out in",
                prints: &["feb.csv.bz2", "mar.csv.xz", "may.txt"],
            },
            right("batch --policy pol.toml --write metrics --out out noext", &["\"n\":2,\"inflow\":35037,"]),
        ],
    );
    hold(
        "23-empty-part-file",
        as_they_are,
        &[
            Run {
                status: 3,
                command: "batch --policy pol.toml --write metrics --out out csv",
                prints: &["part-1.csv", "\"inflow\""],
            },
            Run {
                status: 3,
                command: "batch --policy pol.toml --write metrics --out out ndjson",
                prints: &["part-1.ndjson", "\"inflow\""],
            },
        ],
    );
    hold(
        "24-same-file-twice",
        as_they_are,
        &[
            right("batch --policy pol.toml --write metrics --out out in", &["\"inflow\":33700,", "!67400"]),
            right("metrics --policy pol.toml --merge in/statement.csv in/statement%(1).csv", &["\"inflow\":33700,"]),
            right(
                "metrics --policy pol.toml in/statement.csv in/statement%(1).csv",
                &["\"inflow\":33700,", "the same content as"],
            ),
        ],
    );
}

#[test]
fn counterparties_that_many_names_share() {
    hold(
        "30-counterparty-by-lists",
        word_lists_beside,
        &[
            right("metrics --policy c1_counterparty_words.toml c1.json", &["\"payers\":3,"]),
            right("metrics --policy c1_counterparty_as.toml c1.json", &["\"payers\":3,"]),
            right("metrics --policy c1_counterparty_no_words.toml c1.json", &["\"payers\":"]),
        ],
    );
    hold(
        "31-narrations",
        word_lists_beside,
        &[right("metrics --policy rules/starter.toml c2.json", &["\"income_total\":11000000,"])],
    );
}

#[test]
fn a_statement_that_ended_long_ago() {
    hold(
        "33-who-gets-an-offer",
        as_they_are,
        &[
            right("decide --policy rules/starter.toml ended-in-2021.json", &["!\"outcome\":\"offer\"", "needs_as_of"]),
            right(
                "decide --policy rules/starter.toml --as-of 2026-11-01 ended-in-2021.json",
                &["!\"outcome\":\"offer\""],
            ),
        ],
    );
}

#[test]
fn who_gets_no_offer_and_no_grade_a() {
    hold(
        "33-who-gets-an-offer",
        as_they_are,
        &[
            // A salary and no business.
            right(
                "decide --policy rules/small-business.toml --as-of 2026-11-01 statement-000016.json",
                &["\"outcome\":\"decline\"", "\"id\":\"B1\"", "\"offers\":[]"],
            ),
            // More than half was won.
            right(
                "decide --policy rules/small-business.toml --as-of 2026-11-01 statement-000088.json",
                &["\"outcome\":\"decline\"", "\"id\":\"R06\"", "\"offers\":[]"],
            ),
            // Three quarters are gifts, and more goes out than comes in.
            right(
                "decide --policy rules/starter.toml --as-of 2026-11-01 statement-000023.json",
                &["\"outcome\":\"decline\"", "\"offers\":[]", "!\"grade\":\"A\""],
            ),
            // A fifth was truly won.
            right(
                "decide --policy rules/starter.toml --as-of 2026-11-01 statement-000015.json",
                &["\"outcome\":\"refer\"", "\"id\":\"R07\"", "!\"grade\":\"A\""],
            ),
        ],
    );
    hold(
        "32-payers-and-rails",
        as_they_are,
        &[
            right(
                "explain --policy rules/small-business.toml --as-of 2026-06-30 shop.json",
                &["top_sales_payer_share = unknown", "UNKNOWN (pass) R19", "!shows no business"],
            ),
            right(
                "explain --policy rules/small-business.toml --as-of 2026-06-30 moniepoint.json",
                &["top_sales_payer_share = unknown", "UNKNOWN (pass) R19", "!shows no business"],
            ),
        ],
    );
}

#[test]
fn parquet_and_lakes() {
    let policy = |desk: &Desk| desk.write("pol.toml", POLICY);
    hold(
        "40-narrations-not-read",
        as_they_are,
        &[
            right(
                "metrics --policy rules/starter.toml pa_struct_notes.parquet",
                &["\"win_share\":0.4614130725241836,"],
            ),
            right("metrics --policy rules/starter.toml pandas_flat.csv", &["\"win_share\":0.4614130725241836,"]),
        ],
    );
    hold(
        "41-parquet-checksums",
        policy,
        &[
            right("metrics --policy pol.toml crc.parquet", &["\"inflow\""]),
            refused("metrics --policy pol.toml changed1.parquet", &["checksum"]),
        ],
    );
    hold(
        "42-delta",
        policy,
        &[refused("batch --policy pol.toml --write metrics --out out delta", &["Delta", "!\"inflow\""])],
    );
}

const POLICY: &str = "[policy]\nname = \"small\"\nversion = \"1\"\ncurrency = \"566\"\nstatement_unit = \"major\"\n\
    time_zone = \"Africa/Lagos\"\n[metric]\nn = \"COUNT(*)\"\ninflow = \"SUM(credit)\"\n\
    [[offer]]\nid = \"o\"\ntenure = 30\namount = \"1000\"\ninterest = 1\n";

const RECORD: &str = "[{\"id\":\"1\",\"trans_date\":\"2026-03-02\",\"credit\":5}]";

const OFFER: &str = "\n[[offer]]\nid=\"o\"\ntenure=30\namount=\"1000\"\ninterest=1\n";

/// Imports a model, and makes a policy of it that decides.
fn import(desk: &Desk, model: &str, request: &str) {
    let said = desk.run(&["import", "dmn", &format!("{model}.dmn"), "--out", &format!("{model}.toml"), "--force"]);
    assert_eq!(said.status, 0, "{said:?}");
    let policy = desk.read(&format!("{model}.toml"));
    desk.write(&format!("{model}.toml"), &format!("{policy}{OFFER}"));
    desk.write("r.json", request);
    desk.write("s.json", RECORD);
}
