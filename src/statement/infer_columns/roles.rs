//! What each column of a table is for: by its values first, by its name second. Must not decide what a side or a sign
//! means.

use std::collections::BTreeSet;

use super::amounts::{is_empty_mark, looks_like_amount};
use super::dates::{self, DateContext, DateReading};
use super::facts::RowPlace;
use super::grid::{CellKind, FileCell};
use super::odd_cells::find_odd_cell;
use super::side_names::{SideName, names_both_sides, rank_side_name};
use super::words::{self, Meaning};
use crate::base::money::Currency;

/// More values than this are no list of types or states.
const KINDS_MAX: usize = 8;
/// Texts that are joined to a narration.
const TEXTS_MAX: usize = 3;
/// Values of one shape that identify records, as those of a bank's own references.
const ROWS_OF_SHAPE: usize = 5;
const LENGTH_OF_SHAPE: usize = 8;
const DIGITS_OF_SHAPE: usize = 6;

/// A column with what its values allow it to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CandidateColumn<'t> {
    /// As written.
    pub(crate) name: &'t str,
    pub(crate) cells: Vec<&'t FileCell>,
    pub(crate) dates: Vec<DateReading>,
    pub(crate) is_amount: bool,
    pub(crate) filled: usize,
    /// The meaning of its name that its values allow, and how well the name fits.
    pub(crate) meaning: Option<(Meaning, u32)>,
    /// Whether another column has the same name, so that none of them can be declared.
    pub(crate) is_repeated: bool,
    /// Whether all its values are words of sides.
    pub(crate) has_sides: bool,
    /// Whether its values stand around the list of records, such as the time of an answer.
    is_around: bool,
}

/// Which column is what, by its index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Roles {
    pub(crate) trans_date: usize,
    pub(crate) cleared_date: Option<usize>,
    pub(crate) credit: Option<usize>,
    pub(crate) debit: Option<usize>,
    /// Instead of `credit` and `debit`.
    pub(crate) amount: Option<usize>,
    /// A column whose values say the side, beside an amount.
    pub(crate) side: Option<usize>,
    pub(crate) balance: Option<usize>,
    pub(crate) fee: Option<usize>,
    pub(crate) currency: Option<usize>,
    pub(crate) status: Option<usize>,
    pub(crate) id: Option<usize>,
    pub(crate) reference: Option<usize>,
    pub(crate) code: Option<usize>,
    pub(crate) people: Option<usize>,
    pub(crate) desc: Vec<usize>,
    pub(crate) customer: Option<usize>,
    pub(crate) account: Option<usize>,
}

impl Roles {
    /// The columns of money.
    pub(crate) fn amounts(&self) -> impl Iterator<Item = usize> + use<> {
        [self.credit, self.debit, self.amount, self.balance, self.fee].into_iter().flatten()
    }
}

