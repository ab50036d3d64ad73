//! Reads a body into statements: an envelope, a bare list, or records line by line.

use crate::statement::base::error::Error;
use crate::statement::base::reading::Reading;
use crate::statement::columns::dedup_sort::arrange_statements;
use crate::statement::columns::frame::Statements;
use crate::statement::formats::json::scanner::Scanner;
use crate::statement::provider::envelope::{Envelope, LISTS, no_list, read_envelope, read_to_end};
use crate::statement::provider::field::Field;
use crate::statement::provider::json_record::JsonRecord;
use crate::statement::provider::pages;
use crate::statement::provider::parallel_list;
use crate::statement::provider::record::read_record;
use crate::statement::provider::record_template::RecordTemplates;
use crate::statement::provider::take::{locate_record_fault, take_json_record};
use crate::statement::rows::collector::{Collector, Grouping, Places};

/// Typical records are at least this long. Used to estimate how many records a body holds.
pub(crate) const RECORD_BYTES: usize = 400;

/// Reads a statement from JSON: the provider's envelope, a bare list of records, or one record per line.
///
/// An envelope or a list is one statement of one customer. Lines are grouped by customer. A body is read whole or not
/// at all: see [`Error`] for what is refused. `label` names the source in the statements' heads.
///
/// ```
/// use lendwright::statement::{Reading, read_json};
/// use lendwright::base::{date::Zone, money::Currency};
///
/// let reading = Reading::new(Currency::from_numeric("566").unwrap(), Zone::parse("Africa/Lagos").unwrap());
/// let wrong = read_json(br#"[{"id": "1", "credit": "12,5", "trans_date": "2026-06-30"}]"#, "reference 1", &reading);
/// assert!(wrong.unwrap_err().to_string().contains("[0].credit"));
/// ```
pub fn read_json(body: &[u8], label: &str, reading: &Reading) -> Result<Statements, Error> {
    let _span = tracing::debug_span!("read_json", bytes = body.len()).entered();
    let mut scanner = Scanner::ahead(body);
    let grouping = match scanner.peek() {
        Ok(b'[') => Grouping::One,
        Ok(b'{') if object_kind(scanner) == ObjectKind::Record => Grouping::Many,
        Ok(b'{') => return read_pages([body], label, reading),
        _ => return read_to_end(body, |scanner| Err(no_list(scanner))),
    };
    let mut collector = Collector::new(reading, grouping);
    collector.rows.reserve(body.len() / RECORD_BYTES);
    read_to_end(body, |scanner| {
        // `open_array` expects the scanner at the bracket.
        scanner.peek()?;
        match grouping {
            Grouping::One => read_items(scanner, &mut collector, Places::Items(String::new())),
            Grouping::Many => read_lines(scanner, &mut collector),
        }
    })?;
    arrange_statements(collector, label)
}

/// Reads one statement from the bodies of all its pages, in any order. A missing page is an error, and so is a repeated
/// one.
pub fn read_pages<'b>(
    pages: impl IntoIterator<Item = &'b [u8]>,
    label: &str,
    reading: &Reading,
) -> Result<Statements, Error> {
    let mut collector = Collector::new(reading, Grouping::One);
    let mut envelopes: Vec<Envelope> = Vec::new();
    let bodies: Vec<&[u8]> = pages.into_iter().collect();
    for (index, body) in bodies.iter().enumerate() {
        collector.rows.reserve(body.len() / RECORD_BYTES);
        envelopes.push(read_to_end(body, |scanner| {
            if scanner.peek()? != b'{' {
                return Err(no_list(scanner));
            }
            read_envelope(scanner, |scanner, list| {
                let path = if bodies.len() == 1 { list.to_owned() } else { format!("page {}: {list}", index + 1) };
                read_items(scanner, &mut collector, Places::Items(path))
            })
        })?);
    }
    pages::check_page_sequence(&envelopes, collector.records)?;
    // The collector of one statement has it from the beginning.
    let counters = collector.counters(0);
    for envelope in &envelopes {
        counters.unknown_fields += envelope.unknown_fields;
        counters.unread.add_all(&envelope.unread);
    }
    let mut statements = arrange_statements(collector, label)?;
    if let Some(reference) = envelopes.into_iter().find_map(|envelope| envelope.reference) {
        statements.heads.iter_mut().for_each(|head| head.reference = Some(reference.clone()));
    }
    Ok(statements)
}

/// What an object seems to be, by its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Record,
    Envelope,
    /// It has keys of both or of neither, or no list, or cannot be read.
    Neither,
}

/// What an object seems to be. A record has a date or an amount among its keys, or else keys of a record and no `data`,
/// `status` or `message`. An envelope has a list of records.
pub(crate) fn object_kind(mut scanner: Scanner<'_>) -> ObjectKind {
    let Ok(mut object) = scanner.open_object() else { return ObjectKind::Neither };
    let (mut of_envelope, mut of_record) = (false, false);
    while let Ok(Some(key)) = scanner.next_key(&mut object) {
        let name = key.decode(&mut 0);
        match &*name {
            // A list of records decides, so that it need not be skipped to look at the keys after it.
            "data" if holds_list(scanner.clone()) => return ObjectKind::Envelope,
            "data" | "status" | "message" => of_envelope = true,
            "id" | "_id" => {}
            "trans_date" | "unformatted_trans_date" | "credit" | "debit" => return ObjectKind::Record,
            // Banks use this name around records, too.
            "account" => {}
            name => of_record |= Field::from_record_key(name).is_some(),
        }
        if scanner.skip_value().is_err() {
            break;
        }
    }
    if of_record && !of_envelope { ObjectKind::Record } else { ObjectKind::Neither }
}

