//! The tables of results: their columns, their rows from decisions, and how a row is written.

use serde_json::Value;

use crate::base::csv_line::CsvLine;
use crate::base::date::Day;
use crate::base::money::{AmountUnit, Currency, amount_digits};
use crate::base::rational::Rational;
use crate::engine::decision::{Decision, OfferRecord};
use crate::rules::{Policies, PolicySet, Repr, Type, Unit};
use crate::run::batch::error::Error;
use crate::run::batch::job::{OutputFormat, OutputTable};

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnType {
    Text,
    Integer,
    /// Whole minor units. CSV, which people open, shows major units with these decimals.
    Money(u32),
    /// A mean of money, which may be a part of a minor unit, and a list of money: likewise.
    MoneyMean(u32),
    MoneyList(u32),
    Float,
    Boolean,
    Date,
}

/// A column of a table of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResultColumn {
    pub(crate) name: String,
    pub(crate) column_type: ColumnType,
    pub(crate) source: ColumnSource,
}

/// Where the values of a column are from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ColumnSource {
    /// The table's own values, by their name there.
    Own(&'static str),
    /// A metric.
    Metric(String),
    /// An output of the policy's tables.
    Output(String),
}

impl ResultColumn {
    pub(crate) fn own(name: &'static str, column_type: ColumnType) -> ResultColumn {
        ResultColumn { name: name.to_owned(), column_type, source: ColumnSource::Own(name) }
    }
}

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowFormat {
    /// One JSON object per line; for decisions, what `decide` prints.
    Objects,
    /// CSV.
    Csv,
    /// One JSON list per line. Parquet is made from these at the end.
    Lists,
}

impl RowFormat {
    pub(crate) fn for_output(format: OutputFormat) -> RowFormat {
        match format {
            OutputFormat::Ndjson => RowFormat::Objects,
            OutputFormat::Csv => RowFormat::Csv,
            OutputFormat::Parquet => RowFormat::Lists,
        }
    }
}

const KEY_COLUMNS: [(&str, ColumnType); 3] =
    [("customer", ColumnType::Text), ("statement", ColumnType::Text), ("as_of", ColumnType::Date)];

