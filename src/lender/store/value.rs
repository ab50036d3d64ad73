//! Parameters of statements, and cells of their rows.

use std::fmt;
use std::sync::Arc;

use super::error::StoreError;

/// A parameter or a cell. A boolean is an integer, 0 or 1.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Null,
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Value {
    /// What kind of value it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Integer(_) => "an integer",
            Value::Text(_) => "text",
            Value::Bytes(_) => "bytes",
        }
    }
}

/// The kind alone: values are private.
impl fmt::Debug for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "[{}]", self.kind())
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Integer(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Integer(i64::from(value))
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::Text(value.to_string())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::Text(value)
    }
}

impl From<&[u8]> for Value {
    fn from(value: &[u8]) -> Value {
        Value::Bytes(value.to_vec())
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Value {
        Value::Bytes(value)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

/// A row of a query. Cells are read by the name of their column; a wrong name or kind is an error of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    columns: Arc<[String]>,
    cells: Vec<Value>,
}

impl Row {
    pub(crate) fn new(columns: Arc<[String]>, cells: Vec<Value>) -> Row {
        Row { columns, cells }
    }

    /// The cell of a column.
    pub(crate) fn value(&self, column: &str) -> Result<&Value, StoreError> {
        let at = self.columns.iter().position(|name| name == column);
        at.and_then(|at| self.cells.get(at))
            .ok_or_else(|| StoreError::Programming(format!("the query has no column `{column}`")))
    }

    pub(crate) fn integer(&self, column: &str) -> Result<i64, StoreError> {
        known(column, "an integer", self.integer_if_any(column)?)
    }

    pub(crate) fn integer_if_any(&self, column: &str) -> Result<Option<i64>, StoreError> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Integer(value) => Ok(Some(*value)),
            other => Err(unexpected(column, "an integer", other)),
        }
    }

    /// A boolean: 0 or 1, and nothing else.
    #[cfg(test)]
    pub(crate) fn truth(&self, column: &str) -> Result<bool, StoreError> {
        match self.integer(column)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(StoreError::Programming(format!("column `{column}` is neither 0 nor 1"))),
        }
    }

    pub(crate) fn text(&self, column: &str) -> Result<&str, StoreError> {
        known(column, "text", self.text_if_any(column)?)
    }

    pub(crate) fn text_if_any(&self, column: &str) -> Result<Option<&str>, StoreError> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Text(value) => Ok(Some(value)),
            other => Err(unexpected(column, "text", other)),
        }
    }

    pub(crate) fn bytes(&self, column: &str) -> Result<&[u8], StoreError> {
        known(column, "bytes", self.bytes_if_any(column)?)
    }

    pub(crate) fn bytes_if_any(&self, column: &str) -> Result<Option<&[u8]>, StoreError> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Bytes(value) => Ok(Some(value)),
            other => Err(unexpected(column, "bytes", other)),
        }
    }
}

fn known<T>(column: &str, wanted: &str, value: Option<T>) -> Result<T, StoreError> {
    value.ok_or_else(|| unexpected(column, wanted, &Value::Null))
}

fn unexpected(column: &str, wanted: &str, found: &Value) -> StoreError {
    StoreError::Programming(format!("column `{column}` is {}, and {wanted} is read", found.kind()))
}
