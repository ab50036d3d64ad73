//! A lender's own table with a row for each customer: given metrics, and fields of requests and of bureaus' reports, as
//! columns. Knows no file.

mod cells;

use std::collections::{BTreeMap, HashMap};

use polars::prelude::{Column as Series, DataFrame, DataType};

pub(crate) use self::cells::is_unknown_cell;
use self::cells::read_cell;
use super::outcomes::ColumnTable;
use crate::base::date::Day;
use crate::base::diagnostic::nearest_candidate;
use crate::base::text::escape_terminal;
use crate::engine::decision::{NESTED_SOURCES, Request};
use crate::engine::metrics::polars_convert::values_column;
use crate::rules::program::Value;
use crate::rules::{Input, InputSource, Policy, PolicySet, Repr, Unit};
use crate::statement::customer_of;

/// The columns with the customer and the day of each row.
const CUSTOMER: &str = "customer";
const AS_OF: &str = "as_of";

/// A table of customers.
#[derive(Clone, Debug)]
pub struct CustomerTable {
    table: ColumnTable,
    /// What a column without a prefix is.
    plain: InputSource,
    customers: Vec<String>,
    rows: HashMap<String, usize>,
    days: Option<Vec<Option<Day>>>,
}

impl CustomerTable {
    /// Reads a table of texts, numbers and truth values. A column may have a prefix, as in `request.amount`,
    /// `bureau.score` and `given.fico`; one without is of the source `plain`.
    ///
    /// # Errors
    /// If a row names no customer, a customer comes twice, or `as_of` cannot be read.
    pub fn new(table: ColumnTable, plain: InputSource) -> Result<CustomerTable, String> {
        let names = column_named(&table, CUSTOMER)
            .ok_or("there is no column `customer`; name the column that has it with --customer-column")?;
        let (mut customers, mut rows) = (Vec::with_capacity(names.len()), HashMap::with_capacity(names.len()));
        for (row, name) in names.iter().enumerate() {
            let name = customer_of(name).map_err(|what| in_row(row, what))?;
            if rows.insert(name.clone(), row).is_some() {
                return Err(in_row(
                    row,
                    "its customer is in an earlier row too; keep one row of each, or name the column with the loan by \
                     --loan-column, here and in the outcomes; if that was given, this loan has two rows",
                ));
            }
            customers.push(name);
        }
        if customers.is_empty() {
            return Err("it has no rows".to_owned());
        }
        let days = column_named(&table, AS_OF).map(read_days).transpose()?;
        Ok(CustomerTable { table, plain, customers, rows, days })
    }

    /// Who has a row, in order.
    pub fn customers(&self) -> &[String] {
        &self.customers
    }

    /// The day of each row, if the table has days.
    pub fn days(&self) -> Option<&[Option<Day>]> {
        self.days.as_deref()
    }

    /// Whether a customer has a row.
    pub fn has_customer(&self, customer: &str) -> bool {
        self.rows.contains_key(customer)
    }

    /// Checks that the policies declare what the table has, and that it has what they declare as given.
    ///
    /// # Errors
    /// If a column or a metric is missing, with the nearest name.
    pub fn check_columns(&self, policies: &[&Policy]) -> Result<(), String> {
        let inputs = || policies.iter().flat_map(|policy| policy.inputs());
        // A table of metrics may have columns that no rule reads: customers are divided by them.
        let has_meaning = |name: &str| self.plain != InputSource::Given || has_prefix(name);
        let names = inputs().flat_map(|input| names_of_column(input, self.plain)).collect::<Vec<_>>();
        let mut columns =
            self.table.iter().map(|(name, _)| name).filter(|name| ![CUSTOMER, AS_OF].contains(&name.as_str()));
        if let Some(name) = columns.find(|name| has_meaning(name) && !names.contains(name)) {
            let near = nearest_candidate(name, names.iter().map(String::as_str));
            let near = near.map_or("leave it out".to_owned(), |near| format!("did you mean `{near}`?"));
            return Err(format!("the policy declares nothing for the column `{}`; {near}", escape_terminal(name)));
        }
        for input in inputs() {
            let is_there = |name: &String| column_named(&self.table, name).is_some();
            let found: Vec<String> = names_of_column(input, self.plain).filter(is_there).collect();
            if let [one, other] = found.as_slice()
                && one != other
            {
                let [one, other] = [one, other].map(|name| escape_terminal(name));
                return Err(format!("the columns `{one}` and `{other}` are both `{}`; leave one out", input.path()));
            }
        }
        if self.plain != InputSource::Given {
            return Ok(());
        }
        let missing =
            inputs().filter(|input| input.source == InputSource::Given).find(|input| self.column_of(input).is_none());
        let Some(input) = missing else { return Ok(()) };
        let wanted = input.column.as_deref().unwrap_or(&input.name);
        let near = self.nearest_column(wanted);
        let (name, kind) = (&input.name, input.ty.unit.word());
        let column = serde_json::Value::from(near.unwrap_or("..."));
        let near = near.map_or(String::new(), |near| format!("did you mean `{}`? ", escape_terminal(near)));
        Err(format!(
            "there is no column `{}` for the given metric `{name}`; {near}to use another column, write {name} = \
             {{ given = \"{kind}\", column = {} }}",
            escape_terminal(wanted),
            escape_terminal(&column.to_string())
        ))
    }

