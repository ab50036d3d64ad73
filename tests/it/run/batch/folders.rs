//! Folder names that supply columns missing in their tables.

use super::*;

#[test]
fn folders_of_a_partitioned_table_are_columns() {
    let desk = Desk::new();
    for customer in ["a", "b"] {
        for month in 1..=3 {
            let table = format!("trans_date,credit\n2026-0{month}-05,100\n2026-0{month}-06,50\n");
            desk.write(&format!("lake/customer={customer}%2F1/month={month}/part-0.csv"), &table);
        }
    }
    let said = batch(&desk, &["--write", "metrics", "lake"]);
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let metrics = lines(&desk.read("out/metrics.ndjson"));
    let told: Vec<(&str, i64)> =
        metrics.iter().map(|row| (row["customer"].as_str().unwrap(), row["records"].as_i64().unwrap())).collect();
    assert_eq!(told, [("a/1", 6), ("b/1", 6)]);
}

/// A file of lines among them is not a statement of its own, even if its records name nobody.
#[test]
fn folders_name_the_customer_of_lines_too() {
    let desk = Desk::new();
    desk.write("lake/customer=17%221/x.csv", "id,trans_date,credit\nr1,2026-03-01,5\n");
    desk.write(
        "lake/customer=17%221/y.ndjson",
        " {\"id\":\"r2\",\"trans_date\":\"2026-03-02\",\"credit\":7}\n\
         {\"id\":\"r3\",\"trans_date\":\"2026-03-03\",\"credit\":9,\"customer\":\"17\\\"1\"}\n",
    );
    let said = batch(&desk, &["--write", "metrics", "lake"]);
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let told = |desk: &Desk| -> Vec<String> {
        let metrics = lines(&desk.read("out/metrics.ndjson"));
        metrics.iter().map(|row| format!("{} {}", row["customer"], row["records"])).collect()
    };
    assert_eq!(told(&desk), ["\"17\\\"1\" 3"]);
    desk.write(
        "bank.toml",
        "[columns]\ncustomer = \"customer\"\nid = \"id\"\ntrans_date = \"trans_date\"\ncredit = \"credit\"\n",
    );
    let said = batch(&desk, &["--restart", "--columns", "bank.toml", "--write", "metrics", "lake"]);
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    assert_eq!(told(&desk), ["\"17\\\"1\" 3"]);
    // Faults are reported at their place.
    let wrong = "{\"id\":\"r2\",\"trans_date\":\"2026-03-02\",\"credit\":\"x\"}\n";
    desk.write("lake/customer=17%221/y.ndjson", wrong);
    let said = batch(&desk, &["--restart", "--write", "metrics", "lake"]);
    let place = format!("(byte {}", wrong.find("\"x\"").unwrap());
    assert!(
        said.status == 3 && desk.read("out/failures.ndjson").contains(&place),
        "{}",
        desk.read("out/failures.ndjson")
    );
}

#[test]
fn a_folder_that_names_the_customer_tells_whose_table_it_was() {
    let desk = Desk::new();
    for customer in ["a", "b", "c"] {
        desk.write(&format!("lake/customer={customer}/1.csv"), "trans_date,credit\n2026-01-05,100\n");
    }
    desk.write("lake/customer=b/2.csv", "trans_date,credit\n2026-02-05,100,7,8\n");
    let said = batch(&desk, &["lake"]);
    assert_eq!(said.status, 3, "{}{}", said.out, said.err);
    let decided: Vec<String> =
        lines(&desk.read("out/decisions.ndjson")).iter().map(|line| line["customer"].to_string()).collect();
    assert_eq!(decided, ["\"a\"", "\"c\""]);
    let failures = lines(&desk.read("out/failures.ndjson"));
    assert_eq!((failures.len(), failures[0]["customer"].as_str()), (1, Some("b")));
}

