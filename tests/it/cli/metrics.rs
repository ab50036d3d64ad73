//! `metrics`: the same from every format, on standard output and in a file.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use super::{FILES, METRICS, values};
use crate::fixtures::desk::Desk;

#[test]
fn metrics_say_what_a_person_should_know_of_the_statements() {
    let desk = Desk::new();
    let row = |customer: usize| format!("C{customer},2026-03-02,5.00,{}\n", if customer == 3 { ",x" } else { "," });
    let rows: String = (0..4).map(row).collect();
    desk.write("t.csv", &format!("customer,trans_date,credit,debit,colour\n{rows}C1,2026-03-02,1.00,1.00,\n"));
    let said = desk.run(&[&METRICS[..], &["t.csv"]].concat());
    assert_eq!((said.status, values(&said.out).len()), (0, 4));
    let wanted = "warning: t.csv: nothing is read from `colour` (4 statements)\n\
        warning: t.csv: 1 records have a credit and a debit\n";
    assert_eq!(said.err, wanted);
    let many: String = (1..=8).map(|both| format!("D{both},2026-03-02,1.00,1.00\n").repeat(both)).collect();
    desk.write("many.csv", &format!("customer,trans_date,credit,debit\n{many}"));
    let said = desk.run(&[&METRICS[..], &["many.csv"]].concat());
    assert_eq!(said.err.lines().count(), 6, "{}", said.err);
    assert!(said.err.ends_with("warning: and 3 more of this kind; `quality.warnings` of decisions lists all\n"));
}

/// A pipe cannot be read from any position, and its name may still be that of a table.
#[cfg(unix)]
#[test]
fn a_table_may_be_a_pipe() {
    let desk = Desk::new();
    let made = desk.run(&["generate", "--statements", "3", "--format", "parquet", "--out", "table"]);
    assert_eq!((made.status, made.err.as_str()), (0, ""));
    let table = desk.run(&[&METRICS[..], &["table/statements.parquet"]].concat());
    assert_eq!((table.status, values(&table.out).len()), (0, 3));
    let pipe = desk.path().join("pipe.parquet");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let bytes = fs::read(desk.path().join("table/statements.parquet")).unwrap();
    let writer = std::thread::spawn(move || fs::write(pipe, bytes));
    let piped = desk.run(&[&METRICS[..], &["pipe.parquet"]].concat());
    assert_eq!((piped.status, piped.err.as_str()), (0, ""));
    assert_eq!(piped.out, table.out.replace("table/statements.parquet", "pipe.parquet"));
    writer.join().unwrap().unwrap();
}

#[test]
fn metrics_are_never_written_over_their_input() {
    let desk = Desk::new();
    let table = "customer,id,trans_date,credit\nc,1,2026-01-01,5\n";
    desk.write("one.csv", table);
    desk.write("two.csv", &table.replace("c,1", "d,1"));
    for out in ["one.csv", "./in/../one.csv"] {
        let said = desk.run(&[&METRICS[..], &["--out", out, "two.csv", "one.csv"]].concat());
        let wanted =
            format!("error: `--out {out}` would overwrite the input `one.csv`; nothing was done: name another file\n");
        assert_eq!((said.status, said.out.as_str(), said.err), (1, "", wanted));
        assert_eq!(desk.read("one.csv"), table);
    }
    assert_eq!(desk.run(&[&METRICS[..], &["--out", "three.csv", "one.csv"]].concat()).status, 0);
}

#[test]
fn the_same_metrics_from_every_format() {
    let desk = Desk::new();
    for format in ["csv", "parquet"] {
        let made =
            desk.run(&["generate", "--statements", "3", "--records", "40", "--format", format, "--out", "tables"]);
        assert_eq!(made.status, 0, "{}", made.err);
    }
    let by_customer = |inputs: &[&str]| {
        let said = desk.run(&[&METRICS[..], inputs].concat());
        assert_eq!((said.status, said.err.as_str()), (0, ""));
        let rows = values(&said.out).into_iter().map(|mut row| {
            row["statement"].take();
            (row["customer"].to_string(), row)
        });
        rows.collect::<BTreeMap<_, _>>()
    };
    let from_json = by_customer(&FILES);
    assert_eq!(from_json.len(), 3);
    assert_eq!(from_json, by_customer(&["tables/statements.csv"]));
    assert_eq!(from_json, by_customer(&["tables/statements.parquet"]));
}

#[test]
fn metrics_go_to_a_file_whole() {
    let desk = Desk::new();
    let lines = desk.run(&[&METRICS[..], &FILES].concat()).out;
    for out in ["m.ndjson", "m.csv", "m.parquet"] {
        let said = desk.run(&[&METRICS[..], &["--out", out], &FILES].concat());
        assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (0, "", ""), "{out}");
    }
    assert_eq!(desk.read("m.ndjson"), lines);
    let csv = desk.read("m.csv");
    // CSV is for people: money is in major units, and the name of the column says so.
    assert!(csv.starts_with("customer,statement,as_of,records,inflow_ngn,largest_debit_ngn\n"), "{csv}");
    assert_eq!(csv.lines().count(), 4);
    let inflow = |line: &str| line.split(',').nth(4).unwrap().replace('.', "");
    let minor = values(&lines).into_iter().map(|value| value["inflow"].to_string()).collect::<Vec<_>>();
    assert_eq!(csv.lines().skip(1).map(inflow).collect::<Vec<_>>(), minor);
    assert_eq!(fs::read(desk.path().join("m.parquet")).unwrap().get(..4), Some(&b"PAR1"[..]));
    assert_eq!(desk.run(&[&METRICS[..], &["--out", "m.xlsx"], &FILES].concat()).status, 2);
}

#[test]
fn a_columns_file_that_ships_is_taken_by_its_name() {
    let desk = Desk::new();
    let line = r#"{"data": [{"id": "m1", "type": "credit", "amount": 33700, "balance": 33700, "narration": "PAY",
        "date": "2026-03-02T00:00:00.000Z"}]}"#;
    desk.write("customer=K1/answers.ndjson", &line.replace('\n', " "));
    let said = desk.run(&[&METRICS[..], &["--columns", "mono", "customer=K1/answers.ndjson"]].concat());
    assert_eq!((said.status, values(&said.out).len()), (0, 1), "{}", said.err);
    assert_eq!(values(&said.out)[0]["customer"], "K1");
    let said = desk.run(&[&METRICS[..], &["--columns", "mona", "customer=K1/answers.ndjson"]].concat());
    let wanted = "error: mona: there is no such file, and none of the columns files that ship has this name: \
        account-aggregator-in, belvo, ";
    assert!(said.status != 0 && said.err.starts_with(wanted), "{}", said.err);
}

/// Without a policy the shipped one is described, whatever lies in the folder.
#[test]
fn a_folder_of_the_same_name_is_not_the_shipped_policy() {
    let desk = Desk::new();
    let described = desk.run(&["metrics", "--describe"]);
    assert_eq!(described.status, 0, "{}", described.err);
    desk.write("starter/broken.toml", "[policy]\nname = 5\n");
    assert_eq!(desk.run(&["metrics", "--describe"]).out, described.out);
    assert_eq!(desk.run(&["decide", "--policy", "starter", "x.json"]).status, 1);
}
