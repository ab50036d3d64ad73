//! Files as programs write them, random ones written and read back, and damaged ones.

use proptest::prelude::*;

use super::open_qif_file;
use crate::statement::formats::entry::at;
use crate::statement::formats::tests::{Trial, damaged};

const QIF: Trial = Trial(open_qif_file);

#[test]
fn entries_have_the_account_before_them() {
    let text = "!Option:AutoSwitch\n!Account\nNCurrent\nTBank\n^\nNSavings\nD x\nTBank\n^\n!Clear:AutoSwitch\n\
        !Type:Bank\nD1/ 5'26\nU-1,234.56\nT-1,234.56\nCX\nN103\nPADA  OBI\nMRent\nLHousing\nAStreet 1\nALagos\n^\n\n\
        D6/1/26\nT+7.00\nPShop\nMShop card\n^\n!Account\nNCash\n^\n!Type:Cash \nD6/1/26\nT0.5\n^\n";
    let columns = [at::ACCOUNT, at::TRANS_DATE, at::CREDIT, at::DEBIT, at::CODE, at::REFERENCE, at::DESC, at::PEOPLE];
    let expected = [
        "Savings|1/5'26||1234.56|Housing|103|ADA  OBI Rent|ADA OBI",
        "Savings|6/1/26|7.00||||Shop card|Shop",
        "Cash|6/1/26|0.5|||||",
    ];
    assert_eq!(QIF.cells(text, &columns), expected);
    assert_eq!(QIF.cells(&text.replace('\n', "\r\n"), &columns), expected);
    // A row's place is the line of its first field.
    let lines: Vec<u32> = QIF.rows(text.as_bytes()).expect("rows").iter().map(|(ordinal, _)| ordinal + 1).collect();
    assert_eq!(lines, [12, 24, 33]);
}

#[test]
fn only_commas_that_must_group_are_dropped() {
    let read = |amount: &str| {
        let text = format!("!Type:CCard\nD1/5/26\nT{amount}\n^\n");
        QIF.cells(&text, &[at::CREDIT, at::DEBIT])[0].clone()
    };
    for (amount, expected) in [
        ("1,234,567.89", "1234567.89|"),
        ("-1,234.5", "|1234.5"),
        // These mean what the columns file declares.
        ("1,234", "1,234|"),
        ("12,34.50", "12,34.50|"),
        ("1.234,56", "1.234,56|"),
        ("-1.234,56", "|1.234,56"),
        ("(5.00)", "(5.00)|"),
    ] {
        assert_eq!(read(amount), expected, "{amount}");
    }
}

#[test]
fn a_split_is_one_entry_and_adds_up() {
    let read = |amount: &str, parts: [&str; 2]| {
        format!("!Type:Bank\nD1/5/26\nT{amount}\nMShop\nSFood\nEbread\n${}\nSHome\n%40\n${}\n^\n", parts[0], parts[1])
    };
    assert_eq!(QIF.cells(&read("-10.00", ["-4.50", "-5.50"]), &[at::DEBIT, at::DESC]), ["10.00|Shop bread"]);
    assert_eq!(QIF.cells(&read("1.234,50", ["1.000,00", "234,5"]), &[at::CREDIT]), ["1.234,50"]);
    assert_eq!(
        QIF.fault(&read("-10.00", ["-4.50", "-5.40"])),
        "line 11: the parts of the split, -4.50 + -5.40, do not add up to -10.00"
    );
}

