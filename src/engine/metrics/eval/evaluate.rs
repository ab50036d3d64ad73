//! Runs a program over some statements: every node once, in order, over whole columns. Decides nothing.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::base::text_search::like::Pattern;
use crate::engine::metrics::column::{
    Bits, CowColumn, Data, Few, NO_ROW, Reason, RowIndices, Texts, ValueColumn, collect_few, first_reason, from_values,
    gather_rows, some_unknown,
};
use crate::engine::metrics::ops::arithmetic::{self, Failures};
use crate::engine::metrics::ops::{decision_table, extreme, key_list, logic, scoring, text, window};
use crate::engine::metrics::source::{
    CorrectedRecords, GivenInputs, Grouping, Groups, StatementSlice, columns, records,
};
use crate::engine::metrics::{Error, chunks};
use crate::rules::Repr;
use crate::rules::graph;
use crate::rules::graph::{Grain, Group, Node, NodeId, Op};
use crate::rules::program::schedule::{AnyLike, Schedule};
use crate::rules::program::{Program, Value};

/// The values of every node at the grain of statements.
pub(crate) struct Evaluated<'a> {
    columns: Columns<'a>,
    groups: &'a Groups<'a>,
}

impl Evaluated<'_> {
    /// The groups that the records form.
    pub(crate) fn grouping(&self, group: Group) -> Result<&Grouping, Error> {
        self.groups.grouping(group)
    }

    /// The group of a record, if it is in one.
    pub(crate) fn group_of(&self, group: Group, row: usize) -> Option<usize> {
        let group = self.groups.group_of_rows(group).ok()?.rows.get(row).copied()?;
        (group != NO_ROW).then_some(group as usize)
    }

    /// Whether the program asked for counterparties, so that they were found.
    pub(crate) fn knows_counterparties(&self) -> bool {
        self.groups.knows_counterparties()
    }

    /// The counterparty of a record, if groups of counterparties were made.
    pub(crate) fn counterparty(&self, row: usize) -> Option<&str> {
        let counterparties = self.groups.counterparties().ok()?;
        counterparties.name(counterparties.name_of_rows[row])
    }

    /// What people said of the records.
    pub(crate) fn corrected(&self) -> Option<&CorrectedRecords> {
        self.groups.counterparties().ok().map(|counterparties| &counterparties.corrected)
    }

    /// Warnings about how a statement's counterparties were found.
    pub(crate) fn remarks(&self, statement: usize) -> impl Iterator<Item = String> {
        self.groups.codes(statement).map(ToString::to_string)
    }

    /// A node's values: one per statement, or one for all.
    pub(crate) fn column(&self, node: NodeId) -> Option<&ValueColumn<'_>> {
        self.columns.get(node)
    }

    /// A node's value for a statement, or why it is unknown.
    pub(crate) fn value(&self, node: NodeId, statement: usize) -> Result<Value, Reason> {
        self.columns.get(node).map_or(Err(Reason::NoValue), |column| column.value(statement))
    }
}

/// Evaluates the program of `groups` over their statements; `inputs` are given values by path. `meanwhile` runs while
/// another thread may find names or streams, and never where this thread finds them.
pub(crate) fn evaluate_program<'a>(
    groups: &'a Groups<'a>,
    inputs: &GivenInputs,
    meanwhile: &(dyn Fn() + Sync),
) -> Result<Evaluated<'a>, Error> {
    run_schedule(groups, inputs, meanwhile, &groups.program.quick, true)
}

/// Evaluates the program and keeps the finer values too, for explanations.
pub(crate) fn evaluate_keeping<'a>(groups: &'a Groups<'a>, inputs: &GivenInputs) -> Result<Evaluated<'a>, Error> {
    run_schedule(groups, inputs, &|| (), &groups.program.schedule, false)
}

/// Evaluates only what a schedule of the same program needs, and keeps all of it.
pub(crate) fn evaluate_scheduled<'a>(
    groups: &'a Groups<'a>,
    inputs: &GivenInputs,
    schedule: &Schedule,
) -> Result<Evaluated<'a>, Error> {
    run_schedule(groups, inputs, &|| (), schedule, false)
}