/// Whether this is an object with a list of records.
fn holds_list(mut scanner: Scanner<'_>) -> bool {
    if !scanner.peek().is_ok_and(|first| first == b'{') {
        return false;
    }
    let Ok(mut object) = scanner.open_object() else { return false };
    while let Ok(Some(key)) = scanner.next_key(&mut object) {
        if LISTS.contains(&&*key.decode(&mut 0)) && scanner.peek().is_ok_and(|first| first == b'[') {
            return true;
        }
        if scanner.skip_value().is_err() {
            break;
        }
    }
    false
}

fn read_items(scanner: &mut Scanner<'_>, collector: &mut Collector<'_>, places: Places) -> Result<(), Error> {
    collector.start_places(places);
    let mut records = Records::default();
    let mut array = scanner.open_array()?;
    while scanner.next_item(&mut array)? {
        records.read_next(scanner, collector)?;
        // By now it is known how records begin.
        if records.ordinal == SAMPLE {
            let lead = records.templates.lead().unwrap_or_default();
            if parallel_list::read_rest(scanner, collector, lead, records.ordinal).is_some() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// How many records of a list are read one by one before the others are read in parts.
const SAMPLE: u32 = 64;

/// Reads records line by line.
pub(crate) fn read_lines(scanner: &mut Scanner<'_>, collector: &mut Collector<'_>) -> Result<(), Error> {
    collector.start_places(Places::Lines);
    let mut records = Records { ordinal: scanner.skip_lines(), ..Records::default() };
    while !scanner.at_end() {
        let (line, from) = (records.ordinal, scanner.at());
        records.read_next(scanner, collector)?;
        records.ordinal = line.checked_add(scanner.lines_of_record(from)?).ok_or_else(too_many)?;
    }
    Ok(())
}

/// Reads the records of a source one after another.
pub(crate) struct Records<'s> {
    record: JsonRecord<'s>,
    templates: RecordTemplates<'s>,
    /// The position of the next one in its source.
    ordinal: u32,
}

impl Default for Records<'_> {
    fn default() -> Self {
        Records { record: JsonRecord::new(), templates: RecordTemplates::default(), ordinal: 0 }
    }
}

impl<'s> Records<'s> {
    /// Reads a record by a template of earlier ones, or as a whole if no template fits.
    #[inline]
    pub(crate) fn read_next(&mut self, scanner: &mut Scanner<'s>, collector: &mut Collector<'_>) -> Result<(), Error> {
        let Records { record, templates, ordinal } = self;
        scanner.peek()?;
        let start = scanner.mark();
        let mut kept = match templates.read(scanner, record) {
            true => take_json_record(record, collector, *ordinal, scanner.at()).ok(),
            false => None,
        };
        if kept.is_none() {
            // Reading the whole record reports the error with its place.
            scanner.back_to(&start);
            let from = scanner.at();
            let read = read_record(scanner, record).and_then(|()| take_json_record(record, collector, *ordinal, from));
            kept = Some(read.map_err(|fault| locate_record_fault(fault, record, collector.places(), *ordinal))?);
            templates.learn(scanner, record, from);
        }
        if kept == Some(false) {
            templates.forget();
        }
        *ordinal = ordinal.checked_add(1).ok_or_else(too_many)?;
        Ok(())
    }
}

fn too_many() -> Error {
    Error::table("more than 4,294,967,295 records; split the source")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::date::Zone;
    use crate::base::money::Currency;
    use crate::statement::Reading;

    /// How many of fifty such records were read by a template.
    fn compared(record: impl Fn(usize) -> String) -> u32 {
        let text = (1..=50).map(record).collect::<Vec<_>>().join("\n");
        let (currency, zone) = (Currency::from_numeric("566"), Zone::parse("Africa/Lagos"));
        let reading = Reading::new(currency.expect("the naira"), zone.expect("Lagos"));
        let mut collector = Collector::new(&reading, Grouping::Many);
        collector.start_places(Places::Lines);
        let mut scanner = Scanner::new(text.as_bytes()).expect("text");
        let (mut records, mut compared) = (Records::default(), 0);
        while !scanner.at_end() {
            scanner.peek().expect("a record");
            let start = scanner.mark();
            compared += u32::from(records.templates.read(&mut scanner, &mut records.record));
            scanner.back_to(&start);
            records.read_next(&mut scanner, &mut collector).expect("a record");
            scanner.skip_lines();
        }
        compared
    }

    /// Other tests compare the two ways of reading. They prove nothing if one of them is never used.
    #[test]
    fn similar_records_are_read_by_a_template() {
        let nested = |n: usize| {
            format!(
                r#"{{"id":"a{n}","trans_date":"2026-03-0{}","credit":{n},"notes":{{"desc":"PAY {n}"}},"bank":"b"}}"#,
                n % 9 + 1
            )
        };
        assert!(compared(nested) > 40, "{}", compared(nested));
        let two = |n: usize| if n.is_multiple_of(2) { nested(n) } else { nested(n).replace("credit", "debit") };
        assert!(compared(two) > 40, "{}", compared(two));
        let other = |n: usize| nested(n).replacen('{', &format!("{{\"k{n}\":1,"), 1);
        assert_eq!(compared(other), 0);
    }
}
