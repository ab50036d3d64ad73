//! Abstract evaluation: the set of values that every node of a program may have, computed once from the leaves up.
//! Sound: the evaluator never returns a value outside a node's set, except for values too large to hold. An
//! operation that is not understood may return anything.

mod aggregate;
pub(super) mod assumptions;
mod contradictions;
pub(super) mod conversions;
pub(super) mod interval;
mod node_values;
pub(super) mod tables;
pub(super) mod values;

use crate::authoring::analysis::abstract_eval::aggregate::aggregate_value_set;
use crate::authoring::analysis::abstract_eval::interval::Interval;
use crate::authoring::analysis::abstract_eval::node_values::NodeValues;
use crate::authoring::analysis::abstract_eval::tables::Domain;
use crate::authoring::analysis::abstract_eval::values::{KnownValues, Values, unit_value_interval, valid_day_interval};
use crate::base::date::Day;
use crate::rules::Binary;
use crate::rules::graph::{
    Approximate, BALANCE_VERDICTS, DatePart, Elapsed, Fact, Grain, Graph, GroupColumn, Letters, Neighbour, Node,
    NodeId, Op, Repr, StreamColumn, TransactionColumn, Type,
};
use crate::rules::program::{OutputCell, Program, Value};

/// The sets of all nodes.
#[derive(Clone, Debug)]
pub(crate) struct AbstractEval {
    values: NodeValues,
    /// The day whose parameter values count; without it, all of them.
    day: Option<Day>,
    /// Each table on the value sets of its inputs, once those are known.
    domains: Vec<Option<Domain>>,
}

impl AbstractEval {
    /// Evaluates the whole graph.
    pub(crate) fn new(program: &Program, day: Option<Day>) -> AbstractEval {
        let domains = program.tables.iter().map(|_| None).collect();
        let mut eval = AbstractEval { values: NodeValues::with_capacity(program.graph.nodes().len()), day, domains };
        for node in program.graph.nodes() {
            if let Op::Hit(table) = node.op {
                eval.domains[table] = Some(Domain::new(program, &eval.values, table));
            }
            let values = within_type(eval.node(program, node), node.ty);
            eval.values.push(values);
        }
        eval
    }

    /// Assumes values for a node and recomputes the `affected` nodes. Tables stay as they were.
    pub(in crate::authoring::analysis) fn suppose(
        &mut self,
        program: &Program,
        given: NodeId,
        values: Values,
        affected: &[bool],
    ) {
        self.values.set(given.index(), values);
        for (index, node) in program.graph.nodes().iter().enumerate().filter(|(index, _)| affected[*index]) {
            self.values.set(index, within_type(self.node(program, node), node.ty));
        }
    }

    /// The value set of a node.
    pub(crate) fn at(&self, node: NodeId) -> &Values {
        self.values.at(node)
    }

    /// Whether conditions never hold together, as far as the value sets and one value's bounds say.
    pub(in crate::authoring::analysis) fn never_hold_together(&self, graph: &Graph, conditions: &[NodeId]) -> bool {
        contradictions::never_hold_together(graph, &self.values, conditions)
    }

    /// A table on the value sets of its inputs.
    pub(in crate::authoring::analysis) fn domain(&self, table: usize) -> Option<&Domain> {
        self.domains[table].as_ref()
    }

    /// The values of AND, without true if both cannot hold together.
    fn both(&self, graph: &Graph, inputs: &[NodeId], values: Values) -> Values {
        let (yes, no) = values.may_be();
        Values::truth(
            yes && !contradictions::conditions_contradict(graph, &self.values, inputs, false),
            no,
            values.unknown,
        )
    }

    /// The values of OR, without false if both cannot fail together.
    fn either(&self, graph: &Graph, inputs: &[NodeId], values: Values) -> Values {
        let (yes, no) = values.may_be();
        Values::truth(
            yes,
            no && !contradictions::conditions_contradict(graph, &self.values, inputs, true),
            values.unknown,
        )
    }

