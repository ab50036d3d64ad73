//! Messages as banks write them, random ones written and read back, and damaged ones.

use proptest::prelude::*;

use super::open_mt940_file;
use crate::statement::formats::entry::at;
use crate::statement::formats::tests::{Trial, damaged};

const MT940: Trial = Trial(open_mt940_file);

/// A message around these lines, from a balance of 100 to this one.
fn message(lines: &str, closing: &str) -> String {
    format!(":20:A\n:25:ACC1\n:28C:1/1\n:60F:C260101EUR100,00\n{lines}\n:62F:{closing}\n-\n")
}

#[test]
fn marks_say_which_side_and_reversals_take_back() {
    let text = message(
        ":61:2601020102C10,50NTRFNONREF\n:61:260102D,5NTRFNONREF\n:61:260102RC10,50NTRFNONREF\n\
         :61:260102RD0,50NTRFNONREF\n:61:260102CR5,NTRFNONREF\n:61:260102ED7,00NTRFNONREF",
        "C260102EUR105,00",
    );
    assert_eq!(
        MT940.cells(&text, &[at::CREDIT, at::DEBIT, at::BALANCE, at::STATUS, at::STATED_BALANCE]),
        [
            "||100||opening",
            "10.5||110.5||",
            "|0.5|110||",
            "|10.5|99.5||",
            "0.5||100||",
            "5||105||",
            "|7||pending|",
            "||105||closing",
        ]
    );
}

#[test]
fn balances_run_only_if_the_sums_hold() {
    let text = message(":61:260102C10,00NTRFNONREF", "C260102EUR110,01");
    assert_eq!(MT940.cells(&text, &[at::CREDIT, at::BALANCE]), ["|100", "10|", "|110.01"]);
    let overdrawn = message(":61:260102D150,00NTRFNONREF", "D260102EUR50,00");
    assert_eq!(MT940.cells(&overdrawn, &[at::DEBIT, at::BALANCE]), ["|100", "150|-50", "|-50"]);
}

#[test]
fn balances_run_in_the_direction_of_the_days() {
    let cells = |lines: &str, closing: &str| {
        MT940.cells(&message(lines, closing), &[at::TRANS_DATE, at::CREDIT, at::DEBIT, at::BALANCE])
    };
    // Newest first, with an entry that is only expected.
    let newest = ":61:2601080108D100,00NMSCNONREF\n:61:2601080108EC7,00NMSCNONREF\n:61:2601060106C25,00NMSCNONREF";
    assert_eq!(
        cells(newest, "C260108EUR25,00"),
        ["2026-01-01|||100", "2026-01-08||100|25", "2026-01-08|7||", "2026-01-06|25||125", "2026-01-08|||25"]
    );
    // One day: in the order of the file.
    let one = ":61:2601080108D60,00NMSCNONREF\n:61:2601080108C25,00NMSCNONREF";
    assert_eq!(cells(one, "C260108EUR65,00")[1..3], ["2026-01-08||60|40", "2026-01-08|25||65"]);
    // A debit that is returned has the value date of weeks before.
    let none = ":61:260108D60,00NMSCNONREF\n:61:251212C25,00NMSCNONREF\n:61:260109C5,00NMSCNONREF";
    let read = cells(none, "C260109EUR70,00");
    assert_eq!(read[1..4], ["2026-01-08||60|", "2025-12-12|25||", "2026-01-09|5||"]);
}

#[test]
fn a_message_that_is_there_twice_is_refused() {
    let once = message(":61:260102C10,00NTRFNONREF\n:86:ADA OBI", "C260102EUR110,00");
    let copy = once.replace(":20:A", ":20:B").replace(":28C:1/1", ":28C:2/1");
    let what = "line 9: the message that begins here repeats that of line 1, with the same balances and entries";
    assert!(MT940.fault(&format!("{once}{copy}")).starts_with(what));
    assert_eq!(MT940.cells(&format!("{once}{}", copy.replace("ADA", "EZE")), &[at::CREDIT]).len(), 6);
    // Days without entries are alike.
    let empty = message("", "C260102EUR110,00").replace("\n\n", "\n");
    assert_eq!(MT940.cells(&format!("{empty}{empty}"), &[at::CREDIT]).len(), 4);
}

