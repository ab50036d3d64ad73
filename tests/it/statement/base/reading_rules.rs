//! The declared rules for reading a source: days that disagree, amounts below zero, what is missing, the currency.

use lendwright::statement::{DateConflict, EmptyAmount, NegativeRule};

use crate::statement::*;

fn dated(iso: &str, bank: &str) -> String {
    format!(r#"{{"id":"a","credit":1,"trans_date":"{iso}","unformatted_trans_date":"{bank}"}}"#)
}

#[test]
fn a_day_that_utc_shifted_is_repaired_and_counted() {
    let read = read(&dated("2024-03-04T23:00:00.000Z", "05-03-2024")).expect("a statement");
    assert_eq!(days(&read, "trans_date"), [Some("2024-03-05".into())]);
    assert_eq!((read.heads()[0].quality.date_repaired, read.heads()[0].quality.date_conflicts), (1, 0));
}

#[test]
fn an_iso_form_that_is_local_time_called_utc_agrees() {
    let read = read(&dated("2024-03-05T23:30:00Z", "05-03-2024")).expect("a statement");
    assert_eq!(days(&read, "trans_date"), [Some("2024-03-05".into())]);
    assert_eq!(numbers(&read, "order"), [Some(84_600)]);
    assert_eq!(read.heads()[0].quality.date_repaired, 0);
}

#[test]
fn dates_that_disagree_follow_the_declared_rule() {
    let records = dated("2024-03-04T23:00:00.000Z", "07-03-2024");
    assert_eq!(
        error(&records),
        "data.transactions[0].trans_date (byte <\"2024-03-04T>, record `a`): `2024-03-04T23:00:00.000Z` \
         is 2024-03-05 in Africa/Lagos, \
         but `unformatted_trans_date` is `07-03-2024`; declare `prefer_iso` or `prefer_unformatted` to choose one"
    );
    for (rule, day) in [(DateConflict::PreferIso, "2024-03-05"), (DateConflict::PreferUnformatted, "2024-03-07")] {
        let read = read_with(&Reading { date_conflict: rule, ..lagos() }, &records).expect("a statement");
        assert_eq!(days(&read, "trans_date"), [Some(day.into())]);
        let quality = &read.heads()[0].quality;
        assert_eq!((quality.date_conflicts, quality.date_repaired), (1, 0));
        assert_eq!(quality.warnings, ["1 dates disagree beyond the time zone; the declared rule chose one"]);
    }
}

#[test]
fn days_that_are_none_are_refused() {
    let day = "is not a day from 1900 to 2200 written DD-MM-YYYY, such as 30-06-2026";
    let iso = "is not an ISO 8601 date from 1900 to 2200, such as 2026-06-30 or 2026-06-30T00:00:00.000Z; \
        a table in another pattern declares it under [dates] of a columns file";
    for bank in ["31-02-2026", "01-01-0001", "2026-02-01", "1-2-2026"] {
        let place = format!(
            "data.transactions[0].unformatted_trans_date (byte <{}>, record `a`)",
            start_of(&format!("\"{bank}\""))
        );
        assert_eq!(error(&dated("2026-03-01T00:00:00.000Z", bank)), format!("{place}: `{bank}` {day}"));
    }
    for text in [
        "2026-02-31T00:00:00Z",
        "0001-01-01T00:00:00Z",
        "2026-03-01T25:00:00Z",
        "2026-03-01T",
        "yesterday",
        "2026-03-01T00:00:00.Z",
    ] {
        let place =
            format!("data.transactions[0].trans_date (byte <{}>, record `a`)", start_of(&format!("\"{text}\"")));
        assert_eq!(error(&dated(text, "01-03-2026")), format!("{place}: `{text}` {iso}"));
    }
    assert_eq!(
        error(&record("a", r#""credit":1,"created_at":"soon""#)),
        "data.transactions[0].created_at (byte <\"soon\">, record `a`): `soon` is not an ISO 8601 moment, \
         such as 2026-06-30T12:00:00.000Z"
    );
}

#[test]
fn numbers_are_read_exactly_or_refused() {
    let exact = [
        ("100000000000000.01", 10_000_000_000_000_001),
        ("\"100000000000000.01\"", 10_000_000_000_000_001),
        ("10.500", 1_050),
        ("1250", 125_000),
        ("1.25e3", 125_000),
        ("0.10", 10),
        ("92233720368547758.07", i64::MAX),
    ];
    for (text, minor) in exact {
        let read = read(&record("a", &format!(r#""credit":{text}"#))).expect(text);
        assert_eq!(numbers(&read, "credit"), [Some(minor)], "{text}");
    }
    let refused = [
        ("1e400", "`1e400` is too large for an exact amount"),
        ("1e-400", "`1e-400` has more decimals than the 2 that the amount may have"),
        (
            "1234567890123456789012345678901234567890",
            "`1234567890123456789012345678901234567890` is too large for an exact amount",
        ),
        ("\"1,000.00\"", "`1,000.00` is not a plain decimal number"),
        ("10.505", "`10.505` has more decimals than the 2 that the amount may have"),
        ("\"ten\"", "`ten` is not a plain decimal number"),
        ("\"+5\"", "`+5` is not a plain decimal number"),
        ("\" 5\"", "` 5` is not a plain decimal number"),
        ("92233720368547758.08", "`92233720368547758.08` is too large for an exact amount"),
    ];
    for (text, what) in refused {
        let place = format!("data.transactions[0].credit (byte <{}>, record `a`)", start_of(text));
        assert_eq!(
            error(&record("a", &format!(r#""credit":{text}"#))),
            format!("{place}: {what} (amounts are in NGN)")
        );
        let place = format!("data.transactions[0].balance (byte <{}>, record `a`)", start_of(text));
        assert_eq!(
            error(&record("a", &format!(r#""credit":1,"balance":{text}"#))),
            format!("{place}: {what} (amounts are in NGN)")
        );
    }
    assert_eq!(error(&record("a", r#""credit":NaN"#)), "malformed JSON at byte <NaN>: NaN and Infinity are not JSON");
    assert_eq!(
        error(&record("a", r#""credit":[1]"#)),
        "data.transactions[0].credit (byte <[1>, record `a`): expected a number, found a list"
    );
}

#[test]
fn negative_amounts_follow_the_declared_rule() {
    assert_eq!(
        error(&record("a", r#""credit":-5,"debit":null"#)),
        "data.transactions[0].credit (byte <-5>, record `a`): `-5` is negative; \
         declare `negative_amount = \"swap_sides\"` if a negative credit is a debit \
         (its balance is then lower than the one before)"
    );
    let swap = Reading { negative: NegativeRule::SwapSides, ..lagos() };
    let [negative, reversal] = [record("a", r#""credit":-5,"debit":null"#), record("b", r#""debit":-7.5"#)];
    let debit = record("c", r#""debit":1"#);
    let read = read_with(&swap, &format!("{negative},{reversal},{debit}")).expect("a statement");
    assert_eq!(numbers(&read, "credit"), [None, Some(750), None]);
    assert_eq!(numbers(&read, "debit"), [Some(500), None, Some(100)]);
    assert_eq!(read.heads()[0].quality.negative_swapped, 2);
    assert_eq!(
        error_with(&swap, &record("a", r#""credit":-5,"debit":3"#)),
        "data.transactions[0].credit (byte <-5>, record `a`): `-5` is negative and the other side is filled too"
    );
}

#[test]
fn null_is_not_zero() {
    let empty = record("a", r#""credit":null,"debit":null"#);
    assert_eq!(
        error(&empty),
        "data.transactions[0].credit (byte <null>, record `a`): neither credit nor debit is filled, and null is not 0; \
         leave such records out by `empty_amount` in the policy, or in a table by `skip`"
    );
    let dropping = Reading { empty_amount: EmptyAmount::Drop, ..lagos() };
    let read = read_with(&dropping, &format!("{empty},{}", record("b", r#""credit":null,"debit":4,"balance":null"#)))
        .expect("a statement");
    assert_eq!(
        (numbers(&read, "credit"), numbers(&read, "debit"), numbers(&read, "balance")),
        (vec![None], vec![Some(400)], vec![None])
    );
    let quality = &read.heads()[0].quality;
    assert_eq!((quality.records, quality.dropped_empty), (1, 1));
    let zero = crate::statement::read(&record("a", r#""credit":0"#)).expect("a statement");
    assert_eq!((numbers(&zero, "credit"), zero.heads()[0].quality.zero_amounts), (vec![Some(0)], 1));
}

#[test]
fn a_record_in_another_currency_is_refused() {
    assert!(read(&record("a", r#""credit":1,"currency":"NGN""#)).is_ok());
    assert_eq!(
        error(&record("a", r#""credit":1,"currency":"USD""#)),
        "data.transactions[0].currency (byte <\"USD\">, record `a`): the record is in USD, the statement is read as NGN"
    );
    for same in ["566", "\"566\"", "566.0", "\" ngn \"", "null", "\"\"", "\"N/A\"", "\"NgN\""] {
        assert!(read(&record("a", &format!(r#""credit":1,"currency":{same}"#))).is_ok(), "{same}");
    }
    let others =
        [("840", "USD"), ("\"840\"", "USD"), ("\"USD \"", "USD"), ("36", "AUD"), ("\"036\"", "AUD"), ("840.00", "USD")];
    for (other, code) in others {
        let wrong = error(&record("a", &format!(r#""credit":1,"currency":{other}"#)));
        assert!(wrong.ends_with(&format!("the record is in {code}, the statement is read as NGN")), "{other}: {wrong}");
    }
    // Not an ISO 4217 code of today's money: gold, a retired code, a coin, a symbol, words, nothing.
    for other in [
        "\"XAU\"",
        "959",
        "\"XDR\"",
        "\"GHC\"",
        "\"BTC\"",
        "\"$\"",
        "\"US Dollar\"",
        "\"naira notes\"",
        "999999",
        "-566",
    ] {
        let wrong = error(&record("a", &format!(r#""credit":1,"currency":{other}"#)));
        assert!(
            wrong.contains("the currency is neither NGN nor 566, in which the statement is read"),
            "{other}: {wrong}"
        );
    }
    for (odd, kind) in [(r#"{"code":"USD"}"#, "an object"), (r#"["USD"]"#, "a list"), ("true", "true or false")] {
        let wrong = error(&record("a", &format!(r#""credit":1,"currency":{odd}"#)));
        assert!(wrong.ends_with(&format!("expected text or a number, found {kind}")), "{wrong}");
    }
}
