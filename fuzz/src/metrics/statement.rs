//! The reference's statement: its records, their groups, and the values of definitions, each computed once.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::calendar::{first_day, monday_of, month_of};
use super::evaluator::{Place, Run, Value};
use super::expression::{Expression, Grain, Level};

/// One record. Money in minor units, dates in days since 1970-01-01.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) date: i64,
    pub(crate) cleared: Option<i64>,
    pub(crate) credit: Option<i64>,
    pub(crate) debit: Option<i64>,
    pub(crate) balance: Option<i64>,
    pub(crate) code: Option<&'static str>,
    pub(crate) desc: Option<&'static str>,
    /// The only name in the notes.
    pub(crate) person: Option<&'static str>,
}

/// The definitions of a rule file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    pub(crate) transactions: Vec<Expression>,
    /// By their sort, as [`Level::GROUPS`] has them.
    pub(crate) groups: [Vec<Expression>; 4],
    pub(crate) metrics: Vec<Expression>,
}

/// A statement up to its day, in order.
pub(crate) struct Statement<'s> {
    pub(crate) rules: &'s Rules,
    pub(crate) records: Vec<&'s Record>,
    /// The day of the decision, if given.
    pub(crate) as_of: Option<i64>,
    /// The day that windows end on.
    pub(crate) window_end: Option<i64>,
    /// The first and the last day that it covers.
    covers: (i64, i64),
    /// What the balances of all records say, also of those after the day.
    pub(crate) verdict: &'static str,
    known: RefCell<HashMap<(*const Expression, Grain), Rc<Column>>>,
    groups: RefCell<HashMap<Level, Rc<Vec<Group>>>>,
    doubles: RefCell<HashMap<*const Expression, bool>>,
}

/// Some of the records.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Group {
    /// Those from one day, inclusive, to another, exclusive.
    Days(i64, i64),
    /// All with one counterparty.
    With(String),
}

/// The value of every row, and whether any of them was too large.
pub(super) struct Column {
    pub(super) values: Vec<Option<Value>>,
    pub(super) too_large: bool,
}

impl Record {
    /// The name in lower case. The narrations of records without one have no letter.
    pub(super) fn counterparty(&self) -> Option<String> {
        self.person.map(str::to_lowercase)
    }

    pub(super) fn column(&self, name: &str) -> Option<Value> {
        let text = |text: Option<&str>| text.map(|text| Value::Text(text.to_owned()));
        match name {
            "credit" => self.credit.map(Value::Int),
            "debit" => self.debit.map(Value::Int),
            "balance" => self.balance.map(Value::Int),
            "change" => Some(Value::Int(self.credit.unwrap_or(0) - self.debit.unwrap_or(0))),
            "trans_date" => Some(Value::Int(self.date)),
            "cleared_date" => self.cleared.map(Value::Int),
            "code" => text(self.code),
            "desc" => text(self.desc),
            "counterparty" => self.counterparty().map(Value::Text),
            other => panic!("records have no {other}"),
        }
    }
}

impl Group {
    fn has(&self, record: &Record) -> bool {
        match self {
            Group::Days(from, until) => (*from..*until).contains(&record.date),
            Group::With(name) => record.counterparty().as_ref() == Some(name),
        }
    }
}

/// The days that records cover, tried day by day: up to the edge of a month, if one day in fifty begins as long a
/// silence as there is at the edge, of a week at most.
pub(crate) fn covered_days(records: &[&Record], as_of: Option<i64>) -> (i64, i64) {
    let (Some(first), Some(last)) = (records.first(), records.last()) else { return (0, -1) };
    let (first, last) = (first.date, last.date);
    let with_records: HashSet<i64> = records.iter().map(|record| record.date).collect();
    let has_record = |day: i64| with_records.contains(&day);
    let is_usual = |silence: i64| {
        let begins = |day: &i64| day + silence < last && (1..=silence).all(|later| !has_record(day + later));
        let beginning = (first..last).filter(begins).count() as i64;
        silence == 0 || silence <= 7 && beginning > 0 && beginning * 50 >= last - first
    };
    let (start, end) = (first_day(month_of(first)), first_day(month_of(last) + 1) - 1);
    let from = if is_usual(first - start) { start } else { first };
    let to = match as_of {
        Some(day) if day < end => last,
        _ if is_usual(end - last) => end,
        _ => last,
    };
    (from, to)
}

impl<'s> Statement<'s> {
    pub(crate) fn new(
        rules: &'s Rules,
        records: Vec<&'s Record>,
        (as_of, window_end): (Option<i64>, Option<i64>),
        covers: (i64, i64),
        verdict: &'static str,
    ) -> Self {
        Self {
            rules,
            records,
            as_of,
            window_end,
            covers,
            verdict,
            known: RefCell::default(),
            groups: RefCell::default(),
            doubles: RefCell::default(),
        }
    }

    /// The value of a metric, if known.
    pub(crate) fn metric(&self, number: usize) -> Option<Value> {
        let run = Run { statement: self, too_large: Cell::new(false) };
        run.value(&self.rules.metrics[number], Place::Statement)
    }

