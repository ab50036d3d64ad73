//! What a referral records, and how less of it is priced.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::json;

use super::{Decided, decide_by_policies};
use crate::base::time::Timestamp;
use crate::lender::loan_book::{NewDecision, OfferRow};
use crate::lender::operations::tests::PlainVault;
use crate::lender::runner::call::DecisionRequest;
use crate::lender::runner::private::{Vault, record_context};
use crate::lender::runner::{DecisionRecord, NotLowered, lower_offers};
use crate::rules::{Policies, compile};

const HEAD: &str = "[policy]\nname = 'p'\nversion = '1'\ncurrency = '566'\ntime_zone = 'Africa/Lagos'\n\
    [request]\namount = 'money'\n[metric]\nrecords = 'COUNT(*)'\nincome = 'SUM(credit)'\n\
    [[require]]\nid = 'R1'\nwhen = 'records >= 3'\nelse = 'refer'\nreason = 'Only {records} records'\n";

/// Priced by the amount, as the shipped policies are.
const BY_AMOUNT: &str = "[ask]\namount = 'request.amount'\n[[offer]]\nid = 'one'\ntenure = 30\namount = 60000\n\
    step = 500\nfloor = 10000\ninterest = 4\nfee = '0.01 * amount'\n[[offer]]\nid = 'small'\ntenure = 60\n\
    amount = 20000\ninterest = 5\nfee = '0.01 * amount'\n";

/// The same terms for every amount.
const FIXED: &str = "[[offer]]\nid = 'one'\ntenure = 90\ninstalments = 3\namount = 60000\nfloor = 10000\nstep = 500\n\
    interest = 4\nmethod = 'reducing'\nfee = 100\n[[offer]]\nid = 'large'\ntenure = 30\namount = 60000\nfloor = 50000\n\
    interest = 3\n";

fn policies(offers: &str) -> Arc<Policies> {
    let policy = compile("p.toml", &format!("{HEAD}{offers}"), &mut |_| Err("no other files".into()), &[]).unwrap();
    Arc::new(Policies::from(policy))
}

fn statement(records: usize) -> Bytes {
    let record =
        |number: usize| json!({"id": format!("{number}"), "credit": 1_000.5, "trans_date": "2026-01-03T09:00:00Z"});
    let records: Vec<_> = (0..records).map(record).collect();
    json!({"status": "success", "data": {"transactions": records}}).to_string().into()
}

/// What a referral is recorded as.
struct Referral {
    decided: NewDecision,
    record: DecisionRecord,
}

fn refer(policies: &Policies, amount_minor: Option<i64>) -> Referral {
    let request = DecisionRequest {
        reference: "OR-1".to_owned(),
        customer_id: "C-1".to_owned(),
        request: json!({ "amount": amount_minor, "channel_code": "USSD" }),
        own: Default::default(),
        found: Default::default(),
    };
    let now = Timestamp::from_milliseconds(1_767_600_000_000).unwrap();
    let Decided { outcome, record, .. } = decide_by_policies(policies, &request, &statement(2), now);
    assert_eq!(outcome.event.word(), "decided_refer", "{:?}", outcome.facts.note);
    let sealed = PlainVault(1).seal(&record_context("OR-1"), &record.unwrap()).unwrap();
    let record = DecisionRecord::open(&PlainVault(1), "OR-1", &sealed).unwrap();
    assert!(DecisionRecord::open(&PlainVault(1), "OR-2", &sealed).is_err());
    Referral { decided: outcome.facts.decision.unwrap(), record }
}

fn shown(rows: &[OfferRow]) -> Vec<String> {
    let one = |row: &OfferRow| {
        let offer = &row.offer;
        format!("{} +{} = {} {:?}", offer.amount_offered, offer.fee, offer.amount_payable, row.terms.payments_minor)
    };
    rows.iter().map(one).collect()
}

