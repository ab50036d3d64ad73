//! Offers that have no price: a property is not proved over them, and those that never have one are told.

use lendwright::analysis::analyse;
use lendwright::compile;

const HEADER: &str = "[policy]\nname = \"c\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\n";

fn found(rules: &str) -> Vec<(&'static str, String)> {
    let text = format!("{HEADER}{rules}");
    let policy = compile("p.toml", &text, &mut |_| Err("no files".into()), &[])
        .unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    analyse(&policy).into_iter().map(|finding| (finding.code, finding.message)).collect()
}

/// What is told of an outcome that more of `request.x`, of this type, should not worsen.
fn of_outcome(header: &str, ty: &str, offer: &str) -> Vec<&'static str> {
    let rules = format!(
        "{header}\n[request]\nx = \"{ty}\"\n\n[[offer]]\nid = \"x\"\ntenure = 30\ninterest = 3\n{offer}\n\n\
         [[property]]\nincreasing = \"request.x\"\nof = \"outcome\"\n"
    );
    found(&rules).into_iter().map(|(code, _)| code).collect()
}

#[test]
fn instalments_must_stay_whole() {
    let of = |instalments: &str| of_outcome("", "count", &format!("amount = 10000\ninstalments = \"{instalments}\""));
    assert_eq!(of("1 + LEAST(GREATEST(request.x, 0), 10) / 2"), ["not-monotone"]);
    assert_eq!(of("1 + LEAST(GREATEST(request.x, 0), 10)"), [""; 0]);
}

#[test]
fn a_fee_that_is_deducted_must_leave_something() {
    let of = |header: &str, rest: &str| of_outcome(header, "money", rest);
    let deducted = "fee_mode = \"deducted\"\n";
    let rising = "amount = 10000\nfee = \"GREATEST(request.x, 0)\"";
    assert_eq!(of(deducted, rising), ["not-monotone"]);
    assert_eq!(of("", rising), [""; 0]);
    let bounded = "amount = 10000\nfee = \"LEAST(GREATEST(request.x, 0), 9000)\"";
    assert_eq!(of(deducted, bounded), [""; 0]);
    let income = "amount = \"LEAST(GREATEST(request.x, 0), 10000)\"\nfee = ";
    assert_eq!(of(deducted, &format!("{income}\"amount * 0.02\"")), [""; 0]);
    assert_eq!(of(deducted, &format!("{income}500")), [""; 0]);
}