    /// The column whose name is most like another, in capital letters or not.
    fn nearest_column(&self, wanted: &str) -> Option<&str> {
        let names: Vec<String> = self.table.iter().map(|(name, _)| name.to_lowercase()).collect();
        let near = nearest_candidate(&wanted.to_lowercase(), names.iter().map(String::as_str))?;
        let at = names.iter().position(|name| name == near)?;
        self.table.get(at).map(|(name, _)| name.as_str())
    }

    /// Whether the table has a column of an input.
    pub fn has_input(&self, input: &Input) -> bool {
        self.column_of(input).is_some()
    }

    fn column_of(&self, input: &Input) -> Option<(&str, &[serde_json::Value])> {
        names_of_column(input, self.plain).find_map(|name| {
            let (name, values) = self.table.iter().find(|(known, _)| *known == name)?;
            Some((name.as_str(), values.as_slice()))
        })
    }

    /// The values of an input for some customers, as a column: those of their rows, and of a customer without a row
    /// what `request` says. `None` if the table does not have the input.
    ///
    /// # Errors
    /// If a cell holds something else.
    pub fn values_for(
        &self,
        policy: &Policy,
        input: &Input,
        customers: &[String],
        request: &Request,
    ) -> Result<Option<Series>, String> {
        let Some((name, cells)) = self.column_of(input) else { return Ok(None) };
        if !input.fields.is_empty() || input.ty.repr == Repr::List {
            return Err(format!("the column `{}` would be a list, which no cell is", escape_terminal(name)));
        }
        let currency = policy.header().currency;
        let shared = request.given_to(policy).values.get(&input.path()).cloned();
        let value = |customer: &String| -> Result<Option<Value>, String> {
            let Some(row) = self.rows.get(customer) else { return Ok(shared.clone()) };
            let wrong = |what: String| in_row(*row, &format!("the column `{}` {what}", escape_terminal(name)));
            read_cell(&cells[*row], input.ty, &currency).map_err(wrong)
        };
        let values: Vec<Option<Value>> = customers.iter().map(value).collect::<Result<_, _>>()?;
        let column = values_column(&input.path(), input.ty, values.iter().map(Option::as_ref));
        column.map(Some).map_err(|error| error.to_string())
    }

    /// The request of each customer: what all ask for, and in its place what their row says.
    ///
    /// # Errors
    /// If a cell holds something else than the policy declares, or versions of the policy read it differently.
    pub fn requests(&self, policies: &dyn PolicySet, all: &Request) -> Result<BTreeMap<String, Request>, String> {
        let versions = policies.policies();
        let inputs: Vec<(&Policy, &Input)> =
            versions.iter().flat_map(|policy| policy.inputs().iter().map(move |input| (*policy, input))).collect();
        let mut requests = BTreeMap::new();
        for (row, customer) in self.customers.iter().enumerate() {
            let (mut fields, mut said) = (all.given.clone(), BTreeMap::new());
            for (policy, input) in &inputs {
                let Some((name, cells)) = self.column_of(input) else { continue };
                let wrong = |what: String| in_row(row, &format!("the column `{}` {what}", escape_terminal(name)));
                if !input.fields.is_empty() || input.ty.repr == Repr::List {
                    return Err(format!("the column `{}` would be a list, which no cell is", escape_terminal(name)));
                }
                let read = read_cell(&cells[row], input.ty, &policy.header().currency).map_err(wrong)?;
                let value = read.map_or(serde_json::Value::Null, |value| request_value(input.ty.unit, value));
                if said.insert(input.path(), value.clone()).is_some_and(|other| other != value) {
                    return Err(wrong("is read otherwise by versions of the policy; decide with one at a time".into()));
                }
                put_field(&mut fields, input, value);
            }
            let json = serde_json::to_vec(&fields).map_err(|error| error.to_string())?;
            let mut request = Request::from_json(policies, &json).map_err(|error| in_row(row, &error.to_string()))?;
            request.as_of = self.days.as_ref().and_then(|days| days[row]).or(all.as_of);
            request.customer.clone_from(&all.customer);
            requests.insert(customer.clone(), request);
        }
        Ok(requests)
    }

