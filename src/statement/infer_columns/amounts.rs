//! How the amounts of a table are written: marks between digits, forms of a minus, currency marks, suffixes. All
//! amounts of a table are written alike, so the evidence of every column counts.

use std::collections::BTreeSet;

use super::grid::{CellKind, FileCell};
use crate::base::money::Currency;

/// Amounts are held in ten-thousandths.
pub(crate) const SCALE: i64 = 10_000;

/// More digits before the decimals are no amount.
const WHOLE_DIGITS_MAX: usize = 13;

/// Marks of currencies beside the codes of ISO 4217.
const MARKS: [&str; 24] = [
    "₦", "$", "US$", "€", "£", "¥", "₹", "R$", "R", "Rs.", "Rs", "INR.", "GH₵", "GH¢", "GHC", "KSh", "Ksh.", "KSH",
    "zł", "Kč", "kr", "kr.", "CHF.", "₵",
];
/// What stands after the digits of a credit, and of a debit.
pub(crate) const CREDIT_SUFFIXES: [&str; 9] = ["CR", "Cr", "cr", "Cr.", "CR.", "C", "H", "Haben", "(Cr)"];
pub(crate) const DEBIT_SUFFIXES: [&str; 9] = ["DR", "Dr", "dr", "Dr.", "DR.", "D", "S", "Soll", "(Dr)"];
/// Cells that mean nothing.
const EMPTY: [&str; 11] = ["-", "--", "—", "–", "NULL", "null", "N/A", "n/a", "NIL", "Nil", "nil"];

/// How the sign of an amount is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sign {
    None,
    Plus,
    Minus,
    Parentheses,
    Trailing,
}

/// The parts of a written amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Form<'c> {
    pub(crate) sign: Sign,
    pub(crate) mark: Option<&'c str>,
    pub(crate) suffix: Option<&'c str>,
    /// Digits with the marks between them.
    body: &'c str,
    plain: bool,
}

/// The notation that reads all amounts of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Notation {
    pub(crate) decimal: Option<char>,
    pub(crate) thousands: BTreeSet<char>,
    pub(crate) lakh: bool,
    pub(crate) parentheses: bool,
    pub(crate) trailing: bool,
    pub(crate) marks: BTreeSet<String>,
    pub(crate) credit_suffix: BTreeSet<String>,
    pub(crate) debit_suffix: BTreeSet<String>,
}

/// Whether a cell stands for nothing.
pub(crate) fn is_empty_mark(cell: &FileCell) -> bool {
    EMPTY.contains(&cell.trimmed())
}

/// Whether a cell is written like an amount.
pub(crate) fn looks_like_amount(cell: &FileCell) -> bool {
    parse_amount_form(cell).is_some()
}

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{2007}')
}

fn is_separator(character: char) -> bool {
    matches!(character, '.' | ',' | '\'' | '’') || is_space(character)
}

/// Takes an amount apart.
pub(crate) fn parse_amount_form(cell: &FileCell) -> Option<Form<'_>> {
    if cell.kind == CellKind::Day {
        return None;
    }
    let mut rest = cell.trimmed().trim_matches(is_space);
    let (mut sign, mut mark, mut suffix) = (Sign::None, None, None);
    if let Some(inner) = rest.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        (sign, rest) = (Sign::Parentheses, inner.trim_matches(is_space));
    }
    // A mark and a sign stand in either order.
    for _ in 0..2 {
        if sign == Sign::None {
            if let Some(after) = rest.strip_prefix(['-', '\u{2212}', '\u{2013}']) {
                (sign, rest) = (Sign::Minus, after.trim_start_matches(is_space));
            } else if let Some(after) = rest.strip_prefix('+') {
                (sign, rest) = (Sign::Plus, after.trim_start_matches(is_space));
            }
        }
        let start = rest.find(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '\u{2212}'))?;
        let before = rest.get(..start)?.trim_end_matches(['.', ',']).trim_matches(is_space);
        let before_digits = rest.get(..start)?.trim_matches(is_space);
        for candidate in [before_digits, before] {
            if mark.is_none() && is_currency_mark(candidate) {
                mark = Some(candidate);
                rest = rest.get(start..)?;
                break;
            }
        }
    }
    let end = rest.rfind(|last: char| last.is_ascii_digit())? + 1;
    let (body, after) = rest.split_at(end);
    for part in after.split(is_space).filter(|part| !part.is_empty()) {
        match part {
            "-" | "\u{2212}" if sign == Sign::None => sign = Sign::Trailing,
            part if CREDIT_SUFFIXES.contains(&part) || DEBIT_SUFFIXES.contains(&part) => {
                suffix = suffix.is_none().then_some(Some(part))?;
            }
            part if is_currency_mark(part) && mark.is_none() => mark = Some(part),
            _ => return None,
        }
    }
    let begins = body.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    let digits_only = body.chars().all(|character| character.is_ascii_digit() || is_separator(character));
    // Two separators never touch.
    let touches = body.chars().zip(body.chars().skip(1)).any(|(left, right)| is_separator(left) && is_separator(right));
    (begins && digits_only && !touches).then_some(Form {
        sign,
        mark,
        suffix,
        body,
        plain: cell.kind == CellKind::Number,
    })
}

