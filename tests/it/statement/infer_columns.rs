//! `columns`: exports of many makes get the columns file that reads them right, or a question. None is read wrong where
//! the command claims to be sure.
//!
//! The exports are invented after public descriptions of banks' layouts: preambles, footers, delimiters, encodings,
//! notations. `expected.csv` has the records that each was written from, in the order of its rows.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use lendwright::base::date::Zone;
use lendwright::base::money::Currency;
use lendwright::statement::{Columns, Reading};

/// The share of exports that must need no answer and no edit: 36 of 40.
const READY: (usize, usize) = (36, 40);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/columns")
}

fn export(name: &str) -> PathBuf {
    folder().join("exports").join(format!("{name}.csv"))
}

/// Runs the command. The day is fixed, because a day in the future is evidence.
fn columns(args: &[&str]) -> Output {
    let binary = env!("CARGO_BIN_EXE_lendwright");
    Command::new(binary).args(["columns", "--as-of", "2026-11-30"]).args(args).output().unwrap()
}

/// A record: day, credit, debit and balance in minor units, narration.
type Record = (String, i64, i64, Option<i64>, String);

struct Expected {
    /// Empty; `edit` if the layout cannot be declared; `ask` and the options that answer the question.
    flag: String,
    records: Vec<Record>,
}

fn expected() -> BTreeMap<String, Expected> {
    let mut exports: BTreeMap<String, Expected> = BTreeMap::new();
    let mut rows = csv::Reader::from_path(folder().join("expected.csv")).unwrap();
    for row in rows.records().map(Result::unwrap) {
        let minor = |text: &str| text.replace('.', "").parse::<i64>().ok();
        let record =
            (row[2].to_owned(), minor(&row[3]).unwrap(), minor(&row[4]).unwrap(), minor(&row[5]), row[6].to_owned());
        let export = exports
            .entry(row[0].to_owned())
            .or_insert_with(|| Expected { flag: row[1].to_owned(), records: Vec::new() });
        export.records.push(record);
    }
    exports
}

/// The records of an export, read with a columns file; sorted, because the frame has an order of its own.
fn read(path: &Path, columns: &str) -> Result<Vec<Record>, String> {
    let columns = Columns::parse(columns).map_err(|error| error.to_string())?;
    let code = if columns_name_currency(path) { currency(path) } else { "NGN".to_owned() };
    let currency = Currency::from_alphabetic(&code).unwrap();
    let reading = Reading::new(currency, Zone::parse("UTC").unwrap());
    let statements = lendwright::files::read_statements(path, &reading, Some(&columns)).map_err(|e| e.to_string())?;
    let frame = statements.frame();
    let amounts = |name: &str| frame.column(name).unwrap().i64().unwrap().clone();
    let (credit, debit, balance) = (amounts("credit"), amounts("debit"), amounts("balance"));
    let days = frame.column("trans_date").unwrap().date().unwrap().clone();
    let texts = frame.column("desc").unwrap().cast(&polars::prelude::DataType::String).unwrap();
    let texts = texts.str().unwrap().clone();
    let record = |row: usize| {
        let day = lendwright::Day::from_days(days.physical().get(row).unwrap());
        let narration = texts.get(row).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        (day.to_string(), credit.get(row).unwrap_or(0), debit.get(row).unwrap_or(0), balance.get(row), narration)
    };
    Ok((0..frame.height()).map(record).collect())
}

fn columns_name_currency(path: &Path) -> bool {
    !currency(path).is_empty()
}

/// The currency that the rows of an export name.
fn currency(path: &Path) -> String {
    // Without the zeros of UTF-16.
    let text = String::from_utf8_lossy(&fs::read(path).unwrap()).replace('\0', "");
    let last = text.lines().rev().find(|line| line.len() > 20).unwrap_or_default().to_ascii_uppercase();
    let codes = ["GBP", "EUR", "USD", "SEK", "CZK"];
    codes.into_iter().find(|code| last.contains(code)).unwrap_or_default().to_owned()
}

