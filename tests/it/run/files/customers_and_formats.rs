//! Which file is what and whose it is: alike in every command, wherever the file comes from.

use std::fs;

use polars::prelude::{ParquetReader, ParquetWriter, SerReader, df};
use serde_json::Value;

use crate::fixtures::desk::{Desk, Said};

const POLICY: &str = "rules/small.toml";
const METRICS: [&str; 3] = ["metrics", "--policy", POLICY];
const BATCH: [&str; 7] = ["batch", "--policy", POLICY, "--out", "out", "--write", "metrics"];

/// A columns file for a bank's export that names no customer.
const COLUMNS: &str = "[columns]\ntrans_date = \"date\"\namount = \"amount\"\n[amount]\npositive = \"credit\"\n";
const CSV: &str = "date,amount\n2026-03-02,337.00\n2026-03-05,-13.37\n";

pub(crate) fn mt940(account: &str) -> String {
    format!(
        ":20:START\n:25:{account}\n:28C:1/1\n:60F:C260301NGN100,00\n:61:2603020302C50,00NTRFNONREF//A1\n:86:PAY\n\
         :62F:C260302NGN150,00\n-\n"
    )
}

pub(crate) fn camt(account: &str) -> String {
    let balance = |code: &str, day: &str, amount: &str| {
        format!(
            "<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy=\"NGN\">{amount}</Amt>\
             <CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>{day}</Dt></Dt></Bal>"
        )
    };
    format!(
        "<?xml version=\"1.0\"?><Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08\">\
         <BkToCstmrStmt><Stmt><Id>1</Id><Acct><Id><Othr><Id>{account}</Id></Othr></Id><Ccy>NGN</Ccy></Acct>{}{}<Ntry>\
         <Amt Ccy=\"NGN\">50.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>\
         <BookgDt><Dt>2026-03-02</Dt></BookgDt></Ntry></Stmt></BkToCstmrStmt></Document>",
        balance("OPBD", "2026-03-01", "100.00"),
        balance("CLBD", "2026-03-02", "150.00"),
    )
}

/// The rows of metrics of a run of `batch`, in order of the customers.
fn by_batch(desk: &Desk, more: &[&str]) -> (Said, Vec<Value>) {
    let said = desk.run(&[&BATCH[..], more].concat());
    let rows = if said.status == 1 { Vec::new() } else { rows(&desk.read("out/metrics.ndjson")) };
    let _ = fs::remove_dir_all(desk.path().join("out"));
    (said, rows)
}

fn rows(lines: &str) -> Vec<Value> {
    let mut rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    rows.sort_by_key(|row| row["customer"].to_string());
    rows
}

fn customers(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["customer"].as_str().unwrap_or("none")).collect()
}

#[test]
fn folders_say_whose_files_of_every_format_are_in_every_command() {
    let desk = Desk::new();
    desk.write("c.toml", COLUMNS);
    let mut frame =
        df!("date" => ["2026-03-02", "2026-03-05"], "amount" => [Some(337.0), Some(-13.37)]).expect("a frame");
    let mut parquet = Vec::new();
    ParquetWriter::new(&mut parquet).finish(&mut frame).expect("a file");
    let lines = "{\"date\":\"2026-03-02\",\"amount\":337.0}\n{\"date\":\"2026-03-05\",\"amount\":-13.37}\n";
    let list = format!("[{}]", lines.trim().replace('\n', ","));
    let tabs = CSV.replace(',', "\t");
    let declared = ["--columns", "c.toml"];
    for (file, bytes, options) in [
        ("t.csv", CSV.as_bytes(), &declared[..]),
        ("t.tsv", tabs.as_bytes(), &declared),
        ("t.ndjson", lines.as_bytes(), &declared),
        ("t.json", list.as_bytes(), &declared),
        ("t.parquet", &parquet, &declared),
        ("t.sta", mt940("A1").as_bytes(), &[]),
        ("t.txt", mt940("A1").as_bytes(), &[]),
        ("t.xml", camt("A1").as_bytes(), &[]),
        ("t", mt940("A1").as_bytes(), &[]),
    ] {
        let paths = ["K1", "K2"].map(|customer| format!("in-{file}/customer={customer}/{file}"));
        for path in &paths {
            fs::create_dir_all(desk.path().join(path).parent().unwrap()).unwrap();
            fs::write(desk.path().join(path), bytes).unwrap();
        }
        let inputs = [paths[0].as_str(), paths[1].as_str()];
        let said = desk.run(&[&METRICS[..], options, &inputs].concat());
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{file}");
        let alone = rows(&said.out);
        assert_eq!(customers(&alone), ["K1", "K2"], "{file}");
        let (said, together) = by_batch(&desk, &[options, &[format!("in-{file}").as_str()]].concat());
        assert_eq!((said.status, together), (0, alone), "{file}: {}", said.err);
        for command in ["decide", "explain"] {
            let said = desk.run(&[&[command, "--policy", POLICY], options, &inputs[..1]].concat());
            assert!(said.status == 0 && said.out.contains("K1"), "{command} {file}: {}{}", said.out, said.err);
        }
    }
}

