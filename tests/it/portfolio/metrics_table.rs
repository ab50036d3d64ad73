//! The table of metrics that backtests use: kept while nothing changes, and never over another file.

use super::{A, B, C, D, POLICY, desk, done, failed};

#[test]
fn a_table_of_metrics_is_kept_as_long_as_nothing_changes() {
    let desk = desk();
    let again = ["metrics", "--policy", "old.toml", "--as-of", "2026-10-31", A, B, C, D, "--out", "book.parquet"];
    assert!(done(&desk, &again).err.contains("nothing changed since it was made"));
    desk.write("old.toml", &POLICY.replace("MAX(credit)", "MAX(credit) FILTER (WHERE credit > 5)"));
    let said = done(&desk, &again);
    // The metric, its share, and the chance, which follows from the score.
    assert!(said.err.contains("3 of 9 columns were computed"), "{}", said.err);
    // A policy of before can still be judged: its columns stay.
    desk.write("before.toml", POLICY);
    done(&desk, &["backtest", "--policy", "before.toml", "book.parquet"]);
    // Another day is another table.
    let other = failed(&desk, &["backtest", "--policy", "old.toml", "--as-of", "2026-09-30", "book.parquet"]);
    assert!(other.contains("its metrics are as of 2026-10-31, and --as-of asks for 2026-09-30"), "{other}");
    desk.write("old.toml", &POLICY.replace("SUM(credit)", "SUM(credit) FILTER (WHERE credit > 5)"));
    let changed = failed(&desk, &["backtest", "--policy", "old.toml", "book.parquet"]);
    assert!(changed.contains("cannot be judged from metrics: `income`"), "{changed}");
    assert!(changed.contains("which computes only what changed"), "{changed}");
}

#[test]
fn metrics_of_one_formula_are_kept_each_under_its_name() {
    let desk = desk();
    let run = |more: &str| {
        desk.write("old.toml", &POLICY.replace("[metric]\n", &format!("[metric]\n{more}")));
        done(&desk, &["metrics", "--policy", "old.toml", "--as-of", "2026-10-31", A, B, C, D, "--out", "book.parquet"])
    };
    // One is taken from the column of the other; it is not computed.
    let said = run("received = \"SUM(credit)\"\n").err;
    assert!(said.contains("0 of 7 columns were computed"), "{said}");
    assert!(run("received = \"SUM(credit)\"\n").err.contains("nothing changed since it was made"));
    let said = run("received = \"SUM(credit)\"\nearned = \"income\"\n").err;
    assert!(said.contains("0 of 8 columns were computed"), "{said}");
    done(&desk, &["metrics", "--policy", "old.toml", "--as-of", "2026-10-31", A, B, C, D, "--out", "all.csv"]);
    assert_eq!(desk.read("all.csv").lines().count(), 41);
    done(&desk, &["backtest", "--policy", "old.toml", "book.parquet"]);
}

#[test]
fn the_file_of_values_replaces_no_other_file() {
    let desk = desk();
    // It asks for a value of the records that has no name.
    desk.write(
        "unnamed.toml",
        &POLICY.replace("income >= $least_income", "income >= $least_income AND MIN(credit) > 0"),
    );
    let made = ["metrics", "--policy", "unnamed.toml", A, "--out", "fresh.parquet"];
    desk.write("fresh.values.parquet", "mine");
    let said = failed(&desk, &made);
    assert!(said.contains("fresh.values.parquet: this name is for the values of `fresh.parquet`"), "{said}");
    assert_eq!(std::fs::read(desk.path().join("fresh.values.parquet")).expect("a file"), b"mine");
    done(&desk, &["metrics", "--policy", "unnamed.toml", B, "--out", "other.parquet"]);
    let copy =
        |from: &str, to: &str| std::fs::copy(desk.path().join(from), desk.path().join(to)).expect("it is copied");
    // Earlier values are replaced.
    copy("other.values.parquet", "fresh.values.parquet");
    done(&desk, &made);
    done(&desk, &["backtest", "--policy", "unnamed.toml", "fresh.parquet"]);
    let values = failed(&desk, &["backtest", "--policy", "unnamed.toml", "fresh.values.parquet"]);
    assert!(values.contains("these are the values beside a table of metrics; name the table"), "{values}");
    // Without its values, or with those of another table, a table serves no such policy.
    copy("fresh.parquet", "alone.parquet");
    for _ in ["no values", "those of another table"] {
        let alone = failed(&desk, &["backtest", "--policy", "unnamed.toml", "alone.parquet"]);
        assert!(alone.contains("or its `.values.parquet` is not beside it"), "{alone}");
        copy("other.values.parquet", "alone.values.parquet");
    }
    // A table of that name is no file of values. Old values go with the rules that needed them.
    copy("book.parquet", "table.values.parquet");
    let table = failed(&desk, &["metrics", "--policy", "unnamed.toml", A, "--out", "table.parquet"]);
    assert!(table.contains("this name is for the values of `table.parquet`"), "{table}");
    copy("other.values.parquet", "plain.values.parquet");
    done(&desk, &["metrics", "--policy", "old.toml", A, "--out", "plain.parquet"]);
    assert!(!desk.path().join("plain.values.parquet").exists());
}