impl<'t> CandidateColumn<'t> {
    pub(crate) fn new(
        name: &'t str,
        cells: Vec<&'t FileCell>,
        is_repeated: bool,
        context: DateContext,
    ) -> CandidateColumn<'t> {
        // Of a path into JSON, what stands after its last list.
        let meanings = words::rank_name_meanings(name.rsplit_once("[].").map_or(name, |(_, last)| last));
        let is_date = meanings.iter().any(|(meaning, _)| words::DAYS.contains(meaning));
        let dates = dates::possible_date_readings(&cells, is_date, context);
        let filled = cells.iter().filter(|cell| !cell.is_blank() && !is_empty_mark(cell)).count();
        let amounts = |cell: &&FileCell| cell.is_blank() || is_empty_mark(cell) || looks_like_amount(cell);
        let is_amount = cells.iter().all(amounts);
        let (meaning, has_sides, is_around) = (None, false, false);
        let mut column =
            CandidateColumn { name, cells, dates, is_amount, filled, meaning, is_repeated, has_sides, is_around };
        column.has_sides = filled > 0 && !is_amount && column.kinds().is_some_and(|kinds| column.are_sides(&kinds));
        // The status, type, balance or currency of an account is not the account.
        let is_of_account =
            |meaning| matches!(meaning, Meaning::Status | Meaning::Side | Meaning::Balance | Meaning::Currency);
        let says_more = meanings.iter().any(|(meaning, _)| is_of_account(*meaning));
        let mut meanings = meanings.into_iter().filter(|(meaning, _)| *meaning != Meaning::Account || !says_more);
        column.meaning = meanings.find(|(meaning, _)| column.allows(*meaning));
        // Values that are all words of sides mean sides only where the name says so, or where rows prove it.
        if column.has_sides && column.side_name() > SideName::Silent {
            column.meaning = Some((Meaning::Side, 1_000));
        } else if is_amount && filled > 0 && names_both_sides(column.name) {
            column.meaning = Some((Meaning::Amount, 950));
        }
        column
    }

    /// What the name says about words of sides.
    pub(crate) fn side_name(&self) -> SideName {
        let last = self.name.rsplit_once("[].").map_or(self.name, |(_, last)| last);
        // Of `details.type` in JSON, the last name.
        let key = last.rsplit_once('.').filter(|(_, key)| !key.contains(' ')).map_or(last, |(_, key)| key);
        rank_side_name(last).max(rank_side_name(key))
    }

    /// Whether the values are words of both sides.
    pub(crate) fn has_both_sides(&self) -> bool {
        let is = |credit: bool| self.cells.iter().any(|cell| words::side_of_type_word(cell.trimmed()) == Some(credit));
        is(true) && is(false)
    }

    /// How many lists of a JSON document its values are within.
    fn lists(&self) -> usize {
        self.name.matches("[]").count()
    }

    /// The values, if they are few and fill the column.
    pub(crate) fn kinds(&self) -> Option<BTreeSet<&'t str>> {
        let mut kinds = BTreeSet::new();
        for cell in &self.cells {
            kinds.insert(cell.trimmed());
            if kinds.len() > KINDS_MAX {
                return None;
            }
        }
        Some(kinds)
    }

    fn are_sides(&self, kinds: &BTreeSet<&str>) -> bool {
        kinds.iter().all(|kind| kind.is_empty() || words::side_of_type_word(kind).is_some())
    }

    /// Whether the values can have this meaning.
    fn allows(&self, meaning: Meaning) -> bool {
        match meaning {
            Meaning::TransactionDate | Meaning::BookingDate | Meaning::ValueDate => !self.dates.is_empty(),
            Meaning::Amount | Meaning::Net | Meaning::Balance | Meaning::Fee => self.is_amount && self.filled > 0,
            Meaning::Debit | Meaning::Credit => self.is_amount,
            Meaning::Currency => {
                let is_code = |cell: &&FileCell| cell.is_blank() || Currency::from_alphabetic(cell.trimmed()).is_some();
                self.filled > 0 && self.cells.iter().all(is_code)
            }
            Meaning::Side => self.has_sides && self.side_name() > SideName::Silent,
            Meaning::Status => self.cells.iter().any(|cell| words::is_done(cell.trimmed()).is_some()),
            Meaning::Description | Meaning::Counterparty | Meaning::Code => {
                self.filled > 0 && self.dates.is_empty() && self.cells.iter().any(|cell| has_letters(cell))
            }
            Meaning::Id | Meaning::Account | Meaning::Customer => self.filled > 0 && self.dates.is_empty(),
            Meaning::Aside => true,
        }
    }

    /// Whether several rows all have the same value.
    fn is_constant(&self) -> bool {
        self.cells.len() > 2 && self.kinds().is_some_and(|kinds| kinds.len() == 1)
    }

    /// Whether the column identifies records, in other files too: by a name that says so, or by long values of one
    /// shape. A reference that a payer writes is unique only until the payer writes it again.
    fn is_id(&self) -> bool {
        let texts = || self.cells.iter().map(|cell| cell.trimmed());
        let is_whole = self.cells.iter().all(|cell| cell.kind == CellKind::Text || !cell.text.contains('.'));
        // A program that rewrote long numbers: 2.3E+12.
        let is_mangled = texts().any(|text| text.contains("E+"));
        // Rows counted from 1 begin again in the next file.
        let is_counted = texts().all(|text| text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit()));
        let length = texts().next().map_or(0, str::len);
        let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
        let has_shape = self.cells.len() >= ROWS_OF_SHAPE
            && length >= LENGTH_OF_SHAPE
            && texts().all(|text| text.len() == length && digits(text) >= DIGITS_OF_SHAPE && !text.contains(' '));
        let last = self.name.rsplit_once("[].").map_or(self.name, |(_, last)| last);
        let is_named = words::names_record_id(last) || has_shape && !words::names_cheque(last);
        self.is_key() && is_whole && !is_mangled && !is_counted && is_named
    }

    /// Whether every row has a value of its own.
    fn is_key(&self) -> bool {
        let values: BTreeSet<&str> = self.cells.iter().map(|cell| cell.trimmed()).collect();
        self.filled == self.cells.len() && values.len() == self.cells.len()
    }
}

