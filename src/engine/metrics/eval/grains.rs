//! The grains of a run: the rows of each, coarser values broadcast to finer rows, and aggregates of finer rows. Knows
//! no operation on single rows.

use std::borrow::Cow;
use std::ops::Range;

use smallvec::SmallVec;

use super::evaluate::{Run, failed_statements};
use crate::engine::metrics::Error;
use crate::engine::metrics::column::{Few, Reason, RowIndices, ValueColumn, from_values, gather_rows};
use crate::engine::metrics::ops::aggregate::{self, Input, Slice};
use crate::engine::metrics::ops::group_aggregate::aggregate_groups;
use crate::engine::metrics::source::{Grouping, columns};
use crate::rules::graph::{Aggregate, Grain, Group, Node};
use crate::rules::program::Value;

/// The checker refuses what mixes entries with anything else.
const APART: Error = Error::Internal("a value of entries and of something else");

impl<'a> Run<'a, '_> {
    /// The groups of one kind.
    pub(in crate::engine::metrics) fn grouping(&self, group: Group) -> Result<&'a Grouping, Error> {
        self.groups.grouping(group)
    }

    /// The number of rows of a grain.
    pub(in crate::engine::metrics) fn rows(&self, grain: Grain) -> Result<usize, Error> {
        Ok(match grain {
            Grain::Constant => 1,
            Grain::Statement => self.slice.heads.len(),
            Grain::Group(group) => self.grouping(group)?.len(),
            Grain::Transaction => self.slice.row_count,
            Grain::Entry(input) => self.slice.heads.len() * self.entries(input).len(),
            Grain::Apart => return Err(APART),
        })
    }

    /// The entries of a list given beside the statement.
    pub(in crate::engine::metrics) fn entries(&self, input: usize) -> &[Value] {
        columns::entries_of_list(self.given_input(input).ok())
    }

    /// The rows of each statement that count.
    pub(in crate::engine::metrics) fn statements(&self, grain: Grain) -> Result<Cow<'_, [Range<usize>]>, Error> {
        Ok(match grain {
            Grain::Group(group) => Cow::Borrowed(&self.grouping(group)?.statements),
            // Each statement has all of them.
            Grain::Entry(input) => {
                let count = self.entries(input).len();
                (0..self.slice.heads.len()).map(|statement| statement * count..(statement + 1) * count).collect()
            }
            _ => Cow::Borrowed(&self.slice.rows),
        })
    }

    /// The statement in which a row counts; `None` for a record after `as_of`.
    pub(in crate::engine::metrics) fn statement_of(&self, grain: Grain, row: usize) -> Result<Option<u32>, Error> {
        if let Grain::Group(group) = grain {
            return Ok(Some(self.grouping(group)?.statement_of(row)));
        }
        if let Grain::Entry(input) = grain {
            return Ok(Some((row / self.entries(input).len().max(1)) as u32));
        }
        let statement = self.slice.statement_of_row(row);
        Ok(self.slice.rows[statement as usize].contains(&row).then_some(statement))
    }

    /// The statements that a row of a column of `rows` values affects. A single value affects every statement with rows
    /// that count.
    pub(in crate::engine::metrics) fn statements_of(
        &self,
        grain: Grain,
        row: usize,
        rows: usize,
    ) -> Result<Vec<u32>, Error> {
        if rows == self.rows(grain)? {
            return Ok(self.statement_of(grain, row)?.into_iter().collect());
        }
        let statements = self.statements(grain)?;
        let counted = statements.iter().enumerate().filter(|(_, rows)| !rows.is_empty());
        Ok(counted.map(|(statement, _)| statement as u32).collect())
    }

    /// Broadcasts a value to every row of a finer grain.
    pub(in crate::engine::metrics) fn spread(
        &self,
        input: &ValueColumn<'a>,
        node: &Node,
    ) -> Result<ValueColumn<'a>, Error> {
        let from = self.program.graph.node(node.inputs[0]).grain;
        // There is no group, and every record is after as_of: nothing is known.
        let rows = self.rows(node.grain)?;
        if input.len() == 0 && rows > 0 {
            let unknown = from_values(vec![Err(Reason::NoValue); rows], node.ty.repr);
            return Ok(ValueColumn { reasons: Few::new(), failed: input.failed.clone(), ..unknown });
        }
        let spread = match (from, node.grain) {
            // One value stands for all rows, so nothing is copied.
            (Grain::Constant | Grain::Statement, _) if input.len() == 1 => input.clone(),
            (Grain::Statement, Grain::Group(group)) => gather_rows(input, self.grouping(group)?.statement_of_groups()),
            (Grain::Statement, Grain::Entry(list)) => {
                let count = self.entries(list).len();
                gather_rows(input, &RowIndices::new((0..rows).map(|row| (row / count.max(1)) as u32).collect()))
            }
            (Grain::Statement, Grain::Transaction) => gather_rows(input, self.groups.statement_of_rows()),
            (Grain::Group(group), Grain::Transaction) => gather_rows(input, self.groups.group_of_rows(group)?),
            _ => input.clone(),
        };
        Ok(if node.grain <= Grain::Statement { spread } else { ValueColumn { reasons: Few::new(), ..spread } })
    }

    /// Aggregates finer rows into one value per statement or group.
    pub(in crate::engine::metrics) fn aggregate(
        &self,
        node: &Node,
        function: Aggregate,
        arguments: usize,
        filtered: bool,
        inputs: &[&ValueColumn<'a>],
    ) -> Result<ValueColumn<'a>, Error> {
        let graph = &self.program.graph;
        let sources: SmallVec<[&Node; 4]> = node.inputs.iter().map(|input| graph.node(*input)).collect();
        // Constants serve every row. Without other inputs, records are aggregated.
        let finest = graph.finest(&node.inputs);
        let from = if finest > Grain::Statement { finest } else { Grain::Transaction };
        let given = &inputs[..arguments];
        let filter = filtered.then(|| inputs[arguments]);
        let mask = aggregate::mask_counted_rows(filter, given, self.rows(from)?);
        let input = Input { function, arguments: given, mask };
        let failed = failed_statements(inputs);
        if let Grain::Group(group) = node.grain {
            return Ok(aggregate_groups(
                self.grouping(group)?,
                self.groups.group_of_rows(group)?,
                &input,
                failed,
                node.ty.repr,
            ));
        }
        let needs = sources.iter().fold(Default::default(), |needs, source| source.needs.and(needs));
        let statements = self.statements(from)?;
        let missing = match from {
            Grain::Entry(input) => self.given_input(input).err(),
            _ => None,
        };
        let results = (0..self.slice.heads.len()).map(|statement| {
            if let Some(missing) = missing {
                return Err(missing);
            }
            if needs.debit && !self.slice.has_debit[statement] {
                return Err(Reason::NeedsDebit);
            }
            if needs.balance && !self.slice.has_balance[statement] {
                return Err(Reason::NeedsBalance);
            }
            if needs.narration && !self.slice.has_narration[statement]
                || needs.names && !self.slice.has_names[statement]
            {
                return Err(Reason::NeedsNarration);
            }
            // A filter's values of the statement must be known. Otherwise omitting rows would be a guess.
            let constants = inputs.iter().zip(&sources).filter(|(_, source)| source.grain <= Grain::Statement);
            if let Some((unknown, _)) = constants.into_iter().find(|(input, _)| !input.is_known(statement)) {
                return Err(unknown.reason(statement));
            }
            let mut spreads = sources.iter().flat_map(|source| &source.spreads);
            if let Some(unknown) =
                spreads.find_map(|spread| self.columns.get(*spread).filter(|it| !it.is_known(statement)))
            {
                return Err(unknown.reason(statement));
            }
            if failed.binary_search(&(statement as u32)).is_ok() {
                return Err(Reason::Overflow);
            }
            input.over(&Slice::Range(statements[statement].clone()))
        });
        Ok(from_values(results, node.ty.repr))
    }
}