fn sorted(mut records: Vec<Record>) -> Vec<Record> {
    records.sort();
    records
}

/// What the command wrote for an export, or what it said.
fn drafted(name: &str, answers: &[&str]) -> Result<String, String> {
    drafted_at(&export(name), answers)
}

fn drafted_at(path: &Path, answers: &[&str]) -> Result<String, String> {
    let output = columns(&[&[path.to_str().unwrap()], answers].concat());
    match output.status.code() {
        Some(0) => Ok(String::from_utf8(output.stdout).unwrap()),
        status => {
            let written = (status, output.stdout.len());
            assert_eq!(written, (Some(1), 0), "{}: nothing is written where it is doubtful", path.display());
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }
}

#[test]
fn exports_of_many_makes_are_read_right_or_asked_about() {
    let exports = expected();
    let (mut ready, mut wrong) = (0, Vec::new());
    for (name, expected) in &exports {
        match drafted(name, &[]) {
            Ok(columns) => match read(&export(name), &columns) {
                Ok(records) if sorted(records.clone()) == sorted(expected.records.clone()) => ready += 1,
                Ok(records) => {
                    let (read, wanted) = (sorted(records), sorted(expected.records.clone()));
                    let differs = read.iter().zip(&wanted).find(|(read, wanted)| read != wanted);
                    wrong.push(format!("{name}: {} records of {}, {differs:?}", read.len(), wanted.len()));
                }
                Err(error) => wrong.push(format!("{name}: {error}")),
            },
            Err(said) if expected.flag.is_empty() => wrong.push(format!("{name}: {said}")),
            Err(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{} of {} exports:\n{}", wrong.len(), exports.len(), wrong.join("\n"));
    assert!(ready * READY.1 >= exports.len() * READY.0, "only {ready} of {} need no edit", exports.len());
}

#[test]
fn a_question_is_answered_by_the_option_that_it_names() {
    for (name, option, answer) in
        [("ambiguous-days", "--day-first", &["--day-first"][..]), ("stripe", "--positive", &["--positive", "credit"])]
    {
        let said = drafted(name, &[]).expect_err(name);
        assert!(said.contains("nothing is written") && said.contains(option), "{name}: {said}");
        let columns = drafted(name, answer).unwrap_or_else(|said| panic!("{name}: {said}"));
        let records = read(&export(name), &columns).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = expected().remove(name).unwrap().records;
        assert_eq!(sorted(records), sorted(expected), "{name}");
    }
}

/// Exports that an earlier version read wrong for certain: what is now said, and the options that answer it.
const DOUBTFUL: [(&str, &str, &[&str]); 37] = [
    ("books-of-the-holder.csv", "follows in 0 of 5 rows", &["--swap-sides"]),
    ("loan-account.csv", "--balance owed", &["--balance", "owed"]),
    ("balance-of-another-account.csv", "follows in 0 of 4 rows", &["--balance", "unread"]),
    ("charge-without-amount.csv", "line 4 has no amount, but its balance moved by -350.00", &[]),
    ("card-that-is-owed.csv", "whose balance is a debt", &["--positive", "debit", "--balance", "owed"]),
    ("unsigned-amounts.csv", "every amount has the same sign", &[]),
    ("day-written-once.csv", "3 lines without a date have amounts, first line 3", &[]),
    ("last-row-without-a-day.csv", "1 line has an amount but no date, first line 4", &[]),
    ("two-currencies.csv", "`Debit (USD)` and `Debit (NGN)`", &["--currency", "NGN"]),
    ("amount-in-two-currencies.csv", "--currency NGN or --currency USD", &["--currency", "USD"]),
    ("two-columns-of-amounts.csv", "`Amount` and `Transaction Amount` fit the same meaning", &[]),
    ("side-left-blank.csv", "line 2 has an amount and nothing in `DR/CR`", &[]),
    ("kinds-of-payments.csv", "which are kinds of payments", &[]),
    ("one-kind-of-payment.csv", "say --positive credit", &["--positive", "credit"]),
    ("states-nobody-knows.csv", "Queued for review, Turned down by bank (first at line 5)", &[]),
    ("blocked-section.csv", "line 5 stands between the rows and says `Blocked amounts`", &[]),
    ("balance-stops.csv", "2 of the rows, first line 5, have an amount but no balance", &[]),
    ("reversed-and-returned.csv", "line 3 is left out as `Reversed`, but line 4 gives", &[]),
    ("two-accounts.csv", "line 6 names another account", &[]),
    ("second-account-is-longer.csv", "line 2 begins another table", &[]),
    ("names-again.csv", "line 5 stands between the rows", &[]),
    ("american-digits.csv", "--month-first", &["--month-first"]),
    ("american-six-digits.csv", "--month-first", &["--month-first"]),
    ("printed-elsewhere.csv", "--day-first", &["--day-first"]),
    ("period-in-both-ways.csv", "--month-first", &["--month-first"]),
    ("grouped-by-category.csv", "--month-first", &["--month-first"]),
    ("value-dates-of-another-kind.csv", "--day-first", &[]),
    ("buddhist-years.csv", "the last day would be 2069-03-13", &[]),
    ("two-marks.csv", "`₦` (first in line 3) and `$` (first in line 2)", &[]),
    ("marked-with-a-code.csv", "the amounts are marked `USD`", &["--currency", "USD"]),
    ("three-decimals.csv", "their currency has three decimals", &[]),
    ("minor-units.json", "--unit minor", &["--unit", "minor"]),
    ("a-sheet-for-each-month.xlsx", "the sheets `January`, `February`", &["--sheet", "February"]),
    ("dated-total.csv", "reads other records than those shown", &[]),
    ("comment-between-cheques.csv", "says `# cheques begin so`", &[]),
    ("entries-of-two-words.csv", "`Payment`, `Transfer in`", &[]),
    ("future-section.csv", "says `Scheduled payments`", &[]),
];

#[test]
fn what_an_export_does_not_prove_is_said_and_asked_for() {
    let folder = folder().join("doubtful");
    let mut wrong = Vec::new();
    for (name, wanted, answers) in DOUBTFUL {
        match drafted_at(&folder.join(name), &[]) {
            Ok(columns) => wrong.push(format!("{name} is certain:\n{columns}")),
            Err(said) if !said.contains(wanted) => wrong.push(format!("{name}: no `{wanted}` in\n{said}")),
            Err(_) => {}
        }
        if !answers.is_empty() {
            match drafted_at(&folder.join(name), answers).and_then(|columns| read(&folder.join(name), &columns)) {
                Ok(records) => insta::with_settings!({ snapshot_suffix => name, prepend_module_to_snapshot => true }, {
                    let lines = sorted(records).into_iter().map(|(day, credit, debit, balance, narration)| {
                        let balance = balance.map(|balance| balance.to_string()).unwrap_or_default();
                        format!("{day} {credit} {debit} {balance} {narration}")
                    });
                    insta::assert_snapshot!("answered", lines.collect::<Vec<_>>().join("\n"));
                }),
                Err(said) => wrong.push(format!("{name} {answers:?}: {said}")),
            }
        }
    }
    let files = fs::read_dir(&folder).unwrap().count();
    assert_eq!(files, DOUBTFUL.len() + 1, "each file is listed, but the workbook that is certain");
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), DOUBTFUL.len(), wrong.join("\n\n"));
}

#[test]
fn an_answer_that_a_column_gives_already_is_refused() {
    let doubtful = |name: &str| folder().join("doubtful").join(name);
    for (path, answers, wanted) in [
        (doubtful("side-left-blank.csv"), &["--positive", "debit"][..], "`DR/CR` says it"),
        (export("ng-gtbank"), &["--positive", "credit"], "`Debits` says it"),
        (export("ng-kuda"), &["--sheet", "May"], "--sheet is for workbooks"),
        (export("ng-no-fee-yet"), &["--swap-sides"], "--swap-sides is for a column of each side"),
        (doubtful("a-sheet-for-each-month.xlsx"), &["--sheet", "May"], "the sheets are `January`, `February`"),
        (doubtful("marked-with-a-code.csv"), &["--currency", "EUR"], "--currency says EUR"),
    ] {
        let said = drafted_at(&path, answers).expect_err(wanted);
        assert!(said.contains(wanted), "{}: {said}", path.display());
    }
}

#[test]
fn a_workbook_counts_its_days_from_1904() {
    let path = folder().join("doubtful/days-from-1904.xlsx");
    let columns = drafted_at(&path, &[]).unwrap();
    assert!(columns.contains("trans_date = \"EXCEL 1904\""), "{columns}");
    let days: Vec<String> = read(&path, &columns).unwrap().into_iter().map(|record| record.0).collect();
    assert_eq!(sorted_days(days), ["2026-03-03", "2026-03-05", "2026-03-09"]);
}

#[test]
fn what_stands_around_a_list_is_no_records_own() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let records = r#"[
        {"date": "2026-03-13", "amount": 9100.50, "type": "credit", "narration": "SALARY", "balance": 9350.75},
        {"date": "2026-03-15", "amount": 420.25, "type": "debit", "narration": "POS SHOP", "balance": 8930.50}]"#;
    let around = r#""timestamp": "2026-04-02T10:00:00.000Z", "accountBalance": 8930.50,
        "accountStatus": "completed", "accountCurrency": "NGN""#;
    let columns = drafted_at(&write("answer.json", &format!("{{{around}, \"data\": {records}}}")), &[]).unwrap();
    assert!(columns.contains("trans_date = \"data[].date\""), "{columns}");
    assert!(columns.contains("balance = \"data[].balance\""), "{columns}");
    assert!(!columns.contains("accountStatus") && !columns.contains("accountBalance"), "{columns}");
    assert!(columns.contains("currency = \"accountCurrency\""), "{columns}");
    // A date within an inner list that some records lack does not hide the record's own.
    let parts =
        records.replace("\"type\": \"debit\"", "\"type\": \"debit\", \"parts\": [{\"valueDate\": \"2026-03-15\"}]");
    let columns = drafted_at(&write("parts.json", &format!("{{\"data\": {parts}}}")), &[]).unwrap();
    assert!(columns.contains("trans_date = \"data[].date\""), "{columns}");
    let dated = format!(
        "{{\"date\": \"2026-03-15\", \"data\": {}}}",
        records.replace("\"date\"", "\"n\"").replace("2026-03-", "")
    );
    let refused = drafted_at(&write("dated.json", &dated), &[]).unwrap_err();
    assert!(refused.contains("`date` stands around the list of records"), "{refused}");
    let table = "Date,Amount,Description,Balance,tags[]\n2026-03-13,9100.50,SALARY MAR,9350.75,x\n\
        2026-03-15,-420.25,POS SHOP,8930.50,y\n";
    assert!(
        drafted_at(&write("tags.csv", table), &["--positive", "credit"]).unwrap().contains("trans_date = \"Date\"")
    );
}

