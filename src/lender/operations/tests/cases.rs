//! What people may decide about loans, what they are shown, and what is exported, compared and erased.

use super::*;
use crate::base::date::Day;
use crate::base::time::Duration;
use crate::lender::loan_book::{BookError, TimeSpan, Verified};
use crate::lender::operations::in_words::{LocalTime, event_in_words};
use crate::lender::operations::privacy::Resealed;
use crate::lender::operations::{
    Act, ActError, Agreement, EXPORT_TABLES, Person, ProviderAnswer, Ruling, TransactionLookup, carry_out_act,
    check_copy, compare_orders, contradicts_provider, erase_loan, erase_old_loans, export_table, list_allowed,
    list_columns, list_sent_orders, load_personal, look_up_orders, next_day, reseal_book, sum_day,
};
use crate::lender::runner::call::TransactionQuery;

fn person() -> Person {
    Person::new("Ada Obi", "called the bank").unwrap()
}

fn act(fixture: &Fixture, name: &str, act: Act) -> Result<LoanState, ActError> {
    let row = match act {
        Act::Approve => rule(fixture, name, &APPROVE),
        Act::Decline => rule(fixture, name, &Ruling::Decline { code: None }),
        act => carry_out_act(&fixture.book, &fixture.row(name), act, &person(), fixture.at()),
    };
    row.map(|row| row.loan.state)
}

const APPROVE: Ruling = Ruling::Approve { amount_minor: None, valid_for: None };

fn rule(fixture: &Fixture, name: &str, ruling: &Ruling) -> Result<LoanRow, ActError> {
    fixture.desk().rule_on_loan(&fixture.book, &fixture.row(name), ruling, &person(), fixture.at())
}

