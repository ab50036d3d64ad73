//! The texts that `skip` compares a column with: days, amounts or letters. Must not read a table.

use std::sync::Arc;

use crate::base::money::{AmountUnit, parse_amount};
use crate::statement::base::error::show_source_text;
use crate::statement::cells::date_pattern::Pattern;
use crate::statement::columns_file::skip::{Constant, DECIMALS};
use crate::statement::columns_file::skip_days::{self, SkipDay};

/// What a columns file declares of a column that `skip` reads.
pub(crate) enum ColumnKind {
    /// Days in this pattern, or in ISO 8601.
    Days(Option<Arc<Pattern>>),
    Amount,
    /// Not declared as either. If its texts are days, they are taken to be in the file's pattern.
    Other(Option<Arc<Pattern>>),
}

impl Constant {
    /// Gives a text its meaning for a column. `is_order` if it follows `<` or the like.
    pub(super) fn settle(&mut self, name: &str, kind: &ColumnKind, is_order: bool) -> Result<(), String> {
        let Constant::Text(text) = self else { return Ok(()) };
        let is_number = || parse_amount(text.as_bytes(), AmountUnit::Major, DECIMALS).is_ok();
        match (kind, SkipDay::parse(text, kind.pattern())) {
            (ColumnKind::Amount, _) | (ColumnKind::Other(_), None) if is_number() && (is_order || kind.is_amount()) => {
                Err(format!(
                    "skip: `'{}'` for `{}` is a text, which is compared letter by letter; write the number without \
                     quotes",
                    show_source_text(text),
                    show_source_text(name)
                ))
            }
            (ColumnKind::Days(_) | ColumnKind::Other(_), Some(day)) => {
                *self = Constant::Day(day);
                Ok(())
            }
            // Words may stand in a column of days, such as `Pending`; other numbers are days that were written wrong.
            (ColumnKind::Days(pattern), None) if is_order || text.starts_with(|first: char| first.is_ascii_digit()) => {
                Err(skip_days::refuse_constant(text, name, pattern.as_ref()))
            }
            _ => Ok(()),
        }
    }
}

impl ColumnKind {
    /// How days of the column are written.
    fn pattern(&self) -> Option<&Arc<Pattern>> {
        match self {
            ColumnKind::Days(pattern) | ColumnKind::Other(pattern) => pattern.as_ref(),
            ColumnKind::Amount => None,
        }
    }

    fn is_amount(&self) -> bool {
        matches!(self, ColumnKind::Amount)
    }
}

#[cfg(test)]
mod tests {
    use crate::statement::cells::cell::Cell;
    use crate::statement::columns_file::Columns;

    const COLUMNS: &str = "[columns]\ntrans_date = \"Date\"\namount = \"Betrag\"\ndesc = \"Text\"\n[amount]\n\
        positive = \"credit\"\ndecimal = \",\"\nthousands = [\".\"]\n[dates]\ntrans_date = \"DD.MM.YYYY\"\n";

    /// Whether `skip` leaves out a row with this text.
    fn holds(skip: &str, cell: &str) -> Result<bool, String> {
        let text = format!("skip = '''{skip}'''\n{COLUMNS}");
        let columns = Columns::parse(&text).map_err(|wrong| wrong.to_string())?;
        Ok(columns.skip.expect("a condition").holds(|_| Cell::Text(cell), &columns.notation))
    }

    #[test]
    fn texts_are_compared_as_they_are_read() {
        for cell in [
            "PENDING",
            " PENDING ",
            "PENDING\u{a0}",
            "PENDING\u{200b}",
            "\u{200e}PENDING",
            "'PENDING",
            "\tPENDING",
            "\u{feff}PENDING",
        ] {
            for skip in ["Status = 'PENDING'", "Status IN ('x', ' PENDING')", "Status LIKE 'PEND%ING'"] {
                assert_eq!(holds(skip, cell), Ok(true), "{skip} {cell:?}");
            }
            assert_eq!(holds("Status <> 'PENDING'", cell), Ok(false), "{cell:?}");
        }
        for skip in ["Status = 'NOT BOOKED'", "Status LIKE 'NOT  BOOK%'"] {
            assert_eq!(holds(skip, "NOT \u{a0} BOOKED"), Ok(true), "{skip}");
        }
        for (skip, cell) in [("Annul\u{e9}", "Annule\u{301}"), ("Annule\u{301}", "Annul\u{e9}")] {
            assert_eq!(holds(&format!("Status = '{skip}'"), cell), Ok(true));
            assert_eq!(holds(&format!("Status LIKE '{skip}%'"), cell), Ok(true));
        }
    }

    #[test]
    fn a_number_in_quotes_is_no_text_where_order_or_an_amount_is_meant() {
        for skip in ["Betrag > '100'", "Betrag = '100'", "Betrag IN ('100')", "Nr < '20'", "NOT Nr BETWEEN '1' AND '9'"]
        {
            let wrong = holds(skip, "").expect_err(skip);
            assert!(wrong.contains("write the number without quotes"), "{wrong}");
        }
        for (skip, cell, wanted) in [
            ("Betrag > 100", "1.000,00", true),
            ("Code = '05'", "05", true),
            ("Code IN ('05', '7')", "5", false),
            ("Kind BETWEEN 'A' AND 'F'", "C", true),
        ] {
            assert_eq!(holds(skip, cell), Ok(wanted), "{skip}");
        }
    }

    #[test]
    fn a_day_in_another_notation_than_its_column_is_refused() {
        for skip in ["Date = '1/2/2026'", "Date IN ('2026-2-1')", "Date > 'May'", "Date <> '01022026'"] {
            let wrong = holds(skip, "").expect_err(skip);
            assert!(wrong.contains("is a column of days; write the day in the pattern `DD.MM.YYYY`"), "{wrong}");
        }
    }

    #[test]
    fn another_column_of_days_has_the_notation_of_the_file() {
        for (skip, cell, wanted) in [
            ("Settled > '15.02.2026'", "02.03.2026", true),
            ("Settled > '15.02.2026'", "20.01.2026", false),
            ("Settled >= '2026-02-15'", "02.03.2026", true),
            ("Settled >= '2026-02-15'", "2026-02-01", false),
            ("Settled IN ('01.02.2026', 'never')", "01.02.2026", true),
            ("Settled = 'never'", "never", true),
            ("Date = 'Pending'", "Pending", true),
            // No day is neither before nor after one.
            ("Settled > '15.02.2026'", "soon", false),
        ] {
            assert_eq!(holds(skip, cell), Ok(wanted), "{skip} {cell}");
        }
    }
}
