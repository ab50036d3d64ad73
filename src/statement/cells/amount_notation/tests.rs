//! Amounts in every notation: read as declared and not otherwise, against a slow reference.

use super::*;

fn list(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn read(notation: &AmountNotation, text: &str) -> Option<i64> {
    notation.read(text, AmountUnit::Major, 2).ok().map(|written| written.minor)
}

#[test]
fn an_amount_is_read_as_declared_and_not_otherwise() {
    let english = AmountNotation { thousands: list(&[","]), ..AmountNotation::PLAIN };
    let german = AmountNotation { decimal: Some(','), thousands: list(&[".", "space"]), ..AmountNotation::PLAIN };
    let lakh = AmountNotation { grouping: Grouping::Lakh, ..english.clone() };
    let swiss = AmountNotation { thousands: list(&["'"]), ..AmountNotation::PLAIN };
    let minus = vec![MinusForm::Parentheses, MinusForm::Trailing];
    let signs = AmountNotation { minus, marks: list(&["NGN", "₦", "Rs."]), ..english.clone() };
    for (notation, text, minor) in [
        (&AmountNotation::PLAIN, " +337.00\u{a0}", Some(33_700)),
        (&AmountNotation::PLAIN, "\u{2212}13.37", Some(-1_337)),
        (&AmountNotation::PLAIN, "1,337.00", None),
        (&AmountNotation::PLAIN, "(13.37)", None),
        (&AmountNotation::PLAIN, "13.37-", None),
        (&AmountNotation::PLAIN, "--13.37", None),
        (&AmountNotation::PLAIN, "", None),
        (&AmountNotation::PLAIN, ".5", Some(50)),
        (&AmountNotation::PLAIN, "5.", None),
        (&english, "1,337.00", Some(133_700)),
        (&english, "1,234,567.89", Some(123_456_789)),
        (&english, "1337.00", Some(133_700)),
        (&english, "1,33,700.00", None),
        (&english, "13,37", None),
        (&english, ",337.00", None),
        (&english, "1,337,.00", None),
        (&english, "1.337,00", None),
        (&english, "1,337.0,0", None),
        (&german, "1.337,00", Some(133_700)),
        (&german, "-1.234.567,89", Some(-123_456_789)),
        (&german, "1 337,5", Some(133_750)),
        (&german, "1\u{202f}337\u{202f}000,00", Some(133_700_000)),
        (&german, "1.337 000,00", None),
        (&german, "13.37", None),
        (&german, "337", Some(33_700)),
        (&lakh, "1,33,700.00", Some(13_370_000)),
        (&lakh, "12,34,56,789.01", Some(12_345_678_901)),
        (&lakh, "133,700.00", None),
        (&lakh, "337.00", Some(33_700)),
        (&swiss, "1'337.05", Some(133_705)),
        (&swiss, "1\u{2019}337.05", Some(133_705)),
        (&signs, "(1,337.00)", Some(-133_700)),
        (&signs, "13.37-", Some(-1_337)),
        (&signs, "₦5", Some(500)),
        (&signs, "-₦5.00", Some(-500)),
        (&signs, "₦-5.00", Some(-500)),
        (&signs, "(₦ 5.00)", Some(-500)),
        (&signs, "5.00 NGN", Some(500)),
        (&signs, "Rs.1,337.00", Some(133_700)),
        (&signs, "(-5.00)", None),
        (&signs, "NGN NGN 5", None),
        (&signs, "5 USD", None),
        (&signs, "5.00- NGN", Some(-500)),
        (&signs, "5.00 NGN-", Some(-500)),
        (&signs, "5.00+", Some(500)),
        (&signs, "-5.00-", None),
        (&signs, "NGN.5", None),
        (&signs, "Rs5", None),
        (&signs, "5.NGN", None),
        (&AmountNotation::PLAIN, "1.5e3", Some(150_000)),
        (&AmountNotation::PLAIN, "1.23457e+06", None),
        (&AmountNotation::PLAIN, "-1.23E+06", None),
        (&AmountNotation::PLAIN, "12345678901234567.89", Some(1_234_567_890_123_456_789)),
        (&AmountNotation::PLAIN, "99999999999999999999", None),
        (&english, "1,337.000", Some(133_700)),
        (&english, "0,337", Some(33_700)),
        (&german, "1.337,00e2", None),
        (&german, "1.33", None),
    ] {
        assert_eq!(read(notation, text), minor, "{text:?}");
    }
}

#[test]
fn a_suffix_says_the_side() {
    let notation = AmountNotation {
        thousands: list(&[","]),
        marks: list(&["NGN"]),
        credit_suffix: list(&["CR", ""]),
        debit_suffix: list(&["DR", "D"]),
        ..AmountNotation::PLAIN
    };
    for (text, minor, suffix) in [
        ("1,337.00 CR", 133_700, Some(Suffix::Credit)),
        ("13.37DR", 1_337, Some(Suffix::Debit)),
        ("13.37 D", 1_337, Some(Suffix::Debit)),
        ("13.37\u{a0}DR", 1_337, Some(Suffix::Debit)),
        ("NGN 13.37 DR", 1_337, Some(Suffix::Debit)),
        ("13.37 DR NGN", 1_337, Some(Suffix::Debit)),
        ("-13.37 DR", -1_337, Some(Suffix::Debit)),
        ("13.37", 1_337, None),
    ] {
        assert_eq!(notation.read(text, AmountUnit::Major, 2), Ok(WrittenAmount { minor, suffix }), "{text}");
    }
    for text in ["13.37 dr", "13.37 CR DR", "DR 13.37", "CR", "13.37 SCR"] {
        assert_eq!(read(&notation, text), None, "{text}");
    }
    assert_eq!(notation.side_without_suffix(), Some(Suffix::Credit));
    assert_eq!(AmountNotation::PLAIN.side_without_suffix(), None);
}

#[test]
fn a_declaration_without_sense_is_refused() {
    let with = |change: &dyn Fn(&mut AmountNotation)| {
        let mut notation = AmountNotation::PLAIN;
        change(&mut notation);
        notation.check().err().unwrap_or_default()
    };
    let thousands = |marks: &'static [&str]| move |notation: &mut AmountNotation| notation.thousands = list(marks);
    let marks = |marks: &'static [&str]| move |notation: &mut AmountNotation| notation.marks = list(marks);
    assert!(with(&|notation| notation.decimal = Some('x')).contains("decimal = \"x\" must be"));
    assert!(with(&thousands(&["."])).contains("both `.`; declare decimal = \",\" beside it"));
    assert!(with(&thousands(&["x"])).contains("thousands lists `x`"));
    assert!(with(&thousands(&["5"])).contains("thousands lists `5`"));
    for mark in ["5", "-", "(", "", ".", "N,", "x'", " NGN", "\u{2212}", "٣"] {
        let wrong = with(&|notation| notation.marks = list(&[mark]));
        assert!(wrong.contains("a mark has letters or signs"), "{mark}: {wrong}");
    }
    assert_eq!(with(&marks(&["NGN", "₦", "Rs.", "R$", "US $", "S/."])), "");
    let both = with(&|notation| {
        notation.credit_suffix = list(&["X"]);
        notation.debit_suffix = list(&["X"]);
    });
    assert!(both.contains("`X` in credit_suffix and in debit_suffix"), "{both}");
    let both = with(&|notation| {
        notation.credit_suffix = list(&[""]);
        notation.debit_suffix = list(&["DR", ""]);
    });
    assert!(both.contains("`` in credit_suffix and in debit_suffix"), "{both}");
    assert_eq!(with(&|notation| notation.debit_suffix = list(&["DR"])), "");
    assert_eq!(with(&thousands(&[",", "space", "'"])), "");
}

/// Numbers that are always the same.
struct Draw(u64);

impl Draw {
    fn below(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }

    fn some(&mut self, all: &[&str]) -> Vec<String> {
        all.iter().filter(|_| self.below(2) == 0).map(|one| (*one).to_owned()).collect()
    }

    fn notation(&mut self) -> AmountNotation {
        let minus = [MinusForm::Parentheses, MinusForm::Trailing];
        loop {
            let notation = AmountNotation {
                decimal: [None, Some('.'), Some(',')][self.below(3) as usize],
                thousands: self.some(&[".", ",", "'", SPACE]),
                grouping: [Grouping::Three, Grouping::Lakh][self.below(2) as usize],
                minus: minus.into_iter().filter(|_| self.below(2) == 0).collect(),
                marks: self.some(&["NGN", "₦", "Rs", "Rs.", "N"]),
                credit_suffix: self.some(&["CR", "C", "Cr."]),
                debit_suffix: self.some(&["DR", "D"]),
                fee: FeeSign::Positive,
            };
            if notation.check().is_ok() {
                return notation;
            }
        }
    }
}

fn grouped(digits: &str, mark: &str, grouping: Grouping) -> String {
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        let left = digits.len() - at;
        let is_after_mark = match grouping {
            Grouping::Three => left.is_multiple_of(3),
            Grouping::Lakh => left == 3 || left > 3 && (left - 3).is_multiple_of(2),
        };
        if at > 0 && is_after_mark {
            text.push_str(mark);
        }
        text.push(digit);
    }
    text
}

