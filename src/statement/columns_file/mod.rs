//! The columns file: the meaning of a table's columns. Must not read a table.

pub(crate) mod customer_source;
pub(crate) mod period_source;
pub(crate) mod skip;
mod skip_days;
mod skip_texts;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use self::customer_source::CustomerSource;
use self::period_source::PeriodSourceTable;
use self::skip::{Name, Skip};
use self::skip_texts::ColumnKind;
use crate::base::money::{AmountUnit, Currency};
use crate::base::text_search::suggest::suggest_near_name;
use crate::statement::base::column::Column;
use crate::statement::base::error::{Error, show_source_text};
use crate::statement::base::period::StatementPeriod;
use crate::statement::base::reading::NegativeRule;
use crate::statement::base::reading::RowOrder;
use crate::statement::cells::amount_notation::{AmountNotation, FeeSign, Grouping, MinusForm};
use crate::statement::cells::date_pattern::{Century, Pattern};
use crate::statement::cells::identity::spell_name;
use crate::statement::cells::month_names::MonthNames;
use crate::statement::formats::entry::{self, ENTRY_COLUMNS, at};
use crate::statement::formats::json_paths::page_marks::{PageMark, PageMarks};
use crate::statement::formats::layout::{Layout, normal_name};
use crate::statement::formats::table_format::TableFormat;

/// The meaning of a table's columns, as `--columns FILE.toml` declares it. By default, columns have the product's own
/// names: `customer, id, trans_date, cleared_date, credit, debit, balance, code, branch, bank, desc, topics` and so on.
///
/// ```
/// use lendwright::statement::Columns;
/// let columns = Columns::parse(r#"
///     [columns]
///     customer = "account_id"
///     trans_date = "date"
///     amount = "amount"
///     type = "type"
///     [type]
///     credit = ["PRIJEM"]
///     debit = ["VYDAJ", "VYBER"]
///     [dates]
///     trans_date = "YYMMDD"
///     century = 1900
/// "#);
/// assert!(columns.is_ok());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The table's columns, by the product's own name. Only a text may have several.
    pub(crate) names: BTreeMap<String, Vec<String>>,
    /// Whether a file declared the names. Columns that it does not name are then omitted on purpose.
    pub(crate) declared: bool,
    /// The order of the table's rows.
    pub(crate) order: Option<RowOrder>,
    pub(crate) unit: Option<AmountUnit>,
    pub(crate) positive: Option<AccountSide>,
    /// The meaning of a negative amount in this table. It overrides the policy.
    pub(crate) negative: Option<NegativeRule>,
    pub(crate) credit_values: Vec<String>,
    pub(crate) debit_values: Vec<String>,
    /// Date patterns, by the product's own name. A date without a pattern is ISO.
    pub(crate) patterns: BTreeMap<String, Pattern>,
    pub(crate) separator: Option<String>,
    /// Words for the policy's currency, beside its code.
    pub(crate) currency_words: Vec<String>,
    /// How a text or a sheet holds the table.
    pub(crate) layout: Layout,
    /// How amounts are written in text.
    pub(crate) notation: AmountNotation,
    /// Whether text amounts are read by the notation. Without a columns file they are plain decimal numbers.
    pub(crate) reads_notation: bool,
    /// Where the customer is named, if not in a column.
    pub(crate) customer: Option<CustomerSource>,
    /// Whose every file is, as the caller says.
    pub(crate) given_customer: Option<String>,
    /// Which rows are no records.
    pub(crate) skip: Option<Skip>,
    /// Cells that mean nothing, such as `-`.
    pub(crate) empty: Vec<String>,
    /// What an answer in JSON says about its other pages.
    pub(crate) pages: PageMarks,
    /// The period of every file.
    pub(crate) fixed_period: Option<StatementPeriod>,
    /// The label before the period, above the header.
    pub(crate) period_label: Option<String>,
}

/// A side of the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum AccountSide {
    Credit,
    Debit,
}

/// The columns of a table without a columns file.
pub(crate) static UNDECLARED: Columns = Columns {
    names: BTreeMap::new(),
    declared: false,
    order: None,
    unit: None,
    positive: None,
    negative: None,
    credit_values: Vec::new(),
    debit_values: Vec::new(),
    patterns: BTreeMap::new(),
    separator: None,
    currency_words: Vec::new(),
    layout: Layout::DEFAULT,
    notation: AmountNotation::PLAIN,
    reads_notation: false,
    customer: None,
    given_customer: None,
    skip: None,
    empty: Vec::new(),
    pages: PageMarks::NONE,
    fixed_period: None,
    period_label: None,
};

