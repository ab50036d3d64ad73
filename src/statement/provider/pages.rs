//! Checks that all pages of a statement are there, each once.

use crate::statement::base::error::Error;
use crate::statement::provider::envelope::Envelope;

/// Refuses incomplete pages: a statement without one of its pages would look poorer or richer. `records` is the number
/// of records on all given pages.
pub(crate) fn check_page_sequence(envelopes: &[Envelope], records: u64) -> Result<(), Error> {
    if envelopes.is_empty() {
        return Err(Error::not_a_statement("there is no page"));
    }
    for (index, envelope) in envelopes.iter().enumerate() {
        // A page that is announced by its number is reported first.
        let Some(next) = envelope.next_page.filter(|_| envelope.names_next) else { continue };
        let given = envelopes.iter().any(|other| other.page == Some(next))
            || envelopes.get(index + 1).is_some_and(|following| following.page.is_none());
        if !given {
            let of = envelope.total_pages.map(|total| format!(" of {total}")).unwrap_or_default();
            return incomplete_pages_error(format!("page {next}{of} is announced but not given"));
        }
    }
    if let Some(total) = envelopes.iter().filter_map(|envelope| envelope.total_records).max()
        && total > records
    {
        return incomplete_pages_error(format!("{total} records are announced, {records} are given"));
    }
    let numbers: Option<Vec<u64>> = envelopes.iter().map(|envelope| envelope.page).collect();
    match (numbers, envelopes.iter().filter_map(|envelope| envelope.total_pages).max()) {
        (Some(numbers), total) => check_numbers(numbers, total),
        (None, Some(total)) if total > envelopes.len() as u64 => {
            incomplete_pages_error(format!("{total} pages are announced, {} are given", envelopes.len()))
        }
        (None, _) => Ok(()),
    }
}

/// Checks that each page is there once, from 1, or from 0 if a page has that number. Pages after the last do no harm.
fn check_numbers(mut numbers: Vec<u64>, total: Option<u64>) -> Result<(), Error> {
    numbers.sort_unstable();
    let first = numbers.first().copied().unwrap_or_default();
    let Some(total) = total else {
        // It is unknown how many pages there are and how they are counted, but this is not the first.
        return if first > 1 {
            incomplete_pages_error(format!("page {first} is given, and none before it"))
        } else {
            Ok(())
        };
    };
    if let Some((page, _)) = numbers.iter().zip(numbers.iter().skip(1)).find(|(one, other)| one == other) {
        return incomplete_pages_error(format!("page {page} of {total} is given twice"));
    }
    if first == 0 && numbers.last().is_some_and(|last| *last > total) {
        // Pages are numbered by their first records.
        let count = numbers.len() as u64;
        return if count < total {
            incomplete_pages_error(format!("{total} pages are announced, {count} are given"))
        } else {
            Ok(())
        };
    }
    let first = first.min(1);
    let given = numbers.iter().map(Some).chain(std::iter::repeat(None));
    match (first..first.saturating_add(total)).zip(given).find(|(page, given)| *given != Some(page)) {
        // The only page may have any number.
        Some((page, _)) if total > 1 => incomplete_pages_error(format!("page {page} of {total} is not given")),
        _ => Ok(()),
    }
}

fn incomplete_pages_error(what: String) -> Result<(), Error> {
    Err(Error::Incomplete { what: format!("{what}; read all pages together") })
}
