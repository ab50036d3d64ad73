//! Runs a program over some statements: every node once, in order, over whole columns. Decides nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::aggregate::{self, Input};
use super::arithmetic::{self, Bad};
use super::column::{Column, Data, from_values};
use super::reason::Reason;
use super::text::Pattern;
use super::view::View;
use super::{Error, hit, judge, leaf};
use crate::rules::Repr;
use crate::rules::ir::{Aggregate, Grain, Node, NodeId, Op, each_once};
use crate::rules::program::{Program, Value};

/// The values of every node at the grain of statements.
pub(crate) struct Evaluated<'a> {
    columns: Columns<'a>,
}

impl Evaluated<'_> {
    /// A node's value for a statement, or why there is none.
    pub(crate) fn value(&self, node: NodeId, statement: usize) -> Result<Value, Reason> {
        self.columns.get(node).map_or(Err(Reason::NoValue), |column| column.value(statement))
    }
}

/// Evaluates the program; `inputs` holds what was given, by its path.
pub(crate) fn evaluate<'a>(
    program: &'a Program,
    view: &'a View,
    inputs: &BTreeMap<String, Value>,
) -> Result<Evaluated<'a>, Error> {
    run(program, view, inputs, true)
}

/// Evaluates the program and keeps the finer values too, for those who ask where a number comes from.
pub(crate) fn evaluate_keeping<'a>(
    program: &'a Program,
    view: &'a View,
    inputs: &BTreeMap<String, Value>,
) -> Result<Evaluated<'a>, Error> {
    run(program, view, inputs, false)
}

fn run<'a>(
    program: &'a Program,
    view: &'a View,
    inputs: &BTreeMap<String, Value>,
    release: bool,
) -> Result<Evaluated<'a>, Error> {
    let mut run = Run { program, view, inputs, columns: Columns::of_all(program) };
    for (index, node) in program.graph.nodes().iter().enumerate() {
        if !program.schedule.live[index] {
            continue;
        }
        let column = run.node(node)?;
        run.columns.values[index] = Some(column);
        for released in program.schedule.release[index].iter().filter(|_| release) {
            run.columns.values[released.index()] = None;
        }
    }
    Ok(run.done())
}

/// The inputs of a node: few, and asked for once a node.
type Inputs<'r, 'a> = smallvec::SmallVec<[&'r Column<'a>; 4]>;

/// The values of nodes.
pub(super) struct Columns<'a> {
    pub values: Vec<Option<Column<'a>>>,
    /// Where each node's values are, if not at its own index.
    pub places: Option<&'a [u32]>,
}

impl<'a> Columns<'a> {
    fn of_all(program: &Program) -> Self {
        Self { values: vec![None; program.graph.nodes().len()], places: None }
    }

    fn get(&self, node: NodeId) -> Option<&Column<'a>> {
        let place = self.places.map_or(node.index(), |places| places[node.index()] as usize);
        self.values.get(place)?.as_ref()
    }
}

pub(super) struct Run<'a, 'r> {
    pub program: &'a Program,
    pub view: &'a View<'a>,
    pub inputs: &'r BTreeMap<String, Value>,
    pub columns: Columns<'a>,
}

