//! E2, the customer's transaction records: the request, a check of the envelope, and the merging and splitting of
//! pages. Knows nothing of what a record means: its bytes are passed on unchanged.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{Lending, TRANSACTION_RECORDS_PATH};
use crate::provider::wire::call::sealed::Sealed;
use crate::provider::wire::call::{Call, Effect, check_segment, join_path_segments};
use crate::provider::wire::error::{Unsendable, Unusable};
use crate::provider::wire::method::Method;
use crate::provider::wire::parse::{self, Object};
use crate::provider::wire::{Settings, Skim};

/// The request of E2, for one page. A read: repeating it changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionRecords {
    /// The reference of the offer request.
    pub reference: String,
    /// The page, as the previous page named it; `None` for the first.
    pub page: Option<String>,
}

/// The result of checking one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordsPage {
    /// The number of records on the page.
    pub records: u64,
    /// `data.pagination.nextPage`, if there is a further page.
    pub next: Option<String>,
}

impl TransactionRecords {
    /// The first page of a reference's records.
    pub fn new(reference: impl Into<String>) -> Self {
        TransactionRecords { reference: reference.into(), page: None }
    }
}

impl Sealed for TransactionRecords {}

impl Call for TransactionRecords {
    type Host = Lending;
    type Reply = RecordsPage;
    const NAME: &'static str = "get customer transaction records (E2)";
    const EFFECT: Effect = Effect::Reads;

    fn method(&self, _: &Settings) -> Method {
        Method::Get
    }

    fn path(&self, _: &Settings) -> Result<Vec<String>, Unsendable> {
        check_segment("the offer request reference", &self.reference)?;
        Ok(join_path_segments(TRANSACTION_RECORDS_PATH, &[&self.reference]))
    }

    fn query(&self, settings: &Settings) -> Result<Vec<(String, String)>, Unsendable> {
        let mut pairs = vec![("offerRequestReference".to_owned(), self.reference.clone())];
        if let Some(page) = &self.page {
            pairs.push((settings.records.page_parameter.clone(), page.clone()));
        }
        Ok(pairs)
    }

    fn reply(&self, settings: &Settings, body: &[u8]) -> Result<RecordsPage, Unusable> {
        self.reply_skimmed(settings, body, self.skim())
    }

    fn skim(&self) -> Skim {
        Skim::new(&[&["data"], &LIST_NAMES])
    }

    fn reply_skimmed(&self, settings: &Settings, body: &[u8], skim: Skim) -> Result<RecordsPage, Unusable> {
        match parse_skimmed_page(settings, body, skim) {
            Some(page) => Ok(page),
            None => parse_records_page(settings, body),
        }
    }
}

/// Reads every byte of a page.
fn parse_records_page(settings: &Settings, body: &[u8]) -> Result<RecordsPage, Unusable> {
    let envelope: Envelope<SkippedListLength> = parse::parse_json_object(body)?;
    envelope.refusal(settings)?;
    let data = envelope.data.ok_or_else(|| Unusable::malformed(None, "has no `data`"))?.0;
    let records = data.transactions.ok_or_else(no_transactions)?.0;
    Ok(RecordsPage {
        records,
        next: data.pagination.and_then(|pagination| pagination.0.next_page).and_then(mark_of_next_page),
    })
}

/// The same for a page whose list was skimmed: only the bytes around the list are read. `None` if anything is wrong.
fn parse_skimmed_page(settings: &Settings, body: &[u8], skim: Skim) -> Option<RecordsPage> {
    let list = skim.list(body)?;
    let around = [body.get(..list.place.start)?, b"[]", body.get(list.place.end..)?].concat();
    let page = parse_records_page(settings, &around).ok()?;
    Some(RecordsPage { records: list.items, ..page })
}

/// The names of the list of records, as in [`Data`] and [`RawData`].
const LIST_NAMES: [&str; 3] = ["transactions", "transaction", "trans"];

fn no_transactions() -> Unusable {
    Unusable::malformed(None, "has no list `data.transactions`")
}

