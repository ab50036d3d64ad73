//! What the book must do on every database. Each case runs in memory, on a file and, in `postgres`, on PostgreSQL.

use std::sync::Arc;
use std::time::Duration;

use super::{
    DecisionBook, DecisionFilter, DecisionName, DecisionRole, KeptDecision, KeptPolicy, MIGRATIONS, NewDecision,
    OutcomeRecorded, RequestMark,
};
use crate::base::date::Day;
use crate::base::digest::Digest;
use crate::base::time::Timestamp;
use crate::engine::decision::{Decision, Request, decide};
use crate::lender::process::BookVault;
use crate::lender::runner::Vault;
use crate::lender::store::error::StoreError;
use crate::lender::store::seal::keys;
use crate::lender::store::tests::Place;
use crate::portfolio::LoanOutcome;
use crate::rules::compile;
use crate::statement::read_json;

/// The cases as tests, each handed to `$run`, which finds it a place.
macro_rules! decision_book_conformance {
    ($run:path) => {
        $crate::decision_book::tests::decision_book_conformance! { $run:
            a_decision_comes_back_as_it_was_answered, equal_requests_are_one_decision,
            what_became_of_a_loan_is_kept_once, shadows_are_kept_with_their_answer,
            an_erased_decision_is_still_counted, decisions_are_listed_by_their_moment,
            a_policy_is_noted_once, wrong_keys_are_refused
        }
    };
    ($run:path: $($case:ident),*) => {
        $(
            #[test]
            fn $case() {
                $run($crate::decision_book::tests::$case)
            }
        )*
    };
}
pub(crate) use decision_book_conformance;

mod in_memory {
    fn run(case: fn(&dyn crate::lender::store::tests::Place)) {
        case(&crate::lender::store::sqlite::tests::Memory);
    }
    crate::decision_book::tests::decision_book_conformance!(run);
}

mod in_a_file {
    fn run(case: fn(&dyn crate::lender::store::tests::Place)) {
        case(&crate::lender::store::sqlite::tests::Folder::new());
    }
    crate::decision_book::tests::decision_book_conformance!(run);
}

fn at(milliseconds: i64) -> Timestamp {
    Timestamp::from_milliseconds(1_767_225_600_000 + milliseconds).expect("a moment")
}

/// Keys of which each digit is this letter.
fn vault(letter: char) -> Arc<dyn Vault> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("keys");
    let key = letter.to_string().repeat(64);
    std::fs::write(&path, format!("1:{key}\nlookup:{}\n", "9".repeat(64))).expect("a file");
    #[cfg(unix)]
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("a mode");
    Arc::new(BookVault::Keys(Box::new(keys::from_file(&path).expect("keys"))))
}

fn open(place: &dyn Place) -> DecisionBook {
    DecisionBook::open(place.open(MIGRATIONS).expect("a database"), vault('a')).expect("a book")
}

