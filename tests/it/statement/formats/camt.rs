//! camt.053: public samples, and what the standard says of entries, each with a message of its own.

use lendwright::statement::TableFormat;

use super::{Outcome, hold, read, summary};

use crate::fixtures::campaign;

/// No sample but one has balances of its entries' currency.
const CAMT: &[Outcome] = &[
    ("camt053.v2.all-balance-types.xml", Ok((1, 885, 0, 0, None))),
    ("camt053.v2.five.decimals.xml", Ok((1, 885, 0, 0, None))),
    ("camt053.v2.minimal.ultimate.xml", Ok((1, 885, 0, 0, None))),
    ("camt053.v2.minimal.xml", Ok((1, 885, 0, 0, None))),
    ("camt053.v2.multi.statement.xml", Ok((2, 885, 700, 2, Some(2_000)))),
    ("camt053.v2.with-account-name.xml", Ok((1, 885, 0, 0, None))),
    ("camt053.v2.with-party-ids.xml", Ok((1, 885, 0, 0, None))),
    ("camt053.v2.wrong.xml", Err("its message holds no statement")),
    ("camt053.v3.xml", Ok((1, 885, 0, 0, None))),
    ("camt053.v4.xml", Ok((1, 885, 0, 0, None))),
    ("camt053.v8.xml", Ok((1, 885, 0, 0, None))),
];

#[test]
fn every_public_sample_of_camt_is_read_right_or_refused() {
    hold("camt", TableFormat::Camt, CAMT);
}

/// A message with these parts of a statement. The opening balance is 10.00.
fn message(closing: &str, entries: &str) -> String {
    let balance = |code: &str, amount: &str| {
        format!(
            "<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy=\"EUR\">{amount}</Amt>\
             <CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-03-01</Dt></Dt></Bal>"
        )
    };
    format!(
        "<Document><BkToCstmrStmt><Stmt><Acct><Id><IBAN>NL1</IBAN></Id></Acct>{}{}{entries}</Stmt></BkToCstmrStmt>\
         </Document>",
        balance("OPBD", "10.00"),
        balance("CLBD", closing)
    )
}

fn entry(amount: &str, side: &str, status: &str, more: &str) -> String {
    format!(
        "<Ntry><Amt Ccy=\"EUR\">{amount}</Amt><CdtDbtInd>{side}</CdtDbtInd><Sts>{status}</Sts>\
         <BookgDt><Dt>2026-03-02</Dt></BookgDt>{more}</Ntry>"
    )
}

/// A part of an entry, with its amount.
fn part(amount: &str, reference: &str) -> String {
    format!(
        "<TxDtls><Refs><TxId>{reference}</TxId></Refs><Amt Ccy=\"EUR\">{amount}</Amt><RmtInf><Ustrd>{reference} &amp; \
         co</Ustrd></RmtInf></TxDtls>"
    )
}

