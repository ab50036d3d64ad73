//! What aggregates counted: records and months, with what of each was counted and which of them decided. Knows no names but those of
//! months' values.

use std::collections::BTreeSet;
use std::ops::Range;

use super::explanation::{Counted, CountedMonth, CountedRecord, Figure};
use super::numbers::Numbers;
use crate::rules::ir::{Aggregate, Column, Grain, Node, NodeId, Op};
use crate::rules::program::{Value, compare};

impl Numbers<'_, '_> {
    /// The records or months that an aggregate counted.
    pub(super) fn counted(&mut self, node: NodeId) -> Counted {
        let program = &self.case.policy.program;
        let node = program.graph.node(node);
        let grain = node.inputs.iter().map(|input| program.graph.node(*input).grain).max();
        match grain {
            Some(Grain::Month) => Counted::Months(self.months(node)),
            _ => Counted::Records(self.counted_records(node)),
        }
    }

    /// The rows out of `from` that pass the filter and whose argument is known.
    fn rows(&self, node: &Node, from: Range<usize>) -> Vec<usize> {
        let Op::Aggregate { filtered, .. } = node.op else { return Vec::new() };
        let (values, filter) = arguments(node);
        let known = |row: usize| values.iter().all(|value| self.case.evaluated.value(*value, row).is_ok());
        let kept = |row: usize| {
            !filtered || filter.iter().all(|test| self.case.evaluated.value(*test, row) == Ok(Value::Boolean(true)))
        };
        from.filter(|row| known(*row) && kept(*row)).collect()
    }

    fn counted_records(&mut self, node: &Node) -> Vec<CountedRecord> {
        let (rows, first) = (self.rows(node, self.rows_that_count()), self.rows_that_count().start);
        self.used.extend(rows.iter().copied());
        let decides = self.deciding(node, &rows);
        let one = |row: usize| CountedRecord {
            row: row - first + 1,
            counts: self.derived(node, row),
            decides: decides.contains(&row),
        };
        rows.iter().map(|row| one(*row)).collect()
    }

    fn months(&mut self, node: &Node) -> Vec<CountedMonth> {
        let months = self.rows(node, self.case.view.month_ranges[self.case.statement].clone());
        let mut sums = Vec::new();
        let mut seen = BTreeSet::new();
        node.inputs.iter().for_each(|input| self.sums_of_records(*input, &mut seen, &mut sums));
        let (first, decides) = (self.rows_that_count().start, self.deciding(node, &months));
        let mut told = Vec::new();
        for month in months {
            let of_month = &self.case.view.months[month];
            let rows: BTreeSet<usize> = sums
                .iter()
                .flat_map(|sum| self.rows(self.case.policy.program.graph.node(*sum), of_month.rows.clone()))
                .collect();
            let name = of_month.start.to_string();
            told.push(CountedMonth {
                month: name.get(..7).unwrap_or(&name).to_owned(),
                counts: self.derived(node, month).or_else(|| self.tested(node, month)),
                decides: decides.contains(&month),
                rows: rows.iter().map(|row| row - first + 1).collect(),
            });
            self.used.extend(rows);
        }
        told
    }

    /// The rows whose value alone the aggregate gives: the greatest, the first. Of equal ones each is as good.
    fn deciding(&self, node: &Node, rows: &[usize]) -> BTreeSet<usize> {
        let Op::Aggregate { function, .. } = node.op else { return BTreeSet::new() };
        let by = match function {
            Aggregate::Min | Aggregate::Max => 0,
            Aggregate::ArgMin | Aggregate::ArgMax => 1,
            Aggregate::First => return rows.first().copied().into_iter().collect(),
            Aggregate::Last => return rows.last().copied().into_iter().collect(),
            _ => return BTreeSet::new(),
        };
        let Some(by) = node.inputs.get(by) else { return BTreeSet::new() };
        let value = |row: usize| self.case.evaluated.value(*by, row).ok();
        let wanted = match function {
            Aggregate::Min | Aggregate::ArgMin => std::cmp::Ordering::Less,
            _ => std::cmp::Ordering::Greater,
        };
        let (mut best, mut deciding) = (None, BTreeSet::new());
        for row in rows {
            let Some(value) = value(*row) else { continue };
            let order = best.as_ref().and_then(|best| compare(&value, best));
            if best.is_none() || order == Some(wanted) {
                best = Some(value);
                deciding.clear();
                deciding.insert(*row);
            } else if order == Some(std::cmp::Ordering::Equal) && by == &node.inputs[0] {
                deciding.insert(*row);
            }
        }
        deciding
    }