fn is_currency_mark(text: &str) -> bool {
    MARKS.contains(&text) || (text.len() == 3 && Currency::from_alphabetic(text).is_some())
}

/// Why the notation of amounts is not certain.
pub(crate) type Doubt = String;

/// The notation of all amounts of a table.
pub(crate) fn infer_amount_notation(cells: &[&FileCell]) -> Result<Notation, Doubt> {
    let forms: Vec<Form<'_>> = cells.iter().filter_map(|cell| parse_amount_form(cell)).collect();
    let mut found = Notation::default();
    for form in &forms {
        found.parentheses |= form.sign == Sign::Parentheses;
        found.trailing |= form.sign == Sign::Trailing;
        found.marks.extend(form.mark.map(str::to_owned));
        if let Some(suffix) = form.suffix {
            let list =
                if CREDIT_SUFFIXES.contains(&suffix) { &mut found.credit_suffix } else { &mut found.debit_suffix };
            list.insert(suffix.to_owned());
        }
    }
    let texts: Vec<&str> = forms.iter().filter(|form| !form.plain).map(|form| form.body).collect();
    found.decimal = decimal_mark(&texts)?;
    for body in &texts {
        let whole = found.decimal.and_then(|decimal| body.rsplit_once(decimal)).map_or(*body, |(whole, _)| whole);
        found.thousands.extend(whole.chars().filter(|mark| is_separator(*mark)).map(unify_separator_mark));
        if Some('.') == found.decimal || found.decimal.is_none() {
            found.lakh |= is_lakh(whole);
        }
    }
    match texts.iter().find(|body| amount_in_ten_thousandths(body, &found).is_none()) {
        Some(body) => Err(format!("`{body}` does not fit how the other amounts are written")),
        None => Ok(found),
    }
}

/// Every kind of space is one mark, and so is every apostrophe.
fn unify_separator_mark(mark: char) -> char {
    match mark {
        '’' => '\'',
        mark if is_space(mark) => ' ',
        mark => mark,
    }
}

/// Whether digits are grouped as `1,23,456`, which threes are not.
fn is_lakh(whole: &str) -> bool {
    let groups: Vec<&str> = whole.split(is_separator).collect();
    match groups.as_slice() {
        [first, middle @ .., last] if !middle.is_empty() => {
            first.len() <= 2 && middle.iter().all(|group| group.len() == 2) && last.len() == 3
        }
        _ => false,
    }
}

/// The mark before the decimals, by all amounts; `None` if none has decimals.
fn decimal_mark(bodies: &[&str]) -> Result<Option<char>, Doubt> {
    let mut certain: BTreeSet<char> = BTreeSet::new();
    let mut grouping: BTreeSet<char> = BTreeSet::new();
    // `1,337`: a mark before three digits, which says nothing alone.
    let mut open: Option<(char, &str)> = None;
    let mut has_short = false;
    for body in bodies {
        let marks: Vec<(usize, char)> = body.char_indices().filter(|(_, mark)| matches!(mark, '.' | ',')).collect();
        let Some((at, last)) = marks.last().copied() else {
            has_short |= body.len() <= 3;
            continue;
        };
        let (before, after) = (body.get(..at).unwrap_or_default(), body.len() - at - 1);
        let count = marks.iter().filter(|(_, mark)| *mark == last).count();
        let others = marks.len() > count;
        if count > 1 {
            grouping.insert(last);
        } else if others || after != 3 || before.len() > 3 || before == "0" || before.contains(is_space) {
            certain.insert(last);
        } else {
            open = open.or(Some((last, body)));
        }
        if others {
            grouping.extend(marks.iter().map(|(_, mark)| *mark).filter(|mark| *mark != last));
        }
    }
    if let Some(mark) = certain.intersection(&grouping).next() {
        return Err(format!("`{mark}` stands before decimals in some amounts, and between thousands in others"));
    }
    match (certain.len(), certain.first(), open) {
        (2.., ..) => Err("some amounts have a decimal point, others a decimal comma".to_owned()),
        (1, decimal, _) => Ok(decimal.copied()),
        (_, _, Some((mark, _))) if grouping.contains(&mark) || has_short => Ok(None),
        (_, _, Some((_, body))) => {
            Err(format!("`{body}` has thousands or three decimals; no amount of the file says which"))
        }
        _ => Ok(None),
    }
}

