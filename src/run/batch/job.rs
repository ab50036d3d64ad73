//! The request of a batch: policies, inputs, where results go, and limits.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::base::digest::Digest;
use crate::engine::decision::Request;
use crate::rules::Policies;
use crate::statement::{Columns, Merging};

/// Many statements, decided by one policy into one folder.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Job {
    /// The policy, or its versions.
    pub policies: Policies,
    /// The request that each statement is decided with.
    pub request: Request,
    /// The requests of customers who have one of their own.
    pub requests: BTreeMap<String, Request>,
    /// The meaning of the tables' columns; `None` if they have the standard names.
    pub columns: Option<Columns>,
    /// How to merge a customer's accounts in the tables into one statement; `None` to keep them apart.
    pub merging: Option<Merging>,
    /// Files, folders, patterns; `-` is standard input.
    pub inputs: Vec<PathBuf>,
    /// The folder of the results.
    pub out: PathBuf,
    /// The tables to write; failures are always written.
    pub write: Vec<OutputTable>,
    /// The format of the tables.
    pub format: OutputFormat,
    /// The part of the statements that this run decides.
    pub shard: Option<Shard>,
    /// The most bytes of memory that the run may use.
    pub memory: u64,
    /// The most bytes of a statement, once decompressed; a larger one is a failure.
    pub statement_max: u64,
    /// Threads that decide; by default as many as the machine has.
    pub threads: Option<usize>,
    /// Whether each table holds all records of its customers, so that an unreadable table does not fail the others.
    pub apart: bool,
    /// Whether to start over, removing what an earlier run has left.
    pub restart: bool,
    /// Whether to accept inputs with nothing to decide, and tables of 0 bytes.
    pub allow_empty: bool,
    /// The folder for sorted runs and extracted members of archives; by default below the folder of the results.
    pub temp: Option<PathBuf>,
    /// The most bytes of temporary files; `None` for no limit.
    pub temp_max: Option<u64>,
    /// The least time between two checkpoints.
    pub checkpoint_every: Duration,
}

/// Columns of Parquet that are being decoded may take up one part in this many of all memory.
pub(crate) const DECODING_PART: u64 = 4;

impl Job {
    /// A job with the usual settings.
    pub fn new(policies: Policies, inputs: Vec<PathBuf>, out: impl Into<PathBuf>) -> Job {
        Job {
            policies,
            request: Request::default(),
            requests: BTreeMap::new(),
            columns: None,
            merging: None,
            inputs,
            out: out.into(),
            write: vec![OutputTable::Decisions, OutputTable::Failures],
            format: OutputFormat::Ndjson,
            shard: None,
            memory: 1 << 30,
            statement_max: 128 << 20,
            threads: None,
            apart: false,
            restart: false,
            allow_empty: false,
            temp: None,
            temp_max: None,
            checkpoint_every: Duration::from_secs(1),
        }
    }

    /// The most bytes of Parquet columns that are being decoded.
    pub(crate) fn decoding(&self) -> u64 {
        self.memory / DECODING_PART
    }

    /// Where this run writes: each shard has its own folder.
    pub fn folder(&self) -> PathBuf {
        match self.shard {
            None => self.out.clone(),
            Some(shard) => self.out.join(format!("shard-{}-of-{}", shard.index, shard.count)),
        }
    }
}

/// A table of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutputTable {
    /// One row per statement.
    Decisions,
    /// One row per offer.
    Offers,
    /// One row per statement, one column per metric.
    Metrics,
    /// One row per reason.
    Reasons,
    /// One row per statement or source that could not be decided.
    Failures,
}

impl OutputTable {
    /// All of them, in the order in which they are shown.
    pub const ALL: [OutputTable; 5] = [
        OutputTable::Decisions,
        OutputTable::Offers,
        OutputTable::Metrics,
        OutputTable::Reasons,
        OutputTable::Failures,
    ];

    /// Its name, and that of its file.
    pub fn name(self) -> &'static str {
        match self {
            OutputTable::Decisions => "decisions",
            OutputTable::Offers => "offers",
            OutputTable::Metrics => "metrics",
            OutputTable::Reasons => "reasons",
            OutputTable::Failures => "failures",
        }
    }
}

/// How tables of results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputFormat {
    /// One JSON object per line; decisions as `decide` prints them.
    #[default]
    Ndjson,
    /// A header, then one row per line.
    Csv,
    /// Typed columns.
    Parquet,
}

impl OutputFormat {
    /// All of them.
    pub const ALL: [OutputFormat; 3] = [OutputFormat::Ndjson, OutputFormat::Csv, OutputFormat::Parquet];

    /// Its name, which is the ending of its files.
    pub fn name(self) -> &'static str {
        match self {
            OutputFormat::Ndjson => "ndjson",
            OutputFormat::Csv => "csv",
            OutputFormat::Parquet => "parquet",
        }
    }
}

/// One of several equal parts of all statements. A statement is in the same part in every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// The part `index`, from 1, of `count`.
    pub fn new(index: u32, count: u32) -> Option<Shard> {
        (1..=count).contains(&index).then_some(Shard { index, count })
    }

    /// Whether a customer of a table, or a file, is in the part.
    pub(crate) fn holds(shard: Option<Shard>, name: &str) -> bool {
        let Some(shard) = shard else { return true };
        let digest = Digest::compute(name.as_bytes());
        let number = digest.as_bytes().iter().take(8).fold(0_u64, |all, byte| (all << 8) | u64::from(*byte));
        number % u64::from(shard.count) == u64::from(shard.index) - 1
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        parts
            .and_then(|(index, count)| Shard::new(index, count))
            .ok_or_else(|| "write it as 1/4: the first of four parts".to_owned())
    }
}
