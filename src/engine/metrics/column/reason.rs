//! Why a value is unknown. Every unknown of a statement carries a reason.

use super::InputGap;

/// Why a value is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Reason {
    /// The expression itself gives no value: a CASE without ELSE, NULLIF.
    #[default]
    NoValue,
    /// The statement has no debits.
    NeedsDebit,
    /// The statement has no balances.
    NeedsBalance,
    /// The day of the decision was not given.
    NeedsAsOf,
    /// No record of the statement has a narration, or no record names people where names are needed.
    NeedsNarration,
    /// The statement has fewer full months than this.
    NeedsMonths(u16),
    /// No record to take the value from.
    NoRecords,
    /// There are fewer values than this.
    NeedsValues(u16),
    /// Division by zero.
    ZeroDenominator,
    /// The value overflows.
    Overflow,
    /// This input, by its index, was not given.
    MissingInput(u16),
    /// This input, by its index, is unknown for a reason that was given.
    InputGap(u16, InputGap),
    /// This parameter, by its index, has no value for the day yet.
    NotYet(u16),
    /// No row of this table matches, by its index.
    NoRow(u16),
    /// More than one row of this table matches, by its index.
    ManyRows(u16),
    /// No bin of this score item matches, by its index.
    NoBin(u16),
    /// This precomputed metric, or an input of it, was not given.
    NotGiven,
    /// The price cannot be computed from these numbers.
    NoPrice,
}

impl Reason {
    /// The stable code; `program` knows the names behind the indexes.
    pub(crate) fn code(self, program: &crate::rules::program::Program) -> String {
        let table = |index: u16| program.tables.get(usize::from(index)).map_or("table", |table| table.name.as_str());
        match self {
            Reason::NoValue => "no_value".into(),
            Reason::NeedsDebit => "needs_debit".into(),
            Reason::NeedsBalance => "needs_balance".into(),
            Reason::NeedsAsOf => "needs_as_of".into(),
            Reason::NeedsNarration => "needs_narration".into(),
            Reason::NeedsMonths(months) => format!("needs_{months}_months"),
            Reason::NoRecords => "no_records".into(),
            Reason::NeedsValues(values) => format!("needs_{values}_values"),
            Reason::ZeroDenominator => "zero_denominator".into(),
            Reason::Overflow => "overflow".into(),
            Reason::MissingInput(index) => match program.inputs.get(usize::from(index)) {
                Some(input) => format!("missing_{}_{}", input.source.word(), input.name),
                None => "missing_input".into(),
            },
            Reason::InputGap(index, gap) => match program.inputs.get(usize::from(index)) {
                Some(input) => format!("{}_{}", input.source.word(), gap.word()),
                None => gap.word().into(),
            },
            Reason::NotYet(index) => {
                let name = program.parameters.get(usize::from(index)).map_or("parameter", |known| known.name.as_str());
                format!("no_value_yet_for_{name}")
            }
            Reason::NoRow(index) => format!("no_row_in_{}", table(index)),
            Reason::ManyRows(index) => format!("many_rows_in_{}", table(index)),
            Reason::NoBin(index) => {
                let item = program.score_items.get(usize::from(index)).map_or("item", |item| item.text.as_str());
                format!("no_bin_for_{item}")
            }
            Reason::NotGiven => "not_given".into(),
            Reason::NoPrice => "no_price".into(),
        }
    }

    /// What it means, in words; `program` knows the names in it.
    pub(crate) fn meaning(self, program: &crate::rules::program::Program) -> String {
        let table = |index: u16| program.tables.get(usize::from(index)).map_or("", |table| table.name.as_str());
        match self {
            Reason::NoValue => "the formula gives no value in this case".to_owned(),
            Reason::NeedsDebit => "the statement shows no debits".to_owned(),
            Reason::NeedsBalance => "the statement shows no balances".to_owned(),
            Reason::NeedsAsOf => "`as_of`, the day of the decision, was not given".to_owned(),
            Reason::NeedsNarration => "no record of the statement has a readable narration".to_owned(),
            Reason::NeedsMonths(months) => format!("the statement has fewer than {months} full months"),
            Reason::NoRecords => "there is no record to compute it from".to_owned(),
            Reason::NeedsValues(values) => format!("there are fewer than {values} values"),
            Reason::ZeroDenominator => "the divisor is 0".to_owned(),
            Reason::Overflow => "it is too large to hold".to_owned(),
            Reason::MissingInput(index) => {
                let path = program.inputs.get(usize::from(index)).map(|input| input.path()).unwrap_or_default();
                format!("`{path}` is not given")
            }
            Reason::InputGap(index, gap) => {
                let path = program.inputs.get(usize::from(index)).map(|input| input.path()).unwrap_or_default();
                format!("`{path}` {}", gap.meaning())
            }
            Reason::NotYet(index) => {
                let name = program.parameters.get(usize::from(index)).map_or("", |parameter| parameter.name.as_str());
                format!("the day is before the first value of `${name}`")
            }
            Reason::NoRow(index) => format!("no row of the table `{}` matches", table(index)),
            Reason::ManyRows(index) => format!("more than one row of the table `{}` matches", table(index)),
            Reason::NoBin(index) => {
                let item = program.score_items.get(usize::from(index)).map_or("", |item| item.text.as_str());
                format!("no bin of the score's `{item}` matches")
            }
            Reason::NotGiven => "it has no value among those given".to_owned(),
            Reason::NoPrice => "these numbers give no price".to_owned(),
        }
    }
}
