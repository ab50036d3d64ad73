//! Runs a program over some statements: every node once, in order, over whole columns. Decides nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::metrics::column::{Bits, Column, Data, Few, Reason, RowIndices, Texts, few, gather, some_unknown};
use crate::metrics::ops::arithmetic::{self, Bad};
use crate::metrics::ops::{decision_table, logic, scoring, window};
use crate::metrics::source::{Grouping, Groups, View, columns, records};
use crate::metrics::{Error, chunks};
use crate::rules::Repr;
use crate::rules::graph;
use crate::rules::graph::{Grain, Group, Node, NodeId, Op};
use crate::rules::program::schedule::{AnyLike, Schedule};
use crate::rules::program::{Program, Value};
use crate::text_search::like::Pattern;
use crate::text_search::lower::lowercase;

/// The values of every node at the grain of statements.
pub(crate) struct Evaluated<'a> {
    columns: Columns<'a>,
    groups: &'a Groups<'a>,
}

impl Evaluated<'_> {
    /// The groups that the records make.
    pub(crate) fn groups(&self, group: Group) -> Result<&Grouping, Error> {
        self.groups.of(group)
    }

    /// Who is on the other side of a record, as far as groups were made by it.
    pub(crate) fn counterparty(&self, row: usize) -> Option<&str> {
        let counterparties = self.groups.counterparties().ok()?;
        counterparties.name(counterparties.of_rows[row])
    }

    /// What a person should know of how a statement's counterparties were found.
    pub(crate) fn remarks(&self, statement: usize) -> impl Iterator<Item = String> {
        self.groups.codes(statement).map(ToString::to_string)
    }

    /// A node's values, one a statement or one for all of them.
    pub(crate) fn column(&self, node: NodeId) -> Option<&Column<'_>> {
        self.columns.get(node)
    }

    /// A node's value for a statement, or why there is none.
    pub(crate) fn value(&self, node: NodeId, statement: usize) -> Result<Value, Reason> {
        self.columns.get(node).map_or(Err(Reason::NoValue), |column| column.value(statement))
    }
}

/// Evaluates the program of `groups` over their view; `inputs` holds what was given, by its path. `meanwhile` is done where another
/// thread may find names or streams, and not where this one surely finds them.
pub(crate) fn evaluate<'a>(
    groups: &'a Groups<'a>,
    inputs: &BTreeMap<String, Value>,
    meanwhile: &(dyn Fn() + Sync),
) -> Result<Evaluated<'a>, Error> {
    run(groups, inputs, meanwhile, true)
}

/// Evaluates the program and keeps the finer values too, for those who ask where a number comes from.
pub(crate) fn evaluate_keeping<'a>(
    groups: &'a Groups<'a>,
    inputs: &BTreeMap<String, Value>,
) -> Result<Evaluated<'a>, Error> {
    run(groups, inputs, &|| (), false)
}

fn run<'a>(
    groups: &'a Groups<'a>,
    inputs: &BTreeMap<String, Value>,
    meanwhile: &(dyn Fn() + Sync),
    release: bool,
) -> Result<Evaluated<'a>, Error> {
    let program = groups.program;
    let schedule = if release { &program.quick } else { &program.schedule };
    let mut run = Run::new(groups, inputs, Columns::of_all(program));
    if chunks::are_worth_it(groups.view.row_count) {
        // All of it within the threads' own, else each wave would have to be handed to them.
        rayon::scope(|_| run.in_waves(schedule, release, meanwhile))?;
        return Ok(run.done());
    }
    let waits_for_names = schedule.nameless < schedule.order.len();
    match chunks::are_worth_sharing(groups.view.row_count) && waits_for_names {
        true => run.beside_names(schedule, release, meanwhile)?,
        false => run.in_order(schedule, &schedule.order, release)?,
    }
    Ok(run.done())
}

/// The inputs of a node: few, and asked for once a node.
type Inputs<'r, 'a> = smallvec::SmallVec<[&'r Column<'a>; 4]>;

/// The values of nodes.
pub(in crate::metrics) struct Columns<'a> {
    pub values: Vec<Option<Column<'a>>>,
    /// Where each node's values are, if not at its own index.
    pub places: Option<&'a [u32]>,
}

impl<'a> Columns<'a> {
    fn of_all(program: &Program) -> Self {
        Self { values: vec![None; program.graph.nodes().len()], places: None }
    }

    pub(in crate::metrics) fn get(&self, node: NodeId) -> Option<&Column<'a>> {
        let place = self.places.map_or(node.index(), |places| places[node.index()] as usize);
        self.values.get(place)?.as_ref()
    }
}

