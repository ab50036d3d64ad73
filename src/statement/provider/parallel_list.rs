//! Reads one large list of records in several parts at once. Where a part begins is a guess, and the result counts only
//! if each part ends exactly where the next one begins. So the records are those that one thread would have read, or
//! none are.

use rayon::prelude::*;

use crate::statement::base::error::Error;
use crate::statement::formats::json::scanner::{ArrayItems, Scanner};
use crate::statement::provider::read::{RECORD_BYTES, Records};
use crate::statement::rows::collector::{Collector, Grouping};

/// A part of fewer bytes is not worth a thread.
const PART_BYTES: usize = 256 * 1024;

/// Parts per thread. There are several because threads are not equally fast.
const PARTS_PER_THREAD: usize = 2;

/// Reads the rest of a list in parts, or returns `None` and changes nothing. The scanner is between two items. `lead`
/// is the text with which a record is expected to begin, and `ordinal` the position of the next one.
pub(crate) fn read_rest(
    scanner: &mut Scanner<'_>,
    collector: &mut Collector<'_>,
    lead: &str,
    ordinal: u32,
) -> Option<()> {
    let starts = guess_part_starts(scanner, lead);
    if starts.len() < 2 {
        return None;
    }
    let reading = collector.reading;
    let ends = starts.iter().skip(1).map(|start| Some(*start)).chain([None]);
    let parts: Vec<(usize, Option<usize>)> = starts.iter().copied().zip(ends).collect();
    let read = |&(start, end): &(usize, Option<usize>)| {
        let mut part = Collector::new(reading, Grouping::One);
        part.rows.reserve((end.unwrap_or(scanner.length()) - start) / RECORD_BYTES);
        read_part(scanner.at_place(start), end, part)
    };
    let read: Result<Vec<(Collector<'_>, usize)>, Error> = match parts.as_slice() {
        // The other thread may have to wake up first. This one begins without waiting for it.
        [first, second] => {
            let mut other = None;
            let this = rayon::in_place_scope(|scope| {
                scope.spawn(|_| other = Some(read(second)));
                read(first)
            });
            std::iter::once(this).chain(other).collect()
        }
        all => all.par_iter().map(read).collect(),
    };
    // Reading in order then reports the error with its place.
    let read = read.ok()?;
    let end = read.last().map(|(_, end)| *end)?;
    collector.take_parts(read.into_iter().map(|(part, _)| part).collect(), ordinal)?;
    scanner.leave_array_at(end);
    Some(())
}

/// Where the parts begin: here, and wherever another record seems to begin.
fn guess_part_starts(scanner: &mut Scanner<'_>, lead: &str) -> Vec<usize> {
    let Some(first) = scanner.next_after_comma() else { return Vec::new() };
    let rest = scanner.length() - first;
    let parts = (rest / PART_BYTES).min(rayon::current_num_threads() * PARTS_PER_THREAD);
    if rayon::current_num_threads() < 2 || lead.is_empty() {
        return Vec::new();
    }
    // The second of two parts is a little shorter, because its thread may have to wake up.
    let later = if parts == 2 { rest / 32 } else { 0 };
    let guess = |part: usize| scanner.find_item(lead, first + rest / parts * part + later);
    let mut starts: Vec<usize> = std::iter::once(first).chain((1..parts).filter_map(guess)).collect();
    starts.dedup();
    starts
}

/// Reads the records of one part, up to the beginning of the next one or the end of the list. Returns where it ended.
fn read_part<'s, 'r>(
    mut scanner: Scanner<'s>,
    end: Option<usize>,
    mut collector: Collector<'r>,
) -> Result<(Collector<'r>, usize), Error> {
    let mut records = Records::default();
    let mut array = ArrayItems::within();
    loop {
        records.read_next(&mut scanner, &mut collector)?;
        let more = scanner.next_item(&mut array)?;
        match end {
            Some(end) if more && scanner.at() < end => {}
            Some(end) if more && scanner.at() == end => return Ok((collector, end)),
            None if more => {}
            None => return Ok((collector, scanner.at())),
            Some(_) => scanner.malformed("a record goes on where another one seemed to begin")?,
        }
    }
}
