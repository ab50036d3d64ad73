//! Where numbers come from: their definitions, the numbers they are made of, and the records or groups that were
//! counted. Knows neither outcomes nor presentation.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::explanation::{Counted, Figure, Named, Number, NumberKind, Record};
use super::records::Records;
use super::rounding_bounds::RoundingBounds;
use crate::engine::decision::case::StatementCase;
use crate::engine::decision::format;
use crate::engine::metrics::Reason;
use crate::rules::Repr;
use crate::rules::graph::{Fact, Grain, NodeId, Op};
use crate::rules::names::Sort;
use crate::rules::program::{Metric, Value};
use crate::rules::references::{References, on_one_line};

/// Decimals shown in addition to those of a reason.
const EXTRA_DECIMALS: usize = 2;

/// Collects the numbers that are used, each once, and the records behind them.
pub(super) struct Numbers<'t, 'a> {
    pub case: &'t StatementCase<'t, 'a>,
    records: &'t Records,
    numbers: Vec<Number>,
    by_name: BTreeMap<String, usize>,
    /// Aggregates without a name of their own, by the names they are shown under.
    expressions: BTreeMap<String, NodeId>,
    /// The rows of the frame that were counted.
    pub(super) used: BTreeSet<usize>,
    bounds: RoundingBounds,
    /// The indexes of each node's metrics.
    metrics: BTreeMap<NodeId, Vec<usize>>,
}

/// A named value with one value per statement.
#[derive(Clone)]
struct KnownNumber {
    name: String,
    kind: NumberKind,
    formula: String,
    references: References,
    node: NodeId,
}

impl<'t, 'a> Numbers<'t, 'a> {
    pub(super) fn new(case: &'t StatementCase<'t, 'a>, records: &'t Records) -> Self {
        let mut metrics: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
        for (at, metric) in case.policy.program.metrics.iter().enumerate() {
            metrics.entry(metric.node).or_default().push(at);
        }
        Self {
            case,
            records,
            numbers: Vec::new(),
            by_name: BTreeMap::new(),
            expressions: BTreeMap::new(),
            used: BTreeSet::new(),
            bounds: RoundingBounds::for_case(case),
            metrics,
        }
    }

    /// All collected numbers, and the records behind them in order.
    pub(super) fn into_parts(self) -> (Vec<Number>, Vec<Record>) {
        let first = self.rows_that_count().start;
        let records = self.used.iter().map(|row| self.records.record(*row, first)).collect();
        (self.numbers, records)
    }

    pub(super) fn days(&self) -> Vec<super::explanation::DayTotals> {
        self.records.by_day(self.rows_that_count())
    }

    /// The value of a node for people and programs.
    pub(super) fn figure(&self, node: NodeId) -> Figure {
        self.figure_of(node, &self.case.value(node))
    }

    /// The name of a node in an expression with these references, if it has one.
    pub(super) fn name(&self, node: NodeId, references: &References) -> Option<String> {
        self.known(node, None, references).into_iter().next().map(|known| known.name)
    }

    pub(super) fn figure_of(&self, node: NodeId, value: &Result<Value, Reason>) -> Figure {
        let (policy, ty) = (self.case.policy, self.case.policy.type_of(node));
        let graph = &policy.program.graph;
        let is_written = matches!(graph.node(graph.carried(node)).op, Op::Dated(_) | Op::Int(_) | Op::Rational(_));
        let more = if is_written { format::WRITTEN_DECIMALS } else { EXTRA_DECIMALS };
        let bounds = self.bounds.bounds_of(graph.carried(node));
        let approximate = ty.repr == Repr::Float && value.is_ok();
        Figure {
            value: format::value_or_null_as_json(ty, value),
            text: format::format_value_precisely(policy, ty, value, more, bounds),
            approximate,
        }
    }

    /// Adds the numbers that an expression uses. Returns their names in the order of use.
    pub(super) fn add_used_by(&mut self, references: &References, node: NodeId) -> Vec<String> {
        let mut uses = Uses::default();
        self.uses(node, None, references, &mut uses);
        let mut names = self.add_aggregates(&uses.aggregates);
        names.extend(self.add_list_questions(&uses.lists, references));
        for known in uses.numbers {
            if !names.contains(&known.name) {
                names.push(known.name.clone());
            }
            self.add_with_inputs(known);
        }
        names
    }

