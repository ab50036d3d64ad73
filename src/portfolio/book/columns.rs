//! Columns of a portfolio that are no metrics of its rules, or are looked at as they are: segments, protected columns.

use std::path::PathBuf;

use polars::prelude::{Column, DataFrame};

use crate::files::{parquet_columns, parquet_shape};

/// Where other columns are.
#[derive(Clone, Debug)]
pub enum OtherColumns {
    /// In a Parquet file.
    File(PathBuf),
    /// In memory.
    Frame(DataFrame),
}

impl OtherColumns {
    /// The names of all columns.
    pub fn names(&self) -> Result<Vec<String>, String> {
        match self {
            OtherColumns::File(path) => {
                let shape = parquet_shape(path).map_err(|error| error.to_string())?;
                Ok(shape.map(|shape| shape.names).unwrap_or_default())
            }
            OtherColumns::Frame(frame) => Ok(frame.get_column_names_owned().iter().map(ToString::to_string).collect()),
        }
    }

    /// A column by its name; `None` if there is none.
    pub fn get(&self, name: &str) -> Result<Option<Column>, String> {
        if !self.names()?.iter().any(|known| known == name) {
            return Ok(None);
        }
        self.refuse_other_type(name)?;
        let frame = match self {
            OtherColumns::File(path) => parquet_columns(path, &[name]).map_err(|error| error.to_string())?,
            OtherColumns::Frame(frame) => frame.select([name]).map_err(|error| error.to_string())?,
        };
        Ok(frame.columns().first().cloned())
    }

    /// Other programs may have written a column of a type that is not read.
    fn refuse_other_type(&self, name: &str) -> Result<(), String> {
        let OtherColumns::File(path) = self else { return Ok(()) };
        let shape = parquet_shape(path).map_err(|error| error.to_string())?;
        let other = shape.iter().flat_map(|shape| &shape.others).find(|(other, _)| other == name);
        other.map_or(Ok(()), |(_, what)| Err(format!("the column `{name}` is a {what}, which is not read")))
    }
}