    /// The head of a table of metrics for its customers: each row's day, or else that for all.
    ///
    /// # Errors
    /// If both say a day.
    pub(crate) fn head(&self, as_of: Option<Day>) -> Result<DataFrame, String> {
        if as_of.is_some() && self.days.is_some() {
            return Err("its column `as_of` and the request both say the day; leave one out".to_owned());
        }
        let days: Vec<Option<i32>> = match &self.days {
            Some(days) => days.iter().map(|day| day.map(Day::days)).collect(),
            None => vec![as_of.map(Day::days); self.customers.len()],
        };
        let wrong = |error: polars::error::PolarsError| error.to_string();
        let columns = vec![
            Series::new(CUSTOMER.into(), &self.customers),
            Series::new("statement".into(), &self.customers),
            Series::new(AS_OF.into(), days).cast(&DataType::Date).map_err(wrong)?,
        ];
        DataFrame::new(self.customers.len(), columns).map_err(wrong)
    }

    /// The columns as they stand in the table, as texts, or as numbers if all are: by them customers are divided.
    pub(crate) fn plain_columns(&self) -> Result<DataFrame, String> {
        let columns = self.table.iter().map(|(name, cells)| plain_column(name, cells)).collect();
        DataFrame::new(self.customers.len(), columns).map_err(|error| error.to_string())
    }
}

fn plain_column(name: &str, cells: &[serde_json::Value]) -> Series {
    let text = |cell: &serde_json::Value| match cell {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        other => Some(other.to_string()),
    };
    let texts: Vec<Option<String>> = cells.iter().map(text).collect();
    // 007 is a code, not a number.
    let is_code = |text: &String| text.len() > 1 && text.starts_with('0') && !text.starts_with("0.");
    if texts.iter().flatten().any(is_code) {
        return Series::new(name.into(), texts);
    }
    let numbers: Option<Vec<Option<f64>>> = texts
        .iter()
        .map(|text| {
            text.as_ref()
                .map_or(Some(None), |text| text.parse().ok().filter(|number: &f64| number.is_finite()).map(Some))
        })
        .collect();
    match numbers {
        Some(numbers) if numbers.iter().flatten().all(|number| number.fract() == 0.0) => {
            Series::new(name.into(), numbers.iter().map(|number| number.map(|whole| whole as i64)).collect::<Vec<_>>())
        }
        Some(numbers) => Series::new(name.into(), numbers),
        None => Series::new(name.into(), texts),
    }
}

/// A value as a request has it: money in minor units, days and times as texts.
fn request_value(unit: Unit, value: Value) -> serde_json::Value {
    if let Some(text) = unit.iso(&value) {
        return text.into();
    }
    match value {
        Value::Int(whole) => whole.into(),
        Value::Boolean(truth) => truth.into(),
        Value::Text(text) => text.into(),
        Value::Rational(number) => number.to_f64().into(),
        Value::Float(number) => number.into(),
        Value::List(_) | Value::Entry(_) => serde_json::Value::Null,
    }
}

/// Puts a field where a request has it. An unknown given metric stays there as null, which says that it is unknown.
fn put_field(fields: &mut BTreeMap<String, serde_json::Value>, input: &Input, value: serde_json::Value) {
    if !NESTED_SOURCES.contains(&input.source) {
        match value.is_null() {
            true => drop(fields.remove(&input.name)),
            false => drop(fields.insert(input.name.clone(), value)),
        }
        return;
    }
    let nested = fields.entry(input.source.word().to_owned()).or_insert_with(|| serde_json::json!({}));
    if let Some(nested) = nested.as_object_mut() {
        nested.insert(input.name.clone(), value);
    }
}

/// The names that the column of an input may have.
fn names_of_column(input: &Input, plain: InputSource) -> impl Iterator<Item = String> {
    let own = input.column.clone().unwrap_or_else(|| input.name.clone());
    [Some(input.path()), (input.source == plain).then_some(own)].into_iter().flatten()
}

fn has_prefix(name: &str) -> bool {
    let sources = [InputSource::Request, InputSource::Bureau, InputSource::Own, InputSource::Given];
    name.split_once('.').is_some_and(|(prefix, _)| sources.iter().any(|source| source.word() == prefix))
}

fn column_named<'t>(table: &'t ColumnTable, name: &str) -> Option<&'t [serde_json::Value]> {
    table.iter().find(|(known, _)| known == name).map(|(_, values)| values.as_slice())
}

fn read_days(cells: &[serde_json::Value]) -> Result<Vec<Option<Day>>, String> {
    let day = |(row, cell): (usize, &serde_json::Value)| match cell.as_str().map(str::trim) {
        None if cell.is_null() => Ok(None),
        Some("") => Ok(None),
        text => text
            .and_then(Day::parse_iso)
            .map(Some)
            .ok_or_else(|| in_row(row, "`as_of` cannot be read; write a day as 2026-06-30")),
    };
    cells.iter().enumerate().map(day).collect()
}

fn in_row(row: usize, what: &str) -> String {
    format!("row {}: {what}", row + 1)
}

#[cfg(test)]
mod tests;