    fn node(&self, program: &Program, node: &Node) -> Values {
        let graph = &program.graph;
        let inputs: Vec<&Values> = node.inputs.iter().map(|input| self.at(*input)).collect();
        let first = || inputs[0].clone();
        match &node.op {
            Op::Column(column) => column_values(*column, node.ty),
            Op::GroupColumn(column) => group_values(*column, node.ty),
            Op::Fact(fact) => fact_values(*fact),
            Op::Entry(_, field) => Values { unknown: field.is_some(), ..Values::any(node.ty) },
            Op::Input(_) | Op::Mentioned(_) | Op::Corrected(_) | Op::Power | Op::Substring | Op::ToNumber => {
                Values::any(node.ty)
            }
            Op::Dated(index) => parameter_value_set(program, *index, (node.ty, self.day), inputs[0]),
            Op::Int(value) => Values::numbers(Interval::whole(*value), false),
            Op::Rational(value) => Values::numbers(Interval::exact(value), false),
            Op::Boolean(value) => Values::truth(*value, !*value, false),
            Op::Text(text) => Values::text(text),
            Op::Unknown => Values { unknown: true, ..Values::none(node.ty) },
            Op::Mentions(_) | Op::Named(_) | Op::Why => Values::known(node.ty),
            Op::Spread => spread(graph.node(node.inputs[0]).grain, first()),
            Op::ToRational | Op::ToFloat => first(),
            Op::Neighbour(neighbour) => neighbour_value_set(*neighbour, inputs[0]),
            Op::Rank => Values::numbers(Interval { low: 1.0, ..Interval::NOT_NEGATIVE }, inputs[0].unknown),
            Op::SumNear { .. } => Values::numbers(aggregate::sum_interval_of(inputs[0].interval()), inputs[1].unknown),
            Op::Negate => numeric_value_set(&inputs, |of| of[0].negate()),
            Op::Abs => numeric_value_set(&inputs, |of| of[0].abs()),
            Op::Not => negate_truth_set(inputs[0]),
            Op::AtLeast(wanted) => at_least(*wanted, &inputs),
            Op::IsNull => Values::truth(inputs[0].unknown, !inputs[0].is_never_known(), false),
            Op::IsBoolean(wanted) => is_boolean(*wanted, inputs[0]),
            Op::Arithmetic(op) => arithmetic_value_set(graph, node, *op, &inputs),
            Op::Compare(op) => comparison_value_set(*op, inputs[0], inputs[1]),
            Op::And => self.both(graph, &node.inputs, conjoin_truth_sets(inputs[0], inputs[1])),
            Op::Or => self.either(graph, &node.inputs, disjoin_truth_sets(inputs[0], inputs[1])),
            Op::Choose => case_value_set(&inputs, node.ty),
            Op::Coalesce => coalesce_value_sets(&inputs, node.ty),
            Op::Least | Op::Greatest => extreme_value_set(node.op == Op::Least, &inputs, node.ty),
            Op::Letters(letters) => relettered(*letters, inputs[0]),
            Op::Approximate(function) => approximate(*function, inputs[0]),
            Op::Length | Op::ListLength => Values::numbers(Interval::NOT_NEGATIVE, inputs[0].unknown),
            Op::ListContains | Op::ListOf | Op::Concat | Op::ToText(_) | Op::HasText(_) | Op::Replace => {
                Values { unknown: inputs.iter().any(|input| input.unknown), ..Values::known(node.ty) }
            }
            Op::DatePart(part) => date_part(*part, inputs[0]),
            Op::Like(..) | Op::Local(_) | Op::Mirrored | Op::InList(_) => {
                Values { unknown: inputs.iter().any(|input| input.unknown), ..Values::known(node.ty) }
            }
            Op::Elapsed(length) => elapsed(*length, &inputs),
            Op::AddMonths => Values::numbers(valid_day_interval(), inputs.iter().any(|input| input.unknown)),
            Op::Round(how) => rounded_value_set(*how, &inputs, node.ty.repr == Repr::Int),
            Op::Aggregate { function, arguments, filtered } => {
                aggregate_value_set(graph, &self.values, node, (*function, *arguments, *filtered))
            }
            Op::NeedsMonths(months) => needs_months(*months, &inputs),
            Op::PrincipalFor(_) => Values::numbers(Interval::NOT_NEGATIVE, true),
            Op::Points(item) => {
                tables::points_value_set(&program.score_items[*item], graph.node(node.inputs[0]).ty, inputs[0])
            }
            Op::Score => score_value_set(program, &inputs),
            Op::Hit(table) => tables::possible_hit_rows(&program.tables[*table], self.domain(*table), node.ty),
            Op::Output(table, column) => {
                let output = (*column, node.ty);
                let cell = |cell: &OutputCell| match cell {
                    OutputCell::Value(value) => Values::value(value),
                    OutputCell::Expression(node, _) => self.at(*node).clone(),
                };
                tables::output_value_set(&program.tables[*table], self.domain(*table), output, inputs[0], cell)
            }
        }
    }
}