#[test]
fn the_day_is_the_entry_date_near_the_value_date() {
    let day =
        |line: &str| MT940.cells(&message(line, "C260101EUR100,00"), &[at::TRANS_DATE, at::CLEARED_DATE])[1].clone();
    assert_eq!(day(":61:2601021231C0,NTRFNONREF"), "2025-12-31|2026-01-02");
    assert_eq!(day(":61:2512310102C0,NTRFNONREF"), "2026-01-02|2025-12-31");
    assert_eq!(day(":61:251231C0,NTRFNONREF"), "2025-12-31|2025-12-31");
    assert_eq!(day(":61:251231    C0,NTRFNONREF"), "2025-12-31|2025-12-31");
    assert_eq!(day(":61:2402290229C0,NTRFNONREF"), "2024-02-29|2024-02-29");
    assert_eq!(day(":61:791231C0,NTRFNONREF"), "2079-12-31|2079-12-31");
    assert_eq!(day(":61:800101C0,NTRFNONREF"), "1980-01-01|1980-01-01");
}

#[test]
fn references_and_types_are_taken_apart() {
    let read = |line: &str| {
        MT940.cells(&message(line, "C260101EUR100,00"), &[at::CODE, at::REFERENCE, at::ID, at::DESC])[1].clone()
    };
    assert_eq!(read(":61:260102CR0,NTRFINV 7//B123\nADA OBI"), "NTRF|INV 7|B123|ADA OBI");
    assert_eq!(read(":61:260102C0,S103NONREF//NONREF"), "S103|||");
    assert_eq!(read(":61:260102DF0,00S   X"), "S|X||");
    assert_eq!(read(":61:260102D0,00NMSCP000029225      NS 117 UTRECHT"), "NMSC|P000029225||NS 117 UTRECHT");
    assert_eq!(read(":61:260102D0,00NOVBNL47INGB9999999999"), "NOVB|NL47INGB9999999999||");
    // A reference that the bank used twice identifies no entry.
    let twice = message(":61:260102C0,NTRFA//B1\n:61:260102C0,NTRFA//B1\n:61:260102C0,NTRFA//B2", "C260101EUR100,");
    assert_eq!(MT940.cells(&twice, &[at::ID]), ["", "", "", "B2", ""]);
}

#[test]
fn the_text_is_sorted_into_columns() {
    let read = |text: &str| {
        let text = message(&format!(":61:260102C0,NTRFNONREF\n:86:{text}"), "C260101EUR100,00");
        MT940.cells(&text, &[at::CODE, at::PEOPLE, at::BANK, at::REFERENCE, at::DESC])[1].clone()
    };
    let cases = [
        ("plain text\nof two lines", "NTRF||||plain text of two lines"),
        (
            "166?00GUTSCHRIFT?109?20EREF+INV-7?21SVWZ+Miete Maerz?30DRESDEFF508?31DE14 5088\n?32KARL?33  KAUFMANN?340",
            "NTRF 166|KARL KAUFMANN|DRESDEFF508 DE145088|INV-7|GUTSCHRIFT Miete Maerz",
        ),
        // A subfield of 27 letters goes on in the next, and so does a tag.
        (
            "105?20MREF+ 12AB234CD6E7F CRED+ A?21B12CDE0000000000000000034 S?22VWZ+ Your purchase",
            "NTRF 105||||Your purchase",
        ),
        ("051?20Belegloser?21Auftrag?60Mai?32Ada Obi", "NTRF 051|Ada Obi|||Belegloser Auftrag Mai"),
        ("000>100987654321\n>20 HUUR>21 KANTOOR", "NTRF 000||||HUUR KANTOOR"),
        ("166?20EREF+NOTPROVIDED?21MTLG:Reject", "NTRF 166||||Reject"),
        (
            "/TRTP/SEPA OVERBOEKING/IBAN/NL12ABNA0123456789/BIC/ABNANL2A/NAME/J DOE/REMI/Rent/March/EREF/E7",
            "NTRF|J DOE|NL12ABNA0123456789 ABNANL2A|E7|SEPA OVERBOEKING Rent/March",
        ),
        ("/BENM//NAME/JOHN DOE/REMI/Ref 7/ISDT/2013-01-02", "NTRF|JOHN DOE|||Ref 7"),
        ("/CNTP/NL1/INGBNL2A/ADA OBI/LAGOS//REMI/USTD//rent/", "NTRF|ADA OBI|NL1 INGBNL2A||rent"),
        ("/PT/FT/PY/SOMETHING", "NTRF||||/PT/FT/PY/SOMETHING"),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text), expected, "{text}");
    }
    // 65 letters are a full line, whose last word goes on.
    let full = format!("{}SAL\nARY", "x ".repeat(31));
    assert!(read(&full).ends_with("x SALARY"), "{}", read(&full));
}

