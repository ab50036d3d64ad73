//! Parameters of statements, and cells of their rows.

use std::fmt;
use std::sync::Arc;

use super::error::StoreError;

/// A parameter or a cell. A boolean is an integer, 0 or 1.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum SqlValue {
    Null,
    Integer(i64),
    Text(String),
    Bytes(Vec<u8>),
}

impl SqlValue {
    /// What kind of value it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            SqlValue::Null => "null",
            SqlValue::Integer(_) => "an integer",
            SqlValue::Text(_) => "text",
            SqlValue::Bytes(_) => "bytes",
        }
    }
}

/// The kind alone: values are private.
impl fmt::Debug for SqlValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "[{}]", self.kind())
    }
}

impl From<i64> for SqlValue {
    fn from(value: i64) -> SqlValue {
        SqlValue::Integer(value)
    }
}

impl From<bool> for SqlValue {
    fn from(value: bool) -> SqlValue {
        SqlValue::Integer(i64::from(value))
    }
}

impl From<&str> for SqlValue {
    fn from(value: &str) -> SqlValue {
        SqlValue::Text(value.to_string())
    }
}

impl From<String> for SqlValue {
    fn from(value: String) -> SqlValue {
        SqlValue::Text(value)
    }
}

impl From<&[u8]> for SqlValue {
    fn from(value: &[u8]) -> SqlValue {
        SqlValue::Bytes(value.to_vec())
    }
}

impl From<Vec<u8>> for SqlValue {
    fn from(value: Vec<u8>) -> SqlValue {
        SqlValue::Bytes(value)
    }
}

impl<T: Into<SqlValue>> From<Option<T>> for SqlValue {
    fn from(value: Option<T>) -> SqlValue {
        value.map_or(SqlValue::Null, Into::into)
    }
}

/// A row of a query. Cells are read by the name of their column; a wrong name or kind is an error of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueryRow {
    columns: Arc<[String]>,
    cells: Vec<SqlValue>,
}

impl QueryRow {
    pub(crate) fn new(columns: Arc<[String]>, cells: Vec<SqlValue>) -> QueryRow {
        QueryRow { columns, cells }
    }

    /// The cell of a column.
    pub(crate) fn value(&self, column: &str) -> Result<&SqlValue, StoreError> {
        let at = self.columns.iter().position(|name| name == column);
        at.and_then(|at| self.cells.get(at))
            .ok_or_else(|| StoreError::Programming(format!("the query has no column `{column}`")))
    }

    pub(crate) fn integer(&self, column: &str) -> Result<i64, StoreError> {
        require_known_value(column, "an integer", self.integer_if_any(column)?)
    }

    pub(crate) fn integer_if_any(&self, column: &str) -> Result<Option<i64>, StoreError> {
        match self.value(column)? {
            SqlValue::Null => Ok(None),
            SqlValue::Integer(value) => Ok(Some(*value)),
            other => Err(unexpected_type_error(column, "an integer", other)),
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
        require_known_value(column, "text", self.text_if_any(column)?)
    }

    pub(crate) fn text_if_any(&self, column: &str) -> Result<Option<&str>, StoreError> {
        match self.value(column)? {
            SqlValue::Null => Ok(None),
            SqlValue::Text(value) => Ok(Some(value)),
            other => Err(unexpected_type_error(column, "text", other)),
        }
    }

    pub(crate) fn bytes(&self, column: &str) -> Result<&[u8], StoreError> {
        require_known_value(column, "bytes", self.bytes_if_any(column)?)
    }

    pub(crate) fn bytes_if_any(&self, column: &str) -> Result<Option<&[u8]>, StoreError> {
        match self.value(column)? {
            SqlValue::Null => Ok(None),
            SqlValue::Bytes(value) => Ok(Some(value)),
            other => Err(unexpected_type_error(column, "bytes", other)),
        }
    }
}

fn require_known_value<T>(column: &str, wanted: &str, value: Option<T>) -> Result<T, StoreError> {
    value.ok_or_else(|| unexpected_type_error(column, wanted, &SqlValue::Null))
}

fn unexpected_type_error(column: &str, wanted: &str, found: &SqlValue) -> StoreError {
    StoreError::Programming(format!("column `{column}` is {}, and {wanted} is read", found.kind()))
}
