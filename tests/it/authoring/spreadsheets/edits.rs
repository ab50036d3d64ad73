//! What an import changes in the rule file, and that it is what the same edit by hand would be.

use lendwright::compile;
use lendwright::diff::compare_policies;
use lendwright::editor::format::format_rule_file;
use lendwright::spreadsheets::{Grid, Sheet, import_edited_sheet, to_csv};
use proptest::prelude::*;

use super::{Office, difference};

/// Edits of the lines of an export: a name, the table, and what is done to the lines.
type Edit = (&'static str, &'static str, fn(&mut Vec<String>));

const EDITS: [Edit; 14] = [
    ("a number", "grade", |lines| replace(lines, "250000", "1275000.5")),
    ("a condition", "grade", |lines| replace(lines, "0.10..0.50", "0.10..0.45")),
    ("a comment at the end", "grade", |lines| replace(lines, "since 2025", "since 2024, says Ada")),
    ("comments above", "grade", |lines| replace(lines, "pays more.", "pays\nmuch more.")),
    ("a new comment", "grade", |lines| replace(lines, "round_down(0.5 * income),", "round_down(0.5 * income),half")),
    ("no comments", "grade", |lines| replace(lines, "\"Everyone else\npays more.\"", "")),
    ("a new row", "grade", |lines| insert(lines, ">= 345", ",>= 345,\"public, state\",-,unknown,B,4,150000,new here")),
    ("rows in another order", "grade", |lines| {
        let at = lines.iter().position(|line| line.contains("$rate_c")).unwrap();
        let row = lines.remove(at);
        lines.insert(2, row);
    }),
    ("a row less", "grade", |lines| lines.retain(|line| !line.contains("0.10..0.50"))),
    ("otherwise", "grade", |lines| replace(lines, "otherwise,,,,,C,9,0,nobody", "otherwise,,,,,B,9.5,0,somebody")),
    ("no otherwise", "grade", |lines| lines.retain(|line| !line.starts_with("otherwise"))),
    ("otherwise where there was none", "care", |lines| lines.push("otherwise,-,-,09,FALSE,2028-01-31,why not".into())),
    ("a list on one line", "care", |lines| insert(lines, "x", ",unknown,-,04,true,2028-02-29,")),
    ("bins", "score", |lines| {
        replace(lines, ">= 100000,50", ">= 100000,55.5");
        insert(lines, "x", ",income,,,,,unknown,-5,nobody knows");
    }),
];

fn replace(lines: &mut [String], old: &str, new: &str) {
    assert!(lines.iter().any(|record| record.contains(old)), "{old} is not in {lines:?}");
    for record in lines {
        *record = record.replace(old, new);
    }
}

/// Adds a row before `otherwise`, or at the end.
fn insert(lines: &mut Vec<String>, _: &str, row: &str) {
    let at = lines.iter().position(|line| line.starts_with("otherwise")).unwrap_or(lines.len());
    lines.insert(at, row.to_owned());
}

#[test]
fn an_import_changes_the_rows_and_nothing_else() {
    let mut shown = String::new();
    for (name, table, edit) in EDITS {
        let office = Office::new();
        let before = office.read("loan.toml");
        let mut lines = office.exported(table);
        edit(&mut lines);
        let printed = office.import(table, &lines);
        assert!(printed.succeeded, "{name}: {}", printed.text);
        let after = office.read("loan.toml");
        assert_eq!(format_rule_file(&after).unwrap(), after, "{name}: it is laid out as before");
        assert_eq!(office.exported(table)[2..].len(), lines[2..].len(), "{name}");
        shown += &format!("# {name}\n{}{}\n", printed.text, difference(&before, &after));
        // Everything outside of the table is as it was.
        let others = |text: &str| {
            let section = if table == "score" { "[score]".to_owned() } else { format!("[table.{table}]") };
            let start = text.find(&section).unwrap();
            let end = if table == "score" { "[table.grade]" } else { "[table.region]" };
            let end = if table == "grade" { "[table.care]" } else { end };
            (text[..start].to_owned(), text[text.find(end).unwrap()..].to_owned())
        };
        assert_eq!(others(&before), others(&after), "{name}");
        // The same file again changes nothing.
        let again = office.run(&["import", "loan.toml", table, "in.csv"]);
        assert_eq!(office.read("loan.toml"), after, "{name}: {}", again.text);
    }
    insta::assert_snapshot!("edits", shown);
}