pub(in crate::metrics) struct Run<'a, 'r> {
    pub program: &'a Program,
    pub view: &'a View<'a>,
    pub inputs: &'r BTreeMap<String, Value>,
    pub columns: Columns<'a>,
    pub groups: &'a Groups<'a>,
    /// For each word list, the rows whose narration mentions it; found once, when first asked for.
    pub(in crate::metrics) lists: OnceLock<Vec<Bits>>,
    /// For each word list, the rows whose counterparty's name holds a word of it; likewise.
    pub(in crate::metrics) named: OnceLock<Vec<Bits>>,
}

impl<'a, 'r> Run<'a, 'r> {
    pub(in crate::metrics) fn new(
        groups: &'a Groups<'a>,
        inputs: &'r BTreeMap<String, Value>,
        columns: Columns<'a>,
    ) -> Self {
        Self {
            program: groups.program,
            view: groups.view,
            inputs,
            columns,
            groups,
            lists: OnceLock::new(),
            named: OnceLock::new(),
        }
    }

    /// Works out some nodes one after the other; `release` lets finer values go after the last of those that need them.
    pub(in crate::metrics) fn in_order(
        &mut self,
        schedule: &Schedule,
        nodes: &[NodeId],
        release: bool,
    ) -> Result<(), Error> {
        for node in nodes.iter().map(|node| node.index()) {
            self.columns.values[node] = Some(self.scheduled(schedule, node)?);
            for released in schedule.release[node].iter().filter(|_| release) {
                self.columns.values[released.index()] = None;
            }
        }
        Ok(())
    }