/// `IS TRUE` and `IS FALSE`, which are known of an unknown, too.
fn is_boolean(wanted: bool, input: &Values) -> Values {
    let (yes, no) = input.may_be();
    let (same, other) = if wanted { (yes, no) } else { (no, yes) };
    Values::truth(same, other || input.unknown, false)
}

/// Inputs: full months, value.
fn needs_months(months: u16, inputs: &[&Values]) -> Values {
    let may_lack = inputs[0].interval().is_none_or(|full| full.low < f64::from(months));
    Values { unknown: may_lack || inputs[0].unknown || inputs[1].unknown, ..inputs[1].clone() }
}

/// Narrows numbers to those of the type: whole numbers, and valid dates and times.
fn within_type(values: Values, ty: Type) -> Values {
    let KnownValues::Numbers(Some(interval)) = values.known else { return values };
    let interval = match ty.repr {
        Repr::Int => interval.of_whole(),
        _ => Some(interval),
    };
    let interval = match unit_value_interval(ty.unit) {
        Some(extent) => interval.and_then(|interval| interval.meet(extent)),
        None => interval,
    };
    Values { known: KnownValues::Numbers(interval), ..values }
}

fn column_values(column: TransactionColumn, ty: Type) -> Values {
    match column {
        TransactionColumn::TransDate => Values::numbers(valid_day_interval(), false),
        TransactionColumn::DateRepaired | TransactionColumn::DateConflict | TransactionColumn::DateOutOfOrder => {
            Values::known(ty)
        }
        TransactionColumn::Standing(_) => Values::known(ty),
        // The reader refuses negative amounts or moves them to the other side.
        TransactionColumn::Credit | TransactionColumn::Debit => Values::numbers(Interval::NOT_NEGATIVE, true),
        TransactionColumn::Change => Values::numbers(Interval::ALL, false),
        TransactionColumn::ClearedDate | TransactionColumn::Balance | TransactionColumn::Id => Values::any(ty),
        TransactionColumn::Code
        | TransactionColumn::Branch
        | TransactionColumn::Bank
        | TransactionColumn::Description
        | TransactionColumn::Topics => Values::any(ty),
        TransactionColumn::Counterparty
        | TransactionColumn::People
        | TransactionColumn::Places
        | TransactionColumn::Actions
        | TransactionColumn::Reference => Values::any(ty),
    }
}

/// The value of another row. The first row has none before it, and the last none after it.
fn neighbour_value_set(neighbour: Neighbour, value: &Values) -> Values {
    match neighbour {
        Neighbour::Carried => value.clone(),
        Neighbour::Previous | Neighbour::Next => Values { unknown: true, ..value.clone() },
    }
}

fn group_values(column: GroupColumn, ty: Type) -> Values {
    match column {
        GroupColumn::Start => Values::numbers(valid_day_interval(), false),
        GroupColumn::Number | GroupColumn::Records => Values::numbers(Interval::NOT_NEGATIVE, false),
        GroupColumn::Full => Values::known(Type::BOOLEAN),
        GroupColumn::FullAgo => Values::numbers(Interval::NOT_NEGATIVE, true),
        GroupColumn::Stream(column) => stream_values(column, ty),
    }
}

fn stream_values(column: StreamColumn, ty: Type) -> Values {
    match column {
        StreamColumn::IsCredit | StreamColumn::IsLive | StreamColumn::Period => Values::known(ty),
        StreamColumn::Amount | StreamColumn::MonthAmount | StreamColumn::Missed => {
            Values::numbers(Interval::NOT_NEGATIVE, false)
        }
        StreamColumn::Regularity => Values::numbers(Interval::closed(0.0, 1.0), false),
        StreamColumn::First | StreamColumn::Last | StreamColumn::Next => Values::numbers(valid_day_interval(), false),
    }
}

