//! What the tests of several formats share: the rows of a file as text, and damage to its bytes.

use std::ops::ControlFlow;

use super::{Fault, RowReader, RowValue};

type Opened<'b> = Result<Box<dyn RowReader + 'b>, Fault>;

/// A format by its function that opens a file.
pub(super) struct Trial(pub(super) for<'b> fn(&'b [u8]) -> Opened<'b>);

impl Trial {
    /// The rows of a file with their ordinals. What is filled is text, and the rest is empty.
    pub(super) fn rows(&self, bytes: &[u8]) -> Result<Vec<(u32, Vec<String>)>, Fault> {
        let mut rows = Vec::new();
        (self.0)(bytes)?.read(&mut |ordinal, values| {
            let shown = values.iter().map(|value| match value {
                RowValue::Text(text) | RowValue::Digits(text) => (*text).to_owned(),
                _ => String::new(),
            });
            rows.push((ordinal, shown.collect()));
            ControlFlow::Continue(())
        })?;
        Ok(rows)
    }

    /// The cells in these columns of each row, joined by `|`.
    pub(super) fn cells(&self, text: &str, columns: &[usize]) -> Vec<String> {
        let rows = self.rows(text.as_bytes()).unwrap_or_else(|fault| panic!("{fault:?}\n{text}"));
        rows.iter().map(|(_, row)| columns.iter().map(|at| row[*at].as_str()).collect::<Vec<_>>().join("|")).collect()
    }

    /// The fault of a text, with its place.
    pub(super) fn fault(&self, text: &str) -> String {
        let fault = self.rows(text.as_bytes()).expect_err("a fault");
        format!("{}: {}", fault.place.unwrap_or_default(), fault.what)
    }
}

/// Damages a file in 10,000 ways and passes each to `check` with its number. `marks` are bytes that mean something in
/// the format, and `gap` is how many bytes are lost at most.
pub(super) fn damaged(whole: &[u8], marks: &[u8; 8], gap: usize, mut check: impl FnMut(u32, &[u8])) {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    for round in 0..10_000 {
        let mut bytes = whole.to_vec();
        for _ in 0..=next(3) {
            let at = next(bytes.len());
            match next(4) {
                0 => bytes[at] = next(256) as u8,
                1 => bytes.truncate(at.max(1)),
                2 => drop(bytes.drain(at..(at + next(gap)).min(bytes.len()))),
                _ => bytes.insert(at, marks[next(8)]),
            }
            if bytes.is_empty() {
                bytes.push(b'x');
            }
        }
        check(round, &bytes);
    }
}