impl<'a> Run<'a, '_> {
    pub(super) fn done(self) -> Evaluated<'a> {
        Evaluated { columns: self.columns }
    }

    fn rows(&self, grain: Grain) -> usize {
        match grain {
            Grain::Constant => 1,
            Grain::Statement => self.view.heads.len(),
            Grain::Month => self.view.months.len(),
            Grain::Transaction => self.view.row_count,
        }
    }

    fn inputs(&self, node: &Node) -> Result<Inputs<'_, 'a>, Error> {
        let missing = Error::Internal("an input was let go too early");
        let inputs: Option<Inputs<'_, 'a>> = node.inputs.iter().map(|input| self.columns.get(*input)).collect();
        inputs.ok_or(missing)
    }

    pub(super) fn node(&self, node: &'a Node) -> Result<Column<'a>, Error> {
        let inputs = self.inputs(node)?;
        let rows = self.rows(node.grain);
        let repr = node.ty.repr;
        let mut bad = Bad::new();
        let data = match &node.op {
            Op::Column(column) => return leaf::transaction(self.view, *column),
            Op::MonthColumn(column) => return Ok(leaf::month(self.view, *column)),
            Op::Fact(fact) => return Ok(leaf::fact(self.view, *fact)),
            Op::Input(index) => {
                let input = &self.program.inputs[*index];
                return Ok(leaf::input(self.inputs.get(&input.path()), *index, input.ty, rows));
            }
            Op::Dated(index) => {
                return Ok(leaf::dated(&self.program.parameters[*index], *index, inputs[0], rows));
            }
            Op::Int(value) => return Ok(Column::known(Data::Int(Cow::Owned(vec![*value])))),
            Op::Float(bits) => return Ok(Column::known(Data::Float(vec![f64::from_bits(*bits)]))),
            Op::Boolean(value) => return Ok(Column::known(Data::Boolean(vec![*value]))),
            Op::Text(text) => return Ok(Column::known(Data::Text(vec![Cow::Borrowed(text)]))),
            Op::Mentions(list) => return self.mentions(*list),
            Op::Spread => return Ok(self.spread(inputs[0], node)),
            Op::And | Op::Or => {
                let mut column = arithmetic::logic(node.op == Op::And, inputs[0], inputs[1], rows);
                column.failed = failed(&inputs);
                return Ok(column);
            }
            Op::AtLeast(least) => {
                let column = arithmetic::at_least(*least, &inputs, rows);
                return Ok(with_failed(column, &inputs));
            }
            Op::IsNull => Data::Boolean((0..rows).map(|row| !inputs[0].is_known(row)).collect()),
            Op::IsBoolean(wanted) => {
                let input = inputs[0];
                let is = |row| input.is_known(row) && input.booleans()[input.at(row)] == *wanted;
                Data::Boolean((0..rows).map(is).collect())
            }
            Op::Coalesce => return Ok(with_failed(arithmetic::coalesce(&inputs, rows, repr), &inputs)),
            Op::Choose => return Ok(with_failed(arithmetic::choose(&inputs, rows, repr), &inputs)),
            Op::Least => return Ok(with_failed(arithmetic::extreme(false, &inputs, rows, repr), &inputs)),
            Op::Greatest => return Ok(with_failed(arithmetic::extreme(true, &inputs, rows, repr), &inputs)),
            Op::Aggregate { function, arguments, filtered } => {
                return self.aggregate(node, *function, *arguments, *filtered, &inputs);
            }
            Op::NeedsMonths(months) => return Ok(judge::needs_months(*months, inputs[0], inputs[1], rows, repr)),
            Op::PrincipalFor(method) => return Ok(judge::principal(*method, &inputs, rows)),
            Op::Points(item) => return Ok(judge::points(&self.program.score_items[*item], *item, inputs[0], rows)),
            Op::Score => {
                let base = self.program.score.as_ref().map_or(0.0, |score| score.base);
                return Ok(judge::score(base, &inputs, rows));
            }
            Op::Hit(table) => return Ok(hit::hit(&self.program.tables[*table], *table, &inputs, rows)),
            Op::Output(table, column) => {
                return Ok(hit::output(&self.program.tables[*table], *column, &inputs, rows, repr));
            }
            Op::Local(part) => arithmetic::local(*part, inputs[0], &self.program.zone),
            op => scalar(op, &inputs, rows, repr, &mut bad),
        };
        if matches!(node.op, Op::IsNull | Op::IsBoolean(_)) {
            // A test is always known; but what was too large to hold is no answer to it.
            return Ok(with_failed(Column::known(data), &inputs));
        }
        if let Some(extent) = node.ty.unit.extent() {
            bad.extend(outside(&extent, &data));
        }
        Ok(self.finish(data, &inputs, bad, node.grain))
    }

    /// Puts together what is unknown: a row with an unknown input, or one that could not be computed.
    fn finish(&self, data: Data<'a>, inputs: &[&Column<'a>], bad: Bad, grain: Grain) -> Column<'a> {
        let mut column = Column::known(data);
        let rows = column.len();
        column.failed = failed(inputs);
        if inputs.iter().all(|input| input.valid.is_none()) && bad.is_empty() {
            return column;
        }
        let mut valid = vec![true; rows];
        let mut reasons = vec![Reason::NoValue; if grain <= Grain::Statement { rows } else { 0 }];
        for (row, reason) in bad {
            // What an unknown input left behind is no failure of this row.
            if !inputs.iter().all(|input| input.is_known(row)) {
                continue;
            }
            valid[row] = false;
            match grain {
                Grain::Constant | Grain::Statement => reasons[row] = reason,
                _ if reason == Reason::Overflow => column.failed.extend(self.statement_of(grain, row)),
                _ => {}
            }
        }
        for input in inputs.iter().rev().filter(|input| input.valid.is_some()) {
            for row in (0..rows).filter(|row| !input.is_known(*row)) {
                valid[row] = false;
                if let Some(reason) = reasons.get_mut(row) {
                    *reason = input.reason(row);
                }
            }
        }
        column.failed.sort_unstable();
        column.failed.dedup();
        column.valid = valid.contains(&false).then_some(valid);
        column.reasons = if column.valid.is_some() { reasons } else { Vec::new() };
        column
    }

    /// The statement in which a row counts; none for a record after `as_of`.
    fn statement_of(&self, grain: Grain, row: usize) -> Option<u32> {
        match grain {
            Grain::Transaction => {
                let statement = self.view.statement_of_row(row);
                self.view.rows[statement as usize].contains(&row).then_some(statement)
            }
            _ => Some(self.view.statement_of_month(row)),
        }
    }

    fn mentions(&self, list: usize) -> Result<Column<'a>, Error> {
        let bit = 1u64 << list;
        let description = self.view.frame.column("desc")?.str()?;
        let topics = self.view.frame.column("topics")?.str()?;
        let matcher = &self.program.words;
        let masks = self.view.masks.get_or_init(|| {
            let mask = |text: Option<&str>| text.map_or(0, |text| matcher.mask(text));
            description.iter().zip(topics.iter()).map(|(desc, topics)| mask(desc) | mask(topics)).collect()
        });
        Ok(Column::known(Data::Boolean(masks.iter().map(|mask| mask & bit != 0).collect())))
    }

    /// The source row of every row of a finer grain.
    fn spread(&self, input: &Column<'a>, node: &Node) -> Column<'a> {
        let from = self.program.graph.node(node.inputs[0]).grain;
        // No month at all, and records after as_of alone: there is nothing to know of them.
        if input.len() == 0 && self.rows(node.grain) > 0 {
            let unknown = from_values(vec![Err(Reason::NoValue); self.rows(node.grain)], node.ty.repr);
            return Column { reasons: Vec::new(), failed: input.failed.clone(), ..unknown };
        }
        let source = self.source_rows(from, node.grain);
        let data = match &input.data {
            Data::Int(values) => Data::Int(source.iter().map(|row| values[*row]).collect()),
            Data::Float(values) => Data::Float(source.iter().map(|row| values[*row]).collect()),
            Data::Boolean(values) => Data::Boolean(source.iter().map(|row| values[*row]).collect()),
            Data::Text(values) => Data::Text(source.iter().map(|row| values[*row].clone()).collect()),
            Data::List(values) => Data::List(source.iter().map(|row| values[*row].clone()).collect()),
        };
        let valid = input.valid.as_ref().map(|valid| source.iter().map(|row| valid[*row]).collect());
        let keep = !input.reasons.is_empty() && node.grain <= Grain::Statement;
        let reasons = if keep { source.iter().map(|row| input.reasons[*row]).collect() } else { Vec::new() };
        Column { data, valid, reasons, failed: input.failed.clone() }
    }

    fn source_rows(&self, from: Grain, to: Grain) -> Vec<usize> {
        let view = self.view;
        match (from, to) {
            (Grain::Constant, to) => vec![0; self.rows(to)],
            (Grain::Statement, Grain::Month) => {
                let ranges = view.month_ranges.iter().enumerate();
                ranges.flat_map(|(statement, range)| std::iter::repeat_n(statement, range.len())).collect()
            }
            (Grain::Statement, Grain::Transaction) => {
                let heads = view.heads.iter().enumerate();
                heads.flat_map(|(statement, head)| std::iter::repeat_n(statement, head.rows.len())).collect()
            }
            (Grain::Month, Grain::Transaction) => {
                // Rows after as_of belong to no month; they take the first one's value and are never counted.
                let mut source = vec![0; self.rows(to)];
                for (index, month) in view.months.iter().enumerate() {
                    source[month.rows.clone()].fill(index);
                }
                source
            }
            _ => (0..self.rows(to)).collect(),
        }
    }

    fn aggregate(
        &self,
        node: &Node,
        function: Aggregate,
        arguments: usize,
        filtered: bool,
        inputs: &[&Column<'a>],
    ) -> Result<Column<'a>, Error> {
        let graph = &self.program.graph;
        let sources: Vec<&Node> = node.inputs.iter().map(|input| graph.node(*input)).collect();
        // Constants serve every row; with nothing else there, records are counted.
        let finest = sources.iter().map(|source| source.grain).max();
        let from = finest.filter(|finest| *finest > Grain::Statement).unwrap_or(Grain::Transaction);
        let given = &inputs[..arguments];
        let filter = filtered.then(|| inputs[arguments]);
        let mask = aggregate::mask(filter, given, self.rows(from));
        let input = Input { function, arguments: given.to_vec(), mask };
        let failed = failed(inputs);
        if node.grain == Grain::Month {
            let results = self.view.months.iter().map(|month| input.over(month.rows.clone()));
            return Ok(self.months(results.collect(), failed, node.ty.repr));
        }
        let needs = sources.iter().fold(Default::default(), |needs, source| source.needs.and(needs));
        let spreads = each_once(sources.iter().flat_map(|source| source.spreads.iter().copied()).collect());
        let results = (0..self.view.heads.len()).map(|statement| {
            if needs.debit && !self.view.has_debit[statement] {
                return Err(Reason::NeedsDebit);
            }
            if needs.balance && !self.view.has_balance[statement] {
                return Err(Reason::NeedsBalance);
            }
            // What the filter asks of the statement must be known, or leaving rows out would be a guess.
            let constants = inputs.iter().zip(&sources).filter(|(_, source)| source.grain <= Grain::Statement);
            if let Some((unknown, _)) = constants.into_iter().find(|(input, _)| !input.is_known(statement)) {
                return Err(unknown.reason(statement));
            }
            for spread in &spreads {
                if let Some(column) = self.columns.get(*spread).filter(|column| !column.is_known(statement)) {
                    return Err(column.reason(statement));
                }
            }
            if failed.binary_search(&(statement as u32)).is_ok() {
                return Err(Reason::Overflow);
            }
            let range = match from {
                Grain::Month => self.view.month_ranges[statement].clone(),
                _ => self.view.rows[statement].clone(),
            };
            input.over(range)
        });
        Ok(from_values(results.collect(), node.ty.repr))
    }

    /// A month's unknown has no reason of its own; one too large to hold marks its statement.
    fn months(&self, results: Vec<Result<Value, Reason>>, mut failed: Vec<u32>, repr: Repr) -> Column<'a> {
        for (month, result) in results.iter().enumerate() {
            if *result == Err(Reason::Overflow) {
                failed.push(self.view.statement_of_month(month));
            }
        }
        failed.sort_unstable();
        failed.dedup();
        Column { reasons: Vec::new(), failed, ..from_values(results, repr) }
    }
}