    pub(in crate::metrics) fn done(self) -> Evaluated<'a> {
        Evaluated { columns: self.columns, groups: self.groups }
    }

    fn inputs(&self, node: &Node) -> Result<Inputs<'_, 'a>, Error> {
        let missing = Error::Internal("an input was let go too early");
        let inputs: Option<Inputs<'_, 'a>> = node.inputs.iter().map(|input| self.columns.get(*input)).collect();
        inputs.ok_or(missing)
    }

    /// A node by its place in the graph, as the schedule has it.
    pub(in crate::metrics) fn scheduled(&self, schedule: &Schedule, index: usize) -> Result<Column<'a>, Error> {
        match &schedule.any_like[index] {
            Some(any) => self.any_like(any),
            None => self.node(&self.program.graph.nodes()[index]),
        }
    }

    pub(in crate::metrics) fn node(&self, node: &'a Node) -> Result<Column<'a>, Error> {
        let inputs = self.inputs(node)?;
        let rows = self.rows(node.grain)?;
        if columns::is(&node.op) {
            return self.leaf(node, &inputs, rows);
        }
        match &node.op {
            Op::Spread => self.spread(inputs[0], node),
            Op::Neighbour(_) | Op::Rank | Op::SumNear { .. } | Op::Mirrored => self.among(node, &inputs, rows),
            Op::Aggregate { function, arguments, filtered } => {
                self.aggregate(node, *function, *arguments, *filtered, &inputs)
            }
            // Of single values comes a single value, which serves every row.
            _ if !inputs.is_empty() && inputs.iter().all(|input| input.len() == 1) => self.row_by_row(node, &inputs, 1),
            _ => self.row_by_row(node, &inputs, rows),
        }
    }

    /// Whether any of several patterns fits a text.
    fn any_like(&self, any: &AnyLike) -> Result<Column<'a>, Error> {
        let missing = Error::Internal("an input was let go too early");
        let input = self.columns.get(any.text).ok_or(missing)?;
        let is_narration = self.program.graph.nodes()[any.text.index()].op == Op::Column(graph::Column::Description);
        let is_looked_up = is_narration && !any.number_sensitive && self.program.quick.finds_alike;
        let alike = is_looked_up.then(|| self.groups.alike()).transpose()?;
        let fits = input.texts().map(|texts| match alike {
            Some(alike) => {
                let fits = alike.each(|row| any.patterns.any_fits(texts.get(row)));
                Bits::of_values(alike.of_rows(), |kind| fits[kind as usize])
            }
            None => texts.bits(|text| any.patterns.any_fits(text)),
        });
        let data = Data::Boolean(fits.unwrap_or_else(|| Bits::all(input.len(), false)));
        // Each of them would be unknown where the text is, and say the same of it.
        let (valid, reasons, failed) = (input.valid.clone(), input.reasons.clone(), input.failed.clone());
        Ok(Column { data, valid, reasons, failed })
    }

    /// What a row's own inputs make of it.
    fn row_by_row(&self, node: &'a Node, inputs: &[&Column<'a>], rows: usize) -> Result<Column<'a>, Error> {
        let repr = node.ty.repr;
        let with_reasons = node.grain <= Grain::Statement;
        let mut bad = Bad::new();
        let column = match &node.op {
            Op::Why => return Ok(self.why(inputs[0], rows)),
            Op::And | Op::Or => logic::logic(node.op == Op::And, inputs[0], inputs[1]),
            Op::AtLeast(least) => logic::at_least(*least, inputs, rows),
            // A test is always known; but what was too large to hold is no answer to it.
            Op::IsNull => Column::known(Data::Boolean(match &inputs[0].valid {
                None => Bits::all(rows, false),
                Some(valid) => valid.not(),
            })),
            Op::IsBoolean(wanted) => Column::known(Data::Boolean(logic::is(*wanted, inputs[0]))),
            Op::Coalesce => logic::coalesce(inputs, rows, repr, with_reasons),
            Op::Choose => logic::choose(inputs, rows, repr, with_reasons),
            Op::Least => arithmetic::extreme(false, inputs, rows, repr),
            Op::Greatest => arithmetic::extreme(true, inputs, rows, repr),
            Op::NeedsMonths(months) => return Ok(scoring::needs_months(*months, inputs[0], inputs[1], rows, repr)),
            Op::PrincipalFor(method) => return Ok(scoring::principal(*method, inputs, rows)),
            Op::Points(item) => return Ok(scoring::points(&self.program.score_items[*item], *item, inputs[0], rows)),
            Op::Score => {
                let score = self.program.score.as_ref().ok_or(Error::Internal("a score that the program has not"))?;
                return Ok(scoring::score(&score.base, inputs, rows));
            }
            Op::Hit(table) => return Ok(decision_table::hit(&self.program.tables[*table], *table, inputs, rows)),
            Op::Output(table, column) => {
                return Ok(decision_table::output(&self.program.tables[*table], *column, inputs, rows, repr));
            }
            op => {
                let data = match op {
                    Op::Local(part) => arithmetic::local(*part, inputs[0], &self.program.zone),
                    op => scalar(op, inputs, rows, repr, &mut bad),
                };
                if let Some(extent) = node.ty.unit.extent() {
                    bad.extend(outside(&extent, &data));
                }
                return self.finish(data, inputs, bad, node.grain);
            }
        };
        Ok(with_failed(column, inputs))
    }

    /// A value that others are made of.
    fn leaf(&self, node: &'a Node, inputs: &[&Column<'a>], rows: usize) -> Result<Column<'a>, Error> {
        match &node.op {
            Op::Column(graph::Column::Counterparty) => Ok(columns::counterparty(self.groups.counterparties()?)),
            Op::Column(column) => records::transaction(self.view, *column),
            Op::GroupColumn(column) => {
                let Grain::Group(group) = node.grain else { return Err(Error::Internal("a group without a sort")) };
                Ok(columns::group(self.grouping(group)?, *column))
            }
            Op::Fact(fact) => Ok(columns::fact(self.view, *fact)),
            Op::Input(index) => {
                let input = &self.program.inputs[*index];
                Ok(columns::input(self.inputs.get(&input.path()), *index, input.ty, rows))
            }
            Op::Dated(index) => Ok(columns::dated(&self.program.parameters[*index], *index, inputs[0], rows)),
            Op::Int(value) => Ok(Column::known(Data::Int([*value].into_iter().collect()))),
            Op::Rational(value) => Ok(Column::known(Data::Rational(few([value.clone()].into_iter())))),
            Op::Boolean(value) => Ok(Column::known(Data::Boolean(Bits::all(1, *value)))),
            Op::Text(text) => Ok(Column::known(Data::Text(Texts::Made(vec![Cow::Borrowed(text)])))),
            Op::Mentions(list) => self.mentions(*list),
            Op::Mentioned(list) => self.mentioned(*list),
            Op::Named(list) => self.named(*list),
            _ => Err(Error::Internal("no leaf")),
        }
    }

    /// What a row is among others of its statement.
    fn among(&self, node: &Node, inputs: &[&Column<'a>], rows: usize) -> Result<Column<'a>, Error> {
        let mut bad = Bad::new();
        match node.op {
            Op::Neighbour(which) => {
                let source = window::neighbours(which, inputs[0], self.statements(node.grain)?, rows);
                Ok(gather(inputs[0], &RowIndices::new(source)))
            }
            Op::Rank => {
                let (data, valid) = window::ranks(inputs[0], self.statements(node.grain)?, rows);
                Ok(with_failed(Column::partly(data, valid), inputs))
            }
            Op::SumNear { before } => {
                let data = window::sums_near(before, inputs, self.view, &mut bad);
                // The record's own value is not in the sum: it may be unknown.
                let column = self.finish(data, &inputs[1..], bad, node.grain)?;
                Ok(Column { failed: failed(&[inputs[0], &column]), ..column })
            }
            _ => self.finish(self.mirrored(inputs[0])?, inputs, bad, node.grain),
        }
    }

    /// Puts together what is unknown: a row with an unknown input, or one that could not be computed.
    fn finish(&self, data: Data<'a>, inputs: &[&Column<'a>], bad: Bad, grain: Grain) -> Result<Column<'a>, Error> {
        let mut column = Column::known(data);
        column.failed = failed(inputs);
        if inputs.iter().all(|input| input.valid.is_none()) && bad.is_empty() {
            return Ok(column);
        }
        let rows = column.len();
        let mut known = Bits::all(rows, true);
        for valid in inputs.iter().filter_map(|input| input.valid.as_ref()) {
            known = known.and(&valid.spread(rows));
        }
        let mut valid = known.clone();
        let mut reasons = Few::from_elem(Reason::NoValue, if grain <= Grain::Statement { rows } else { 0 });
        for (row, reason) in bad {
            // What an unknown input left behind is no failure of this row.
            if !known.get(row) {
                continue;
            }
            valid.unset(row);
            match grain {
                Grain::Constant | Grain::Statement => reasons[row] = reason,
                _ if reason == Reason::Overflow => column.failed.extend(self.statements_of(grain, row, rows)?),
                _ => {}
            }
        }
        for (row, reason) in reasons.iter_mut().enumerate().filter(|(row, _)| !known.get(*row)) {
            // Of several inputs the first says why.
            *reason =
                inputs.iter().find(|input| !input.is_known(row)).map_or(Reason::NoValue, |input| input.reason(row));
        }
        column.failed.sort_unstable();
        column.failed.dedup();
        column.valid = some_unknown(valid);
        column.reasons = if column.valid.is_some() { reasons } else { Few::new() };
        Ok(column)
    }

    fn mirrored(&self, days: &Column<'a>) -> Result<Data<'a>, Error> {
        let credit = records::transaction(self.view, graph::Column::Credit)?;
        let debit = records::transaction(self.view, graph::Column::Debit)?;
        let counterparties = self.grouping(graph::Group::Counterparty)?;
        let of_rows = &self.groups.group_of_rows(graph::Group::Counterparty)?.rows;
        Ok(window::mirrored(days, [&credit, &debit], of_rows, counterparties, self.view))
    }

    fn why(&self, input: &Column<'a>, rows: usize) -> Column<'a> {
        let code = |row| match input.is_known(row) {
            true => Cow::Borrowed(""),
            false => Cow::Owned(input.reason(row).code(self.program)),
        };
        Column::known(Data::Text(Texts::Made((0..rows).map(code).collect())))
    }
}

/// Rows whose values lie outside of what their unit has.
fn outside(extent: &std::ops::RangeInclusive<i64>, data: &Data) -> Bad {
    let Data::Int(values) = data else { return Vec::new() };
    let outside = values.iter().enumerate().filter(|(_, value)| !extent.contains(value));
    outside.map(|(row, _)| (row, Reason::Overflow)).collect()
}

/// The statements in which one of these was too large to hold.
pub(in crate::metrics) fn failed(inputs: &[&Column]) -> Vec<u32> {
    // Hardly ever is there one.
    if inputs.iter().all(|input| input.failed.is_empty()) {
        return Vec::new();
    }
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
    let none = Texts::Made(Vec::new());
    let texts = input.texts().unwrap_or(&none);
    match op {
        Op::ToRational => arithmetic::to_rational(input),
        Op::ToFloat => arithmetic::to_float(input),
        Op::Negate => arithmetic::negate(input, bad),
        Op::Abs => arithmetic::abs(input, bad),
        Op::Not => Data::Boolean(input.booleans().not()),
        Op::Arithmetic(op) => arithmetic::arithmetic(*op, input, inputs[1], bad),
        Op::Compare(op) => arithmetic::comparison(*op, input, inputs[1], rows),
        Op::Round(how) => arithmetic::round(*how, input, inputs[1], repr, bad),
        Op::DatePart(part) => arithmetic::date_part(*part, input, bad),
        Op::AddMonths => arithmetic::add_months(input, inputs[1], bad),
        Op::Like(pattern, any_case) => {
            let pattern = Pattern::new(pattern, *any_case);
            Data::Boolean(texts.bits(|text| pattern.matches(text)))
        }
        Op::ListLength => Data::Int(input.lists().iter().map(|list| list.len() as i64).collect()),
        Op::ListContains => Data::Boolean(arithmetic::contains(input, inputs[1], rows)),
        Op::ListOf => Data::List(arithmetic::list_of(inputs, rows)),
        Op::Concat => Data::Text(arithmetic::concat(inputs, rows)),
        Op::ToText(unit) => Data::Text(arithmetic::to_text(input, *unit)),
        Op::Power => arithmetic::power(input, inputs[1], bad),
        Op::Lower => {
            let lower = |text: &str| Cow::Owned(lowercase(text).into_owned());
            Data::Text(Texts::Made(texts.iter().map(lower).collect()))
        }
        _ => Data::Int(texts.iter().map(|text| text.chars().count() as i64).collect()),
    }
}
