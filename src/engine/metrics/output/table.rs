//! The metrics table: one row per statement, one column per metric.

use std::collections::{BTreeMap, HashMap, HashSet};

use polars::prelude::*;
use rayon::prelude::*;

use super::polars_convert::values_column;
use crate::base::date::Day;
use crate::engine::metrics::Error;
use crate::engine::metrics::column::Reason;
use crate::engine::metrics::eval::evaluate_program;
use crate::engine::metrics::source::{GivenInputs, Groups, StatementSlice, cut_into_morsels};
use crate::rules::given_metrics::nodes_behind_given_metrics;
use crate::rules::program::Value;
use crate::rules::{Policy, PolicySet, Type};
use crate::statement::Statements;

/// Metrics of every statement as of a day, or as of the last record of each: `customer`, `statement`, `as_of`, then the
/// metrics in the order of the rule files. Money is in minor units, a time or a duration is text; an unknown is null.
/// What follows from a given metric is left out.
///
/// # Errors
/// Only if the frame was not made by [`crate::statement`].
pub fn table(policies: &dyn PolicySet, statements: &Statements, as_of: Option<Day>) -> Result<DataFrame, Error> {
    let mut names = list_metric_names(policies)?;
    for version in policies.versions() {
        let is_given = nodes_behind_given_metrics(version);
        let given = version.program.metrics.iter().filter(|metric| is_given[metric.node.index()]);
        let given: HashSet<&str> = given.map(|metric| metric.name.as_str()).collect();
        names.retain(|(name, _)| !given.contains(name.as_str()));
    }
    let rows = evaluate_all_statements(policies, statements, as_of, &names)?;
    let heads = statements.heads();
    let customers: Vec<Option<&str>> = heads.iter().map(|head| head.customer.as_deref()).collect();
    let labels: Vec<&str> = heads.iter().map(|head| head.label.as_str()).collect();
    let days: Vec<Option<i32>> = rows.iter().map(|(day, _)| day.map(|day| day.days())).collect();
    let mut columns = vec![
        Column::new("customer".into(), customers),
        Column::new("statement".into(), labels),
        Column::new("as_of".into(), days).cast(&DataType::Date)?,
    ];
    for (index, (name, ty)) in names.iter().enumerate() {
        let values = rows.iter().map(|(_, metrics)| metrics[index].as_ref().ok());
        columns.push(values_column(name, *ty, values)?);
    }
    Ok(DataFrame::new(heads.len(), columns)?)
}

/// The metrics of one statement as typed values.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StatementMetrics {
    /// The customer, if the source names one.
    pub customer: Option<String>,
    /// The statement's file or reference.
    pub statement: String,
    /// The day of the metrics; `None` for an empty statement without a given day.
    pub as_of: Option<Day>,
    /// Every metric of the policy version of that day by its name, or why it is unknown, with the code that decisions
    /// have under `unknown`. [`Policy::metrics`] has the types, and with them the units of the values.
    pub values: BTreeMap<String, Result<Value, String>>,
}

/// The metrics of [`table`] as typed values, which are exact: a mean is a fraction here and a double in a table.
///
/// ```
/// use lendwright::{compile, metrics, read_json, reading, rules::Value};
///
/// let rules = r#"
/// [policy]
/// name = "small"
/// version = "1"
/// currency = "566"
/// time_zone = "Africa/Lagos"
///
/// [metric]
/// income = "SUM(credit)"
/// "#;
/// let policy = compile("small.toml", rules, &mut |_| Err("no other files".into()), &[])?;
/// let body = br#"[{"id": "1", "credit": 2500.50, "trans_date": "2026-06-30", "notes": {"desc": "SALARY"}}]"#;
/// let statements = read_json(body, "reference 1", &reading(&policy))?;
///
/// let metrics = &metrics::values(&policy, &statements, None)?[0];
/// assert_eq!(metrics.values["income"], Ok(Value::Int(250_050)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`table`].
pub fn values(
    policies: &dyn PolicySet,
    statements: &Statements,
    as_of: Option<Day>,
) -> Result<Vec<StatementMetrics>, Error> {
    let names = list_metric_names(policies)?;
    let rows = evaluate_all_statements(policies, statements, as_of, &names)?;
    let known: Vec<HashSet<&str>> =
        policies.versions().iter().map(|version| version.metrics().map(|(name, _)| name).collect()).collect();
    let named = statements.heads().iter().zip(rows).map(|(head, (as_of, values))| {
        let version = policies.version_on(as_of);
        let mut of_versions = policies.versions().iter().zip(&known);
        // `version_on` chooses among these.
        let (_, known) =
            of_versions.find(|(one, _)| std::ptr::eq(*one, version)).expect("INVARIANT: a version of the policy");
        let values = names.iter().zip(values).filter(|((name, _), _)| known.contains(name.as_str()));
        StatementMetrics {
            customer: head.customer.clone(),
            statement: head.label.clone(),
            as_of,
            values: values
                .map(|((name, _), value)| (name.clone(), value.map_err(|reason| reason.code(&version.program))))
                .collect(),
        }
    });
    Ok(named.collect())
}

