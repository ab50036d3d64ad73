//! Encodes a row as bytes, to store it in memory or on disk and read it later unchanged.

use crate::statement::cells::cell::Cell;

/// The first byte of a row whose cells follow.
pub(crate) const CELLS: u8 = 0;
/// The first byte of a row that is a JSON record. Its offset in the source follows, then the record.
pub(crate) const RECORD: u8 = 1;
/// The first byte of a row that could not be read. The description of the error follows.
pub(crate) const LOST: u8 = 2;

const NULL: u8 = 0;
const TEXT: u8 = 1;
const WHOLE: u8 = 2;
const LARGE: u8 = 3;
const DECIMAL: u8 = 4;
const FLOAT: u8 = 5;
const SINGLE: u8 = 6;
const DAY: u8 = 7;
const MOMENT: u8 = 8;

/// Writes a row of cells, with null in place of the cells that are not used. Replaces what `into` holds.
pub(crate) fn pack_row(cells: &[Cell<'_>], uses: impl Fn(usize) -> bool, into: &mut Vec<u8>) {
    into.clear();
    into.push(CELLS);
    for (at, cell) in cells.iter().enumerate() {
        encode_row_cell(if uses(at) { cell } else { &Cell::Null }, into);
    }
}

/// The bytes in place of a row that could not be read.
pub(crate) fn lost_row(what: &str) -> Vec<u8> {
    [&[LOST], what.as_bytes()].concat()
}

/// Appends a cell.
pub(crate) fn encode_row_cell(cell: &Cell<'_>, into: &mut Vec<u8>) {
    match cell {
        Cell::Null => into.push(NULL),
        Cell::Text(text) => {
            into.push(TEXT);
            into.extend_from_slice(&(text.len() as u64).to_le_bytes());
            into.extend_from_slice(text.as_bytes());
        }
        Cell::Whole(number) => match i64::try_from(*number) {
            Ok(number) => {
                into.push(WHOLE);
                into.extend_from_slice(&number.to_le_bytes());
            }
            Err(_) => {
                into.push(LARGE);
                into.extend_from_slice(&number.to_le_bytes());
            }
        },
        Cell::Decimal { digits, scale } => {
            into.push(DECIMAL);
            into.extend_from_slice(&digits.to_le_bytes());
            into.extend_from_slice(&scale.to_le_bytes());
        }
        Cell::Float(number) => {
            into.push(FLOAT);
            into.extend_from_slice(&number.to_bits().to_le_bytes());
        }
        Cell::Single(number) => {
            into.push(SINGLE);
            into.extend_from_slice(&number.to_bits().to_le_bytes());
        }
        Cell::Day(day) => {
            into.push(DAY);
            into.extend_from_slice(&day.to_le_bytes());
        }
        Cell::Moment { seconds, milliseconds, utc } => {
            into.push(MOMENT);
            into.extend_from_slice(&seconds.to_le_bytes());
            into.extend_from_slice(&milliseconds.to_le_bytes());
            into.push(u8::from(*utc));
        }
    }
}

/// Reads the cells back. `None` if [`encode_row_cell`] has not written these bytes.
pub(crate) fn decode_row_cells<'b>(mut bytes: &'b [u8], cells: &mut Vec<Cell<'b>>) -> Option<()> {
    cells.clear();
    while let Some((kind, rest)) = bytes.split_first() {
        bytes = rest;
        let from = &mut bytes;
        cells.push(match *kind {
            NULL => Cell::Null,
            TEXT => {
                let length = usize::try_from(u64::from_le_bytes(take_fixed_bytes(from)?)).ok()?;
                let (text, rest) = from.split_at_checked(length)?;
                *from = rest;
                Cell::Text(std::str::from_utf8(text).ok()?)
            }
            WHOLE => Cell::Whole(i64::from_le_bytes(take_fixed_bytes(from)?).into()),
            LARGE => Cell::Whole(i128::from_le_bytes(take_fixed_bytes(from)?)),
            DECIMAL => Cell::Decimal {
                digits: i128::from_le_bytes(take_fixed_bytes(from)?),
                scale: u32::from_le_bytes(take_fixed_bytes(from)?),
            },
            FLOAT => Cell::Float(f64::from_bits(u64::from_le_bytes(take_fixed_bytes(from)?))),
            SINGLE => Cell::Single(f32::from_bits(u32::from_le_bytes(take_fixed_bytes(from)?))),
            DAY => Cell::Day(i32::from_le_bytes(take_fixed_bytes(from)?)),
            MOMENT => {
                let (seconds, milliseconds) =
                    (i64::from_le_bytes(take_fixed_bytes(from)?), u32::from_le_bytes(take_fixed_bytes(from)?));
                let [utc] = take_fixed_bytes::<1>(from)?;
                Cell::Moment { seconds, milliseconds, utc: utc != 0 }
            }
            _ => return None,
        });
    }
    Some(())
}

fn take_fixed_bytes<const N: usize>(from: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = from.split_first_chunk::<N>()?;
    *from = rest;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_come_back_as_they_were() {
        let cells = [
            Cell::Null,
            Cell::Text(""),
            Cell::Text("a\n\u{1f}é"),
            Cell::Whole(-5),
            Cell::Whole(i128::MAX),
            Cell::Decimal { digits: -123_456, scale: 2 },
            Cell::Float(-0.1),
            Cell::Single(f32::MIN_POSITIVE),
            Cell::Day(-1),
            Cell::Moment { seconds: i64::MIN, milliseconds: 999, utc: true },
        ];
        let mut bytes = Vec::new();
        cells.iter().for_each(|cell| encode_row_cell(cell, &mut bytes));
        let mut back = Vec::new();
        assert_eq!((decode_row_cells(&bytes, &mut back), &back[..]), (Some(()), &cells[..]));
        for length in 0..bytes.len() {
            // Cut anywhere, the bytes are refused or hold the first of the cells.
            let whole = decode_row_cells(&bytes[..length], &mut Vec::new()).is_some();
            let mut before = Vec::new();
            let end = cells.iter().any(|cell| {
                let here = before.len() == length;
                encode_row_cell(cell, &mut before);
                here
            });
            assert_eq!(whole, end, "{length}");
        }
    }
}
