//! Where numbers come from: their definitions, the numbers they are made of, and the records or months that were counted. Knows
//! nothing of outcomes, nor of how it is shown.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::explanation::{Counted, CountedMonth, CountedRecord, Figure, Named, Number, NumberKind, Record};
use super::records::Records;
use crate::decision::decide::Case;
use crate::decision::say;
use crate::metrics::Reason;
use crate::rules::ir::{Column, Fact, Grain, Node, NodeId, Op};
use crate::rules::program::Value;

/// Decimals told beyond those of a reason: a value beside a bound must not look like the bound.
const MORE: usize = 2;

/// The same, of what somebody wrote: it has an end.
const WRITTEN: usize = 9;

/// Collects the numbers that are named, each once, and the records behind them.
pub(super) struct Numbers<'t, 'a> {
    pub case: &'t Case<'t, 'a>,
    records: &'t Records,
    told: Vec<Number>,
    by_name: BTreeMap<String, usize>,
    /// Expressions that count records, by the names they are told under.
    expressions: BTreeMap<String, NodeId>,
    /// Rows of the frame.
    used: BTreeSet<usize>,
}

/// What has a name and one value a statement.
struct Known {
    name: String,
    kind: NumberKind,
    formula: String,
    node: NodeId,
}

impl<'t, 'a> Numbers<'t, 'a> {
    pub(super) fn new(case: &'t Case<'t, 'a>, records: &'t Records) -> Self {
        Self {
            case,
            records,
            told: Vec::new(),
            by_name: BTreeMap::new(),
            expressions: BTreeMap::new(),
            used: BTreeSet::new(),
        }
    }

    /// All that were named, and the records behind them in their order.
    pub(super) fn done(self) -> (Vec<Number>, Vec<Record>) {
        let first = self.first_row();
        let records = self.used.iter().map(|row| self.records.record(*row, first)).collect();
        (self.told, records)
    }

    pub(super) fn days(&self) -> Vec<super::explanation::DayTotals> {
        self.records.by_day(self.rows_that_count())
    }

    /// The value of a node for people and programs.
    pub(super) fn figure(&self, node: NodeId) -> Figure {
        self.figure_of(node, &self.case.value(node))
    }

    /// What a node is called, if it has a name.
    pub(super) fn name(&self, node: NodeId) -> Option<String> {
        self.known(node, "").map(|known| known.name)
    }

    fn figure_of(&self, node: NodeId, value: &Result<Value, Reason>) -> Figure {
        let ty = self.case.policy.type_of(node);
        Figure { value: say::json(ty, value), text: say::finely(self.case.policy, ty, value, MORE) }
    }

    /// Tells of the numbers that an expression uses, and gives their names in the order in which it uses them. `text` is the
    /// expression as written.
    pub(super) fn of(&mut self, text: &str, node: NodeId) -> Vec<String> {
        let mut uses = Uses::default();
        self.uses(node, None, text, &mut uses);
        let mut names = Vec::new();
        if !uses.aggregates.is_empty() {
            let (kind, formula) = (NumberKind::Expression, folded(text));
            let name = self.own_name(&formula, node);
            names.push(name.clone());
            let counted = uses.aggregates.iter().map(|node| self.counted(*node)).collect();
            self.add(Number { name, kind, formula, figure: self.figure(node), made_of: Vec::new(), counted });
        }
        for known in uses.numbers {
            names.push(known.name.clone());
            self.tell(known);
        }
        names
    }

    /// The same text may mean something else in another file, or at another tenure: then it has a number.
    fn own_name(&mut self, text: &str, node: NodeId) -> String {
        let mut name = text.to_owned();
        let mut number = 1;
        while self.expressions.get(&name).is_some_and(|known| *known != node) {
            number += 1;
            name = format!("{text} ({number})");
        }
        self.expressions.insert(name.clone(), node);
        name
    }

    /// Tells of a metric; `false` where the policy has none of that name.
    pub(super) fn of_metric(&mut self, name: &str) -> bool {
        let program = &self.case.policy.program;
        let metric = program.metrics.iter().find(|metric| metric.name == name);
        metric.is_some_and(|metric| {
            let formula = folded(&metric.text);
            let name = metric.name.clone();
            self.tell(Known { name, kind: NumberKind::Metric, formula, node: metric.node });
            true
        })
    }

