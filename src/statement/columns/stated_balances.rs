//! Opening and closing balances that a source states beside its records, as bank formats do: which records lie between
//! them, whether the records make the one into the other, and whether the balances of the records say the same. Must
//! not know formats.

use crate::statement::columns::record_columns::RecordColumns;
use crate::statement::rows::builder::{Group, NO_DAY, known_at_row};
use crate::statement::rows::stated::{Contradicted, Stand, StatedBalance, StatedSection, balance_difference};

/// A stated balance that is not what it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StatedBreak {
    pub(crate) day: i32,
    pub(crate) expected: i128,
    pub(crate) found: i64,
    /// Whether it is an opening balance that does not continue the section before. Else it closes a section.
    pub(crate) is_opening: bool,
}

/// Finds the sections of each group. `columns` are in the order of the source; rows in `no_movement`, which is sorted,
/// move no money. Records that were sent twice count twice, as they do for the bank.
pub(crate) fn resolve_stated_sections(columns: &RecordColumns, groups: &mut [Group], no_movement: &[u32]) {
    if groups.iter().all(|group| group.stated_rows.is_empty()) {
        return;
    }
    let mut walks: Vec<StatedWalk> =
        groups.iter_mut().map(|group| StatedWalk::new(std::mem::take(&mut group.stated_rows))).collect();
    let mut left_out = no_movement.iter().copied().peekable();
    for row in 0..columns.len() {
        // Statements are numbered by their place in `groups`.
        let walk = walks.get_mut(columns.group(row) as usize).expect("INVARIANT: each statement is listed");
        if left_out.next_if_eq(&(row as u32)).is_some() {
            continue;
        }
        let amount = |column: &[i64]| i128::from(known_at_row(column, row as u32).unwrap_or(0));
        walk.to(row);
        let moved = amount(&columns.credits) - amount(&columns.debits);
        walk.add(columns.day(row), moved, known_at_row(&columns.balances, row as u32));
    }
    for (group, mut walk) in groups.iter_mut().zip(walks) {
        walk.to(usize::MAX);
        walk.check_opening();
        group.stated.is_covering = !walk.sections.is_empty() && walk.covered == walk.movements;
        (group.stated.sections, group.stated.contradicted) = (walk.sections, walk.contradicted);
    }
}

/// Goes through one statement's rows and stated balances in the order of the source.
struct StatedWalk {
    stated: std::vec::IntoIter<StatedBalance>,
    next: Option<StatedBalance>,
    open: Option<OpenSection>,
    moved: i128,
    /// Rows that move money, and those of them in finished sections.
    movements: u64,
    covered: u64,
    sections: Vec<StatedSection>,
    /// The rows since the last stated balance, and what contradicts those so far.
    first_day: EdgeDay,
    last_day: EdgeDay,
    contradicted: Vec<Contradicted>,
}

/// The balances before or after the rows of the first or the last day. The order within a day is not known, so any of
/// them may be the one at its edge.
#[derive(Debug, Default)]
struct EdgeDay {
    day: Option<i32>,
    balances: Vec<i128>,
    /// Whether every row of the day has a balance. Otherwise they say nothing.
    is_whole: bool,
}

impl EdgeDay {
    fn add(&mut self, day: i32, is_beyond: impl Fn(i32) -> bool, balance: Option<i128>) {
        if self.day.is_none_or(is_beyond) {
            self.day = Some(day);
            self.balances.clear();
            self.is_whole = true;
        }
        if self.day == Some(day) {
            self.is_whole &= balance.is_some();
            self.balances.extend(balance);
        }
    }

    /// The nearest balance to a stated one, if there is one and none is the same.
    fn contradicts(&self, stated: Stand) -> Option<Contradicted> {
        let nearest = self.balances.iter().copied().min_by_key(|balance| balance_difference(*balance, stated.minor));
        let nearest = nearest.filter(|nearest| self.is_whole && *nearest != i128::from(stated.minor));
        nearest.map(|by_records| Contradicted { stated, by_records })
    }
}

struct OpenSection {
    opening: Stand,
    moved: i128,
    movements: u64,
}

impl StatedWalk {
    fn new(stated: Vec<StatedBalance>) -> StatedWalk {
        let mut stated = stated.into_iter();
        let next = stated.next();
        StatedWalk {
            stated,
            next,
            open: None,
            moved: 0,
            movements: 0,
            covered: 0,
            sections: Vec::new(),
            first_day: EdgeDay::default(),
            last_day: EdgeDay::default(),
            contradicted: Vec::new(),
        }
    }

    /// Takes the balances that come before this row.
    fn to(&mut self, row: usize) {
        while let Some(balance) = self.next.filter(|next| next.rows_before <= row) {
            self.next = self.stated.next();
            let stand = Stand { day: balance.day, minor: balance.minor };
            self.check_opening();
            if !balance.is_opening {
                self.contradicted.extend(self.last_day.contradicts(stand));
            }
            if !balance.is_opening || self.continues(stand.day) {
                self.close(stand);
            }
            self.open = balance.is_opening.then_some(OpenSection {
                opening: stand,
                moved: self.moved,
                movements: self.movements,
            });
            (self.first_day, self.last_day) = (EdgeDay::default(), EdgeDay::default());
        }
    }