/// Marks the columns of a JSON document whose values stand around the list of records. What is the same for all records
/// of an answer may name their customer, account or currency, but is no record's own.
pub(crate) fn mark_around(columns: &mut [CandidateColumn<'_>]) {
    let is_of_all =
        |meaning| matches!(meaning, Meaning::Customer | Meaning::Account | Meaning::Currency | Meaning::Aside);
    let has_lists = columns.iter().any(|column| column.lists() > 0);
    for column in columns.iter_mut().filter(|column| has_lists && column.lists() == 0) {
        column.is_around = true;
        column.meaning = column.meaning.filter(|(meaning, _)| is_of_all(*meaning));
    }
}

fn has_letters(cell: &FileCell) -> bool {
    cell.text.chars().any(char::is_alphabetic)
}

/// Assigns the columns. The error names what is missing, and why where that is known.
pub(crate) fn assign_column_roles(columns: &[CandidateColumn<'_>], places: &[RowPlace]) -> Result<Roles, String> {
    let named = |wanted: &[Meaning]| {
        let fits =
            columns.iter().enumerate().filter(|(_, column)| !column.is_repeated && !column.name.trim().is_empty());
        // A value of the record itself fits better than one of the objects around it.
        let fits = fits.filter_map(|(at, column)| {
            let (meaning, fit) = column.meaning?;
            wanted.contains(&meaning).then_some((at, (fit, column.lists())))
        });
        // Of several that fit as well, the first.
        fits.rev().max_by_key(|(_, fit)| *fit).map(|(at, _)| at)
    };
    let is_full = |at: &usize| columns.get(*at).is_some_and(|column| column.filled == column.cells.len());
    let dates = words::DAYS.map(|meaning| named(&[meaning]));
    // A date of the record itself, not of the objects around it.
    let lists_of = |at: &usize| columns.get(*at).map(CandidateColumn::lists);
    let innermost = dates.iter().flatten().filter(|at| is_full(at)).filter_map(lists_of).max();
    let mut dates = dates.into_iter().flatten().filter(|at| lists_of(at) == innermost);
    let trans_date = dates.by_ref().find(is_full).or_else(|| only_date(columns));
    let trans_date = trans_date.ok_or_else(|| no_date(columns, places))?;
    let (mut credit, mut debit) = (named(&[Meaning::Credit]), named(&[Meaning::Debit]));
    let mut amount = named(&[Meaning::Net]).or_else(|| named(&[Meaning::Amount]));
    match (credit, debit, amount) {
        (Some(_), Some(_), _) => amount = None,
        (.., Some(_)) => (credit, debit) = (None, None),
        (Some(_), None, None) => {
            if let Some(what) = find_odd_cell(columns, places, &[Meaning::Debit]) {
                return Err(what);
            }
        }
        (None, Some(debit), None) => {
            let name = columns.get(debit).map_or("", |column| column.name.trim());
            let odd = find_odd_cell(columns, places, &[Meaning::Credit]);
            let what = format!("for money in, as `{name}` is for money out,");
            return Err(odd.unwrap_or_else(|| no_column(&what, columns)));
        }
        (None, None, None) => {
            let odd = find_odd_cell(columns, places, &words::AMOUNTS);
            return Err(odd.unwrap_or_else(|| no_column("an amount, or a credit and a debit", columns)));
        }
    }
    let mut roles = Roles {
        trans_date,
        cleared_date: dates.find(|at| *at != trans_date),
        credit,
        debit,
        amount,
        side: best_side_column(columns).filter(|_| amount.is_some()),
        balance: named(&[Meaning::Balance]),
        // A net amount has its fee within.
        fee: named(&[Meaning::Fee]).filter(|_| amount.is_none() || amount != named(&[Meaning::Net])),
        currency: named(&[Meaning::Currency]),
        status: named(&[Meaning::Status]),
        code: named(&[Meaning::Code]),
        // The same name on every row is the customer's own.
        people: named(&[Meaning::Counterparty]).filter(|at| columns.get(*at).is_some_and(|c| !c.is_constant())),
        customer: named(&[Meaning::Customer]),
        account: named(&[Meaning::Account]),
        ..Roles::default()
    };
    assign_id_roles(columns, &mut roles);
    assign_narration_role(columns, &mut roles);
    Ok(roles)
}

/// The column that is named as one of sides: by its name, then by values of both sides; the first of several.
fn best_side_column(columns: &[CandidateColumn<'_>]) -> Option<usize> {
    let sides = columns.iter().enumerate().filter(|(_, column)| {
        !column.is_repeated && matches!(column.meaning, Some((Meaning::Side, _))) && !column.is_around
    });
    let rank = |column: &CandidateColumn<'_>| (column.side_name(), column.has_both_sides(), column.lists());
    sides.rev().max_by_key(|(_, column)| rank(column)).map(|(at, _)| at)
}

/// The only column of dates, if its name says nothing.
fn only_date(columns: &[CandidateColumn<'_>]) -> Option<usize> {
    let mut dates = columns.iter().enumerate().filter(|(_, column)| {
        let has_other_name = column.meaning.is_some_and(|(meaning, _)| meaning == Meaning::Aside);
        let is_own = !column.is_repeated && !column.is_around && !has_other_name;
        is_own && !column.dates.is_empty() && column.filled == column.cells.len()
    });
    match (dates.next(), dates.next()) {
        (Some((at, _)), None) => Some(at),
        _ => None,
    }
}

fn no_date(columns: &[CandidateColumn<'_>], places: &[RowPlace]) -> String {
    let around = columns.iter().find(|column| column.is_around && !column.dates.is_empty());
    let around = around.map(|column| {
        format!("; `{}` stands around the list of records, so it is the day of none of them", column.name.trim())
    });
    if let Some(what) = around.is_none().then(|| mixed_days(columns)).flatten() {
        return what;
    }
    if let Some(what) = find_odd_cell(columns, places, &words::DAYS) {
        return what;
    }
    no_column("a date", columns) + &around.unwrap_or_default()
}

/// A column in which some days are those of a spreadsheet and others are texts.
fn mixed_days(columns: &[CandidateColumn<'_>]) -> Option<String> {
    let is_day = |cell: &&&FileCell| cell.kind == CellKind::Day;
    let is_text = |cell: &&&FileCell| cell.kind == CellKind::Text && dates::looks_like_date(cell);
    let found = columns.iter().find_map(|column| {
        Some((column.name.trim(), column.cells.iter().find(is_day)?, column.cells.iter().find(is_text)?))
    });
    let (name, day, text) = found?;
    Some(format!(
        "`{name}` has days of the spreadsheet ({}) and days as text ({}): a spreadsheet program that takes the month \
         first makes days of the texts that it can, with day and month exchanged; use the bank's own file, as it was \
         before it was opened",
        day.trimmed(),
        text.trimmed()
    ))
}

fn no_column(what: &str, columns: &[CandidateColumn<'_>]) -> String {
    let names: Vec<String> = columns.iter().map(|column| format!("`{}`", column.name.trim())).collect();
    format!("no column is {what} by its name and its values; the columns are {}", names.join(", "))
}

/// The id, which must differ from row to row and be whole, and a reference, which need not.
fn assign_id_roles(columns: &[CandidateColumn<'_>], roles: &mut Roles) {
    let mut ids: Vec<(usize, &CandidateColumn<'_>, u32)> = columns
        .iter()
        .enumerate()
        .filter_map(|(at, column)| match column.meaning {
            Some((Meaning::Id, fit)) if !column.is_repeated && !column.name.trim().is_empty() => {
                Some((at, column, fit))
            }
            _ => None,
        })
        .collect();
    ids.sort_by_key(|(_, _, fit)| std::cmp::Reverse(*fit));
    roles.id = ids.iter().find(|(_, column, _)| column.is_id()).map(|(at, ..)| *at);
    roles.reference = ids.iter().map(|(at, ..)| *at).find(|at| Some(*at) != roles.id);
}

/// The narration: the columns that are named so, or else the longest text.
fn assign_narration_role(columns: &[CandidateColumn<'_>], roles: &mut Roles) {
    let texts = columns.iter().enumerate().filter(|(_, column)| !column.is_repeated && !column.name.trim().is_empty());
    roles.desc = texts
        .clone()
        // Words of sides alone, such as `DEBIT`, are no narration.
        .filter(|(_, column)| matches!(column.meaning, Some((Meaning::Description, _))) && !column.has_sides)
        .map(|(at, _)| at)
        .take(TEXTS_MAX)
        .collect();
    if !roles.desc.is_empty() {
        return;
    }
    let richness = |column: &CandidateColumn<'_>| {
        let values: BTreeSet<&str> = column.cells.iter().map(|cell| cell.trimmed()).collect();
        (values.len(), column.cells.iter().map(|cell| cell.text.len()).sum::<usize>())
    };
    let richest = texts
        .filter(|(at, column)| {
            let is_free =
                matches!(column.meaning, None | Some((Meaning::Id, _))) && Some(*at) != roles.id && !column.is_around;
            // Words, not codes.
            let has_words = column.cells.iter().any(|cell| has_letters(cell) && cell.trimmed().contains(' '));
            is_free && has_words && column.dates.is_empty() && !column.is_amount
        })
        .max_by_key(|(_, column)| richness(column));
    roles.desc = richest.map(|(at, _)| at).or_else(|| roles.people.take()).into_iter().collect();
    roles.reference = roles.reference.filter(|at| !roles.desc.contains(at));
}
