//! Metrics of many statements in memory, with what policies computed from them. A policy that differs little from one
//! before computes little: each value is kept under a key of its formula. Must not know files.

mod columns_equal;
mod judge;
mod offers;
mod plan;
mod what_if_cache;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use polars::prelude::{Column as Series, DataFrame};
use rayon::prelude::*;

pub(crate) use self::judge::minor_units_of_value;
pub use self::judge::{Judgement, ReasonBits};
use self::offers::RuleOffers;
pub(crate) use self::plan::stored_nodes;
pub use self::what_if_cache::{Changed, Supposing, WithChanges};
use super::columns::parse_typed_text;
use crate::base::date::Day;
use crate::engine::decision::error::Error;
use crate::engine::metrics::{Bits, Data, ValueColumn, polars_convert};
use crate::rules::node_keys::{NodeKey, key_of_input_by_customer};
use crate::rules::{Input, Type};

/// Rows of a chunk: their columns stay in the processor's cache. Chunk boundaries never change a result.
pub const ROWS: usize = 16_384;

/// Where values that only records can give come from: a column for each key.
pub trait MetricSource: Send + Sync {
    /// Whether there is a column of the values with this key.
    fn has(&self, key: NodeKey) -> bool;

    /// The columns of these keys, in order, with a value for each statement.
    ///
    /// # Errors
    /// If they cannot be read.
    fn load(&self, keys: &[NodeKey]) -> Result<DataFrame, String>;
}

/// Columns of inputs of which each statement has its own value, such as `bureau.score` or `given.fico`.
#[derive(Default)]
struct OwnInputs {
    columns: HashMap<NodeKey, Series>,
    paths: BTreeSet<String>,
}

/// One column, chunk by chunk.
type Chunks = Vec<Arc<ValueColumn<'static>>>;

/// Metrics of many statements, and what was computed from them.
pub struct MetricsCache {
    /// The day of each statement.
    days: Vec<Option<Day>>,
    /// Whether the days were asked for; otherwise they are those of the last records.
    days_are_given: bool,
    source: Box<dyn MetricSource>,
    own_inputs: OwnInputs,
    columns: HashMap<NodeKey, Chunks>,
    /// Offers of the rules so far, the latest last.
    offers: Vec<RuleOffers>,
    /// The judgements so far, the latest last.
    judgements: Vec<KeptJudgement>,
}

/// A judgement, and the columns that it was made of and is explained by.
struct KeptJudgement {
    key: NodeKey,
    judgement: Arc<Judgement>,
    columns: Vec<NodeKey>,
}

/// Why a policy cannot be judged from a cache.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// Values that only records can give, and that the cache does not have.
    #[error("{} cannot be judged from metrics: {}", if .0.len() == 1 { "a value" } else { "values" }, .0.join(", "))]
    NeedsRecords(Vec<String>),
    /// Metrics that the lender has already, and that no table gives.
    #[error("no table gives {}, which the policy declares as given", .0.join(", "))]
    NotGiven(Vec<String>),
    /// The columns cannot be read.
    #[error("{0}")]
    Source(String),
    /// The engine.
    #[error(transparent)]
    Engine(#[from] Error),
}

impl MetricsCache {
    /// Metrics of statements on these days.
    pub fn new(days: Vec<Option<Day>>, days_are_given: bool, source: Box<dyn MetricSource>) -> Self {
        Self {
            days,
            days_are_given,
            source,
            own_inputs: OwnInputs::default(),
            columns: HashMap::new(),
            offers: Vec::new(),
            judgements: Vec::new(),
        }
    }

    /// Adds the values of an input, one for each statement: money in minor units, null where unknown. They replace what
    /// a request for all says.
    pub(crate) fn add_input(&mut self, input: &Input, values: Series) {
        self.own_inputs.paths.insert(input.path());
        self.own_inputs.columns.insert(key_of_input_by_customer(input), values);
    }