#[test]
fn a_referral_records_the_offers_that_would_be_made_and_what_a_person_needs() {
    let policies = policies(BY_AMOUNT);
    let Referral { decided, record } = refer(&policies, None);
    assert_eq!(decided.outcome, "refer");
    let made = ["6000000 +60000 = 6300000 [6300000]", "2000000 +20000 = 2120000 [2120000]"];
    assert_eq!(shown(&decided.offers), made);
    // The public decision has the shape that it had: a referral makes no offers.
    assert!(record.decision.offers.is_empty() && !record.decision.to_line().contains("if_approved"));
    assert_eq!(record.decision.reasons[0].id, "R1");
    let case = record.case.unwrap();
    let facts = &case.facts;
    assert_eq!((facts.records.len(), facts.explanation.requirements.len()), (2, 1));
    assert_eq!(facts.if_approved.offers[0].least_minor, 1_000_000);
    assert_eq!(case.statement, statement(2));
}

#[test]
fn a_referral_that_nothing_can_be_offered_for_says_why() {
    let unknown = "[[offer]]\nid = 'one'\ntenure = 30\namount = 'request.amount'\ninterest = 4\n";
    let too_low = "[[offer]]\nid = 'one'\ntenure = 30\namount = 10\nfloor = 20\ninterest = 4\n";
    for (offers, why) in [(unknown, "its amount is unknown"), (too_low, "less can be lent than its floor")] {
        let Referral { decided, record } = refer(&policies(offers), None);
        assert!(decided.offers.is_empty());
        let text = record.case.unwrap().facts.if_approved.why_none.unwrap();
        assert!(text.contains(why), "{text}");
    }
}

#[test]
fn less_is_priced_by_the_policy_as_if_the_customer_had_asked_for_it() {
    let policies = policies(BY_AMOUNT);
    let referred = refer(&policies, Some(9_000_000));
    let load = || Ok(Arc::clone(&policies));
    let lower = |minor| lower_offers(&referred.record, minor, &load);
    let lowered = lower(3_000_000).unwrap();
    // Byte for byte what the policy offers a customer who asks for it.
    let requested = refer(&policies, Some(3_000_000)).decided.offers;
    assert_eq!(lowered, requested);
    assert_eq!(shown(&lowered)[0], "3000000 +30000 = 3150000 [3150000]");
    assert_ne!(lowered[0].offer.offer_id, referred.decided.offers[0].offer.offer_id);
    let refused = [
        (6_000_001, "the policy lends NGN 0.01 to NGN 60,000.00 here, not NGN 60,000.01"),
        (0, "the policy lends NGN 0.01 to NGN 60,000.00 here, not NGN 0.00"),
        (3_000_100, "the policy would lend NGN 30,000.00 then, not NGN 30,001.00; approve it with that amount"),
    ];
    for (minor, why) in refused {
        assert_eq!(lower(minor).unwrap_err().to_string(), why);
    }
}

#[test]
fn a_price_that_follows_from_the_amount_needs_the_policy_that_decided() {
    let by_amount = policies(BY_AMOUNT);
    let referred = refer(&by_amount, None).record;
    let other = policies(&BY_AMOUNT.replace("interest = 4", "interest = 9"));
    let gone = NotLowered::PolicyGone("p 1".to_owned());
    assert_eq!(lower_offers(&referred, 3_000_000, &|| Ok(Arc::clone(&other))), Err(gone.clone()));
    assert_eq!(lower_offers(&referred, 3_000_000, &|| Err("unreadable".to_owned())), Err(gone));
    // It lends the same whatever is requested.
    let deaf = policies(&BY_AMOUNT.replace("[ask]\namount = 'request.amount'\n", ""));
    let referred = refer(&deaf, None).record;
    assert_eq!(lower_offers(&referred, 3_000_000, &|| Ok(Arc::clone(&deaf))), Err(NotLowered::IgnoresAmount));
}

#[test]
fn terms_that_no_amount_changes_price_less_without_the_policy() {
    let referred = refer(&policies(FIXED), None);
    let lower = |minor| lower_offers(&referred.record, minor, &|| panic!("no policy is needed"));
    let lowered = lower(3_000_000).unwrap();
    // Below the floor of the other offer, so it is not made. What the pricing page says of these terms: an annuity.
    assert_eq!(shown(&lowered), ["3000000 +10000 = 3253137 [1091046, 1081046, 1081045]"]);
    assert_eq!(shown(&lower(6_000_000).unwrap()), shown(&referred.decided.offers));
    assert_eq!(lower(5_000_000).unwrap().len(), 2);
    assert!(matches!(lower(3_000_001), Err(NotLowered::Step { .. })));
    assert!(matches!(lower(999_999), Err(NotLowered::Bounds { .. })));
}
