//! What the commands on a service's loans print, on a book that real steps have filled.

mod guide;

use std::sync::Arc;

use clap::{Args, Parser};

use super::Desk;
use super::list::{self, ListArgs};
use super::payments::{self, DismissArgs, PaymentsArgs, PostArgs};
use super::review::{self, ResolveArgs, ReviewArgs};
use super::show::{self, ShowArgs};
use crate::cli::output::Failure;
use crate::lender::loan::Event;
use crate::lender::operations::tests::{Fixture, PlainVault};
use crate::lender::operations::{LocalTime, ProviderAnswer};
use crate::lender::runner::call::TransactionQuery;
use crate::report::aligned::{format_aligned_table, one_line};

impl Desk {
    /// At a book that is filled.
    pub(crate) fn at(fixture: &Fixture) -> Desk {
        Desk {
            book: fixture.book.clone(),
            vault: Arc::new(PlainVault(1)),
            referrals: fixture.desk(),
            plan: fixture.plan.clone(),
            time: LocalTime(fixture.plan.zone.clone()),
            now: fixture.now(),
        }
    }
}

#[derive(Parser)]
struct Line<A: Args> {
    #[command(flatten)]
    args: A,
}

/// The arguments of a command line.
pub(crate) fn parsed<A: Args>(line: &[&str]) -> A {
    let words = ["x", "--config", "lender.toml"].into_iter().chain(line.iter().copied());
    Line::<A>::parse_from(words).args
}

fn filled() -> (Fixture, Desk) {
    let fixture = Fixture::filled();
    let desk = Desk::at(&fixture);
    (fixture, desk)
}

#[test]
fn columns_are_aligned() {
    let rows = [vec!["a".to_owned(), "10".to_owned()], vec!["längste".to_owned(), "9".to_owned()]];
    assert_eq!(format_aligned_table(&["x", ">n"], &rows), "x         n\na        10\nlängste   9\n");
    assert_eq!(one_line("a\nb\u{202e}c"), "a b\\u{202e}c");
}

#[test]
fn digits_are_the_number_of_a_loan() {
    let mut fixture = Fixture::filled();
    fixture.life("1", "C-20", Some("decline"), |_| Event::Moved);
    let desk = Desk::at(&fixture);
    assert_eq!(desk.find("1").unwrap().reference, "OR-CLOSED");
    assert_eq!(desk.find("9").unwrap().reference, "1");
    assert!(matches!(desk.find("01"), Err(Failure::Message(why)) if why.starts_with("`01`: no loan has this number")));
}

