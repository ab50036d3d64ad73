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

/// Why the offer is never made, if it never is.
fn never(header: &str, rest: &str) -> String {
    let rules = format!("{header}\n[request]\nm = \"money\"\n\n[[offer]]\nid = \"x\"\ntenure = 30\n{rest}\n");
    let why = found(&rules).into_iter().filter(|(code, _)| *code == "offer-never");
    why.map(|(_, message)| message.replace("the offer `x` over 30 is never made, ", "")).collect()
}

#[test]
fn offers_without_a_price_are_told() {
    let of = |rest: &str| never("", &format!("amount = 10000\n{rest}"));
    assert_eq!(of("interest = 2000"), "its interest has no price: it is 2000");
    assert_eq!(of("interest = \"-3\""), "its interest has no price: it is -3");
    assert_eq!(of("interest = 1000"), "");
    assert_eq!(of("interest = 3\ninstalments = 2.5"), "its instalments have no price: they are 2.5");
    assert_eq!(of("interest = 3\ninstalments = \"0 * COUNT(*)\""), "its instalments have no price: they are 0");
    assert_eq!(of("interest = 3\ninstalments = \"COUNT(*) / 7\""), "");
    assert_eq!(of("interest = 3\nfee = \"-5\""), "its fee has no price: it is -5.00");
    assert_eq!(of("interest = 3\nfee = 10000"), "");
    let deducted = |rest: &str| never("fee_mode = \"deducted\"\n", &format!("interest = 3\n{rest}"));
    let all = "its fee takes all of it: the fee is 10,000.00, the amount 10,000.00";
    assert_eq!(deducted("amount = 10000\nfee = 10000"), all);
    assert_eq!(deducted("amount = 10000\nfee = 9999"), "");
    assert!(deducted("amount = \"request.m\"\nfee = \"amount\"").starts_with("its fee takes all of it"));
}

#[test]
fn what_holds_the_amount_down_is_named() {
    let of = |rest: &str| never("", &format!("interest = 3\namount = \"request.m\"\n{rest}"));
    assert_eq!(of("cap = \"0\""), "its amount is never above 0: the cap `0` is 0.00");
    let step = of("cap = 500\nstep = 1000");
    assert_eq!(step, "its amount is never above 0: it never comes up to its step, which is 1,000.00");
    let floor = of("cap = 500\nfloor = 1000");
    assert!(floor.starts_with("its amount never comes up to its floor of 1,000.00: "), "{floor}");
    assert_eq!(of("cap = 1000\nstep = 500\nfloor = 1000"), "");
}