#[test]
fn amounts_come_back_from_every_notation() {
    let mut draw = Draw(0x9E37_79B9_7F4A_7C15);
    for _ in 0..40_000 {
        let notation = draw.notation();
        let minor = (draw.below(1 << 50) >> draw.below(50)) as i64;
        let kind = draw.some(&["plain"]).is_empty().then(|| notation.thousands.first()).flatten();
        let spaces = [" ", "\u{a0}", "\u{202f}", "\u{2009}"];
        let mark = kind.map_or("", |mark| if mark == SPACE { draw.of(&spaces) } else { mark });
        let whole = grouped(&(minor / 100).to_string(), mark, notation.grouping);
        let digits = format!("{whole}{}{:02}", notation.decimal_mark(), minor % 100);
        let word = if draw.below(2) == 0 { notation.marks.first().map_or("", String::as_str) } else { "" };
        let gap = draw.of(&["", " ", "\u{a0}"]);
        let digits = if draw.below(2) == 0 { format!("{word}{gap}{digits}") } else { format!("{digits}{gap}{word}") };
        let (digits, is_minus) = match (draw.below(4), notation.minus.as_slice()) {
            (0, _) => (format!("-{digits}"), true),
            (1, _) => (format!("\u{2212}{digits}"), true),
            (2, [MinusForm::Parentheses, ..]) => (format!("({digits})"), true),
            (2, [MinusForm::Trailing, ..]) => (format!("{digits}-"), true),
            _ => (digits, false),
        };
        let suffix = if draw.below(2) == 0 { notation.debit_suffix.first().map_or("", String::as_str) } else { "" };
        let text = format!("{gap}{digits}{gap}{suffix}{gap}");
        let expected = WrittenAmount {
            minor: if is_minus { -minor } else { minor },
            suffix: (!suffix.is_empty()).then_some(Suffix::Debit),
        };
        assert_eq!(notation.read(&text, AmountUnit::Major, 2), Ok(expected), "{text:?} {notation:?}");
    }
}

