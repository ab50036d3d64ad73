//! What aggregates counted: records or groups, which value of each was counted, and which of them decided the result.
//! Knows no names except those of groups.

use std::collections::BTreeSet;

use super::explanation::{Counted, CountedGroup, CountedGroups, CountedRecord, Figure};
use super::numbers::Numbers;
use crate::engine::decision::format;
use crate::engine::metrics::Grouping;
use crate::rules::EntryField;
use crate::rules::graph::{Aggregate, Grain, Group, Neighbour, Node, NodeId, Op, TransactionColumn};
use crate::rules::program::{Value, compare_values, value_as_json};

impl Numbers<'_, '_> {
    /// The records or groups that an aggregate counted.
    pub(super) fn counted(&mut self, node: NodeId) -> Counted {
        let program = &self.case.policy.program;
        let node = program.graph.node(node);
        match program.graph.finest(&node.inputs) {
            Grain::Group(group) => {
                Counted::Groups(CountedGroups { of: group.word().into(), groups: self.groups(node, group) })
            }
            Grain::Entry(input) => {
                Counted::Groups(CountedGroups { of: "entry".into(), groups: self.entries(node, input) })
            }
            _ => Counted::Records(self.counted_records(node)),
        }
    }

    /// The entries of a list that were counted, by their number from 1.
    fn entries(&self, node: &Node, input: usize) -> Vec<CountedGroup> {
        let path = self.case.policy.program.inputs[input].path();
        let Some(Value::List(list)) = self.case.inputs.values.get(&path) else { return Vec::new() };
        let first = self.case.statement * list.len();
        let rows = self.rows(node, first..first + list.len());
        let decides = self.deciding(node, &rows);
        let one = |row: usize| CountedGroup {
            name: (row - first + 1).to_string(),
            counts: self.derived(node, row).or_else(|| self.fields(input, &list[row - first])),
            decides: decides.contains(&row),
            rows: Vec::new(),
        };
        rows.iter().map(|row| one(*row)).collect()
    }

    /// What an entry says, where nothing of it but its number was counted.
    fn fields(&self, input: usize, entry: &Value) -> Option<Figure> {
        let Value::Entry(values) = entry else { return None };
        let policy = self.case.policy;
        let fields = policy.program.inputs[input].fields.iter().zip(values.iter());
        let known: Vec<_> = fields.filter_map(|(field, value)| Some((field, value.as_ref()?))).collect();
        let shown = |(field, value): &(&EntryField, &Value)| {
            format!("{} {}", field.name, format::for_people(policy, field.ty, &Ok((*value).clone())))
        };
        let value = known.iter().map(|(field, value)| (field.name.clone(), value_as_json(field.ty, value))).collect();
        let text = known.iter().map(shown).collect::<Vec<_>>().join(", ");
        (!known.is_empty()).then_some(Figure { value: serde_json::Value::Object(value), text, approximate: false })
    }