    pub(super) fn definition(&self, level: Level, number: usize) -> &'s Expression {
        match level {
            Level::Transaction => &self.rules.transactions[number],
            Level::Metric => &self.rules.metrics[number],
            group => &self.rules.groups[group.index()][number],
        }
    }

    /// Whether an expression is approximate by its type.
    pub(super) fn is_double(&self, expression: &Expression) -> bool {
        let key = std::ptr::from_ref(expression);
        if let Some(known) = self.doubles.borrow().get(&key) {
            return *known;
        }
        let is_double =
            super::doubles::is_double(expression, &|level, number| self.is_double(self.definition(level, number)));
        self.doubles.borrow_mut().insert(key, is_double);
        is_double
    }

    /// The values of an expression at every row of a grain.
    pub(super) fn column(&self, expression: &Expression, grain: Grain) -> Rc<Column> {
        let key = (std::ptr::from_ref(expression), grain);
        if let Some(known) = self.known.borrow().get(&key) {
            return Rc::clone(known);
        }
        let run = Run { statement: self, too_large: Cell::new(false) };
        let values = match grain {
            Grain::Group(level) => {
                (0..self.groups(level).len()).map(|group| run.value(expression, Place::Group(level, group))).collect()
            }
            _ => (0..self.records.len()).map(|record| run.value(expression, Place::Record(record))).collect(),
        };
        let column = Rc::new(Column { values, too_large: run.too_large.get() });
        self.known.borrow_mut().insert(key, Rc::clone(&column));
        column
    }

    /// All groups of a sort: days from the first record to the last, counterparties in order of appearance.
    pub(super) fn groups(&self, level: Level) -> Rc<Vec<Group>> {
        if let Some(known) = self.groups.borrow().get(&level) {
            return Rc::clone(known);
        }
        let groups = Rc::new(self.made(level));
        self.groups.borrow_mut().insert(level, Rc::clone(&groups));
        groups
    }

    fn made(&self, level: Level) -> Vec<Group> {
        let (Some(first), Some(last)) = (self.records.first(), self.records.last()) else { return Vec::new() };
        match level {
            Level::Month => (month_of(first.date)..=month_of(last.date))
                .map(|month| Group::Days(first_day(month), first_day(month + 1)))
                .collect(),
            Level::Week => {
                (monday_of(first.date)..=last.date).step_by(7).map(|monday| Group::Days(monday, monday + 7)).collect()
            }
            Level::Day => (first.date..=last.date).map(|day| Group::Days(day, day + 1)).collect(),
            Level::Counterparty => {
                let mut groups: Vec<Group> = Vec::new();
                for name in self.records.iter().filter_map(|record| record.counterparty()) {
                    if !groups.contains(&Group::With(name.clone())) {
                        groups.push(Group::With(name));
                    }
                }
                groups
            }
            other => panic!("{other:?} is no group"),
        }
    }

    /// The group of a sort at a place; a record without a counterparty has none.
    pub(super) fn group_at(&self, level: Level, place: Place) -> Option<usize> {
        match place {
            Place::Group(here, group) if here == level => Some(group),
            Place::Record(record) => self.groups(level).iter().position(|group| group.has(self.records[record])),
            _ => panic!("there is no {level:?} here"),
        }
    }

    /// Whether the statement covers all of its days.
    pub(super) fn is_full(&self, group: &Group) -> bool {
        let (first, last) = self.covers;
        matches!(group, Group::Days(from, until) if first <= *from && last >= until - 1)
    }

    pub(super) fn group_column(&self, level: Level, number: usize, name: &str) -> Option<Value> {
        let groups = self.groups(level);
        let group = &groups[number];
        match (name, group) {
            ("month_start" | "week_start" | "day_date", Group::Days(from, _)) => Some(Value::Int(*from)),
            ("month_number" | "week_number" | "day_number", _) => Some(Value::Int(number as i64)),
            ("month_is_full" | "week_is_full", group) => Some(Value::Truth(self.is_full(group))),
            ("full_months_ago", group) => {
                let later = groups[number + 1..].iter().filter(|other| self.is_full(other)).count();
                self.is_full(group).then_some(Value::Int(later as i64))
            }
            ("month_records" | "week_records" | "day_records" | "counterparty_records", group) => {
                Some(Value::Int(self.records.iter().filter(|record| group.has(record)).count() as i64))
            }
            (name, _) => panic!("{level:?} has no {name}"),
        }
    }

    /// Whether `found` holds for a part of the expression, looking through definitions of records and groups, but not
    /// of metrics.
    pub(super) fn uses(&self, expression: &Expression, found: &dyn Fn(&Expression) -> bool) -> bool {
        let mut uses = false;
        expression.each(&mut |part| {
            uses |= found(part);
            if let Expression::Defined(level, number) = part
                && *level != Level::Metric
            {
                uses |= self.uses(self.definition(*level, *number), found);
            }
        });
        uses
    }

    /// Whether the expression reads narrations or counterparties while no record has any. Asking whether a record has
    /// one does not count.
    pub(super) fn lacks_narrations(&self, expression: &Expression) -> bool {
        use Expression as E;
        let some =
            |says: &dyn Fn(&Record) -> bool| self.records.is_empty() || self.records.iter().any(|record| says(record));
        let narrates = || some(&|record| record.desc.is_some());
        let names = || some(&|record| record.desc.is_some() || record.person.is_some());
        let is_desc = |part: &Expression| matches!(part, E::Name("desc"));
        let lacks = match expression {
            E::IsNull(inner, _) if is_desc(inner) => return false,
            E::Name("desc") | E::Mentions | E::Mentioned => !narrates(),
            E::Name("counterparty" | "counterparty_records") | E::Named | E::Mirrored(_) => !names(),
            E::Defined(Level::Counterparty, _) => !names(),
            _ => false,
        };
        lacks
            || expression.parts().into_iter().any(|part| self.lacks_narrations(part))
            || matches!(expression, E::Defined(level, number)
                if *level != Level::Metric && self.lacks_narrations(self.definition(*level, *number)))
    }
}
