//! The messages about files that are not what their names or the options say.

use std::fs;

use super::customers_and_formats::{camt, mt940};
use crate::fixtures::desk::Desk;
use crate::statement::formats::every_format::workbooks::xlsx;

const DECIDE: [&str; 5] = ["decide", "--policy", "rules/small.toml", "--as-of", "2026-10-31"];

fn error(desk: &Desk, more: &[&str]) -> String {
    let said = desk.run(&[&DECIDE[..], more].concat());
    assert_eq!(said.status, 1, "{more:?}: {}", said.out);
    said.err
}

#[test]
fn the_answer_of_an_aggregator_leads_to_its_columns_file() {
    let desk = Desk::new();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/columns");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let name = stem.strip_suffix("-sync").unwrap_or(&stem);
        fs::copy(&path, desk.path().join("answer.json")).unwrap();
        let says = format!("read it with --columns {name}, and say whose it is");
        assert!(error(&desk, &["answer.json"]).contains(&says), "{stem}: {}", error(&desk, &["answer.json"]));
        // The same in a batch.
        let said = desk.run(&[&["batch", "--out", "out", "--restart"][..], &DECIDE[1..], &["answer.json"]].concat());
        assert!(said.status == 3 && said.out.contains(&says), "{stem}: {}{}", said.out, said.err);
    }
}

#[test]
fn a_file_is_said_to_be_empty_a_pdf_or_a_web_page_under_any_ending() {
    let desk = Desk::new();
    for ending in ["csv", "json", "ndjson", "xml", "sta", "ofx", "qif", "camt", "xlsx", "parquet"] {
        let name = format!("x.{ending}");
        desk.write(&name, "");
        assert!(error(&desk, &[&name]).contains("the file is empty"), "{ending}");
        let said = desk.run(&[&["batch", "--out", "out", "--restart"][..], &DECIDE[1..], &["in", &name]].concat());
        assert_eq!(said.status, 3, "{ending}: {}{}", said.out, said.err);
        assert!(said.out.contains("decided 3 statements"), "{ending}: {}", said.out);
        for (text, says) in [
            ("%PDF-1.7\n%\u{e2}\u{e3}\n1 0 obj", "it is a PDF"),
            ("\n<!DOCTYPE html><html></html>", "it is a web page (HTML)"),
        ] {
            desk.write(&name, text);
            assert!(error(&desk, &[&name]).contains(says), "{ending}: {}", error(&desk, &[&name]));
            let said = desk.run(&[&["batch", "--out", "out", "--restart"][..], &DECIDE[1..], &[&name]].concat());
            let told = said.out + &said.err;
            assert!(told.contains(says) || ending == "parquet" || ending == "xml", "{ending}: {told}");
        }
    }
}

#[test]
fn a_columns_file_for_tables_is_not_for_the_files_of_banks() {
    let desk = Desk::new();
    desk.write("c.toml", "[columns]\ntrans_date = \"Buchung\"\ncredit = \"Haben\"\n");
    desk.write("a.xml", &camt("A1"));
    desk.write("a.sta", &mt940("A1"));
    for name in ["a.xml", "a.sta"] {
        let said = error(&desk, &["--columns", "c.toml", "--customer", "C-1", name]);
        assert!(said.contains("needs none, so read it without --columns"), "{said}");
        assert!(!said.contains("`customer`"), "{said}");
    }
    // What applies to them does apply.
    desk.write("c.toml", "skip = \"status = 'pending'\"\n[customer]\nfrom = \"file_name\"\n");
    let said = desk.run(&[&DECIDE[..], &["--columns", "c.toml", "a.xml", "a.sta"]].concat());
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(
        said.err.contains("note: a has statements in several files, each decided by itself; --merge"),
        "{}",
        said.err
    );
    let said = desk.run(&[&DECIDE[..], &["--columns", "c.toml", "--merge", "a.xml", "a.sta"]].concat());
    assert!(!said.err.contains("several files"), "{}", said.err);
}

#[test]
fn a_workbook_without_the_columns_leads_to_the_command_that_drafts_them() {
    let desk = Desk::new();
    fs::write(desk.path().join("x.xlsx"), xlsx(true)).unwrap();
    desk.write("c.toml", "[columns]\ntrans_date = \"Buchung\"\ncredit = \"Haben\"\n[file]\nskip_lines = 3\n");
    let said = error(&desk, &["--columns", "c.toml", "--customer", "C-1", "x.xlsx"]);
    assert!(said.contains("the sheet's columns are `acct`, `id`, `date`"), "{said}");
    assert!(said.contains("`lendwright columns FILE`") && !said.contains("`customer`"), "{said}");
}

#[test]
fn a_declared_footer_that_is_missing_is_a_warning() {
    let desk = Desk::new();
    desk.write("c.toml", "[columns]\ntrans_date = \"d\"\ncredit = \"c\"\n[file]\nfooter = [\"Total\"]\n");
    for (text, is_warned) in [("d,c\n2026-03-02,5\n", true), ("d,c\n2026-03-02,5\nTotal,5\n", false)] {
        desk.write("x.csv", text);
        for name in [&["x.csv"][..], &["--merge", "x.csv"]] {
            let said = desk.run(&[&DECIDE[..], &["--columns", "c.toml", "--customer", "C-1"], name].concat());
            let warning = "no row begins with `Total`, which [file] footer declares as the end";
            assert_eq!(said.out.contains(warning), is_warned, "{}{}", said.out, said.err);
        }
    }
}
