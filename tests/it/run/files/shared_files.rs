//! Files that may be of two people, and people in several files: joined where it is certain, refused where it is not.

use std::fs;

use serde_json::Value;

use super::customers_and_formats::mt940;
use crate::fixtures::desk::{Desk, Said};
use crate::run::batch::archives::zip;

const COLUMNS: &str = "[columns]\ntrans_date = \"date\"\namount = \"amount\"\n[amount]\npositive = \"credit\"\n";
const ADA: &str = "date,amount\n2026-03-02,337.00\n";
const BOLA: &str = "date,amount\n2026-03-05,500.00\n2026-03-06,-20.00\n";

/// What each record shows of debits and narrations.
const POLICY: &str = "[policy]\nname = \"p\"\nversion = \"1\"\ncurrency = \"566\"\nstatement_unit = \"major\"\n\
    time_zone = \"Africa/Lagos\"\n[metric]\nn = \"COUNT(*)\"\ninflow = \"SUM(credit)\"\noutflow = \"SUM(debit)\"\n\
    pays = \"COUNT(*) FILTER (WHERE desc ILIKE '%pay%')\"\nverdict = \"balance_verdict\"\n\
    [[offer]]\nid = \"o\"\ntenure = 30\namount = \"1000\"\ninterest = 1\n";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("p.toml", POLICY);
    desk
}

fn metrics(desk: &Desk, more: &[&str]) -> Said {
    desk.run(&[&["metrics", "--policy", "p.toml"], more].concat())
}

/// The rows of a batch, in order of the customers, and what failed.
fn batch(desk: &Desk, more: &[&str]) -> (Vec<Value>, String) {
    let said = desk.run(&[&["batch", "--policy", "p.toml", "--write", "metrics", "--out", "out"], more].concat());
    if said.status == 1 {
        return (Vec::new(), said.err);
    }
    let (rows, failed) = (desk.read("out/metrics.ndjson"), desk.read("out/failures.ndjson"));
    fs::remove_dir_all(desk.path().join("out")).unwrap();
    (rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), failed)
}

fn values<'r>(rows: &'r [Value], name: &str) -> Vec<&'r Value> {
    rows.iter().map(|row| &row[name]).collect()
}

#[test]
fn files_of_one_name_in_two_folders_may_be_of_two_people() {
    let desk = desk();
    for from in ["file_name", "folder", "file_name_in_any_folder"] {
        desk.write(&format!("{from}.toml"), &format!("{COLUMNS}[customer]\nfrom = \"{from}\"\n"));
    }
    desk.write("data/ada/export.csv", ADA);
    desk.write("data/bola/export.csv", BOLA);
    fs::write(
        desk.path().join("data.zip"),
        zip(&[("ada/export.csv".to_owned(), ADA.into()), ("bola/export.csv".to_owned(), BOLA.into())]),
    )
    .unwrap();
    let files = ["data/ada/export.csv", "data/bola/export.csv"];
    let refused = "have one name in two folders, and may be of two people";
    for more in [&["--merge"][..], &[]] {
        let said = metrics(&desk, &[&["--columns", "file_name.toml"], more, &files].concat());
        assert!(said.status == 1 && said.out.is_empty() && said.err.contains(refused), "{more:?}: {}", said.err);
    }
    for input in ["data", "data.zip"] {
        let (rows, failed) = batch(&desk, &["--columns", "file_name.toml", input]);
        assert!(rows.is_empty() && failed.contains(refused), "{input}: {failed}");
        let (rows, failed) = batch(&desk, &["--columns", "folder.toml", input]);
        assert_eq!(values(&rows, "customer"), ["ada", "bola"], "{input}");
        assert_eq!(failed, "", "{input}");
        let (rows, _) = batch(&desk, &["--columns", "file_name_in_any_folder.toml", input]);
        assert_eq!(values(&rows, "customer"), ["export"], "{input}");
        assert_eq!(values(&rows, "n"), [3], "{input}");
    }
    // One of them alone, and two of different names, are nobody else's.
    assert_eq!(metrics(&desk, &["--columns", "file_name.toml", files[0]]).status, 0);
    desk.write("data/bola/other.csv", BOLA);
    let said = metrics(&desk, &["--columns", "file_name.toml", files[0], "data/bola/other.csv"]);
    assert_eq!((said.status, said.out.lines().count()), (0, 2), "{}", said.err);
    let said = desk.run_with(&["metrics", "--policy", "p.toml", "--columns", "folder.toml", "-"], ADA);
    assert!(said.status == 1 && said.err.contains("the path names no folder"), "{}", said.err);
}