#[test]
fn files_are_read_however_they_are_wrapped() {
    let plain = message(":61:260102C10,00NTRFNONREF\n:86:Pay", "C260102EUR110,00");
    let expected = MT940.cells(&plain, &[at::CREDIT, at::BALANCE, at::DESC]);
    let body = plain.trim_end().trim_end_matches('-').to_owned();
    for text in [
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        body.clone(),
        format!("{{1:F01BANKNL21XXXX0000000000}}{{2:O940BANKNL21XXXXN}}{{3:}}{{4:\n{body}-}}{{5:}}\n"),
        format!("{{1:F01BANKNL21XXXX0000000000}}{{2:I940BANKNL21XXXXN}}{{4:\r\n{body}-}}"),
        format!("ABNANL2A\n940\nABNANL2A\n{plain}"),
        format!(":940:\n{plain}"),
        format!("\u{1}\n{body}-\u{3}\n"),
    ] {
        assert_eq!(MT940.cells(&text, &[at::CREDIT, at::BALANCE, at::DESC]), expected, "{text:?}");
    }
    let two = format!("{body}{}", plain.replace("ACC1", "ACC2"));
    assert_eq!(MT940.cells(&two, &[at::CREDIT]).len(), 2 * expected.len());
    let wrapped = message(":61:260102C0,NTRFNONREF\n:86:Visa 2026-01-02T13\n:12:11 Lagos", "C260102EUR100,00");
    assert_eq!(MT940.cells(&wrapped, &[at::DESC])[1], "Visa 2026-01-02T13 :12:11 Lagos");
    let latin = message(":61:260102C0,NTRFNONREF\n:86:M?ller", "C260102EUR100,00").replace('?', "\u{fc}");
    let latin: Vec<u8> = latin.chars().map(|letter| letter as u8).collect();
    assert_eq!(MT940.rows(&latin).expect("rows")[1].1[at::DESC], "Müller");
}

#[test]
fn what_is_no_entry_is_refused_with_its_line() {
    let line = |line: &str| MT940.fault(&message(line, "C260101EUR100,00"));
    for (text, message) in [
        (":61:2602300301D6,00NTRFNONREF", "line 5: :61: `260230` is not a day written YYMMDD"),
        (
            ":61:2601020230D6,00NTRFNONREF",
            "line 5: :61: the entry date `0230` is not a day written MMDD near the value \
            date",
        ),
        (":61:260102X6,00NTRFNONREF", "line 5: :61: after the dates one of C, D, RC, RD, EC and ED is missing"),
        (
            ":61:260102C500NTRFNONREF",
            "line 5: :61: `500` is not an amount: up to 15 digits with a decimal comma, such \
            as `12,50` or `12,`",
        ),
        (
            ":61:260102C5.00NTRFNONREF",
            "line 5: :61: `5` is not an amount: up to 15 digits with a decimal comma, such \
            as `12,50` or `12,`",
        ),
        (
            ":61:260102C5,00",
            "line 5: :61: after the amount a type such as `NTRF` is missing: a letter and three letters \
            or digits",
        ),
        (":51:260102C5,00NTRFNONREF", "line 5: `:51:` is no field of MT940 or MT942"),
        ("Saldo", "line 5: `Saldo` follows `:60F:`, which has one line"),
        (":86:a\n: b", "line 6: the line begins with a colon, but with no field; a text may not begin so"),
        (":60F:C260101EUR100,00", "line 5: :60F: is the second opening balance"),
        (":25:OTHER", "line 5: :25: is there twice in a message"),
    ] {
        assert_eq!(line(text), message);
    }
    let closing = |closing: &str| MT940.fault(&message("", closing));
    assert_eq!(closing("C260101USD100,00"), "line 6: :62F: is in USD, but `:60F:` in EUR");
    assert_eq!(closing("C260101100,00"), "line 6: :62F: has no currency where its three letters belong");
    assert_eq!(closing("X260101EUR100,00"), "line 6: :62F: does not begin with C or D");
    for (text, message) in [
        ("1\n2\n", ": no `:20:` begins a line, so this is no MT940 or MT942"),
        (":61:260102C5,00NTRFNONREF", "line 1: `:61:` is in no message; a message begins with `:20:`"),
        (
            ":20:A\n:60F:C260101EUR1,\n:62F:C260101EUR1,",
            "line 1: the message that begins here has no `:25:`, so whose \
            account it is of is unknown",
        ),
        (
            ":20:A\n:25:B\n:60F:C260101EUR1,\n",
            "line 1: the message that begins here has no `:62F:` or `:62M:`, so it \
            may be cut off",
        ),
        (
            ":20:A\n:25:B\n",
            "line 1: the message that begins here has no `:60F:` or `:34F:`, so its currency is unknown",
        ),
        ("{1:F01X}{2:O103X}{4:\n:20:A", "line 1: message type `103` is not read; MT940 and MT942 are"),
    ] {
        assert_eq!(MT940.fault(text), message);
    }
}