/// Every reading of a text, found by trying all of them: what is around the digits is removed in every order, and
/// the rest must be what its digits look like when they are written.
fn all_readings(
    notation: &AmountNotation,
    text: &str,
    (sign, mark, suffix): (Option<bool>, Option<bool>, Option<Suffix>),
    found: &mut std::collections::BTreeSet<(i64, u8)>,
) {
    let text = text.trim_matches(is_space);
    let mut go = |rest: &str, state| all_readings(notation, rest, state, found);
    for (letter, is_minus_sign) in [('-', true), ('\u{2212}', true), ('+', false)] {
        if sign.is_none()
            && let Some(rest) = text.strip_prefix(letter)
        {
            go(rest, (Some(is_minus_sign), mark, suffix));
        }
        if sign.is_none()
            && notation.minus.contains(&MinusForm::Trailing)
            && let Some(rest) = text.strip_suffix(letter)
        {
            go(rest, (Some(is_minus_sign), mark, suffix));
        }
    }
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    if let Some(inner) = inner.filter(|_| sign.is_none() && notation.minus.contains(&MinusForm::Parentheses)) {
        go(inner, (Some(true), mark, suffix));
    }
    for word in notation.marks.iter().filter(|_| mark.is_none()) {
        for (rest, is_before) in [(text.strip_prefix(word.as_str()), true), (text.strip_suffix(word.as_str()), false)] {
            rest.iter().for_each(|rest| go(rest, (sign, Some(is_before), suffix)));
        }
    }
    let sides = [(&notation.credit_suffix, Suffix::Credit), (&notation.debit_suffix, Suffix::Debit)];
    for (words, side) in sides.into_iter().filter(|_| suffix.is_none()) {
        for rest in words.iter().filter_map(|word| text.strip_suffix(word.as_str())) {
            go(rest, (sign, mark, Some(side)));
        }
    }
    let (whole, decimals) = text.split_once(notation.decimal_mark()).map_or((text, None), |(a, b)| (a, Some(b)));
    let digits: String = whole.chars().filter(char::is_ascii_digit).collect();
    let spaces = [" ", "\u{a0}", "\u{202f}", "\u{2009}", "\t", "\u{2007}"];
    let marks = notation.thousands.iter().flat_map(|mark| match mark.as_str() {
        SPACE => spaces.to_vec(),
        "'" => vec!["'", "\u{2019}"],
        mark => vec![mark],
    });
    let is_written = marks.chain([""]).any(|mark| grouped(&digits, mark, notation.grouping) == whole);
    let is_half = digits.is_empty() && (decimals.is_none() || mark == Some(true));
    let decimals_are_right = decimals.is_none_or(|all| !all.is_empty() && all.bytes().all(|b| b.is_ascii_digit()));
    let Some(plain) = (is_written && !is_half && decimals_are_right).then(|| {
        format!(
            "{}{}.{}0",
            if sign == Some(true) { "-" } else { "" },
            "0".to_owned() + &digits,
            decimals.unwrap_or("0")
        )
    }) else {
        return;
    };
    if let Ok(minor) = parse_amount(plain.as_bytes(), AmountUnit::Major, 2) {
        found.insert((minor, suffix.map_or(0, |suffix| 1 + suffix as u8)));
    }
}

