//! The manifest of a finished run: the policy, the counts, and every output with its digest.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::checkpoint::OutputProgress;
use crate::base::digest::Digest;
use crate::base::engine::describe_engine;
use crate::rules::PolicySet;
use crate::run::batch::job::Job;
use crate::run::batch::tally::{PassedOver, Tally};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    engine: String,
    policies: Vec<PolicyPart>,
    as_of: Option<String>,
    request: serde_json::Value,
    shard: Option<String>,
    counts: Counts,
    reasons: std::collections::BTreeMap<String, u64>,
    pub(crate) outputs: Vec<OutputFile>,
    #[serde(default)]
    passed_over: Vec<PassedOver>,
}

#[derive(Debug, Serialize, Deserialize)]
struct PolicyPart {
    name: String,
    version: String,
    file: String,
    digest: Digest,
    parameters: Digest,
}

#[derive(Debug, Serialize, Deserialize)]
struct Counts {
    sources: u64,
    passed_over: u64,
    statements: u64,
    records: u64,
    outcomes: std::collections::BTreeMap<String, u64>,
    #[serde(default)]
    balance_verdicts: std::collections::BTreeMap<String, u64>,
    failures: u64,
}

/// A file of results.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct OutputFile {
    pub(crate) file: PathBuf,
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    digest: Digest,
}

impl From<OutputProgress> for OutputFile {
    fn from(reached: OutputProgress) -> OutputFile {
        OutputFile { file: reached.file, rows: reached.rows, bytes: reached.bytes, digest: reached.digest }
    }
}

impl Manifest {
    pub(crate) fn new(job: &Job, tally: &Tally, passed_over: Vec<PassedOver>, outputs: Vec<OutputFile>) -> Manifest {
        let policies = job.policies.policies().into_iter().map(|policy| PolicyPart {
            name: policy.header().name.clone(),
            version: policy.header().version.clone(),
            file: policy.file().to_owned(),
            digest: policy.digest(),
            parameters: policy.parameters_digest(),
        });
        Manifest {
            engine: describe_engine().to_owned(),
            policies: policies.collect(),
            as_of: job.request.as_of.map(|day| day.to_string()),
            request: serde_json::to_value(&job.request.given).unwrap_or_default(),
            shard: job.shard.map(|shard| shard.to_string()),
            counts: Counts {
                sources: tally.sources,
                passed_over: passed_over.len() as u64,
                statements: tally.statements,
                records: tally.records,
                outcomes: tally.outcomes.clone(),
                balance_verdicts: tally.balance_verdicts.clone(),
                failures: tally.failures,
            },
            reasons: tally.reasons.clone(),
            outputs,
            passed_over,
        }
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        // Serializing these fields cannot fail.
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}