/// The digits of an amount in ten-thousandths, without its sign.
fn amount_in_ten_thousandths(body: &str, notation: &Notation) -> Option<i64> {
    let (whole, decimals) = match notation.decimal {
        Some(decimal) => body.rsplit_once(decimal).unwrap_or((body, "")),
        None => (body, ""),
    };
    if whole.chars().any(|mark| !mark.is_ascii_digit() && !notation.thousands.contains(&unify_separator_mark(mark))) {
        return None;
    }
    let groups: Vec<&str> = whole.split(|mark: char| !mark.is_ascii_digit()).collect();
    let in_threes = groups.iter().skip(1).all(|group| group.len() == 3);
    if groups.len() > 1 && !in_threes && !(notation.lakh && is_lakh(whole)) {
        return None;
    }
    scale_whole_and_decimals(&groups.concat(), decimals)
}

fn scale_whole_and_decimals(whole: &str, decimals: &str) -> Option<i64> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    // Whatever is added up of such amounts is far from the end of 64 bits.
    if !digits(whole) || !digits(decimals) || decimals.len() > 4 || whole.len() > WHOLE_DIGITS_MAX {
        return None;
    }
    let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let decimals: i64 = format!("{decimals:0<4}").parse().ok()?;
    whole.checked_mul(SCALE)?.checked_add(decimals)
}

/// Ten-thousandths as people write them.
pub(crate) fn format_ten_thousandths(value: i64) -> String {
    let (whole, rest) = (value.unsigned_abs() / SCALE.unsigned_abs(), value.unsigned_abs() % SCALE.unsigned_abs());
    let sign = if value < 0 { "-" } else { "" };
    let decimals = format!("{rest:04}");
    let decimals = decimals.strip_suffix("00").unwrap_or(&decimals);
    crate::base::text::group_thousands(&format!("{sign}{whole}.{decimals}"), ',')
}

/// An amount of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    /// In ten-thousandths, with the sign as written.
    pub(crate) value: i64,
    /// The side, if a suffix says it.
    pub(crate) is_credit: Option<bool>,
}

impl Notation {
    /// Reads a cell. `None` if it is no amount in this notation.
    pub(crate) fn read(&self, cell: &FileCell) -> Option<Read> {
        let form = parse_amount_form(cell)?;
        let size = match form.plain {
            true => {
                // A float of a spreadsheet may have digits beyond what was typed.
                let (whole, decimals) = form.body.split_once('.').unwrap_or((form.body, ""));
                let (kept, dropped) = decimals.split_at_checked(4).unwrap_or((decimals, ""));
                scale_whole_and_decimals(whole, kept)?
                    .checked_add(i64::from(dropped.starts_with(|digit: char| digit >= '5')))?
            }
            false => amount_in_ten_thousandths(form.body, self)?,
        };
        let is_negative = matches!(form.sign, Sign::Minus | Sign::Parentheses | Sign::Trailing);
        Some(Read {
            value: if is_negative { -size } else { size },
            is_credit: form.suffix.map(|suffix| CREDIT_SUFFIXES.contains(&suffix)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&str]) -> Result<Vec<i64>, Doubt> {
        let cells: Vec<FileCell> = texts.iter().map(|text| FileCell::text(*text)).collect();
        let notation = infer_amount_notation(&cells.iter().collect::<Vec<_>>())?;
        Ok(cells.iter().filter_map(|cell| notation.read(cell)).map(|read| read.value / 100).collect())
    }

    #[test]
    fn amounts_are_read_in_one_notation() {
        for (texts, minor) in [
            (&["1,337.00", "5.5"][..], &[133_700, 550][..]),
            (&["1.337,00", "-12,5"], &[133_700, -1_250]),
            (&["1,23,456.00", "99,999.00"], &[12_345_600, 9_999_900]),
            (&["1\u{a0}337,00", "\u{2212}2,00"], &[133_700, -200]),
            (&["(13.37)", "$5.00", "-$1.00", "$-2.00"], &[-1_337, 500, -100, -200]),
            (&["13.37-", "1'000.00"], &[-1_337, 100_000]),
            (&["NGN 500.00", "500.00 NGN", "Rs. 3.00"], &[50_000, 50_000, 300]),
            (&["+1,234", "500", "12,345"], &[123_400, 50_000, 1_234_500]),
            (&["1,234,567"], &[123_456_700]),
            (&["1234,567", "1,5"], &[123_456, 150]),
        ] {
            assert_eq!(read(texts).as_deref(), Ok(minor), "{texts:?}");
        }
    }

    #[test]
    fn what_no_amount_proves_is_a_doubt() {
        for texts in [&["1,337", "2,500"][..], &["1.50", "1,50"], &["1,337.00", "1.337,00"], &["1.337.5", "1.5"]] {
            assert!(read(texts).is_err(), "{texts:?}");
        }
    }

    #[test]
    fn a_suffix_says_the_side() {
        let cell = FileCell::text("1,337.00 DR");
        let notation = infer_amount_notation(&[&cell]).expect("a notation");
        assert_eq!(notation.read(&cell), Some(Read { value: 13_370_000, is_credit: Some(false) }));
        for text in ["REF123", "12 March", "1,,2", "5 XX", "", "-", "1-2"] {
            assert!(!looks_like_amount(&FileCell::text(text)), "{text}");
        }
    }
}