    /// The rows of `from` that pass the filter and have known arguments.
    fn rows(&self, node: &Node, from: impl Iterator<Item = usize>) -> Vec<usize> {
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

    fn groups(&mut self, node: &Node, group: Group) -> Vec<CountedGroup> {
        let evaluated = self.case.evaluated;
        // The statement was evaluated with these groups.
        let Ok(grouping) = evaluated.grouping(group) else { return Vec::new() };
        let groups = self.rows(node, grouping.statements[self.case.statement].clone());
        let (values, filter) = arguments(node);
        let (mut sums, mut seen) = (Vec::new(), BTreeSet::new());
        values.iter().for_each(|value| self.sums_of_records((*value, false), &mut seen, &mut sums));
        // If no records of a counterparty or a stream were aggregated, the group counts as a whole.
        let as_a_whole = sums.is_empty() && !group.is_ordered();
        filter.iter().for_each(|test| self.sums_of_records((*test, false), &mut seen, &mut sums));
        let (first, decides) = (self.rows_that_count().start, self.deciding(node, &groups));
        let mut counted = Vec::new();
        for at in groups {
            let rows: BTreeSet<usize> = match as_a_whole {
                true => grouping.rows_of(at).collect(),
                false => sums.iter().flat_map(|sum| self.rows_of_sum(*sum, grouping, at)).collect(),
            };
            counted.push(CountedGroup {
                name: self.name_of_group(group, grouping, at),
                counts: self.derived(node, at).or_else(|| self.tested(node, at)),
                decides: decides.contains(&at),
                rows: rows.iter().map(|row| row - first + 1).collect(),
            });
            self.used.extend(rows);
        }
        counted
    }

    /// The records of a group that one of its aggregates counted. For a value carried forward, those of the group it
    /// came from.
    fn rows_of_sum(&self, (sum, carried): (NodeId, bool), grouping: &Grouping, group: usize) -> Vec<usize> {
        let first = grouping.statements[self.case.statement].start;
        let is_known = |group: &usize| self.case.evaluated.value(sum, *group).is_ok();
        let from = if carried { (first..=group).rev().find(is_known).unwrap_or(group) } else { group };
        self.rows(self.case.policy.program.graph.node(sum), grouping.rows_of(from))
    }

    fn name_of_group(&self, group: Group, grouping: &Grouping, at: usize) -> String {
        if group.is_ordered() {
            let day = grouping.calendar[at].start.to_string();
            return match group {
                Group::Month => day.get(..7).unwrap_or(&day).to_owned(),
                _ => day,
            };
        }
        let row = grouping.rows_of(at).next();
        row.and_then(|row| self.case.evaluated.counterparty(row).map(str::to_owned)).unwrap_or_default()
    }

    /// The rows that decide the aggregate: the greatest, the first. Equal rows all decide.
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
            let order = best.as_ref().and_then(|best| compare_values(&value, best));
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

    /// The aggregates over a group's records that a group's value uses, and whether each is carried from group to
    /// group.
    fn sums_of_records(&self, from: (NodeId, bool), seen: &mut BTreeSet<NodeId>, sums: &mut Vec<(NodeId, bool)>) {
        let graph = &self.case.policy.program.graph;
        let mut next = vec![from];
        while let Some((node, carried)) = next.pop() {
            let at = graph.node(node);
            if !matches!(at.grain, Grain::Group(_)) || !seen.insert(node) {
                continue;
            }
            let carried = carried || at.op == Op::Neighbour(Neighbour::Carried);
            match at.op {
                Op::Aggregate { .. } => sums.push((node, carried)),
                _ => next.extend(at.inputs.iter().rev().map(|input| (*input, carried))),
            }
        }
    }

    /// The aggregated values, unless every record shows them anyway.
    fn derived(&self, node: &Node, row: usize) -> Option<Figure> {
        let (values, _) = arguments(node);
        let graph = &self.case.policy.program.graph;
        let shown = [
            TransactionColumn::Credit,
            TransactionColumn::Debit,
            TransactionColumn::TransDate,
            TransactionColumn::Description,
        ]
        .map(Op::Column);
        if values.iter().all(|value| shown.contains(&graph.node(*value).op)) {
            return None;
        }
        self.figures(values.iter().map(|value| (None, *value)), row)
    }

    /// The values that selected a group, if nothing else of it was counted.
    fn tested(&self, node: &Node, group: usize) -> Option<Figure> {
        let graph = &self.case.policy.program.graph;
        let (_, filter) = arguments(node);
        let (mut tested, mut seen, mut next) = (Vec::new(), BTreeSet::new(), filter.to_vec());
        while let Some(node) = next.pop() {
            let at = graph.node(node);
            if !matches!(at.grain, Grain::Group(_)) || !seen.insert(node) {
                continue;
            }
            let name = self.case.policy.program.places.of_groups.iter().find(|(_, known)| *known == node);
            match (name, &at.op) {
                (Some((name, _)), _) => tested.push((Some(name.as_str()), node)),
                (None, Op::Aggregate { .. } | Op::GroupColumn(_)) => tested.push((None, node)),
                _ => next.extend(at.inputs.iter().rev()),
            }
        }
        if tested.is_empty() { None } else { self.figures(tested.into_iter(), group) }
    }

    fn figures<'n>(&self, nodes: impl Iterator<Item = (Option<&'n str>, NodeId)>, row: usize) -> Option<Figure> {
        let one = |(name, node): (Option<&str>, NodeId)| {
            let Figure { value, text, approximate } = self.figure_of(node, &self.case.evaluated.value(node, row));
            Figure { value, text: name.map_or_else(|| text.clone(), |name| format!("{name} = {text}")), approximate }
        };
        let mut figures: Vec<Figure> = nodes.map(one).collect();
        match figures.len() {
            0 => None,
            1 => figures.pop(),
            _ => Some(Figure {
                text: figures.iter().map(|figure| figure.text.as_str()).collect::<Vec<_>>().join(", "),
                approximate: figures.iter().any(|figure| figure.approximate),
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
