//! A table's rows: which column means what, and one row's meaning. Must not know the table's format.

use std::borrow::Cow;

use crate::statement::cell::Cell;
use crate::statement::columns::{Columns, SINGLE, Side};
use crate::statement::currency;
use crate::statement::error::{Error, Place, show};
use crate::statement::header;
use crate::statement::identity::cell_identity;
use crate::statement::intake::{Intake, Places};
use crate::statement::quality::flag;
use crate::statement::reading::EmptyAmount;
use crate::statement::rows::{Entry, NO_DAY, NO_VALUE, SEPARATOR, TEXT_NAMES};
use crate::statement::sides::{self, Sides, SidesFault};
use crate::statement::unread::Unread;
use crate::statement::when::{When, WhenFault, settle};
use crate::words::date::{IsoMoment, Zone};

/// The place of a meaning among others, found once: a row asks for each of them.
const fn place(meanings: &[&str], meaning: &str) -> usize {
    let (mut at, wanted) = (0, meaning.as_bytes());
    loop {
        let known = meanings[at].as_bytes();
        let (mut same, mut byte) = (known.len() == wanted.len(), 0);
        while same && byte < known.len() {
            same = known[byte] == wanted[byte];
            byte += 1;
        }
        if same {
            return at;
        }
        at += 1;
    }
}

pub(super) const CUSTOMER: usize = place(&SINGLE, "customer");
const ACCOUNT: usize = place(&SINGLE, "account");
pub(super) const ID: usize = place(&SINGLE, "id");
pub(super) const TRANS_DATE: usize = place(&SINGLE, "trans_date");
const UNFORMATTED_TRANS_DATE: usize = place(&SINGLE, "unformatted_trans_date");
pub(super) const CLEARED_DATE: usize = place(&SINGLE, "cleared_date");
const UNFORMATTED_CLEARED_DATE: usize = place(&SINGLE, "unformatted_cleared_date");
pub(super) const CREDIT: usize = place(&SINGLE, "credit");
pub(super) const DEBIT: usize = place(&SINGLE, "debit");
const AMOUNT: usize = place(&SINGLE, "amount");
const TYPE: usize = place(&SINGLE, "type");
pub(super) const BALANCE: usize = place(&SINGLE, "balance");
const SEQ: usize = place(&SINGLE, "seq");
const CREATED_AT: usize = place(&SINGLE, "created_at");
const LAST_UPDATED: usize = place(&SINGLE, "last_updated");
const CURRENCY: usize = place(&SINGLE, "currency");

/// The first of the columns of text that are lists.
pub(super) const FIRST_LIST: usize = place(&TEXT_NAMES, "topics");

/// A column of the table: where it is, and its name there.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) at: usize,
    name: String,
}

/// Which column of a table means what.
pub(crate) struct Sheet<'c> {
    pub(super) columns: &'c Columns,
    pub(super) single: [Option<Source>; SINGLE.len()],
    pub(super) texts: [Vec<Source>; TEXT_NAMES.len()],
    /// For each column whether anything is read from it.
    used: Vec<bool>,
    /// Columns that nothing is read from, where no file left them out on purpose.
    pub(super) unknown: u64,
    /// The names of columns that nothing is read from.
    pub(crate) unread: Unread,
    scratch: [String; TEXT_NAMES.len()],
    /// Whether the last row has a list that may want another separator.
    is_unsplit: bool,
    id: String,
}

const SINGLE_MONEY: &str = "a 32-bit float holds seven digits, and so not the decimals of the amount that was put into it; \
    write amounts as DECIMAL, 64-bit float or text";

/// A cell at fault.
struct CellFault {
    column: String,
    what: String,
}

type Row<T> = Result<T, Box<CellFault>>;

fn fault<T>(column: &str, what: impl Into<String>) -> Row<T> {
    Err(Box::new(CellFault { column: column.to_owned(), what: what.into() }))
}