/// Drafts the columns of a table and reads it with them.
fn drafted_and_read(text: &str, answers: &[&str]) -> Result<Vec<Record>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    fs::write(&path, text).unwrap();
    drafted_at(&path, answers).and_then(|columns| read(&path, &columns))
}

/// Money in and money out of some records.
fn sums(records: &[Record]) -> (i64, i64) {
    (records.iter().map(|record| record.1).sum(), records.iter().map(|record| record.2).sum())
}

#[test]
fn words_of_sides_under_another_name_prove_no_side() {
    let table = |name: &str, words: [&str; 3]| {
        let [a, b, c] = words;
        format!(
            "Date,Description,Amount,{name}\n2026-03-14,POS SHOP,550.10,{a}\n2026-03-16,Salary ACME,2050.00,{b}\n\
             2026-04-14,POS CAFE,20.10,{c}\n"
        )
    };
    let others = ["Country", "Branch", "Class", "Flag", "Grade", "Initials", "State", "Location", "Account Type"];
    let others = others.iter().chain(&["Payment Method", "Funding", "Card Type", "Product"]);
    for name in others {
        // Narrations contradict the words, or say nothing: both are doubts.
        for words in [["IN"; 3], ["CR"; 3], ["D"; 3], ["Credit", "Debit", "Credit"], ["C", "D", "C"], ["H", "S", "H"]] {
            let said = drafted_and_read(&table(name, words), &[]).expect_err(name);
            assert!(said.contains("--positive"), "{name} {words:?}: {said}");
        }
        // The sign says the side, and narrations of both sides confirm it.
        let signed = table(name, ["IN"; 3]).replace(",550.10", ",-550.10").replace(",20.10", ",-20.10");
        assert_eq!(drafted_and_read(&signed, &[]).map(|records| sums(&records)), Ok((205_000, 57_020)), "{name}");
        // So do they confirm words of both sides.
        let proved = drafted_and_read(&table(name, ["D", "C", "D"]), &[]);
        assert_eq!(proved.map(|records| sums(&records)), Ok((205_000, 57_020)), "{name}");
        let answered = drafted_and_read(&table(name, ["IN"; 3]), &["--positive", "debit"]);
        assert_eq!(answered.map(|records| sums(&records)), Ok((0, 262_020)), "{name}");
    }
    // A type of one value may be that of the card, an indicator of one value is an export of one side.
    let said = drafted_and_read(&table("Type", ["Debit"; 3]), &[]).expect_err("a type");
    assert!(said.contains("--positive"), "{said}");
    for name in ["DR/CR", "Debit Credit Indicator", "Direction"] {
        let read = drafted_and_read(&table(name, ["D", "D", "D"]), &[]);
        assert_eq!(read.map(|records| sums(&records)), Ok((0, 262_020)), "{name}");
    }
    // Balances prove what no name says.
    let balanced = "Date,Details,Text,Amount,Balance\n2026-03-01,C,a,100.00,100.00\n2026-03-02,D,b,30.00,70.00\n\
        2026-03-03,C,c,5.00,75.00\n2026-03-04,D,d,25.00,50.00\n";
    assert_eq!(drafted_and_read(balanced, &[]).map(|records| sums(&records)), Ok((10_500, 5_500)));
}

