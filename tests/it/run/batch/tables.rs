//! Tables: however their rows are ordered and spread, the decisions are the same.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::*;

/// Decisions by customer, without the name of the source.
fn by_customer(text: &str) -> BTreeMap<String, Value> {
    let decided = lines(text).into_iter().map(|mut decision| {
        decision["statement"] = Value::Null;
        (decision["customer"].as_str().unwrap().to_owned(), decision)
    });
    decided.collect()
}

#[test]
fn a_table_is_decided_as_decide_does_whatever_the_order_of_its_rows() {
    let desk = Desk::new();
    let sorted = rows(300, 7);
    for (name, rows) in [
        ("sorted", sorted.clone()),
        ("shuffled", shuffled(&sorted, 1)),
        ("turned", sorted.iter().rev().cloned().collect()),
    ] {
        desk.write("t.csv", &csv(&rows));
        let decided = desk.run(&["decide", "--policy", "rules/small.toml", "t.csv"]);
        let said = batch(&desk, &["--restart", "t.csv"]);
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{name}");
        assert_eq!(desk.read("out/decisions.ndjson"), decided.out, "{name}");
    }
}

#[test]
fn a_customer_is_one_wherever_his_records_stand() {
    let desk = Desk::new();
    let all = rows(200, 6);
    desk.write("whole.csv", &csv(&all));
    let whole = by_customer(&desk.run(&["decide", "--policy", "rules/small.toml", "whole.csv"]).out);
    // One table in order, one in another format, two compressed.
    let mut parts = vec![Vec::new(); 4];
    for (at, row) in all.iter().enumerate() {
        parts[mixed(at as u64) as usize % 4].push(row.clone());
    }
    desk.write("parts/a.csv", &csv(&parts[0]));
    desk.write("parts/b.ndjson", &ndjson(&shuffled(&parts[1], 2)));
    fs::write(desk.path().join("parts/c.csv.gz"), gzip(csv(&parts[2]).as_bytes())).unwrap();
    fs::write(desk.path().join("parts/d.csv.zst"), zstd::encode_all(csv(&parts[3]).as_bytes(), 1).unwrap()).unwrap();
    let said = batch(&desk, &["parts"]);
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let decided = desk.read("out/decisions.ndjson");
    assert_eq!(by_customer(&decided), whole);
    let labels = lines(&decided);
    assert!(
        labels.iter().any(|decision| decision["statement"] == "parts/a.csv + 3 more"),
        "{}",
        labels[0]["statement"]
    );
    assert!(
        labels.iter().any(|decision| decision["statement"] == "parts/a.csv + parts/b.ndjson"),
        "{}",
        labels[0]["statement"]
    );
}

/// A customer in both tables is read together with the next one. A column missing in one table must not be filled by
/// the other.
#[test]
fn what_a_table_has_no_column_for_is_missing_there() {
    let desk = Desk::new();
    // Narrations and debits that a part lacks are unknown; another text is empty.
    let header = HEADER.replace("desc", "branch");
    let with =
        "c1,r1,2026-01-05,10,,SALARY\nc1,r2,2026-01-06,20,,RENT\nc4,r3,2026-01-07,5,,GIFT\nc4,r4,2026-01-08,5,,LOAN\n";
    let without = ["c1,r5,2026-01-09,20,", "c2,r6,2026-01-06,30,", "c4,r7,2026-01-01,30,", "c4,r8,2026-01-09,7,"];
    desk.write("whole.csv", &format!("{header}\n{with}{}", without.map(|row| format!("{row},\n")).concat()));
    let whole = by_customer(&desk.run(&["decide", "--policy", "rules/small.toml", "whole.csv"]).out);
    assert_eq!(whole.len(), 3);
    let described = format!("{header}\n{with}");
    let bare = format!("customer,id,trans_date,credit,debit\n{}", without.map(|row| format!("{row}\n")).concat());
    let lines: Vec<String> = with.lines().map(str::to_owned).collect();
    let records = ndjson(&lines).replace("\"desc\"", "\"branch\"");
    for (order, files) in [
        ("described first", [("parts/a.csv", &described), ("parts/b.csv", &bare)]),
        ("bare first", [("parts/a.csv", &bare), ("parts/b.csv", &described)]),
        ("records first", [("parts/a.ndjson", &records), ("parts/b.csv", &bare)]),
    ] {
        let _ = fs::remove_dir_all(desk.path().join("parts"));
        files.into_iter().for_each(|(name, text)| desk.write(name, text));
        let said = batch(&desk, &["--restart", "parts"]);
        assert_eq!(said.status, 0, "{order}: {}{}", said.out, said.err);
        assert_eq!(by_customer(&desk.read("out/decisions.ndjson")), whole, "{order}");
    }
}

