//! Reads what surrounds the records: the provider's envelope, its status and its pages.

use crate::base::money::{AmountUnit, parse_amount};
use crate::base::text_search::suggest::suggest_near_name;
use crate::statement::base::error::{Error, show_source_text};
use crate::statement::base::unread::Unread;
use crate::statement::formats::json::scanner::Scanner;
use crate::statement::formats::json::text::RawJsonString;
use crate::statement::provider::record::kind_of;

/// The parts of an envelope beside its records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Envelope {
    /// `status` as written.
    pub status: Option<String>,
    /// `message` as written.
    pub message: Option<String>,
    /// The offer request that the statement was pulled for, if `lendwright provider pull` wrote it into the file.
    pub reference: Option<String>,
    /// The number of this page.
    pub page: Option<u64>,
    /// The number of the page to request next. `None` on the last one.
    pub next_page: Option<u64>,
    /// The number of pages.
    pub total_pages: Option<u64>,
    /// The number of records on all pages.
    pub total_records: Option<u64>,
    /// Whether `next_page` comes from `nextPage`, and not from the number of this page.
    pub(crate) names_next: bool,
    pub(crate) unknown_fields: u64,
    /// The names of the unknown fields.
    pub(crate) unread: Unread,
}

/// The key that `lendwright provider pull` adds to the saved file. The provider's answer does not have it.
pub const REFERENCE: &str = "offerRequestReference";

pub(crate) const LISTS: [&str; 3] = ["transactions", "transaction", "trans"];

impl Envelope {
    /// Reads what surrounds the records and skips the records, checking that all of it is well-formed. A status other
    /// than success is an error, and so is an envelope without a list.
    ///
    /// ```
    /// use lendwright::statement::Envelope;
    /// let body = br#"{"status": "success", "data": {
    ///     "trans": [], "pagination": {"page": 1, "totalPages": 3, "nextPage": 2}}}"#;
    /// assert_eq!(Envelope::scan(body).unwrap().next_page, Some(2));
    /// ```
    pub fn scan(body: &[u8]) -> Result<Envelope, Error> {
        read_to_end(body, |scanner| {
            if scanner.peek()? != b'{' {
                return Err(no_list(scanner));
            }
            read_envelope(scanner, |scanner, _| Ok(scanner.skip_value()?))
        })
    }

    fn failed(&self) -> bool {
        self.status.as_ref().is_some_and(|status| !status.trim().eq_ignore_ascii_case("success"))
    }
}

/// A scanner over a body, after checking that it is not empty and not a web page.
pub(crate) fn open_body_scanner(body: &[u8]) -> Result<Scanner<'_>, Error> {
    check_beginning(body)?;
    Ok(Scanner::new(body)?)
}

/// Reads a body from its beginning to its end, checking on the way that it is UTF-8.
pub(crate) fn read_to_end<'b, T>(
    body: &'b [u8],
    read: impl FnOnce(&mut Scanner<'b>) -> Result<T, Error>,
) -> Result<T, Error> {
    check_beginning(body)?;
    let mut scanner = Scanner::ahead(body);
    let done = read(&mut scanner).and_then(|read| {
        scanner.end()?;
        Ok(read)
    });
    // If the body is not UTF-8, that is the fault to report.
    done.or_else(|fault| Scanner::new(body).map_or_else(|no_text| Err(no_text.into()), |_| Err(fault)))
}

fn check_beginning(body: &[u8]) -> Result<(), Error> {
    match body.iter().find(|byte| !byte.is_ascii_whitespace()) {
        None => Err(Error::not_a_statement("the body is empty")),
        Some(b'<') => Err(Error::not_a_statement("the body begins with `<`, as a web page does; expected JSON")),
        Some(_) => Ok(()),
    }
}

/// The error for a body that is neither an object nor a list.
pub(crate) fn no_list(scanner: &mut Scanner<'_>) -> Error {
    match scanner.skip_value().and_then(|()| scanner.end()) {
        Ok(()) => Error::not_a_statement("expected an envelope, a list of records or records line by line"),
        Err(flaw) => flaw.into(),
    }
}

/// Reads an envelope whose `{` was peeked; the list of records goes to `on_list`, with the list's path.
pub(crate) fn read_envelope<'s>(
    scanner: &mut Scanner<'s>,
    mut on_list: impl FnMut(&mut Scanner<'s>, &str) -> Result<(), Error>,
) -> Result<Envelope, Error> {
    let mut envelope = Envelope::default();
    let mut found = ListPresence::Nothing;
    let mut object = scanner.open_object()?;
    while let Some(key) = scanner.next_key(&mut object)? {
        scanner.watch(key);
        match &*key.decode(&mut 0) {
            "status" => envelope.status = read_word(scanner)?,
            "message" => envelope.message = read_word(scanner)?,
            "_id" => scanner.skip_value()?,
            REFERENCE => envelope.reference = read_word(scanner)?,
            "data" if envelope.failed() => scanner.skip_value()?,
            "data" if scanner.peek()? == b'{' => found = read_data(scanner, &mut envelope, &mut on_list)?,
            "data" => {
                found = ListPresence::Other(kind_of(scanner.peek()?));
                scanner.skip_value()?;
            }
            name => {
                envelope.unknown_fields += 1;
                envelope.unread.add(name);
                scanner.skip_value()?;
            }
        }
    }
    if envelope.failed() {
        let status = show_source_text(envelope.status.as_deref().unwrap_or_default());
        return Err(Error::Status { status, message: envelope.message.as_deref().map(show_source_text) });
    }
    match found {
        ListPresence::List => Ok(envelope),
        ListPresence::Nothing => Err(Error::not_a_statement("the envelope has no `data`")),
        ListPresence::Other(kind) => {
            Err(Error::not_a_statement(format!("`data` must be an object that holds `transactions`, found {kind}")))
        }
        ListPresence::NoList(near) => {
            let help = near.map(|key| format!("; there is `{key}`, which may be meant")).unwrap_or_default();
            Err(Error::not_a_statement(format!(
                "`data` holds no list of records: expected `transactions`, `transaction` or `trans`{help}"
            )))
        }
    }
}