#[test]
fn what_is_no_entry_is_refused_with_its_line() {
    for (text, message) in [
        ("!Type:Invst\n", "line 1: `!Type:Invst` is not read; `!Type:Bank`, `CCard` and `Cash` are"),
        ("!Type:Bank\nT5\n^\n", "line 3: the entry that ends here has no date (`D`)"),
        ("!Type:Bank\nD1/5/26\n^\n", "line 3: the entry that ends here has no amount (`T`)"),
        ("!Type:Bank\nD1/5/26\nT-\n^\n", "line 4: the entry that ends here has no amount (`T`)"),
        ("!Type:Bank\nD1/5/26\nT5\nD1/6/26\nT6\n^\n", "line 4: `D` is there twice in an entry; a `^` may be missing"),
        ("!Type:Bank\nD1/5/26\nT5\nU6\n^\n", "line 5: `T` is 5 and `U` is 6"),
        ("!Type:Bank\nQ7\n^\n", "line 2: `Q` is no field of an entry"),
        (
            "!Type:Bank\nD1/5/26\nT5\n",
            "line 2: the record that begins here has no `^` at its end; the file may be cut \
            off",
        ),
        ("!Type:Bank\nD1/5/26\n!Type:Cash\n", "line 3: the record before has no `^` at its end"),
        ("D1/5/26\nT5\n^\n", "line 1: the file does not begin with `!Type:Bank`, `!Type:CCard` or `!Type:Cash`"),
        ("", ": there is no `!Type:Bank`, `!Type:CCard` or `!Type:Cash`, so this is no QIF of entries"),
    ] {
        assert_eq!(QIF.fault(text), message, "{text}");
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        entries in prop::collection::vec(
            (-10_000_000_i64..10_000_000, 1_u32..=28, "[A-Zü][a-z]{0,9}", "[A-Z][a-z ]{0,20}[a-z]", any::<bool>()),
            0..9,
        ),
    ) {
        let money = |cents: i64| {
            format!("{}{}.{:02}", if cents < 0 { "-" } else { "" }, cents.abs() / 100, cents.abs() % 100)
        };
        let mut text = "!Account\nNK1\n^\n!Type:Bank\n".to_owned();
        for (cents, day, payee, memo, is_split) in &entries {
            text += &format!("D2026-01-{day:02}\nT{}\nP{payee}\nM{memo}\n", money(*cents));
            if *is_split {
                text += &format!("SA\n${}\nSB\n${}\n", money(cents - 7), money(7));
            }
            text += "^\n";
        }
        let rows = QIF.rows(text.as_bytes()).expect("rows");
        prop_assert_eq!(rows.len(), entries.len());
        for ((_, row), (cents, day, payee, memo, _)) in rows.iter().zip(&entries) {
            let side = if *cents < 0 { at::DEBIT } else { at::CREDIT };
            prop_assert_eq!(&row[side], &money(cents.abs()));
            prop_assert_eq!((&row[at::ACCOUNT], &row[at::PEOPLE]), (&"K1".to_owned(), payee));
            prop_assert_eq!(&row[at::TRANS_DATE], &format!("2026-01-{day:02}"));
            prop_assert!(row[at::DESC].contains(payee.as_str()) && row[at::DESC].contains(memo.as_str()));
        }
    }
}

#[test]
fn damage_is_refused_with_its_place_or_leaves_an_entry_for_each_end() {
    let whole = "!Account\nNK1\n^\n!Type:Bank\nD1/5/26\nT-10.00\nPADA OBI\nMRent\nSA\n$-4.50\nSB\n$-5.50\n^\n\
        D1/6/26\nU1,234.50\nT1,234.50\nPSchöne GmbH\nLPay\n^\nD1/7/26\nT-1\nN7\n^\n";
    damaged(whole.as_bytes(), b"^!DT$\n,-", 12, |round, bytes| match QIF.rows(bytes) {
        Err(fault) => {
            assert!(fault.place.is_some() || fault.what.starts_with("there is no `!Type"), "{round}: {fault:?}");
        }
        Ok(rows) => {
            let text = crate::statement::formats::text_lines::decode_bank_text(bytes, None).into_owned();
            let dates = crate::statement::formats::text_lines::numbered_lines(&text)
                .filter(|(_, line)| line.trim().starts_with('D'));
            assert!(rows.len() <= dates.count(), "{round}: {text}");
            assert!(rows.iter().all(|(_, row)| row[at::CREDIT].is_empty() != row[at::DEBIT].is_empty()), "{text}");
        }
    });
}