/// Rows whose values lie outside of what their unit has.
fn outside(extent: &std::ops::RangeInclusive<i64>, data: &Data) -> Bad {
    let Data::Int(values) = data else { return Vec::new() };
    let outside = values.iter().enumerate().filter(|(_, value)| !extent.contains(value));
    outside.map(|(row, _)| (row, Reason::Overflow)).collect()
}

fn failed(inputs: &[&Column]) -> Vec<u32> {
    let mut failed: Vec<u32> = inputs.iter().flat_map(|input| input.failed.iter().copied()).collect();
    failed.sort_unstable();
    failed.dedup();
    failed
}

fn with_failed<'a>(column: Column<'a>, inputs: &[&Column]) -> Column<'a> {
    Column { failed: failed(inputs), ..column }
}

/// Operations whose result is unknown just where an input is.
fn scalar<'a>(op: &Op, inputs: &[&Column<'a>], rows: usize, repr: Repr, bad: &mut Bad) -> Data<'a> {
    let input = inputs[0];
    match op {
        Op::ToFloat => Data::Float(input.ints().iter().map(|value| *value as f64).collect()),
        Op::Negate => arithmetic::negate(input, bad),
        Op::Abs => arithmetic::abs(input, bad),
        Op::Not => Data::Boolean(input.booleans().iter().map(|value| !value).collect()),
        Op::Arithmetic(op) => arithmetic::arithmetic(*op, input, inputs[1], rows, bad),
        Op::Compare(op) => arithmetic::comparison(*op, input, inputs[1], rows),
        Op::Round(how) => arithmetic::round(*how, input, inputs[1], rows, repr, bad),
        Op::DatePart(part) => arithmetic::date_part(*part, input, bad),
        Op::AddMonths => arithmetic::add_months(input, inputs[1], rows, bad),
        Op::Like(pattern, any_case) => {
            let pattern = Pattern::new(pattern, *any_case);
            Data::Boolean(input.texts().iter().map(|text| pattern.matches(text)).collect())
        }
        Op::ListLength => Data::Int(input.lists().iter().map(|list| list.len() as i64).collect()),
        Op::ListContains => Data::Boolean(arithmetic::contains(input, inputs[1], rows)),
        Op::ListOf => Data::List(arithmetic::list_of(inputs, rows)),
        Op::Concat => Data::Text(arithmetic::concat(inputs, rows)),
        Op::ToText(unit) => Data::Text(arithmetic::to_text(input, *unit)),
        Op::Power => Data::Float(arithmetic::power(input, inputs[1], rows, bad)),
        Op::Lower => Data::Text(input.texts().iter().map(|text| Cow::Owned(text.to_lowercase())).collect()),
        _ => Data::Int(input.texts().iter().map(|text| text.chars().count() as i64).collect()),
    }
}