    /// The parameters that a text names, with their values of the day.
    pub(super) fn parameters(&self, text: &str) -> Vec<Named> {
        let policy = self.case.policy;
        // A file that is used under a name says `$limit` for its own `space.limit`. Where two could be meant, neither is told.
        let said = |name: &str| {
            let (_, own) = name.rsplit_once('.').unwrap_or(("", name));
            names(text, &format!("${name}")) || names(text, &format!("${own}"))
        };
        let own = |name: &str| name.rsplit_once('.').map_or(name, |(_, own)| own).to_owned();
        let alike = |one: &str| policy.parameters().iter().filter(|other| own(&other.name) == own(one)).count();
        let named = policy.parameters().iter().filter(|parameter| {
            let whole = format!("${}", parameter.name);
            said(&parameter.name) && (alike(&parameter.name) == 1 || (whole.contains('.') && names(text, &whole)))
        });
        let figure = |parameter: &crate::rules::program::Parameter| {
            let value = parameter.on(self.case.as_of()).map(|found| found.value.clone()).ok_or(Reason::NoValue);
            let figure = Figure {
                value: say::json(parameter.ty, &value),
                text: say::finely(policy, parameter.ty, &value, WRITTEN),
            };
            Named { name: format!("${}", parameter.name), figure }
        };
        named.map(figure).collect()
    }

    /// All records behind these numbers, by [`Record::row`].
    pub(super) fn rows_behind(&self, names: &[String]) -> Vec<usize> {
        let mut seen = BTreeSet::new();
        let mut rows = BTreeSet::new();
        let mut next: Vec<&str> = names.iter().map(String::as_str).collect();
        while let Some(name) = next.pop() {
            let Some(number) = self.by_name.get(name).filter(|at| seen.insert(**at)).map(|at| &self.told[*at]) else {
                continue;
            };
            next.extend(number.made_of.iter().map(String::as_str));
            for counted in &number.counted {
                match counted {
                    Counted::Records(records) => rows.extend(records.iter().map(|record| record.row)),
                    Counted::Months(months) => rows.extend(months.iter().flat_map(|month| &month.rows)),
                }
            }
        }
        rows.into_iter().collect()
    }

    fn add(&mut self, number: Number) {
        if !self.by_name.contains_key(&number.name) {
            self.by_name.insert(number.name.clone(), self.told.len());
            self.told.push(number);
        }
    }

    /// Tells of a number and of all that it is made of. A chain of them may be long, so this does not call itself.
    fn tell(&mut self, known: Known) {
        let mut next = vec![known];
        while let Some(known) = next.pop() {
            if self.by_name.contains_key(&known.name) {
                continue;
            }
            let uses = self.parts(&known);
            let made_of = uses.numbers.iter().map(|part| part.name.clone()).collect();
            let counted = uses.aggregates.iter().map(|node| self.counted(*node)).collect();
            next.extend(uses.numbers.into_iter().rev());
            let figure = self.figure(known.node);
            self.add(Number { name: known.name, kind: known.kind, formula: known.formula, figure, made_of, counted });
        }
    }

    fn parts(&self, known: &Known) -> Uses {
        let mut uses = Uses::default();
        match known.kind {
            NumberKind::Input | NumberKind::Fact => {}
            NumberKind::Score => {
                let items = &self.case.policy.program.score_items;
                items.iter().for_each(|item| self.uses(item.on, None, &item.text, &mut uses));
            }
            _ => self.uses(known.node, Some(known.node), &known.formula, &mut uses),
        }
        uses.numbers.retain(|part| part.name != known.name);
        uses
    }

    /// The named numbers and the aggregates that a statement's value uses, in the order in which it uses them. `whole` is the
    /// number whose parts are looked for.
    fn uses(&self, node: NodeId, whole: Option<NodeId>, text: &str, uses: &mut Uses) {
        let program = &self.case.policy.program;
        let at = program.graph.node(node);
        if at.grain == Grain::Constant || !uses.seen.insert(node) {
            return;
        }
        if whole != Some(node)
            && let Some(known) = self.known(node, text)
        {
            if !uses.numbers.iter().any(|other| other.name == known.name) {
                uses.numbers.push(known);
            }
            return;
        }
        if let Op::Aggregate { .. } = at.op {
            if !uses.aggregates.contains(&node) {
                uses.aggregates.push(node);
            }
            // What a filter compares with: `credit > 3 * credit_median`.
            let used = at.inputs.iter().flat_map(|input| &program.graph.node(*input).spreads);
            used.for_each(|used| self.uses(*used, whole, text, uses));
            return;
        }
        // The first input of `needs_months` counts months; it is not what the number is made of.
        let counting = usize::from(matches!(at.op, Op::NeedsMonths(_)));
        at.inputs.iter().skip(counting).for_each(|input| self.uses(*input, whole, text, uses));
    }

