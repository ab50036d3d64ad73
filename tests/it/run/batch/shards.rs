//! Shards: together they equal the whole, and each reads little beyond its share.

use std::collections::BTreeSet;

use super::*;

/// Decisions and failures of all of four shards, each line once.
fn of_shards(desk: &Desk, args: &[&str]) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut decided, mut failed) = (BTreeSet::new(), BTreeSet::new());
    for shard in 1..=4 {
        let said = batch(desk, &[&["--restart", "--shard", &format!("{shard}/4")], args].concat());
        assert!(said.status == 0 || said.status == 3, "{}", said.err);
        let folder = format!("out/shard-{shard}-of-4");
        for (name, lines) in [("decisions", &mut decided), ("failures", &mut failed)] {
            for line in desk.read(&format!("{folder}/{name}.ndjson")).lines() {
                assert!(lines.insert(line.to_owned()), "{line}");
            }
        }
    }
    (decided, failed)
}

fn lines_of(desk: &Desk, name: &str) -> BTreeSet<String> {
    desk.read(name).lines().map(str::to_owned).collect()
}

/// Folders of `customers` customers, each with two months.
fn write_folders(desk: &Desk, customers: u32) {
    for row in rows(customers, 6) {
        let (customer, rest) = row.split_once(',').unwrap();
        let month = rest.split(',').nth(1).and_then(|day| day.get(..7)).unwrap();
        let name = format!("tables/customer={customer}/month={month}/part.csv");
        desk.write(&name, &format!("id,trans_date,credit,debit,desc\n{rest}\n"));
    }
}

#[test]
fn a_folder_of_another_shard_is_not_read() {
    let desk = Desk::new();
    write_folders(&desk, 24);
    assert_eq!(batch(&desk, &["tables"]).status, 0);
    let whole = lines_of(&desk, "out/decisions.ndjson");
    let inputs: BTreeSet<String> = lines_of(&desk, "out/inputs.ndjson");
    fs::remove_dir_all(desk.path().join("out")).unwrap();
    assert_eq!(of_shards(&desk, &["tables"]), (whole, BTreeSet::new()));
    let mut listed = BTreeSet::new();
    for shard in 1..=4 {
        let own = lines_of(&desk, &format!("out/shard-{shard}-of-4/inputs.ndjson"));
        // Customers with listed inputs are decided there, and nobody else.
        let decided = desk.read(&format!("out/shard-{shard}-of-4/decisions.ndjson"));
        for input in &own {
            let (_, customer) = input.split_once("customer=").unwrap();
            assert!(decided.contains(&format!("\"customer\":\"{}\"", &customer[..7])), "{input}");
        }
        listed.extend(own);
    }
    assert_eq!(listed, inputs);
}

/// A damaged file in one folder is a failure of its customer, in that customer's shard. A table that may be anybody's
/// fails everybody in each shard.
#[test]
fn failures_are_those_of_the_whole_wherever_they_lie() {
    for (name, text) in [
        ("tables/customer=c000003/bad.csv", "id,trans_date,credit,debit,desc\nr9,2026-01-01,5\n"),
        ("tables/customer=c000003/bad.parquet", "PAR1 no table PAR1"),
        ("tables/customer=c000003/other.csv", "customer,id,trans_date,credit\nc000005,r9,2026-01-01,5\n"),
        ("tables/customer=c000003/bad.csv", "customer,id,trans_date,credit\nc000005,r9,2026-01-01\n"),
        (
            "tables/customer=c000003/lines.ndjson",
            "{\"customer\":\"c000005\",\"id\":\"r9\",\"trans_date\":\"2026-01-01\",\"credit\":5}\n",
        ),
        ("tables/customer=NULL/bad.csv", "id,trans_date,credit\nr9,2026-01-01,5\n"),
        ("tables/bad.csv", "customer,id,trans_date,credit\nc000005,r9,2026-01-01\n"),
    ] {
        let desk = Desk::new();
        write_folders(&desk, 8);
        desk.write(name, text);
        assert!([0, 3].contains(&batch(&desk, &["tables"]).status));
        let whole = (lines_of(&desk, "out/decisions.ndjson"), lines_of(&desk, "out/failures.ndjson"));
        fs::remove_dir_all(desk.path().join("out")).unwrap();
        assert_eq!(of_shards(&desk, &["tables"]), whole, "{name}: {text}");
    }
}

/// Rows of other shards are decoded only as far as their customer, and the results are the same.
#[test]
fn shards_of_tables_in_order_are_the_whole() {
    let desk = Desk::new();
    let all = rows(300, 5);
    desk.write("sorted/t.csv", &csv(&all));
    desk.write("shuffled/t.csv", &csv(&shuffled(&all, 4)));
    super::large_parquet::write_table(&desk.path().join("t.parquet"), 300, 1 << 11, <[String]>::to_vec);
    for input in ["sorted", "shuffled", "t.parquet"] {
        let _ = fs::remove_dir_all(desk.path().join("out"));
        assert_eq!(batch(&desk, &[input]).status, 0);
        let whole = lines_of(&desk, "out/decisions.ndjson");
        assert_eq!(whole.len(), 300);
        fs::remove_dir_all(desk.path().join("out")).unwrap();
        assert_eq!(of_shards(&desk, &[input]), (whole, BTreeSet::new()), "{input}");
    }
}