    /// Whether an opening balance of this day also closes the section that is open: nothing in between has a later day.
    fn continues(&self, day: i32) -> bool {
        let is_later = |open: &OpenSection| open.opening.day != NO_DAY && open.opening.day < day;
        self.open.as_ref().is_some_and(is_later) && self.last_day.day.is_some_and(|last| last <= day)
    }

    fn close(&mut self, closing: Stand) {
        if let Some(open) = self.open.take() {
            self.covered += self.movements - open.movements;
            self.sections.push(StatedSection { opening: open.opening, closing, moved: self.moved - open.moved });
        }
    }

    /// Checks the balance that opened the rows since.
    fn check_opening(&mut self) {
        let found = self.open.as_ref().and_then(|open| self.first_day.contradicts(open.opening));
        self.contradicted.extend(found);
    }

    fn add(&mut self, day: i32, moved: i128, balance: Option<i64>) {
        self.moved += moved;
        self.movements += u64::from(moved != 0);
        let balance = balance.map(i128::from);
        self.first_day.add(day, |first| day < first, balance.map(|balance| balance - moved));
        self.last_day.add(day, |last| day > last, balance);
    }
}

/// The stated balances of one account that are not what they must be: those that close a section, and those that open
/// the section after another. Sections that overlap say nothing about each other. Less than `major` is rounding.
pub(crate) fn find_stated_breaks(sections: &[StatedSection], major: u128) -> Vec<StatedBreak> {
    let mut left: Vec<&StatedSection> = Vec::new();
    for section in sections {
        // The same export may have come twice.
        if !left.contains(&section) {
            left.push(section);
        }
    }
    left.sort_by_key(|section| (section.opening.day, section.closing.day));
    let mut found = Vec::new();
    let mut last: Option<Stand> = None;
    while let Some(first) = left.first() {
        let days = (first.opening.day, first.closing.day);
        let continues = |section: &&&StatedSection| {
            (section.opening.day, section.closing.day) == days
                && last.is_some_and(|last| last.minor == section.opening.minor)
        };
        // Several sections of one day, such as pages, may come in any order.
        let at = left.iter().position(|section| continues(&section)).unwrap_or_default();
        let section = left.remove(at);
        if let Some(last) = last
            && last.day <= section.opening.day
            && balance_difference(last.minor.into(), section.opening.minor) >= major
        {
            let (expected, Stand { day, minor: found_minor }) = (i128::from(last.minor), section.opening);
            found.push(StatedBreak { day, expected, found: found_minor, is_opening: true });
        }
        let expected = i128::from(section.opening.minor) + section.moved;
        if balance_difference(expected, section.closing.minor) >= major {
            let Stand { day, minor } = section.closing;
            found.push(StatedBreak { day, expected, found: minor, is_opening: false });
        }
        if last.is_none_or(|last| last.day <= section.closing.day) {
            last = Some(section.closing);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section((from, opening): (i32, i64), (to, closing): (i32, i64), moved: i128) -> StatedSection {
        let stand = |day, minor| Stand { day, minor };
        StatedSection { opening: stand(from, opening), closing: stand(to, closing), moved }
    }

    fn days(sections: &[StatedSection]) -> Vec<(i32, bool)> {
        find_stated_breaks(sections, 100).iter().map(|found| (found.day, found.is_opening)).collect()
    }

    #[test]
    fn sections_close_with_what_their_records_make_and_continue_each_other() {
        let january = section((1, 1_000), (31, 4_000), 3_000);
        let february = section((31, 4_000), (59, 500), -3_500);
        let march = section((60, 500), (90, 700), 200);
        assert_eq!(days(&[january, february, march]), []);
        assert_eq!(days(&[march, january, february, january]), [], "in any order, and one of them twice");
        assert_eq!(days(&[january, march]), [(60, true)], "February is missing");
        assert_eq!(days(&[section((1, 1_000), (31, 4_100), 3_000)]), [(31, false)]);
        assert_eq!(days(&[section((1, 1_000), (31, 4_099), 3_000)]), [], "rounded");
        // They overlap, so neither continues the other. The next continues the one that ends later.
        let both = section((1, 1_000), (59, 500), -500);
        assert_eq!(days(&[january, both, march]), []);
        assert_eq!(days(&[january, both, section((60, 900), (90, 900), 0)]), [(60, true)]);
    }

    #[test]
    fn pages_of_one_day_may_come_in_any_order() {
        let pages = [section((5, 200), (5, 900), 700), section((5, 900), (5, 100), -800)];
        let before = section((1, 0), (4, 200), 200);
        assert_eq!(days(&[before, pages[0], pages[1]]), []);
        assert_eq!(days(&[pages[1], before, pages[0]]), []);
        assert_eq!(days(&[before, pages[1]]), [(5, true)]);
    }
}