#[test]
fn a_file_that_was_not_laid_out_keeps_its_layout_elsewhere() {
    let office = Office::new();
    let text = office.read("loan.toml").replace("min = ", "min=").replace("base = 300", "base   =   300");
    let text = text.replace('\n', "\r\n");
    office.write("loan.toml", &text);
    let mut lines = office.exported("grade");
    replace(&mut lines, "5.5", "5.75");
    assert!(office.import("grade", &lines).succeeded);
    assert_eq!(office.read("loan.toml"), text.replace("5.5, ", "5.75,"));
}

/// A policy with this table.
fn with_table(table: &str) -> String {
    format!(
        "[policy]\nname = \"p\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\n[request]\n\
         age = \"count\"\n\n{table}\n"
    )
}

#[test]
fn a_table_may_be_written_in_any_form_of_toml() {
    let inline = r#"[table]
t = { hit = "first", inputs = ["request.age"], outputs = { g = "text" }, rows = [["< 5", "A"], ['-', "B"]] }"#;
    let odd = [
        "[table.t]\nhit = \"first\"\ninputs = [\"\"\"\nrequest.age\n  + 1\"\"\"]\noutputs.g = \"text\"",
        "rows = [['< 5', 'A'], # one\n\t[\n '-' , # two\n\n'B' ]\n  # three\n  ,\n # four\n]",
    ];
    let dotted = r#"[table]
t.hit = "first"
t.inputs = ["request.age"]
t.outputs = { g = "text" }
t.rows = [
  ["< 5", "A"],
  ["-", "\u0042"]
]"#;
    let odd = odd.join("\n");
    let forms = [(inline, true), (odd.as_str(), false), (dotted, false)];
    let mut shown = String::new();
    for (table, is_inline) in forms {
        for mark in ["", "\u{feff}"] {
            let office = Office::new();
            let text = format!("{mark}{}", with_table(table));
            office.write("loan.toml", &text);
            let lines = office.exported("t");
            let printed = office.import("t", &lines);
            assert_eq!(
                (printed.text.as_str(), office.read("loan.toml")),
                ("loan.toml: table.t, no change\n", text.clone())
            );
            let mut changed = lines.clone();
            replace(&mut changed, "< 5", "< 6");
            changed.insert(3, ",unknown,C,".into());
            let printed = office.import("t", &changed);
            assert!(printed.succeeded, "{}", printed.text);
            let after = office.read("loan.toml");
            assert!(after.starts_with(&text[..text.find("[table").unwrap()]));
            shown += &format!("{}{}\n", printed.text, after.split_once("[table").unwrap().1);
            changed.push("otherwise,,D,".into());
            let printed = office.import("t", &changed);
            assert_eq!(printed.succeeded, !is_inline, "{}", printed.text);
            shown += &printed.text;
        }
    }
    insta::assert_snapshot!("forms", shown);
}

#[test]
fn rows_in_a_csv_file_are_written_there() {
    for newline in ["\n", "\r\n"] {
        let office = Office::new();
        let before = office.read("region.csv").replace('\n', newline);
        office.write("region.csv", &before);
        let rules = office.read("loan.toml");
        let mut lines = office.exported("region");
        replace(&mut lines, "2000", "2500");
        lines.insert(4, ",\"public, church\",-,\"'west, far'\",12.50,".into());
        let printed = office.import("region", &lines);
        assert_eq!(
            (printed.succeeded, printed.text.as_str()),
            (true, "loan.toml: table.region, 1 row added, 1 row changed\n")
        );
        let row = format!(">= 25,south,2500{newline}\"public, church\",-,\"'west, far'\",12.5{newline}");
        let wanted = before.replace(&format!(">= 25,south,2000{newline}"), &row);
        assert_eq!(office.read("region.csv"), wanted);
        assert_eq!(office.read("loan.toml"), rules);
    }
}

#[test]
fn a_dry_run_shows_the_difference_and_writes_nothing() {
    let office = Office::new();
    let before = office.read("loan.toml");
    let mut lines = office.exported("grade");
    replace(&mut lines, "250000", "275000");
    office.write("in.csv", &(lines.join("\n") + "\n"));
    let one = office.run(&["import", "loan.toml", "grade", "in.csv", "--dry-run"]);
    replace(&mut lines, "275000", "250000");
    replace(&mut lines, "since 2025", "since 2024");
    office.write("in.csv", &(lines.join("\n") + "\n"));
    let other = office.run(&["import", "loan.toml", "grade", "in.csv", "--dry-run"]);
    assert!(one.succeeded && other.succeeded);
    insta::assert_snapshot!("dry_run", format!("{}\n{}", one.text, other.text));
    assert_eq!(office.read("loan.toml"), before);
}