/// Entries, credits, debits, entries with a balance and the last balance; or the start of the message.
#[test]
fn entries_mean_what_the_standard_says() {
    let details = |parts: &str| format!("<NtryDtls>{parts}</NtryDtls>");
    let batch = details(&(part("3.00", "P1") + &part("2.00", "P2")));
    let unlike = details(&(part("3.00", "P1") + &part("9.00", "P2")));
    let reversal = "<RvslInd>true</RvslInd>";
    let credit = |more: &str| entry("5.00", "CRDT", "BOOK", more);
    for (name, text, expected) in [
        ("agreeing balances", message("15.00", &credit("")), Ok((1, 500, 0, 1, Some(1_500)))),
        ("other balances", message("15.01", &credit("")), Ok((1, 500, 0, 0, None))),
        (
            "a reversal is booked on the side that it names",
            message("15.00", &credit(reversal)),
            Ok((1, 500, 0, 1, Some(1_500))),
        ),
        ("parts of a batch", message("15.00", &credit(&batch)), Ok((2, 500, 0, 2, Some(1_500)))),
        ("parts that do not add up", message("15.00", &credit(&unlike)), Ok((1, 500, 0, 1, Some(1_500)))),
        (
            "pending and informing entries",
            message("10.00", &(entry("5.00", "CRDT", "PDNG", "") + &entry("6.00", "DBIT", "INFO", ""))),
            Ok((0, 0, 0, 0, None)),
        ),
        (
            "a status of its own",
            message("15.00", &entry("5.00", "CRDT", "X", "")),
            Err("line 1: an entry's status is `X`"),
        ),
        ("no side", message("15.00", &entry("5.00", "", "BOOK", "")), Err("line 1: an entry needs an amount")),
        ("an empty entry", message("15.00", "<Ntry/>"), Err("line 1: an entry needs an amount")),
        ("cut off", message("15.00", &credit("")).replace("</BkToCstmrStmt></Document>", ""), Err("line 1: ")),
        ("another root", "<html></html>".to_owned(), Err("line 1: it is no camt message")),
        ("no statement", "<Document><BkToCstmrStmt/></Document>".to_owned(), Err("its message holds no statement")),
        (
            "bookings without balances",
            "<Document><BkToCstmrDbtCdtNtfctn/></Document>".to_owned(),
            Err("line 1: it is a camt.054"),
        ),
        ("a payment order", "<Document><CstmrCdtTrfInitn/></Document>".to_owned(), Err("line 1: it is an ISO 20022")),
        (
            "a document type",
            "<!DOCTYPE x [<!ENTITY a \"b\">]><Document/>".to_owned(),
            Err("line 1: it has a document type"),
        ),
    ] {
        let found = read(TableFormat::Camt, text.as_bytes()).map(|statements| summary(&statements));
        let found = found.map_err(|error| error.to_string().replace("the table cannot be read: ", ""));
        match (&found, &expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{name}"),
            (Err(found), Err(start)) => assert!(found.starts_with(start), "{name}: {found}"),
            _ => panic!("{name}: {found:?} is not {expected:?}"),
        }
    }
}

#[test]
fn what_contradicts_itself_or_would_count_twice_is_refused() {
    let credit = entry("5.00", "CRDT", "BOOK", "");
    let once = message("15.00", &credit);
    let (from, to) = (once.find("<Stmt>").expect("its start"), once.find("</BkToCstmrStmt>").expect("its end"));
    let summary = "<TxsSummry><TtlNtries><NbOfNtries>2</NbOfNtries></TtlNtries></TxsSummry>".to_owned();
    for (name, text, start) in [
        ("an exponent", message("15.00", &entry("5E0", "CRDT", "BOOK", "")), "line 1: an entry needs an amount"),
        (
            "no currency",
            message("15.00", &credit.replace(" Ccy=\"EUR\"", "")),
            "line 1: neither the entry (Amt Ccy) nor its account (Acct/Ccy) names a currency",
        ),
        (
            "fewer entries than it says",
            message("15.00", &(summary + &credit)),
            "a statement says that it has 2 entries (TxsSummry), but there are 1",
        ),
        (
            "a statement twice",
            once.replace("</BkToCstmrStmt>", &(once[from..to].to_owned() + "</BkToCstmrStmt>")),
            "statement 2 repeats statement 1, with the same balances and entries",
        ),
    ] {
        let wrong = read(TableFormat::Camt, text.as_bytes()).expect_err(name).to_string();
        assert!(wrong.replace("the table cannot be read: ", "").starts_with(start), "{name}: {wrong}");
    }
}

/// A damaged message is refused, or has the same entries: never others.
#[test]
fn damage_never_changes_an_amount() {
    let whole = message("21.00", &(entry("5.00", "CRDT", "BOOK", "") + &entry("6.00", "CRDT", "BOOK", "")));
    let bytes = whole.as_bytes();
    let known = ["5.00", "6.00"];
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut draw = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for _ in 0..campaign::size(2_000, 10_000) {
        let mut damaged = bytes.to_vec();
        match draw(3) {
            0 => damaged.truncate(draw(bytes.len())),
            1 => {
                let from = draw(bytes.len() - 20);
                drop(damaged.drain(from..from + 20));
            }
            _ => damaged[draw(bytes.len())] = [b'<', b'>', b'&', b'/', 0, 0xff][draw(6)],
        }
        let Ok(statements) = read(TableFormat::Camt, &damaged) else { continue };
        let (entries, credits, debits, ..) = summary(&statements);
        // What is left of the whole text is what was written there.
        let written = String::from_utf8_lossy(&damaged).into_owned();
        let left = known.iter().filter(|amount| written.contains(&format!(">{amount}</Amt>"))).count();
        assert!(debits == 0 && entries <= left && credits <= 1_100, "{entries} {credits}: {written}");
    }
}
