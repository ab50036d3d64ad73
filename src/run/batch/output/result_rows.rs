//! The tables of results: their columns, their rows from decisions, and how a row is written.

use serde_json::Value;

use crate::base::date::Day;
use crate::base::money::{AmountUnit, Currency, amount_digits};
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
    Float,
    Boolean,
    Date,
}

/// A column of a table of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResultColumn {
    pub(crate) name: String,
    pub(crate) column_type: ColumnType,
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
    let column = |(name, column_type): &(&str, ColumnType)| ResultColumn {
        // The name says the unit, because nothing else in a CSV does.
        name: match shown {
            Some(currency) if *column_type == money => format!("{name}_{}", currency.alphabetic().to_lowercase()),
            None if *column_type == money && row_format == RowFormat::Csv => format!("{name}_minor"),
            _ => (*name).to_owned(),
        },
        column_type: *column_type,
    };
    let key_columns: &[(&str, ColumnType)] = if table == OutputTable::Failures { &[] } else { &KEY_COLUMNS };
    let mut columns: Vec<ResultColumn> = key_columns.iter().chain(&own_columns(table, money)).map(column).collect();
    if table == OutputTable::Metrics {
        columns.extend(columns_of_all_metrics(policies)?);
    }
    Ok(columns)
}

/// The currency of all versions of the policy; `None` if they differ, and amounts stay in minor units.
fn shown_currency(policies: &Policies) -> Option<Currency> {
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
            ("grade", Text),
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
fn columns_of_all_metrics(policies: &Policies) -> Result<Vec<ResultColumn>, Error> {
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
    Ok(found.into_iter().map(|(name, ty)| ResultColumn { name, column_type: column_type(ty) }).collect())
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
        OutputTable::Decisions => vec![with(decision_values(decision))],
        OutputTable::Offers => {
            let offers = decision.offers.iter().enumerate();
            offers.map(|(index, offer)| with(offer_values(index, offer))).collect()
        }
        OutputTable::Metrics => {
            let names = columns.iter().skip(KEY_COLUMNS.len());
            let value = |column: &ResultColumn| match decision.metrics.get(&column.name) {
                None => Value::Null,
                Some(list @ Value::Array(_)) => list.to_string().into(),
                Some(value) => value.clone(),
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

fn decision_values(decision: &Decision) -> Vec<Value> {
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
        let names: Vec<String> = columns.iter().map(|column| quote_csv_cell(&column.name)).collect();
        into.extend_from_slice(names.join(",").as_bytes());
        into.push(b'\n');
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
            for (at, (column, value)) in columns.iter().zip(row).enumerate() {
                if at > 0 {
                    into.push(b',');
                }
                match (column.column_type, value) {
                    (_, Value::Null) => {}
                    (ColumnType::Money(decimals), Value::Number(amount)) => match amount.as_i64() {
                        Some(minor) => {
                            into.extend_from_slice(amount_digits(minor, AmountUnit::Major, decimals).as_bytes());
                        }
                        None => write_json(value, into),
                    },
                    (_, Value::String(text)) => into.extend_from_slice(quote_csv_cell(text).as_bytes()),
                    (_, other) => write_json(other, into),
                }
            }
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

fn write_json(value: &Value, into: &mut Vec<u8>) {
    // Writing values to memory does not fail.
    let _ = serde_json::to_writer(into, value);
}

fn quote_csv_cell(text: &str) -> String {
    if text.is_empty() || text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