const DATES: [Column; 2] = [Column::TransDate, Column::ClearedDate];
const AMOUNTS: [Column; 6] =
    [Column::Credit, Column::Debit, Column::Amount, Column::Balance, Column::Fee, Column::StatedBalance];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    order: Option<RowOrder>,
    skip: Option<String>,
    #[serde(default)]
    empty: Vec<String>,
    /// Without it, columns have the product's own names.
    columns: Option<BTreeMap<String, OneOrMore>>,
    #[serde(default)]
    file: Layout,
    customer: Option<CustomerSource>,
    #[serde(default)]
    amount: AmountTable,
    #[serde(default, rename = "type")]
    kind: TypeTable,
    #[serde(default)]
    dates: DatesTable,
    #[serde(default)]
    lists: ListsTable,
    #[serde(default)]
    currency: CurrencyTable,
    #[serde(default)]
    pages: PagesTable,
    period: Option<PeriodSourceTable>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text, or a list of texts")]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn into_list(self) -> Vec<String> {
        match self {
            OneOrMore::One(one) => vec![one],
            OneOrMore::More(more) => more,
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct AmountTable {
    unit: Option<AmountUnit>,
    positive: Option<AccountSide>,
    negative: Option<NegativeRule>,
    /// The mark before the decimals.
    decimal: Option<char>,
    /// Marks between the groups of digits.
    #[serde(default)]
    thousands: Vec<String>,
    grouping: Option<Grouping>,
    /// Other ways to write a minus.
    #[serde(default)]
    minus: Vec<MinusForm>,
    /// Marks of the currency, before or after the digits.
    #[serde(default)]
    marks: Vec<String>,
    /// What stands after a credit, such as `CR`.
    #[serde(default)]
    credit_suffix: Vec<String>,
    /// What stands after a debit, such as `DR`.
    #[serde(default)]
    debit_suffix: Vec<String>,
    /// Whether a fee is written with a minus.
    fee: Option<FeeSign>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TypeTable {
    credit: Vec<String>,
    debit: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct DatesTable {
    trans_date: Option<String>,
    cleared_date: Option<String>,
    century: Option<i32>,
    pivot: Option<i32>,
    /// The names of the twelve months, beside the English ones.
    months: Option<Vec<OneOrMore>>,
}

impl DatesTable {
    /// The patterns by the product's names of the columns.
    fn patterns(self) -> Result<BTreeMap<String, Pattern>, Error> {
        let century = match (self.century, self.pivot) {
            (None, None) => Century::Undeclared,
            (Some(century), None) if (1900..=2100).contains(&century) && century % 100 == 0 => Century::Fixed(century),
            (None, Some(pivot)) if (0..=99).contains(&pivot) => Century::Pivot(pivot),
            (Some(_), Some(_)) => return Err(Error::columns("[dates] has `century` and `pivot`; declare one of them")),
            (Some(century), None) => {
                return Err(Error::columns(format!("[dates] century = {century} must be 1900, 2000 or 2100")));
            }
            (None, Some(pivot)) => {
                return Err(Error::columns(format!("[dates] pivot = {pivot} must be from 0 to 99")));
            }
        };
        let months: Option<Vec<Vec<String>>> =
            self.months.map(|months| months.into_iter().map(OneOrMore::into_list).collect());
        let months = months.map(|months| MonthNames::declared(&months)).transpose();
        let months = months.map_err(|what| Error::columns(format!("[dates] {what}")))?.unwrap_or_default();
        let mut patterns = BTreeMap::new();
        for (name, pattern) in DATES.map(Column::name).into_iter().zip([self.trans_date, self.cleared_date]) {
            if let Some(pattern) = pattern.filter(|pattern| !pattern.eq_ignore_ascii_case("iso")) {
                let pattern = Pattern::parse(&pattern, century, &months);
                patterns.insert(
                    name.to_owned(),
                    pattern.map_err(|what| Error::columns(format!("[dates] {name}: {what}")))?,
                );
            }
        }
        Ok(patterns)
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct CurrencyTable {
    words: Vec<String>,
}

/// `[pages]`: paths to what an answer says about its other pages.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PagesTable {
    next: Option<OneOrMore>,
    previous: Option<OneOrMore>,
    rows: Option<OneOrMore>,
    pages: Option<OneOrMore>,
}

impl PagesTable {
    fn marks(self) -> Result<PageMarks, Error> {
        let declared = [
            (PageMark::Next, "next", self.next),
            (PageMark::Previous, "previous", self.previous),
            (PageMark::Rows, "rows", self.rows),
            (PageMark::Pages, "pages", self.pages),
        ];
        let mut marks = PageMarks::default();
        for (mark, key, paths) in declared {
            for path in paths.map(OneOrMore::into_list).unwrap_or_default() {
                marks.declare(mark, &path).map_err(|what| Error::columns(format!("[pages] {key}: {what}")))?;
            }
        }
        Ok(marks)
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ListsTable {
    separator: Option<String>,
}

impl Columns {
    /// Separates the items of a list.
    pub(crate) fn separator(&self) -> &str {
        self.separator.as_deref().unwrap_or("|")
    }

    /// Reads the text of a columns file.
    pub fn parse(text: &str) -> Result<Columns, Error> {
        let file: File = toml::from_str(text).map_err(|wrong| {
            let line = wrong.span().map(|span| text.get(..span.start).unwrap_or(text).matches('\n').count() + 1);
            let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
            Error::columns(format!("{line}{}", wrong.message().trim_end()))
        })?;
        let mut names = BTreeMap::new();
        let declared = file.columns.is_some();
        for (name, columns) in file.columns.unwrap_or_default() {
            let columns = columns.into_list();
            if name == period_source::PERIOD {
                period_source::name_columns(&columns, &mut names)?;
                continue;
            }
            check_name(&name, &columns)?;
            names.insert(name, columns);
        }
        let patterns = file.dates.patterns()?;
        let period = file.period.unwrap_or_default().read()?;
        let mut columns = Columns {
            names,
            declared,
            order: file.order,
            unit: file.amount.unit,
            positive: file.amount.positive,
            negative: file.amount.negative,
            credit_values: file.kind.credit,
            debit_values: file.kind.debit,
            patterns,
            separator: file.lists.separator,
            currency_words: file.currency.words,
            layout: file.file,
            notation: AmountNotation {
                decimal: file.amount.decimal,
                thousands: file.amount.thousands,
                grouping: file.amount.grouping.unwrap_or_default(),
                minus: file.amount.minus,
                marks: file.amount.marks,
                credit_suffix: file.amount.credit_suffix,
                debit_suffix: file.amount.debit_suffix,
                fee: file.amount.fee.unwrap_or_default(),
            },
            reads_notation: true,
            customer: file.customer,
            given_customer: None,
            skip: file.skip.as_deref().map(Skip::parse).transpose().map_err(Error::columns)?,
            empty: file.empty,
            pages: file.pages.marks()?,
            fixed_period: period.fixed,
            period_label: period.after,
        };
        columns.check()?;
        if let Some(mut skip) = columns.skip.take() {
            skip.settle_texts(|name| columns.kind_of_skipped(name)).map_err(Error::columns)?;
            columns.skip = Some(skip);
        }
        Ok(columns)
    }

    /// What a column that `skip` names is declared as.
    fn kind_of_skipped(&self, name: &Name) -> ColumnKind {
        let pattern = |column: Column| self.patterns.get(column.name()).cloned().map(Arc::new);
        let is_one_of = |column: &Column| self.names_of(*column).into_iter().any(|own| name.matches(own));
        match DATES.into_iter().find(is_one_of) {
            Some(column) => ColumnKind::Days(pattern(column)),
            None if AMOUNTS.iter().any(is_one_of) => ColumnKind::Amount,
            None => ColumnKind::Other(DATES.into_iter().find_map(pattern)),
        }
    }

    /// Checks that the parts of a file fit together.
    fn check(&self) -> Result<(), Error> {
        self.layout.check().map_err(|what| Error::columns(format!("[file] {what}")))?;
        let has = |name: &str| self.names.contains_key(name);
        self.notation.check().map_err(Error::columns)?;
        if !self.declared {
            return Ok(());
        }
        if !has("trans_date") {
            return Err(Error::columns("[columns] does not say which column is `trans_date`"));
        }
        let problem = match (has("amount"), has("credit") || has("debit"), has("type"), self.positive.is_some()) {
            (false, false, ..) => "[columns] names no `credit`, and no `amount` either",
            (true, true, ..) => "[columns] names `amount` beside `credit` or `debit`; an amount has one meaning",
            (false, _, true, _) => "[columns] names `type`, which goes with `amount`",
            (true, _, false, false) if !self.notation.has_suffixes() => {
                "[columns] names `amount`; say by `type`, by [amount] positive = \"credit\" or by [amount] \
                 credit_suffix which side it is on"
            }
            (true, _, true, true) => {
                "[amount] positive and `type` both say which side an amount is on; declare one of them"
            }
            _ => "",
        };
        if !problem.is_empty() {
            return Err(Error::columns(problem));
        }
        if self.positive.is_some() && self.negative.is_some() {
            return Err(Error::columns(
                "[amount] positive and `negative` both say what a minus means; declare one of them",
            ));
        }
        self.check_currency()?;
        if has("customer") && self.customer.is_some() {
            return Err(Error::columns(
                "[columns] names `customer`, and [customer] says where else to find it; declare one of them",
            ));
        }
        if has("seq") && self.order.is_some() {
            return Err(Error::columns("`order` and `seq` both give the order within a day; declare one of them"));
        }
        if has("type") && (self.credit_values.is_empty() || self.debit_values.is_empty()) {
            return Err(Error::columns("[type] must list the values of `credit` and of `debit`"));
        }
        if let Some(value) = self.credit_values.iter().find(|value| self.debit_values.contains(value)) {
            return Err(Error::columns(format!("[type] lists `{}` as credit and as debit", show_source_text(value))));
        }
        Ok(())
    }

    /// Whether a text means nothing in this table.
    pub(crate) fn is_empty_mark(&self, text: &str) -> bool {
        !self.empty.is_empty() && self.empty.iter().any(|mark| mark.trim() == text.trim())
    }

    /// Refuses words that are currency codes: a code always means its currency.
    fn check_currency(&self) -> Result<(), Error> {
        if !self.currency_words.is_empty() && !self.names.contains_key("currency") {
            return Err(Error::columns("[currency] lists words; [columns] does not say which column is `currency`"));
        }
        let is_code = |word: &&String| Currency::from_alphabetic(word).or(Currency::from_numeric(word)).is_some();
        match self.currency_words.iter().find(is_code) {
            Some(code) => Err(Error::columns(format!(
                "[currency] words lists `{}`, which is the code of a currency; codes need not be listed",
                show_source_text(code)
            ))),
            None => Ok(()),
        }
    }

    /// The same columns, for files of one customer that do not name it. A file that names another is refused.
    ///
    /// ```
    /// use lendwright::statement::{Columns, Reading, read_csv};
    /// let columns = Columns::parse("[columns]\ntrans_date = \"date\"\ncredit = \"in\"\n")?.with_customer("C-17");
    /// # use lendwright::base::{date::Zone, money::Currency};
    /// # let reading = Reading::new(Currency::from_numeric("566").unwrap(), Zone::parse("Africa/Lagos").unwrap());
    /// let statements = read_csv(b"date,in\n2026-06-30,250.00\n", "june", &reading, &columns)?;
    /// assert_eq!(statements.heads()[0].customer.as_deref(), Some("C-17"));
    /// # Ok::<(), lendwright::statement::Error>(())
    /// ```
    #[must_use]
    pub fn with_customer(self, customer: impl Into<String>) -> Columns {
        Columns { given_customer: Some(spell_name(&customer.into())), ..self }
    }

    /// The same columns, for a file that may be a page of an answer.
    #[allow(dead_code, reason = "only commands use it")]
    pub(crate) fn without_pages(self) -> Columns {
        Columns { pages: PageMarks::NONE, ..self }
    }

    /// Whose every file is, as the caller says.
    pub(crate) fn given_customer(&self) -> Option<&str> {
        self.given_customer.as_deref()
    }

    /// Whether the customer is known from outside the table.
    pub(crate) fn gives_customer(&self) -> bool {
        self.given_customer.is_some() || matches!(self.customer, Some(CustomerSource::From(_)))
    }

    /// Whether a columns file gives the names of columns.
    pub(crate) fn names_columns(&self) -> bool {
        self.declared
    }

    /// Whether a columns file declares how a text holds a table.
    pub(crate) fn declares_layout(&self) -> bool {
        self.layout != Layout::DEFAULT
    }

    /// The names of the column with the customer.
    pub fn customer_names(&self) -> Vec<&str> {
        self.names_of(Column::Customer)
    }

    /// The table's columns that are read: by their meaning, or by `skip`.
    pub(crate) fn source_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.names.values().flatten().map(String::as_str).collect();
        for name in self.skip.iter().flat_map(Skip::names) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Whether a name leads into a list of JSON, so that its items are the rows.
    pub(crate) fn names_lists(&self) -> bool {
        self.declared && self.source_names().iter().any(|name| name.contains("[]"))
    }

    /// The table's names for a column.
    pub(crate) fn names_of(&self, column: Column) -> Vec<&str> {
        match self.names.get(column.name()) {
            Some(columns) => columns.iter().map(String::as_str).collect(),
            // A file of one customer need not have the column: the customer may be given.
            None if column == Column::Customer => vec![column.name()],
            None if self.declared => Vec::new(),
            None if matches!(column, Column::Amount | Column::Type | Column::Seq) => Vec::new(),
            None if matches!(column, Column::Fee | Column::StatedBalance | Column::Interim) => Vec::new(),
            None => vec![column.name()],
        }
    }

    /// These columns for a table in this format. A bank's own format has its own columns, so that none need be
    /// declared, and entries that are not booked are no records, unless `skip` asks for `status` itself. In a CSV and
    /// in a sheet, blanks around a name do not count.
    pub(crate) fn for_format(&self, format: TableFormat) -> Cow<'_, Columns> {
        if matches!(format, TableFormat::Csv | TableFormat::Workbook) {
            return self.with_normal_names();
        }
        let asks_status = |skip: &Skip| skip.names().any(|name| name.eq_ignore_ascii_case(ENTRY_COLUMNS[at::STATUS]));
        if !format.is_bank_format() || self.declared && self.skip.as_ref().is_some_and(asks_status) {
            return Cow::Borrowed(self);
        }
        let mut columns = self.clone();
        if !columns.declared {
            let is_column = |name: &&&str| Column::from_name(name).is_some();
            let identity = |name: &&str| ((*name).to_owned(), vec![(*name).to_owned()]);
            columns.names = ENTRY_COLUMNS.iter().filter(is_column).map(identity).collect();
            columns.declared = true;
        }
        columns.skip = Some(match columns.skip.take() {
            Some(skip) if asks_status(&skip) => skip,
            Some(skip) => skip.or(&PENDING),
            None => PENDING.clone(),
        });
        Cow::Owned(columns)
    }

    fn with_normal_names(&self) -> Cow<'_, Columns> {
        if self.names.values().flatten().all(|name| normal_name(name) == *name) {
            return Cow::Borrowed(self);
        }
        let mut columns = self.clone();
        columns.names.values_mut().flatten().for_each(|name| *name = normal_name(name).into_owned());
        Cow::Owned(columns)
    }
}

/// The entries of a bank's file that are no records unless its columns file says otherwise.
static PENDING: LazyLock<Skip> = LazyLock::new(|| {
    let condition = format!("{} IN ('{}', '{}')", ENTRY_COLUMNS[at::STATUS], entry::PENDING, entry::INFORMATION);
    Skip::parse(&condition).expect("INVARIANT: a test parses this condition, which is always the same")
});

fn check_name(name: &str, columns: &[String]) -> Result<(), Error> {
    let Some(column) = Column::from_name(name) else {
        let known = Column::all().map(Column::name).chain([period_source::PERIOD]);
        let help = suggest_near_name(name, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Err(Error::columns(format!(
            "[columns] has `{}`, which is not a column here{help}",
            show_source_text(name)
        )));
    };
    match columns {
        [] => Err(Error::columns(format!("[columns] {name} lists no column"))),
        [_] => Ok(()),
        _ if !column.is_text() => Err(Error::columns(format!(
            "[columns] {name} must be one column; only text may be combined from several columns"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_banks_that_are_not_booked_are_no_records_unless_declared_otherwise() {
        let skip = |file: &str, format| Columns::parse(file).expect(file).for_format(format).skip.clone();
        let (own, on_status) = ("skip = \"code = 'X'\"", "skip = \"code = 'X' AND status = 'pending'\"");
        for format in [TableFormat::Camt, TableFormat::Mt940, TableFormat::Ofx, TableFormat::Qif] {
            for file in ["", "[columns]\ntrans_date = \"trans_date\"\ncredit = \"credit\"\n"] {
                assert_eq!(skip(file, format), Some(PENDING.clone()), "{format:?} {file}");
            }
            let both = Skip::parse("code = 'X' OR status IN ('pending', 'information')").ok();
            assert_eq!(skip(own, format), both, "{format:?}");
            assert_eq!(skip(on_status, format), Columns::parse(on_status).expect("columns").skip, "{format:?}");
            let columns = UNDECLARED.for_format(format);
            let places = columns.skip.as_ref().map(|skip| skip.places(&ENTRY_COLUMNS));
            assert_eq!(places, Some(Ok(vec![at::STATUS])), "{format:?}");
        }
        assert_eq!(skip("", TableFormat::Csv), None);
    }
}