#[test]
fn a_text_has_one_reading_or_none() {
    let mut draw = Draw(0x2545_F491_4F6C_DD1D);
    let pieces = [
        "0", "1", "7", "33", "337", "000", "1234", ".", ",", "'", " ", "\u{a0}", "\u{2019}", "-", "\u{2212}", "+", "(",
        ")", "NGN", "₦", "Rs", "Rs.", "N", "CR", "C", "DR", "D", "e", "x", "٣", "1,337.00", "1.337,00", "13.37",
    ];
    let mut read_at_all = 0;
    for _ in 0..200_000 {
        let notation = draw.notation();
        let count = 1 + draw.below(6);
        let text: String = (0..count).map(|_| draw.of(&pieces)).collect();
        let mut all = std::collections::BTreeSet::new();
        all_readings(&notation, &text, (None, None, None), &mut all);
        let read = notation.read(&text, AmountUnit::Major, 2);
        let read = read.ok().map(|read| (read.minor, read.suffix.map_or(0, |suffix| 1 + suffix as u8)));
        if let Some(read) = read {
            // An exponent is plain JSON.
            assert!(text.contains('e') || all.contains(&read), "{text:?} {read:?} {all:?} {notation:?}");
            assert!(all.len() <= 1, "{text:?} {all:?} {notation:?}");
            read_at_all += 1;
        }
        // Without a declaration, the number is the same or there is none.
        if let (Some(plain), Some((minor, _))) = (self::read(&AmountNotation::PLAIN, &text), read) {
            assert!(plain == minor || notation.decimal == Some(','), "{text:?}");
        }
    }
    assert!(read_at_all > 10_000, "{read_at_all}");
}