#[test]
fn a_warning_of_the_new_rows_is_shown_with_its_row() {
    let office = Office::new();
    let mut lines = office.exported("grade");
    insert(&mut lines, "", ",< 5,-,-,-,C,3,1000,");
    let printed = office.import("grade", &lines);
    assert!(printed.succeeded);
    insta::assert_snapshot!("warned", printed.text);
}

#[test]
fn a_gap_that_an_import_opens_is_shown() {
    let office = Office::new();
    let mut lines = office.exported("score");
    lines.retain(|line| !line.contains(">= 100000,50"));
    let printed = office.import("score", &lines);
    assert!(printed.succeeded, "{}", printed.text);
    assert!(printed.text.contains("warning: loan.toml, line ") && printed.text.contains("[gap]"), "{}", printed.text);
    // What was odd before is not told again.
    let mut lines = office.exported("grade");
    replace(&mut lines, "250000", "275000");
    let printed = office.import("grade", &lines);
    assert!(printed.succeeded && !printed.text.contains("[gap]"), "{}", printed.text);
}

/// A row of random cells: a condition on a score, one on an age, a grade, a rate and a cap.
fn row() -> impl Strategy<Value = [String; 5]> {
    let score = prop_oneof![
        Just("-".to_owned()),
        (0..900).prop_map(|n| format!(">= {n}")),
        (0..900).prop_map(|n| format!("< {n}"))
    ];
    let age = prop_oneof![
        Just("-".to_owned()),
        Just("unknown".to_owned()),
        (18..90_u32).prop_map(|n| n.to_string()),
        (18..50).prop_map(|n| format!("[{n}..60]"))
    ];
    let grade = prop_oneof![Just("A"), Just("B"), Just("C, the last"), Just("say \"no\"")].prop_map(str::to_owned);
    let rate = prop_oneof![
        (0..30_u32).prop_map(|n| n.to_string()),
        (0..300).prop_map(|n| format!("{}.{}", n / 10, n % 10)),
        Just("$usual".to_owned())
    ];
    let cap = (0..2_000_000_u32).prop_map(|n| n.to_string());
    (score, age, grade, rate, cap).prop_map(|(a, b, c, d, e)| [a, b, c, d, e])
}

/// What is done to the lines of a sheet, one after the other.
#[derive(Clone, Debug)]
enum Step {
    Insert(usize, [String; 5]),
    Remove(usize),
    Swap(usize, usize),
    Cell(usize, usize, [String; 5]),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..9_usize, row()).prop_map(|(at, row)| Step::Insert(at, row)),
        (0..9_usize).prop_map(Step::Remove),
        (0..9_usize, 0..9_usize).prop_map(|(one, other)| Step::Swap(one, other)),
        (0..9_usize, 0..5_usize, row()).prop_map(|(at, column, row)| Step::Cell(at, column, row)),
    ]
}

