//! `performance`: from months of loans to outcomes that a backtest reads.

use super::{A, desk, done, failed, json};

#[test]
fn months_of_loans_become_outcomes() {
    let desk = desk();
    let all = done(&desk, &["backtest", "--policy", "old.toml", "book.parquet", "--format", "json"]);
    assert!(json(&all)["customers"].as_u64() == Some(40));
    done(&desk, &["metrics", "--policy", "old.toml", "--as-of", "2026-10-31", A, "--out", "a.csv"]);
    let names: Vec<String> =
        desk.read("a.csv").lines().skip(1).filter_map(|row| row.split(',').next().map(str::to_owned)).collect();
    let mut months = "customer,month,days_past_due\n".to_owned();
    for (at, name) in names.iter().enumerate() {
        // Every second is a month later each month, and 120 days late in April.
        for (month, late) in [(1, 0), (2, 30), (3, 60), (4, 120)] {
            months += &format!("{name},2026-0{month},{}\n", if at % 2 == 0 { late } else { 0 });
        }
    }
    desk.write("months.csv", &months);
    let said = done(&desk, &["performance", "months.csv", "--out", "loans.csv"]);
    assert!(said.out.contains("10 have an outcome, 5 of them are bad (50.0%)"), "{}", said.out);
    insta::assert_snapshot!(said.out);
    assert!(desk.read("loans.csv").contains(",1,2026-01-31,2026-04-30,2026-04-30"), "{}", desk.read("loans.csv"));
    let known = done(
        &desk,
        &["backtest", "--policy", "old.toml", "--outcomes", "loans.csv", "book.parquet", "--format", "json"],
    );
    assert_eq!(json(&known)["outcomes"]["bad"].as_u64(), Some(5));
    // Within two months none is bad, and everybody was observed for as long.
    let early = done(&desk, &["performance", "months.csv", "--within", "2", "--format", "json"]);
    assert_eq!((json(&early)["known"].as_u64(), json(&early)["bad"].as_u64()), (Some(10), Some(0)));
    desk.write("wrong.csv", "customer,month\na,2026-01\n");
    assert!(failed(&desk, &["performance", "wrong.csv"]).contains("the column `days_past_due` is missing"));
    // Two loans of a customer are apart, and the table of outcomes names them.
    let name = &names[0];
    let rows = ["1,2026-01,0", "2,2026-01,95"].map(|row| format!("{name},{row}\n")).concat();
    desk.write("several.csv", &format!("customer,loan,month,days_past_due\n{rows}"));
    assert!(done(&desk, &["performance", "several.csv"]).out.contains("2 loans"));
    done(&desk, &["performance", "several.csv", "--out", "two.csv"]);
    assert_eq!(desk.read("two.csv").lines().count(), 3);
}
