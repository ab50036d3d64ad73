//! The table of `lendwright serve` under load. Knows the names of the numbers, not their source.

use std::collections::BTreeMap;

type Found = BTreeMap<String, f64>;

const STORES: [(&str, &str); 2] = [("sqlite", "SQLite"), ("postgres", "PostgreSQL")];

/// Markdown for docs/reference/performance.md; empty without measurements.
pub fn table(found: &Found) -> String {
    let rows: String = STORES.iter().filter_map(|(name, store)| row(found, name, store)).collect();
    if rows.is_empty() {
        return rows;
    }
    format!(
        "\n| store | commits a second | accepted a second | of commits | p50 | p99 | paid out a second | \
         offers a second | Get Loan Status a second | p50 | p99 | p99 at half of that | beside attackers |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|\n{rows}"
    )
}

fn row(found: &Found, name: &str, store: &str) -> Option<String> {
    let commits = *found.get(&format!("service_{name}_commits_per_s"))?;
    let of = |what: &str| found.get(&format!("service_{name}_{what}")).copied().unwrap_or(f64::NAN);
    let time = |what: &str| format!("{:.1} ms", of(what) * 1e3);
    Some(format!(
        "| {store} | {commits:.0} | {:.0} | {:.2} | {} | {} | {:.0} | {:.0} | {:.0} | {} | {} | {} | {} |\n",
        of("accepted_per_s"),
        of("accepted_per_s") / commits,
        time("accepted_p50_s"),
        time("accepted_p99_s"),
        of("paid_out_per_s"),
        of("offers_per_s"),
        of("status_per_s"),
        time("status_p50_s"),
        time("status_p99_s"),
        time("status_alone_p99_s"),
        time("status_attacked_p99_s"),
    ))
}

#[test]
fn a_row_for_each_store() {
    assert_eq!(table(&Found::new()), "");
    let names = ["commits_per_s", "accepted_per_s", "accepted_p50_s", "accepted_p99_s"];
    let found = names.iter().zip([8000.0, 2000.0, 0.005, 0.0123]);
    let table = table(&found.map(|(name, value)| (format!("service_sqlite_{name}"), value)).collect());
    assert!(table.contains("| SQLite | 8000 | 2000 | 0.25 | 5.0 ms | 12.3 ms |"), "{table}");
    assert_eq!(table.lines().count(), 4);
}
