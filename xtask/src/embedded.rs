//! The table of an embedded service under load. Knows the names of the numbers, not their source.

use std::collections::BTreeMap;

type Found = BTreeMap<String, f64>;

const ROWS: [(&str, &str); 5] = [
    ("50", "50% of capacity"),
    ("90", "90%"),
    ("50_reload", "50%, the policy replaced each second"),
    ("90_reload", "90%, the policy replaced each second"),
    ("150", "150%"),
];

/// Markdown for benches/README.md; empty without measurements.
pub fn table(found: &Found) -> String {
    let Some(capacity) = found.get("load_capacity_per_s") else { return String::new() };
    let alone_ms = found.get("load_alone_p50_s").copied().unwrap_or(f64::NAN) * 1e3;
    let mut lines = format!(
        "\nAn embedded service: {capacity:.0} decisions a second where something always waits; \
         one alone takes {alone_ms:.1} ms.\n\n\
         | load | asked a second | decided a second | p50 | p99 | p99.9 | of decisions | busy |\n\
         |---|---|---|---|---|---|---|---|\n"
    );
    for (name, load) in ROWS {
        let of = |what: &str| found.get(&format!("load_{name}_{what}")).copied().unwrap_or(f64::NAN);
        let time = |what: &str| format!("{:.1} ms", of(what) * 1e3);
        lines += &format!(
            "| {load} | {:.0} | {:.0} | {} | {} | {} | {} | {} |\n",
            of("asked_per_s"),
            of("decided_per_s"),
            time("p50_s"),
            time("p99_s"),
            time("p999_s"),
            of("decided"),
            of("busy"),
        );
    }
    lines
}

#[test]
fn a_row_for_each_load() {
    assert_eq!(table(&Found::new()), "");
    let names = [
        "capacity_per_s",
        "90_asked_per_s",
        "90_decided_per_s",
        "90_p50_s",
        "90_p99_s",
        "90_p999_s",
        "90_decided",
        "90_busy",
    ];
    let found = names.iter().zip([200.0, 180.0, 179.6, 0.0051, 0.02, 0.0305, 10_776.0, 2.0]);
    let table = table(&found.map(|(name, value)| (format!("load_{name}"), value)).collect());
    assert!(table.contains("200 decisions a second"), "{table}");
    assert!(table.contains("| 90% | 180 | 180 | 5.1 ms | 20.0 ms | 30.5 ms | 10776 | 2 |"), "{table}");
}
