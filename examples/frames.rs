//! What the engine knows as Polars frames: metrics joined with what became of the loans, and a statement as a picture.
//!
//! `cargo run --example frames`

use std::collections::BTreeMap;
use std::error::Error;

use lendwright::generate::{Options, statement_json};
use lendwright::{Day, Money, load_policy, metrics, read_json, reading};
use polars::prelude::{DataFrame, DataFrameJoinOps, df};

fn main() -> Result<(), Box<dyn Error>> {
    let policy = load_policy("rules/starter.toml", &[])?;
    let today = Day::parse_iso("2026-10-31");

    // One row per statement, one column per metric.
    let mut tables = Vec::new();
    for index in 0..4 {
        let bytes = statement_json(2, index, &Options { debits: true, ..Options::default() })?;
        let statements = read_json(&bytes, &format!("statement {index}"), &reading(&policy))?;
        tables.push(metrics::table(&policy, &statements, today)?);
        if index == 0 {
            plot(statements.frame())?;
        }
    }
    let metrics = metrics::stack(tables)?;

    // What became of their loans, from your own books.
    let loans = df!(
        "statement" => ["statement 0", "statement 1", "statement 3"],
        "repaid" => [true, false, true],
    )?;
    let joined = metrics.inner_join(&loans, ["statement"], ["statement"])?;
    println!("\n{:<14}{:>12}{:>18}  repaid", "statement", "full months", "coming in");
    let (names, repaid) = (joined.column("statement")?.str()?, joined.column("repaid")?.bool()?);
    let (months, totals) = (joined.column("full_months")?.i64()?, joined.column("credit_total")?.i64()?);
    for row in 0..joined.height() {
        let total = Money::from_minor(totals.get(row).unwrap_or(0)).display(&policy.header().currency).to_string();
        let (name, months) = (names.get(row).unwrap_or(""), months.get(row).unwrap_or(0));
        println!("{name:<14}{months:>12}{total:>18}  {}", if repaid.get(row) == Some(true) { "yes" } else { "no" });
    }
    Ok(())
}

/// What came in and went out, month by month.
fn plot(frame: &DataFrame) -> Result<(), Box<dyn Error>> {
    let days = frame.column("trans_date")?.to_physical_repr();
    let (days, credits, debits) = (days.i32()?, frame.column("credit")?.i64()?, frame.column("debit")?.i64()?);
    let mut months: BTreeMap<Day, (i64, i64)> = BTreeMap::new();
    for row in 0..frame.height() {
        let Some(day) = days.get(row).and_then(Day::checked_from_days) else { continue };
        let month = months.entry(day.month_start()).or_default();
        month.0 += credits.get(row).unwrap_or(0);
        month.1 += debits.get(row).unwrap_or(0);
    }
    let most = months.values().map(|(credit, debit)| credit.max(debit)).max().copied().unwrap_or(1).max(1);
    let bar = |minor: i64, sign: &str| sign.repeat((minor * 40 / most) as usize);
    for (month, (credit, debit)) in months {
        println!("{} in  {}", &month.to_string()[..7], bar(credit, "+"));
        println!("        out {}", bar(debit, "-"));
    }
    Ok(())
}