#[test]
fn the_command_line_says_whose_a_file_is_unless_the_file_says_otherwise() {
    let desk = Desk::new();
    desk.write("c.toml", COLUMNS);
    desk.write("named.csv", "customer,date,amount\nK1,2026-03-02,337.00\n");
    desk.write("t.csv", CSV);
    desk.write("customer=K2/t.csv", CSV);
    desk.write("two.sta", &(mt940("A1") + &mt940("A2")));
    let declared = ["--columns", "c.toml"];
    for (customer, file, wanted) in [
        ("K1", "t.csv", Ok(&["K1"][..])),
        (" K1 ", "t.csv", Ok(&["K1"])),
        ("K1", "named.csv", Ok(&["K1"])),
        ("K9", "named.csv", Err("customer `K1` in a file that is said to be of customer `K9`")),
        ("K1", "customer=K2/t.csv", Err("the folder names customer `K2`")),
        ("K2", "customer=K2/t.csv", Ok(&["K2"])),
        // Each account is a statement of its own.
        ("K1", "two.sta", Ok(&["K1", "K1"])),
        ("K1", "in/statement-000001.json", Err("but the file is said to be of `K1`")),
    ] {
        let columns = if file.ends_with(".csv") { &declared[..] } else { &[] };
        let asked = [columns, &["--customer", customer, file]].concat();
        let said = desk.run(&[&METRICS[..], &asked].concat());
        let (batch, together) = by_batch(&desk, &asked);
        match wanted {
            Ok(wanted) => {
                assert_eq!((said.status, said.err.as_str()), (0, ""), "{file}");
                let alone = rows(&said.out);
                assert_eq!(customers(&alone), wanted, "{file}");
                assert_eq!((batch.status, together), (0, alone), "{file}: {}", batch.err);
            }
            Err(what) => {
                assert!(said.status == 1 && said.err.contains(what), "{file}: {}", said.err);
                assert!(batch.status != 0 && together.is_empty(), "{file}: {}", batch.err);
            }
        }
    }
    let said = desk.run(&[&METRICS[..], &["--customer", "17.0", "t.csv"]].concat());
    assert!(said.status == 2 && said.err.contains("no name of a customer"), "{}", said.err);
}

#[test]
fn one_customer_is_taken_out_of_files_that_name_several() {
    let desk = Desk::new();
    desk.write("c.toml", "[columns]\ncustomer = \"who\"\ntrans_date = \"date\"\ncredit = \"in\"\n");
    desk.write("both.csv", "who,date,in\nK1,2026-03-02,5\nK2,2026-03-02,6\n");
    desk.write("other.csv", "who,date,in\nK2,2026-03-03,7\n");
    let asked = |command: &str, customer: &str, more: &[&str]| {
        let only = [command, "--policy", POLICY, "--columns", "c.toml", "--only-customer", customer, "both.csv"];
        desk.run(&[&only[..], more].concat())
    };
    for command in ["metrics", "decide"] {
        let said = asked(command, "K1", &["other.csv"]);
        assert_eq!((said.status, customers(&rows(&said.out))), (0, vec!["K1"]), "{}", said.err);
        let said = asked(command, "K2", &["other.csv", "--merge"]);
        assert_eq!((said.status, customers(&rows(&said.out))), (0, vec!["K2"]), "{}", said.err);
        let said = asked(command, "K9", &["other.csv"]);
        let what = "none of the 2 files has a statement of the customer `K9`";
        assert!(said.status == 1 && said.out.is_empty() && said.err.contains(what), "{}", said.err);
    }
    // The table of one customer is not taken for one of all.
    for (customer, statements) in [("K1", 1), ("K2", 2)] {
        let said = asked("metrics", customer, &["other.csv", "--out", "book.parquet"]);
        let book = fs::File::open(desk.path().join("book.parquet")).unwrap();
        let rows = ParquetReader::new(book).finish().unwrap().height();
        assert_eq!((said.status, rows), (0, statements), "{}", said.err);
    }
    let said = asked("metrics", "K9", &["--out", "none.parquet"]);
    assert!(said.status == 1 && !desk.path().join("none.parquet").exists(), "{}", said.err);
}