#[test]
fn a_day_or_a_status_by_its_values_alone_is_a_doubt() {
    let table = |day: &str, state: &str| {
        format!(
            "{day},Description,Amount,{state}\n2026-03-14,POS SHOP,-550.10,Pending\n2026-03-14,Salary ACME,2050.00,\
             Pending\n2026-03-14,POS CAFE,-20.10,Pending\n"
        )
    };
    let said = drafted_and_read(&table("Member since", "Note"), &[]).expect_err("a day");
    assert!(said.contains("`Member since` is the only column of days"), "{said}");
    let said = drafted_and_read(&table("Date", "KYC Status"), &[]).expect_err("a status");
    assert!(said.contains("`KYC Status` has `Pending` on every row"), "{said}");
    assert_eq!(drafted_and_read(&table("Date", "Note"), &[]).map(|read| read.len()), Ok(3));
}

#[test]
fn two_columns_of_amounts_are_the_two_sides_by_either_word_of_their_names() {
    for (debit, credit) in [
        ("Amount Debit", "Amount Credit"),
        ("Amount (Debit)", "Amount (Credit)"),
        ("Amount - Debit", "Amount - Credit"),
        ("Value Debit", "Value Credit"),
        ("Amount DR", "Amount CR"),
        ("Transaction Amount (DR)", "Transaction Amount (CR)"),
        ("Amount out", "Amount in"),
        ("Betrag Soll", "Betrag Haben"),
        ("Montant débit", "Montant crédit"),
        ("Importe Cargo", "Importe Abono"),
        ("Amount Debited", "Amount Credited"),
        ("Amount_Withdrawn", "Amount_Deposited"),
        ("Debit Amount", "Credit Amount"),
    ] {
        let text = format!(
            "Date,Text,{debit},{credit}\n2026-03-01,Pay ACME,,100.50\n2026-03-14,Shop,20.25,\n2026-03-20,Cafe,5.10,\n"
        );
        let read = drafted_and_read(&text, &[]);
        assert_eq!(read.map(|records| sums(&records)), Ok((10_050, 2_535)), "{debit}");
    }
    // No name says which is which, but neither is lost.
    for (one, other) in [("Amount", "Amount 2"), ("Amount", "Received"), ("Betrag", "Wert"), ("Credit", "Spese")] {
        let text = format!(
            "Date,Text,{one},{other}\n2026-03-01,Pay ACME,,100.50\n2026-03-14,Shop,20.25,\n2026-03-20,Cafe,5.10,\n"
        );
        for answers in [&[][..], &["--positive", "debit"]] {
            if one == "Credit" && !answers.is_empty() {
                continue;
            }
            let said = drafted_and_read(&text, answers).expect_err(one);
            assert!(said.contains("first at line 2: they may be the two sides"), "{one} {other}: {said}");
        }
    }
    // One column of both sides has a sign.
    let both = "Trans. Time,Description,Debit/Credit,Balance\n2026-03-01,Transfer from BOLA,+100.00,100.00\n\
        2026-03-02,Auto-save,-60.00,40.00\n2026-03-14,Interest earned,+25.50,65.50\n";
    assert_eq!(drafted_and_read(both, &[]).map(|records| sums(&records)), Ok((12_550, 6_000)));
}

