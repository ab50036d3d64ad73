//! An order is recorded once, again only if it did nothing, and never while another one of the loan is open.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::*;

fn order(id: &str, call: &str, loan: &str) -> LedgerOrder {
    LedgerOrder {
        transaction_id: id.to_owned(),
        call: call.to_owned(),
        loan_id: loan.to_owned(),
        amount_minor: 5,
        currency: "566".to_owned(),
        customer_id: "C-1".to_owned(),
        loan_reference_id: None,
        host: "provider.example".to_owned(),
        at: "2026-11-25T00:00:00.000Z".to_owned(),
    }
}

fn ordered(ledger: &Ledger, id: &str, call: &str, loan: &str) -> Result<(), String> {
    let id_of = TransactionId::new(id).map_err(|error| error.to_string())?;
    ledger.order(id_of, &order(id, call, loan)).map(|_| ())
}

fn ledger(place: &Path) -> Ledger {
    Ledger::new(&place.join("deep/below/ledger"))
}

fn refused(result: Result<(), String>, words: &[&str]) {
    let problem = result.err().unwrap_or_default();
    assert!(words.iter().all(|word| problem.contains(word)), "{problem}");
}

#[test]
fn what_was_ordered_is_ordered_again_only_where_it_did_nothing() -> Result<(), String> {
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let ledger = ledger(place.path());
    let record = |outcome| ledger.record_outcome("T-1", outcome, "provider.example", &json!("words"));
    ordered(&ledger, "T-1", "fund", "L-1")?;
    refused(
        ordered(&ledger, "T-1", "fund", "L-1"),
        &["was ordered before, for the loan `L-1`", "requery T-1 --ledger"],
    );
    for outcome in [
        TransactionOutcome::Uncertain,
        TransactionOutcome::Pending,
        TransactionOutcome::NotFound,
        TransactionOutcome::Refused,
        TransactionOutcome::Released,
    ] {
        record(outcome)?;
        refused(ordered(&ledger, "T-1", "fund", "L-1"), &["was ordered before"]);
    }
    record(TransactionOutcome::NotDone)?;
    refused(ordered(&ledger, "T-1", "debit", "L-1"), &["as another order"]);
    refused(ordered(&ledger, "T-1", "fund", "L-2"), &["as another order, for the loan `L-1`"]);
    ordered(&ledger, "T-1", "fund", "L-1")?;
    refused(ordered(&ledger, "T-1", "fund", "L-1"), &["was ordered before"]);
    record(TransactionOutcome::Done)?;
    refused(ordered(&ledger, "T-1", "fund", "L-1"), &["it was carried out"]);
    let text =
        fs::read_to_string(place.path().join("deep/below/ledger/T-1.ndjson")).map_err(|error| error.to_string())?;
    assert_eq!(text.lines().count(), 9, "nothing is taken out: {text}");
    Ok(())
}

#[test]
fn nothing_is_ordered_beside_what_is_open() -> Result<(), String> {
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let ledger = ledger(place.path());
    ordered(&ledger, "T-1", "fund", "L-1")?;
    for (outcome, is_open) in [
        (None, true),
        (Some(TransactionOutcome::Uncertain), true),
        (Some(TransactionOutcome::Pending), true),
        (Some(TransactionOutcome::NotFound), true),
        (Some(TransactionOutcome::Released), false),
        (Some(TransactionOutcome::Failed), false),
    ] {
        if let Some(outcome) = outcome {
            ledger.record_outcome("T-1", outcome, "provider.example", &json!(null))?;
        }
        let second = ordered(&ledger, &format!("T-2-{}", u8::from(is_open)), "fund", "L-1");
        match is_open {
            true => refused(second, &["transaction `T-1` of the same loan is open", "requery T-1 --ledger"]),
            false => {
                second.or_else(|problem| if problem.contains("T-2-0") { Ok(()) } else { Err(problem) })?;
            }
        }
    }
    // Another loan and another kind of order are allowed.
    ordered(&ledger, "T-3", "fund", "L-3")?;
    ordered(&ledger, "T-4", "debit", "L-1")
}

