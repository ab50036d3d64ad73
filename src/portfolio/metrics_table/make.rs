//! Computes a table of metrics from statements: only the columns that an earlier table does not have.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use polars::prelude::DataFrame;

use super::{Book, BookError, HEAD, is_replaceable, values_path};
use crate::base::date::Day;
use crate::engine::decision::stored_nodes;
use crate::engine::metrics;
use crate::rules::Policy;
use crate::rules::given_metrics::nodes_behind_given_metrics;
use crate::rules::graph::NodeId;
use crate::rules::node_keys::{InputValues, NodeKey, key_of, node_keys};
use crate::statement::Statements;

/// The columns of a table of metrics, and which of them are computed.
pub struct BookPlan<'p> {
    /// For each policy the values to compute.
    compute: Vec<(&'p Policy, Vec<(String, NodeId)>)>,
    /// Every column in order.
    pub columns: Vec<PlannedColumn>,
}

/// A column of a table of metrics.
pub struct PlannedColumn {
    /// Its name.
    pub name: String,
    /// The key of its formula.
    pub key: NodeKey,
    /// Its name in the earlier table, if that has it.
    pub before: Option<String>,
    /// Whether it is a metric of the rules; the others stand in a file of their own.
    pub is_metric: bool,
}

impl<'p> BookPlan<'p> {
    /// Plans a table from which each of these policies can be judged. Columns are named by the metrics of the first;
    /// values without a name there are named by their keys.
    pub fn new(policies: &[&'p Policy], earlier: Option<&Book>) -> BookPlan<'p> {
        let known = earlier.map(Book::keys).unwrap_or_default();
        let mut plan = BookPlan { compute: Vec::new(), columns: Vec::new() };
        let mut keys_seen = BTreeSet::new();
        for (at, policy) in policies.iter().enumerate() {
            let mut compute = Vec::new();
            for (name, node, key) in list_judged_values(policy) {
                // Two names of one formula are two columns of the first policy, and one value of all others.
                let is_new = keys_seen.insert(key);
                let (name, is_metric) = match name.filter(|_| at == 0) {
                    Some(name) => (name, true),
                    None if is_new => (name_of_unnamed_value(key), false),
                    None => continue,
                };
                // Its own name first: several metrics may have one formula.
                let has_own = earlier.is_some_and(|book| book.has(&name, key));
                let before = if has_own { Some(name.clone()) } else { known.get(&key).cloned() };
                if before.is_none() {
                    compute.push((name.clone(), node));
                }
                plan.columns.push(PlannedColumn { name, key, before, is_metric });
            }
            plan.compute.push((*policy, compute));
        }
        // Columns of earlier rules stay: an earlier policy can still be judged.
        for (key, name) in known {
            if keys_seen.insert(key) {
                plan.columns.push(PlannedColumn {
                    name: name_of_unnamed_value(key),
                    key,
                    before: Some(name),
                    is_metric: false,
                });
            }
        }
        plan
    }

    /// The plan of a table that has all its columns.
    pub fn of_columns(columns: Vec<PlannedColumn>) -> BookPlan<'p> {
        BookPlan { compute: Vec::new(), columns }
    }

    /// Whether there are columns for the file of values.
    pub fn has_values(&self) -> bool {
        self.columns.iter().any(|column| !column.is_metric)
    }

    /// # Errors
    /// If values are to be written and the name of their file is taken: nobody named that file, so it is not replaced.
    pub fn refuse_replacing_values(&self, path: &Path) -> Result<(), BookError> {
        let beside = values_path(path);
        if !self.has_values() || !beside.exists() || is_replaceable(&beside)? {
            return Ok(());
        }
        let what = format!("this name is for the values of `{}`: move the file or name another table", path.display());
        Err(BookError::Content { path: beside, what })
    }

    /// The names of the columns to compute.
    pub fn computed(&self) -> impl Iterator<Item = &str> {
        self.compute.iter().flat_map(|(_, columns)| columns).map(|(name, _)| name.as_str())
    }

    /// The key of each column.
    pub fn keys(&self) -> BTreeMap<NodeKey, String> {
        let mut keys = BTreeMap::new();
        for column in &self.columns {
            keys.entry(column.key).or_insert_with(|| column.name.clone());
        }
        keys
    }

    /// Computes what is missing for some statements: `customer`, `statement`, `as_of`, then the computed columns.
    pub fn table(&self, statements: &Statements, as_of: Option<Day>) -> Result<DataFrame, metrics::Error> {
        let mut table: Option<DataFrame> = None;
        for (policy, columns) in &self.compute {
            let part = metrics::node_table(policy, statements, as_of, columns)?;
            match &mut table {
                None => table = Some(part),
                Some(table) => {
                    let new: Vec<_> = part.columns().iter().skip(HEAD.len()).cloned().collect();
                    table.hstack_mut(&new)?;
                }
            }
        }
        Ok(table.unwrap_or_default())
    }

    /// The whole table: the computed columns beside those of the earlier one, in order.
    pub fn whole(&self, computed: DataFrame, earlier: Option<&DataFrame>) -> Result<DataFrame, String> {
        let wrong = |error: polars::error::PolarsError| error.to_string();
        let mut columns: Vec<_> = computed.columns().iter().take(HEAD.len()).cloned().collect();
        for PlannedColumn { name, before, .. } in &self.columns {
            let column = match before {
                None => computed.column(name).map_err(wrong)?.clone(),
                Some(before) => {
                    let earlier = earlier.ok_or("the earlier table was not read")?;
                    earlier.column(before).map_err(wrong)?.clone().with_name(name.into())
                }
            };
            columns.push(column);
        }
        DataFrame::new(computed.height(), columns).map_err(wrong)
    }
}

/// The values that a policy is judged by: its metrics by name, then what it takes from records without a name.
fn list_judged_values(policy: &Policy) -> Vec<(Option<String>, NodeId, NodeKey)> {
    let keys = node_keys(policy, InputValues::shared(&BTreeMap::new()));
    let is_given = nodes_behind_given_metrics(policy);
    let metrics = policy.program.metrics.iter().filter(|metric| !is_given[metric.node.index()]);
    let mut wanted: Vec<_> =
        metrics.map(|metric| (Some(metric.name.clone()), metric.node, key_of(&keys, metric.node))).collect();
    let named: BTreeSet<NodeId> = wanted.iter().map(|(_, node, _)| *node).collect();
    let others = stored_nodes(policy).into_iter().filter(|node| !named.contains(node) && !is_given[node.index()]);
    wanted.extend(others.map(|node| (None, node, key_of(&keys, node))));
    wanted
}

/// The key of the formula of each metric that records give.
pub fn metric_keys(policy: &Policy) -> BTreeMap<String, NodeKey> {
    let named = |(name, _, key): (Option<String>, NodeId, NodeKey)| name.map(|name| (name, key));
    list_judged_values(policy).into_iter().filter_map(named).collect()
}

/// The name of a column whose value has no name in the rules, or none any more.
fn name_of_unnamed_value(key: NodeKey) -> String {
    format!("value_{}", &key.to_string()[..12])
}

/// Whether two tables have the same statements, row by row.
pub fn same_rows(one: &DataFrame, other: &DataFrame) -> bool {
    HEAD.iter().all(|name| match (one.column(name), other.column(name)) {
        (Ok(one), Ok(other)) => one.equals_missing(other),
        _ => false,
    })
}
