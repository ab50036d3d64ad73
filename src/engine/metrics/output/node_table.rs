//! A table of chosen values of a policy, one row per statement: only what they need is computed.

use polars::prelude::{Column, DataFrame, DataType};
use rayon::prelude::*;

use super::polars_convert::to_series;
use crate::base::date::Day;
use crate::engine::metrics::Error;
use crate::engine::metrics::eval::evaluate_chosen;
use crate::engine::metrics::source::{GivenInputs, Groups, StatementSlice, cut_into_morsels};
use crate::rules::Policy;
use crate::rules::graph::NodeId;
use crate::rules::program::schedule::Schedule;
use crate::statement::Statements;

/// The values of `nodes`, each as a column with its name: `customer`, `statement`, `as_of`, then the nodes. Values are
/// written as in [`table`](super::table).
///
/// # Errors
/// Only if the frame was not made by [`crate::statement`].
pub(crate) fn node_table(
    policy: &Policy,
    statements: &Statements,
    as_of: Option<Day>,
    nodes: &[(String, NodeId)],
) -> Result<DataFrame, Error> {
    let schedule = Schedule::quick(&policy.program.graph, nodes.iter().map(|(_, node)| *node));
    let parts: Vec<(Vec<Option<Day>>, Vec<Column>)> = cut_into_morsels(statements)
        .into_par_iter()
        .map(|range| {
            let slice = StatementSlice::new(policy, statements, range, as_of)?;
            let columns = chosen(policy, &slice, nodes, &schedule)?;
            Ok((slice.as_of, columns))
        })
        .collect::<Result<_, Error>>()?;
    let heads = statements.heads();
    let customers: Vec<Option<&str>> = heads.iter().map(|head| head.customer.as_deref()).collect();
    let labels: Vec<&str> = heads.iter().map(|head| head.label.as_str()).collect();
    let days: Vec<Option<i32>> = parts.iter().flat_map(|(days, _)| days).map(|day| day.map(|day| day.days())).collect();
    let mut columns = vec![
        Column::new("customer".into(), customers),
        Column::new("statement".into(), labels),
        Column::new("as_of".into(), days).cast(&DataType::Date)?,
    ];
    let mut values: Vec<Column> = Vec::new();
    for (_, part) in parts {
        if values.is_empty() {
            values = part;
            continue;
        }
        for (column, more) in values.iter_mut().zip(part) {
            column.append_owned(more)?;
        }
    }
    if heads.is_empty() {
        let slice = StatementSlice::new(policy, statements, 0..0, as_of)?;
        values = chosen(policy, &slice, nodes, &schedule)?;
    }
    columns.extend(values);
    let mut frame = DataFrame::new(heads.len(), columns)?;
    frame.rechunk_mut();
    Ok(frame)
}

fn chosen(
    policy: &Policy,
    slice: &StatementSlice,
    nodes: &[(String, NodeId)],
    schedule: &Schedule,
) -> Result<Vec<Column>, Error> {
    let groups = Groups::new(&policy.program, slice);
    let evaluated = evaluate_chosen(&groups, &GivenInputs::default(), schedule)?;
    let column = |(name, node): &(String, NodeId)| {
        let column = evaluated.column(*node).ok_or(Error::Internal("a chosen value was not computed"))?;
        Ok(to_series(name, policy.type_of(*node), column, slice.heads.len())?)
    };
    nodes.iter().map(column).collect()
}
