//! Findings about policies whose parameters have dated values or bounds. A finding must not say "always" for what holds
//! on some days, nor "proved" for what is proved of one value.

use lendwright::analysis::{analyse, analyse_bounds, list_value_ranges, policy_within_bounds};
use lendwright::base::diagnostic::Diagnostic;
use lendwright::compile;
use lendwright::rules::Policy;

use crate::fixtures::campaign;

const HEADER: &str = "[policy]\nname = \"p\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n";

fn policy(rules: &str) -> Policy {
    let text = if rules.contains("[policy]") { rules.to_owned() } else { format!("{HEADER}{rules}") };
    compile("p.toml", &text, &mut |_| Err("no files".into()), &[]).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"))
}

/// The findings, except about metrics that are there only for a property.
fn told(found: &[Diagnostic]) -> Vec<String> {
    found
        .iter()
        .filter(|finding| finding.code != "unused")
        .map(|finding| format!("{}: {}", finding.code, finding.message))
        .collect()
}

const REQUIRE: &str =
    "\n[metric]\nrecords = \"COUNT(*)\"\n\n[[require]]\nid = \"R\"\nwhen = \"records >= $least\"\nreason = \"r\"\n";

#[test]
fn what_is_so_on_some_days_is_told_with_them() {
    let values = |values: &str| told(&analyse(&policy(&format!("[parameters]\nleast = {{ {values} }}\n{REQUIRE}"))));
    let found = values("values = { 2025-01-01 = 0, 2026-07-01 = 5 }");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("always-met: ") && found[0].ends_with("(from 2025-01-01 to 2026-06-30)"), "{found:?}");
    let found = values("value = 5, values = { 2026-07-01 = 0 }");
    assert!(found.len() == 1 && found[0].ends_with("(from 2026-07-01 on)"), "{found:?}");
    let found = values("value = 0, values = { 2026-01-01 = 5, 2026-07-01 = -1 }");
    assert!(found.len() == 1 && found[0].ends_with("(until 2025-12-31, from 2026-07-01 on)"), "{found:?}");
    let found = values("value = 0, values = { 2026-07-01 = -1 }");
    assert!(found.len() == 1 && !found[0].contains('('), "{found:?}");
    assert_eq!(values("value = 2, values = { 2026-07-01 = 3 }"), Vec::<String>::new());
}

/// A gap between the values of two dates is not a gap: no day has a value in between.
#[test]
fn values_between_those_of_two_days_are_none() {
    let table = "\n[metric]\ndistance = \"$step\"\n\n[table.t]\nhit = \"first\"\ninputs = [\"distance\"]\n\
                 outputs = { out = \"text\" }\nrows = [[\"< 2\", \"a\"], \
                 [\"> 8\", \"b\"]]\n\n[[require]]\nid = \"R\"\nwhen = \"out <> 'b'\"\nreason = \"r\"\n";
    let found = told(&analyse(&policy(&format!(
        "[parameters]\nstep = {{ value = 1, values = {{ 2026-01-01 = 9 }} }}\n{table}"
    ))));
    assert!(!found.iter().any(|finding| finding.starts_with("gap")), "{found:?}");
    let found = told(&analyse(&policy(&format!(
        "[parameters]\nstep = {{ value = 1, values = {{ 2026-01-01 = 5 }} }}\n{table}"
    ))));
    let gap = found.iter().find(|finding| finding.starts_with("gap")).unwrap();
    assert!(gap.contains("distance = 5") && gap.ends_with("(from 2026-01-01 on)"), "{found:?}");
}

#[test]
fn a_property_is_tried_on_every_day() {
    let rules = "[parameters]\nsign = { value = 1, values = { 2026-07-01 = -1 } }\n\n[metric]\nrecords = \"COUNT(*)\"\n\
                 most = \"records * $sign\"\n\n\
                 [[property]]\nincreasing = \"records\"\nof = \"most\"\n";
    let found = told(&analyse(&policy(rules)));
    assert!(
        found.iter().any(|finding| finding.starts_with("not-monotone") && finding.ends_with("on 2026-07-01")),
        "{found:?}"
    );
}

#[test]
fn bounds_are_looked_at_where_asked() {
    let with = |value: &str| policy(&format!("[parameters]\nleast = {{ {value} }}\n{REQUIRE}"));
    let found = told(&analyse_bounds(&with("value = 5, min = 0, max = 9")));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("with `$least` at its min, 0: the requirement `R` can never fail"), "{found:?}");
    assert_eq!(told(&analyse_bounds(&with("value = 5, min = 1, max = 9"))), Vec::<String>::new());
    assert_eq!(told(&analyse_bounds(&with("value = 5"))), Vec::<String>::new());
    let found = told(&analyse_bounds(&with("value = 0, min = -3, max = 9")));
    assert!(
        found.len() == 1
            && found[0]
                .ends_with("; true for the parameters as written, but not for all values from their min to their max"),
        "{found:?}"
    );
    let found = told(&analyse_bounds(&with("value = 0, min = -3, max = 0")));
    assert!(found.len() == 1 && !found[0].contains("as written"), "{found:?}");
}