/// The columns of a table.
pub(crate) fn list_result_columns(
    table: OutputTable,
    policies: &Policies,
    row_format: RowFormat,
) -> Result<Vec<ResultColumn>, Error> {
    let shown = if row_format == RowFormat::Csv { shown_currency(policies) } else { None };
    let money = ColumnType::Money(shown.map_or(0, |currency| currency.exponent()));
    let column = |(name, column_type): &(&'static str, ColumnType)| ResultColumn::own(name, *column_type);
    let key_columns: &[(&'static str, ColumnType)] = if table == OutputTable::Failures { &[] } else { &KEY_COLUMNS };
    let mut columns: Vec<ResultColumn> = key_columns.iter().chain(&own_columns(table, money)).map(column).collect();
    let type_of = |ty: Type| match row_format {
        RowFormat::Csv => money_column_type(ty, shown.map_or(0, |currency| currency.exponent())),
        RowFormat::Objects | RowFormat::Lists => column_type(ty),
    };
    if table == OutputTable::Metrics {
        columns.extend(columns_of_all_metrics(policies, &type_of)?);
    }
    if let (OutputTable::Decisions, RowFormat::Csv, Some(at)) =
        (table, row_format, columns.iter().position(|column| column.source == ColumnSource::Own(GRADE)))
    {
        columns.splice(at..=at, columns_of_all_outputs(policies, &type_of));
    }
    if row_format == RowFormat::Csv {
        name_units(&mut columns, shown);
    }
    Ok(columns)
}

/// The column of a decision that holds the outputs of all tables as JSON. In CSV, each output is a column.
const GRADE: &str = "grade";

/// Puts the unit into the names of amounts, because nothing else in a CSV says it, and keeps names apart.
fn name_units(columns: &mut [ResultColumn], shown: Option<Currency>) {
    let unit = shown.map_or("minor".to_owned(), |currency| currency.alphabetic().to_lowercase());
    let mut taken = std::collections::HashSet::new();
    for column in columns {
        if matches!(column.column_type, ColumnType::Money(_) | ColumnType::MoneyMean(_) | ColumnType::MoneyList(_)) {
            column.name = format!("{}_{unit}", column.name);
        }
        while !taken.insert(column.name.clone()) {
            column.name = format!("output_{}", column.name);
        }
    }
}

/// The currency of all versions of the policy; `None` if they differ, and amounts stay in minor units.
pub(crate) fn shown_currency(policies: &Policies) -> Option<Currency> {
    let mut currencies = policies.policies().into_iter().map(|policy| policy.header().currency);
    let first = currencies.next()?;
    currencies.all(|other| other == first).then_some(first)
}

fn own_columns(table: OutputTable, money: ColumnType) -> Vec<(&'static str, ColumnType)> {
    use ColumnType::{Boolean, Float, Integer, Text};
    match table {
        OutputTable::Decisions => vec![
            ("policy", Text),
            ("version", Text),
            ("arm", Text),
            ("outcome", Text),
            ("reasons", Text),
            ("score", Float),
            (GRADE, Text),
            ("offers", Integer),
            ("amount_max", money),
            ("records", Integer),
            ("duplicates", Integer),
            ("balance_verdict", Text),
            ("warnings", Text),
            ("statement_digest", Text),
            ("policy_digest", Text),
        ],
        OutputTable::Offers => vec![
            ("offer", Integer),
            ("offer_id", Text),
            ("amount", money),
            ("interest", Float),
            ("payable", money),
            ("fee", money),
            ("tenure", Integer),
            ("terms", Text),
            ("expires", Text),
            ("currency", Text),
            ("part_payment", Boolean),
            ("rule", Text),
            ("instalment", money),
            ("instalments", Integer),
            ("due_dates", Text),
            ("rate_period", Text),
            ("apr", Float),
            ("effective_rate", Float),
        ],
        OutputTable::Metrics => vec![],
        OutputTable::Reasons => vec![("reason", Text), ("effect", Text), ("text", Text)],
        OutputTable::Failures => vec![("source", Text), ("customer", Text), ("place", Text), ("what", Text)],
    }
}

/// The metrics of all versions, each in the order of the first version that has it.
fn columns_of_all_metrics(
    policies: &Policies,
    type_of: &dyn Fn(Type) -> ColumnType,
) -> Result<Vec<ResultColumn>, Error> {
    let mut found: Vec<(String, Type)> = Vec::new();
    let mut known = std::collections::HashMap::new();
    for (name, ty) in policies.policies().into_iter().flat_map(|policy| policy.metrics()) {
        match known.insert(name.to_owned(), ty) {
            None => found.push((name.to_owned(), ty)),
            Some(before) if before == ty => {}
            Some(_) => {
                return Err(Error::Asked(format!(
                    "the metric `{name}` is of another type in another version of the policy, and one column cannot \
                     hold both; leave `metrics` out of --write"
                )));
            }
        }
    }
    let column = |(name, ty): (String, Type)| ResultColumn {
        name: name.clone(),
        column_type: type_of(ty),
        source: ColumnSource::Metric(name),
    };
    Ok(found.into_iter().map(column).collect())
}

/// The outputs of the tables of all versions, each in the order of the first version that has it. One of several types
/// is text.
fn columns_of_all_outputs(policies: &Policies, type_of: &dyn Fn(Type) -> ColumnType) -> Vec<ResultColumn> {
    let mut found: Vec<(String, ColumnType)> = Vec::new();
    for policy in policies.policies() {
        for output in policy.program.tables.iter().flat_map(|table| &table.outputs) {
            let column_type = type_of(policy.type_of(output.node));
            match found.iter_mut().find(|(name, _)| *name == output.name) {
                Some((_, known)) if *known == column_type => {}
                Some((_, known)) => *known = ColumnType::Text,
                None => found.push((output.name.clone(), column_type)),
            }
        }
    }
    let column = |(name, column_type): (String, ColumnType)| ResultColumn {
        name: name.clone(),
        column_type,
        source: ColumnSource::Output(name),
    };
    found.into_iter().map(column).collect()
}

/// The type of a column that shows money in major units.
fn money_column_type(ty: Type, decimals: u32) -> ColumnType {
    match ty.repr {
        _ if ty.unit != Unit::Money => column_type(ty),
        Repr::Int => ColumnType::Money(decimals),
        Repr::Rational | Repr::Float => ColumnType::MoneyMean(decimals),
        Repr::List => ColumnType::MoneyList(decimals),
        Repr::Boolean | Repr::Text => column_type(ty),
    }
}

fn column_type(ty: Type) -> ColumnType {
    match ty.repr {
        Repr::Int if ty.unit == Unit::Date => ColumnType::Date,
        Repr::Int | Repr::Rational | Repr::Float if ty.unit.is_iso() => ColumnType::Text,
        Repr::Int => ColumnType::Integer,
        Repr::Rational | Repr::Float => ColumnType::Float,
        Repr::Boolean => ColumnType::Boolean,
        Repr::Text | Repr::List => ColumnType::Text,
    }
}

fn key_values(decision: &Decision) -> Vec<Value> {
    vec![
        decision.customer.clone().into(),
        decision.statement.as_str().into(),
        decision.as_of.map(|day| day.to_string()).into(),
    ]
}

/// The rows of a decision in a table.
pub(crate) fn result_rows_of_decision(
    table: OutputTable,
    columns: &[ResultColumn],
    decision: &Decision,
) -> Vec<Vec<Value>> {
    let with = |own: Vec<Value>| key_values(decision).into_iter().chain(own).collect::<Vec<Value>>();
    match table {
        OutputTable::Decisions => vec![with(decision_values(columns, decision))],
        OutputTable::Offers => {
            let offers = decision.offers.iter().enumerate();
            offers.map(|(index, offer)| with(offer_values(index, offer))).collect()
        }
        OutputTable::Metrics => {
            let names = columns.iter().skip(KEY_COLUMNS.len());
            let value = |column: &ResultColumn| match &column.source {
                ColumnSource::Metric(name) => cell_of(column, decision.metrics.get(name)),
                ColumnSource::Own(_) | ColumnSource::Output(_) => Value::Null,
            };
            vec![with(names.map(value).collect())]
        }
        OutputTable::Reasons => {
            let reasons = decision.reasons.iter();
            reasons
                .map(|reason| {
                    let effect = serde_json::to_value(reason.effect).unwrap_or_default();
                    with(vec![reason.id.as_str().into(), effect, reason.text.as_str().into()])
                })
                .collect()
        }
        OutputTable::Failures => Vec::new(),
    }
}

/// A value for a column. Lists are text. Lists of money stay lists until they are written in major units.
fn cell_of(column: &ResultColumn, value: Option<&Value>) -> Value {
    match value {
        None => Value::Null,
        Some(list @ Value::Array(_)) if !matches!(column.column_type, ColumnType::MoneyList(_)) => {
            list.to_string().into()
        }
        Some(value) => value.clone(),
    }
}

/// The values of a decision: its own, and the outputs that have columns.
fn decision_values(columns: &[ResultColumn], decision: &Decision) -> Vec<Value> {
    let names = own_columns(OutputTable::Decisions, ColumnType::Money(0));
    let mut own: Vec<(&str, Value)> = names.iter().map(|(name, _)| *name).zip(own_decision_values(decision)).collect();
    let value = |column: &ResultColumn| match &column.source {
        ColumnSource::Output(name) => Some(cell_of(column, decision.grade.get(name))),
        ColumnSource::Own(name) => {
            own.iter_mut().find(|(known, _)| known == name).map(|(_, value)| std::mem::take(value))
        }
        ColumnSource::Metric(_) => None,
    };
    // Columns that other tables add to those of decisions have no values here.
    columns.iter().skip(KEY_COLUMNS.len()).filter_map(value).collect()
}

fn own_decision_values(decision: &Decision) -> Vec<Value> {
    let reasons: Vec<&str> = decision.reasons.iter().map(|reason| reason.id.as_str()).collect();
    let outcome = decision.outcome.word().into();
    let grade = match decision.grade.is_empty() {
        true => Value::Null,
        false => serde_json::to_string(&decision.grade).unwrap_or_default().into(),
    };
    vec![
        decision.policy.name.as_str().into(),
        decision.policy.version.as_str().into(),
        decision.arm.map_or(Value::Null, |arm| serde_json::to_value(arm).unwrap_or_default()),
        outcome,
        reasons.join(";").into(),
        decision.score.into(),
        grade,
        decision.offers.len().into(),
        decision.offers.iter().map(|offer| offer.amount_offered).max().into(),
        decision.quality.records.into(),
        decision.quality.duplicates.into(),
        decision.quality.balance_verdict.word().into(),
        decision.quality.warnings.join("; ").into(),
        decision.digests.statement.to_string().into(),
        decision.policy.digest.to_string().into(),
    ]
}

fn offer_values(index: usize, offer: &OfferRecord) -> Vec<Value> {
    vec![
        (index + 1).into(),
        offer.offer_id.as_str().into(),
        offer.amount_offered.into(),
        offer.interest.into(),
        offer.amount_payable.into(),
        offer.fee.into(),
        offer.tenure.into(),
        offer.terms.as_str().into(),
        offer.expiry_date.as_str().into(),
        offer.currency.as_str().into(),
        offer.is_part_payment_allowed.into(),
        offer.rule.as_str().into(),
        offer.instalment.into(),
        offer.instalments.into(),
        offer.due_dates.as_deref().map(due_dates).into(),
        offer.rate_period.clone().into(),
        offer.apr.into(),
        offer.effective_rate.into(),
    ]
}

/// `2026-07-30;2026-08-29`
fn due_dates(days: &[Day]) -> String {
    days.iter().map(Day::to_string).collect::<Vec<_>>().join(";")
}

/// Writes the header, in formats that have one.
pub(crate) fn write_header(columns: &[ResultColumn], row_format: RowFormat, into: &mut Vec<u8>) {
    if row_format == RowFormat::Csv {
        let mut line = CsvLine::default();
        columns.iter().for_each(|column| line.push_text(&column.name));
        into.extend_from_slice(line.take_line().as_bytes());
    }
}

/// Writes a row.
pub(crate) fn write_row(columns: &[ResultColumn], row: &[Value], row_format: RowFormat, into: &mut Vec<u8>) {
    match row_format {
        RowFormat::Objects => {
            for (at, (column, value)) in columns.iter().zip(row).enumerate() {
                into.push(if at == 0 { b'{' } else { b',' });
                write_json(&Value::from(column.name.as_str()), into);
                into.push(b':');
                write_json(value, into);
            }
            into.push(b'}');
        }
        RowFormat::Csv => {
            let mut line = CsvLine::default();
            columns.iter().zip(row).for_each(|(column, value)| push_csv_value(column.column_type, value, &mut line));
            into.extend_from_slice(line.take_line().as_bytes());
            return;
        }
        RowFormat::Lists => {
            for (at, value) in row.iter().enumerate() {
                into.push(if at == 0 { b'[' } else { b',' });
                write_json(value, into);
            }
            into.push(b']');
        }
    }
    into.push(b'\n');
}

fn push_csv_value(column_type: ColumnType, value: &Value, line: &mut CsvLine) {
    match (column_type, value.as_i64()) {
        (ColumnType::Money(decimals), Some(minor)) => {
            line.push_plain(&amount_digits(minor, AmountUnit::Major, decimals));
        }
        (ColumnType::MoneyMean(decimals) | ColumnType::MoneyList(decimals), _) => {
            line.push_json(&amounts_in_major(value, decimals));
        }
        _ => line.push_json(value),
    }
}

/// Amounts in minor units, which need not be whole, in major ones.
fn amounts_in_major(value: &Value, decimals: u32) -> Value {
    let major = |number: &serde_json::Number| {
        let major = Rational::parse(&number.to_string())?.divided_by(&Rational::from(10_i64.checked_pow(decimals)?))?;
        match major.to_i64() {
            Some(whole) => Some(whole.into()),
            None => serde_json::Number::from_f64(major.to_f64()).map(Value::Number),
        }
    };
    match value {
        Value::Number(number) => major(number).unwrap_or_else(|| value.clone()),
        Value::Array(items) => items.iter().map(|item| amounts_in_major(item, decimals)).collect(),
        other => other.clone(),
    }
}

fn write_json(value: &Value, into: &mut Vec<u8>) {
    // Writing values to memory does not fail.
    let _ = serde_json::to_writer(into, value);
}
