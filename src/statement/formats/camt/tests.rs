//! Messages of any version, prefix and encoding: what is written is read back; balances of several days and pages; and
//! what a damaged message may still say.

use proptest::prelude::*;

use super::open_camt_file;
use crate::statement::formats::entry::at;
use crate::statement::formats::exact::Exact;
use crate::statement::formats::tests::{Trial, damaged};

const CAMT: Trial = Trial(open_camt_file);

/// A balance of this kind.
fn balance(kind: &str, day: &str, amount: &str, currency: &str) -> String {
    format!(
        "<Bal><Tp><CdOrPrtry><Cd>{kind}</Cd></CdOrPrtry></Tp><Amt Ccy=\"{currency}\">{amount}</Amt>\
         <CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>{day}</Dt></Dt></Bal>"
    )
}

fn credit(day: &str, amount: &str) -> String {
    format!(
        "<Ntry><Amt Ccy=\"EUR\">{amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>\
         <BookgDt><Dt>{day}</Dt></BookgDt></Ntry>"
    )
}

/// A message of one statement with these parts.
fn message(parts: &[String]) -> String {
    let parts = parts.concat();
    format!(
        "<Document><BkToCstmrStmt><Stmt><Acct><Id><IBAN>NL1</IBAN></Id><Ccy>EUR</Ccy></Acct>{parts}</Stmt>\
         </BkToCstmrStmt></Document>"
    )
}

#[test]
fn a_file_that_lacks_the_last_page_is_refused() {
    let page = |element: &str, number: u8, is_last: &str| {
        format!("<{element}><PgNb>{number}</PgNb><LastPgInd>{is_last}</LastPgInd></{element}>")
    };
    let statement = |number: u8, account: &str, is_last: &str| {
        format!(
            "<Stmt>{}<Acct><Id><IBAN>{account}</IBAN></Id><Ccy>EUR</Ccy></Acct>{}</Stmt>",
            page("StmtPgntn", number, is_last),
            credit("2026-03-02", &format!("{number}.00"))
        )
    };
    let file = |head: &str, statements: &[String]| {
        format!("<Document><BkToCstmrStmt>{head}{}</BkToCstmrStmt></Document>", statements.concat())
    };
    let [first, second, last] =
        [(1, "false"), (2, "false"), (3, "true")].map(|(number, is_last)| statement(number, "NL1", is_last));
    let whole = [first.clone(), second.clone(), last];
    let header = |is_last: &str| format!("<GrpHdr>{}</GrpHdr>", page("MsgPgntn", 7, is_last));
    assert_eq!(CAMT.cells(&file(&header("true"), &whole), &BALANCES).len(), 3);
    for (text, which) in [
        (file("", &whole[..1]), "page 1"),
        (file("", &whole[..2]), "page 2"),
        (file("", &[first.clone(), statement(2, "NL2", "true")]), "page 1"),
        (file("", &[statement(4, "NL1", "0")]), "page 4"),
        (file(&header("false"), &whole), "page 7"),
        (file("", &[first]).replace("<PgNb>1</PgNb>", ""), "a page"),
    ] {
        let said = CAMT.fault(&text);
        assert!(said.contains(&format!("it ends with {which}, which is not the last one")), "{said}");
    }
}

const BALANCES: [usize; 4] = [at::STATED_BALANCE, at::TRANS_DATE, at::CREDIT, at::BALANCE];

#[test]
fn balances_of_each_day_enclose_the_entries_of_that_day() {
    let daily = [
        balance("OPBD", "2026-03-02", "10.00", "EUR"),
        balance("CLBD", "2026-03-02", "15.00", "EUR"),
        balance("OPBD", "2026-03-04", "15.00", "EUR"),
        balance("CLBD", "2026-03-04", "22.00", "EUR"),
    ];
    let entries = [credit("2026-03-02", "5.00"), credit("2026-03-04", "7.00")];
    let first = ["opening|2026-03-02||10", "|2026-03-02|5.00|15", "closing|2026-03-02||15"].map(str::to_owned);
    let second = ["opening|2026-03-04||15", "|2026-03-04|7.00|22", "closing|2026-03-04||22"].map(str::to_owned);
    let read = |balances: &[String], entries: &[String]| CAMT.cells(&message(&[balances, entries].concat()), &BALANCES);
    let reversed = |of: &[String]| of.iter().rev().cloned().collect::<Vec<_>>();
    assert_eq!(read(&daily, &entries), [&first[..], &second[..]].concat());
    assert_eq!(read(&reversed(&daily), &entries), [&first[..], &second[..]].concat());
    assert_eq!(read(&daily, &reversed(&entries)), [&second[..], &first[..]].concat(), "the newest entry first");
    // In no order, all that is known is where they begin and end.
    let mixed = [&entries[..], &[credit("2026-03-02", "1.00")]].concat();
    assert_eq!(
        read(&daily, &mixed),
        [
            "opening|2026-03-02||10",
            "|2026-03-02|5.00|",
            "|2026-03-04|7.00|",
            "|2026-03-02|1.00|",
            "closing|2026-03-04||22"
        ]
    );
}

