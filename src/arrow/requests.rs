//! What customers ask for: one request for all of them, or a table with a row for each.

use std::collections::{BTreeMap, BTreeSet};

use polars_arrow::datatypes::ArrowDataType;
use serde_json::{Map, Value};

use super::error::Error;
use crate::base::date::Day;
use crate::engine::decision::{NESTED_SOURCES, Request};
use crate::rules::{Input, InputSource, Policy, PolicySet, Unit};
use crate::run::batch::FailedStatement;
use crate::statement::arrow_tables::plain_values;
use crate::statement::{GivenColumn, customer_of};

/// The requests of customers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Requests {
    /// The request of a customer that has none of its own.
    all: Request,
    by_customer: BTreeMap<String, Request>,
}

/// The column with the customer.
const CUSTOMER: &str = "customer";

impl Requests {
    /// The same request for every customer.
    pub fn same(request: Request) -> Requests {
        Requests { all: request, by_customer: BTreeMap::new() }
    }

    /// Adds the rows of a table: `customer`, and a column for each field, named as in a request; `bureau.score` is a
    /// field of the bureau, `given.fico` a given metric. Money is in minor units. A null is a field that was not given;
    /// that of a given metric says that it is unknown. A row without `as_of` has the day of the request for all.
    ///
    /// # Errors
    /// If there is no customer, a customer comes twice, or a value is not of its field's type.
    pub fn add_table(&mut self, policies: &dyn PolicySet, columns: Vec<GivenColumn>, rows: usize) -> Result<(), Error> {
        refuse_unclear_money(policies, &columns)?;
        let columns = plain_values(columns, rows).map_err(|error| Error::Request(error.to_string()))?;
        for row in 0..rows {
            let wrong = |error: &str| Error::Request(format!("row {}: {error}", row + 1));
            let (mut customer, mut fields) = (None, Map::new());
            for (name, values) in &columns {
                let Some(value) = values.get(row).cloned() else { continue };
                let nested = nested_field(name);
                let is_given = nested.is_some_and(|(source, _)| source == InputSource::Given);
                match (nested, value) {
                    (_, value) if value.is_null() && !is_given => {}
                    (_, value) if name == CUSTOMER => customer = Some(customer_of(&value).map_err(wrong)?),
                    (Some((source, field)), value) => {
                        let nested = fields.entry(source.word()).or_insert_with(|| Value::Object(Map::new()));
                        nested.as_object_mut().map(|nested| nested.insert(field.to_owned(), value));
                    }
                    (None, value) => drop(fields.insert(name.clone(), value)),
                }
            }
            let Some(customer) = customer else {
                return Err(wrong("it names no `customer`"));
            };
            let mut request = of_fields(policies, fields).map_err(|error| wrong(&error))?;
            request.as_of = request.as_of.or(self.all.as_of);
            if self.by_customer.insert(customer.clone(), request).is_some() {
                return Err(wrong("its customer has a request in an earlier row"));
            }
        }
        Ok(())
    }

    /// Gives a customer a day of their own. What they ask for stays.
    pub(crate) fn add_day(&mut self, customer: String, day: Day) {
        let request = self.for_customer(Some(&customer)).clone();
        self.by_customer.insert(customer, Request { as_of: Some(day), ..request });
    }

    /// The request of a customer.
    pub(crate) fn for_customer(&self, customer: Option<&str>) -> &Request {
        customer.and_then(|customer| self.by_customer.get(customer)).unwrap_or(&self.all)
    }

    /// The customers with a request of their own who are not among these, as failures.
    pub(crate) fn without_records(&self, met: &BTreeSet<String>) -> Vec<FailedStatement> {
        let failed = |customer: &String| FailedStatement {
            source: "requests".to_owned(),
            customer: Some(customer.clone()),
            place: None,
            what: "a request without records: the table has no row of this customer".to_owned(),
        };
        self.by_customer.keys().filter(|customer| !met.contains(*customer)).map(failed).collect()
    }

    /// Whether some customers have a request of their own.
    pub(crate) fn are_by_customer(&self) -> bool {
        !self.by_customer.is_empty()
    }

