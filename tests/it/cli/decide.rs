//! `decide`: files, standard input, and what cannot be read.

use std::process::{Command, Stdio};

use serde_json::Value;

use super::{DECIDE, FILES, METRICS, values};
use crate::fixtures::desk::Desk;

#[test]
fn every_statement_has_one_line_in_the_order_given() {
    let desk = Desk::new();
    let said = desk.run(&[&DECIDE[..], &FILES].concat());
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    let labels: Vec<Value> = values(&said.out).into_iter().map(|decision| decision["statement"].clone()).collect();
    assert_eq!(labels, FILES);
}

#[test]
fn standard_input_is_a_statement() {
    let desk = Desk::new();
    let file = desk.run(&[&DECIDE[..], &FILES[..1]].concat());
    let piped = desk.run_with(&[&DECIDE[..], &["-"]].concat(), &desk.read(FILES[0]));
    assert_eq!((piped.status, piped.err.as_str()), (0, ""));
    assert_eq!(piped.out, file.out.replace(FILES[0], "-"));
    let nothing = desk.run_with(&[&DECIDE[..], &["-"]].concat(), "");
    assert_eq!((nothing.status, nothing.out.as_str()), (1, ""));
    assert!(nothing.err.starts_with("error: standard input: not a statement"), "{}", nothing.err);
}

#[test]
fn what_cannot_be_read_does_not_stop_the_others() {
    let desk = Desk::new();
    desk.write("broken.json", "{\"status\":");
    let said = desk.run(&[&DECIDE[..], &[FILES[0], "broken.json", "none.json", "notes.txt", FILES[1]]].concat());
    assert_eq!(said.status, 1);
    assert_eq!(said.out, desk.run(&[&DECIDE[..], &FILES[..2]].concat()).out);
    let complaints: Vec<&str> = said.err.lines().collect();
    assert_eq!(complaints.len(), 3, "{}", said.err);
    for (complaint, file) in complaints.iter().zip(["broken.json", "none.json", "notes.txt"]) {
        assert!(complaint.starts_with(&format!("error: {file}: ")), "{complaint}");
    }
}

#[test]
fn a_table_without_records_is_said_to_have_none() {
    let desk = Desk::new();
    desk.write("none.csv", "customer,id,trans_date,credit,debit,balance,desc\n");
    let warned = "warning: none.csv: no records, so no statement\n";
    for command in [&DECIDE[..], &METRICS] {
        let said = desk.run(&[command, &["none.csv"]].concat());
        assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (0, "", warned));
        let merged = desk.run(&[command, &["--merge", "none.csv"]].concat());
        assert_eq!((merged.status, merged.out.as_str(), merged.err.as_str()), (0, "", warned));
    }
}

#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    let desk = Desk::new();
    // More than a pipe holds, so that writing must fail once the reader is gone.
    let copies: Vec<String> = (0..300).map(|copy| format!("copies/{copy}.json")).collect();
    let statement = desk.read(FILES[0]);
    copies.iter().for_each(|copy| desk.write(copy, &statement));
    let args: Vec<&str> = DECIDE.iter().copied().chain(copies.iter().map(String::as_str)).collect();
    let mut child = Command::new(env!("CARGO_BIN_EXE_lendwright"))
        .args(args)
        .current_dir(desk.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}
