//! Columns of a portfolio that are no metrics of its rules, or are looked at as they are: segments, protected columns.

use std::path::PathBuf;

use polars::prelude::{Column, DataFrame};

use crate::run::files::{parquet_columns, parquet_shape};

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
        let path = match self {
            OtherColumns::File(path) => path,
            OtherColumns::Frame(frame) => return Ok(frame.column(name).ok().cloned()),
        };
        let shape = parquet_shape(path).map_err(|error| error.to_string())?;
        let Some(shape) = shape.filter(|shape| shape.names.iter().any(|known| known == name)) else { return Ok(None) };
        // Other programs may have written a column of a type that is not read.
        if let Some((_, what)) = shape.others.iter().chain(&shape.stored).find(|(other, _)| other == name) {
            return Err(format!("the column `{name}` is a {what}, which is not read"));
        }
        let frame = parquet_columns(path, &[name]).map_err(|error| error.to_string())?;
        Ok(frame.columns().first().cloned())
    }
}
