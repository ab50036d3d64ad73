//! Tables as spreadsheets: what an export holds, what an import changes, and what it refuses, at which cell.

mod edits;
mod refused;
mod workbook;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lendwright::spreadsheets::{Grid, Sheet, import_edited_sheet, to_csv};
use lendwright::{Policy, load_policy};
use tempfile::TempDir;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder with a policy that has tables of every kind.
struct Office {
    folder: TempDir,
}

/// What the program printed on both outputs, and whether it succeeded.
#[derive(Debug)]
struct Printed {
    succeeded: bool,
    text: String,
}

impl Office {
    fn new() -> Office {
        let office = Office { folder: tempfile::tempdir().unwrap() };
        for name in ["loan.toml", "region.csv"] {
            fs::copy(root().join("testdata/sheets").join(name), office.path(name)).unwrap();
        }
        office
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn run(&self, args: &[&str]) -> Printed {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
        let output = command.arg("table").args(args).current_dir(self.folder.path()).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        Printed { succeeded: output.status.success(), text }
    }

    /// Exports a table and returns its records, some of which span several lines.
    fn exported(&self, table: &str) -> Vec<String> {
        let printed = self.run(&["export", "loan.toml", table, "out.csv", "--force"]);
        assert!(printed.succeeded, "{}", printed.text);
        let mut records: Vec<String> = Vec::new();
        for line in self.read("out.csv").lines() {
            match records.last_mut().filter(|record| record.matches('"').count() % 2 == 1) {
                Some(record) => *record += &format!("\n{line}"),
                None => records.push(line.to_owned()),
            }
        }
        records
    }

    /// Imports lines of CSV.
    fn import(&self, table: &str, lines: &[String]) -> Printed {
        self.write("in.csv", &(lines.join("\n") + "\n"));
        self.run(&["import", "loan.toml", table, "in.csv"])
    }
}

/// The lines of the difference between two texts.
fn difference(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let gone = old.iter().filter(|line| !new.contains(line)).map(|line| format!("- {line}\n"));
    let come = new.iter().filter(|line| !old.contains(line)).map(|line| format!("+ {line}\n"));
    gone.chain(come).collect()
}

#[test]
fn an_export_has_a_line_for_each_row() {
    let office = Office::new();
    let all: Vec<String> = ["grade", "care", "region", "score"]
        .iter()
        .map(|table| {
            let printed = office.run(&["export", "loan.toml", table, &format!("out-{table}.csv")]);
            assert!(printed.succeeded);
            format!("{}{}", printed.text, office.read(&format!("out-{table}.csv")).replace("\r\n", "\n"))
        })
        .collect();
    insta::assert_snapshot!("exported", all.join("\n"));
}

/// Every rule file of a folder that compiles, with its tables.
fn policies(folder: &Path, found: &mut Vec<(Policy, Vec<String>)>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            policies(&path, found);
        } else if path.extension().is_some_and(|end| end == "toml")
            && let Ok(policy) = load_policy(&path, &[])
        {
            let text = fs::read_to_string(&path).unwrap();
            let sections = text.lines().filter_map(|line| line.trim().strip_prefix("[table.")?.strip_suffix(']'));
            let mut tables: Vec<String> = sections.map(str::to_owned).collect();
            tables.extend(text.contains("[[score.item]]").then(|| "score".to_owned()));
            found.push((policy, tables));
        }
    }
}

#[test]
fn an_export_that_is_imported_unedited_changes_nothing() {
    let mut found = Vec::new();
    for folder in ["rules", "testdata", "tests/it/report/explained"] {
        policies(&root().join(folder), &mut found);
    }
    let mut tables = 0;
    for (policy, names) in &found {
        for name in names {
            // A table whose file of rows has none has nothing to export.
            let sheet = match Sheet::new(policy, name) {
                Ok(sheet) => sheet,
                Err(why) => panic!("{} {name}: {why}", policy.file()),
            };
            let grid = Grid::from_csv(to_csv(&sheet).as_bytes()).unwrap();
            let edit = import_edited_sheet(&sheet, &grid)
                .unwrap_or_else(|wrong| panic!("{} {name}: {wrong:?}", policy.file()));
            assert!(edit.summary.is_empty() && edit.files.is_empty(), "{} {name}: {}", policy.file(), edit.summary);
            tables += 1;
        }
    }
    assert!(tables >= 20, "only {tables} tables");
}

#[test]
fn an_existing_file_is_kept_unless_forced_and_a_policys_own_always() {
    let office = Office::new();
    office.write("taken.csv", "mine\n");
    let printed = office.run(&["export", "loan.toml", "grade", "taken.csv"]);
    assert_eq!(
        (printed.succeeded, printed.text.as_str()),
        (false, "error: `taken.csv` already exists; give another name, or --force\n")
    );
    assert_eq!(office.read("taken.csv"), "mine\n");
    assert!(office.run(&["export", "loan.toml", "grade", "taken.csv", "--force"]).succeeded);
    let printed = office.run(&["export", "loan.toml", "region", "region.csv", "--force"]);
    assert_eq!(
        (printed.succeeded, printed.text.as_str()),
        (false, "error: `region.csv` is a file of the policy itself: give another name\n")
    );
}

#[test]
fn what_cannot_be_exported_is_named() {
    let office = Office::new();
    office.write("wrong.toml", &office.read("loan.toml").replace("income = ", "incom = "));
    let cases: [&[&str]; 5] = [
        &["export", "loan.toml", "grades", "out.csv"],
        &["export", "loan.toml", "zzz", "out.csv"],
        &["export", "wrong.toml", "grade", "out.csv"],
        &["export", "none.toml", "grade", "out.csv"],
        &["export", ".", "grade", "out.csv"],
    ];
    let printed: Vec<String> = cases
        .iter()
        .map(|args| {
            let printed = office.run(args);
            assert!(!printed.succeeded);
            printed.text.lines().last().unwrap().to_owned()
        })
        .collect();
    insta::assert_snapshot!("not_exported", printed.join("\n"));
    assert!(!office.path("out.csv").exists());
    let usage = office.run(&["export", "loan.toml", "grade", "out.ods"]);
    assert!(usage.text.contains("unknown kind of file; name it .xlsx, .csv or .pmml"), "{}", usage.text);
}

#[test]
fn a_table_of_a_used_file_is_edited_there() {
    let office = Office::new();
    let text = office.read("loan.toml");
    let (start, end) = (text.find("[table.care]").unwrap(), text.find("[table.region]").unwrap());
    office.write("care.toml", &text[start..end]);
    let rest = format!("{}{}", &text[..start], &text[end..])
        .replace("version = \"1\"", "version = \"1\"\nuse = [\"care.toml\"]");
    office.write("loan.toml", &rest);
    let lines = office.exported("care");
    let printed = office.import("care", &lines.iter().map(|line| line.replace("03", "04")).collect::<Vec<_>>());
    assert!(
        printed.succeeded && printed.text.starts_with("loan.toml: table.care, 1 row changed\n"),
        "{}",
        printed.text
    );
    // What the rest of the policy looks for in the table, no row gives any more.
    assert!(printed.text.contains("fails only where something is unknown"), "{}", printed.text);
    assert!(printed.text.contains("no row of the table gives '03' [never-said]"), "{}", printed.text);
    assert!(office.read("care.toml").contains("\"04\""));
    assert_eq!(office.read("loan.toml"), rest);
    // A file for others to use may be named itself.
    let printed = office.run(&["import", "care.toml", "care", "in.csv"]);
    assert!(!printed.succeeded, "the file alone knows no `request.age`");
}
