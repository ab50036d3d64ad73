//! Sheets that do not fit the table: each mistake with its cell and what to do, and nothing is written.

use super::Office;

type Slip = (&'static str, &'static str, &'static str, &'static str);

/// A name, the table, a text of the export, and what stands there instead.
const SLIPS: [Slip; 37] = [
    ("another table", "care", "table.care", "table.grade"),
    ("no table", "grade", "table.grade,score", "Grades,score"),
    ("a column renamed", "grade", "grade,rate,cap", "grade,interest,cap"),
    ("columns in another order", "grade", "grade,rate,cap", "rate,grade,cap"),
    ("a column missing", "grade", "cap,comment", ",comment"),
    ("a column more", "grade", "cap,comment", "cap,comment,remarks"),
    ("another unit", "grade", "\"money, NGN\"", "thousands"),
    ("an empty condition", "grade", "0.10..0.50", ""),
    ("an empty output", "grade", "250000", ""),
    ("a formula's error", "grade", "250000", "#REF!"),
    ("a decimal comma", "grade", "5.5,", "\"5,5\","),
    ("commas between thousands", "grade", "250000", "\"250,000\""),
    ("points between thousands", "grade", "250000", "250.000"),
    ("a percentage", "grade", "5.5,", "5.5 %,"),
    ("no number", "grade", "5.5,", "about five,"),
    ("a decimal comma in a condition", "grade", "0.10..0.50", "\">= 0,10\""),
    ("a percentage in a condition", "grade", "0.10..0.50", ">= 10%"),
    ("a long dash", "grade", "2,>= 340,-,-", "2,>= 340,–,-"),
    ("a quote that a spreadsheet dropped", "grade", "'private, ltd', public", "private, ltd'"),
    ("a value that is none", "grade", ",C,$rate_c", ",D,$rate_c"),
    ("an unknown parameter", "grade", "$rate_c", "$rate_d"),
    ("an expression with a mistake", "grade", "= round_down(0.5 * income)", "= round_down(0.5 * incom)"),
    ("an empty range", "grade", "0.10..0.50", "0.50..0.10"),
    ("a condition for otherwise", "grade", "otherwise,,", "otherwise,>= 3,"),
    ("a row below otherwise", "grade", "otherwise,,,,,C,9,0,nobody", "otherwise,,,,,C,9,0,nobody\n4,-,-,-,-,C,1,1,"),
    (
        "a row below an empty one",
        "grade",
        "otherwise,,,,,C,9,0,nobody",
        "otherwise,,,,,C,9,0,nobody\n,,,,,,,,\n,,,,,,,250000,Total",
    ),
    ("a word for the number", "grade", "2,>= 340", "Total,>= 340"),
    ("a line break", "grade", "$rate_c", "\"$rate\n_c\""),
    ("overlapping rows", "care", ">= 2026-01-31", "-"),
    ("no truth", "care", "02,false", "02,no"),
    ("no date", "care", "2026-12-31", "31.12.2026"),
    ("a comment for a file of rows", "region", "south,2000,", "south,2000,far away"),
    ("an item that is not there", "score", "3,request.age", "3,request.ages"),
    ("a weight", "score", "count,0.5,,,-", "count,0.6,,,-"),
    (
        "an item without bins",
        "score",
        "5,\"COALESCE(request.confirmed, FALSE)\",true or false,,,,true,20,\n\
         6,\"COALESCE(request.confirmed, FALSE)\",true or false,,,,false,0,\n",
        "",
    ),
    ("points that are none", "score", ">= 100000,50", ">= 100000,many"),
    ("otherwise of a scorecard", "score", "6,\"COALESCE", "otherwise,\"COALESCE"),
];

#[test]
fn what_does_not_fit_is_refused_at_its_cell() {
    let office = Office::new();
    let (rules, rows) = (office.read("loan.toml"), office.read("region.csv"));
    let mut shown = String::new();
    for (name, table, old, new) in SLIPS {
        let text = office.exported(table).join("\n") + "\n";
        assert!(text.contains(old), "{name}: {old} is not in\n{text}");
        let lines: Vec<String> = text.replacen(old, new, 1).lines().map(str::to_owned).collect();
        let printed = office.import(table, &lines);
        assert!(!printed.succeeded, "{name}: {}", printed.text);
        assert_eq!((office.read("loan.toml"), office.read("region.csv")), (rules.clone(), rows.clone()), "{name}");
        let last = "error: nothing was imported; `loan.toml` is as it was\n";
        let text = printed.text.strip_suffix(last).unwrap_or_else(|| panic!("{name}: {}", printed.text));
        shown += &format!("# {name}\n{text}\n");
    }
    insta::assert_snapshot!("refused", shown);
}

#[test]
fn a_file_that_is_no_sheet_is_refused() {
    let office = Office::new();
    office.write("empty.csv", "");
    office.write("semicolons.csv", "table.grade;score\n1;2\n");
    office.write("open.csv", "table.grade,\"score\n");
    std::fs::write(office.path("latin.csv"), b"table.grade,score\n1,\xe9\n").unwrap();
    office.write("text.xlsx", "table.grade,score\n");
    let mut shown = String::new();
    for file in ["empty.csv", "semicolons.csv", "open.csv", "latin.csv", "text.xlsx", "none.csv"] {
        let printed = office.run(&["import", "loan.toml", "grade", file]);
        assert!(!printed.succeeded);
        shown += &printed.text;
    }
    insta::assert_snapshot!("no_sheet", shown);
}
