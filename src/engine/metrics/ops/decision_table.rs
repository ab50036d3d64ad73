//! Decision tables over columns: which rows hit, and their outputs. An unknown never selects a row that was meant for
//! another value.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::cells::{NO_TEST, Tested, first_passing_tests};
use crate::base::rational::Rational;
use crate::engine::metrics::column::{
    Bits, Data, NAMELESS, Reason, Texts, ValueColumn, collect_few, from_values, some_input_unknown, with_failures,
};
use crate::rules::Repr;
use crate::rules::index::each_of_all;
use crate::rules::program::{Collected, DecisionTable, DecisionTableRow, HitPolicy, OutputCell, Value, compare_values};

/// The rows that hit, by index; one past the last means `otherwise`. A list for hit policies that allow several.
pub(crate) fn find_hit_rows<'a>(
    table: &DecisionTable,
    index: usize,
    inputs: &[&ValueColumn],
    rows: usize,
) -> ValueColumn<'a> {
    let indexes = table.index.exact();
    let tested: Option<Vec<Tested>> = indexes.and_then(|indexes| {
        indexes.iter().zip(inputs).map(|(intervals, input)| Tested::new(intervals, input)).collect()
    });
    match tested {
        Some(tested) if table.hit_policy == HitPolicy::First => first_hit_rows(table, index, (&tested, inputs), rows),
        Some(tested) => counted(table, rows, |row| in_sets(table, index, (&tested, inputs), row)),
        None => counted(table, rows, |row| {
            let values: Vec<Result<Value, Reason>> = inputs.iter().map(|input| input.value(row)).collect();
            find_hits_by_policy(table, index, &values)
        }),
    }
}

fn counted<'a>(
    table: &DecisionTable,
    rows: usize,
    found: impl Fn(usize) -> Result<Vec<usize>, Reason>,
) -> ValueColumn<'a> {
    let values = (0..rows).map(|row| {
        let found = found(row)?;
        Ok(match table.hit_policy.is_many() {
            true => Value::List(found.into_iter().map(|row| Value::Int(row as i64)).collect()),
            false => Value::Int(found.first().map_or(0, |row| *row as i64)),
        })
    });
    from_values(values, if table.hit_policy.is_many() { Repr::List } else { Repr::Int })
}

/// The columns of a table's inputs, tested and as they are.
type Inputs<'i, 'a> = (&'i [Tested<'i>], &'i [&'i ValueColumn<'a>]);

/// The first row that fits each row of data.
fn first_hit_rows<'a>(table: &DecisionTable, index: usize, (tested, inputs): Inputs, rows: usize) -> ValueColumn<'a> {
    let found = first_passing_tests(tested, table.rows.len(), rows);
    let mut failures = Vec::new();
    if let Some(unknown) = some_input_unknown(inputs, rows) {
        let of_row = |row: usize| Some((row, why_row_is_undecided(table, found[row] as usize, inputs, row)?));
        failures.extend(unknown.ones(0..rows).filter(|row| found[*row] != NO_TEST).filter_map(of_row));
    }
    if table.otherwise.is_none() {
        let in_none = found.iter().enumerate().filter(|(_, number)| **number == NO_TEST);
        failures.extend(in_none.map(|(row, _)| (row, Reason::NoRow(index as u16))));
    }
    let otherwise = table.rows.len() as i64;
    let number = |number: &u32| if *number == NO_TEST { otherwise } else { i64::from(*number) };
    with_failures(ValueColumn::known(Data::Int(found.iter().map(number).collect())), failures)
}

/// Why a row is undecided for a row of data; the first unknown input gives the reason. The rule is that of
/// [`row_fits_values`],
/// for rows that the index did not exclude.
fn why_row_is_undecided(table: &DecisionTable, number: usize, inputs: &[&ValueColumn], row: usize) -> Option<Reason> {
    let tests = table.rows[number].tests.iter().zip(&table.expected);
    let mut unknown = inputs.iter().zip(tests).filter(|(input, _)| !input.is_known(row));
    let open = unknown.find(|(_, (test, expected))| !**expected && test.passes(None).is_none());
    open.map(|(input, _)| input.reason(row))
}

/// The rows that hit, among those that the sets admit.
fn in_sets(table: &DecisionTable, index: usize, (tested, inputs): Inputs, row: usize) -> Result<Vec<usize>, Reason> {
    let mut search = HitSearch { table, index, found: Vec::new() };
    let sets: Vec<&[u64]> = tested.iter().map(|tested| tested.set(row)).collect();
    let ended = each_of_all(&sets, table.rows.len(), |number| {
        search.look(number, why_row_is_undecided(table, number, inputs, row).map_or(Ok(true), Err))
    });
    search.end(ended)
}