#[test]
fn amounts_that_are_no_money_and_amounts_that_would_be_lost() {
    let table = |names: &str, rows: [&str; 3]| {
        let [a, b, c] = rows;
        format!(
            "Date,Details,{names}\n2026-03-10,POS AMAZON,{a}\n2026-03-11,Salary acme,{b}\n2026-03-12,POS CAFE,{c}\n"
        )
    };
    // A pair of sides of something else does not take the place of the amounts.
    for pair in ["Units Out,Units In", "Points Out,Points In", "Bonus Out,Bonus In"] {
        let text = table(&format!("Amount,{pair}"), ["-7650.00,12.25,", "5000.00,,3.50", "-20.10,1.75,"]);
        assert_eq!(drafted_and_read(&text, &[]).map(|records| sums(&records)), Ok((500_000, 767_010)), "{pair}");
    }
    // A third column of money.
    let text = table("Debit,Credit,Interest", ["7650.00,,", ",5000.00,", ",,120.00"]);
    let said = drafted_and_read(&text, &[]).expect_err("a third column");
    assert!(said.contains("`Interest` has an amount where `Credit` and `Debit` have none, first at line 4"), "{said}");
    let text = table("Debit,Credit,Interest", ["7650.00,,", ",5000.00,120.00", "20.10,,"]);
    assert_eq!(drafted_and_read(&text, &[]).map(|records| sums(&records)), Ok((500_000, 767_010)));
    // Sides that all narrations contradict.
    for (names, rows) in [
        ("Debit,Credit", [",7650.00", "5000.00,", ",20.10"]),
        ("Amount,Type", ["7650.00,Credit", "5000.00,Debit", "20.10,Credit"]),
    ] {
        let said = drafted_and_read(&table(names, rows), &[]).expect_err(names);
        assert!(said.contains("the sides contradict the narrations"), "{said}");
    }
}