/// A policy with these rows, written by hand.
fn policy(rows: &[[String; 5]]) -> String {
    let is_bare = |text: &str| text.parse::<f64>().is_ok();
    let cell = |at: usize, text: &String| match at {
        3 | 4 if is_bare(text) => text.clone(),
        // A text with a comma is one value only in quotes, and the cell of an output takes it without them.
        _ => serde_json::to_string(text).unwrap(),
    };
    let line = |row: &[String; 5]| {
        let cells: Vec<String> = row.iter().enumerate().map(|(at, text)| cell(at, text)).collect();
        format!("  [{}],  # row\n", cells.join(", "))
    };
    let lines: String = rows.iter().map(line).collect();
    format!(
        "[policy]\nname = \"p\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\n\
         [parameters]\nusual = 4\n\n[request]\nage = \"count\"\npoints = \"number\"\n\n[table.t]\nhit = \"first\"\n\
         inputs = [\"request.points\", \"request.age\"]\n\
         outputs = {{ grade = \"text\", rate = \"number\", cap = \"money\" }}\nrows = [\n{lines}]\n"
    )
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn what_is_imported_is_what_the_same_edit_by_hand_is(
        rows in prop::collection::vec(row(), 1..7),
        steps in prop::collection::vec(step(), 0..8),
    ) {
        let compiled = |text: &str| {
            compile("p.toml", text, &mut |_| Err("none".into()), &[]).map_err(|refused| refused.to_string())
        };
        let text = policy(&rows);
        let before = compiled(&text).map_err(TestCaseError::fail)?;
        let sheet = Sheet::new(&before, "t").map_err(TestCaseError::fail)?;
        let exported = to_csv(&sheet);
        // The number of each row, and its cells.
        let mut edited: Vec<(String, [String; 5])> =
            rows.iter().enumerate().map(|(at, row)| ((at + 1).to_string(), row.clone())).collect();
        for step in steps {
            let len = edited.len();
            match step {
                Step::Insert(at, row) => edited.insert(at % (len + 1), (String::new(), row)),
                Step::Remove(at) if len > 1 => drop(edited.remove(at % len)),
                Step::Remove(_) => {}
                Step::Swap(one, other) => edited.swap(one % len, other % len),
                Step::Cell(at, column, row) => edited[at % len].1[column] = row[column].clone(),
            }
        }
        let mut lines: Vec<String> = exported.lines().take(2).map(str::to_owned).collect();
        lines.extend(edited.iter().map(|(number, row)| {
            let cells: Vec<String> = row.iter().map(|cell| quoted(cell)).collect();
            format!("{number},{},row", cells.join(","))
        }));
        let grid = Grid::from_csv(lines.join("\r\n").as_bytes()).unwrap();
        let edit = import_edited_sheet(&sheet, &grid).map_err(|wrong| TestCaseError::fail(format!("{wrong:?}")))?;
        let imported = edit.files.first().map_or(text.as_str(), |(_, text)| text);
        let by_hand: Vec<[String; 5]> = edited.iter().map(|(_, row)| row.clone()).collect();
        let one = compiled(imported).map_err(TestCaseError::fail)?;
        let other = compiled(&policy(&by_hand)).map_err(TestCaseError::fail)?;
        prop_assert_eq!(compare_policies(&one, &other), vec![], "{}", imported);
        // Every row keeps its comment.
        prop_assert_eq!(imported.matches("# row").count(), edited.len(), "{}", imported);
        // What is exported again is what was imported.
        let again = Sheet::new(&one, "t").map_err(TestCaseError::fail)?;
        let edit = import_edited_sheet(&again, &grid).map_err(|wrong| TestCaseError::fail(format!("{wrong:?}")))?;
        prop_assert!(edit.files.is_empty() && edit.summary.is_empty(), "{}\n{}", edit.summary, imported);
    }
}

/// A spreadsheet computes no cell of an export, and what was guarded is read as it was.
#[test]
fn a_formula_of_ours_is_no_formula_of_a_spreadsheet() {
    let office = Office::new();
    let rules = office.read("loan.toml").replace("'private, ltd', public", "'-a', public");
    office.write("loan.toml", &rules);
    let lines = office.exported("grade");
    let row = |what: &str| lines.iter().position(|line| line.contains(what)).expect(what);
    assert!(lines[row("round_down")].contains(",'= round_down(0.5 * income),"), "{lines:?}");
    assert!(lines[row("-a', public")].contains(",\"''-a', public\","), "{lines:?}");
    for (guarded, bare) in [("'= round_down", "= round_down"), ("''-a', public", "'-a', public")] {
        for written in [guarded, bare] {
            let lines: Vec<String> = lines.iter().map(|line| line.replace(guarded, written)).collect();
            let printed = office.import("grade", &lines);
            assert!(printed.succeeded && printed.text.contains("no change"), "{written}: {}", printed.text);
        }
    }
    let edited: Vec<String> = lines.iter().map(|line| line.replace("0.5 * income", "0.4 * income")).collect();
    let printed = office.import("grade", &edited);
    assert!(printed.succeeded, "{}", printed.text);
    let changed = difference(&rules, &office.read("loan.toml"));
    assert!(changed.contains("\"= round_down(0.4 * income)\"") && !changed.contains("\"'="), "{changed}");
    // The rows of a table in a file are rules, and rules are written as they are read.
    let fees: Vec<String> = office.exported("region").iter().map(|line| line.replace("2000", "'= 2 * 1000")).collect();
    let printed = office.import("region", &fees);
    assert!(printed.succeeded, "{}", printed.text);
    assert!(office.read("region.csv").contains("south,= 2 * 1000\n"), "{}", office.read("region.csv"));
}