    /// What a node is called. Two names may stand for one node: then the one that the text says.
    fn known(&self, node: NodeId, text: &str) -> Option<Known> {
        let program = &self.case.policy.program;
        let of = |name: String, kind, formula| Some(Known { name, kind, formula, node });
        let mut metrics = program.metrics.iter().filter(|metric| metric.node == node);
        let said = metrics.clone().find(|metric| names(text, &metric.name)).or_else(|| metrics.next());
        if let Some(metric) = said {
            return of(metric.name.clone(), NumberKind::Metric, folded(&metric.text));
        }
        for table in &program.tables {
            if let Some(output) = table.outputs.iter().find(|output| output.node == node) {
                return of(output.name.clone(), NumberKind::Output, format!("table {}", table.name));
            }
        }
        match program.graph.node(node).op {
            _ if program.score.as_ref().is_some_and(|score| score.node == node) => {
                of("score".to_owned(), NumberKind::Score, "base + points of each item".to_owned())
            }
            Op::Input(index) => {
                let path = program.inputs.get(index)?.path();
                let whose = path.split('.').next().unwrap_or_default().to_owned();
                of(path, NumberKind::Input, format!("given by the {whose}"))
            }
            Op::Fact(fact) => of(fact_name(fact).to_owned(), NumberKind::Fact, "of the statement".to_owned()),
            _ => None,
        }
    }

    /// Row 0 of the statement in the frame.
    fn first_row(&self) -> usize {
        self.rows_that_count().start
    }

    fn rows_that_count(&self) -> Range<usize> {
        self.case.view.rows[self.case.statement].clone()
    }

    /// The records or months that an aggregate counted.
    fn counted(&mut self, node: NodeId) -> Counted {
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
        let Op::Aggregate { arguments, filtered, .. } = node.op else { return Vec::new() };
        let (values, filter) = node.inputs.split_at(arguments.min(node.inputs.len()));
        let known = |row: usize| values.iter().all(|value| self.case.evaluated.value(*value, row).is_ok());
        let kept = |row: usize| {
            !filtered || filter.iter().all(|test| self.case.evaluated.value(*test, row) == Ok(Value::Boolean(true)))
        };
        from.filter(|row| known(*row) && kept(*row)).collect()
    }

    fn counted_records(&mut self, node: &Node) -> Vec<CountedRecord> {
        let (rows, first) = (self.rows(node, self.rows_that_count()), self.first_row());
        self.used.extend(rows.iter().copied());
        rows.into_iter().map(|row| CountedRecord { row: row - first + 1, counts: self.derived(node, row) }).collect()
    }

    fn months(&mut self, node: &Node) -> Vec<CountedMonth> {
        let months = self.rows(node, self.case.view.month_ranges[self.case.statement].clone());
        let mut sums = Vec::new();
        let mut seen = BTreeSet::new();
        node.inputs.iter().for_each(|input| self.sums_of_records(*input, &mut seen, &mut sums));
        let first = self.first_row();
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
                counts: self.derived(node, month),
                rows: rows.iter().map(|row| row - first + 1).collect(),
            });
            self.used.extend(rows);
        }
        told
    }

    /// The aggregates over a month's records that a month's value uses.
    fn sums_of_records(&self, node: NodeId, seen: &mut BTreeSet<NodeId>, sums: &mut Vec<NodeId>) {
        let graph = &self.case.policy.program.graph;
        let at = graph.node(node);
        if at.grain != Grain::Month || !seen.insert(node) {
            return;
        }
        match at.op {
            Op::Aggregate { .. } => sums.push(node),
            _ => at.inputs.iter().for_each(|input| self.sums_of_records(*input, seen, sums)),
        }
    }

    /// What was aggregated, unless it is what is shown of every record anyway.
    fn derived(&self, node: &Node, row: usize) -> Option<Figure> {
        let Op::Aggregate { arguments, .. } = node.op else { return None };
        let values: Vec<NodeId> = node.inputs.iter().take(arguments).copied().collect();
        let graph = &self.case.policy.program.graph;
        let shown = [Column::Credit, Column::Debit, Column::TransDate, Column::Description].map(Op::Column);
        if values.iter().all(|value| shown.contains(&graph.node(*value).op)) {
            return None;
        }
        let figures = values.iter().map(|value| self.figure_of(*value, &self.case.evaluated.value(*value, row)));
        let mut figures: Vec<Figure> = figures.collect();
        match figures.len() {
            1 => figures.pop(),
            _ => Some(Figure {
                text: figures.iter().map(|figure| figure.text.as_str()).collect::<Vec<_>>().join(", "),
                value: figures.into_iter().map(|figure| figure.value).collect(),
            }),
        }
    }
}

/// What an expression uses.
#[derive(Default)]
struct Uses {
    seen: BTreeSet<NodeId>,
    numbers: Vec<Known>,
    aggregates: Vec<NodeId>,
}

fn fact_name(fact: Fact) -> &'static str {
    match fact {
        Fact::AsOf => "as_of",
        Fact::Duplicates => "duplicates_dropped",
        Fact::DateConflicts => "dates_in_conflict",
        Fact::DateRepaired => "dates_repaired",
        Fact::HasDebit => "has_debit",
        Fact::HasBalance => "has_balance",
    }
}

/// Whether a text says this name.
fn names(text: &str, name: &str) -> bool {
    let in_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '$');
    text.split(|letter| !in_name(letter)).any(|word| word.trim_end_matches('.') == name)
}

/// On one line.
pub(super) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