#[test]
fn a_part_or_two_accounts_are_not_taken_for_one_statement() {
    let rows = "2026-03-10,POS AMAZON,7650.00,,92350.00\n2026-03-14,Salary acme,,5000.00,97350.00\n\
        2026-03-20,POS CAFE,20.10,,97329.90\n";
    for (below, is_part) in [
        ("Page 1 of 3", true),
        ("Page 2/3", false),
        ("Continued on next page", true),
        ("Page 3 of 3", false),
        ("Page 1 of 1", false),
    ] {
        let said = drafted_and_read(&format!("Date,Description,Debit,Credit,Balance\n{rows}{below},,,,\n"), &[]);
        match said {
            Err(said) => {
                assert!(is_part && said.contains("other pages of the statement are missing"), "{below}: {said}")
            }
            Ok(read) => assert!(!is_part && read.len() == 3, "{below}"),
        }
    }
    for name in ["Account Number", "IBAN"] {
        let text = format!(
            "{name},Date,Details,Debit,Credit\n0012345678,2026-03-10,POS AMAZON,7650.00,\n\
             0099999999,2026-03-11,Salary acme,,5000.00\n0012345678,2026-03-12,POS CAFE,20.10,\n"
        );
        let said = drafted_and_read(&text, &[]).expect_err(name);
        assert!(said.contains(&format!("`{name}` has 2 accounts, another one first at line 3")), "{said}");
    }
}