enum ListPresence {
    Nothing,
    Other(&'static str),
    NoList(Option<String>),
    List,
}

fn read_data<'s>(
    scanner: &mut Scanner<'s>,
    envelope: &mut Envelope,
    on_list: &mut impl FnMut(&mut Scanner<'s>, &str) -> Result<(), Error>,
) -> Result<ListPresence, Error> {
    let mut object = scanner.open_object()?;
    let mut list: Option<String> = None;
    let mut near = None;
    while let Some(key) = scanner.next_key(&mut object)? {
        scanner.watch(key);
        let name = key.decode(&mut 0);
        let first = scanner.peek()?;
        if LISTS.contains(&&*name) && first != b'n' {
            if first != b'[' {
                let what = format!("`data.{name}` must be a list of records, found {}", kind_of(first));
                scanner.skip_value()?;
                return Err(Error::not_a_statement(what));
            }
            if let Some(other) = list {
                return Err(Error::not_a_statement(format!(
                    "`data` holds two lists of records, `{other}` and `{name}`"
                )));
            }
            on_list(scanner, &format!("data.{name}"))?;
            list = Some(name.into_owned());
        } else if name == "pagination" && first == b'{' {
            read_pagination(scanner, envelope)?;
        } else {
            let known = LISTS.contains(&&*name) || name == "pagination";
            if !known {
                envelope.unknown_fields += 1;
                envelope.unread.add(&format!("data.{name}"));
            }
            if suggest_near_name(&name, LISTS).is_some() && !known {
                near = Some(show_source_text(&name));
            }
            scanner.skip_value()?;
        }
    }
    Ok(if list.is_some() { ListPresence::List } else { ListPresence::NoList(near) })
}

fn read_pagination(scanner: &mut Scanner<'_>, envelope: &mut Envelope) -> Result<(), Error> {
    let mut object = scanner.open_object()?;
    let mut has_next = false;
    while let Some(key) = scanner.next_key(&mut object)? {
        scanner.watch(key);
        match &*key.decode(&mut 0) {
            "page" => envelope.page = read_count(scanner)?,
            // Some providers write 0 if there is none.
            "nextPage" => envelope.next_page = read_count(scanner)?.filter(|next| *next > 0),
            "totalPages" => envelope.total_pages = read_count(scanner)?,
            "totalDocs" => envelope.total_records = read_count(scanner)?,
            "hasNextPage" if scanner.peek()? == b't' => {
                has_next = true;
                scanner.skip_value()?;
            }
            _ => scanner.skip_value()?,
        }
    }
    envelope.names_next = envelope.next_page.is_some();
    if has_next && envelope.next_page.is_none() {
        envelope.next_page = Some(envelope.page.unwrap_or(1) + 1);
    }
    if envelope.next_page.is_none() {
        envelope.next_page = match (envelope.page, envelope.total_pages) {
            (Some(page), Some(total)) if page < total => Some(page + 1),
            _ => None,
        };
    }
    Ok(())
}

/// Text, or another scalar as written. `None` for null.
fn read_word(scanner: &mut Scanner<'_>) -> Result<Option<String>, Error> {
    Ok(match scanner.peek()? {
        b'"' => Some(scanner.string()?.decode(&mut 0).into_owned()),
        b'-' | b'0'..=b'9' => Some(scanner.number()?.to_owned()),
        b'{' | b'[' => {
            scanner.skip_value()?;
            Some("not text".to_owned())
        }
        _ => Some(scanner.literal()?).filter(|word| *word != "null").map(str::to_owned),
    })
}

/// A whole number, or one as text. `None` for anything else.
fn read_count(scanner: &mut Scanner<'_>) -> Result<Option<u64>, Error> {
    let first = scanner.peek()?;
    let number = match first {
        b'"' => scanner.string().map(|RawJsonString { raw, .. }| raw)?,
        b'-' | b'0'..=b'9' => scanner.number()?,
        _ => {
            scanner.skip_value()?;
            return Ok(None);
        }
    };
    Ok(parse_amount(number.trim().as_bytes(), AmountUnit::Minor, 0).ok().and_then(|count| u64::try_from(count).ok()))
}