    /// Adds aggregates that have no name, as written. Returns the names they are shown under.
    fn add_aggregates(&mut self, aggregates: &[NodeId]) -> Vec<String> {
        let mut names = Vec::new();
        for node in aggregates {
            let formula = self.written(*node);
            let name = self.own_name(&formula, *node);
            names.push(name.clone());
            let (figure, counted) = (self.figure(*node), vec![self.counted(*node)]);
            let (kind, parameters, made_of) = (NumberKind::Expression, Vec::new(), Vec::new());
            self.add(Number { name, kind, formula, parameters, figure, made_of, counted });
        }
        names
    }

    /// Adds what lists say about values, without the values, because keys are personal. Returns the names they are
    /// shown under.
    fn add_list_questions(&mut self, questions: &[NodeId], references: &References) -> Vec<String> {
        let mut names = Vec::new();
        for node in questions {
            let program = &self.case.policy.program;
            let at = program.graph.node(*node);
            let Op::InList(list) = at.op else { continue };
            let list = program.lists.get(list).map_or("", |list| list.name.as_str());
            let value = at.inputs.first().and_then(|value| self.name(program.graph.carried(*value), references));
            let value = value.unwrap_or_else(|| "a value".to_owned());
            let formula = format!("in_list({list}, {value})");
            let name = self.own_name(&format!("`{value}` is on the list `{list}`"), *node);
            names.push(name.clone());
            let (kind, figure) = (NumberKind::Expression, self.figure(*node));
            let (parameters, made_of, counted) = (Vec::new(), Vec::new(), Vec::new());
            self.add(Number { name, kind, formula, parameters, figure, made_of, counted });
        }
        names
    }

    /// An aggregate as written in its file.
    fn written(&self, node: NodeId) -> String {
        let policy = self.case.policy;
        let span = policy.program.places.aggregates.get(&node);
        let text = span.and_then(|span| {
            let source = policy.sources().get(*span)?;
            // The span of a call ends before its last bracket.
            let from = source.text.get(span.start as usize..)?;
            from.get(..closed(from, (span.end - span.start) as usize))
        });
        // For a quoted text with escapes, the span is that of the whole text.
        let text = text.filter(|text| !text.starts_with(['"', '\'']));
        text.map_or_else(|| "an aggregate".to_owned(), on_one_line)
    }

    /// The same text may differ in meaning in another file, or for another tenure. Then a number is added.
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

    /// Adds a metric; `false` if the policy has none of that name.
    pub(super) fn add_metric(&mut self, name: &str) -> bool {
        let program = &self.case.policy.program;
        let metric = program.metrics.iter().find(|metric| metric.name == name);
        metric.is_some_and(|metric| {
            self.add_with_inputs(KnownNumber::metric(metric));
            true
        })
    }

    /// The parameters used by these references and by the values of records and groups they use, with their values of
    /// the day.
    pub(super) fn parameters(&self, references: &References) -> Vec<Named> {
        let policy = self.case.policy;
        let (mut references, mut at) = (references.clone(), 0);
        while let Some(name) = references.names.get(at) {
            let deeper = policy.program.places.references.get(name).cloned().unwrap_or_default();
            deeper.names.iter().for_each(|name| references.note(Sort::Value, name));
            deeper.parameters.iter().for_each(|name| references.note(Sort::Parameter, name));
            at += 1;
        }
        let named = references.parameters.iter().filter_map(|name| {
            let parameter = policy.parameters().iter().find(|parameter| parameter.name == *name)?;
            let found = parameter.on(self.case.as_of());
            let value = found.map(|found| found.value.clone()).ok_or(Reason::NoValue);
            let text = match &value {
                Ok(_) => format::format_value_precisely(policy, parameter.ty, &value, format::WRITTEN_DECIMALS, &[]),
                Err(_) => format!("unknown (no_value_yet_for_{name})"),
            };
            Some(Named {
                name: format!("${name}"),
                figure: Figure::exact(format::value_or_null_as_json(parameter.ty, &value), text),
            })
        });
        named.collect()
    }

