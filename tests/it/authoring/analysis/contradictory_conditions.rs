//! Conditions on one value that cannot hold together, or of which one always holds.

use lendwright::analysis::analyse;
use lendwright::compile;

/// The codes of the findings about a requirement.
fn of(when: &str) -> Vec<&'static str> {
    let text = format!(
        "[policy]\nname = \"p\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\n[parameters]\n\
         least = {{ value = 5 }}\n\n\
         [request]\na = \"count\"\nb = \"number\"\nt = \"text\"\nyes = \"boolean\"\n\n[metric]\nn = \"COUNT(*)\"\n\n\
         [[require]]\nid = \"R\"\nwhen = \"{when}\"\n\
         reason = \"{{request.a}} {{request.b}} {{request.t}} {{request.yes}} {{n}} {{$least}}\"\n"
    );
    let policy = compile("p.toml", &text, &mut |_| Err("no files".into()), &[])
        .unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    analyse(&policy).into_iter().map(|finding| finding.code).filter(|code| code.ends_with("-met")).collect()
}

#[test]
fn what_cannot_hold_together_is_told() {
    for when in [
        "n BETWEEN 5 AND 3",
        "n >= 6 AND n <= 3",
        "n > 5 AND n < 6",
        "request.b > 5 AND request.b < 5",
        "n >= 6 AND (request.b > 0 AND NOT (n > 3))",
        "request.t = 'A' AND request.t = 'B'",
        "as_of > DATE '2020-01-01' AND as_of < DATE '2019-01-01'",
        "request.yes AND NOT request.yes",
        "n > $least AND n < $least",
        "5 < n AND 3 > n",
        "NOT (n < 6 OR n > 3)",
        "request.t = 'A' AND request.t <> 'A'",
        "request.t <> 'A' AND request.t = 'A'",
        "(request.yes OR n > 3) AND NOT (request.yes OR n > 3)",
    ] {
        assert_eq!(of(when), ["never-met"], "{when}");
    }
    for when in [
        "request.a > 5 OR request.a <= 5",
        "n > 5 OR n < 6",
        "request.yes OR NOT request.yes",
        "NOT (n >= 6 AND n <= 3)",
    ] {
        assert_eq!(of(when), ["always-met"], "{when}");
    }
}

#[test]
fn what_can_hold_together_is_left_alone() {
    for when in [
        "n >= 3 AND n <= 6",
        "n >= 5 AND n <= 5",
        "request.b > 5 AND request.b < 6",
        "request.t = 'A' OR request.t = 'B'",
        "request.t <> 'A' AND request.t <> 'B'",
        "n > 5 OR n < 5",
        "request.a > 5 AND n < 3",
        "n >= 6 OR n <= 3",
        "request.yes OR n > 3",
    ] {
        assert_eq!(of(when), Vec::<&str>::new(), "{when}");
    }
}