#[test]
fn a_list_says_what_waits_for_a_person_and_why() {
    let (_, desk) = filled();
    let (text, rest) = list::format_loan_list(&parsed::<ListArgs>(&["--needs-person"]), &desk).unwrap();
    insta::assert_snapshot!(text);
    assert_eq!(rest, "");
    let (text, rest) = list::format_loan_list(&parsed::<ListArgs>(&["--limit", "2"]), &desk).unwrap();
    assert_eq!((text.lines().count(), rest.as_str()), (3, "there are more loans: go on with --after 2\n"));
    let (text, rest) = list::format_loan_list(&parsed::<ListArgs>(&["--customer", "nobody"]), &desk).unwrap();
    assert_eq!((text.as_str(), rest.as_str()), ("", "no loan is like that\n"));
    let (text, _) =
        list::format_loan_list(&parsed::<ListArgs>(&["--state", "overpaid", "--format", "json"]), &desk).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let shown = ["state", "overpaid_minor", "since", "needs_person"].map(|key| json[key].to_string()).join(" ");
    assert_eq!(shown, r#""overpaid" 2500 "2026-01-05T08:00:00Z" true"#);
}

#[test]
fn a_loan_is_shown_with_its_story() {
    let (_, desk) = filled();
    insta::assert_snapshot!(show::format_loan_details(&parsed::<ShowArgs>(&["L-OR-OPEN"]), &desk).unwrap());
    let by_any_name = |name: &str| show::format_loan_details(&parsed::<ShowArgs>(&[name]), &desk).unwrap();
    let id = desk.book.find_loan("OR-CLOSED").unwrap().unwrap().id.to_string();
    for name in ["L-OR-CLOSED", "REF-OR-CLOSED", &id] {
        assert_eq!(by_any_name(name), by_any_name("OR-CLOSED"));
    }
    assert!(show::format_loan_details(&parsed::<ShowArgs>(&["NONE"]), &desk).is_err());
}

#[test]
fn personal_data_is_shown_only_if_it_is_asked_for() {
    let (_, desk) = filled();
    for format in ["text", "json"] {
        let shown = |more: &[&str]| {
            let line = [&["OR-OPEN", "--format", format], more].concat();
            let line = if more.is_empty() { line } else { [&line[..], &["--by", "Ada Obi"]].concat() };
            show::format_loan_details(&parsed::<ShowArgs>(&line), &desk).unwrap()
        };
        for personal in ["0123456789", "2348012345678", "1990-12-24"] {
            assert!(!shown(&[]).contains(personal), "{personal}");
            assert!(shown(&["--personal"]).contains(personal), "{personal}");
        }
    }
}

fn shown_personal(desk: &Desk, line: &[&str]) -> String {
    let line = [line, &["--personal", "--by", "Ada Obi"]].concat();
    show::format_loan_details(&parsed::<ShowArgs>(&line), desk).unwrap()
}

#[test]
fn a_case_is_opened_with_its_reasons_offers_explanation_and_statement() {
    let (_, desk) = filled();
    let shut = show::format_loan_details(&parsed::<ShowArgs>(&["OR-REFERRED"]), &desk).unwrap();
    assert!(
        shut.contains("Offers, if approved") && !shut.contains("Only 2 records") && !shut.contains("personal shown")
    );
    let text = shown_personal(&desk, &["OR-REFERRED", "--note", "the customer called"]);
    // Ids and digests are of this build alone.
    let text = text.lines().filter(|line| !line.starts_with("digest") && !line.contains("payable"));
    insta::assert_snapshot!(text.collect::<Vec<_>>().join("\n"));
    let all = shown_personal(&desk, &["OR-REFERRED", "--all-records"]);
    assert!(all.contains("Statement, all 2 records; * is behind a reason"), "{all}");
    assert!(all.contains("personal shown; account, request, record of the decision; note: the customer called"));
    let json: serde_json::Value =
        serde_json::from_str(&shown_personal(&desk, &["OR-REFERRED", "--format", "json"])).unwrap();
    let record = &json["record"];
    assert_eq!(
        (&record["decision"]["outcome"], json["offers_are_conditional"].as_bool()),
        (&"refer".into(), Some(true))
    );
    assert_eq!(record["if_approved"]["offers"][0]["least_minor"], 500_000);
    assert_eq!(record["records"].as_array().unwrap().len(), 2);
    // A decline has reasons and numbers, and an undecidable request has no record.
    let declined = shown_personal(&desk, &["OR-DECLINED"]);
    assert!(declined.contains("No records") && declined.contains("Numbers, money in minor units"), "{declined}");
    assert!(!shown_personal(&desk, &["OR-DAMAGED"]).contains("Decision, as recorded"));
}

#[test]
fn nothing_personal_is_shown_without_a_name() {
    let (_, desk) = filled();
    let args = parsed::<ShowArgs>(&["OR-REFERRED", "--personal", "--by", "service"]);
    assert!(show::format_loan_details(&args, &desk).is_err());
    let story = desk.book.list_audit(desk.find("OR-REFERRED").unwrap().id).unwrap();
    assert!(story.iter().all(|row| row.event != "personal_shown"));
}

#[test]
fn a_referral_is_approved_with_less_or_declined_with_a_code() {
    let (_, desk) = filled();
    let reviewed = |line: &[&str]| {
        let line = [line, &["--note", "pay slip seen", "--by", "Ada Obi"]].concat();
        review::decide_reviewed_loan(&parsed::<ReviewArgs>(&line), &desk).map_err(|failure| failure.to_string())
    };
    let refused = reviewed(&["OR-REFERRED", "--approve", "--amount", "20000.01"]).unwrap_err();
    assert_eq!(refused, "the policy lends NGN 5,000.00 to NGN 20,000.00 here, not NGN 20,000.01");
    let refused = reviewed(&["OR-REFERRED", "--decline", "--code", "R9"]).unwrap_err();
    assert_eq!(refused, "`R9` is not a code to decline with; the codes are R1, R2, INCOME_NOT_PROVEN");
    let less = resolved(&desk, &["OR-REFERRED", "--approve", "--amount", "8000"], ProviderAnswer::Moved).unwrap();
    assert!(less.ends_with("offers NGN 8,000.00, NGN 8,400.00 payable, until 2026-02-21 01:00:00"), "{less}");
    let declined = resolved(&desk, &["OR-BARE", "--decline", "--code", "R1"], ProviderAnswer::Moved).unwrap();
    assert!(declined.ends_with(": referred -> answering, by Ada Obi"), "{declined}");
    let story = show::format_loan_details(&parsed::<ShowArgs>(&["OR-BARE"]), &desk).unwrap();
    let line = story.lines().find(|line| line.contains("override declined")).unwrap();
    assert!(line.contains("starter 3 had said refer (R1); no offer; code: R1"), "{line}");
    assert!(story.contains("override   declined by a person"), "{story}");
}

fn resolved(desk: &Desk, line: &[&str], answer: ProviderAnswer) -> Result<String, String> {
    let line = [line, &["--note", "as the bank says", "--by", "Ada Obi"]].concat();
    let mut ask = |query: &TransactionQuery| {
        assert!(query.transaction_id.starts_with("LW-FUND-") && query.loan_id == "L-OR-UNKNOWN", "{query:?}");
        assert_eq!((query.amount_minor, query.currency.as_str()), (2_000_000, "566"));
        Ok::<_, Failure>(answer)
    };
    review::resolve_unclear_loan(&parsed::<ResolveArgs>(&line), desk, &mut ask).map_err(|failure| failure.to_string())
}

#[test]
fn a_person_decides_and_the_audit_says_who_and_why() {
    let (_, desk) = filled();
    let refused = resolved(&desk, &["OR-UNKNOWN", "--not-moved", "--ask"], ProviderAnswer::Moved).unwrap_err();
    insta::assert_snapshot!(refused);
    let done = resolved(&desk, &["OR-UNKNOWN", "--moved", "--ask"], ProviderAnswer::Moved).unwrap();
    let id = desk.book.find_loan("OR-UNKNOWN").unwrap().unwrap().id;
    assert_eq!(done, format!("loan {id}: review -> open, by Ada Obi"));
    let story = show::format_loan_details(&parsed::<ShowArgs>(&["OR-UNKNOWN"]), &desk).unwrap();
    let line = story.lines().find(|line| line.contains("Ada Obi")).unwrap();
    assert!(line.contains("moved; review -> open") && line.contains("note: as the bank says"), "{line}");
    assert_eq!(
        resolved(&desk, &["OR-UNKNOWN", "--refunded", "25"], ProviderAnswer::Moved).unwrap_err(),
        "`refunded` is not possible while the loan is `open`; possible now: --write-off"
    );
    assert_eq!(
        resolved(&desk, &["OR-CLOSED", "--cancel"], ProviderAnswer::Moved).unwrap_err(),
        "`cancel` is not possible while the loan is `overpaid`; possible now: --refunded"
    );
    assert_eq!(
        resolved(&desk, &["OR-CLOSED", "--refunded", "25", "--ask"], ProviderAnswer::Moved).unwrap_err(),
        "no transaction of money of this loan is open or has failed, so there is nothing to ask; leave out --ask"
    );
    assert_eq!(
        resolved(&desk, &["OR-CLOSED", "--refunded", "24.99"], ProviderAnswer::Moved).unwrap_err(),
        "NGN 25.00 was paid too much, not 24.99; nothing was done"
    );
    assert!(
        resolved(&desk, &["OR-CLOSED", "--refunded", "25.00"], ProviderAnswer::Moved).unwrap().contains("-> closed")
    );
}

#[test]
fn a_referral_is_approved_or_declined() {
    let (_, desk) = filled();
    let reviewed = |line: &[&str]| {
        let line = [line, &["--note", "pay slip seen", "--by", "Ada Obi"]].concat();
        review::decide_reviewed_loan(&parsed::<ReviewArgs>(&line), &desk).map_err(|failure| failure.to_string())
    };
    let bare = reviewed(&["OR-BARE", "--approve"]).unwrap_err();
    insta::assert_snapshot!(bare);
    assert!(reviewed(&["OR-BARE", "--decline"]).unwrap().ends_with(": referred -> answering, by Ada Obi"));
    let approved = reviewed(&["OR-REFERRED", "--approve", "--valid-for", "P3D"]).unwrap();
    let (first, made) = approved.split_once('\n').unwrap();
    assert!(first.ends_with(": referred -> answering, by Ada Obi"), "{approved}");
    assert_eq!(made, "offers NGN 20,000.00, NGN 21,000.00 payable, until 2026-02-17 09:00:00");
    let again = reviewed(&["OR-REFERRED", "--approve"]).unwrap_err();
    assert_eq!(
        again,
        "`approved` is not possible while the loan is `answering`; nobody has to decide about this loan now"
    );
}

#[test]
fn a_payment_that_fits_nothing_is_posted_or_dismissed() {
    let (_, desk) = filled();
    let listed = || payments::format_parked_payments(&parsed::<PaymentsArgs>(&[]), &desk).unwrap();
    insta::assert_snapshot!(listed());
    let person = ["--note", "named the wrong loan", "--by", "Ada Obi"];
    let post = |line: &[&str]| {
        let args = parsed::<PostArgs>(&[line, &person].concat());
        payments::post_parked_payment(&args, &desk).map_err(|failure| failure.to_string())
    };
    let dismiss = |line: &[&str]| {
        let args = parsed::<DismissArgs>(&[line, &person].concat());
        payments::dismiss_parked_payment(&args, &desk).map_err(|failure| failure.to_string())
    };
    let none = "`PAY-9`: no such payment is parked; `lendwright service loans payments` shows them";
    assert_eq!(post(&["PAY-9", "--to", "OR-OPEN"]).unwrap_err(), none);
    let doubted = post(&["PAY-2", "--to", "OR-OPEN"]).unwrap_err();
    assert!(doubted.starts_with("the payment names another customer than loan 2; nothing was done."), "{doubted}");
    let refused = post(&["PAY-2", "--to", "OR-DECLINED", "--sure"]).unwrap_err();
    assert_eq!(refused, "`paid` is not possible while the loan is `declined`");
    let done = post(&["PAY-2", "--to", "OR-OPEN", "--sure"]).unwrap();
    assert_eq!(done, "payment PAY-2: posted to loan 2, which is review, by Ada Obi");
    assert!(dismiss(&["PAY-2"]).is_err(), "it is not parked any more");
    assert_eq!(listed(), "");
}

mod others {
    use super::*;
    use crate::cli::{audit, backup, export, reconcile};
    use crate::lender::hosted::BoxFuture;
    use crate::lender::loan_book::MIGRATIONS;
    use crate::lender::operations::TransactionLookup;
    use crate::lender::store::sqlite;

    struct Knows;

    impl TransactionLookup for Knows {
        fn look_up<'a>(&'a self, query: &'a TransactionQuery) -> BoxFuture<'a, ProviderAnswer> {
            let is_fund = query.transaction_id.starts_with("LW-FUND");
            let answer = if is_fund { ProviderAnswer::Moved } else { ProviderAnswer::Missing };
            Box::pin(std::future::ready(answer))
        }
    }

    #[test]
    fn a_reconciliation_lists_what_differs_and_what_has_no_answer() {
        let (_, desk) = filled();
        let args = parsed::<reconcile::ReconcileArgs>(&["--from", "2026-01-04", "--to", "2026-01-20"]);
        let (first, last) = reconcile::days_to_compare(&args, &desk).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut text = String::new();
        for day in [first, crate::lender::operations::next_day(first), last] {
            let one = reconcile::one_day(&desk, &Knows, &runtime, day).unwrap();
            text.push_str(&reconcile::format_compared_day(super::super::LoanFormat::Text, day, &one));
        }
        // Ids are of this book alone.
        let text: Vec<String> =
            text.lines().map(|line| line.split("LW-").next().unwrap().trim_end().to_owned()).collect();
        insta::assert_snapshot!(text.join("\n"), @r#"
        2026-01-04: no transaction of money was sent
        2026-01-05: 2 of 4 transactions agree
          sums      count           amount
          notified      1  700 minor units
          parked        1  700 minor units
          sent          4    NGN 80,000.00
          moved         2    NGN 40,000.00
          notified      1        NGN 25.00
          posted        1        NGN 25.00
          look at  loan          what           amount  recorded   provider  transaction
          differs  L-OR-UNKNOWN  payout  NGN 20,000.00  sent       moved
          differs  L-OR-FAILED   payout  NGN 20,000.00  not moved  moved
          L-OR-FAILED: have it confirmed, then `service loans resolve --moved`
          L-OR-UNKNOWN: the service asks by itself; in `review`, `service loans resolve`
        2026-01-20: 0 of 2 transactions agree
          sums   count         amount
          sent       2  NGN 21,000.00
          moved      1  NGN 10,500.00
          look at     loan         what                       amount  recorded   provider   transaction
          unanswered  L-OR-CLOSED  debit of payment 1  NGN 10,500.00  moved      no answer
          unanswered  L-OR-OPEN    debit of payment 1  NGN 10,500.00  not moved  no answer
          L-OR-CLOSED, L-OR-OPEN: compare again later
        "#);
        let one = reconcile::one_day(&desk, &Knows, &runtime, last).unwrap();
        let json: serde_json::Value =
            serde_json::from_str(&reconcile::format_compared_day(super::super::LoanFormat::Json, last, &one)).unwrap();
        assert_eq!(json["transactions"][0]["verdict"], "unanswered");
        assert_eq!(json["sums"][0]["sent"]["amount_minor"], 2_100_000);
        let yesterday = reconcile::days_to_compare(&parsed::<reconcile::ReconcileArgs>(&[]), &desk).unwrap();
        assert_eq!(yesterday.0.to_string(), "2026-02-13");
        assert_eq!(yesterday.0, yesterday.1);
        let wrong = parsed::<reconcile::ReconcileArgs>(&["--from", "2026-01-21", "--to", "2026-01-20"]);
        assert!(reconcile::days_to_compare(&wrong, &desk).is_err());
    }

    #[test]
    fn an_audit_is_verified_against_a_hash_kept_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.db");
        let mut fixture =
            Fixture::new(sqlite::make_sqlite_file(&path, MIGRATIONS, crate::lender::operations::tests::BEGIN).unwrap());
        fixture.fill();
        let desk = Desk::at(&fixture);
        let verify = |line: &[&str]| {
            audit::verify_audit_rows(&parsed::<audit::VerifyArgs>(line), &desk).map_err(|failure| failure.to_string())
        };
        let shown = verify(&[]).unwrap();
        let hash = shown.lines().last().unwrap().trim_start_matches("last hash").trim().to_owned();
        fixture.life("OR-LATER", "C-77", Some("decline"), |_| unreachable!());
        assert!(verify(&["--expect", &hash]).is_ok());
        assert_eq!(
            verify(&["--expect", "0123"]).unwrap_err(),
            "no row of the audit has the expected hash: rows were cut off or replaced, or it is of another book"
        );
        let file = rusqlite::Connection::open(&path).unwrap();
        let change = "DROP TRIGGER audit_is_unchanged; UPDATE audit SET detail = '{}' WHERE seq = 7;";
        file.execute_batch(change).unwrap();
        drop(file);
        assert_eq!(
            verify(&[]).unwrap_err(),
            "row 7 of the audit is not what was recorded: somebody changed the database by other means"
        );
    }

    #[test]
    fn a_backup_says_what_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let (_fixture, desk) = filled();
        let file = folder.path().join("copy.db");
        let text = backup::make_checked_copy(&desk, &file).unwrap();
        let head: Vec<&str> = text.lines().skip(1).take(8).collect();
        insta::assert_snapshot!(head.join("\n"), @r#"
        table      rows
        loans         8
        offers        5
        decisions     7
        orders        8
        payments      2
        messages      5
        audit       107
        "#);
        let again = backup::make_checked_copy(&desk, &file).unwrap_err().to_string();
        assert!(again.contains("exists"), "{again}");
    }

    #[test]
    fn no_customer_is_a_formula_in_an_export() {
        let folder = tempfile::tempdir().unwrap();
        let (mut fixture, desk) = filled();
        fixture.life("OR-FORMULA", "=1+1", Some("decline"), |_| unreachable!());
        let out = folder.path().join("all");
        let args = parsed::<export::ExportArgs>(&["--out", &out.display().to_string()]);
        export::write_book_tables(&args, &desk).map_err(|failure| failure.to_string()).unwrap();
        let loans = std::fs::read_to_string(out.join("loans.csv")).unwrap();
        assert!(loans.contains(",'=1+1,") && !loans.contains(",=1+1,"), "{loans}");
        #[cfg(unix)]
        for entry in std::fs::read_dir(&out).unwrap().map(Result::unwrap) {
            let mode = std::os::unix::fs::PermissionsExt::mode(&entry.metadata().unwrap().permissions());
            assert_eq!((mode & 0o777, entry.path().extension().unwrap()), (0o600, "csv".as_ref()));
        }
    }

    #[test]
    fn an_export_is_five_files() {
        let folder = tempfile::tempdir().unwrap();
        let (_fixture, desk) = filled();
        let out = |name: &str| folder.path().join(name).display().to_string();
        let written = |line: &[&str]| {
            let args = parsed::<export::ExportArgs>(line);
            export::write_book_tables(&args, &desk).map_err(|failure| failure.to_string())
        };
        let text = written(&["--out", &out("all")]).unwrap();
        assert_eq!(text.lines().count(), 5, "{text}");
        let loans = std::fs::read_to_string(folder.path().join("all/loans.csv")).unwrap();
        insta::assert_snapshot!(loans.lines().take(3).collect::<Vec<_>>().join("\n"));
        let all: String = ["loans", "orders", "payments", "messages", "audit"]
            .map(|name| std::fs::read_to_string(folder.path().join(format!("all/{name}.csv"))).unwrap())
            .concat();
        for personal in ["0123456789", "2348012345678", "1990-12-24"] {
            assert!(!all.contains(personal), "{personal}");
        }
        assert!(written(&["--out", &out("all")]).is_err(), "a folder that exists is refused");
        let text = written(&["--out", &out("none"), "--from", "2027-01-01", "--format", "ndjson"]).unwrap();
        assert!(text.lines().all(|line| line.ends_with(": 0 rows")), "{text}");
        written(&["--out", &out("personal"), "--personal", "--format", "ndjson"]).unwrap();
        let loans = std::fs::read_to_string(folder.path().join("personal/loans.ndjson")).unwrap();
        assert!(loans.contains("\"account_number\":\"0123456789\""), "{loans}");
    }
}