#[test]
fn a_statement_in_parts_needs_all_of_them() {
    let part = |opening: &str, amount: &str, closing: &str| {
        format!(":20:A\n:25:B\n:28C:1/1\n:60{opening}\n:61:260102C{amount}NTRFNONREF\n:62{closing}\n")
    };
    let first = part("F:C260101EUR100,00", "5,00", "M:C260102EUR105,00");
    let second = part("M:C260102EUR105,00", "6,00", "M:C260102EUR111,00");
    let third = part("M:C260102EUR111,00", "7,00", "F:C260102EUR118,00");
    let whole = [first.as_str(), &second, &third];
    let goes_on = "says that the statement goes on";
    let from = "goes on from a part of the statement";
    for parts in [whole, [&*third, &first, &second]] {
        assert!(MT940.rows(parts.concat().as_bytes()).is_ok());
    }
    for (parts, wrong) in [
        (vec![&*first], format!("line 6: :62M: {goes_on}")),
        (vec![&*first, &second], format!("line 12: :62M: {goes_on}")),
        (vec![&*second, &third], format!("line 4: :60M: {from}")),
        (vec![&*first, &third], format!("line 6: :62M: {goes_on}")),
        (vec![&*third, &first], format!("line 4: :60M: {from}")),
    ] {
        let said = MT940.fault(&parts.concat());
        assert!(said.starts_with(&wrong) && said.ends_with("put all its messages into one file"), "{said}");
    }
    // Another account's part is not this one's.
    let other = second.replace(":25:B", ":25:C");
    assert!(MT940.fault(&[&*first, &other].concat()).contains(goes_on));
}

#[test]
fn an_interim_report_has_no_balances_and_its_sums_must_hold() {
    let report = |sums: &str| {
        format!(
            ":20:A\n:25:ACC1\n:28C:1/1\n:34F:EURD0,\n:34F:EURC0,\n:13D:2601021815+0100\n\
             :61:260102C10,00NTRFNONREF\n:61:260102D3,00NTRFNONREF\n:61:260102EC4,00NTRFNONREF\n{sums}\n-\n"
        )
    };
    let expected = ["10||EUR|", "|3|EUR|", "4||EUR|pending"];
    let read = |sums: &str| MT940.cells(&report(sums), &[at::CREDIT, at::DEBIT, at::CURRENCY, at::STATUS]);
    assert_eq!(read(""), expected);
    assert_eq!(read(":90D:1EUR3,00\n:90C:1EUR10,00"), expected);
    assert_eq!(read(":90D:1EUR3,00\n:90C:2EUR14,00"), expected);
    assert_eq!(
        MT940.fault(&report(":90D:1EUR3,10")),
        "line 10: :90D: states 1 entries of 3.1, but the message has 1 of 3"
    );
    assert_eq!(MT940.fault(&report(":90C:1USD10,00")), "line 10: :90C: is in USD, but `:34F:` in EUR");
    // The sums of a report in two parts stand in the second.
    let parts = format!("{}{}", report(""), report(":90D:2EUR6,00\n:90C:4EUR28,00"));
    assert_eq!(MT940.cells(&parts, &[at::CREDIT]).len(), 6);
}

/// A statement to be written and read back.
#[derive(Clone, Debug)]
struct Written {
    account: String,
    opening: i64,
    entries: Vec<(i64, u32, String, String)>,
}

fn money(cents: i64) -> String {
    format!("{},{:02}", cents.abs() / 100, cents.abs() % 100)
}

