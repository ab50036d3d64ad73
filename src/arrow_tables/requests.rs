//! What customers ask for: one request for all of them, or a table with a row for each. Must not know decisions.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::error::Error;
use crate::decision::Request;
use crate::rules::PolicySet;
use crate::statement::{GivenColumn, plain_values};

/// The requests of customers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Requests {
    /// The request of a customer that has none of its own.
    all: Request,
    by_customer: BTreeMap<String, Request>,
}

/// The column with the customer, and the prefix of what a bureau reports.
const CUSTOMER: &str = "customer";
const BUREAU: &str = "bureau.";

impl Requests {
    /// The same request for every customer.
    pub fn same(request: Request) -> Requests {
        Requests { all: request, by_customer: BTreeMap::new() }
    }

    /// Adds the rows of a table: `customer`, and a column for each field, named as in a request; `bureau.score` is a
    /// field of the bureau. Money is in minor units. A null is a field that was not given. A row without `as_of` has
    /// the day of the request for all.
    ///
    /// # Errors
    /// If there is no customer, a customer comes twice, or a value is not of its field's type.
    pub fn add_table(&mut self, policies: &dyn PolicySet, columns: Vec<GivenColumn>, rows: usize) -> Result<(), Error> {
        let columns = plain_values(columns, rows).map_err(|error| Error::Request(error.to_string()))?;
        for row in 0..rows {
            let (mut customer, mut fields, mut bureau) = (None, Map::new(), Map::new());
            for (name, values) in &columns {
                let Some(value) = values.get(row).filter(|value| !value.is_null()).cloned() else { continue };
                match (name.strip_prefix(BUREAU), value) {
                    _ if name == CUSTOMER => customer = values.get(row).map(text),
                    (Some(field), value) => drop(bureau.insert(field.to_owned(), value)),
                    (None, value) => drop(fields.insert(name.clone(), value)),
                }
            }
            let Some(customer) = customer else {
                return Err(Error::Request(format!("row {}: it names no `{CUSTOMER}`", row + 1)));
            };
            if !bureau.is_empty() {
                fields.insert(BUREAU.trim_end_matches('.').to_owned(), Value::Object(bureau));
            }
            let wrong = |error: String| Error::Request(format!("row {}: {error}", row + 1));
            let json = serde_json::to_vec(&Value::Object(fields)).map_err(|error| wrong(error.to_string()))?;
            let mut request = Request::from_json(policies, &json).map_err(|error| wrong(error.to_string()))?;
            request.as_of = request.as_of.or(self.all.as_of);
            if self.by_customer.insert(customer.clone(), request).is_some() {
                return Err(wrong("its customer has a request in an earlier row".to_owned()));
            }
        }
        Ok(())
    }

    /// Adds the request of a customer.
    pub(crate) fn add(&mut self, customer: String, request: Request) {
        self.by_customer.insert(customer, request);
    }

    /// The request of a customer.
    pub(crate) fn of(&self, customer: Option<&str>) -> &Request {
        customer.and_then(|customer| self.by_customer.get(customer)).unwrap_or(&self.all)
    }

    /// The customers with a request of their own who are not among these.
    pub(crate) fn unmet(&self, met: &BTreeSet<String>) -> Vec<String> {
        self.by_customer.keys().filter(|customer| !met.contains(*customer)).cloned().collect()
    }

    /// Whether some customers have a request of their own.
    pub(crate) fn are_by_customer(&self) -> bool {
        !self.by_customer.is_empty()
    }

    /// The day of customers without a request of their own.
    pub(crate) fn as_of(&self) -> Option<crate::words::date::Day> {
        self.all.as_of
    }
}

/// The name of a customer as a table of records has it.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned())
}