#[test]
fn an_opening_balance_closes_the_day_before() {
    let text = message(&[
        balance("OPBD", "2026-03-02", "10.00", "EUR"),
        balance("ITBD", "2026-03-02", "12.00", "EUR"),
        balance("OPBD", "2026-03-03", "16.00", "EUR"),
        balance("CLBD", "2026-03-03", "22.00", "EUR"),
        credit("2026-03-02", "5.00"),
        credit("2026-03-03", "6.00"),
    ]);
    assert_eq!(
        CAMT.cells(&text, &BALANCES),
        [
            "opening|2026-03-02||10",
            "|2026-03-02|5.00|",
            "closing|2026-03-03||16",
            "opening|2026-03-03||16",
            "|2026-03-03|6.00|22",
            "closing|2026-03-03||22"
        ]
    );
}

#[test]
fn an_interim_balance_that_fits_gives_the_entries_theirs() {
    let page = |end: &str| {
        let parts = [balance("OPBD", "2026-03-02", "10.00", "EUR"), balance("ITBD", "2026-03-02", end, "EUR")];
        CAMT.cells(&message(&[&parts[..], &[credit("2026-03-02", "5.00")]].concat()), &BALANCES)
    };
    assert_eq!(page("15.00"), ["opening|2026-03-02||10", "|2026-03-02|5.00|15"]);
    assert_eq!(page("99.00"), ["opening|2026-03-02||10", "|2026-03-02|5.00|"]);
}

#[test]
fn the_balance_before_stands_in_for_the_opening_one() {
    let text = message(&[
        balance("PRCD", "2026-03-01", "10.00", "EUR"),
        balance("ITBD", "2026-03-02", "99.00", "EUR"),
        balance("CLBD", "2026-03-02", "15.00", "EUR"),
        balance("CLAV", "2026-03-02", "77.00", "EUR"),
        credit("2026-03-02", "5.00"),
    ]);
    assert_eq!(
        CAMT.cells(&text, &BALANCES),
        ["opening|2026-03-01||10", "|2026-03-02|5.00|15", "closing|2026-03-02||15"]
    );
}

#[test]
fn the_closing_balance_is_one_of_the_opening_ones_currency() {
    let text = message(&[
        balance("OPBD", "2026-03-01", "10.00", "EUR"),
        balance("CLBD", "2026-03-02", "15.00", "EUR"),
        balance("CLBD", "2026-03-03", "16.20", "USD"),
        credit("2026-03-02", "5.00"),
    ]);
    assert_eq!(CAMT.cells(&text, &BALANCES).last().map(String::as_str), Some("closing|2026-03-02||15"));
}

#[test]
fn a_balance_that_cannot_be_read_is_passed_on_as_it_is() {
    let text = message(&[
        balance("OPBD", "2026-03-01", "ten", "EUR"),
        balance("CLBD", "2026-03-02", "15.00", "EUR"),
        credit("2026-03-02", "5.00"),
    ]);
    assert_eq!(
        CAMT.cells(&text, &BALANCES),
        ["opening|2026-03-01||ten CRDT", "|2026-03-02|5.00|", "closing|2026-03-02||15"]
    );
}

/// An entry: its amount in cents, the day of May, whether it is booked, its reference and its remittance.
type Written = (i64, u32, bool, String, String);