/// The next page's mark, unless it is one of those by which providers say that there is none.
fn mark_of_next_page(mark: String) -> Option<String> {
    (!matches!(mark.trim(), "" | "0" | "false" | "null")).then_some(mark)
}

/// The envelope of E2; the list of records is read as `T`.
#[derive(Deserialize)]
struct Envelope<T> {
    #[serde(default, deserialize_with = "parse::scalar")]
    status: Option<String>,
    #[serde(default, deserialize_with = "parse::scalar")]
    message: Option<String>,
    #[serde(default, rename = "responseCode", deserialize_with = "parse::scalar")]
    response_code: Option<String>,
    #[serde(default, rename = "responseMessage", deserialize_with = "parse::scalar")]
    response_message: Option<String>,
    #[serde(default = "Option::default")]
    data: Option<Object<Data<T>>>,
}

#[derive(Deserialize)]
struct Data<T> {
    #[serde(default = "Option::default", alias = "transaction", alias = "trans")]
    transactions: Option<T>,
    #[serde(default)]
    pagination: Option<Object<Pagination>>,
}

#[derive(Deserialize)]
struct Pagination {
    #[serde(default, rename = "nextPage", deserialize_with = "parse::scalar")]
    next_page: Option<String>,
}

impl<T> Envelope<T> {
    /// An envelope that does not say success is refused, even if it has no records.
    fn refusal(&self, settings: &Settings) -> Result<(), Unusable> {
        let words = |text: &Option<String>| text.clone().unwrap_or_default();
        match (&self.status, &self.response_code) {
            (_, Some(code)) if *code != settings.success_code => {
                Err(Unusable::Rejected { code: code.clone(), message: words(&self.response_message) })
            }
            (Some(status), _) if status.eq_ignore_ascii_case(&settings.records.success_status) => Ok(()),
            (Some(status), _) => Err(Unusable::Rejected { code: status.clone(), message: words(&self.message) }),
            (None, _) => Err(Unusable::malformed(None, "has no `status`")),
        }
    }
}

/// The length of a list, whose items are skipped.
struct SkippedListLength(u64);

impl<'de> Deserialize<'de> for SkippedListLength {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountVisitor;
        impl<'de> Visitor<'de> for CountVisitor {
            type Value = SkippedListLength;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of records")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<SkippedListLength, A::Error> {
                let mut count = 0;
                while list.next_element::<IgnoredAny>()?.is_some() {
                    count += 1;
                }
                Ok(SkippedListLength(count))
            }
        }
        deserializer.deserialize_seq(CountVisitor)
    }
}

/// The parts of a page that merging changes.
#[derive(Deserialize)]
struct RawEnvelope<'a> {
    #[serde(borrow)]
    data: RawData<'a>,
}

#[derive(Deserialize)]
struct RawData<'a> {
    #[serde(borrow, alias = "transaction", alias = "trans")]
    transactions: &'a RawValue,
    #[serde(borrow, default)]
    pagination: Option<RawPagination<'a>>,
}

#[derive(Deserialize)]
struct RawPagination<'a> {
    #[serde(borrow, default, rename = "nextPage")]
    next_page: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "totalPages")]
    total_pages: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "totalDocs")]
    total_records: Option<&'a RawValue>,
}