#[test]
fn each_situation_allows_its_own_decisions() {
    let fixture = Fixture::filled();
    let shown =
        ["OR-CLOSED", "OR-OPEN", "OR-REFERRED", "OR-BARE", "OR-UNKNOWN", "OR-FAILED", "OR-DECLINED", "OR-DAMAGED"].map(
            |name| {
                let row = fixture.row(name);
                let has_offers = !fixture.book.list_offers(row.id).unwrap().is_empty();
                let acts = list_allowed(&row, has_offers, fixture.at());
                let words: Vec<&str> = acts.into_iter().map(Act::word).collect();
                format!("{name} {}: {}", row.loan.state.word(), words.join(" ")).trim().to_owned()
            },
        );
    insta::assert_snapshot!(shown.join("\n"), @r#"
    OR-CLOSED overpaid: refunded
    OR-OPEN review: moved retry write-off
    OR-REFERRED referred: approve decline
    OR-BARE referred: decline
    OR-UNKNOWN review: moved not-moved retry
    OR-FAILED funding_failed: moved retry cancel
    OR-DECLINED declined:
    OR-DAMAGED review: decline retry cancel
    "#);
}

#[test]
fn an_approval_makes_the_offers_valid_from_now_on() {
    let fixture = Fixture::filled();
    let id = fixture.row("OR-REFERRED").id;
    let (recorded, decided) = (fixture.book.list_offers(id).unwrap(), fixture.book.list_decisions(id).unwrap());
    let valid_ms = recorded[0].expires_at.milliseconds() - decided[0].at.milliseconds();
    assert_eq!(valid_ms, 6 * DAY + 16 * 3_600_000, "seven days of the policy, up to midnight in UTC");
    assert_eq!(act(&fixture, "OR-REFERRED", Act::Approve).unwrap(), LoanState::Answering);
    let offers = fixture.book.list_offers(id).unwrap();
    let until = fixture.plan.later(fixture.now(), valid_ms);
    assert_eq!((offers[0].expires_at, offers[0].offer.expiry_date.as_str()), (until, &*until.to_string()));
    let story = fixture.book.list_audit(fixture.row("OR-REFERRED").id).unwrap();
    let last = story.last().unwrap();
    assert_eq!((last.actor.as_str(), last.event.as_str()), ("Ada Obi", "override_approved"));
    assert!(last.detail.contains("called the bank"), "{}", last.detail);
    // Only once.
    assert!(matches!(act(&fixture, "OR-REFERRED", Act::Approve), Err(ActError::Book(BookError::Refused(_)))));
}

#[test]
fn an_approval_may_say_how_long_it_is_valid() {
    let fixture = Fixture::filled();
    let row = fixture.row("OR-REFERRED");
    let valid_for = |milliseconds| Ruling::Approve {
        amount_minor: None,
        valid_for: Some(Duration::from_milliseconds(milliseconds)),
    };
    let refused = rule(&fixture, "OR-REFERRED", &valid_for(0)).unwrap_err();
    assert!(refused.to_string().contains("longer validity"), "{refused}");
    rule(&fixture, "OR-REFERRED", &valid_for(2 * DAY)).unwrap();
    assert_eq!(fixture.book.list_offers(row.id).unwrap()[0].expires_at, fixture.plan.later(fixture.now(), 2 * DAY));
}

#[test]
fn what_has_no_offers_cannot_be_approved() {
    let fixture = Fixture::filled();
    for name in ["OR-BARE", "OR-DAMAGED"] {
        let refused = act(&fixture, name, Act::Approve).unwrap_err();
        let is_told = match name {
            "OR-BARE" => matches!(&refused, ActError::NothingToOffer(why) if why.contains("its amount is unknown")),
            _ => matches!(refused, ActError::NoOffers),
        };
        assert!(is_told, "{refused}");
        assert_eq!(act(&fixture, name, Act::Decline).unwrap(), LoanState::Answering);
    }
}

#[test]
fn an_approval_may_be_of_less_within_the_bounds_of_the_rule() {
    let fixture = Fixture::filled();
    let less = |amount| Ruling::Approve { amount_minor: Some(amount), valid_for: None };
    for amount in [499_999, 2_000_001, 0, -1] {
        let refused = rule(&fixture, "OR-REFERRED", &less(amount)).unwrap_err().to_string();
        assert!(refused.starts_with("the policy lends NGN 5,000.00 to NGN 20,000.00 here, not "), "{refused}");
    }
    assert_eq!(fixture.row("OR-REFERRED").loan.state, LoanState::Referred);
    rule(&fixture, "OR-REFERRED", &less(800_000)).unwrap();
    let offers = fixture.book.list_offers(fixture.row("OR-REFERRED").id).unwrap();
    let (offer, terms) = (&offers[0].offer, &offers[0].terms);
    assert_eq!((offers.len(), offer.amount_offered, offer.amount_payable), (1, 800_000, 840_000));
    assert_eq!((terms.paid_out_minor, terms.payments_minor.as_slice()), (800_000, &[420_000, 420_000][..]));
}

#[test]
fn an_override_is_an_entry_of_its_own_kind() {
    let fixture = Fixture::filled();
    let last = |name: &str| fixture.book.list_audit(fixture.row(name).id).unwrap().pop().unwrap();
    let less = Ruling::Approve { amount_minor: Some(800_000), valid_for: None };
    rule(&fixture, "OR-REFERRED", &less).unwrap();
    let coded = |code: &str| Ruling::Decline { code: Some(code.to_owned()) };
    let refused = rule(&fixture, "OR-BARE", &coded("R9")).unwrap_err();
    let known = "`R9` is not a code to decline with; the codes are R1, R2, INCOME_NOT_PROVEN";
    assert_eq!(refused.to_string(), known);
    rule(&fixture, "OR-BARE", &coded("INCOME_NOT_PROVEN")).unwrap();
    rule(&fixture, "OR-DAMAGED", &coded("INCOME_NOT_PROVEN")).unwrap();
    let (approved, declined, undecided) = (last("OR-REFERRED"), last("OR-BARE"), last("OR-DAMAGED"));
    let events = [&approved, &declined, &undecided].map(|row| (row.event.as_str(), row.actor.as_str()));
    let words = ["override_approved", "override_declined", "override_declined"];
    assert_eq!(events, words.map(|word| (word, "Ada Obi")));
    let shown = [approved, declined, undecided].map(|row| event_in_words(&row.event, &row.detail, ""));
    insta::assert_snapshot!(shown.join("\n"));
    // Nothing that the policy did bears the person's name, and the other way round.
    let row = fixture.row("OR-REFERRED");
    let decisions = fixture.book.list_decisions(row.id).unwrap();
    let outcomes: Vec<&str> = decisions.iter().map(|decision| decision.outcome.as_str()).collect();
    assert_eq!(outcomes, ["refer", "approved"]);
    assert!(fixture.desk().open_record(&fixture.book, &row).unwrap().is_some(), "the policy's record is kept");
    assert!(fixture.book.list_offers(fixture.row("OR-BARE").id).unwrap().is_empty());
}

#[test]
fn a_referral_is_decided_by_a_review_alone() {
    let fixture = Fixture::filled();
    for act in [Act::Approve, Act::Decline] {
        let row = fixture.row("OR-REFERRED");
        let refused = carry_out_act(&fixture.book, &row, act, &person(), fixture.at());
        assert!(matches!(refused, Err(ActError::Person(_))));
    }
    assert_eq!(fixture.row("OR-REFERRED").loan.state, LoanState::Referred);
}

#[test]
fn a_person_has_a_name_and_a_reason() {
    for (name, note) in [("", "why"), ("Service", "why"), ("provider ", "why"), ("Ada", " "), ("A\nb", "why")] {
        assert!(Person::new(name, note).is_err(), "{name:?} {note:?}");
    }
}

#[test]
fn a_person_settles_what_the_provider_does_not() {
    let fixture = Fixture::filled();
    assert_eq!(act(&fixture, "OR-UNKNOWN", Act::NotMoved).unwrap(), LoanState::FundingFailed);
    assert_eq!(act(&fixture, "OR-UNKNOWN", Act::Cancel).unwrap(), LoanState::Cancelled);
    assert_eq!(act(&fixture, "OR-FAILED", Act::Retry).unwrap(), LoanState::Funding);
    assert_eq!(act(&fixture, "OR-OPEN", Act::WriteOff).unwrap(), LoanState::WrittenOff);
    assert_eq!(act(&fixture, "OR-CLOSED", Act::Refunded).unwrap(), LoanState::Closed);
    assert!(act(&fixture, "OR-DECLINED", Act::Retry).is_err());
}

#[test]
fn a_decision_against_the_providers_word_is_noticed() {
    let fixture = Fixture::filled();
    let row = |reference: &str| fixture.book.find_loan(reference).unwrap().unwrap();
    let [unknown, failed] = [row("OR-UNKNOWN"), row("OR-FAILED")];
    for (row, act, answer, contradicts) in [
        (&unknown, Act::Moved, ProviderAnswer::NotFound, true),
        (&unknown, Act::NotMoved, ProviderAnswer::Pending, true),
        (&unknown, Act::Moved, ProviderAnswer::Moved, false),
        // Another try only asks.
        (&unknown, Act::Retry, ProviderAnswer::Moved, false),
        (&unknown, Act::NotMoved, ProviderAnswer::NotFound, false),
        (&unknown, Act::Moved, ProviderAnswer::Missing, false),
        (&failed, Act::Retry, ProviderAnswer::Moved, true),
        (&failed, Act::Cancel, ProviderAnswer::Pending, true),
        (&failed, Act::Retry, ProviderAnswer::NotMoved, false),
    ] {
        let found = contradicts_provider(row, act, answer);
        assert_eq!(found, contradicts, "{:?} {act:?} {answer:?}", row.reference);
    }
}

/// A provider that answers E9 by the kind of the transaction.
struct Answers(fn(&str) -> ProviderAnswer);

impl TransactionLookup for Answers {
    fn look_up<'a>(&'a self, query: &'a TransactionQuery) -> futures_util::future::BoxFuture<'a, ProviderAnswer> {
        Box::pin(std::future::ready((self.0)(&query.transaction_id)))
    }
}

fn agreements(fixture: &Fixture, answer: fn(&str) -> ProviderAnswer) -> Vec<String> {
    let (time, runtime) =
        (LocalTime(fixture.plan.zone.clone()), tokio::runtime::Builder::new_current_thread().build().unwrap());
    let mut lines = Vec::new();
    for days in 0..40 {
        let day = Day::from_days(time.day(at(0)).days() + days);
        let sent = list_sent_orders(&fixture.book, &time, day).unwrap();
        let answers = runtime.block_on(look_up_orders(&Answers(answer), &sent, 2, |_| ()));
        lines.extend(compare_orders(sent, &answers).iter().map(|one| {
            let (order, answer) = (&one.sent.order, one.answer.word());
            format!("{day} {} {} {answer} {}", order.kind, order.outcome.word(), one.agreement.word())
        }));
    }
    lines
}

#[test]
fn the_record_is_compared_with_what_the_provider_says() {
    let fixture = Fixture::filled();
    let before = fixture.book.verify_audit().unwrap();
    let lines =
        agreements(
            &fixture,
            |id| {
                if id.starts_with("LW-FUND") { ProviderAnswer::Moved } else { ProviderAnswer::NotFound }
            },
        );
    insta::assert_snapshot!(lines.join("\n"), @r#"
    2026-01-05 fund moved moved agrees
    2026-01-05 fund moved moved agrees
    2026-01-05 fund sent moved differs
    2026-01-05 fund not_moved moved differs
    2026-01-20 debit moved not_found unknown_there
    2026-01-20 debit not_moved not_found agrees
    2026-01-21 debit not_moved not_found agrees
    2026-02-04 debit moved not_found unknown_there
    "#);
    let lines = agreements(&fixture, |_| ProviderAnswer::Missing);
    assert!(lines.iter().all(|line| line.ends_with(Agreement::Unanswered.word())), "{lines:?}");
    assert_eq!(fixture.book.verify_audit().unwrap(), before);
    assert_ne!(lines.len(), 0);
}

#[test]
fn a_day_has_sums() {
    let fixture = Fixture::filled();
    let time = LocalTime(fixture.plan.zone.clone());
    let mut lines = Vec::new();
    for days in 0..40 {
        let day = Day::from_days(time.day(at(0)).days() + days);
        let sent = list_sent_orders(&fixture.book, &time, day).unwrap();
        for (currency, sum) in sum_day(&fixture.book, &time, day, &sent).unwrap() {
            let shown = [sum.sent, sum.moved, sum.notified, sum.posted, sum.parked]
                .map(|sum| format!("{} of {}", sum.count, sum.amount_minor));
            lines.push(format!("{day} {currency:?} {}", shown.join(", ")));
        }
    }
    insta::assert_snapshot!(lines.join("\n"), @r#"
    2026-01-05 "" 0 of 0, 0 of 0, 1 of 700, 0 of 0, 1 of 700
    2026-01-05 "566" 4 of 8000000, 2 of 4000000, 1 of 2500, 1 of 2500, 0 of 0
    2026-01-20 "566" 2 of 2100000, 1 of 1050000, 0 of 0, 0 of 0, 0 of 0
    2026-01-21 "566" 1 of 1050000, 0 of 0, 0 of 0, 0 of 0, 0 of 0
    2026-02-04 "566" 1 of 1050000, 1 of 1050000, 0 of 0, 0 of 0, 0 of 0
    "#);
}

#[test]
fn a_day_begins_at_the_lenders_midnight() {
    let time = LocalTime(Zone::parse("Africa/Lagos").unwrap());
    assert_eq!(time.begin(time.day(at(0))).to_string(), "2026-01-04T23:00:00Z");
    assert_eq!(time.show(at(0)), "2026-01-05 09:00:00");
    // A day with 23 hours.
    let berlin = LocalTime(Zone::parse("Europe/Berlin").unwrap());
    let day = Day::parse_iso("2026-03-29").unwrap();
    assert_eq!(berlin.begin(day).to_string(), "2026-03-28T23:00:00Z");
    assert_eq!(berlin.begin(next_day(day)).to_string(), "2026-03-29T22:00:00Z");
}

fn exported(fixture: &Fixture, vault: Option<&dyn Vault>) -> String {
    let span = TimeSpan { from: at(-DAY), to: at(100 * DAY) };
    let mut text = String::new();
    for table in EXPORT_TABLES {
        let columns = list_columns(table, vault.is_some());
        let mut count = 0;
        let written = export_table::<BookError>(&fixture.book, table, span, vault, &mut |row| {
            assert_eq!(row.len(), columns.len(), "{table}");
            text.push_str(&serde_json::to_string(&row).unwrap());
            count += 1;
            Ok(())
        });
        assert_eq!(written.unwrap(), count, "{table}");
        assert_ne!(count, 0, "{table}");
    }
    text
}

const PERSONAL: [&str; 3] = ["0123456789", "2348012345678", "1990-12-24"];

#[test]
fn an_export_has_personal_data_only_on_request() {
    let fixture = Fixture::filled();
    let (without, with) = (exported(&fixture, None), exported(&fixture, Some(&PlainVault(1))));
    for personal in PERSONAL {
        assert!(!without.contains(personal) && with.contains(personal), "{personal}");
    }
}

/// The bytes of a database and of SQLite's further files.
fn bytes(folder: &std::path::Path) -> Vec<u8> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
    files.collect::<Vec<_>>().concat()
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn an_erased_loan_leaves_no_personal_bytes_in_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut fixture =
        Fixture::new(sqlite::make_sqlite_file(&folder.path().join("book.db"), MIGRATIONS, BEGIN).unwrap());
    fixture.life("OR-1", "CUSTOMER-ONE", Some("offer"), |_| Event::Moved);
    fixture.life("OR-2", "CUSTOMER-TWO", Some("offer"), |_| Event::Moved);
    let gone = ["CUSTOMER-ONE", "0123456789", "2348012345678", "1990-12-24", "SECRET-RECORD"];
    for text in gone {
        assert!(has(&bytes(folder.path()), text), "{text}");
    }
    for name in ["OR-1", "OR-2"] {
        let row = fixture.row(name);
        assert!(erase_loan(&fixture.book, &PlainVault(1), &row, &person(), fixture.now()).unwrap().had_any);
        assert!(
            !erase_loan(&fixture.book, &PlainVault(1), &fixture.row(name), &person(), fixture.now()).unwrap().had_any
        );
    }
    assert!(fixture.book.database().scrub().unwrap());
    let left = bytes(folder.path());
    for text in gone.into_iter().chain(["CUSTOMER-TWO"]) {
        assert!(!has(&left, text), "{text}");
    }
    let row = fixture.row("OR-1");
    assert!(row.customer_id.starts_with("erased-"), "{}", row.customer_id);
    assert_ne!(row.customer_id, fixture.row("OR-2").customer_id);
    assert!(load_personal(&fixture.book, &row, &PlainVault(1)).unwrap().is_none());
    assert!(matches!(fixture.book.verify_audit().unwrap(), Verified::Whole { .. }));
    let story = fixture.book.list_audit(row.id).unwrap();
    assert_eq!((story.last().unwrap().event.as_str(), story.last().unwrap().actor.as_str()), ("erased", "Ada Obi"));
}

#[test]
fn a_loan_that_is_not_at_an_end_keeps_its_data() {
    let fixture = Fixture::filled();
    for name in ["OR-OPEN", "OR-REFERRED", "OR-UNKNOWN", "OR-FAILED", "OR-CLOSED"] {
        let row = fixture.row(name);
        let refused = erase_loan(&fixture.book, &PlainVault(1), &row, &person(), fixture.now()).unwrap_err();
        assert!(matches!(refused, ActError::Book(BookError::Conflict(_))), "{name}: {refused}");
        assert_eq!(fixture.row(name).customer_id, row.customer_id);
    }
}

#[test]
fn old_loans_are_found_and_erased_once() {
    let fixture = Fixture::filled();
    let (book, vault) = (&fixture.book, &PlainVault(1));
    let ada = person();
    let find = |before, by: bool| erase_old_loans(book, vault, before, by.then_some(&ada), fixture.now()).unwrap();
    assert_eq!(find(at(0), false), [0_i64; 0]);
    let found = find(fixture.now(), false);
    assert_eq!(found, [fixture.row("OR-DECLINED").id]);
    assert_eq!(find(fixture.now(), true), found);
    assert_eq!(find(fixture.now(), false), [0_i64; 0]);
}

#[test]
fn values_are_sealed_again_once() {
    let fixture = Fixture::filled();
    let new = PlainVault(2);
    let first = reseal_book(&fixture.book, &new).unwrap();
    assert!(first.done > 5 && first.current == 0, "{first:?}");
    assert_eq!(reseal_book(&fixture.book, &new).unwrap(), Resealed { done: 0, current: first.done });
    let opened = load_personal(&fixture.book, &fixture.row("OR-OPEN"), &new).unwrap().unwrap();
    assert_eq!(opened.account_number, "0123456789");
}

#[test]
fn a_backup_is_checked_and_a_changed_one_found() {
    let folder = tempfile::tempdir().unwrap();
    let mut fixture =
        Fixture::new(sqlite::make_sqlite_file(&folder.path().join("book.db"), MIGRATIONS, BEGIN).unwrap());
    fixture.fill();
    let target = folder.path().join("copy.db");
    // Others write meanwhile.
    let (book, stop) = (fixture.book.clone(), std::sync::atomic::AtomicBool::new(false));
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut number = 0;
            loop {
                number += 1;
                let payment = Payment {
                    loan_id: "NONE".to_owned(),
                    payment_ref: format!("MEANWHILE-{number}"),
                    customer_id: "C".to_owned(),
                    amount_minor: 1,
                };
                book.record_payment(&payment, fixture.plan.at(at(0))).unwrap();
                if stop.load(std::sync::atomic::Ordering::Acquire) {
                    break;
                }
            }
        });
        fixture.book.database().backup(&target).unwrap();
        stop.store(true, std::sync::atomic::Ordering::Release);
        writer.join().unwrap();
    });
    assert!(fixture.book.database().backup(&target).is_err(), "an existing file is left alone");
    let copy = |path: &std::path::Path| {
        let database: Arc<dyn Database> = Arc::new(sqlite::make_sqlite_file(path, MIGRATIONS, BEGIN).unwrap());
        LoanBook::open(database, "other", at(0)).unwrap()
    };
    let checked = check_copy(&fixture.book, &copy(&target)).unwrap();
    assert_eq!(checked.problems, [""; 0]);
    assert_eq!(checked.counts[0], ("loans", 8));
    let file = rusqlite::Connection::open(&target).unwrap();
    file.execute_batch("DROP TRIGGER audit_is_unchanged; UPDATE audit SET actor = 'Eve' WHERE seq = 3;").unwrap();
    drop(file);
    let broken = copy(&target).verify_audit().unwrap();
    assert_eq!(broken, Verified::Broken { seq: 3, how: "is not what was recorded" });
    let checked = check_copy(&fixture.book, &copy(&target)).unwrap();
    assert_eq!(checked.problems, ["row 3 of its audit is not what was recorded"]);
    // A backup of another book.
    let mut other = Fixture::new(sqlite::open_memory_database(MIGRATIONS, BEGIN).unwrap());
    other.life("OR-OTHER", "C-1", Some("decline"), |_| Event::Moved);
    let problems = check_copy(&other.book, &fixture.book).unwrap().problems;
    assert!(problems.contains(&"its audit is not the book's".to_owned()), "{problems:?}");
}
