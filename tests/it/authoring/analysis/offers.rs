//! Offers without a price: no property is proved over them, and those that never have a price are reported.

use lendwright::analysis::{analyse, analyse_bounds, without_offers};
use lendwright::compile;

const HEADER: &str = "[policy]\nname = \"c\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\n";

fn found(rules: &str) -> Vec<(&'static str, String)> {
    let text = format!("{HEADER}{rules}");
    let policy = compile("p.toml", &text, &mut |_| Err("no files".into()), &[])
        .unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    analyse(&policy).into_iter().map(|finding| (finding.code, finding.message)).collect()
}

/// The findings about an outcome that must not worsen as `request.x`, of this type, grows.
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
    why.map(|(_, message)| message.replace("the offer `x` for tenure 30 is never made, because ", "")).collect()
}

#[test]
fn what_keeps_an_amount_below_its_floor_is_named() {
    let with_more = |rest: &str, more: &str| {
        let why = never("", &format!("interest = 3\nfloor = 500\n{rest}\n[ask]\namount = \"request.m\"\n{more}"));
        why.replace("its amount never reaches its floor of 500.00: ", "")
    };
    let with = |rest: &str| with_more(rest, "");
    assert_eq!(with("amount = 1000\ncap = 300"), "the cap `300` is 300.00");
    assert_eq!(
        with("amount = 1000\ncap = [\"SUM(credit)\", \"LEAST(request.m, 400)\"]"),
        "the cap `LEAST(request.m, 400)` is 400.00 or less, or unknown"
    );
    assert_eq!(with("amount = 1000\nstep = 400"), "");
    assert_eq!(with("amount = 590\nstep = 400"), "in steps of 400.00 it is 400.00 or less");
    assert_eq!(with("amount = \"LEAST(SUM(credit), 400)\"\ncap = 300"), "the amount is 0.00 to 400.00");
    assert_eq!(
        with_more("amount = 1000", "[exposure]\nlimit = 200\n"),
        "the room under the limit of `[exposure]` is 200.00"
    );
}

/// Once for all tenures, at the interest, ignoring unknowns.
#[test]
fn an_interest_that_looks_like_a_fraction_is_marked() {
    let rules = "[request]\nk = \"count\"\n[[offer]]\nid = \"x\"\ntenure = [30, 60]\namount = 1000\n\
        interest = \"CASE WHEN request.k > 3 THEN 0.045 END\"\n";
    let text = format!("{HEADER}{rules}");
    let policy = compile("p.toml", &text, &mut |_| Err("no files".into()), &[]).unwrap();
    let found = analyse(&policy);
    let [finding] = &found[..] else { panic!("{found:?}") };
    assert_eq!(finding.message, "the interest of the offer `x` for tenure 30 is 0.045 percent per instalment period");
    assert!(
        text[finding.span.start as usize..].starts_with("\"CASE WHEN")
            || text[finding.span.start as usize..].starts_with("CASE WHEN")
    );
}

/// At its own places; findings in a shared file are reported once.
#[test]
fn a_challenger_is_looked_at_as_well() {
    let challenger = "challenger = { file = \"c.toml\", share = 0.1, salt = \"s\" }\nuse = [\"s.toml\"]\n[[offer]]\n\
        id = \"o\"\ntenure = 30\namount = 1000\ninterest = 3\n";
    let shared = "[parameters]\nleast = { value = 3, min = -1, max = 9 }\n[[require]]\nid = \"R\"\n\
        when = \"COUNT(*) >= 0\"\nreason = \"r\"\n";
    let other = format!(
        "{HEADER}use = [\"s.toml\"]\n[metric]\nidle = \"SUM(debit)\"\n[[require]]\nid = \"Q\"\n\
         when = \"COUNT(*) > $least\"\nreason = \"r\"\n"
    );
    let mut read = |name: &str| match name {
        "s.toml" => Ok(shared.to_owned()),
        _ => Ok(other.clone()),
    };
    let policy = compile("p.toml", &format!("{HEADER}{challenger}"), &mut read, &[]).unwrap();
    let told = |found: Vec<lendwright::base::diagnostic::Diagnostic>| -> Vec<String> {
        let at = |finding: &lendwright::base::diagnostic::Diagnostic| {
            policy.sources().get(finding.span).unwrap().name.clone()
        };
        found.iter().map(|finding| format!("{}: {}", at(finding), finding.code)).collect()
    };
    assert_eq!(told(analyse(&policy)), ["s.toml: always-met", "c.toml: unused"]);
    assert_eq!(told(analyse_bounds(&policy)), ["s.toml: always-met", "c.toml: unused", "c.toml: always-met"]);
    assert_eq!(told(without_offers(&policy)), ["c.toml: no-offer"]);
}

#[test]
fn offers_without_a_price_are_told() {
    let of = |rest: &str| never("", &format!("amount = 10000\n{rest}"));
    assert_eq!(of("interest = 2000"), "its interest cannot be priced: it is 2000");
    assert_eq!(of("interest = \"-3\""), "its interest cannot be priced: it is -3");
    assert_eq!(of("interest = 1000"), "");
    assert_eq!(of("interest = 3\ninstalments = 2.5"), "its instalments cannot be priced: they are 2.5");
    assert_eq!(of("interest = 3\ninstalments = \"0 * COUNT(*)\""), "its instalments cannot be priced: they are 0");
    assert_eq!(of("interest = 3\ninstalments = \"COUNT(*) / 7\""), "");
    assert_eq!(of("interest = 3\nfee = \"-5\""), "its fee cannot be priced: it is -5.00");
    assert_eq!(of("interest = 3\nfee = 10000"), "");
    let deducted = |rest: &str| never("fee_mode = \"deducted\"\n", &format!("interest = 3\n{rest}"));
    let all = "its fee takes the whole amount: the fee is 10,000.00, the amount 10,000.00";
    assert_eq!(deducted("amount = 10000\nfee = 10000"), all);
    assert_eq!(deducted("amount = 10000\nfee = 9999"), "");
    assert!(deducted("amount = \"request.m\"\nfee = \"amount\"").starts_with("its fee takes the whole amount"));
}

#[test]
fn what_holds_the_amount_down_is_named() {
    let of = |rest: &str| never("", &format!("interest = 3\namount = \"request.m\"\n{rest}"));
    assert_eq!(of("cap = \"0\""), "its amount is never above 0: the cap `0` is 0.00");
    let step = of("cap = 500\nstep = 1000");
    assert_eq!(step, "its amount is never above 0: it never reaches its step, which is 1,000.00");
    let floor = of("cap = 500\nfloor = 1000");
    assert!(floor.starts_with("its amount never reaches its floor of 1,000.00: "), "{floor}");
    assert_eq!(of("cap = 1000\nstep = 500\nfloor = 1000"), "");
}