    /// The day of customers without a request of their own.
    pub(crate) fn as_of(&self) -> Option<Day> {
        self.all.as_of
    }
}

/// The columns of requests without those that only the policy `other` declares: of two policies that are compared, one
/// may read what the other does not know.
pub fn columns_for_policy(
    policies: &dyn PolicySet,
    other: &dyn PolicySet,
    columns: Vec<GivenColumn>,
) -> Vec<GivenColumn> {
    let declares = |policies: &dyn PolicySet, name: &str| {
        policies.policies().into_iter().flat_map(Policy::inputs).any(|input| names_input(name, input))
    };
    columns.into_iter().filter(|(name, _)| declares(policies, name) || !declares(other, name)).collect()
}

/// A request for every customer of a table, as JSON. A whole number may be written as 612.0, but not if it is money.
///
/// # Errors
/// If it is no JSON object, names a customer, or has a field that the policy does not declare or of another type.
pub fn request_for_all(policies: &dyn PolicySet, json: &str) -> Result<Request, Error> {
    let fields = serde_json::from_str(json).map_err(|error| Error::Request(error.to_string()))?;
    let request = of_fields(policies, fields).map_err(Error::Request)?;
    match request.customer {
        None => Ok(request),
        Some(_) => Err(Error::Request(
            "a request for all customers of a table names none; give a table of requests with a column `customer`"
                .to_owned(),
        )),
    }
}

fn of_fields(policies: &dyn PolicySet, mut fields: Map<String, Value>) -> Result<Request, String> {
    for input in policies.policies().into_iter().flat_map(Policy::inputs).filter(|input| input.ty.unit != Unit::Money) {
        let value = match NESTED_SOURCES.contains(&input.source) {
            true => fields.get_mut(input.source.word()).and_then(|nested| nested.get_mut(&input.name)),
            false => fields.get_mut(&input.name),
        };
        if let Some(value) = value
            && let Some(number) = value.as_f64().filter(|number| value.is_f64() && number.fract() == 0.0)
            && number.abs() < WHOLE_MAX
        {
            *value = (number as i64).into();
        }
    }
    let json = serde_json::to_vec(&Value::Object(fields)).map_err(|error| error.to_string())?;
    Request::from_json(policies, &json).map_err(|error| error.to_string())
}

/// The source and the field of a column such as `bureau.score` or `given.fico`.
fn nested_field(column: &str) -> Option<(InputSource, &str)> {
    let (word, field) = column.split_once('.')?;
    Some((NESTED_SOURCES.into_iter().find(|source| source.word() == word)?, field))
}

/// Whether a column is of an input.
fn names_input(column: &str, input: &Input) -> bool {
    match nested_field(column) {
        Some((source, field)) => (input.source, input.name.as_str()) == (source, field),
        None => !NESTED_SOURCES.contains(&input.source) && column == input.name,
    }
}

/// Doubles below it hold every whole number.
const WHOLE_MAX: f64 = (1_u64 << 53) as f64;

/// Refuses money that is not in columns of integers: nobody can tell its unit.
fn refuse_unclear_money(policies: &dyn PolicySet, columns: &[GivenColumn]) -> Result<(), Error> {
    let is_money = |name: &str| {
        let mut inputs = policies.policies().into_iter().flat_map(Policy::inputs);
        inputs.any(|input| names_input(name, input) && input.ty.unit == Unit::Money)
    };
    for (name, array) in columns {
        let Ok(array) = array else { continue };
        let is_unclear = match array.dtype() {
            ArrowDataType::Float32 | ArrowDataType::Float64 => true,
            ArrowDataType::Decimal(_, scale) | ArrowDataType::Decimal32(_, scale) => *scale > 0,
            ArrowDataType::Decimal64(_, scale) => *scale > 0,
            _ => false,
        };
        if is_unclear && is_money(name) {
            return Err(Error::Request(format!(
                "column `{name}` is money and holds numbers with decimals, whose unit nobody can tell; give whole \
                 minor units as integers"
            )));
        }
    }
    Ok(())
}
