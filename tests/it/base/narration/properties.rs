//! Properties of the key of any text.

use proptest::prelude::*;

/// The pieces of narrations, and what breaks them.
const PIECES: &[&str] = &[
    "NIP",
    "CR",
    "/",
    "//",
    "|",
    "--",
    "-",
    ":",
    " ",
    " ",
    " ",
    "TRF",
    "FRM",
    "FROM",
    "TO",
    "BY",
    "FOR",
    "VIA",
    "MC Loc POS Prch-",
    "**Rev",
    "Paystack",
    "GTB",
    "Zenith Bank",
    "KUDA",
    "ADEBAYO",
    "OBI",
    "JOHN",
    "June",
    "MAY",
    "JAN",
    "2026",
    "12/05/2026",
    "000123456789",
    "A1B2C3",
    "bet9ja",
    "1xbet",
    "100Airtime",
    "ACME",
    "LTD",
    "MRS",
    "SALARY",
    "PAYMENT",
    "GOODS",
    "AB",
    "LAGOS",
    "IKEJA",
    "LANG-",
    "NG",
    "'",
    "\u{301}",
    "é",
    "ẞ",
    "İ",
    "٣",
    "\u{200f}",
    "日本",
    "😀",
    "\0",
    "\u{1f}",
    ".",
    "REMITA",
    "CASH",
    "cash deposit",
];

fn narration() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        9 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec((piece, any::<bool>()), 0..24).prop_map(|pieces| {
        pieces.into_iter().fold(String::new(), |text, (piece, blank)| text + &piece + if blank { " " } else { "" })
    })
}

/// Narrations with a name, a place for a number (`#`) and one for a month (`@`).
const FORMS: &[(bool, &str)] = &[
    (true, "NIP/GTB/{} /SALARY @ #"),
    (true, "# TRF/UPKEEP/FRM {} TO MUSA BELLO"),
    (true, "NIP {} /USSD-NIP/To MUSA BELLO ./##"),
    (true, "PAYROLL # {} @"),
    (true, "NIP/ZENITH/Paystack/Salary payment for @ # By {}"),
    (true, "REMITA/{} SALARY 03/#/##"),
    (false, "NIP CR/{} /FCMB"),
    (false, "TRF FRM MUSA BELLO TO {} |RENT @ #."),
    (false, "MC Loc POS Prch-##--{} LANG-"),
    (false, "# POS/WEB PMT {} #NG"),
];

const NAMES: &[&str] = &["ADEBAYO JOHN", "OKAFOR NGOZI", "BRIGHTACRE ACADEMY", "NIGHTJAR SECURITY", "O'NEIL ADA"];

const MONTHS: &[&str] =
    &["JAN", "FEBRUARY", "MARCH", "APR", "MAY", "JUNE", "JULY", "AUG", "SEPT", "OCT", "NOVEMBER", "DEC"];

proptest! {
    #[test]
    fn the_key_of_a_key_is_the_key(text in narration(), is_credit: bool) {
        let normaliser = super::normaliser();
        if let Some(key) = normaliser.key(Some(&text), None, is_credit) {
            prop_assert_eq!(normaliser.key(Some(&key), None, is_credit), Some(key.clone()), "{:?}", text);
            prop_assert!(!key.is_empty() && !key.starts_with(' ') && !key.ends_with(' ') && !key.contains("  "));
        }
    }

    #[test]
    fn case_does_not_matter(text in narration(), is_credit: bool) {
        let normaliser = super::normaliser();
        let key = |text: &str| normaliser.key(Some(text), None, is_credit);
        prop_assert_eq!(key(&text.to_ascii_lowercase()), key(&text.to_ascii_uppercase()));
    }

    #[test]
    fn numbers_and_months_do_not_matter(
        form in prop::sample::select(FORMS),
        name in prop::sample::select(NAMES),
        number in 10u32..99_999_999,
        month in prop::sample::select(MONTHS),
    ) {
        let (is_credit, form) = form;
        let text = form.replace("{}", name).replace('#', &number.to_string()).replace('@', month);
        let key = super::normaliser().key(Some(&text), None, is_credit);
        prop_assert_eq!(key, Some(name.to_lowercase().replace('\'', "")), "{}", text);
    }

    /// Banks cut narrations. What is left of a name is its beginning, or its beginning with a piece of the next word.
    /// Three letters are too few to tell.
    #[test]
    fn a_cut_narration_has_a_key_that_begins_the_whole_one(
        form in prop::sample::select(FORMS),
        name in prop::sample::select(NAMES),
        cut in 5usize..20,
    ) {
        let (is_credit, form) = form;
        // What follows a forwarder is a remark until the name comes.
        prop_assume!(form.contains("{} /") || form.contains("FRM {}") || !is_credit);
        let (before, after) = form.split_once("{}").unwrap();
        let text = format!("{before}{name}{after}").replace('#', "4711").replace('@', "JAN");
        let end = before.replace('#', "4711").len() + cut;
        let whole = super::normaliser().key(Some(&text), None, is_credit).unwrap();
        let part = super::normaliser().key(text.get(..end), None, is_credit).unwrap_or_default();
        let cut = &text[..end.min(text.len())];
        prop_assert!(whole.starts_with(&part) || part.starts_with(&whole), "{}: {} of {}", cut, part, whole);
    }

    #[test]
    fn the_order_of_people_does_not_matter(
        mut people in prop::collection::vec("[A-Z]{2,6} [a-z]{2,6}|N/A| ", 0..5),
        text in narration(),
        is_credit in any::<bool>(),
    ) {
        let normaliser = super::normaliser();
        let key = normaliser.key(Some(&text), Some(&people.join("\u{1f}")), is_credit);
        people.reverse();
        prop_assert_eq!(normaliser.key(Some(&text), Some(&people.join("\u{1f}")), is_credit), key);
    }
}

#[test]
fn megabytes_of_anything_have_a_key_or_none() {
    let normaliser = super::normaliser();
    for piece in ["A", "9", "/", "A ", "FRM TO ", "NIP/", "JUNE ", "\u{301}", "日", "A1", "--", "Paystack By "] {
        let text = piece.repeat((4 << 20) / piece.len());
        for is_credit in [true, false] {
            let key = normaliser.key(Some(&text), None, is_credit);
            assert!(key.is_none_or(|key| key.len() <= 2048));
            let key = normaliser.key(None, Some(&text), is_credit);
            assert!(key.is_none_or(|key| key.len() <= 2048));
        }
        let many = format!("{piece}\u{1f}").repeat(100_000);
        assert!(normaliser.key(None, Some(&many), true).is_none_or(|key| key.len() <= 2048));
    }
    assert_eq!(normaliser.key(None, None, true), None);
    assert_eq!(normaliser.key(Some(" 12/05 #99 "), Some(""), true), None);
}