/// Writes a message in a version, with a prefix before every element.
fn write(accounts: &[(String, Vec<Written>)], version: u32, prefix: &str) -> String {
    let mut text =
        format!("<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.{version:02}\"><BkToCstmrStmt>");
    for (account, entries) in accounts {
        text += &format!("\n<Stmt><Id>1</Id><Acct><Id><Othr><Id>{account}</Id></Othr></Id></Acct>");
        for (cents, day, is_booked, reference, remittance) in entries {
            let (side, status) = (if *cents < 0 { "DBIT" } else { "CRDT" }, if *is_booked { "BOOK" } else { "PDNG" });
            let status = if version < 4 { status.to_owned() } else { format!("<Cd>{status}</Cd>") };
            let remittance = remittance.replace('&', "&amp;").replace('<', "&lt;");
            text += &format!(
                "\n  <Ntry><Amt Ccy=\"EUR\">{}.{:02}</Amt><CdtDbtInd>{side}</CdtDbtInd><Sts>{status}</Sts>\
                 <BookgDt><DtTm>2026-05-{day:02}T23:59:00+02:00</DtTm></BookgDt><AcctSvcrRef>{reference}</AcctSvcrRef>\
                 <NtryDtls><TxDtls><RmtInf><Ustrd>{remittance}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>",
                cents.abs() / 100,
                cents.abs() % 100
            );
        }
        text += "</Stmt>";
    }
    text += "</BkToCstmrStmt></Document>";
    let named =
        text.replace("</", "\u{1}").replace('<', &format!("<{prefix}")).replace('\u{1}', &format!("</{prefix}"));
    let xmlns =
        if prefix.is_empty() { "xmlns=".to_owned() } else { format!("xmlns:{}=", prefix.trim_end_matches(':')) };
    named.replacen("xmlns=", &xmlns, 1)
}

/// The text's bytes in an encoding that its first line declares.
fn encoded(text: &str, encoding: &str) -> Vec<u8> {
    let text = format!("<?xml version=\"1.0\" encoding=\"{encoding}\"?>\n{text}");
    match encoding {
        "ISO-8859-1" => text.chars().map(|letter| u8::try_from(u32::from(letter)).expect("Latin-1")).collect(),
        "UTF-16" => [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect(),
        _ => text.into_bytes(),
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        accounts in prop::collection::vec(
            ("[0-9]{4,12}", prop::collection::vec(
                (-10_000_000_i64..10_000_000, 1_u32..=31, any::<bool>(), "[A-Z0-9]{1,12}", "[A-Zü&<'][a-z&;é]{0,20}"),
                0..6,
            )),
            1..4,
        ),
        version in 2_u32..=14,
        prefix in prop::sample::select(vec!["", "n:", "camt053:"]),
        encoding in prop::sample::select(vec!["UTF-8", "ISO-8859-1", "UTF-16"]),
    ) {
        let rows = CAMT.rows(&encoded(&write(&accounts, version, prefix), encoding)).expect("rows");
        let written: Vec<_> =
            accounts.iter().flat_map(|(account, entries)| entries.iter().map(move |entry| (account, entries, entry)))
                .collect();
        prop_assert_eq!(rows.len(), written.len());
        for ((ordinal, row), (at_place, (account, entries, entry))) in rows.iter().zip(written.iter().enumerate()) {
            let (cents, day, is_booked, reference, remittance) = entry;
            let side = if *cents < 0 { at::DEBIT } else { at::CREDIT };
            let amount = |text: &str| Exact::read(text, '.').expect("digits").to_string();
            prop_assert_eq!(*ordinal as usize, at_place);
            prop_assert_eq!(&row[at::ACCOUNT], *account);
            prop_assert_eq!(amount(&row[side]), amount(&format!("{}.{:02}", cents.abs() / 100, cents.abs() % 100)));
            prop_assert_eq!(&row[at::TRANS_DATE], &format!("2026-05-{day:02}"));
            prop_assert_eq!(&row[at::STATUS], if *is_booked { "booked" } else { "pending" });
            prop_assert_eq!(&row[at::DESC], remittance);
            // A reference that several entries of one statement have identifies none of them.
            let is_unique = entries.iter().filter(|other| other.3 == *reference).count() == 1;
            prop_assert_eq!(&row[at::ID], if is_unique { reference.as_str() } else { "" });
        }
    }
}

#[test]
fn damage_is_refused_or_leaves_entries_as_they_were_written() {
    let entries: Vec<Written> =
        vec![(512, 3, true, "R1".into(), "a & b".into()), (-631, 4, false, "R2".into(), "c".into())];
    let whole = write(&[("77".to_owned(), entries)], 8, "n:");
    damaged(whole.as_bytes(), b"<>/&;-\n\"", 24, |round, bytes| match CAMT.rows(bytes) {
        Err(fault) => assert!(!fault.what.is_empty(), "{round}"),
        Ok(rows) => {
            let text: String = String::from_utf8_lossy(bytes).split_whitespace().collect();
            for (_, row) in rows {
                for amount in [&row[at::CREDIT], &row[at::DEBIT]].into_iter().filter(|amount| !amount.is_empty()) {
                    assert!(text.contains(&format!(">{amount}</n:Amt")), "{round}: {amount} in {text}");
                }
            }
        }
    });
}
