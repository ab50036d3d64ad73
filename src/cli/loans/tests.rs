//! What the commands on a service's loans print, on a book that real steps have filled.

use std::sync::Arc;

use clap::{Args, Parser};

use super::Desk;
use super::aligned::table;
use super::list::{self, ListArgs};
use super::review::{self, ResolveArgs, ReviewArgs};
use super::show::{self, ShowArgs};
use crate::back_office::tests::{Fixture, PlainVault};
use crate::back_office::{Answer, LocalTime};
use crate::cli::output::Failure;

impl Desk {
    /// At a book that is filled.
    pub(crate) fn at(fixture: &Fixture) -> Desk {
        Desk {
            book: fixture.book.clone(),
            vault: Arc::new(PlainVault(1)),
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
    assert_eq!(table(&["x", ">n"], &rows), "x         n\na        10\nlängste   9\n");
}

#[test]
fn a_list_says_what_waits_for_a_person_and_why() {
    let (_, desk) = filled();
    let (text, rest) = list::shown(&parsed::<ListArgs>(&["--needs-person"]), &desk).unwrap();
    insta::assert_snapshot!(text, @r#"
        loan  state           for        id            customer           owed  due         because
           1  overpaid        40 d 0 h   L-OR-CLOSED   C-1            NGN 0.00              more was paid than owed
           2  review          24 d 0 h   L-OR-OPEN     C-2       NGN 21,000.00  2026-01-20  all tries to collect the payment failed
           3  referred        40 d 0 h   OR-REFERRED   C-3                                  the policy asks a person
           4  referred        40 d 0 h   OR-BARE       C-4                                  the policy asks a person
           5  review          38 d 23 h  L-OR-UNKNOWN  C-5                                  the provider has not said in time whether the money moved
           6  funding failed  40 d 0 h   L-OR-FAILED   C-6                                  the customer was not credited
           8  review          40 d 0 h   OR-DAMAGED    C-8                                  the statement cannot be decided on
        "#);
    assert_eq!(rest, "");
    let (text, rest) = list::shown(&parsed::<ListArgs>(&["--limit", "2"]), &desk).unwrap();
    assert_eq!((text.lines().count(), rest.as_str()), (3, "there are more loans: go on with --after 2\n"));
    let (text, rest) = list::shown(&parsed::<ListArgs>(&["--customer", "nobody"]), &desk).unwrap();
    assert_eq!((text.as_str(), rest.as_str()), ("", "no loan is like that\n"));
    let (text, _) = list::shown(&parsed::<ListArgs>(&["--state", "overpaid", "--format", "json"]), &desk).unwrap();
    insta::assert_snapshot!(text, @r#"
        {"cause":null,"changed_at":"2026-01-05T08:00:00Z","created_at":"2026-01-05T08:00:00Z","currency":"566","customer_id":"C-1","due":null,"loan_id":"L-OR-CLOSED","loan_reference_id":"REF-OR-CLOSED","needs_person":true,"number":1,"overpaid_minor":2500,"owed_minor":0,"paid_minor":2100000,"reference":"OR-CLOSED","since":"2026-01-05T08:00:00Z","state":"overpaid","version":13,"wake":null}
        "#);
}

#[test]
fn a_loan_is_shown_with_its_story() {
    let (_, desk) = filled();
    insta::assert_snapshot!(show::shown(&parsed::<ShowArgs>(&["L-OR-OPEN"]), &desk).unwrap(), @r#"
        loan        2
        state       review for 24 d 0 h
        because     all tries to collect the payment failed
        possible    retry, write-off
        id          L-OR-OPEN
        request     OR-OPEN
        acceptance  REF-OR-OPEN
        customer    C-2
        asked for   2026-01-05 09:00:00
        offer       O-OR-OPEN
        paid out    NGN 20,000.00
        payable     NGN 21,000.00
        owed        NGN 21,000.00
        decision    offer by starter 3, 2026-01-05 09:00:00

        Offers
        offer             amount        payable  valid until
        O-OR-OPEN  NGN 20,000.00  NGN 21,000.00  2026-01-12 09:00:00

        Payments due
        number  due                amount      paid           owed  tries
             1  2026-01-20  NGN 10,500.00  NGN 0.00  NGN 10,500.00      2
             2  2026-02-04  NGN 10,500.00  NGN 0.00  NGN 10,500.00      0

        Transactions of money
        what                try         amount  outcome    sent                 transaction                        reference
        payout                1  NGN 20,000.00  moved      2026-01-05 09:00:00  LW-FUND-3cf62cfe9c7b36a16b2fcfd8   TR-LW-FUND-3cf6
        debit of payment 1    1  NGN 10,500.00  not moved  2026-01-20 09:00:00  LW-DEBIT-a0b9298766ff7c59680d5d42
        debit of payment 1    2  NGN 10,500.00  not moved  2026-01-21 09:00:00  LW-DEBIT-169f5343555c8fd1302721fb

        Messages
        message        standing  planned              because
        funded         failed    2026-01-05 09:00:00  rejected, HTTP 400
        not collected  failed    2026-01-20 09:00:00  rejected, HTTP 400
        not collected  failed    2026-01-21 09:00:00  rejected, HTTP 400

        Story
        when                 who       what
        2026-01-05 09:00:00  provider  requested
        2026-01-05 09:00:00  service   decided offer; requested -> answering; offer by starter 3
        2026-01-05 09:00:00  service   answer taken; answering -> offered
        2026-01-05 09:00:00  provider  accepted; offered -> verifying; note: offer O-OR-OPEN
        2026-01-05 09:00:00  service   account verified; verifying -> funding; planned: fund, attempt 1, NGN 20,000.00
        2026-01-05 09:00:00  service   sending; sent: fund, attempt 1, NGN 20,000.00
        2026-01-05 09:00:00  service   moved; funding -> open; moved: fund, attempt 1, NGN 20,000.00; message: funded; reference: TR-LW-FUND-3cf6
        2026-01-20 09:00:00  service   due; open -> collecting; planned: debit of payment 1, attempt 1, NGN 10,500.00
        2026-01-20 09:00:00  service   sending; sent: debit of payment 1, attempt 1, NGN 10,500.00
        2026-01-20 09:00:00  service   not moved; collecting -> collection failed; not moved: debit of payment 1, attempt 1, NGN 10,500.00; message: not collected
        2026-01-21 09:00:00  service   due; collection failed -> collecting; planned: debit of payment 1, attempt 2, NGN 10,500.00
        2026-01-21 09:00:00  service   sending; sent: debit of payment 1, attempt 2, NGN 10,500.00
        2026-01-21 09:00:00  service   not moved; collecting -> review; not moved: debit of payment 1, attempt 2, NGN 10,500.00; because: not collected; message: not collected
        "#);
    let by_any_name = |name: &str| show::shown(&parsed::<ShowArgs>(&[name]), &desk).unwrap();
    let id = desk.book.find("OR-CLOSED").unwrap().unwrap().id.to_string();
    for name in ["L-OR-CLOSED", "REF-OR-CLOSED", &id] {
        assert_eq!(by_any_name(name), by_any_name("OR-CLOSED"));
    }
    assert!(show::shown(&parsed::<ShowArgs>(&["NONE"]), &desk).is_err());
}

#[test]
fn personal_data_is_shown_only_if_it_is_asked_for() {
    let (_, desk) = filled();
    for format in ["text", "json"] {
        let shown = |more: &[&str]| {
            let line = [&["OR-OPEN", "--format", format], more].concat();
            show::shown(&parsed::<ShowArgs>(&line), &desk).unwrap()
        };
        for personal in ["0123456789", "2348012345678", "1990-12-24"] {
            assert!(!shown(&[]).contains(personal), "{personal}");
            assert!(shown(&["--personal"]).contains(personal), "{personal}");
        }
    }
}

fn resolved(desk: &Desk, line: &[&str], answer: Answer) -> Result<String, String> {
    let line = [line, &["--note", "as the bank says", "--by", "Ada Obi"]].concat();
    let mut ask = |transaction: &str, loan: &str| {
        assert!(transaction.starts_with("LW-FUND-") && loan == "L-OR-UNKNOWN", "{transaction} {loan}");
        Ok::<_, Failure>(answer)
    };
    review::resolved(&parsed::<ResolveArgs>(&line), desk, &mut ask).map_err(|failure| failure.to_string())
}

#[test]
fn a_person_decides_and_the_audit_says_who_and_why() {
    let (_, desk) = filled();
    let refused = resolved(&desk, &["OR-UNKNOWN", "--not-moved", "--ask"], Answer::Moved).unwrap_err();
    insta::assert_snapshot!(refused, @r#"
        the provider says that the money has moved, which contradicts --not-moved; nothing was done. Leave out --ask to decide against it
        "#);
    let done = resolved(&desk, &["OR-UNKNOWN", "--moved", "--ask"], Answer::Moved).unwrap();
    let id = desk.book.find("OR-UNKNOWN").unwrap().unwrap().id;
    assert_eq!(done, format!("loan {id}: review -> open, by Ada Obi"));
    let story = show::shown(&parsed::<ShowArgs>(&["OR-UNKNOWN"]), &desk).unwrap();
    let line = story.lines().find(|line| line.contains("Ada Obi")).unwrap();
    assert!(line.contains("moved; review -> open") && line.contains("note: as the bank says"), "{line}");
    insta::assert_snapshot!(resolved(&desk, &["OR-UNKNOWN", "--refunded"], Answer::Moved).unwrap_err(), @r#"
        `refunded` is not possible while the loan is `open`; possible now: --write-off
        "#);
    insta::assert_snapshot!(resolved(&desk, &["OR-CLOSED", "--cancel"], Answer::Moved).unwrap_err(), @r#"
        `cancel` is not possible while the loan is `overpaid`; possible now: --refunded
        "#);
    insta::assert_snapshot!(resolved(&desk, &["OR-CLOSED", "--refunded", "--ask"], Answer::Moved).unwrap_err(), @r#"
        no transaction of money of this loan is open, so there is nothing to ask; leave out --ask
        "#);
}

#[test]
fn a_referral_is_approved_or_declined() {
    let (_, desk) = filled();
    let reviewed = |line: &[&str]| {
        let line = [line, &["--note", "pay slip seen", "--by", "Ada Obi"]].concat();
        review::reviewed(&parsed::<ReviewArgs>(&line), &desk).map_err(|failure| failure.to_string())
    };
    let bare = reviewed(&["OR-BARE", "--approve"]).unwrap_err();
    insta::assert_snapshot!(bare, @r#"
        the loan's decision made no offers, so there is nothing to approve; decline it, and let the customer ask again once the policy offers something; possible now: --decline
        "#);
    assert!(reviewed(&["OR-BARE", "--decline"]).unwrap().ends_with(": referred -> answering, by Ada Obi"));
    let approved = reviewed(&["OR-REFERRED", "--approve", "--valid-for", "P3D"]).unwrap();
    assert!(approved.ends_with(": referred -> answering, by Ada Obi"), "{approved}");
    let again = reviewed(&["OR-REFERRED", "--approve"]).unwrap_err();
    insta::assert_snapshot!(again, @r#"
        `approved` is not possible while the loan is `answering`; nobody has to decide about this loan now
        "#);
}

mod others {
    use super::*;
    use crate::back_office::Asks;
    use crate::cli::{audit, backup, export, reconcile};
    use crate::service::hosted::BoxFuture;
    use crate::store::book::MIGRATIONS;
    use crate::store::sqlite;

    struct Knows;

    impl Asks for Knows {
        fn ask<'a>(&'a self, id: &'a str, _: &'a str) -> BoxFuture<'a, Answer> {
            let answer = if id.starts_with("LW-FUND") { Answer::Moved } else { Answer::NoAnswer };
            Box::pin(std::future::ready(answer))
        }
    }

    #[test]
    fn a_reconciliation_lists_what_differs_and_what_has_no_answer() {
        let (_, desk) = filled();
        let args = parsed::<reconcile::ReconcileArgs>(&["--from", "2026-01-04", "--to", "2026-01-20"]);
        let (first, last) = reconcile::days(&args, &desk).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut text = String::new();
        for day in [first, crate::back_office::next(first), last] {
            let one = reconcile::one_day(&desk, &Knows, &runtime, day).unwrap();
            text.push_str(&reconcile::shown(super::super::LoanFormat::Text, day, &one));
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
          differs  L-OR-FAILED   payout  NGN 20,000.00  not moved  moved
          differs  L-OR-UNKNOWN  payout  NGN 20,000.00  sent       moved
        2026-01-20: 0 of 2 transactions agree
          sums   count         amount
          sent       2  NGN 21,000.00
          moved      1  NGN 10,500.00
          look at     loan         what                       amount  recorded   provider   transaction
          unanswered  L-OR-CLOSED  debit of payment 1  NGN 10,500.00  moved      no answer
          unanswered  L-OR-OPEN    debit of payment 1  NGN 10,500.00  not moved  no answer
        "#);
        let one = reconcile::one_day(&desk, &Knows, &runtime, last).unwrap();
        let json: serde_json::Value =
            serde_json::from_str(&reconcile::shown(super::super::LoanFormat::Json, last, &one)).unwrap();
        assert_eq!(json["transactions"][0]["verdict"], "unanswered");
        assert_eq!(json["sums"][0]["sent"]["amount_minor"], 2_100_000);
        let yesterday = reconcile::days(&parsed::<reconcile::ReconcileArgs>(&[]), &desk).unwrap();
        assert_eq!(yesterday.0.to_string(), "2026-02-13");
        assert_eq!(yesterday.0, yesterday.1);
        let wrong = parsed::<reconcile::ReconcileArgs>(&["--from", "2026-01-21", "--to", "2026-01-20"]);
        assert!(reconcile::days(&wrong, &desk).is_err());
    }

    #[test]
    fn an_audit_is_verified_against_a_hash_kept_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.db");
        let mut fixture = Fixture::new(sqlite::open(&path, MIGRATIONS, crate::back_office::tests::BEGIN).unwrap());
        fixture.fill();
        let desk = Desk::at(&fixture);
        let verify = |line: &[&str]| {
            audit::verified(&parsed::<audit::VerifyArgs>(line), &desk).map_err(|failure| failure.to_string())
        };
        let shown = verify(&[]).unwrap();
        let hash = shown.lines().last().unwrap().trim_start_matches("last hash").trim().to_owned();
        fixture.life("OR-LATER", "C-77", Some("decline"), |_| unreachable!());
        assert!(verify(&["--expect", &hash]).is_ok());
        insta::assert_snapshot!(verify(&["--expect", "0123"]).unwrap_err(), @r#"
        no row of the audit has the expected hash: rows were cut off or replaced, or it is of another book
        "#);
        let file = rusqlite::Connection::open(&path).unwrap();
        let change = "DROP TRIGGER audit_is_unchanged; UPDATE audit SET detail = '{}' WHERE seq = 7;";
        file.execute_batch(change).unwrap();
        drop(file);
        insta::assert_snapshot!(verify(&[]).unwrap_err(), @r#"
        row 7 of the audit is not what was recorded: somebody changed the database by other means
        "#);
    }

    #[test]
    fn a_backup_says_what_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let (_fixture, desk) = filled();
        let file = folder.path().join("copy.db");
        let text = backup::made(&desk, &file).unwrap();
        let head: Vec<&str> = text.lines().skip(1).take(8).collect();
        insta::assert_snapshot!(head.join("\n"), @r#"
        table      rows
        loans         8
        offers        5
        decisions     7
        orders        8
        payments      2
        messages      5
        audit       106
        "#);
        let again = backup::made(&desk, &file).unwrap_err().to_string();
        assert!(again.contains("exists"), "{again}");
    }

    #[test]
    fn an_export_is_five_files() {
        let folder = tempfile::tempdir().unwrap();
        let (_fixture, desk) = filled();
        let out = |name: &str| folder.path().join(name).display().to_string();
        let written = |line: &[&str]| {
            let args = parsed::<export::ExportArgs>(line);
            export::written(&args, &desk).map_err(|failure| failure.to_string())
        };
        let text = written(&["--out", &out("all")]).unwrap();
        assert_eq!(text.lines().count(), 5, "{text}");
        let loans = std::fs::read_to_string(folder.path().join("all/loans.csv")).unwrap();
        insta::assert_snapshot!(loans.lines().take(3).collect::<Vec<_>>().join("\n"), @r#"
        number,reference,loan_id,loan_reference_id,customer_id,state,cause,offer_id,currency,paid_out_minor,payable_minor,paid_minor,owed_minor,overpaid_minor,created_at,changed_at
        1,OR-CLOSED,L-OR-CLOSED,REF-OR-CLOSED,C-1,overpaid,,O-OR-CLOSED,566,2000000,2100000,2100000,0,2500,2026-01-05T08:00:00Z,2026-01-05T08:00:00Z
        2,OR-OPEN,L-OR-OPEN,REF-OR-OPEN,C-2,review,not_collected,O-OR-OPEN,566,2000000,2100000,0,2100000,0,2026-01-05T08:00:00Z,2026-01-21T08:00:00Z
        "#);
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
