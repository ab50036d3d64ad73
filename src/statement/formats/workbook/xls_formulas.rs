//! Formulas of an XLS workbook that no program has calculated. The library gives nothing for them, or a 0.

use std::collections::BTreeSet;

use super::xls_bounds::u16_at;

/// The places of cells, by row and column.
pub(super) type Places = BTreeSet<(u32, u32)>;

/// The formulas of a sheet.
#[derive(Default)]
pub(super) struct SheetFormulas {
    /// Those with a value.
    valued: Places,
    /// Those with an empty text for a value.
    blank: Places,
    /// Whether the program that wrote the sheet says that it has not calculated it.
    is_uncalculated: bool,
}

impl SheetFormulas {
    /// Notes a record of the sheet.
    pub(super) fn note(&mut self, kind: u16, content: &[u8]) {
        match (kind, u16_at(content, 0), u16_at(content, 2)) {
            (0x005e, ..) => self.is_uncalculated = true,
            (0x0006, Some(row), Some(column)) => {
                // Of the eight bytes of the value, the last two tell a text from a number, and the first says which.
                let is_blank = content.get(6) == Some(&3) && u16_at(content, 12) == Some(u16::MAX);
                let places = if is_blank { &mut self.blank } else { &mut self.valued };
                places.insert((row.into(), column.into()));
            }
            _ => {}
        }
    }
}

/// The formulas of each sheet without a known value. An empty text is a value in a workbook where another formula
/// has one; programs that do not calculate write it into all of them.
pub(super) fn list_uncalculated_formulas(sheets: Vec<SheetFormulas>) -> Vec<Places> {
    let are_calculated = sheets.iter().any(|sheet| !sheet.valued.is_empty());
    let unknown = |mut sheet: SheetFormulas| {
        if sheet.is_uncalculated {
            sheet.blank.append(&mut sheet.valued);
        } else if are_calculated {
            sheet.blank.clear();
        }
        sheet.blank
    };
    sheets.into_iter().map(unknown).collect()
}