#[test]
fn folders_of_one_name_may_be_of_two_people() {
    let desk = desk();
    for from in ["folder", "folder_in_any_folder"] {
        desk.write(&format!("{from}.toml"), &format!("{COLUMNS}[customer]\nfrom = \"{from}\"\n"));
    }
    desk.write("data/ada/jan/t.csv", ADA);
    desk.write("data/bola/jan/t.csv", BOLA);
    let files = ["data/ada/jan/t.csv", "data/bola/jan/t.csv"];
    let refused = "are in two folders of one name, and may be of two people";
    let said = metrics(&desk, &[&["--columns", "folder.toml"][..], &files].concat());
    assert!(said.status == 1 && said.out.is_empty() && said.err.contains(refused), "{}", said.err);
    let (rows, failed) = batch(&desk, &["--columns", "folder.toml", "data"]);
    assert!(rows.is_empty() && failed.contains(refused), "{failed}");
    let (rows, _) = batch(&desk, &["--columns", "folder_in_any_folder.toml", "data"]);
    assert_eq!((values(&rows, "customer"), values(&rows, "n")), (vec![&Value::from("jan")], vec![&Value::from(3)]));
    // Two files in one folder are one person's, however the folder is named.
    desk.write("data/ada/jan/u.csv", BOLA);
    let said = metrics(&desk, &["--columns", "folder.toml", "--merge", files[0], "./data/ada/jan/u.csv"]);
    assert_eq!((said.status, said.out.lines().count()), (0, 1), "{}", said.err);
}

#[test]
fn a_label_before_two_texts_names_no_customer() {
    let desk = desk();
    let declared = "[file]\nheader = [\"date\", \"amount\"]\n[customer]\nafter = \"Account:\"\n";
    desk.write("c.toml", &format!("{declared}{COLUMNS}"));
    for (above, wanted) in [
        ("Account: 0012\n", Ok("0012")),
        ("Account: 0012\nPeriod: March\nAccount:,0012\n", Ok("0012")),
        ("Account: Savings\nAccount: 0012\n", Err("`Savings` and `0012` follow this label")),
        ("Account:,Savings,Account:,0012\n", Err("`Savings` and `0012` follow this label")),
    ] {
        desk.write("t.csv", &format!("{above}{ADA}"));
        let said = metrics(&desk, &["--columns", "c.toml", "t.csv"]);
        match wanted {
            Ok(customer) => assert!(said.out.contains(&format!("\"customer\":\"{customer}\"")), "{above}{}", said.err),
            Err(what) => assert!(said.status == 1 && said.err.contains(what), "{above}{}", said.err),
        }
    }
}

#[test]
fn a_column_that_one_part_lacks_is_unknown() {
    let desk = desk();
    desk.write(
        "jan.csv",
        "customer,trans_date,credit,debit,desc\nK1,2026-01-01,100,,PAY\nK1,2026-01-02,,40,PAY\nK3,2026-01-02,,7,PAY\n",
    );
    desk.write("feb.csv", "customer,trans_date,credit,desc\nK1,2026-02-01,100,PAY\nK2,2026-02-01,100,PAY\n");
    desk.write("mar.csv", "customer,trans_date,credit,debit\nK1,2026-03-01,100,\nK3,2026-03-02,,5\n");
    let null = &Value::Null;
    // In which order they are given, and who else is in them, makes no difference.
    for files in [["jan.csv", "feb.csv"], ["feb.csv", "jan.csv"]] {
        let (rows, _) = batch(&desk, &files);
        assert_eq!(values(&rows, "customer"), ["K1", "K2", "K3"]);
        assert_eq!(values(&rows, "outflow"), [null, null, &Value::from(700)], "{files:?}");
        assert_eq!(values(&rows, "pays"), [3, 1, 1], "{files:?}");
    }
    let (rows, _) = batch(&desk, &["jan.csv", "mar.csv"]);
    assert_eq!(values(&rows, "outflow"), [4_000, 1_200]);
    assert_eq!(values(&rows, "pays"), [null, null], "narrations are missing, not empty");
}

#[test]
fn an_entry_of_a_report_counts_once_with_its_statement() {
    let desk = desk();
    let report = |day: &str, amount: &str, text: &str, reference: &str| {
        format!(
            ":20:R\n:25:A1\n:28C:1/1\n:34F:NGN0,00\n:13D:2603021200+0100\n:61:26{day}{day}C{amount},00NTRF{reference}\n\
             :86:{text}\n-\n"
        )
    };
    desk.write("s.940", &mt940("A1"));
    let with = |report: &str| {
        desk.write("r.942", report);
        let (one, failed) = batch(&desk, &["s.940", "r.942"]);
        let (other, _) = batch(&desk, &["r.942", "s.940"]);
        let said =
            |rows: &[Value]| rows.iter().map(|row| (row["n"].clone(), row["inflow"].clone())).collect::<Vec<_>>();
        assert_eq!(said(&one), said(&other), "{report}");
        match one.as_slice() {
            [row] => format!("{} {} {}", row["n"], row["inflow"], row["verdict"].as_str().unwrap_or_default()),
            _ => failed,
        }
    };
    assert_eq!(with(&report("0302", "50", "PAY", "NONREF//A1")), "1 5000 verified");
    assert_eq!(with(&report("0302", "50", "PAY", "NONREF")), "1 5000 verified");
    assert_eq!(with(&report("0302", "50", "SHORTENED", "NONREF//A1")), "1 5000 verified");
    // The next day's report is not in the statement yet.
    assert_eq!(with(&report("0303", "70", "PAY", "NONREF")), "2 12000 unverifiable");
    for (amount, text, reference) in [("60", "PAY", "NONREF"), ("50", "RENT", "NONREF"), ("50", "PAY", "NONREF//A9")] {
        let failed = with(&report("0302", amount, text, reference));
        assert!(failed.contains("r.942: line 6 is of an interim report"), "{amount} {text}: {failed}");
        assert!(failed.contains("interim = 'report'"), "{failed}");
    }
    // Nor does the statement list an entry of a day between its balances on which it has none.
    desk.write("s.940", &mt940("A1").replace(":62F:C260302NGN", ":62F:C260305NGN"));
    assert!(with(&report("0304", "70", "PAY", "NONREF")).contains("the statement of that day does not list it"));
    assert_eq!(with(&report("0305", "70", "PAY", "NONREF")).split(' ').next(), Some("2"));
    desk.write("s.940", &mt940("A1"));
    desk.write("skip.toml", "skip = \"interim = 'report'\"\n");
    let (rows, _) = batch(&desk, &["--columns", "skip.toml", "s.940", "r.942"]);
    assert_eq!(values(&rows, "inflow"), [5_000]);
}