fn fact_values(fact: Fact) -> Values {
    match fact {
        Fact::AsOf | Fact::WindowEnd | Fact::PeriodStart | Fact::PeriodEnd => {
            Values::numbers(valid_day_interval(), true)
        }
        Fact::Duplicates | Fact::DateConflicts | Fact::DateRepaired => Values::numbers(Interval::NOT_NEGATIVE, false),
        Fact::HasDebit | Fact::HasBalance | Fact::HasRowOrder => Values::known(Type::BOOLEAN),
        Fact::BalanceVerdict => Values::texts(BALANCE_VERDICTS),
    }
}

/// An operation that is unknown exactly if an input is.
fn numeric_value_set(inputs: &[&Values], of: impl Fn(&[Interval]) -> Interval) -> Values {
    let unknown = inputs.iter().any(|input| input.unknown);
    let intervals: Option<Vec<Interval>> = inputs.iter().map(|input| input.interval()).collect();
    Values::numbers(intervals.map(|intervals| of(&intervals)), unknown)
}

fn arithmetic_value_set(graph: &Graph, node: &Node, op: Binary, inputs: &[&Values]) -> Values {
    let values = match op {
        Binary::Add => numeric_value_set(inputs, |of| of[0].add(of[1])),
        Binary::Subtract => numeric_value_set(inputs, |of| of[0].subtract(of[1])),
        Binary::Multiply => numeric_value_set(inputs, |of| of[0].multiply(of[1])),
        Binary::Divide => match (inputs[0].interval(), inputs[1].interval()) {
            (Some(over), Some(under)) => {
                let unknown = inputs[0].unknown || inputs[1].unknown || under.contains(0.0);
                Values::numbers(over.divide(under), unknown)
            }
            _ => Values::numbers(None, true),
        },
        Binary::Remainder => {
            let by_zero = inputs[1].interval().is_none_or(|under| under.contains(0.0));
            let values = numeric_value_set(inputs, |of| of[0].remainder(of[1]));
            Values { unknown: values.unknown || by_zero, ..values }
        }
        // The checker makes other nodes of these.
        Binary::Equal
        | Binary::NotEqual
        | Binary::Less
        | Binary::LessEqual
        | Binary::Greater
        | Binary::GreaterEqual
        | Binary::And
        | Binary::Or => Values::any(node.ty),
    };
    let narrower = match op {
        Binary::Divide
            if crate::authoring::analysis::abstract_eval::aggregate::is_part_of(
                graph,
                node.inputs[0],
                node.inputs[1],
            ) =>
        {
            Interval::closed(0.0, 1.0)
        }
        Binary::Subtract
            if crate::authoring::analysis::abstract_eval::aggregate::is_never_below(
                graph,
                node.inputs[0],
                node.inputs[1],
            ) =>
        {
            Interval::NOT_NEGATIVE
        }
        Binary::Subtract
            if crate::authoring::analysis::abstract_eval::aggregate::is_never_below(
                graph,
                node.inputs[1],
                node.inputs[0],
            ) =>
        {
            Interval::NOT_NEGATIVE.negate()
        }
        _ => return values,
    };
    match values.interval() {
        Some(interval) => Values::numbers(interval.meet(narrower), values.unknown),
        None => values,
    }
}

pub(in crate::authoring::analysis) fn comparison_value_set(op: Binary, left: &Values, right: &Values) -> Values {
    let unknown = left.unknown || right.unknown;
    if left.is_never_known() || right.is_never_known() {
        return Values::truth(false, false, true);
    }
    let (yes, no) = match (&left.known, &right.known) {
        (KnownValues::Numbers(Some(a)), KnownValues::Numbers(Some(b))) => compare_numbers(op, *a, *b),
        (KnownValues::Texts(Some(a)), KnownValues::Texts(Some(b))) => compare_texts(op, a, b),
        (KnownValues::Truth { .. }, KnownValues::Truth { .. }) => {
            let number = |values: &Values| match values.may_be() {
                (true, true) => Interval::closed(0.0, 1.0),
                (yes, _) => Interval::point(f64::from(u8::from(yes))),
            };
            compare_numbers(op, number(left), number(right))
        }
        _ => (true, true),
    };
    Values::truth(yes, no, unknown)
}