#[test]
fn a_table_that_names_another_customer_than_its_folder_is_refused() {
    let desk = Desk::new();
    desk.write("c.toml", "[columns]\ncustomer = \"who\"\ntrans_date = \"date\"\ncredit = \"in\"\n");
    desk.write("named.toml", "[columns]\ntrans_date = \"date\"\ncredit = \"in\"\n[customer]\nfrom = \"file_name\"\n");
    // Folders are columns, so they may have the name that the columns file gives to the customer.
    for (path, declared, column) in [
        ("who=K1/t.csv", "c.toml", "who"),
        ("customer=K1/t.csv", "c.toml", "who"),
        ("who=K1/t.ndjson", "c.toml", "who"),
        ("customer=K1/t.ndjson", "c.toml", "who"),
        ("K1.csv", "named.toml", "customer"),
    ] {
        let write = |customer: &str| match path.ends_with("csv") {
            true => desk.write(path, &format!("{column},date,in\n{customer},2026-03-02,5\n")),
            false => desk.write(path, &format!("{{\"{column}\":\"{customer}\",\"date\":\"2026-03-02\",\"in\":5}}\n")),
        };
        write("K1");
        let asked = ["--columns", declared, path];
        let said = desk.run(&[&METRICS[..], &asked].concat());
        assert_eq!((said.status, customers(&rows(&said.out))), (0, vec!["K1"]), "{path}: {}", said.err);
        write("K2");
        let said = desk.run(&[&METRICS[..], &asked].concat());
        let what = "customer `K2` in a file whose folder or name says customer `K1`";
        assert!(said.status == 1 && said.err.contains(what), "{path}: {}", said.err);
        let (batch, together) = by_batch(&desk, &asked);
        assert!(batch.status != 0 && together.is_empty(), "{path}: {}", batch.err);
    }
}

#[test]
fn the_name_of_a_file_may_be_its_customer() {
    let desk = Desk::new();
    desk.write("c.toml", &format!("{COLUMNS}[customer]\nfrom = \"file_name\"\n"));
    // The same bytes are of different customers here.
    desk.write("in2/K1.csv", CSV);
    desk.write("in2/K2.csv", CSV);
    let said = desk.run(&[&METRICS[..], &["--columns", "c.toml", "in2/K1.csv", "in2/K2.csv"]].concat());
    let alone = rows(&said.out);
    assert_eq!((customers(&alone), said.err.as_str()), (vec!["K1", "K2"], ""));
    assert_eq!(by_batch(&desk, &["--columns", "c.toml", "in2"]).1, alone);
    // `explain` takes one customer out of many: another's file is not explained as this one's.
    let explain = ["explain", "--policy", POLICY, "--columns", "c.toml", "--only-customer"];
    let said = desk.run(&[&explain[..], &["K1", "in2/K1.csv", "in2/K2.csv"]].concat());
    assert!(said.status == 0 && said.out.contains("K1") && !said.out.contains("K2"), "{}{}", said.out, said.err);
    let said = desk.run(&[&explain[..], &["K1", "in2/K2.csv"]].concat());
    assert!(said.status == 1 && said.out.is_empty() && said.err.contains("`K1`"), "{}{}", said.out, said.err);
    let said = desk.run_with(&[&METRICS[..], &["--columns", "c.toml", "-"]].concat(), CSV);
    assert!(said.status == 1 && said.err.contains("has no file name"), "{}", said.err);
}

#[test]
fn a_file_of_nobody_is_refused_with_the_ways_to_say_whose_it_is() {
    let desk = Desk::new();
    desk.write("c.toml", COLUMNS);
    desk.write("t.csv", CSV);
    desk.write("t.ndjson", "{\"date\":\"2026-03-02\",\"amount\":337.0}\n");
    desk.write("t.json", "[{\"date\":\"2026-03-02\",\"amount\":337.0}]");
    for file in ["t.csv", "t.ndjson", "t.json"] {
        let said = desk.run(&[&METRICS[..], &["--columns", "c.toml", file]].concat());
        for way in ["[columns]", "--customer", "customer=K1", "from = \"file_name\"", "after = "] {
            assert!(said.status == 1 && said.err.contains(way), "{file}: {way} not in {}", said.err);
        }
    }
}

