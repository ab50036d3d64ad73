//! Collects the records of every format: the statement of each record, the counts beside it, and its place in the
//! source.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::statement::base::error::{show_source_text, tell_names_apart};
use crate::statement::base::reading::{Declared, Reading, RowOrder};
use crate::statement::base::unread::Unread;
use crate::statement::cells::date_resolution::{DateCache, ResolvedDate};
use crate::statement::cells::timestamp_cache::TimestampCache;
use crate::statement::rows::builder::{ColumnBuilder, Group};
use crate::statement::rows::stated::StatedBalance;

/// Whether the source is one customer's statement or may hold those of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grouping {
    One,
    Many,
}

/// How places in the source are named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Places {
    /// Items of a JSON list at this path.
    Items(String),
    /// Lines of a text, from 1.
    Lines,
    /// Rows of a table, from 1, the header not counted.
    Rows,
    /// Entries of a bank's file, from 1.
    Entries,
    /// The same, in one of several tables.
    Of(String, Box<Places>),
}

impl Places {
    pub(crate) fn name(&self, ordinal: u32) -> String {
        match self {
            Places::Items(list) => format!("{list}[{ordinal}]"),
            Places::Lines => format!("line {}", u64::from(ordinal) + 1),
            Places::Rows => format!("row {}", u64::from(ordinal) + 1),
            Places::Entries => format!("entry {}", u64::from(ordinal) + 1),
            Places::Of(table, places) => format!("{table}: {}", places.name(ordinal)),
        }
    }

    pub(crate) fn field(&self, ordinal: u32, field: &str) -> String {
        match self {
            Places::Items(_) => format!("{}.{field}", self.name(ordinal)),
            Places::Lines | Places::Entries => format!("{}, {field}", self.name(ordinal)),
            Places::Rows => format!("{}, column `{field}`", self.name(ordinal)),
            Places::Of(table, places) => format!("{table}: {}", places.field(ordinal, field)),
        }
    }
}

const HALF_NAMED: &str =
    "some of the customer's records name an account and some do not: nobody can tell whose the others are";

/// Everything read so far.
pub(crate) struct Collector<'r> {
    pub(crate) reading: &'r Reading,
    /// Which parts of it the columns file declares.
    pub(crate) declared: Declared,
    pub(crate) rows: ColumnBuilder,
    /// Rows that come before `rows`.
    earlier: Vec<ColumnBuilder>,
    pub(crate) groups: Vec<Group>,
    /// The last record's days: of the transaction, and of clearing.
    pub(crate) last_dates: [Option<ResolvedDate>; 2],
    /// Recently resolved dates, by this collector's reading.
    pub(crate) date_cache: DateCache,
    /// The last minutes of `created_at` and `last_updated`.
    pub(crate) timestamp_caches: [TimestampCache; 2],
    /// Whether the source gives the order within a day itself.
    pub(crate) ordered: bool,
    /// The declared order of the source's rows, which gives the order within a day.
    pub(crate) row_order: Option<RowOrder>,
    /// Whether the source would show a debit if there were one.
    pub(crate) shows_debits: bool,
    /// Unread columns that concern all statements.
    pub(crate) unread: Unread,
    /// Records seen, including dropped ones.
    pub(crate) records: u64,
    /// How many rows are no records, by customer and account. They open no statements: their accounts may be missing.
    left_out: BTreeMap<(String, String), u64>,
    grouping: Grouping,
    by_customer: HashMap<String, u32>,
    /// The statements of named accounts, by customer and account.
    by_account: HashMap<String, HashMap<String, u32>>,
    last_group: u32,
    /// How places are named from which row on. Each page of a body begins another entry.
    places: Vec<(usize, Places)>,
}