/// The rows that the value of a table's node means.
pub(crate) fn rows_of(value: &Value) -> Vec<usize> {
    match value {
        Value::Int(row) => vec![*row as usize],
        Value::List(rows) => rows.iter().filter_map(Value::int).map(|row| row as usize).collect(),
        _ => Vec::new(),
    }
}

/// Whether a row fits. A row with an undecided cell is neither in nor out, unless another cell excludes it. In a column
/// that is `expected` to be unknown, because one of its cells says so, an unknown fits those cells and `-`, and no
/// other. [`why_row_is_undecided`] has the same rule for columns.
fn row_fits_values(
    row: &DecisionTableRow,
    values: &[Result<Value, Reason>],
    expected: &[bool],
) -> Result<bool, Reason> {
    let mut fits = Ok(true);
    for ((test, value), expected) in row.tests.iter().zip(values).zip(expected) {
        match test.passes(value.as_ref().ok()).or(expected.then_some(false)) {
            Some(true) => {}
            Some(false) => return Ok(false),
            // The first unknown gives the reason.
            None if fits.is_ok() => fits = Err(value.as_ref().err().copied().unwrap_or_default()),
            None => {}
        }
    }
    fits
}

/// The rows that hit by the hit policy.
pub(crate) fn find_hits_by_policy(
    table: &DecisionTable,
    index: usize,
    values: &[Result<Value, Reason>],
) -> Result<Vec<usize>, Reason> {
    let mut search = HitSearch { table, index, found: Vec::new() };
    let known: Vec<Option<&Value>> = values.iter().map(|value| value.as_ref().ok()).collect();
    let ended = table
        .index
        .rows(&known, |number| search.look(number, row_fits_values(&table.rows[number], values, &table.expected)));
    search.end(ended)
}

/// Visits the rows of a table in order, by its hit policy.
struct HitSearch<'t> {
    table: &'t DecisionTable,
    index: usize,
    found: Vec<usize>,
}

impl HitSearch<'_> {
    /// Takes the next row. Returns the result if it ends the search.
    fn look(&mut self, number: usize, fits: Result<bool, Reason>) -> Option<Result<usize, Reason>> {
        let (table, many) = (self.table, Some(Err(Reason::ManyRows(self.index as u16))));
        match (fits, table.hit_policy) {
            (Ok(false), _) => return None,
            (Err(reason), _) => return Some(Err(reason)),
            (Ok(true), HitPolicy::First) => return Some(Ok(number)),
            (Ok(true), HitPolicy::Unique) if !self.found.is_empty() => return many,
            (Ok(true), HitPolicy::Any)
                if self.found.first().is_some_and(|first| table.rows[*first].values != table.rows[number].values) =>
            {
                return many;
            }
            (Ok(true), _) => self.found.push(number),
        }
        None
    }

    /// The rows that hit after the last row was visited.
    fn end(self, ended: Option<Result<usize, Reason>>) -> Result<Vec<usize>, Reason> {
        let Self { table, index, mut found } = self;
        if let Some(ended) = ended {
            return ended.map(|row| vec![row]);
        }
        if found.is_empty() {
            return match (&table.otherwise, table.hit_policy.is_many()) {
                (Some(_), _) => Ok(vec![table.rows.len()]),
                (None, true) => Ok(found),
                (None, false) => Err(Reason::NoRow(index as u16)),
            };
        }
        if matches!(table.hit_policy, HitPolicy::Priority | HitPolicy::OutputOrder) {
            found.sort_by_key(|row| rank_by_outputs(table, *row));
        }
        if !table.hit_policy.is_many() {
            found.truncate(1);
        }
        Ok(found)
    }
}

/// A row's rank by its outputs, the first output first.
fn rank_by_outputs(table: &DecisionTable, row: usize) -> Vec<usize> {
    let ranked = table.outputs.iter().zip(&table.rows[row].values).filter(|(output, _)| !output.values.is_empty());
    let place = |(output, cell): (&crate::rules::program::Output, &OutputCell)| match cell {
        OutputCell::Value(value) => output.values.iter().position(|known| known == value).unwrap_or(usize::MAX),
        OutputCell::Expression(..) => usize::MAX,
    };
    ranked.map(place).collect()
}