#[test]
fn tables_whose_customers_follow_each_other_stream_in_that_order() {
    let desk = Desk::new();
    let all = rows(120, 5);
    desk.write("whole.csv", &csv(&all));
    let whole = by_customer(&desk.run(&["decide", "--policy", "rules/small.toml", "whole.csv"]).out);
    // The later customers are in the file that is named first. One customer is at the end of one file and the beginning
    // of the other.
    desk.write("parts/a.csv", &csv(&all[302..]));
    desk.write("parts/b.csv", &csv(&all[..302]));
    let said = batch(&desk, &["parts"]);
    assert_eq!(said.status, 0, "{}", said.err);
    let decided = desk.read("out/decisions.ndjson");
    let customers: Vec<String> =
        lines(&decided).iter().map(|line| line["customer"].as_str().unwrap().to_owned()).collect();
    assert!(customers.is_sorted());
    assert_eq!(by_customer(&decided), whole);
    assert!(!desk.path().join("out/work/runs").exists());
    desk.write("parts/b.csv", &csv(&shuffled(&all[..302], 5)));
    assert_eq!(batch(&desk, &["--restart", "parts"]).status, 0);
    assert_eq!(desk.read("out/decisions.ndjson"), decided, "sorted on disk it is the same");
}

#[test]
fn parquet_and_its_folders_are_read_as_tables() {
    let desk = Desk::new();
    let made = ["generate", "--statements", "40", "--records", "60", "--format", "parquet", "--out", "people"];
    assert_eq!(desk.run(&made).status, 0);
    let table = fs::read_dir(desk.path().join("people"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|ending| ending == "parquet"))
        .unwrap();
    let table = table.strip_prefix(desk.path()).unwrap().to_str().unwrap().to_owned();
    let decided = desk.run(&["decide", "--policy", "rules/small.toml", &table]);
    let said = batch(&desk, &[&table]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(desk.read("out/decisions.ndjson"), decided.out);
}

/// A refused line is a failure of its customer alone, however it names them.
#[test]
fn a_refused_line_takes_its_customer_along_and_nobody_else() {
    let desk = Desk::new();
    let columns = "[columns]\ncustomer = \"customer\"\nid = \"id\"\ntrans_date = \"trans_date\"\ncredit = \"credit\"\n";
    desk.write("bank.toml", columns);
    let sound = ["7", "a", "c"].map(|customer| {
        format!("{{\"id\":\"r1\",\"trans_date\":\"2026-03-01\",\"credit\":5,\"customer\":\"{customer}\"}}\n")
    });
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    let twice = r#"{"x":1,"x":2}"#;
    for (named, value, more) in
        [("a", r#""a""#, twice), ("7", "7", twice), ("a", r#"{"_id":"a"}"#, twice), ("c", r#""\u0063""#, deep.as_str())]
    {
        let line = format!(
            "{{\"id\":\"r3\",\"trans_date\":\"2026-03-03\",\"credit\":9,\"customer\":{value},\"other\":{more}}}\n"
        );
        desk.write("t.ndjson", &format!("{}{line}", sound.concat()));
        // An object as an id is the product's own form.
        let runs: [&[&str]; 2] = [&["--restart", "t.ndjson"], &["--restart", "--columns", "bank.toml", "t.ndjson"]];
        for args in runs.into_iter().take(if value.starts_with('{') { 1 } else { 2 }) {
            let said = batch(&desk, args);
            assert_eq!(said.status, 3, "{value} {args:?} {}{}", said.out, said.err);
            let decided: Vec<String> = lines(&desk.read("out/decisions.ndjson"))
                .into_iter()
                .map(|decision| decision["customer"].as_str().unwrap_or_default().to_owned())
                .collect();
            let others: Vec<&str> = ["7", "a", "c"].into_iter().filter(|customer| *customer != named).collect();
            assert_eq!(decided, others, "{value} {args:?}");
            let failures = desk.read("out/failures.ndjson");
            assert!(failures.contains("refused JSON"), "{failures}");
        }
    }
    // Nobody knows which of two is meant, nor whose line it is that is cut off.
    for line in ["{\"customer\":\"a\",\"customer\":\"c\",\"credit\":1}\n", "{\"customer\":\"a\",\"credit\":[}\n"] {
        desk.write("t.ndjson", &format!("{}{line}", sound.concat()));
        assert_eq!(batch(&desk, &["--restart", "t.ndjson"]).status, 3);
        assert_eq!(desk.read("out/decisions.ndjson"), "", "{line}");
    }
}

#[test]
fn a_columns_file_names_the_columns_of_every_table() {
    let desk = Desk::new();
    desk.write(
        "bank.toml",
        "[columns]\ncustomer = \"who\"\ntrans_date = \"on\"\namount = \"sum\"\n[amount]\npositive = \"credit\"\n",
    );
    desk.write("one.csv", "who,on,sum\na,2026-01-02,5\nb,2026-01-02,-3\n");
    desk.write(
        "two.ndjson",
        "{\"who\": \"a\", \"on\": \"2026-01-03\", \"sum\": -2}\n\n{\"sum\": 9, \"who\": 7, \"on\": \"2026-01-03\"}\n",
    );
    let said = batch(&desk, &["--columns", "bank.toml", "--write", "metrics", "one.csv", "two.ndjson"]);
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let metrics = lines(&desk.read("out/metrics.ndjson"));
    let told: Vec<String> =
        metrics.iter().map(|row| format!("{} {} {}", row["customer"], row["records"], row["largest_debit"])).collect();
    assert_eq!(told, ["\"7\" 1 null", "\"a\" 2 200", "\"b\" 1 300"]);
}

#[test]
fn a_column_of_two_meanings_is_read_for_both() {
    let desk = Desk::new();
    desk.write(
        "bank.toml",
        "[columns]\ncustomer = \"who\"\ntrans_date = \"on\"\ncredit = \"sum\"\ncode = \"kind\"\n\
         desc = [\"what\", \"kind\"]\n",
    );
    desk.write("t.csv", "who,on,sum,kind,what\na,2026-01-02,5,UROK,SALARY\nb,2026-01-03,7,SIPO,\n");
    desk.write(
        "t.ndjson",
        "{\"who\": \"a\", \"on\": \"2026-01-02\", \"sum\": 5, \"kind\": \"UROK\", \"what\": \"SALARY\"}\n\
         {\"what\": \"\", \"who\": \"b\", \"on\": \"2026-01-03\", \"sum\": 7, \"kind\": \"SIPO\"}\n",
    );
    let told = ["t.csv", "t.ndjson"].map(|table| {
        let decided = desk.run(&["decide", "--policy", "rules/small.toml", "--columns", "bank.toml", table]);
        let said = batch(&desk, &["--restart", "--columns", "bank.toml", table]);
        assert_eq!((said.status, decided.status), (0, 0), "{}{}{}", said.out, said.err, decided.err);
        assert_eq!(desk.read("out/decisions.ndjson"), decided.out);
        by_customer(&decided.out)
    });
    // Each has the digest of its whole statement.
    assert_eq!(told[0], told[1]);
}

#[test]
fn accounts_of_a_customer_are_merged_where_that_is_asked_for() {
    let desk = Desk::new();
    let table = "customer,account,trans_date,credit,debit\n\
        c1,current,2026-10-01,250000,\nc1,current,2026-10-02,,40000\n";
    desk.write("current.csv", table);
    desk.write("savings.csv", "customer,account,trans_date,credit,debit\nc1,savings,2026-10-02,40000,\n");
    assert_eq!(batch(&desk, &["current.csv", "savings.csv"]).status, 0);
    assert_eq!(lines(&desk.read("out/decisions.ndjson")).len(), 2);
    let said = batch(&desk, &["--restart", "--merge", "current.csv", "savings.csv"]);
    assert_eq!(said.status, 0, "{}", said.err);
    let merged = lines(&desk.read("out/decisions.ndjson"));
    assert_eq!((merged.len(), merged[0]["quality"]["merged"]["accounts"].as_i64()), (1, Some(2)));
    let refused = batch(&desk, &["--restart", "--merge", "current.csv", "in"]);
    assert_eq!(refused.status, 1);
    insta::assert_snapshot!("batch_merge_refused", refused.err);
}

pub(crate) fn ndjson(rows: &[String]) -> String {
    let names: Vec<&str> = HEADER.split(',').collect();
    let mut text = String::new();
    for row in rows {
        let fields: serde_json::Map<String, Value> = names
            .iter()
            .zip(row.split(','))
            .filter(|(_, field)| !field.is_empty())
            .map(|(name, field)| ((*name).to_owned(), Value::from(field)))
            .collect();
        text.push_str(&Value::Object(fields).to_string());
        text.push('\n');
    }
    text
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

#[test]
fn a_name_that_no_line_has_is_refused_before_anything_is_decided() {
    let desk = Desk::new();
    let lines = "{\"acct\":\"K1\",\"date\":\"2026-03-02\",\"in\":337}\n\
        {\"acct\":\"K1\",\"date\":\"2026-03-05\",\"out\":300,\"in\":null}\n";
    desk.write("t.ndjson", lines);
    let declared = "[columns]\ncustomer = \"acct\"\ntrans_date = \"date\"\ncredit = \"in\"\ndebit = \"out\"\n";
    desk.write("right.toml", declared);
    desk.write("wrong.toml", &declared.replace("\"out\"", "\"outt\""));
    let what = "no line has `outt`, which the columns file calls `debit`; did you mean `out`?";
    for command in ["decide", "metrics"] {
        let said = desk.run(&[command, "--policy", "rules/small.toml", "--columns", "wrong.toml", "t.ndjson"]);
        assert!(said.status != 0 && said.out.is_empty() && said.err.contains(what), "{command}: {}", said.err);
    }
    let said = batch(&desk, &["--columns", "wrong.toml", "t.ndjson"]);
    assert_eq!(desk.read("out/decisions.ndjson"), "");
    assert!(said.status != 0 && desk.read("out/failures.ndjson").contains(what), "{}{}", said.out, said.err);
    let said = batch(&desk, &["--restart", "--columns", "right.toml", "t.ndjson"]);
    assert_eq!((said.status, lines_of(&desk)), (0, 1), "{}", said.err);
}

fn lines_of(desk: &Desk) -> usize {
    desk.read("out/decisions.ndjson").lines().count()
}

/// In a folder's name, in a table, with spaces and without.
#[test]
fn a_customer_is_one_in_every_table_of_a_batch() {
    let desk = Desk::new();
    desk.write("mine/a.csv", "customer,trans_date,credit\n 17,2026-01-02,5\n");
    desk.write("mine/b.csv", "customer,trans_date,credit\n17  ,2026-02-02,5\n9,2026-02-02,5\n");
    desk.write("mine/c.ndjson", "{\"customer\":17,\"trans_date\":\"2026-03-02\",\"credit\":5}\n");
    desk.write("mine/customer=%2017/d.csv", "trans_date,credit\n2026-04-02,5\n");
    let said = batch(&desk, &["mine"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{}", said.out);
    let decided = by_customer(&desk.read("out/decisions.ndjson"));
    assert_eq!(decided.keys().collect::<Vec<_>>(), ["17", "9"]);
    assert_eq!(decided["17"]["quality"]["records"], 4);
    for name in ["17.0", "nan", "1.7E+1"] {
        desk.write("odd/t.csv", &format!("customer,trans_date,credit\n17,2026-01-02,5\n{name},2026-01-03,5\n"));
        let said = batch(&desk, &["--restart", "odd"]);
        assert!(said.status != 0 && lines_of(&desk) == 0, "{name}: {}", said.err);
        assert!(desk.read("out/failures.ndjson").contains("row 2, column `customer`"), "{name}");
    }
}