impl<'c> Sheet<'c> {
    /// Finds the columns in a table's header.
    pub(crate) fn new(columns: &'c Columns, header: &[&str]) -> Result<Sheet<'c>, Error> {
        let find = |name: &str| {
            header.iter().position(|column| *column == name).map(|at| Source { at, name: name.to_owned() })
        };
        // Without a columns file also what stands in `notes`, as in the provider's records.
        let find_text = |name: &str| {
            let nested = || header::NESTED.iter().filter(|(known, _)| *known == name).find_map(|(_, path)| find(path));
            find(name).or_else(|| if columns.declared { None } else { nested() })
        };
        let required = |meaning: &str| columns.declared || matches!(meaning, "customer" | "trans_date" | "credit");
        let mut single = [const { None }; SINGLE.len()];
        for (slot, meaning) in single.iter_mut().zip(SINGLE) {
            for name in columns.of(meaning) {
                *slot = find(name);
                if slot.is_none() && required(meaning) {
                    return Err(header::absent(columns, header, meaning, name));
                }
            }
        }
        let mut texts = [const { Vec::new() }; TEXT_NAMES.len()];
        for (slot, meaning) in texts.iter_mut().zip(TEXT_NAMES) {
            for name in columns.of(meaning) {
                match find_text(name) {
                    Some(source) => slot.push(source),
                    None if columns.declared => return Err(header::absent(columns, header, meaning, name)),
                    None => {}
                }
            }
        }
        let is_used = |at: usize| single.iter().flatten().chain(texts.iter().flatten()).any(|source| source.at == at);
        let used: Vec<bool> = (0..header.len()).map(is_used).collect();
        let unknown = if columns.declared { 0 } else { used.iter().filter(|used| !**used).count() as u64 };
        let mut unread = Unread::default();
        // Names of lines stand there for each of their meanings, and the first is read.
        let is_read = |name: &str| header.iter().zip(&used).any(|(known, used)| *used && *known == name);
        header.iter().filter(|name| !is_read(name)).for_each(|name| unread.add(name));
        let scratch = [const { String::new() }; TEXT_NAMES.len()];
        Ok(Sheet { columns, single, texts, used, unknown, unread, scratch, is_unsplit: false, id: String::new() })
    }

    /// Whether a line within a text in this column looks like a row of the table: so many fields, and a date where the date belongs.
    pub(crate) fn reads_as_row(&self, column: usize, line: &str, zone: &Zone) -> bool {
        let date = self.source(TRANS_DATE).and_then(|source| line.split(',').nth(source.at));
        let day = date.map(|text| Cell::Text(text.trim_matches('"')));
        day.is_some_and(|day| day.said(self.columns.patterns.get(SINGLE[TRANS_DATE]), zone).is_some())
            && line.split(',').count() > column
    }

    /// Whether anything is read from the column at this place.
    pub(crate) fn uses(&self, at: usize) -> bool {
        self.used.get(at) == Some(&true)
    }

    /// Whether the table gives the order within a day.
    pub(crate) fn is_ordered(&self) -> bool {
        self.source(SEQ).is_some() || self.columns.order.is_some()
    }

    /// Whether somebody declared where debits are: where there are none, there were none.
    pub(crate) fn shows_debits(&self) -> bool {
        self.columns.declared && (self.source(AMOUNT).is_some() || self.source(DEBIT).is_some())
    }

    fn source(&self, meaning: usize) -> Option<&Source> {
        self.single[meaning].as_ref()
    }

    /// The column of a meaning and its cell, unless that is null or says nothing.
    fn cell<'t>(&self, cells: &[Cell<'t>], meaning: usize) -> Option<(&str, Cell<'t>)> {
        let source = self.source(meaning)?;
        let cell = cells.get(source.at).copied().unwrap_or(Cell::Null);
        cell.says_nothing().is_none().then_some((source.name.as_str(), cell))
    }

    /// Whose row this is.
    pub(crate) fn customer<'t>(
        &self,
        cells: &[Cell<'t>],
        places: &Places,
        ordinal: u32,
    ) -> Result<Cow<'t, str>, Error> {
        let customer = self.owner(cells, CUSTOMER).and_then(|customer| match customer.is_empty() {
            true => fault(self.name(CUSTOMER), "the customer is missing"),
            false => Ok(customer),
        });
        customer.map_err(|fault| {
            let path = places.field(ordinal, &show(&fault.column));
            Error::Value { place: Box::new(Place { path, byte: None, record: None }), what: fault.what }
        })
    }

    /// The column that says whose a row is.
    pub(crate) fn customer_at(&self) -> Option<usize> {
        self.source(CUSTOMER).map(|source| source.at)
    }

    /// Takes one row.
    pub(crate) fn take(
        &mut self,
        cells: &[Cell<'_>],
        ordinal: u32,
        places: &Places,
        intake: &mut Intake<'_>,
    ) -> Result<(), Error> {
        intake.records += 1;
        self.take_row(cells, ordinal, intake).map_err(|fault| {
            let path = places.field(ordinal, &show(&fault.column));
            let record = Some(show(&self.id)).filter(|id| !id.is_empty());
            Error::Value { place: Box::new(Place { path, byte: None, record }), what: fault.what }
        })
    }

    fn take_row(&mut self, cells: &[Cell<'_>], ordinal: u32, intake: &mut Intake<'_>) -> Row<()> {
        let id = self.id(cells)?;
        self.id.clear();
        self.id.push_str(&id);
        let customer = self.owner(cells, CUSTOMER)?;
        if customer.is_empty() {
            return fault(self.name(CUSTOMER), "the customer is missing");
        }
        self.check_currency(cells, intake)?;
        let Some(trans) = self.when(cells, intake, [TRANS_DATE, UNFORMATTED_TRANS_DATE])? else {
            return fault(self.name(TRANS_DATE), "the date is missing");
        };
        let cleared = self.when(cells, intake, [CLEARED_DATE, UNFORMATTED_CLEARED_DATE])?;
        let order = match self.cell(cells, SEQ) {
            None => trans.second,
            Some((name, cell)) => match cell {
                Cell::Text(text) if text.parse::<i64>().is_ok() => text.parse().unwrap_or_default(),
                _ => match cell.whole().and_then(|number| i64::try_from(number).ok()) {
                    Some(number) => number,
                    None => return fault(name, format!("`{}` is not a whole number", cell.shown())),
                },
            },
        };
        let sides = self.sides(cells, intake)?;
        let placeholders = self.write_texts(cells)?
            + self.single.iter().flatten().filter(|source| says_nothing(cells, source)).count() as u64;
        let account = Some(self.owner(cells, ACCOUNT)?).filter(|account| !account.is_empty());
        let group = match account {
            None => intake.group(Some(&customer)).or_else(|what| fault(self.name(CUSTOMER), what))?,
            Some(account) => intake.account(&customer, &account).or_else(|what| fault(self.name(ACCOUNT), what))?,
        };
        if let Some(counters) = intake.counters(group) {
            counters.unknown_fields += self.unknown;
            counters.placeholder_text += placeholders;
            counters.unsplit_lists += u64::from(self.is_unsplit);
            counters.dropped_empty += u64::from(sides.is_none());
        }
        let Some(sides) = sides else { return Ok(()) };
        let entry = Entry {
            group,
            ordinal,
            id: Some(self.id.as_str()).filter(|id| !id.is_empty()),
            day: trans.day.days(),
            order,
            cleared: cleared.map_or(NO_DAY, |when| when.day.days()),
            credit: sides.credit.unwrap_or(NO_VALUE),
            debit: sides.debit.unwrap_or(NO_VALUE),
            balance: self.amount(cells, intake, BALANCE)?.unwrap_or(NO_VALUE),
            created: self.moment(cells, CREATED_AT)?,
            updated: self.moment(cells, LAST_UPDATED)?,
            flags: sides.flags
                | trans.verdict.flag(flag::DATE_REPAIRED, flag::DATE_CONFLICT)
                | cleared.map_or(0, |when| when.verdict.flag(flag::CLEARED_REPAIRED, flag::CLEARED_CONFLICT)),
        };
        // Also those that this table does not have: the row before may be another table's.
        let texts = self.texts.iter().enumerate().map(|(index, sources)| {
            let plain = || if index < FIRST_LIST { Self::plain_text(sources, cells) } else { None };
            let written = || Some(self.scratch[index].as_str()).filter(|text| !text.is_empty());
            (index, if sources.is_empty() { None } else { plain().or_else(written) })
        });
        intake.rows.push(&entry, texts);
        Ok(())
    }

    fn name(&self, meaning: usize) -> &str {
        self.source(meaning).map_or(SINGLE[meaning], |source| source.name.as_str())
    }

    /// The customer or the account of a row; empty where there is none.
    fn owner<'t>(&self, cells: &[Cell<'t>], meaning: usize) -> Row<Cow<'t, str>> {
        match self.cell(cells, meaning) {
            None => Ok(Cow::Borrowed("")),
            Some((name, cell)) => cell_identity(&cell).or_else(|what| fault(name, what)),
        }
    }

    fn id<'t>(&self, cells: &[Cell<'t>]) -> Row<Cow<'t, str>> {
        let (name, cell) = match self.cell(cells, ID) {
            None => return Ok(Cow::Borrowed("")),
            Some((_, Cell::Text(text))) => return Ok(Cow::Borrowed(text)),
            Some(other) => other,
        };
        let mut text = String::new();
        match cell.write_text(&mut text) {
            true => Ok(Cow::Owned(text)),
            false => fault(name, format!("`{}` is not an id: expected text or a whole number", cell.shown())),
        }
    }

    /// The text of a column that stands in one cell as it is.
    fn plain_text<'t>(sources: &[Source], cells: &[Cell<'t>]) -> Option<&'t str> {
        let [source] = sources else { return None };
        match cells.get(source.at) {
            Some(Cell::Text(text)) if Cell::Text(text).says_nothing().is_none() => Some(text),
            _ => None,
        }
    }

    fn check_currency(&self, cells: &[Cell<'_>], intake: &Intake<'_>) -> Row<()> {
        let Some((name, cell)) = self.cell(cells, CURRENCY) else { return Ok(()) };
        currency::cell_fault(intake.reading.currency, &cell, &self.columns.currency_words)
            .map_or(Ok(()), |what| fault(name, what))
    }

    fn when(&self, cells: &[Cell<'_>], intake: &Intake<'_>, [iso, bank]: [usize; 2]) -> Row<Option<When>> {
        let reading = intake.reading;
        let said = match self.cell(cells, iso) {
            None => None,
            Some((name, cell)) => {
                let pattern = self.columns.patterns.get(SINGLE[iso]);
                match cell.said(pattern, &reading.zone) {
                    Some(said) => Some(said),
                    None => return fault(name, format!("`{}` {}", cell.shown(), Cell::wanted_date(pattern))),
                }
            }
        };
        let unformatted = match self.cell(cells, bank) {
            None => None,
            Some((_, Cell::Text(text))) => Some(text),
            Some((name, cell)) => return fault(name, format!("`{}` is not a day written DD-MM-YYYY", cell.shown())),
        };
        match settle(said, unformatted, reading.date_conflict) {
            Ok(when) => Ok(when),
            Err(WhenFault::Conflict(local)) => {
                let what = format!(
                    "the day is {local} in {}, but column `{}` is `{}`; declare `prefer_iso` or `prefer_unformatted` to choose one",
                    reading.zone.name(),
                    show(self.name(bank)),
                    show(unformatted.unwrap_or_default())
                );
                fault(self.name(iso), what)
            }
            Err(_) => fault(
                self.name(bank),
                format!(
                    "`{}` is not a day from 1900 to 2200 written DD-MM-YYYY, such as 30-06-2026",
                    show(unformatted.unwrap_or_default())
                ),
            ),
        }
    }

    fn amount(&self, cells: &[Cell<'_>], intake: &Intake<'_>, meaning: usize) -> Row<Option<i64>> {
        let Some((name, cell)) = self.cell(cells, meaning) else { return Ok(None) };
        let reading = intake.reading;
        match cell.amount(reading.unit, reading.currency.exponent()) {
            _ if matches!(cell, Cell::Single(_)) => fault(name, SINGLE_MONEY),
            Ok(minor) => Ok(Some(minor)),
            Err(wrong) => fault(name, format!("`{}` {wrong} (amounts are in {})", cell.shown(), reading.amounts_in())),
        }
    }

    fn sides(&self, cells: &[Cell<'_>], intake: &Intake<'_>) -> Row<Option<Sides>> {
        let (credit, debit) = match self.source(AMOUNT) {
            None => (self.amount(cells, intake, CREDIT)?, self.amount(cells, intake, DEBIT)?),
            Some(_) => {
                let amount = self.amount(cells, intake, AMOUNT)?;
                match self.side(cells, amount)? {
                    Side::Credit if self.columns.positive.is_none() => (amount, None),
                    Side::Debit if self.columns.positive.is_none() => (None, amount),
                    Side::Credit => (amount.map(i64::abs), None),
                    Side::Debit => (None, amount.map(i64::abs)),
                }
            }
        };
        let name = |meaning: usize| {
            if self.source(AMOUNT).is_some() { self.name(AMOUNT) } else { self.name(meaning) }
        };
        match sides::resolve(credit, debit, intake.reading.negative) {
            Ok(sides) => Ok(Some(sides)),
            Err(SidesFault::Empty) if intake.reading.empty_amount == EmptyAmount::Drop => Ok(None),
            Err(SidesFault::Empty) => fault(
                name(if self.source(CREDIT).is_some() { CREDIT } else { DEBIT }),
                "neither credit nor debit is filled, and null is not 0; declare `drop` to leave such records out",
            ),
            Err(wrong) => {
                let (meaning, other) =
                    if wrong == SidesFault::NegativeCredit { (CREDIT, debit) } else { (DEBIT, credit) };
                fault(name(meaning), format!("the amount {}", wrong.of_negative(other)))
            }
        }
    }

    /// Which side an amount is on, by its type or its sign.
    fn side(&self, cells: &[Cell<'_>], amount: Option<i64>) -> Row<Side> {
        if let Some(positive) = self.columns.positive {
            let negative = amount.is_some_and(|minor| minor < 0);
            return Ok(if negative == (positive == Side::Debit) { Side::Credit } else { Side::Debit });
        }
        let Some((name, cell)) = self.cell(cells, TYPE) else {
            return fault(self.name(TYPE), "the type is missing, so nobody can tell which side the amount is on");
        };
        let mut text = String::new();
        cell.write_text(&mut text);
        if self.columns.credit_values.contains(&text) {
            Ok(Side::Credit)
        } else if self.columns.debit_values.contains(&text) {
            Ok(Side::Debit)
        } else {
            fault(name, format!("`{}` is neither listed as credit nor as debit under [type]", cell.shown()))
        }
    }

    /// Fills the scratch texts; says how many said nothing.
    fn write_texts(&mut self, cells: &[Cell<'_>]) -> Row<u64> {
        let mut placeholders = 0;
        self.is_unsplit = false;
        let separator = self.columns.separator();
        for (index, (sources, scratch)) in self.texts.iter().zip(&mut self.scratch).enumerate() {
            if index < FIRST_LIST && Self::plain_text(sources, cells).is_some() {
                continue;
            }
            scratch.clear();
            for source in sources {
                let cell = cells.get(source.at).copied().unwrap_or(Cell::Null);
                if let Some(placeholder) = cell.says_nothing() {
                    placeholders += u64::from(placeholder);
                    continue;
                }
                let list = index >= FIRST_LIST;
                if !scratch.is_empty() {
                    scratch.push(if list { SEPARATOR } else { ' ' });
                }
                let from = scratch.len();
                if !cell.write_text(scratch) {
                    return fault(&source.name, format!("`{}` is not text", cell.shown()));
                }
                if list {
                    let (joined, silent) = joined(scratch.get(from..).unwrap_or_default(), separator);
                    scratch.truncate(from);
                    scratch.push_str(&joined);
                    placeholders += silent;
                    self.is_unsplit |= is_unsplit(&joined);
                }
            }
        }
        Ok(placeholders)
    }

    fn moment(&self, cells: &[Cell<'_>], meaning: usize) -> Row<i64> {
        match self.cell(cells, meaning) {
            None => Ok(NO_VALUE),
            Some((_, Cell::Moment { seconds, milliseconds, .. })) => {
                Ok(seconds.saturating_mul(1_000).saturating_add(i64::from(milliseconds)))
            }
            Some((_, Cell::Day(day))) => Ok(i64::from(day) * 86_400_000),
            Some((name, cell)) => match cell {
                Cell::Text(text) if IsoMoment::parse(text).is_some() => {
                    Ok(IsoMoment::parse(text).map_or(NO_VALUE, |moment| moment.utc_milliseconds()))
                }
                _ => fault(
                    name,
                    format!("`{}` is not an ISO 8601 moment, such as 2026-06-30T12:00:00.000Z", cell.shown()),
                ),
            },
        }
    }
}

/// The items of a list, as they stand in a frame, and how many others said nothing in so many words.
pub(super) fn joined(list: &str, separator: &str) -> (String, u64) {
    let (silent, items): (Vec<&str>, Vec<&str>) = list
        .split(separator)
        .filter(|item| !item.is_empty())
        .partition(|item| Cell::Text(item).says_nothing().is_some());
    (items.join(SEPARATOR.encode_utf8(&mut [0; 4])), silent.len() as u64)
}

/// Whether an item holds what programs put between items, and no name or word has.
pub(super) fn is_unsplit(items: &str) -> bool {
    memchr::memchr2(b';', b'|', items.as_bytes()).is_some()
}

fn says_nothing(cells: &[Cell<'_>], source: &Source) -> bool {
    cells.get(source.at).is_some_and(|cell| cell.says_nothing() == Some(true))
}