/// One output: the cell of the row that hit, or all hits combined. `inputs` are the hit and the expressions in cells.
pub(crate) fn gather_table_output<'a>(
    table: &DecisionTable,
    column: usize,
    inputs: &[&ValueColumn],
    rows: usize,
    repr: Repr,
) -> ValueColumn<'a> {
    if let Some(cells) = gather_cells(table, column, inputs[0], repr) {
        return cells;
    }
    let cell = |number: usize, row: usize| {
        let cells = table.rows.get(number).map(|row| &row.values).or(table.otherwise.as_ref());
        match cells.map(|cells| &cells[column]) {
            Some(OutputCell::Value(value)) => Ok(value.clone()),
            Some(OutputCell::Expression(_, at)) => inputs[*at].value(row),
            None => Err(Reason::NoValue),
        }
    };
    let values = (0..rows).map(|row| {
        let hits = rows_of(&inputs[0].value(row)?);
        let mut cells = hits.into_iter().map(|number| cell(number, row));
        match table.hit_policy {
            HitPolicy::Collect(Collected::Count) => Ok(Value::Int(cells.len() as i64)),
            HitPolicy::Collect(Collected::Sum) => sum(cells.collect::<Result<_, _>>()?, repr),
            HitPolicy::Collect(Collected::Min) => extreme(cells.collect::<Result<_, _>>()?, Ordering::Less),
            HitPolicy::Collect(Collected::Max) => extreme(cells.collect::<Result<_, _>>()?, Ordering::Greater),
            hit if hit.is_list() => Ok(Value::List(cells.collect::<Result<_, _>>()?)),
            _ => cells.next().unwrap_or(Err(Reason::NoValue)),
        }
    });
    from_values(values, repr)
}

/// The cells of single hits, gathered at once; `None` if a cell is an expression or the hit policy combines rows.
fn gather_cells<'a>(table: &DecisionTable, column: usize, hit: &ValueColumn, repr: Repr) -> Option<ValueColumn<'a>> {
    let Data::Int(numbers) = &hit.data else { return None };
    // For few rows, copying the cells would cost more.
    if matches!(table.hit_policy, HitPolicy::Collect(_))
        || table.hit_policy.is_list()
        || numbers.len() <= table.rows.len()
    {
        return None;
    }
    let rows = table.rows.iter().map(|row| &row.values).chain(&table.otherwise);
    let value = |cells: &Vec<OutputCell>| match &cells[column] {
        OutputCell::Value(value) if value.is(repr) => Some(value.clone()),
        _ => None,
    };
    let cells: Vec<Value> = rows.map(value).collect::<Option<_>>()?;
    let at = |number: &i64| *number as usize;
    let data = match repr {
        Repr::Int => {
            let ints: Vec<i64> = cells.iter().map(|cell| cell.int().unwrap_or_default()).collect();
            Data::Int(numbers.iter().map(|number| ints.get(at(number)).copied().unwrap_or_default()).collect())
        }
        Repr::Rational => {
            // Numbers in rules are mostly the shortest decimal of a double.
            let decimal = |cell: &Value| match cell {
                Value::Rational(value) => value.as_f64(),
                _ => None,
            };
            match cells.iter().map(decimal).collect::<Option<Vec<f64>>>() {
                Some(doubles) => Data::Decimals(collect_few(
                    numbers.iter().map(|number| doubles.get(at(number)).copied().unwrap_or_default()),
                )),
                None => {
                    let cells: Vec<Rational> = cells.iter().map(|cell| cell.rational().unwrap_or_default()).collect();
                    Data::Rational(collect_few(
                        numbers.iter().map(|number| cells.get(at(number)).cloned().unwrap_or_default()),
                    ))
                }
            }
        }
        Repr::Float => {
            let floats: Vec<f64> = cells.iter().map(|cell| cell.float().unwrap_or_default()).collect();
            Data::Float(collect_few(numbers.iter().map(|number| floats.get(at(number)).copied().unwrap_or_default())))
        }
        Repr::Boolean => {
            let truths: Vec<bool> = cells.iter().map(|cell| *cell == Value::Boolean(true)).collect();
            Data::Boolean(Bits::from_values(numbers, |number| truths.get(at(&number)) == Some(&true)))
        }
        Repr::Text => {
            let name = |cell| if let Value::Text(text) = cell { Cow::Owned(text) } else { Cow::Borrowed("") };
            let names: Vec<Cow<'a, str>> = cells.into_iter().map(name).collect();
            let number = |number: &i64| if at(number) < names.len() { *number as u32 } else { NAMELESS };
            Data::Text(Texts::Named(numbers.iter().map(number).collect(), names.into()))
        }
        Repr::List => return None,
    };
    Some(ValueColumn { data, valid: hit.valid.clone(), reasons: hit.reasons.clone(), failed: Vec::new() })
}

/// Zero over no rows, as every sum here.
fn sum(values: Vec<Value>, repr: Repr) -> Result<Value, Reason> {
    if repr == Repr::Int {
        // Only the total must fit, not every partial sum.
        let sum: i128 = values.iter().filter_map(Value::int).map(i128::from).sum();
        return i64::try_from(sum).map(Value::Int).map_err(|_| Reason::Overflow);
    }
    let numbers: Vec<Rational> = values.iter().filter_map(Value::rational).collect();
    Rational::sum(&numbers).map(Value::Rational).ok_or(Reason::Overflow)
}

fn extreme(values: Vec<Value>, wanted: Ordering) -> Result<Value, Reason> {
    let better = |best: Value, value: Value| if compare_values(&value, &best) == Some(wanted) { value } else { best };
    values.into_iter().reduce(better).ok_or(Reason::NoValue)
}