fn digits(cents: i64) -> String {
    crate::statement::formats::exact::Exact::read(&money(cents), ',').expect("digits").to_string()
}

fn write(statements: &[Written]) -> String {
    let side = |cents: i64| if cents < 0 { "D" } else { "C" };
    let mut text = String::new();
    for written in statements {
        let (account, opening) = (&written.account, written.opening);
        text += &format!(":20:X\r\n:25:{account}\r\n:28C:1/1\r\n:60F:{}260101EUR{}\r\n", side(opening), money(opening));
        let mut balance = opening;
        for (cents, day, reference, information) in &written.entries {
            balance += cents;
            text += &format!(":61:2601{day:02}01{day:02}{}{}NTRF{reference}\r\n", side(*cents), money(*cents));
            text += &format!(":86:{information}\r\n");
        }
        text += &format!(":62F:{}260131EUR{}\r\n-\r\n", side(balance), money(balance));
    }
    text
}

fn statements() -> impl Strategy<Value = Vec<Written>> {
    let entry = (-10_000_000_i64..10_000_000, 1_u32..=31, "[A-Z0-9]{1,16}", "[A-Za-z][a-z]{0,20}( [a-zü]{1,9}){0,3}");
    let written = ("[A-Z]{2}[0-9]{8,18}", -1_000_000_i64..1_000_000, prop::collection::vec(entry, 0..8));
    let written = written.prop_map(|(account, opening, entries)| Written { account, opening, entries });
    prop::collection::vec(written, 1..4)
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(statements in statements()) {
        let rows = MT940.rows(write(&statements).as_bytes()).expect("rows");
        let mut rows = rows.iter().map(|(_, row)| row);
        for written in &statements {
            let opening = rows.next().expect("an opening balance");
            let sign = if written.opening < 0 { "-" } else { "" };
            prop_assert_eq!(&opening[at::BALANCE], &format!("{sign}{}", digits(written.opening)));
            let days: Vec<u32> = written.entries.iter().map(|(_, day, ..)| *day).collect();
            let has_order = days.is_sorted() || days.iter().rev().is_sorted();
            for (cents, day, reference, information) in &written.entries {
                let row = rows.next().expect("an entry");
                let (side, other) = if *cents < 0 { (at::DEBIT, at::CREDIT) } else { (at::CREDIT, at::DEBIT) };
                prop_assert_eq!(&row[at::ACCOUNT], &written.account);
                prop_assert_eq!((&row[side], row[other].as_str()), (&digits(*cents), ""));
                prop_assert_eq!(&row[at::TRANS_DATE], &format!("2026-01-{day:02}"));
                prop_assert_eq!((&row[at::REFERENCE], &row[at::DESC]), (reference, information));
                prop_assert_eq!(row[at::BALANCE].is_empty(), !has_order);
            }
            prop_assert_eq!(&rows.next().expect("a closing balance")[at::STATED_BALANCE], "closing");
        }
        prop_assert_eq!(rows.next(), None);
    }
}

#[test]
fn damage_is_refused_with_its_place_or_changes_no_number_of_entries() {
    let whole = message(
        ":61:2601020102CR10,50NTRFINV 7//B123\nADA OBI\n:86:166?00GUTSCHRIFT?20EREF+INV-7?21SVWZ+Miete?32KARL\n\
         :61:260103D3,00NMSCNONREF\n:86:/TRTP/SEPA/IBAN/NL12ABNA0123456789/NAME/J DÖE/REMI/Rent\n\
         :61:260104    RC1,NCHGNONREF\nplain",
        "C260104EUR106,50",
    )
    .repeat(2);
    damaged(whole.as_bytes(), b":-61,?/\n", 20, |round, bytes| match MT940.rows(bytes) {
        Err(fault) => assert!(fault.place.is_some() || fault.what.starts_with("no `:20:`"), "{round}: {fault:?}"),
        Ok(rows) => {
            let text = crate::statement::formats::text_lines::decode_bank_text(bytes, None).into_owned();
            let lines = crate::statement::formats::text_lines::numbered_lines(&text);
            let starts = lines.filter(|(_, line)| {
                line.trim_matches(|letter: char| letter.is_control() && letter != '\t').starts_with(":61:")
            });
            let entries = rows.iter().filter(|(_, row)| row[at::STATED_BALANCE].is_empty()).count();
            assert_eq!(entries, starts.count(), "{round}: {text}");
        }
    });
}