    /// All records behind these numbers, by [`Record::row`].
    pub(super) fn rows_behind(&self, names: &[String]) -> Vec<usize> {
        let mut seen = BTreeSet::new();
        let mut rows = BTreeSet::new();
        let mut next: Vec<&str> = names.iter().map(String::as_str).collect();
        while let Some(name) = next.pop() {
            let Some(number) = self.by_name.get(name).filter(|at| seen.insert(**at)).map(|at| &self.numbers[*at])
            else {
                continue;
            };
            next.extend(number.made_of.iter().map(String::as_str));
            for counted in &number.counted {
                match counted {
                    Counted::Records(records) => rows.extend(records.iter().map(|record| record.row)),
                    Counted::Groups(counted) => rows.extend(counted.groups.iter().flat_map(|group| &group.rows)),
                }
            }
        }
        rows.into_iter().collect()
    }

    fn add(&mut self, number: Number) {
        if !self.by_name.contains_key(&number.name) {
            self.by_name.insert(number.name.clone(), self.numbers.len());
            self.numbers.push(number);
        }
    }

    /// Adds a number and all that it is made of. Not recursive, because a chain of numbers may be long.
    fn add_with_inputs(&mut self, known: KnownNumber) {
        let mut next = vec![known];
        while let Some(known) = next.pop() {
            if self.by_name.contains_key(&known.name) {
                continue;
            }
            let uses = self.parts(&known);
            let value = self.case.value(known.node);
            // If a number only passes on an aggregate, the aggregate is the number itself.
            let (mut made_of, counted) = match uses.aggregates.as_slice() {
                [one] if self.case.value(*one) == value => (Vec::new(), vec![self.counted(*one)]),
                aggregates => (self.add_aggregates(aggregates), Vec::new()),
            };
            made_of.extend(self.add_list_questions(&uses.lists, &known.references));
            made_of.extend(uses.numbers.iter().map(|part| part.name.clone()));
            next.extend(uses.numbers.into_iter().rev());
            let (figure, parameters) = (self.figure(known.node), self.parameters(&known.references));
            let KnownNumber { name, kind, formula, .. } = known;
            self.add(Number { name, kind, formula, parameters, figure, made_of, counted });
        }
    }

    fn parts(&self, known: &KnownNumber) -> Uses {
        let mut uses = Uses::default();
        match known.kind {
            NumberKind::Input | NumberKind::Fact => {}
            NumberKind::Score => {
                let items = &self.case.policy.program.score_items;
                items.iter().for_each(|item| self.uses(item.on, None, &item.references, &mut uses));
            }
            _ => self.uses(known.node, Some((known.node, &known.name)), &known.references, &mut uses),
        }
        uses
    }

    /// The named numbers and the aggregates that a statement's value uses, in the order of use. `whole` is the number
    /// whose parts are collected.
    fn uses(&self, node: NodeId, whole: Option<(NodeId, &str)>, references: &References, uses: &mut Uses) {
        let program = &self.case.policy.program;
        let mut next = vec![node];
        while let Some(node) = next.pop() {
            let at = program.graph.node(node);
            if at.grain == Grain::Constant || !uses.seen.insert(node) {
                continue;
            }
            let known = self.known(node, whole, references);
            if matches!(at.op, Op::Dated(_)) {
                // A parameter is shown among the parameters, unless the reference uses another name.
                uses.numbers.extend(known.into_iter().filter(|known| references.names.contains(&known.name)));
            } else if !known.is_empty() {
                uses.numbers.extend(known);
            } else if let Op::Aggregate { .. } = at.op {
                uses.aggregates.push(node);
                // The values that a filter compares with: `credit > 3 * credit_median`.
                next.extend(at.inputs.iter().rev().flat_map(|input| program.graph.node(*input).spreads.iter().rev()));
            } else if let Op::InList(_) = at.op {
                uses.lists.push(node);
            } else {
                // The first input of `needs_months` counts months; the number is not made of it.
                let counting = usize::from(matches!(at.op, Op::NeedsMonths(_)));
                next.extend(at.inputs.iter().skip(counting).rev());
            }
        }
    }