    /// The aggregates over a month's records that a month's value uses.
    fn sums_of_records(&self, node: NodeId, seen: &mut BTreeSet<NodeId>, sums: &mut Vec<NodeId>) {
        let graph = &self.case.policy.program.graph;
        let mut next = vec![node];
        while let Some(node) = next.pop() {
            let at = graph.node(node);
            if at.grain != Grain::Month || !seen.insert(node) {
                continue;
            }
            match at.op {
                Op::Aggregate { .. } => sums.push(node),
                _ => next.extend(at.inputs.iter().rev()),
            }
        }
    }

    /// What was aggregated, unless it is what is shown of every record anyway.
    fn derived(&self, node: &Node, row: usize) -> Option<Figure> {
        let (values, _) = arguments(node);
        let graph = &self.case.policy.program.graph;
        let shown = [Column::Credit, Column::Debit, Column::TransDate, Column::Description].map(Op::Column);
        if values.iter().all(|value| shown.contains(&graph.node(*value).op)) {
            return None;
        }
        self.figures(values.iter().map(|value| (None, *value)), row)
    }

    /// What a month was picked by, where nothing of it but that was counted.
    fn tested(&self, node: &Node, month: usize) -> Option<Figure> {
        let graph = &self.case.policy.program.graph;
        let (_, filter) = arguments(node);
        let (mut tested, mut seen, mut next) = (Vec::new(), BTreeSet::new(), filter.to_vec());
        while let Some(node) = next.pop() {
            let at = graph.node(node);
            if at.grain != Grain::Month || !seen.insert(node) {
                continue;
            }
            let name = self.case.policy.program.places.of_months.iter().find(|(_, known)| *known == node);
            match (name, &at.op) {
                (Some((name, _)), _) => tested.push((Some(name.as_str()), node)),
                (None, Op::Aggregate { .. } | Op::MonthColumn(_)) => tested.push((None, node)),
                _ => next.extend(at.inputs.iter().rev()),
            }
        }
        if tested.is_empty() { None } else { self.figures(tested.into_iter(), month) }
    }

    fn figures<'n>(&self, nodes: impl Iterator<Item = (Option<&'n str>, NodeId)>, row: usize) -> Option<Figure> {
        let one = |(name, node): (Option<&str>, NodeId)| {
            let Figure { value, text } = self.figure_of(node, &self.case.evaluated.value(node, row));
            Figure { value, text: name.map_or_else(|| text.clone(), |name| format!("{name} = {text}")) }
        };
        let mut figures: Vec<Figure> = nodes.map(one).collect();
        match figures.len() {
            0 => None,
            1 => figures.pop(),
            _ => Some(Figure {
                text: figures.iter().map(|figure| figure.text.as_str()).collect::<Vec<_>>().join(", "),
                value: figures.into_iter().map(|figure| figure.value).collect(),
            }),
        }
    }
}

/// The arguments of an aggregate, and its filter.
fn arguments(node: &Node) -> (&[NodeId], &[NodeId]) {
    match node.op {
        Op::Aggregate { arguments, .. } => node.inputs.split_at(arguments.min(node.inputs.len())),
        _ => (&[], &[]),
    }
}