/// Whether the comparison may be true, and whether it may be false.
fn compare_numbers(op: Binary, a: Interval, b: Interval) -> (bool, bool) {
    let below = |a: Interval, b: Interval| a.low < b.high;
    let below_or_same = |a: Interval, b: Interval| a.low < b.high || (a.low == b.high && a.low_closed && b.high_closed);
    let same = a.meet(b).is_some();
    let only_same = a.is_point() && b.is_point() && a.low == b.low;
    match op {
        Binary::Less => (below(a, b), below_or_same(b, a)),
        Binary::LessEqual => (below_or_same(a, b), below(b, a)),
        Binary::Greater => (below(b, a), below_or_same(a, b)),
        Binary::GreaterEqual => (below_or_same(b, a), below(a, b)),
        Binary::Equal => (same, !only_same),
        Binary::NotEqual => (!only_same, same),
        Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide | Binary::Remainder => (true, true),
        Binary::And | Binary::Or => (true, true),
    }
}

fn compare_texts(
    op: Binary,
    a: &std::collections::BTreeSet<String>,
    b: &std::collections::BTreeSet<String>,
) -> (bool, bool) {
    let same = a.intersection(b).next().is_some();
    let only_same = a.len() == 1 && a == b;
    match op {
        Binary::Equal => (same, !only_same),
        Binary::NotEqual => (!only_same, same),
        _ => (true, true),
    }
}

fn negate_truth_set(values: &Values) -> Values {
    let (yes, no) = values.may_be();
    Values::truth(no, yes, values.unknown)
}

fn conjoin_truth_sets(left: &Values, right: &Values) -> Values {
    let ((left_yes, left_no), (right_yes, right_no)) = (left.may_be(), right.may_be());
    let undecided = |one: &Values, other: &Values| one.unknown && (other.unknown || other.may_be().0);
    Values::truth(left_yes && right_yes, left_no || right_no, undecided(left, right) || undecided(right, left))
}

/// By De Morgan.
fn disjoin_truth_sets(left: &Values, right: &Values) -> Values {
    negate_truth_set(&conjoin_truth_sets(&negate_truth_set(left), &negate_truth_set(right)))
}

/// The value on the day, or without a day any of its values; unknown before the first. For parameters that may be
/// anywhere, all values within the bounds.
fn parameter_value_set(program: &Program, index: usize, (ty, day): (Type, Option<Day>), as_of: &Values) -> Values {
    let parameter = &program.parameters[index];
    let is_one = parameter.values.len() == 1 && parameter.values.iter().all(|value| value.from.is_none());
    let late = parameter.values.first().is_none_or(|value| value.from.is_some());
    let unknown = !is_one && (late || as_of.unknown);
    let is_bounded = parameter.min.is_some() || parameter.max.is_some();
    if program.anywhere.is_some() && is_bounded && ty.repr.is_number() {
        let end = |end: &Option<Value>, open: f64| end.as_ref().and_then(Value::float).unwrap_or(open);
        let (low, high) = (end(&parameter.min, f64::NEG_INFINITY), end(&parameter.max, f64::INFINITY));
        return Values::numbers(Interval::closed(low, high).widened(), unknown);
    }
    let of_day = day.and_then(|day| parameter.on(Some(day)));
    let values = of_day.map_or(parameter.values.as_slice(), std::slice::from_ref);
    let all = values.iter().fold(Values::none(ty), |all, value| all.or(&Values::value(&value.value)));
    Values { unknown, ..all }
}

/// At least `wanted` of the inputs hold. Unknown inputs may leave that open.
fn at_least(wanted: usize, inputs: &[&Values]) -> Values {
    let may_hold = inputs.iter().filter(|input| input.may_be().0).count();
    let may_not = inputs.iter().filter(|input| input.may_be().1).count();
    let unknown = inputs.iter().any(|input| input.unknown);
    Values::truth(may_hold >= wanted, inputs.len() < wanted + may_not, unknown)
}

fn case_value_set(inputs: &[&Values], ty: Type) -> Values {
    let mut values = Values::none(ty);
    let arms = inputs.chunks_exact(2);
    let otherwise = arms.remainder().first();
    for arm in arms {
        let (yes, no) = arm[0].may_be();
        if yes {
            values = values.or(arm[1]);
        }
        // Arms after one that is always taken are never reached.
        if !no && !arm[0].unknown {
            return values;
        }
    }
    match otherwise {
        Some(otherwise) => values.or(otherwise),
        None => Values { unknown: true, ..values },
    }
}