    /// Whether each statement has its own value of an input.
    fn has_input(&self, path: &str) -> bool {
        self.own_inputs.paths.contains(path)
    }

    /// Whether a value need not be computed.
    fn has_stored(&self, key: NodeKey) -> bool {
        self.own_inputs.columns.contains_key(&key) || self.source.has(key)
    }

    /// The stored columns of these keys, in order.
    fn load_stored(&self, keys: &[NodeKey]) -> Result<Vec<Series>, CacheError> {
        let own = |key: &NodeKey| self.own_inputs.columns.get(key).cloned();
        let others: Vec<NodeKey> = keys.iter().copied().filter(|key| own(key).is_none()).collect();
        let frame = match others.is_empty() {
            true => DataFrame::default(),
            false => self.source.load(&others).map_err(CacheError::Source)?,
        };
        let mut others = frame.columns().iter().cloned();
        let columns: Vec<Series> = keys.iter().filter_map(|key| own(key).or_else(|| others.next())).collect();
        match columns.len() == keys.len() && columns.iter().all(|column| column.len() == self.rows()) {
            true => Ok(columns),
            false => Err(CacheError::Source("the columns of metrics differ in length".to_owned())),
        }
    }

    /// How many statements there are.
    pub fn rows(&self) -> usize {
        self.days.len()
    }

    /// Whether the days are given.
    #[allow(dead_code, reason = "only commands use it")]
    pub(crate) fn days_are_given(&self) -> bool {
        self.days_are_given
    }

    /// The day of each statement.
    pub fn days(&self) -> &[Option<Day>] {
        &self.days
    }

    /// The rows of each chunk.
    fn ranges(&self) -> impl IndexedParallelIterator<Item = std::ops::Range<usize>> + use<> {
        let rows = self.days.len();
        (0..rows.div_ceil(ROWS)).into_par_iter().map(move |chunk| chunk * ROWS..rows.min((chunk + 1) * ROWS))
    }

    /// Loads metrics that the cache does not have yet.
    fn load(&mut self, values: &[(NodeKey, Type)]) -> Result<(), CacheError> {
        let missing: Vec<_> = values.iter().filter(|(key, _)| !self.columns.contains_key(key)).collect();
        // A few at a time, so that their frame and their columns are not all in memory at once.
        for some in missing.chunks(16) {
            let keys: Vec<NodeKey> = some.iter().map(|(key, _)| *key).collect();
            for (column, (key, ty)) in self.load_stored(&keys)?.iter().zip(some) {
                let chunks: Option<Chunks> = self
                    .ranges()
                    .map(|rows| {
                        let part = column.slice(rows.start as i64, rows.len());
                        let column = polars_convert::from_series(&part, *ty, &|text| parse_typed_text(*ty, text))?;
                        Some(Arc::new(column.into_owned()))
                    })
                    .collect();
                let wrong =
                    || CacheError::Source(format!("the column `{}` does not hold {}", column.name(), ty.unit.word()));
                self.columns.insert(*key, chunks.ok_or_else(wrong)?);
            }
        }
        Ok(())
    }

    /// A value that was computed, chunk by chunk.
    pub(crate) fn column(&self, key: NodeKey) -> Option<&[Arc<ValueColumn<'static>>]> {
        self.columns.get(&key).map(Vec::as_slice)
    }

    /// How many bytes the columns take, about.
    pub fn bytes(&self) -> usize {
        self.columns.values().flatten().map(|column| bytes(column)).sum()
    }
}

fn bytes(column: &ValueColumn) -> usize {
    let data = match &column.data {
        Data::Int(values) => values.len() * 8,
        Data::Rational(values) => values.len() * 24,
        Data::Decimals(values) | Data::Float(values) => values.len() * 8,
        Data::Boolean(values) => values.len() / 8,
        Data::Text(values) => values.len() * 4,
        Data::List(values) => values.len() * 48,
    };
    data + column.valid.as_ref().map_or(0, Bits::len) / 8 + std::mem::size_of_val(column.reasons.as_slice())
}