    /// The names of a node: those in the references, if it has several; else its own. `whole` is not a part of itself,
    /// so it has only other names that are referenced.
    fn known(&self, node: NodeId, whole: Option<(NodeId, &str)>, references: &References) -> Vec<KnownNumber> {
        let program = &self.case.policy.program;
        let own = self.own(node);
        let places = self.metrics.get(&node).map_or(&[][..], Vec::as_slice);
        let metrics = places.iter().map(|at| &program.metrics[*at]);
        let all = metrics.clone().map(KnownNumber::metric).chain(own.clone());
        let whole = whole.filter(|(whole, _)| *whole == node).map(|(_, name)| name);
        let is_referenced =
            |known: &KnownNumber| references.names.contains(&known.name) && Some(known.name.as_str()) != whole;
        let by_name: Vec<KnownNumber> = all.filter(is_referenced).collect();
        match whole {
            _ if !by_name.is_empty() => by_name,
            Some(_) => Vec::new(),
            None => own.or_else(|| metrics.map(KnownNumber::metric).next()).into_iter().collect(),
        }
    }

    /// A node's own name, whatever other names a policy gives it.
    fn own(&self, node: NodeId) -> Option<KnownNumber> {
        let program = &self.case.policy.program;
        let known = |name: String, kind, formula| {
            Some(KnownNumber { name, kind, formula, references: References::default(), node })
        };
        match program.graph.node(node).op {
            Op::Output(table, output) => {
                let table = program.tables.get(table)?;
                known(table.outputs.get(output)?.name.clone(), NumberKind::Output, format!("table {}", table.name))
                    .map(|known| KnownNumber { references: table.references.clone(), ..known })
            }
            Op::Score => known("score".to_owned(), NumberKind::Score, "base + points of each item".to_owned()),
            Op::Input(index) => {
                let path = program.inputs.get(index)?.path();
                let whose = path.split('.').next().unwrap_or_default().to_owned();
                known(path, NumberKind::Input, format!("given by the {whose}"))
            }
            Op::Fact(fact) => known(fact_name(fact).to_owned(), NumberKind::Fact, "of the statement".to_owned()),
            _ => None,
        }
    }

    /// Whether the record at a row of the frame is money in.
    pub(super) fn brings_money(&self, row: usize) -> bool {
        self.records.brings_money(row)
    }

    /// The statement's rows of the frame that count.
    pub(super) fn rows_that_count(&self) -> Range<usize> {
        self.case.slice.rows[self.case.statement].clone()
    }
}

impl KnownNumber {
    fn metric(metric: &Metric) -> Self {
        let (name, formula) = (metric.name.clone(), on_one_line(&metric.text));
        Self { name, kind: NumberKind::Metric, formula, references: metric.references.clone(), node: metric.node }
    }
}

/// The end of a call's last bracket, from `least` on; the span of `COUNT(*)` is that of its name.
fn closed(text: &str, least: usize) -> usize {
    let (mut open, mut quoted) = (0, false);
    let continues = |rest: &str| {
        let rest = rest.trim_start();
        rest.starts_with('(') || rest.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("filter"))
    };
    let mut least = least;
    for (at, letter) in text.char_indices() {
        if at >= least && open <= 0 {
            match continues(&text[at..]) {
                true => least = at + text[at..].find('(').unwrap_or_default() + 1,
                false => return at,
            }
        }
        quoted ^= letter == '\'';
        match letter {
            '(' if !quoted => open += 1,
            ')' if !quoted => open -= 1,
            _ => {}
        }
    }
    text.len()
}

/// What an expression uses.
#[derive(Default)]
struct Uses {
    seen: BTreeSet<NodeId>,
    numbers: Vec<KnownNumber>,
    aggregates: Vec<NodeId>,
    /// Questions to lists of keys.
    lists: Vec<NodeId>,
}

fn fact_name(fact: Fact) -> &'static str {
    match fact {
        Fact::AsOf | Fact::WindowEnd => "as_of",
        Fact::Duplicates => "duplicates_dropped",
        Fact::DateConflicts => "dates_in_conflict",
        Fact::DateRepaired => "dates_repaired",
        Fact::HasDebit => "has_debit",
        Fact::HasBalance => "has_balance",
        Fact::HasRowOrder => "has_row_order",
        Fact::BalanceVerdict => "balance_verdict",
        Fact::PeriodStart => "period_start",
        Fact::PeriodEnd => "period_end",
    }
}