#[test]
fn rows_that_overlap_at_a_bound_are_told() {
    let rules = "[parameters]\nbound = { value = 5, min = 3, max = 9 }\n\n[table.t]\nhit = \"unique\"\n\
                 inputs = [\"COUNT(*)\"]\noutputs = { out = \"text\" }\n\
                 rows = [[\"< $bound\", \"a\"], [\">= 5\", \"b\"]]\n\n[[require]]\nid = \"R\"\nwhen = \"out = 'a'\"\n\
                 reason = \"r\"\n";
    let found = told(&analyse_bounds(&policy(rules)));
    assert!(
        found
            .iter()
            .any(|finding| finding.starts_with("gap: with `$bound` at its min, 3: ") && finding.contains("= 3")),
        "{found:?}"
    );
    assert!(found.iter().any(|finding| finding.starts_with("overlap: with `$bound` at its max, 9: ")), "{found:?}");
}

#[test]
fn a_proof_is_of_all_values_or_says_of_which() {
    let rules = |parameter: &str, expression: &str| {
        policy(&format!(
            "[parameters]\nfactor = {{ {parameter} }}\n\n[metric]\nrecords = \"COUNT(*)\"\nmost = \"{expression}\"\n\n\
             [[property]]\nincreasing = \"records\"\n\
             of = \"most\"\n"
        ))
    };
    assert_eq!(told(&analyse_bounds(&rules("value = 2, min = 0, max = 9", "records * $factor"))), Vec::<String>::new());
    let broken = rules("value = 2, min = -1, max = 9", "records * $factor");
    assert_eq!(told(&analyse(&broken)), Vec::<String>::new());
    let found = told(&analyse_bounds(&broken));
    assert!(found.len() == 1 && found[0].starts_with("not-monotone: with `$factor` at its min, -1: "), "{found:?}");
    // Negative only between its ends.
    let found =
        told(&analyse_bounds(&rules("value = 4, min = 0, max = 4", "records * ($factor * $factor - 4 * $factor)")));
    assert!(found.len() == 1 && found[0].starts_with("not-proved: how `most` changes"), "{found:?}");
}

#[test]
fn a_proof_through_a_cell_says_so() {
    let rules = "[parameters]\nbound = { value = 5, min = 3, max = 9 }\nother = { value = 5, min = 3, max = 9 }\n\n\
                 [metric]\nrecords = \"COUNT(*)\"\n\n\
                 [score]\nbase = 1\n\n[[score.item]]\non = \"records\"\npoints = [[\"< $bound\", 0], [\"-\", 5]]\n\n\
                 [[score.item]]\non = \"COUNT(DISTINCT bank)\"\n\
                 points = [[\"< $other\", 0], [\"-\", 5]]\n\n[[property]]\nincreasing = \"records\"\nof = \"score\"\n\n\
                 [[property]]\nincreasing = \"records\"\n\
                 of = \"twice\"\n";
    let rules = rules.replace("records = \"COUNT(*)\"\n", "records = \"COUNT(*)\"\ntwice = \"2 * records\"\n");
    let found = told(&analyse_bounds(&policy(&rules)));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("not-proved: how `score`") && found[0].contains("`$bound`"), "{found:?}");
}

/// The result for every possible value of a parameter lies within the predicted range.
#[test]
fn ranges_over_bounds_hold_those_of_each_value() {
    let rules = format!(
        "[parameters]\nleast = {{ value = 5, min = 2, max = 9 }}\n{REQUIRE}\n[[require]]\nid = \"S\"\n\
         when = \"above > 1\"\nreason = \"r\"\n"
    );
    let rules =
        rules.replace("records = \"COUNT(*)\"\n", "records = \"COUNT(*)\"\nabove = \"GREATEST(records, $least)\"\n");
    let policy = policy(&rules);
    let bounds =
        |policy: &Policy| list_value_ranges(policy).into_iter().find(|range| range.name == "above").unwrap().bounds();
    assert_eq!(bounds(&policy).0, Some(5.0));
    assert_eq!(bounds(&policy_within_bounds(&policy).unwrap()).0, Some(2.0));
}

/// All shipped policies compile alike with parameters anywhere within their bounds.
#[test]
fn shipped_policies_are_looked_at_over_their_bounds() {
    let policies = ["starter", "salary-advance", "small-business"];
    for name in &policies[..campaign::size(1, policies.len())] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("rules/{name}.toml"));
        let policy = lendwright::files::load_policy(path, &[]).unwrap();
        if policy.parameters().iter().any(|parameter| parameter.min.is_some()) {
            assert!(policy_within_bounds(&policy).is_some(), "{name}");
        }
        let found = analyse_bounds(&policy);
        println!("{name}: {:#?}", told(&found));
        assert!(
            found.iter().all(|finding| finding.code != "shadowing" && finding.code != "type"),
            "{name}: {:?}",
            told(&found)
        );
    }
}