impl<'r> Collector<'r> {
    pub(crate) fn new(reading: &'r Reading, grouping: Grouping) -> Collector<'r> {
        let groups = if grouping == Grouping::One { vec![Group::default()] } else { Vec::new() };
        Collector {
            reading,
            declared: Declared::default(),
            rows: ColumnBuilder::default(),
            earlier: Vec::new(),
            groups,
            last_dates: [None; 2],
            date_cache: DateCache::default(),
            timestamp_caches: [TimestampCache::default(); 2],
            ordered: false,
            row_order: None,
            shows_debits: false,
            unread: Unread::default(),
            records: 0,
            left_out: BTreeMap::new(),
            grouping,
            by_customer: HashMap::new(),
            by_account: HashMap::new(),
            last_group: 0,
            places: Vec::new(),
        }
    }

    /// Names the places of the rows that follow.
    pub(crate) fn start_places(&mut self, places: Places) {
        self.places.push((self.row_count(), places));
    }

    /// How places are named now.
    pub(crate) fn places(&self) -> &Places {
        self.places.last().map_or(&Places::Rows, |(_, places)| places)
    }

    fn row_count(&self) -> usize {
        self.earlier.iter().map(ColumnBuilder::len).sum::<usize>() + self.rows.len()
    }

    /// The first row of each part of the source whose places are named alike.
    pub(crate) fn part_starts(&self) -> Vec<usize> {
        self.places.iter().map(|(from, _)| *from).collect()
    }

    /// Adds a balance that the source states at this place, or where and why it cannot be read.
    pub(crate) fn add_stated(&mut self, group: u32, is_opening: bool, day: i32, minor: Result<i64, String>) {
        let rows_before = self.row_count();
        let group = self.counters(group);
        match minor {
            Ok(minor) => group.stated_rows.push(StatedBalance { rows_before, is_opening, day, minor }),
            Err(what) => {
                let which = if is_opening { "opening" } else { "closing" };
                group.stated.unreadable.push(format!("the {which} balance {what}"));
            }
        }
    }

    /// Takes all rows, in their order.
    pub(crate) fn take_rows(&mut self) -> Vec<ColumnBuilder> {
        let mut all = std::mem::take(&mut self.earlier);
        all.extend(Some(std::mem::take(&mut self.rows)).filter(|rows| rows.len() > 0));
        all
    }

    /// Adds consecutive parts of one statement. `ordinal` is that of the first part's first record. Returns `None`, and
    /// adds no rows, if their customers or accounts differ.
    pub(crate) fn take_parts(&mut self, parts: Vec<Collector<'r>>, mut ordinal: u32) -> Option<()> {
        let group = self.groups.first_mut()?;
        let named = parts.iter().flat_map(|part| part.groups.first()?.customer.as_ref());
        let mut customer = group.customer.clone();
        for name in named {
            if *customer.get_or_insert_with(|| name.clone()) != *name {
                return None;
            }
        }
        group.customer = customer;
        let mut account = group.seen_account.clone();
        for name in parts.iter().flat_map(|part| part.groups.first()?.seen_account.as_ref()) {
            if *account.get_or_insert_with(|| name.clone()) != *name {
                return None;
            }
        }
        group.seen_account = account;
        self.earlier.push(std::mem::take(&mut self.rows));
        for part in parts {
            let rows_before = self.row_count();
            let Collector { mut rows, groups, records, .. } = part;
            rows.ordinals.iter_mut().for_each(|of_part| *of_part = of_part.saturating_add(ordinal));
            self.earlier.push(rows);
            self.records += records;
            ordinal = ordinal.saturating_add(u32::try_from(records).unwrap_or(u32::MAX));
            if let (Some(into), Some(from)) = (self.groups.first_mut(), groups.first()) {
                into.add(from, rows_before);
            }
        }
        Some(())
    }

    /// Adds the next rows of a table. Returns `None` if some of them belong to no statement.
    pub(crate) fn take_next(&mut self, mut part: Collector<'r>) -> Option<()> {
        let (chunks, rows_before) = (part.take_rows(), self.row_count());
        let Collector { groups, records, left_out, .. } = part;
        for (owner, count) in left_out {
            *self.left_out.entry(owner).or_default() += count;
        }
        let mut numbers = Vec::with_capacity(groups.len());
        for group in &groups {
            let number = match &group.account {
                None => self.group(group.customer.as_deref()),
                Some(account) => self.account(group.customer.as_deref()?, account),
            };
            let number = number.ok()?;
            self.counters(number).add(group, rows_before);
            numbers.push(number);
        }
        for mut rows in chunks {
            // The part's rows belong to its own statements, and each of them has a number here.
            let number = |group: &u32| numbers.get(*group as usize).expect("INVARIANT: each statement has a number");
            rows.groups.iter_mut().for_each(|group| *group = *number(group));
            self.take_chunk(rows);
        }
        self.records += records;
        Some(())
    }

    /// Counts a row that is no record. One without a customer is nobody's.
    pub(crate) fn leave_out(&mut self, customer: &str, account: &str) {
        self.records += 1;
        if !customer.is_empty() {
            *self.left_out.entry((customer.to_owned(), account.to_owned())).or_default() += 1;
        }
    }

    /// Gives the rows that were left out to their statements, once all of these are known.
    pub(crate) fn settle_left_out(&mut self) {
        for ((customer, account), count) in std::mem::take(&mut self.left_out) {
            let accounts = self.by_account.get(&customer);
            let of_account = accounts.and_then(|accounts| accounts.get(&account)).copied();
            // A row without an account counts for the customer's first one.
            let any = || accounts.filter(|_| account.is_empty()).and_then(|accounts| accounts.values().min()).copied();
            let known = self.by_customer.get(&customer).copied().or(of_account).or_else(any);
            let group = match known {
                Some(group) => Ok(group),
                None if account.is_empty() => self.group(Some(&customer)),
                None => self.account(&customer, &account),
            };
            if let Ok(group) = group {
                self.counters(group).skipped_rows += count;
            }
        }
    }

    /// Appends rows, without counting them.
    pub(crate) fn take_chunk(&mut self, rows: ColumnBuilder) {
        let before = std::mem::take(&mut self.rows);
        self.earlier.extend([before, rows].into_iter().filter(|rows| rows.len() > 0));
    }

    /// The place of a row in the source.
    pub(crate) fn place_of(&self, row: usize) -> String {
        // The caller has put the ordinals of all rows back.
        let ordinal = *self.rows.ordinals.get(row).expect("INVARIANT: each row has an ordinal");
        let places = self.places.iter().rev().find(|(from, _)| *from <= row).map(|(_, places)| places);
        places.unwrap_or(&Places::Rows).name(ordinal)
    }

    /// The statement that the last record belongs to.
    pub(crate) fn last_group(&self) -> u32 {
        self.last_group
    }

    /// The statement that a record of this customer belongs to, or why it belongs to none.
    pub(crate) fn group(&mut self, customer: Option<&str>) -> Result<u32, String> {
        if let Some(last) = self.groups.get_mut(self.last_group as usize) {
            if last.customer.as_deref() == customer && last.account.is_none() {
                return Ok(self.last_group);
            }
            if self.grouping == Grouping::One {
                return match (&last.customer, customer) {
                    (Some(one), Some(other)) => Err(format!(
                        "customer `{}` in the statement of customer `{}`: one statement has one customer; \
                         many go in NDJSON or a table{}",
                        show_source_text(other),
                        show_source_text(one),
                        tell_names_apart(other, one)
                    )),
                    (None, Some(customer)) => {
                        last.customer = Some(customer.to_owned());
                        Ok(self.last_group)
                    }
                    (_, None) => Ok(self.last_group),
                };
            }
            if customer.is_none() || last.customer.is_none() {
                return Err(
                    "some records name a customer and some do not: nobody can tell whose the others are".to_owned()
                );
            }
        }
        let known = customer.and_then(|customer| self.by_customer.get(customer)).copied();
        self.last_group = match known {
            Some(group) => group,
            None => {
                if customer.is_some_and(|customer| self.by_account.contains_key(customer)) {
                    return Err(HALF_NAMED.to_owned());
                }
                let group = self.open(customer, None)?;
                if let Some(customer) = customer {
                    self.by_customer.insert(customer.to_owned(), group);
                }
                group
            }
        };
        Ok(self.last_group)
    }

    /// The statement of one of a customer's accounts, or why there is none. If one of a customer's rows names an
    /// account, all must.
    pub(crate) fn account(&mut self, customer: &str, account: &str) -> Result<u32, String> {
        if let Some(last) = self.groups.get(self.last_group as usize)
            && (last.customer.as_deref(), last.account.as_deref()) == (Some(customer), Some(account))
        {
            return Ok(self.last_group);
        }
        let known = self.by_account.get(customer).and_then(|accounts| accounts.get(account)).copied();
        self.last_group = match known {
            Some(group) => group,
            None if self.by_customer.contains_key(customer) => return Err(HALF_NAMED.to_owned()),
            None => {
                let group = self.open(Some(customer), Some(account))?;
                self.by_account.entry(customer.to_owned()).or_default().insert(account.to_owned(), group);
                group
            }
        };
        Ok(self.last_group)
    }

    /// Checks that a record names the same account as the records before it in the statement, if it names one.
    pub(crate) fn one_account(&mut self, group: u32, account: &str) -> Result<(), String> {
        if account.is_empty() {
            return Ok(());
        }
        let group = self.counters(group);
        match &group.seen_account {
            Some(seen) if seen == account => Ok(()),
            Some(seen) => Err(format!(
                "account `{}` in the statement of account `{}`: one statement has one account; several go in a table, \
                 or in lines with a columns file that names `account`{}",
                show_source_text(account),
                show_source_text(seen),
                tell_names_apart(account, seen)
            )),
            None => {
                group.seen_account = Some(account.to_owned());
                Ok(())
            }
        }
    }

    fn open(&mut self, customer: Option<&str>, account: Option<&str>) -> Result<u32, String> {
        let group = u32::try_from(self.groups.len()).map_err(|_| "too many customers for one source".to_owned())?;
        let [customer, account] = [customer, account].map(|name| name.map(str::to_owned));
        self.groups.push(Group { customer, account, ..Group::default() });
        Ok(group)
    }

    /// The counters of a statement.
    pub(crate) fn counters(&mut self, group: u32) -> &mut Group {
        // Numbers come from `group` and `account`, or are the last one, and statements are never removed.
        self.groups.get_mut(group as usize).expect("INVARIANT: each number is that of a statement")
    }
}