/// If a table itself names the customers of its rows, damage to it does not concern one customer alone.
#[test]
fn a_damaged_table_that_names_customers_itself_is_nobodys() {
    let desk = Desk::new();
    let nameless = "{\"id\":\"r1\",\"trans_date\":\"2026-01-05\",\"credit\":5}\n";
    let other = "{\"customer\":\"a\",\"id\":\"r2\",\"trans_date\":\"2026-01-06\",\"credit\":5}\n";
    let damaged = "{\"id\":\"r3\",\"trans_d";
    let header = "customer,trans_date,credit\n";
    for (name, text, is_his) in [
        ("2.ndjson", format!("{nameless}{damaged}"), true),
        ("2.ndjson", format!("{nameless}{{\"customer\":\"b\",\"trans_d"), true),
        ("2.ndjson", format!("{nameless}{other}{damaged}"), false),
        ("2.ndjson", format!("{nameless}{damaged}\n{other}"), false),
        ("2.ndjson", format!("{nameless}{{\"customer\":\"a\",\"trans_d"), false),
        ("2.csv", "trans_date,credit\n2026-02-05,100,7,8\n".to_owned(), true),
        ("2.csv", format!("\u{feff}{header}a,2026-02-05,100,7,8\n"), false),
        ("2.csv", "customer;trans_date;credit\na;2026-02-05;100\n".to_owned(), false),
        ("2.csv", "trans_date,credit,customer_segment\n2026-02-05,100,7,8\n".to_owned(), true),
        ("2.csv.gz", "this is not gzip".to_owned(), true),
        ("2.csv", format!("\"{header}a,2026-02-05,100\n"), false),
        ("2.ndjson", format!("{{{damaged}\n{nameless}"), true),
        ("2.ndjson", r#"{"\ud800":1,"customer":"a","id":"r2","trans_d"#.to_owned(), false),
        ("2.parquet", "PAR1 this is no table PAR1".to_owned(), true),
    ] {
        let desk_said = |shuffled: bool| {
            for customer in ["a", "b", "c"] {
                let row = format!("trans_date,credit\n2026-01-05,100\n2026-01-0{},1\n", if shuffled { 4 } else { 6 });
                desk.write(&format!("lake/customer={customer}/1.csv"), &row);
            }
            // In no order, so that rows are sorted.
            let mixed = if shuffled { "customer,trans_date,credit\nc,2026-03-01,1\na,2026-03-01,1\n" } else { header };
            desk.write("lake/all.csv", mixed);
            desk.write(&format!("lake/customer=b/{name}"), &text);
            let said = batch(&desk, &["--restart", "lake"]);
            assert_eq!(said.status, 3, "{text}: {}{}", said.out, said.err);
            let decided = lines(&desk.read("out/decisions.ndjson"));
            decided.iter().map(|line| line["customer"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let wanted: &[&str] = if is_his { &["a", "c"] } else { &[] };
        assert_eq!(desk_said(false), wanted, "{text}");
        assert_eq!(desk_said(true), wanted, "{text}");
        std::fs::remove_file(desk.path().join("lake/customer=b").join(name)).unwrap();
    }
}

/// Folder names apply to lines as they do to other tables.
#[test]
fn folders_say_more_than_the_customer_of_lines() {
    let desk = Desk::new();
    let metrics = |desk: &Desk, table: &str, text: &str| {
        desk.write(table, text);
        let said = batch(desk, &["--restart", "--write", "metrics", "lake"]);
        let told = (said.status, desk.read("out/metrics.ndjson"), desk.read("out/failures.ndjson"));
        std::fs::remove_dir_all(desk.path().join("lake")).unwrap();
        told
    };
    for folder in [
        "currency=NGN/customer=17",
        "currency=USD/customer=17",
        "trans_date=2026-03-01/topics=SALARY%7CFEES/customer=17",
    ] {
        let day = if folder.contains("trans_date") {
            ("", "", "")
        } else {
            ("trans_date,", "2026-03-01,", "\"trans_date\":\"2026-03-01\",")
        };
        let (status, read, failures) =
            metrics(&desk, &format!("lake/{folder}/x.csv"), &format!("{}credit\n{}5\n", day.0, day.1));
        let (also, read_also, failures_also) =
            metrics(&desk, &format!("lake/{folder}/x.ndjson"), &format!("{{{}\"credit\":5}}\n", day.2));
        assert_eq!((status, folder.contains("USD")), (also, status == 3), "{failures} {failures_also}");
        assert_eq!(read, read_also.replace("x.ndjson", "x.csv"), "{folder}");
        let currency = |failures: &str| !folder.contains("USD") || failures.contains("USD");
        assert!(currency(&failures) && currency(&failures_also), "{failures} {failures_also}");
    }
    // Values that lines cannot have are not ignored.
    let line = "{\"trans_date\":\"2026-03-01\",\"credit\":5}\n";
    let (status, _, failures) = metrics(&desk, "lake/account=savings/customer=17/x.ndjson", line);
    assert!(status == 3 && failures.contains("lines have no `account` without a columns file"), "{failures}");
}

/// A statement is a statement in any folder.
#[test]
fn folders_make_no_table_of_a_statement() {
    let desk = Desk::new();
    let record = "{\"id\":\"r1\",\"trans_date\":\"2026-03-01T00:00:00Z\",\"credit\":5}";
    let envelope = format!("{{\"status\":\"success\",\"data\":{{\"transactions\":[{record}]}}}}\n");
    let named = envelope.replacen('{', "{\"customer\":{\"_id\":\"c1\"},", 1);
    let spaced = named.replace(':', ": ").replace("00: 00: 00Z", "00:00:00Z");
    let more = record.replacen("r1", "r2", 1).replacen('{', &format!("{{\"desc\":\"{}\",", "é".repeat(700_000)), 1);
    let long = envelope.replacen(record, &format!("{record},{more}"), 1);
    for (file, text) in [
        ("lake/customer=17/x.ndjson", envelope.as_str()),
        ("lake/x.ndjson", named.as_str()),
        ("lake/customer=17/x.ndjson", &spaced),
        ("lake/long.ndjson", long.as_str()),
        ("lake/x.ndjson", &format!("{record}\n")),
    ] {
        desk.write(file, text);
        let said = batch(&desk, &["--restart", "lake"]);
        assert_eq!(said.status, 0, "{file}: {}", desk.read("out/failures.ndjson"));
        let decided = lines(&desk.read("out/decisions.ndjson"));
        assert_eq!((decided.len(), decided[0]["statement"].as_str()), (1, Some(file)));
        std::fs::remove_dir_all(desk.path().join("lake")).unwrap();
    }
    // Standard input is in the results' folder, whose name says nothing of it.
    for text in [envelope.as_str(), &format!("{record}\n")] {
        let said = desk.run_with(
            &[
                "batch",
                "--policy",
                "rules/small.toml",
                "--as-of",
                "2026-06-30",
                "--out",
                "runs/customer=17",
                "--restart",
                "-",
            ],
            text,
        );
        assert_eq!(said.status, 0, "{}{}", said.out, said.err);
        let decided = lines(&desk.read("runs/customer=17/decisions.ndjson"));
        assert_eq!((decided.len(), decided[0]["customer"].as_str()), (1, None));
    }
}

/// A run over one file beside a table in which 17, 18 and 19 have a record each. Returns who is decided, and on how
/// many records.
fn beside(desk: &Desk, file: &str, content: &[u8]) -> String {
    desk.write("in/z.csv", "customer,trans_date,credit\n17,2026-03-01,5\n18,2026-03-01,5\n19,2026-03-01,5\n");
    let path = desk.path().join("in").join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, content).unwrap();
    let said = batch(desk, &["--restart", "--write", "metrics", "in/z.csv", &format!("in/{file}")]);
    assert!([0, 3].contains(&said.status), "{file}: {}{}", said.out, said.err);
    std::fs::remove_file(path).unwrap();
    let metrics = lines(&desk.read("out/metrics.ndjson"));
    let told = metrics.iter().map(|row| format!("{} {}", row["customer"].as_str().unwrap_or("-"), row["records"]));
    told.collect::<Vec<_>>().join(", ")
}

/// The first line says what kind a file is. If it cannot, the file's failure takes everybody along, unlike that of a
/// statement.
#[test]
fn a_first_line_that_is_odd_makes_no_statement_of_a_table() {
    let desk = Desk::new();
    let of = |customer: &str| {
        format!("{{\"customer\":\"{customer}\",\"id\":\"r9\",\"trans_date\":\"2026-03-02\",\"credit\":1}}\n")
    };
    let refused =
        |more: &str| format!("{{\"a\":{{\"b\":1,\"b\":2}},{more}\"trans_date\":\"2026-03-02\",\"credit\":1}}\n");
    let named = refused("\"customer\":\"17\",") + &of("18");
    let odd = "{\"customer\":\"17\",\"status\":\"success\",\"desc\":\"x\"}\n".to_owned() + &of("18");
    let nameless = "{\"id\":\"r8\",\"trans_date\":\"2026-03-02\",\"credit\":1}\n";
    for (file, text, told) in [
        ("x.ndjson", named.as_str(), "18 2, 19 1"),
        ("x.ndjson", odd.as_str(), "18 2, 19 1"),
        ("customer=17/x.ndjson", &format!("{{}}\n{nameless}"), "18 1, 19 1"),
        ("customer=17/x.ndjson", &format!("{{\"foo\":1}}\n{nameless}"), "18 1, 19 1"),
        // It is one statement, and fails alone. With another person's line after it, nobody knows whose it is.
        ("x.ndjson", &refused(""), "17 1, 18 1, 19 1"),
        ("x.ndjson", &(refused("") + &of("18")), ""),
        ("x.ndjson", &(nameless.to_owned() + &of("18")), ""),
        ("x.ndjson", &format!("{nameless}{{\"customer\":\"18\",\"trans_d"), ""),
        ("x.ndjson", &format!("{{\"status\":\"success\",\"data\":{{\"transactions\":[]}}}}\n{}", of("18")), ""),
        ("customer=17/x.ndjson", &format!("{{\"id\":\"r0\",\"status\":\"void\"}}\n{nameless}"), "18 1, 19 1"),
        // Nobody knows whose these are.
        ("customer=__HIVE_DEFAULT_PARTITION__/x.ndjson", nameless, ""),
        ("customer=N%2FA/x.ndjson", nameless, ""),
        ("customer=N%2FA/x.csv", "trans_date,credit\n2026-03-02,1\n", ""),
    ] {
        assert_eq!(beside(&desk, file, text.as_bytes()), told, "{file}: {text}");
        let packed = super::tables::gzip(text.as_bytes());
        assert_eq!(beside(&desk, &format!("{file}.gz"), &packed), told, "{file}.gz: {text}");
        let member = super::archives::tar(&[(file.to_owned(), text.as_bytes().to_vec())]);
        assert_eq!(beside(&desk, "book.tar", &member), told, "{file} in an archive: {text}");
    }
}

#[test]
fn what_a_table_said_before_its_damage_counts() {
    let desk = Desk::new();
    let noise: String = (0..40_000_u64).map(|at| char::from(b'a' + (at * at * 31 % 1_009 % 26) as u8)).collect();
    let line = format!("{{\"customer\":\"18\",\"desc\":\"{noise}\",\"trans_date\":\"2026-03-02\",\"credit\":1}}\n");
    let packed = super::tables::gzip(line.as_bytes());
    assert_eq!(beside(&desk, "customer=17/x.ndjson.gz", &packed[..packed.len() * 2 / 3]), "");
    let rows = format!("customer,trans_date,credit\n{}", "18,2026-03-02,1\n".repeat(9_000));
    let mut packed = super::tables::gzip(rows.as_bytes());
    // Two bytes per letter.
    let wide: Vec<u8> = line.chars().flat_map(|letter| (letter as u16).to_le_bytes()).collect();
    assert_eq!(beside(&desk, "customer=17/x.ndjson", &wide), "");
    // An archive is cut within lines that are one statement by their first; a table may have come after it.
    let statement = format!("{{\"trans_date\":\"2026-03-02\",\"credit\":1,\"desc\":\"{noise}\"}}\n").into_bytes();
    let archive =
        super::archives::tar(&[("a.ndjson".to_owned(), statement), ("b.ndjson".to_owned(), line.into_bytes())]);
    let packed_archive = super::tables::gzip(&archive);
    assert_eq!(beside(&desk, "book.tar.gz", &packed_archive[..packed_archive.len() / 3]), "");
    // The checksum at its end.
    let at = packed.len() - 6;
    packed[at] ^= 1;
    assert_eq!(beside(&desk, "customer=17/x.csv.gz", &packed), "");
}
