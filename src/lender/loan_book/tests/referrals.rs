//! A referral in the book: its offers cannot be accepted before a person approves, and what the person makes of them is
//! an entry of its own kind.

use serde_json::{Value as Json, json};

use super::super::{
    APPROVED, Actor, BookError, ClaimAfter, DECLINED, Facts, LoanRow, NewDecision, Override, Person, PolicySaid,
    REFERRED, Verified,
};
use super::{Bench, acceptance, at, bench, offer};
use crate::base::time::DAY;
use crate::lender::loan::{Event, LoanState};
use crate::lender::store::tests::Place;

fn ada() -> Actor {
    Actor::Person(Person { name: "Ada".to_owned(), note: "pay slip seen".to_owned() })
}

fn decision(outcome: &str, record: Option<&[u8]>, offers: &[&str]) -> NewDecision {
    NewDecision {
        outcome: outcome.to_owned(),
        policy: ["p", "1", "d"].map(str::to_owned),
        record: record.map(<[u8]>::to_vec),
        offers: offers.iter().map(|id| offer(id)).collect(),
    }
}

/// A referral with one offer, if it were approved.
fn refer(bench: &Bench, reference: &str, customer: &str) -> LoanRow {
    let claimed = bench.new_loan(reference, customer);
    let decided = decision(REFERRED, Some(b"record"), &[&format!("O-{reference}")]);
    let facts = Facts { decision: Some(decided), ..Facts::default() };
    bench.advance(&claimed, &Event::Refer, &facts, ClaimAfter::Released, at(1))
}

fn overridden(decision: NewDecision, code: Option<&str>) -> Facts {
    let said = PolicySaid {
        outcome: REFERRED.to_owned(),
        policy: ["p", "1", "d"].map(str::to_owned),
        reasons: vec!["R1".to_owned()],
        most_minor: Some(10_000),
        currency: Some("566".to_owned()),
    };
    let overridden = Override { code: code.map(str::to_owned), policy_said: Some(said) };
    Facts { decision: Some(decision), overridden: Some(overridden), ..Facts::default() }
}

pub(crate) fn an_offer_of_a_referral_waits_for_a_person(place: &dyn Place) {
    let bench = bench(place);
    let (book, plan) = (&bench.book, &bench.plan);
    let (row, other) = (refer(&bench, "OR-1", "C-1"), refer(&bench, "OR-2", "C-2"));
    assert_eq!(book.list_offers(row.id).expect("offers").len(), 1);
    let early = bench.accept(&acceptance("O-OR-1", "C-1", "L-1", "1"));
    assert!(matches!(early, Err(BookError::Conflict("the offer cannot be accepted"))), "{early:?}");

    let approved = overridden(decision(APPROVED, None, &["O-LESS"]), None);
    let until = Event::Approved { until: at(7 * DAY) };
    let after = book.decide_loan(row.id, &until, &approved, &ada(), plan.at(at(2))).expect("an approval");
    assert_eq!(after.loan.state, LoanState::Answering);
    let declined = overridden(decision(DECLINED, None, &[]), Some("R1"));
    book.decide_loan(other.id, &Event::Disapproved, &declined, &ada(), plan.at(at(2))).expect("a decline");

    // The offer that would have been made is gone in both, and the policy's record stays.
    assert!(matches!(bench.accept(&acceptance("O-OR-1", "C-1", "L-1", "1")), Err(BookError::NotFound("offer"))));
    assert!(matches!(bench.accept(&acceptance("O-OR-2", "C-2", "L-2", "2")), Err(BookError::NotFound("offer"))));
    assert!(bench.accept(&acceptance("O-LESS", "C-1", "L-3", "3")).is_ok());
    for (loan, outcome) in [(row.id, APPROVED), (other.id, DECLINED)] {
        let outcomes = book.list_decisions(loan).expect("decisions").into_iter().map(|one| one.outcome);
        assert_eq!(outcomes.collect::<Vec<_>>(), [REFERRED, outcome]);
        assert_eq!(book.load_decision_record(loan).expect("a record").as_deref(), Some(&b"record"[..]));
    }
    let entry = |loan| {
        let story = book.list_audit(loan).expect("a story");
        let row = story.into_iter().find(|row| row.actor == "Ada").expect("Ada's entry");
        (row.event, serde_json::from_str::<Json>(&row.detail).expect("JSON"))
    };
    let (event, detail) = entry(row.id);
    assert_eq!((event.as_str(), &detail["note"]), ("override_approved", &json!("pay slip seen")));
    let (said, made) = (&detail["override"]["policy_said"], &detail["override"]["person_made"]);
    assert_eq!((&said["outcome"], &said["reasons"]), (&json!("refer"), &json!(["R1"])));
    assert_eq!(made[0]["offer"], "O-LESS");
    assert!(detail.get("decision").is_none(), "the policy did not decide so: {detail}");
    let (event, detail) = entry(other.id);
    assert_eq!((event.as_str(), &detail["override"]["code"]), ("override_declined", &json!("R1")));
    assert_eq!(detail["override"]["person_made"], json!([]));

    book.record_showing(row.id, &["record"], &ada(), at(3)).expect("an entry");
    let shown = book.list_audit(row.id).expect("a story").pop().expect("a row");
    assert_eq!((shown.event.as_str(), shown.actor.as_str()), ("personal_shown", "Ada"));
    assert!(matches!(book.verify_audit().expect("a check"), Verified::Whole { .. }));
}