#[test]
fn standard_input_is_what_its_first_bytes_say() {
    let desk = Desk::new();
    desk.write("c.toml", COLUMNS);
    let declared = ["--columns", "c.toml", "--customer", "K1", "-"];
    let (spread, list) = ("{\n\"date\":\"2026-03-02\",\n\"amount\":5.0}", "[{\"date\":\"2026-03-02\",\"amount\":5.0}]");
    let lines = "{\"date\":\"2026-03-02\",\"amount\":5.0}\n";
    for (input, options) in [
        (CSV, &declared[..]),
        (lines, &declared),
        (spread, &declared),
        (list, &declared),
        (mt940("K1").as_str(), &["-"]),
        (camt("K1").as_str(), &["-"]),
    ] {
        let said = desk.run_with(&[&METRICS[..], options].concat(), input);
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{input}");
        let alone = rows(&said.out);
        assert_eq!(customers(&alone), ["K1"], "{input}");
        let said = desk.run_with(&[&BATCH[..], options].concat(), input);
        assert_eq!((said.status, rows(&desk.read("out/metrics.ndjson"))), (0, alone), "{input}");
        fs::remove_dir_all(desk.path().join("out")).unwrap();
    }
}

#[test]
fn files_that_are_no_statements_say_what_to_do() {
    let desk = Desk::new();
    desk.write("in2/t.sta", &mt940("K1"));
    desk.write("in2/pom.xml", "<?xml version=\"1.0\"?><project><version>1</version></project>");
    desk.write("in2/letter.txt", "Dear customer,");
    desk.write("in2/statement.pdf", "%PDF-1.7");
    desk.write("in2/book.xlsb", "PK");
    for (file, what) in [
        ("in2/pom.xml", "its root is project"),
        ("in2/letter.txt", "[file]"),
        ("in2/statement.pdf", "Tabula"),
        ("in2/book.xlsb", ".xlsx"),
    ] {
        let said = desk.run(&[&METRICS[..], &[file]].concat());
        assert!(said.status == 1 && said.err.contains(what), "{file}: {}", said.err);
        let (said, _) = by_batch(&desk, &[file]);
        assert!(said.status == 1 && said.err.contains(what), "{file}: {}", said.err);
    }
    // In a folder, what is seldom a statement is passed over; a workbook may hold records that would be missing.
    let (said, rows) = by_batch(&desk, &["in2"]);
    assert_eq!((said.status, rows.len()), (3, 0), "{}", said.err);
    fs::remove_file(desk.path().join("in2/book.xlsb")).unwrap();
    let (said, rows) = by_batch(&desk, &["in2"]);
    assert_eq!((said.status, customers(&rows)), (0, vec!["K1"]), "{}", said.err);
    // A declared layout makes a table of a text.
    desk.write("c.toml", &format!("{COLUMNS}[file]\ndelimiter = \"tab\"\n"));
    desk.write("t.txt", &CSV.replace(',', "\t"));
    let asked = ["--columns", "c.toml", "--customer", "K1", "t.txt"];
    let said = desk.run(&[&METRICS[..], &asked].concat());
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert_eq!(by_batch(&desk, &asked).1, self::rows(&said.out));
}

#[test]
fn members_and_packed_files_are_what_they_hold() {
    let desk = Desk::new();
    desk.write("c.toml", COLUMNS);
    let gzip = |bytes: &[u8]| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, bytes).unwrap();
        packed.finish().unwrap()
    };
    fs::write(desk.path().join("t.xml.gz"), gzip(camt("K1").as_bytes())).unwrap();
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in [
        ("a/K2.xml.gz", gzip(camt("K2").as_bytes())),
        ("a/K3.sta", mt940("K3").into_bytes()),
        ("a/notes.txt", b"Dear customer".to_vec()),
        ("a/K4.txt", mt940("K4").into_bytes()),
    ] {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, bytes.as_slice()).unwrap();
    }
    fs::write(desk.path().join("t.tar"), tar.into_inner().unwrap()).unwrap();
    let (said, rows) = by_batch(&desk, &["t.xml.gz", "t.tar"]);
    assert_eq!((said.status, customers(&rows)), (0, vec!["K1", "K2", "K3", "K4"]), "{}", said.err);

    let mut tar = tar::Builder::new(Vec::new());
    for customer in ["K1", "K2"] {
        let bytes = b"[{\"date\":\"2026-03-02\",\"amount\":337.0}]";
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, format!("customer={customer}/t.json"), &bytes[..]).unwrap();
    }
    fs::write(desk.path().join("t.tar"), tar.into_inner().unwrap()).unwrap();
    let (said, rows) = by_batch(&desk, &["--columns", "c.toml", "t.tar"]);
    assert_eq!((said.status, customers(&rows)), (0, vec!["K1", "K2"]), "{}", said.err);
}

#[test]
fn a_damaged_file_of_a_known_customer_stops_nobody_else() {
    let desk = Desk::new();
    desk.write("in2/customer=K1/t.sta", &mt940("A1").replace("150,00", "151"));
    desk.write("in2/customer=K2/t.sta", &mt940("A2"));
    let (said, rows) = by_batch(&desk, &["in2"]);
    assert_eq!((said.status, customers(&rows)), (3, vec!["K2"]), "{}", said.err);
}
