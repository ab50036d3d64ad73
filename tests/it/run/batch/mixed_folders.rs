//! A folder of files from many sources under one columns file, which fits some of them: none is lost without a word.

use std::collections::BTreeSet;

use super::*;
use crate::run::files::customers_and_formats::{camt, mt940};
use crate::statement::formats::every_format::workbooks::xlsx;

const COLUMNS: &str = "[columns]\ntrans_date = \"date\"\namount = \"amount\"\n[amount]\npositive = \"credit\"\n";

/// Writes the files of a folder, each below the folder that `place` gives for its name.
fn write_all(desk: &Desk, place: impl Fn(&str) -> String) {
    let fits = "Account: C-9,\ndate,amount\n2026-03-02,337.00\n";
    let files: [(&str, Vec<u8>); 8] = [
        ("fits.csv", fits.into()),
        ("other.csv", b"Account: C-8,\nBuchung,Saldo\n2026-03-02,1\n".to_vec()),
        ("cut.csv", b"Account: C-7,\ndate,amount\n2026-03-02\n".to_vec()),
        ("header.csv", b"Account: C-6,\ndate,amount\n".to_vec()),
        ("book.xlsx", xlsx(true)),
        ("bank.xml", camt("A1").into()),
        ("bank.sta", mt940("A2").into()),
        ("one.json", b"{\"date\": \"2026-03-02\", \"amount\": 5}".to_vec()),
    ];
    for (name, bytes) in files {
        let path = desk.path().join(place(name));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// The sources that a run lists, and those of them that end in a decision, in a failure or passed over.
fn listed_and_accounted_for(desk: &Desk) -> (BTreeSet<String>, BTreeSet<String>) {
    let texts = |rows: Vec<Value>, key: &str| -> Vec<String> {
        rows.iter().map(|row| row[key].as_str().unwrap().to_owned()).collect()
    };
    let sources = texts(lines(&desk.read("out/inputs.ndjson")), "source");
    let manifest: Value = serde_json::from_str(&desk.read("out/manifest.json")).unwrap();
    let mut named = texts(lines(&desk.read("out/decisions.ndjson")), "statement");
    named.extend(texts(lines(&desk.read("out/failures.ndjson")), "source"));
    named.extend(texts(manifest["passed_over"].as_array().unwrap().clone(), "source"));
    let is_named = |source: &&String| named.iter().any(|name| name.contains(source.as_str()));
    (sources.iter().cloned().collect(), sources.iter().filter(is_named).cloned().collect())
}

#[test]
fn no_file_of_a_mixed_folder_is_lost_without_a_word() {
    let header = "[file]\nheader = [\"date\", \"amount\"]\n";
    let in_folder = |name: &str| format!("mix/{name}");
    let by_folder = |name: &str| format!("mix/customer={}/{name}", name.replace('.', "-"));
    type Way<'w> = (&'w str, String, &'w dyn Fn(&str) -> String);
    let ways: [Way<'_>; 5] = [
        ("file name", format!("{COLUMNS}{header}[customer]\nfrom = \"file_name\"\n"), &in_folder),
        ("file name, no header", format!("{COLUMNS}[customer]\nfrom = \"file_name\"\n"), &in_folder),
        ("label", format!("{COLUMNS}{header}[customer]\nafter = \"Account:\"\n"), &in_folder),
        ("folder", format!("{COLUMNS}{header}"), &by_folder),
        ("nothing", format!("{COLUMNS}{header}"), &in_folder),
    ];
    for (way, columns, place) in ways {
        let desk = Desk::new();
        desk.write("c.toml", &columns);
        write_all(&desk, place);
        for options in [&[][..], &["--apart"], &["--shard", "1/1"]] {
            let said = batch(&desk, &[&["--restart", "--columns", "c.toml"][..], options, &["mix"]].concat());
            assert_eq!(said.status, 3, "{way} {options:?}: {}{}", said.out, said.err);
            if options.contains(&"--shard") {
                continue;
            }
            let (sources, named) = listed_and_accounted_for(&desk);
            assert_eq!((sources.len(), &sources), (8, &named), "{way} {options:?}: {}", said.out);
        }
    }
}

/// A sheet that was opened and names no customer is that of its file's name, so that its fault is nobody else's.
#[test]
fn a_workbook_that_names_nobody_stops_nobody_else() {
    let desk = Desk::new();
    desk.write("c.toml", &format!("{COLUMNS}[customer]\nfrom = \"file_name\"\n"));
    desk.write("mix/fits.csv", "date,amount\n2026-03-02,337.00\n");
    fs::write(desk.path().join("mix/book.xlsx"), xlsx(true)).unwrap();
    let said = batch(&desk, &["--columns", "c.toml", "mix"]);
    let failures = lines(&desk.read("out/failures.ndjson"));
    assert_eq!((said.status, failures.len(), &failures[0]["customer"]), (3, 1, &Value::from("book")), "{failures:?}");
    assert_eq!(lines(&desk.read("out/decisions.ndjson"))[0]["customer"], "fits");
    // A damaged one may hold anybody's rows.
    fs::write(desk.path().join("mix/book.xlsx"), &xlsx(true)[..400]).unwrap();
    batch(&desk, &["--restart", "--columns", "c.toml", "mix"]);
    assert_eq!(desk.read("out/decisions.ndjson"), "");
}

/// `--customer` makes all files one customer's, who is not decided on a part of them.
#[test]
fn files_that_are_all_of_one_customer_fail_together() {
    let desk = Desk::new();
    desk.write("c.toml", &format!("{COLUMNS}[file]\nheader = [\"date\", \"amount\"]\n"));
    write_all(&desk, |name| format!("mix/{name}"));
    let said = batch(&desk, &["--columns", "c.toml", "--customer", "C-1", "mix"]);
    assert_eq!((said.status, desk.read("out/decisions.ndjson").as_str()), (3, ""), "{}", said.out);
    assert!(!desk.read("out/failures.ndjson").is_empty());
}