/// A decision on one record: an offer from 1,000 on.
fn decision(customer: &str, credit: &str) -> Box<Decision> {
    let rules = "[policy]\nname = 'small'\nversion = '1'\ncurrency = '566'\ntime_zone = 'Africa/Lagos'\n\
                 [metric]\nincome = 'SUM(credit)'\n[[require]]\nid = 'R01'\nwhen = 'income >= 1000'\n\
                 reason = 'little'\n[[offer]]\nid = 'loan'\ntenure = 30\namount = '0.5 * income'\ninterest = 3\n";
    let policy = compile("small.toml", rules, &mut |_| Err("no files".into()), &[]).expect("a policy");
    let body = format!(r#"[{{"id": "1", "credit": {credit}, "trans_date": "2026-10-30"}}]"#);
    let statements = read_json(body.as_bytes(), "ref-1", &crate::engine::decision::reading(&policy)).expect("read");
    let request = Request::on(Day::from_ymd(2026, 10, 31).expect("a day")).with_customer(customer);
    Box::new(decide(&policy, &statements, &request).expect("decided").remove(0))
}

fn new(id: &str, moment: i64, decision: Box<Decision>) -> NewDecision {
    NewDecision {
        id: id.to_owned(),
        at: at(moment),
        role: DecisionRole::InForce,
        caller: "till".to_owned(),
        mark: None,
        took: Duration::from_micros(900),
        sources: Vec::new(),
        decided: Ok(decision),
    }
}

fn list(book: &DecisionBook, filter: DecisionFilter) -> Vec<KeptDecision> {
    let mut all = Vec::new();
    book.for_each(&filter, &mut |kept| {
        all.push(kept);
        Ok::<_, StoreError>(())
    })
    .expect("a list");
    all
}

pub(crate) fn a_decision_comes_back_as_it_was_answered(place: &dyn Place) {
    let book = open(place);
    let decision = decision("C-1", "5000");
    book.keep(&new("dec_1", 0, decision.clone())).expect("kept");
    let kept = book.find("dec_1").expect("found").expect("a decision");
    assert_eq!(book.open_line(&kept).expect("opened").expect("a line"), decision.to_line().into_bytes());
    assert_eq!(book.open_decision(&kept).expect("opened"), Some(*decision.clone()));
    assert_eq!(
        (kept.facts.outcome.as_str(), kept.facts.amount_minor, kept.facts.currency.as_deref()),
        ("offer", Some(250_000), Some("566"))
    );
    assert_eq!(kept.facts.policy[2], decision.policy.digest.to_string());
    assert_eq!((kept.facts.as_of, kept.facts.took_us, kept.facts.at), (decision.as_of, 900, at(0)));
    assert_eq!(book.find("dec_2").expect("looked"), None);
    assert_eq!(book.find_by_reference("ref-1").expect("found").map(|kept| kept.facts.id), Some("dec_1".to_owned()));
    assert!(matches!(book.keep(&new("dec_1", 1, decision)), Err(StoreError::Duplicate { .. })));
}

pub(crate) fn equal_requests_are_one_decision(place: &dyn Place) {
    let book = open(place);
    let mark = RequestMark { key: [7; 32], request: Digest::compute(b"body") };
    let marked = |id: &str| NewDecision { mark: Some(mark.clone()), ..new(id, 0, decision("C-1", "5000")) };
    book.keep(&marked("dec_1")).expect("kept");
    assert!(matches!(book.keep(&marked("dec_2")), Err(StoreError::Duplicate { .. })));
    let kept = book.find_by_request(&[7; 32]).expect("found").expect("a decision");
    assert!(kept.facts.id == "dec_1" && kept.answers(&mark.request) && !kept.answers(&Digest::compute(b"other")));
    assert_eq!(book.find_by_request(&[8; 32]).expect("looked"), None);
    assert_eq!(list(&book, DecisionFilter::default()).len(), 1);
}

pub(crate) fn what_became_of_a_loan_is_kept_once(place: &dyn Place) {
    let book = open(place);
    book.keep(&new("dec_1", 0, decision("C-1", "5000"))).expect("kept");
    book.keep(&new("dec_2", 1, decision("C-2", "5"))).expect("kept");
    let loan = |bad| LoanOutcome { bad, amount: Some(250_000), ..LoanOutcome::default() };
    let record = |name, loan| book.record_outcome(&name, &loan, at(5)).expect("recorded");
    let kept = |replaced| OutcomeRecorded::Kept { decision: "dec_1".to_owned(), replaced };
    let id = |id: &str| DecisionName::Id(id.to_owned());
    assert_eq!(record(id("dec_1"), loan(false)), kept(false));
    assert_eq!(record(id("dec_1"), loan(false)), kept(false));
    assert_eq!(record(id("dec_1"), loan(true)), kept(true));
    assert_eq!(record(id("dec_2"), loan(true)), OutcomeRecorded::NoOffer { decision: "dec_2".to_owned() });
    assert_eq!(record(id("dec_3"), loan(true)), OutcomeRecorded::NoDecision);
    let unknown = DecisionName::Reference("ref-2".to_owned());
    assert_eq!(record(unknown, loan(true)), OutcomeRecorded::NoDecision);
    assert_eq!(book.find("dec_1").expect("found").expect("a decision").facts.loan, Some(loan(true)));
}

pub(crate) fn shadows_are_kept_with_their_answer(place: &dyn Place) {
    let book = open(place);
    book.keep(&new("dec_1", 0, decision("C-1", "5000"))).expect("kept");
    let shadow = |id: &str, decided| NewDecision {
        role: DecisionRole::Shadow { name: "strict".to_owned(), answer: "dec_1".to_owned() },
        decided,
        ..new(id, 0, decision("C-1", "5"))
    };
    book.keep(&shadow("dec_2", Ok(decision("C-1", "5")))).expect("kept");
    book.keep(&shadow("dec_3", Err(["small", "1", "digest"].map(str::to_owned)))).expect("kept");
    let outcomes: Vec<(Option<String>, String)> = list(&book, DecisionFilter::default())
        .into_iter()
        .map(|kept| (kept.facts.shadow, kept.facts.outcome))
        .collect();
    let strict = Some("strict".to_owned());
    let wanted = [(None, "offer"), (strict.clone(), "decline"), (strict, "failed")];
    assert_eq!(outcomes, wanted.map(|(shadow, outcome)| (shadow, outcome.to_owned())));
    // No loan follows from a shadow, and a reference means the answer.
    let loan = LoanOutcome::default();
    let recorded = book.record_outcome(&DecisionName::Id("dec_2".to_owned()), &loan, at(5)).expect("recorded");
    assert_eq!(recorded, OutcomeRecorded::NoDecision);
    assert_eq!(book.find_by_reference("ref-1").expect("found").map(|kept| kept.facts.id), Some("dec_1".to_owned()));
}

pub(crate) fn an_erased_decision_is_still_counted(place: &dyn Place) {
    let book = open(place);
    let shadow = DecisionRole::Shadow { name: "strict".to_owned(), answer: "dec_1".to_owned() };
    book.keep(&new("dec_1", 0, decision("C-1", "5000"))).expect("kept");
    book.keep(&NewDecision { role: shadow, ..new("dec_2", 0, decision("C-1", "5")) }).expect("kept");
    book.keep(&new("dec_3", 9, decision("C-2", "5000"))).expect("kept");
    assert_eq!(book.erase_customer("C-1").expect("erased").decisions, 2);
    assert_eq!(book.erase_customer("C-1").expect("erased").decisions, 0);
    let kept = book.find("dec_1").expect("found").expect("a decision");
    assert_eq!((kept.facts.customer.as_ref(), book.open_line(&kept).expect("opened")), (None, None));
    assert_eq!((kept.facts.outcome.as_str(), kept.facts.amount_minor), ("offer", Some(250_000)));
    // What a shadow decided meanwhile is kept without its personal part.
    let late = DecisionRole::Shadow { name: "strict".to_owned(), answer: "dec_1".to_owned() };
    book.keep(&NewDecision { role: late, ..new("dec_4", 0, decision("C-1", "5")) }).expect("kept");
    let kept = book.find("dec_4").expect("found").expect("a decision");
    assert_eq!((kept.facts.customer.as_ref(), book.open_line(&kept).expect("opened")), (None, None));
    assert_eq!(kept.facts.outcome, "decline");
    assert_eq!(book.erase_before(at(9)).expect("erased").decisions, 0);
    assert_eq!(book.erase_before(at(10)).expect("erased").decisions, 1);
    assert_eq!(list(&book, DecisionFilter::default()).len(), 4);
}

pub(crate) fn decisions_are_listed_by_their_moment(place: &dyn Place) {
    let book = open(place);
    // More than are read at once.
    for number in 0..1_005 {
        let role = DecisionRole::InForce;
        let decided = Err(["small", "1", "digest"].map(str::to_owned));
        let id = format!("dec_{number}");
        let (caller, mark) = (String::new(), None);
        book.keep(&NewDecision {
            id,
            at: at(number),
            role,
            caller,
            mark,
            took: Duration::from_micros(1),
            sources: Vec::new(),
            decided,
        })
        .expect("kept");
    }
    let filter = DecisionFilter { from: Some(at(2)), before: Some(at(1_004)) };
    let ids: Vec<String> = list(&book, filter).into_iter().map(|kept| kept.facts.id).collect();
    assert_eq!((ids.len(), ids[0].as_str(), ids[1_001].as_str()), (1_002, "dec_2", "dec_1003"));
}

pub(crate) fn a_policy_is_noted_once(place: &dyn Place) {
    let book = open(place);
    let text = |text: &str| text.to_owned();
    let policy = KeptPolicy {
        digest: text("d"),
        parameters: text("p"),
        engine: text("e"),
        name: text("small"),
        version: text("1"),
        about: text("{}"),
    };
    book.note_policy(&policy, at(0)).expect("noted");
    book.note_policy(&KeptPolicy { about: text("other"), ..policy.clone() }, at(1)).expect("noted");
    assert_eq!(book.list_policies().expect("a list"), [policy]);
}

pub(crate) fn wrong_keys_are_refused(place: &dyn Place) {
    let database = place.open(MIGRATIONS).expect("a database");
    let open = |vault| DecisionBook::open(Arc::clone(&database), vault);
    assert!(open(vault('a')).is_ok() && open(vault('a')).is_ok());
    assert!(matches!(open(vault('b')), Err(StoreError::WrongKeys(_))));
    assert!(matches!(open(Arc::new(BookVault::Readable)), Err(StoreError::WrongKeys(_))));
}