#[test]
fn a_ledger_of_an_earlier_version_is_read() -> Result<(), String> {
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let folder = place.path().join("ledger");
    let line = "{\"amountMinor\":5,\"call\":\"fund\",\"loanId\":\"L-1\",\"transactionId\":\"T-1\"}\n";
    fs::create_dir(&folder)
        .and_then(|()| fs::write(folder.join("T-1.ndjson"), line))
        .map_err(|error| error.to_string())?;
    let ledger = Ledger::new(&folder);
    refused(ordered(&ledger, "T-1", "fund", "L-1"), &["for the loan `L-1`"]);
    refused(ordered(&ledger, "T-2", "fund", "L-1"), &["`T-1` of the same loan is open"]);
    // A recorded refusal does not prove that no money moved.
    fs::write(folder.join("T-1.ndjson"), format!("{line}{{\"outcome\":\"refused\"}}\n"))
        .map_err(|error| error.to_string())?;
    refused(ordered(&ledger, "T-2", "fund", "L-1"), &["`T-1` of the same loan is open"]);
    // A damaged file may be about any loan.
    for damaged in ["", &line[..20], &line.replace("fund", "fumd")] {
        fs::write(folder.join("T-1.ndjson"), damaged).map_err(|error| error.to_string())?;
        for id in ["T-1", "T-2"] {
            refused(ordered(&ledger, id, "fund", "L-1"), &["is damaged", "Nothing has been sent"]);
        }
    }
    Ok(())
}

#[test]
fn a_loan_is_paid_out_once_and_repaid_in_instalments() -> Result<(), String> {
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let ledger = ledger(place.path());
    for (at, outcomes) in [
        (0, &[TransactionOutcome::Done][..]),
        (1, &[TransactionOutcome::Succeeded]),
        (2, &[TransactionOutcome::Released, TransactionOutcome::Succeeded]),
        (3, &[TransactionOutcome::Done, TransactionOutcome::NotFound, TransactionOutcome::Released]),
    ] {
        let (loan, first, second) = (format!("L-{at}"), format!("A-{at}"), format!("B-{at}"));
        for call in ["fund", "debit"] {
            let first = format!("{first}-{call}");
            ordered(&ledger, &first, call, &loan)?;
            for outcome in outcomes {
                ledger.record_outcome(&first, *outcome, "provider.example", &json!(null))?;
            }
            let second = ordered(&ledger, &format!("{second}-{call}"), call, &loan);
            match call {
                "fund" => refused(second, &["was paid out by transaction", "accept another offer"]),
                _ => second?,
            }
        }
    }
    Ok(())
}

#[test]
fn a_ledger_that_is_not_a_folder_is_refused() -> Result<(), String> {
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = place.path().join("file");
    fs::write(&file, "").map_err(|error| error.to_string())?;
    for place in [file.clone(), file.join("below")] {
        refused(ordered(&Ledger::new(&place), "T-1", "fund", "L-1"), &["is not a folder", "nothing has been sent"]);
    }
    for name in ["a/b", ".hidden", "a\\b", "a:b"] {
        assert!(ordered(&ledger(place.path()), name, "fund", "L-1").is_err(), "{name}");
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_synced_is_refused_before_anything_is_sent() -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let folder = place.path().join("ledger");
    let mode = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).map_err(|error| error.to_string());
    fs::create_dir(&folder).map_err(|error| error.to_string())?;
    mode(0o300)?;
    let tried = ordered(&Ledger::new(&folder), "T-1", "fund", "L-1");
    mode(0o700)?;
    // Root may read everything, so it is not refused.
    if tried.is_err() {
        refused(tried, &["cannot be synced to disk", "nothing has been sent"]);
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_broken_link_in_the_ledger_is_refused() -> Result<(), String> {
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let folder = place.path().join("ledger");
    fs::create_dir(&folder)
        .and_then(|()| std::os::unix::fs::symlink("gone", folder.join("T-1.ndjson")))
        .map_err(|error| error.to_string())?;
    refused(ordered(&Ledger::new(&folder), "T-2", "fund", "L-1"), &["leads to no file", "nothing has been sent"]);
    Ok(())
}
