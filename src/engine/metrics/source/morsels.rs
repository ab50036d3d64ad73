//! Cuts statements into ranges for threads.

use std::ops::Range;

use crate::statement::{Head, Statements};

/// Ranges of statements that are large enough for a thread; the cuts never change a result. Each day from a statement's
/// first record to its last may be a group, so few records may make many groups. So the days of a range are bounded
/// too.
pub(crate) fn cut_into_morsels(statements: &Statements) -> Vec<Range<usize>> {
    const ROWS: usize = 16_384;
    const DAYS: usize = 4 * ROWS;
    const STATEMENTS: usize = 256;
    let dates = statements.frame().column("trans_date").map(|column| column.to_physical_repr());
    let dates = dates.as_ref().ok().and_then(|column| column.i32().ok());
    let days = |head: &Head| {
        let day = |row: usize| dates.and_then(|dates| dates.get(row)).unwrap_or_default();
        if head.rows.is_empty() { 0 } else { day(head.rows.start).abs_diff(day(head.rows.end - 1)) as usize + 1 }
    };
    let mut ranges = Vec::new();
    let (mut start, mut sums) = (0, (0, 0));
    for (index, head) in statements.heads().iter().enumerate() {
        sums = (sums.0 + head.rows.len(), sums.1 + days(head));
        if sums.0 >= ROWS || sums.1 >= DAYS || index + 1 - start >= STATEMENTS {
            ranges.push(start..index + 1);
            (start, sums) = (index + 1, (0, 0));
        }
    }
    if start < statements.len() {
        ranges.push(start..statements.len());
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::cut_into_morsels;
    use crate::base::date::Zone;
    use crate::base::money::Currency;
    use crate::statement::{Columns, Reading, Statements, read_csv};

    /// This number of customers with one record on each of these days.
    fn statements(customers: usize, days: &[&str]) -> Statements {
        let row = |customer: usize| days.iter().map(move |day| format!("c{customer:04},{day},100\n"));
        let rows: String = (0..customers).flat_map(row).collect();
        let reading = Reading::new(Currency::from_numeric("566").unwrap(), Zone::parse("UTC").unwrap());
        let table = format!("customer,trans_date,credit\n{rows}");
        read_csv(table.as_bytes(), "table", &reading, &Columns::default()).unwrap()
    }

    #[test]
    fn a_range_holds_few_statements_of_many_days() {
        let lengths =
            |statements: &Statements| cut_into_morsels(statements).iter().map(|range| range.len()).collect::<Vec<_>>();
        assert_eq!(lengths(&statements(600, &["2026-01-01", "2026-01-05"])), [256, 256, 88]);
        assert_eq!(lengths(&statements(300, &["2025-01-01", "2026-01-05"])), [178, 122]);
        // 126 years each.
        assert_eq!(lengths(&statements(5, &["1900-01-01", "2026-01-05"])), [2, 2, 1]);
    }
}