/// Evaluates only what a schedule of the same program needs, and keeps values of statements alone.
pub(crate) fn evaluate_chosen<'a>(
    groups: &'a Groups<'a>,
    inputs: &GivenInputs,
    schedule: &Schedule,
) -> Result<Evaluated<'a>, Error> {
    run_schedule(groups, inputs, &|| (), schedule, true)
}

fn run_schedule<'a>(
    groups: &'a Groups<'a>,
    inputs: &GivenInputs,
    meanwhile: &(dyn Fn() + Sync),
    schedule: &Schedule,
    release: bool,
) -> Result<Evaluated<'a>, Error> {
    let mut run = Run::new(groups, inputs, Columns::for_program(groups.program));
    if chunks::is_large(groups.slice.row_count) {
        // Runs inside the pool. Otherwise each level would have to be handed to it.
        rayon::scope(|_| run.by_level(schedule, release, meanwhile))?;
        return Ok(run.into_evaluated());
    }
    let waits_for_names = schedule.nameless < schedule.order.len();
    match chunks::is_worth_sharing(groups.slice.row_count) && waits_for_names {
        true => run.while_names_are_found(schedule, release, meanwhile)?,
        false => run.in_order(schedule, &schedule.order, release)?,
    }
    Ok(run.into_evaluated())
}

/// The inputs of a node. There are few, and they are looked up once per node.
type Inputs<'r, 'a> = smallvec::SmallVec<[&'r ValueColumn<'a>; 4]>;

/// The values of nodes. Those that are given are borrowed from whoever keeps them.
pub(in crate::engine::metrics) struct Columns<'a> {
    pub values: Vec<Option<CowColumn<'a>>>,
    /// The index of each node's values, if it differs from the node's own.
    pub places: Option<&'a [u32]>,
}

impl<'a> Columns<'a> {
    fn for_program(program: &Program) -> Self {
        Self { values: vec![None; program.graph.nodes().len()], places: None }
    }

    pub(in crate::engine::metrics) fn get(&self, node: NodeId) -> Option<&ValueColumn<'a>> {
        let place = self.places.map_or(node.index(), |places| places[node.index()] as usize);
        self.values.get(place)?.as_deref()
    }
}

pub(in crate::engine::metrics) struct Run<'a, 'r> {
    pub program: &'a Program,
    pub slice: &'a StatementSlice<'a>,
    pub inputs: &'r GivenInputs,
    pub columns: Columns<'a>,
    pub groups: &'a Groups<'a>,
    /// For each word list, the rows whose narration mentions it; computed on first use.
    pub(in crate::engine::metrics) lists: OnceLock<Vec<Bits>>,
    /// For each word list, the rows whose counterparty's name contains one of its words; computed on first use.
    pub(in crate::engine::metrics) named: OnceLock<Vec<Bits>>,
}

impl<'a, 'r> Run<'a, 'r> {
    pub(in crate::engine::metrics) fn new(
        groups: &'a Groups<'a>,
        inputs: &'r GivenInputs,
        columns: Columns<'a>,
    ) -> Self {
        Self {
            program: groups.program,
            slice: groups.slice,
            inputs,
            columns,
            groups,
            lists: OnceLock::new(),
            named: OnceLock::new(),
        }
    }

    /// Evaluates nodes one by one; `release` drops finer values after their last use.
    pub(in crate::engine::metrics) fn in_order(
        &mut self,
        schedule: &Schedule,
        nodes: &[NodeId],
        release: bool,
    ) -> Result<(), Error> {
        for node in nodes.iter().map(|node| node.index()) {
            self.columns.values[node] = Some(CowColumn::Owned(self.scheduled(schedule, node)?));
            for released in schedule.release[node].iter().filter(|_| release) {
                self.columns.values[released.index()] = None;
            }
        }
        Ok(())
    }