#[test]
fn an_entry_of_a_report_counts_once_in_a_merge_too() {
    let desk = desk();
    desk.write("s.940", &mt940("A1"));
    let merged = |day: &str, amount: &str, text: &str, reference: &str| {
        let report = ":20:R\n:25:A1\n:28C:1/1\n:34F:NGN0,00\n:13D:2603021200+0100\n";
        let entry = format!(":61:26{day}{day}C{amount},00NTRF{reference}\n:86:{text}\n-\n");
        desk.write("r.942", &format!("{report}{entry}"));
        let said = ["s.940 r.942", "r.942 s.940"].map(|files| {
            let said = metrics(&desk, &[&["--merge"][..], &files.split(' ').collect::<Vec<_>>()].concat());
            match serde_json::from_str::<Value>(&said.out) {
                Ok(row) => format!("{} {}", row["n"], row["inflow"]),
                Err(_) => said.err,
            }
        });
        let [one, other] = said;
        assert_eq!(one, other);
        one
    };
    assert_eq!(merged("0302", "50", "PAY", "NONREF//A1"), "1 5000");
    assert_eq!(merged("0302", "50", "PAY", "NONREF"), "1 5000");
    assert_eq!(merged("0302", "50", "SHORTENED", "NONREF//A1"), "1 5000");
    assert_eq!(merged("0303", "70", "PAY", "NONREF"), "2 12000");
    for (amount, text, reference) in [("60", "PAY", "NONREF"), ("50", "RENT", "NONREF"), ("50", "PAY", "NONREF//A9")] {
        let refused = merged("0302", amount, text, reference);
        assert!(refused.contains("r.942"), "{refused}");
        assert!(refused.contains("has an entry of an interim report on 2026-03-02"), "{refused}");
        assert!(refused.contains("interim = 'report'"), "{refused}");
    }
    // The statement has no entry on this day, but balances before and after it.
    desk.write("s.940", &mt940("A1").replace(":62F:C260302NGN", ":62F:C260305NGN"));
    assert!(merged("0304", "70", "PAY", "NONREF").contains("does not list it"));
    assert_eq!(merged("0305", "70", "PAY", "NONREF"), "2 12000");
}

#[test]
fn people_see_a_narration_as_it_was_printed() {
    let desk = desk();
    let policy = format!("{POLICY}[transaction]\nis_pay = \"desc = 'PAY MARCH'\"\n[[require]]\nid = \"R1\"\n");
    desk.write(
        "p.toml",
        &format!("{policy}when = \"COUNT(*) FILTER (WHERE is_pay) = 3\"\nelse = \"decline\"\nreason = \"no pay\"\n"),
    );
    desk.write(
        "t.csv",
        "customer,id,trans_date,credit,desc\nK1,1,2026-03-01,5,PAY MARCH\nK1,2,2026-03-02,5,\"' PAY  MARCH\"\n\
         K1,3,2026-03-03,5,\"PAY\tMARCH \"\n",
    );
    let said = desk.run(&["records", "--policy", "p.toml", "t.csv", "--format", "json"]);
    assert_eq!(said.status, 0, "{}", said.err);
    let rows: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(values(&rows, "desc"), ["PAY MARCH", "' PAY  MARCH", "PAY\tMARCH "]);
    assert_eq!(values(&rows, "is_pay"), [true, true, true]);
    let said = desk.run(&["decide", "--policy", "p.toml", "t.csv"]);
    assert!(said.out.contains("\"outcome\":\"offer\""), "{}{}", said.out, said.err);
    let said = desk.run(&["explain", "--policy", "p.toml", "--format", "json", "t.csv"]);
    assert!(said.status != 0 || said.out.contains("' PAY  MARCH"), "{}{}", said.out, said.err);
}
