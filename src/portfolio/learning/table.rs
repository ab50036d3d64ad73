//! Metrics with outcomes, as every step reads them: each column is put in order once, however often it is cut.

use rayon::prelude::*;

use super::input::{MetricColumn, Sample, Values};
use super::sorted::{Run, ValueOrder};

/// All rows and columns.
pub(super) struct Table<'a> {
    pub sample: &'a Sample,
    pub columns: &'a [MetricColumn],
    /// The numbers of each column in order; `None` of booleans and texts.
    orders: Vec<Option<ValueOrder>>,
}

impl<'a> Table<'a> {
    pub fn new(sample: &'a Sample, columns: &'a [MetricColumn]) -> Self {
        let order = |column: &MetricColumn| match &column.values {
            Values::Number(values) => Some(ValueOrder::new(values)),
            _ => None,
        };
        Table { sample, columns, orders: columns.par_iter().map(order).collect() }
    }

    /// The values of a column.
    pub fn values(&self, column: usize) -> &'a Values {
        &self.columns[column].values
    }

    /// The runs of a column's known numbers among some rows, from the least.
    pub fn runs(&self, column: usize, rows: &[u32]) -> Vec<Run> {
        self.orders[column].as_ref().map_or_else(Vec::new, |order| order.runs_among_rows(self.sample, rows))
    }
}