/// Merges the pages of one statement into one page: the first page, with the records of all pages in its list, byte for
/// byte as they came. A single page is returned unchanged. Refuses fewer pages than any page announces.
pub fn merge_pages<B: AsRef<[u8]>>(pages: &[B]) -> Result<Vec<u8>, Unusable> {
    let Some((first, others)) = pages.split_first() else {
        return Err(no_transactions());
    };
    let first = first.as_ref();
    if others.is_empty() {
        return Ok(first.to_vec());
    }
    let raw: RawEnvelope<'_> = parse::parse_json_object(first)?;
    let mut list = text_between_brackets(raw.data.transactions)?.to_owned();
    let announced = |raw: &RawEnvelope<'_>| {
        let read = |count: fn(&RawPagination<'_>) -> Option<u64>| raw.data.pagination.as_ref().and_then(count);
        (
            read(|pagination| parse_count_value(pagination.total_pages?)),
            read(|pagination| parse_count_value(pagination.total_records?)),
        )
    };
    let (mut pages_max, mut records_max) = announced(&raw);
    for page in others {
        let raw: RawEnvelope<'_> = parse::parse_json_object(page.as_ref())?;
        let (total_pages, total_records) = announced(&raw);
        (pages_max, records_max) = (pages_max.max(total_pages), records_max.max(total_records));
        let more = text_between_brackets(raw.data.transactions)?;
        if !list.is_empty() && !more.is_empty() {
            list.push(',');
        }
        list.push_str(more);
    }
    if let Some(most) = pages_max.filter(|most| *most > pages.len() as u64) {
        return Err(Unusable::malformed(
            None,
            format!("announces {most} pages, and names no next after {}", pages.len()),
        ));
    }
    let mut edits = vec![(span_of_borrowed_value(first, raw.data.transactions), format!("[{list}]"))];
    if let Some(pagination) = raw.data.pagination {
        edits.extend(pagination.next_page.map(|mark| (span_of_borrowed_value(first, mark), "null".to_owned())));
        let is_read = |mark: &&RawValue| parse_count_value(mark).is_some();
        edits.extend(
            pagination.total_pages.filter(is_read).map(|mark| (span_of_borrowed_value(first, mark), "1".to_owned())),
        );
        let records = pagination.total_records.filter(is_read).zip(records_max);
        edits.extend(records.map(|(mark, records)| (span_of_borrowed_value(first, mark), records.to_string())));
    }
    edits.sort_by_key(|(place, _)| place.start);
    let mut merged = Vec::with_capacity(first.len() + list.len());
    let mut at = 0;
    for (place, text) in edits {
        merged.extend_from_slice(first.get(at..place.start).unwrap_or_default());
        merged.extend_from_slice(text.as_bytes());
        at = place.end;
    }
    merged.extend_from_slice(first.get(at..).unwrap_or_default());
    Ok(merged)
}

/// A count, written as a number or as a text.
fn parse_count_value(raw: &RawValue) -> Option<u64> {
    let number: f64 = raw.get().trim_matches('"').trim().parse().ok()?;
    (number >= 0.0 && number.fract() == 0.0).then_some(number as u64)
}

/// Splits a statement into pages of at most `records_max` records. Each is a whole envelope that names the next page.
/// The simulated provider serves them.
pub fn split_pages(statement: &[u8], records_max: usize) -> Result<Vec<Vec<u8>>, Unusable> {
    let raw: RawEnvelope<'_> = parse::parse_json_object(statement)?;
    let records: Vec<&RawValue> = serde_json::from_str(raw.data.transactions.get()).map_err(|_| no_transactions())?;
    let place = span_of_borrowed_value(statement, raw.data.transactions);
    let chunks: Vec<&[&RawValue]> =
        if records.is_empty() { vec![&[]] } else { records.chunks(records_max.max(1)).collect() };
    let mut pages = Vec::with_capacity(chunks.len());
    for (index, chunk) in chunks.iter().enumerate() {
        let list = chunk.iter().map(|record| record.get()).collect::<Vec<_>>().join(",");
        let next = if index + 1 < chunks.len() { (index + 2).to_string() } else { "null".to_owned() };
        let pagination = format!(
            r#"[{list}],"pagination":{{"totalDocs":{},"page":{},"totalPages":{},"nextPage":{next}}}"#,
            records.len(),
            index + 1,
            chunks.len()
        );
        let mut page = statement.get(..place.start).unwrap_or_default().to_vec();
        page.extend_from_slice(pagination.as_bytes());
        page.extend_from_slice(statement.get(place.end..).unwrap_or_default());
        pages.push(page);
    }
    Ok(pages)
}

/// The text between a list's brackets.
fn text_between_brackets(list: &RawValue) -> Result<&str, Unusable> {
    let text = list.get().trim();
    text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).map(str::trim).ok_or_else(no_transactions)
}

/// The place of a borrowed value in the bytes from which it was borrowed.
fn span_of_borrowed_value(whole: &[u8], part: &RawValue) -> std::ops::Range<usize> {
    let text = part.get();
    let start = (text.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
    start..start + text.len()
}