fn coalesce_value_sets(inputs: &[&Values], ty: Type) -> Values {
    let mut values = Values::none(ty);
    for input in inputs {
        values = values.or(&Values { unknown: false, ..(*input).clone() });
        if !input.unknown {
            return values;
        }
    }
    Values { unknown: true, ..values }
}

fn extreme_value_set(least: bool, inputs: &[&Values], ty: Type) -> Values {
    let unknown = inputs.iter().any(|input| input.unknown);
    if inputs.iter().any(|input| input.is_never_known()) {
        return Values { unknown: true, ..Values::none(ty) };
    }
    let intervals: Option<Vec<Interval>> = inputs.iter().map(|input| input.interval()).collect();
    match intervals.and_then(|all| all.into_iter().reduce(|a, b| if least { a.least(b) } else { a.greatest(b) })) {
        Some(interval) => Values::numbers(interval, unknown),
        None => inputs.iter().fold(Values::none(ty), |all, input| all.or(input)),
    }
}

/// Most records are in no stream, and some have no counterparty.
fn spread(from: Grain, values: Values) -> Values {
    match from {
        Grain::Group(_) => Values { unknown: true, ..values },
        Grain::Constant | Grain::Statement | Grain::Transaction | Grain::Entry(_) | Grain::Apart => values,
    }
}

fn relettered(letters: Letters, input: &Values) -> Values {
    let known = match &input.known {
        KnownValues::Texts(Some(texts)) => {
            KnownValues::Texts(Some(texts.iter().map(|text| letters.of(text)).collect()))
        }
        _ => KnownValues::Texts(None),
    };
    Values { unknown: input.unknown, known }
}

fn approximate(function: Approximate, input: &Values) -> Values {
    let low = input.interval().map_or(f64::NEG_INFINITY, |interval| interval.low);
    match function {
        Approximate::Exp => Values::numbers(Interval::NOT_NEGATIVE, input.unknown),
        Approximate::Sqrt => Values::numbers(Interval::NOT_NEGATIVE, input.unknown || low < 0.0),
        Approximate::Ln => Values::numbers(Interval::ALL, input.unknown || low <= 0.0),
    }
}

fn elapsed(elapsed: Elapsed, inputs: &[&Values]) -> Values {
    let most = if elapsed == Elapsed::Months { 12.0 * YEARS } else { YEARS };
    Values::numbers(Interval::closed(-most, most), inputs.iter().any(|input| input.unknown))
}

/// From the first valid day to the last.
const YEARS: f64 = 301.0;

fn date_part(part: DatePart, input: &Values) -> Values {
    let interval = match part {
        DatePart::Year => Interval::closed(1900.0, 2200.0),
        DatePart::Month => Interval::closed(1.0, 12.0),
        DatePart::Day => Interval::closed(1.0, 31.0),
        DatePart::Weekday => Interval::closed(1.0, 7.0),
        DatePart::DayOfYear => Interval::closed(1.0, 366.0),
        DatePart::MonthStart => valid_day_interval(),
    };
    Values::numbers(interval, input.unknown)
}

fn rounded_value_set(how: crate::base::rational::Rounding, inputs: &[&Values], is_whole: bool) -> Values {
    let no_step = inputs[1].interval().is_none_or(|step| step.low <= 0.0);
    let values = numeric_value_set(inputs, |of| {
        let rounded = of[0].rounded(how, of[1]);
        // A multiple of a fractional step is rounded once more.
        let is_twice = is_whole && !(of[1].is_point() && of[1].low.fract() == 0.0);
        if is_twice { rounded.add(Interval::closed(-1.0, 1.0)) } else { rounded }
    });
    Values { unknown: values.unknown || no_step, ..values }
}

fn score_value_set(program: &Program, items: &[&Values]) -> Values {
    let base = program.score.as_ref().map(|score| Values::value(&score.base));
    let mut sum = base.unwrap_or_else(|| Values::numbers(Interval::ALL, false));
    for item in items {
        sum = numeric_value_set(&[&sum, item], |of| of[0].add(of[1]));
    }
    sum
}