#[test]
fn the_cell_or_the_name_that_is_odd_is_named() {
    let two = "Date,Details,Debit,Credit\n20/03/2026,POS,550.10,\n21/03/2026,SALARY,,5000.00\n";
    let three = &format!("{two}22/03/2026,POS,20.10,\n");
    for (text, wanted) in [
        (three.replace(",550.10", ",550.10 ?"), "line 2, column `Debit`: `550.10 ?` is not an amount"),
        (three.replace(",5000.00", ",#N/A"), "line 3, column `Credit`: `#N/A` is not an amount"),
        (three.replace("21/03", "Mar 21").replace("Mar 21/", "Mar 21 "), "`Mar 21 2026` is written otherwise than `20"),
        (two.replace("Details", "Date"), "several columns are named `Date`"),
        (two.replace("Debit,Credit", "Amount,Amount"), "several columns are named `Amount`"),
        (
            two.replace("20/03/2026", "='20/03'").replace("21/03/2026", "x"),
            "column `Date`: `='20/03'` is not a known day",
        ),
        (
            two.replace("550.10", "XX 550.10").replace("5000.00", ""),
            "column `Debit`: `XX 550.10` is not a known amount",
        ),
        (three.replace("22/03", ",VIA GTB MOBILE,,\n22/03"), "1 line has nothing but a text"),
    ] {
        let said = drafted_and_read(&text, &[]).expect_err(wanted);
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    assert!(drafted_and_read(&three.replace("22/03", ",Page 1 of 1,,\n22/03"), &[]).is_ok());
}

#[test]
fn balances_among_the_amounts_are_no_doubt() {
    let text = "Date,Details,Debit,Credit,Balance\n31/03/2026,Closing Balance,,14429.80,14429.80\n\
        20/03/2026,POS,20.10,,14429.80\n14/03/2026,SALARY,,5000.00,14449.90\n10/03/2026,POS,550.10,,9449.90\n\
        10/03/2026,Opening Balance,,10000.00,10000.00\n";
    let read = drafted_and_read(text, &[]).expect("a columns file");
    assert_eq!((read.len(), sums(&read)), (3, (500_000, 57_020)));
}

#[test]
fn days_that_a_spreadsheet_program_turned_round_in_a_text_are_a_doubt() {
    let read = |days: [&str; 4]| {
        let [a, b, c, d] = days;
        drafted_and_read(
            &format!(
                "Date,Description,Debit,Credit\n{a},SALARY ACME,,100000.00\n{b},POS PURCHASE,550.10,\n\
                 {c},POS PURCHASE,50.10,\n{d},ATM WITHDRAWAL,5000.00,\n"
            ),
            &[],
        )
    };
    let said = read(["4/1/2026", "4/5/2026", "13/04/2026", "27/04/2026"]).expect_err("turned days");
    assert!(said.contains("`4/1/2026` without a zero, but `13/04/2026` has one"), "{said}");
    for days in [
        ["1/4/2026", "5/4/2026", "13/4/2026", "27/4/2026"],
        ["01/04/2026", "05/04/2026", "13/04/2026", "27/04/2026"],
        ["10/11/2026", "12/11/2026", "13/11/2026", "27/11/2026"],
    ] {
        let read = read(days).unwrap_or_else(|said| panic!("{days:?}: {said}"));
        assert!(read.iter().all(|record| record.0.starts_with("2026-04") || record.0.starts_with("2026-11")));
    }
}

#[test]
fn an_answer_with_more_pages_is_said_to_be_a_part() {
    let answer = |around: &str| {
        format!(
            "{{{around}\"rows\": [{{\"id\": \"a1\", \"date\": \"2026-03-14\", \"amount\": -550.10, \"text\": \"POS \
             SHOP\", \"balance\": 1449.90}}, {{\"id\": \"a2\", \"date\": \"2026-03-16\", \"amount\": 2050.00, \
             \"text\": \"SALARY\", \"balance\": 3499.90}}, {{\"id\": \"a3\", \"date\": \"2026-03-17\", \"amount\": \
             -20.10, \"text\": \"POS CAFE\", \"balance\": 3479.80}}]}}"
        )
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answer.json");
    for (around, declared, is_part) in [
        (r#""hasMore": true, "#, "next = \"hasMore\"", true),
        (r#""hasMore": false, "#, "next = \"hasMore\"", false),
        (r#""_links": {"next": {"href": "u"}}, "#, "next = \"_links.next.href\"", true),
        (r#""meta": {"total": 200}, "#, "rows = \"meta.total\"", true),
        (r#""nextCursor": null, "total": 3, "#, "rows = \"total\"", false),
    ] {
        fs::write(&path, answer(around)).unwrap();
        let output = columns(&[path.to_str().unwrap()]);
        let (text, said) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert!(text.contains(&format!("[pages]\n{declared}")), "{around}: {text}{said}");
        assert_eq!(said.contains("has more pages than this file"), is_part, "{around}: {said}");
        let read = read(&path, &text);
        match is_part {
            true => assert!(read.is_err(), "{around}"),
            false => assert_eq!(read.map(|read| read.len()), Ok(3), "{around}"),
        }
    }
}

#[test]
fn a_workbook_is_refused_where_days_are_mixed_or_formulas_have_no_value() {
    let drafted = |name: &str| drafted_at(&folder().join("refused").join(name), &[]).expect_err(name);
    let said = drafted("days-turned-round.xlsx");
    assert!(said.contains("with day and month exchanged") && said.contains("13/04/2026"), "{said}");
    let said = drafted("formulas.xlsx");
    assert!(said.contains("row 3, column `Out`: the formula was never calculated"), "{said}");
    let said = drafted("formulas.ods");
    assert!(said.contains("row 3, column `Out`: the formula was never calculated"), "{said}");
}

fn sorted_days(mut days: Vec<String>) -> Vec<String> {
    days.sort();
    days
}

#[test]
fn an_export_is_shown_as_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("gtbank.toml");
    let run = || columns(&[export("ng-gtbank").to_str().unwrap(), "--out", out.to_str().unwrap()]);
    let first = run();
    assert_eq!((first.status.code(), first.stdout.len()), (Some(0), 0));
    insta::assert_snapshot!("columns_preview", String::from_utf8(first.stderr).unwrap());
    insta::assert_snapshot!("columns_file", fs::read_to_string(&out).unwrap());
    let again = run();
    assert_eq!(again.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&again.stderr).contains("already exists"));
}

#[test]
fn exports_of_different_make_and_formats_that_need_no_columns_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name).to_str().unwrap().to_owned()
    };
    let (one, other) = (export("ng-gtbank"), export("ng-zenith"));
    let camt = write("a.xml", "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08\"></Document>");
    let qif = write("a.qif", "!Type:Bank\nD03/02/2026\nT5.00\n^\n");
    let none = write("a.csv", "a,b\nc,d\n");
    for (files, wanted) in [
        (vec![one.to_str().unwrap(), other.to_str().unwrap()], "differ in the names of the columns"),
        (vec![camt.as_str()], "needs no columns file"),
        (vec![qif.as_str()], "the order of its dates"),
        (vec![none.as_str()], "no line has a day and an amount"),
        (vec!["missing.csv"], "cannot read `missing.csv`"),
    ] {
        let output = columns(&files);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{said}");
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    assert_eq!(columns(&[]).status.code(), Some(2));
}
