//! Rows and bins that look like a fallback for unknowns and are not, and rows that never win.

use lendwright::analysis::analyse;
use lendwright::compile;

const HEADER: &str = "[policy]\nname = \"c\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\n\n\
                      [bureau]\nscore = \"count\"\n";

fn unreachable(rules: &str) -> Vec<String> {
    let text = format!("{HEADER}{rules}");
    let policy = compile("p.toml", &text, &mut |_| Err("no files".into()), &[])
        .unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    let found = analyse(&policy).into_iter().filter(|finding| finding.code == "unreachable");
    found.map(|finding| finding.message).collect()
}

fn table(hit: &str, rows: &str) -> Vec<String> {
    unreachable(&format!(
        "\n[table.t]\nhit = \"{hit}\"\ninputs = [\"bureau.score\"]\n\
         outputs = {{ grade = {{ type = \"text\", values = [\"A\", \"B\", \"C\"] }} }}\nrows = [{rows}]\n"
    ))
}

#[test]
fn a_last_row_for_anything_is_no_fallback_for_the_unknown() {
    let found = table("first", "[\">= 600\", \"A\"], [\"< 600\", \"B\"], [\"-\", \"C\"]");
    assert_eq!(
        found,
        ["row 3 of `t` is never reached: earlier rows match all known values that it matches, \
             and where bureau.score is unknown they make the outputs unknown"]
    );
    assert_eq!(table("first", "[\">= 600\", \"A\"], [\"< 600\", \"B\"], [\"unknown\", \"C\"]"), [""; 0]);
    assert_eq!(table("first", "[\">= 600\", \"A\"], [\"< 500\", \"B\"], [\"-\", \"C\"]"), [""; 0]);
}

#[test]
fn nor_is_a_last_bin() {
    let bins = |bins: &str| {
        unreachable(&format!("\n[score]\nbase = 0\n\n[[score.item]]\non = \"bureau.score\"\npoints = [{bins}]\n"))
    };
    let found = bins("[\"< 3\", 1], [\">= 3\", 2], [\"-\", 9]");
    assert_eq!(found, ["this bin is never reached: earlier bins match every known `bureau.score`"]);
    assert_eq!(bins("[\"< 3\", 1], [\">= 3\", 2], [\"unknown\", 9]"), [""; 0]);
    assert_eq!(bins("[\"< 3\", 1], [\"-\", 9]"), [""; 0]);
}

#[test]
fn a_row_that_is_always_outranked_is_told() {
    let found = table("priority", "[\"< 3\", \"C\"], [\"-\", \"B\"]");
    assert!(
        found.len() == 1 && found[0].starts_with("row 1 of `t` is never reached: rows ranked before it"),
        "{found:?}"
    );
    assert_eq!(table("priority", "[\"< 3\", \"A\"], [\"-\", \"B\"]"), [""; 0]);
}