    pub(in crate::engine::metrics) fn into_evaluated(self) -> Evaluated<'a> {
        Evaluated { columns: self.columns, groups: self.groups }
    }

    fn inputs(&self, node: &Node) -> Result<Inputs<'_, 'a>, Error> {
        let missing = Error::Internal("an input was released too early");
        let inputs: Option<Inputs<'_, 'a>> = node.inputs.iter().map(|input| self.columns.get(*input)).collect();
        inputs.ok_or(missing)
    }

    /// Evaluates a node by its index, as the schedule says.
    pub(in crate::engine::metrics) fn scheduled(
        &self,
        schedule: &Schedule,
        index: usize,
    ) -> Result<ValueColumn<'a>, Error> {
        match &schedule.any_like[index] {
            Some(any) => self.any_like(any),
            None => self.node(&self.program.graph.nodes()[index]),
        }
    }

    pub(in crate::engine::metrics) fn node(&self, node: &'a Node) -> Result<ValueColumn<'a>, Error> {
        let inputs = self.inputs(node)?;
        let rows = self.rows(node.grain)?;
        if columns::is_source(&node.op) {
            return self.source(node, &inputs, rows);
        }
        match &node.op {
            Op::Spread => self.spread(inputs[0], node),
            Op::Neighbour(_) | Op::Rank | Op::SumNear { .. } | Op::Mirrored => self.window(node, &inputs, rows),
            Op::Aggregate { function, arguments, filtered } => {
                self.aggregate(node, *function, *arguments, *filtered, &inputs)
            }
            // Single inputs give a single value, which serves every row.
            _ if !inputs.is_empty() && inputs.iter().all(|input| input.len() == 1) => self.row_by_row(node, &inputs, 1),
            _ => self.row_by_row(node, &inputs, rows),
        }
    }

    /// Whether any of several patterns matches a text.
    fn any_like(&self, any: &AnyLike) -> Result<ValueColumn<'a>, Error> {
        let missing = Error::Internal("an input was released too early");
        let input = self.columns.get(any.text).ok_or(missing)?;
        let is_narration =
            self.program.graph.nodes()[any.text.index()].op == Op::Column(graph::TransactionColumn::Description);
        let is_looked_up = is_narration && !any.number_sensitive && self.program.quick.finds_alike;
        let kinds = is_looked_up.then(|| self.groups.narration_kinds()).transpose()?;
        let fits = input.texts().map(|texts| match kinds {
            Some(kinds) => {
                let fits = kinds.map_kinds(|row| any.patterns.any_fits(texts.get(row)));
                Bits::from_values(kinds.kind_of_rows(), |kind| fits[kind as usize])
            }
            None => texts.bits(|text| any.patterns.any_fits(text)),
        });
        let data = Data::Boolean(fits.unwrap_or_else(|| Bits::all(input.len(), false)));
        // Each pattern would be unknown where the text is, for the same reason.
        let (valid, reasons, failed) = (input.valid.clone(), input.reasons.clone(), input.failed.clone());
        Ok(ValueColumn { data, valid, reasons, failed })
    }

    /// Operations that need a row's own inputs only.
    fn row_by_row(&self, node: &'a Node, inputs: &[&ValueColumn<'a>], rows: usize) -> Result<ValueColumn<'a>, Error> {
        let repr = node.ty.repr;
        let with_reasons = node.grain <= Grain::Statement;
        let mut failures = Failures::new();
        let column = match &node.op {
            Op::Why => return Ok(self.why(inputs[0], rows)),
            Op::And | Op::Or => logic::combine_truths(node.op == Op::And, inputs[0], inputs[1]),
            Op::AtLeast(least) => logic::at_least(*least, inputs, rows),
            // A test is always known, except that an overflow is no answer to it.
            Op::IsNull => ValueColumn::known(Data::Boolean(match &inputs[0].valid {
                None => Bits::all(rows, false),
                Some(valid) => valid.not(),
            })),
            Op::IsBoolean(wanted) => ValueColumn::known(Data::Boolean(logic::is_known_truth(*wanted, inputs[0]))),
            Op::Coalesce => logic::coalesce_columns(inputs, rows, repr, with_reasons),
            Op::Choose => logic::choose_case_results(inputs, rows, repr, with_reasons),
            op @ (Op::Least | Op::Greatest) => {
                let greatest = *op == Op::Greatest;
                match extreme::of_one_kind(greatest, inputs, rows, repr) {
                    Some(data) => return self.with_unknowns(data, inputs, failures, node.grain),
                    None => extreme::of_values(greatest, inputs, rows, repr, with_reasons),
                }
            }
            Op::InList(list) => key_list::find_listed_rows(&self.program.lists[*list].keys, inputs, rows),
            Op::NeedsMonths(months) => return Ok(scoring::needs_months(*months, inputs[0], inputs[1], rows, repr)),
            Op::PrincipalFor(method) => return Ok(scoring::affordable_principals(*method, inputs, rows)),
            Op::Points(item) => {
                return Ok(scoring::compute_item_points(&self.program.score_items[*item], *item, inputs[0], rows));
            }
            Op::Score => {
                let score = self.program.score.as_ref().ok_or(Error::Internal("the program has no score"))?;
                return Ok(scoring::sum_score_points(&score.base, inputs, rows));
            }
            Op::Hit(table) => {
                return Ok(decision_table::find_hit_rows(&self.program.tables[*table], *table, inputs, rows));
            }
            Op::Output(table, column) => {
                return Ok(decision_table::gather_table_output(
                    &self.program.tables[*table],
                    *column,
                    inputs,
                    rows,
                    repr,
                ));
            }
            op => {
                let data = match op {
                    Op::Local(part) => arithmetic::local_day_or_time(*part, inputs[0], &self.program.zone),
                    op => evaluate_scalar_op(op, inputs, rows, repr, &mut failures)?,
                };
                if let Some(extent) = node.ty.unit.extent() {
                    failures.extend(rows_outside_unit_range(&extent, &data));
                }
                return self.with_unknowns(data, inputs, failures, node.grain);
            }
        };
        Ok(with_failed(column, inputs))
    }

    /// The value of an input, or why it is unknown.
    pub(in crate::engine::metrics) fn given_input(&self, index: usize) -> Result<&Value, Reason> {
        let path = self.program.inputs[index].path();
        self.inputs.get(&path).ok_or_else(|| match self.inputs.gap(&path) {
            Some(gap) => Reason::InputGap(index as u16, gap),
            None => Reason::MissingInput(index as u16),
        })
    }

    /// Source nodes: values that expressions start from.
    fn source(&self, node: &'a Node, inputs: &[&ValueColumn<'a>], rows: usize) -> Result<ValueColumn<'a>, Error> {
        match &node.op {
            Op::Column(graph::TransactionColumn::Counterparty) => {
                Ok(columns::counterparty_column(self.groups.counterparties()?))
            }
            Op::Column(graph::TransactionColumn::Standing(wanted)) => {
                Ok(columns::standing_column(self.groups.counterparties()?, *wanted))
            }
            Op::Column(column) => records::read_record_column(self.slice, *column),
            Op::GroupColumn(column) => {
                let Grain::Group(group) = node.grain else {
                    return Err(Error::Internal("a group column at another grain"));
                };
                Ok(columns::read_group_column(self.grouping(group)?, *column))
            }
            Op::Fact(fact) => Ok(columns::read_fact_column(self.slice, *fact)),
            Op::Input(index) => {
                let input = &self.program.inputs[*index];
                Ok(columns::given_input_column(self.given_input(*index), input.ty, rows))
            }
            Op::Entry(index, field) => {
                let statements = self.slice.heads.len();
                Ok(columns::entry_field_column(self.entries(*index), *field, node.ty.repr, statements))
            }
            Op::Dated(index) => {
                Ok(columns::dated_parameter_column(&self.program.parameters[*index], *index, inputs[0], rows))
            }
            Op::Int(value) => Ok(ValueColumn::known(Data::Int([*value].into_iter().collect()))),
            Op::Rational(value) => Ok(ValueColumn::known(Data::Rational(collect_few([value.clone()].into_iter())))),
            Op::Boolean(value) => Ok(ValueColumn::known(Data::Boolean(Bits::all(1, *value)))),
            Op::Text(text) => Ok(ValueColumn::known(Data::Text(Texts::Owned(vec![Cow::Borrowed(text)])))),
            Op::Unknown => Ok(from_values([Err(Reason::NoValue)], node.ty.repr)),
            Op::Mentions(list) => self.mentions(*list),
            Op::Mentioned(list) => self.mentioned(*list),
            Op::Named(list) => self.named(*list),
            Op::Corrected(flag) => self.corrected(*flag),
            _ => Err(Error::Internal("not a source operation")),
        }
    }

    /// Operations that need other rows of the same statement.
    fn window(&self, node: &Node, inputs: &[&ValueColumn<'a>], rows: usize) -> Result<ValueColumn<'a>, Error> {
        let mut failures = Failures::new();
        match node.op {
            Op::Neighbour(which) => {
                let source = window::find_neighbour_rows(which, inputs[0], &self.statements(node.grain)?, rows);
                Ok(gather_rows(inputs[0], &RowIndices::new(source)))
            }
            Op::Rank => {
                let (data, valid) = window::rank_in_statement(inputs[0], &self.statements(node.grain)?, rows);
                Ok(with_failed(ValueColumn::partly(data, valid), inputs))
            }
            Op::SumNear { before } => {
                let data = window::sums_near(before, inputs, self.slice, &mut failures);
                // The sum excludes the record's own value, which may be unknown.
                let column = self.with_unknowns(data, &inputs[1..], failures, node.grain)?;
                Ok(ValueColumn { failed: failed_statements(&[inputs[0], &column]), ..column })
            }
            _ => self.with_unknowns(self.mirrored(inputs[0])?, inputs, failures, node.grain),
        }
    }

    /// Adds what is unknown: rows with an unknown input, and rows that failed.
    fn with_unknowns(
        &self,
        data: Data<'a>,
        inputs: &[&ValueColumn<'a>],
        failures: Failures,
        grain: Grain,
    ) -> Result<ValueColumn<'a>, Error> {
        let mut column = ValueColumn::known(data);
        column.failed = failed_statements(inputs);
        if inputs.iter().all(|input| input.valid.is_none()) && failures.is_empty() {
            return Ok(column);
        }
        let rows = column.len();
        let mut known = Bits::all(rows, true);
        for valid in inputs.iter().filter_map(|input| input.valid.as_ref()) {
            known = known.and(&valid.spread(rows));
        }
        let mut valid = known.clone();
        let mut reasons = Few::from_elem(Reason::NoValue, if grain <= Grain::Statement { rows } else { 0 });
        for (row, reason) in failures {
            // The slot of an unknown input caused this, not the row.
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
            *reason = first_reason(inputs, row);
        }
        column.failed.sort_unstable();
        column.failed.dedup();
        column.valid = some_unknown(valid);
        column.reasons = if column.valid.is_some() { reasons } else { Few::new() };
        Ok(column)
    }

    fn mirrored(&self, days: &ValueColumn<'a>) -> Result<Data<'a>, Error> {
        let credit = records::read_record_column(self.slice, graph::TransactionColumn::Credit)?;
        let debit = records::read_record_column(self.slice, graph::TransactionColumn::Debit)?;
        let counterparties = self.grouping(graph::Group::Counterparty)?;
        let of_rows = &self.groups.group_of_rows(graph::Group::Counterparty)?.rows;
        Ok(window::find_mirrored_records(days, [&credit, &debit], of_rows, counterparties, self.slice))
    }

    fn why(&self, input: &ValueColumn<'a>, rows: usize) -> ValueColumn<'a> {
        let code = |row| match input.is_known(row) {
            true => Cow::Borrowed(""),
            false => Cow::Owned(input.reason(row).code(self.program)),
        };
        ValueColumn::known(Data::Text(Texts::Owned((0..rows).map(code).collect())))
    }
}

/// Rows whose values are outside of the range of their unit.
fn rows_outside_unit_range(extent: &std::ops::RangeInclusive<i64>, data: &Data) -> Failures {
    let Data::Int(values) = data else { return Vec::new() };
    let outside = values.iter().enumerate().filter(|(_, value)| !extent.contains(value));
    outside.map(|(row, _)| (row, Reason::Overflow)).collect()
}

/// The statements in which one of these inputs overflowed.
pub(in crate::engine::metrics) fn failed_statements(inputs: &[&ValueColumn]) -> Vec<u32> {
    // Almost always empty.
    if inputs.iter().all(|input| input.failed.is_empty()) {
        return Vec::new();
    }
    let mut failed: Vec<u32> = inputs.iter().flat_map(|input| input.failed.iter().copied()).collect();
    failed.sort_unstable();
    failed.dedup();
    failed
}

fn with_failed<'a>(column: ValueColumn<'a>, inputs: &[&ValueColumn]) -> ValueColumn<'a> {
    ValueColumn { failed: failed_statements(inputs), ..column }
}

const NOT_SCALAR: Error = Error::Internal("not a scalar operation");

/// Operations whose result is unknown exactly where an input is.
fn evaluate_scalar_op<'a>(
    op: &Op,
    inputs: &[&ValueColumn<'a>],
    rows: usize,
    repr: Repr,
    failures: &mut Failures,
) -> Result<Data<'a>, Error> {
    // Only an empty list has no inputs.
    let Some(input) = inputs.first().copied() else { return Ok(Data::List(vec![Vec::new(); rows])) };
    let none = Texts::Owned(Vec::new());
    let texts = input.texts().unwrap_or(&none);
    Ok(match op {
        Op::ToRational => arithmetic::to_rational(input),
        Op::ToFloat => arithmetic::to_float(input),
        Op::Negate => arithmetic::negate_column(input, failures),
        Op::Abs => arithmetic::absolute_column(input, failures),
        Op::Not => Data::Boolean(input.booleans().not()),
        Op::Arithmetic(op) => arithmetic::compute_arithmetic(*op, input, inputs[1], failures),
        Op::Compare(op) => arithmetic::compare_columns(*op, input, inputs[1], rows),
        Op::Round(how) => arithmetic::round_to_step(*how, input, inputs[1], repr, failures),
        Op::DatePart(part) => arithmetic::date_part(*part, input, failures),
        Op::AddMonths => arithmetic::add_months(input, inputs[1], failures),
        Op::Like(like) => {
            let pattern = Pattern::new(&like.pattern, like.escape, like.any_case);
            Data::Boolean(texts.bits(|text| pattern.matches(text)))
        }
        Op::ListLength => Data::Int(input.lists().iter().map(|list| list.len() as i64).collect()),
        Op::ListContains => Data::Boolean(arithmetic::list_contains_value(input, inputs[1], rows)),
        Op::ListOf => Data::List(arithmetic::list_of(inputs, rows)),
        Op::Concat => Data::Text(text::concatenate_texts(inputs, rows, failures)),
        Op::Replace => Data::Text(text::replace_in_texts(inputs, rows, failures)),
        Op::Substring => Data::Text(text::take_substrings(inputs, rows, failures)),
        Op::ToText(unit) => Data::Text(text::to_text(input, *unit)),
        Op::ToNumber => text::to_number(texts, failures),
        Op::HasText(place) => Data::Boolean(text::has_text(*place, input, inputs[1], rows)),
        Op::Letters(letters) => Data::Text(text::change_letter_case(*letters, texts)),
        Op::Length => Data::Int(texts.iter().map(|text| text.chars().count() as i64).collect()),
        Op::Power => arithmetic::raise_to_power(input, inputs[1], failures),
        Op::Approximate(function) => arithmetic::apply_libm_function(*function, input, failures),
        Op::Elapsed(elapsed) => arithmetic::elapsed_full_periods(*elapsed, input, inputs[1], failures),
        // Evaluated elsewhere, with more than their inputs.
        Op::Column(_) | Op::GroupColumn(_) | Op::Fact(_) | Op::Input(_) | Op::Entry(..) | Op::Dated(_) => {
            return Err(NOT_SCALAR);
        }
        Op::Int(_) | Op::Rational(_) | Op::Boolean(_) | Op::Text(_) | Op::Unknown => return Err(NOT_SCALAR),
        Op::Mentions(_) | Op::Mentioned(_) | Op::Named(_) | Op::Corrected(_) => return Err(NOT_SCALAR),
        Op::Neighbour(_) | Op::Rank | Op::SumNear { .. } | Op::Mirrored | Op::Spread | Op::Aggregate { .. } => {
            return Err(NOT_SCALAR);
        }
        Op::AtLeast(_) | Op::IsNull | Op::Why | Op::IsBoolean(_) | Op::And | Op::Or | Op::Choose | Op::Coalesce => {
            return Err(NOT_SCALAR);
        }
        Op::Least | Op::Greatest | Op::Local(_) | Op::NeedsMonths(_) | Op::PrincipalFor(_) => return Err(NOT_SCALAR),
        Op::Points(_) | Op::Score | Op::Hit(_) | Op::Output(..) | Op::InList(_) => return Err(NOT_SCALAR),
    })
}