/// Stacks tables of parts of one source, by the same policies, sorted by customer: the same as [`table`] of the whole.
///
/// # Errors
/// If the tables are of different policies.
pub fn stack(tables: Vec<DataFrame>) -> Result<DataFrame, Error> {
    let mut tables = tables.into_iter();
    let mut whole = tables.next().unwrap_or_default();
    if tables.len() == 0 {
        return Ok(whole);
    }
    for table in tables {
        whole.vstack_mut_owned(table)?;
    }
    whole.rechunk_mut();
    Ok(whole.sort(["customer"], SortMultipleOptions::default().with_maintain_order(true))?)
}

/// The metrics of all versions, in the order of the first version that has them.
fn list_metric_names(policies: &dyn PolicySet) -> Result<Vec<(String, Type)>, Error> {
    let mut names: Vec<(String, Type)> = Vec::new();
    let mut known: HashMap<&str, Type> = HashMap::new();
    for (name, ty) in policies.versions().iter().flat_map(Policy::metrics) {
        match known.insert(name, ty) {
            None => names.push((name.to_owned(), ty)),
            Some(before) if before == ty => {}
            Some(_) => return Err(Error::Types(name.to_owned())),
        }
    }
    Ok(names)
}

/// The metrics of every statement, in the order of the heads.
fn evaluate_all_statements(
    policies: &dyn PolicySet,
    statements: &Statements,
    as_of: Option<Day>,
    names: &[(String, Type)],
) -> Result<Vec<DatedMetrics>, Error> {
    let _span = tracing::debug_span!("metrics", metrics = names.len(), statements = statements.len()).entered();
    let rows: Vec<Vec<DatedMetrics>> = cut_into_morsels(statements)
        .into_par_iter()
        .map(|range| {
            let slice = StatementSlice::new(policies, statements, range, as_of)?;
            evaluate_statements(policies, &slice, names)
        })
        .collect::<Result<_, Error>>()?;
    Ok(rows.into_iter().flatten().collect())
}

/// The metrics of every statement by the version of its day. A metric that this version lacks is unknown.
fn evaluate_statements(
    policies: &dyn PolicySet,
    slice: &StatementSlice,
    names: &[(String, Type)],
) -> Result<Vec<DatedMetrics>, Error> {
    let mut rows: Vec<DatedMetrics> =
        slice.as_of.iter().map(|day| (*day, vec![Err(Reason::NoValue); names.len()])).collect();
    let columns: HashMap<&str, usize> = names.iter().enumerate().map(|(at, (name, _))| (name.as_str(), at)).collect();
    for version in policies.versions() {
        let is_of_version = |day: &Option<Day>| std::ptr::eq(policies.version_on(*day), version);
        if !slice.as_of.iter().any(is_of_version) {
            continue;
        }
        let groups = Groups::new(&version.program, slice);
        let evaluated = evaluate_program(&groups, &GivenInputs::default(), &|| ())?;
        for metric in &version.program.metrics {
            let Some(column) = columns.get(metric.name.as_str()).copied() else { continue };
            for (statement, (day, values)) in rows.iter_mut().enumerate() {
                if is_of_version(day) {
                    values[column] = evaluated.value(metric.node, statement);
                }
            }
        }
    }
    Ok(rows)
}

type DatedMetrics = (Option<Day>, Vec<Result<Value, Reason>>);
