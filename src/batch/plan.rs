//! What a run was asked for, so that only the same is gone on with: policy, request, options, inputs by name, size and time.
//! Must not know how far a run has come.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::Error;
use super::job::Job;
use super::source::Source;
use crate::rules::PolicySet;
use crate::words::digest::{Digest, Hasher};

/// By name, everything that results depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Plan(BTreeMap<String, String>);

/// The list of the inputs, below the folder of the results.
const INPUTS: &str = "inputs.txt";

/// Differences that are told; more help nobody.
const TOLD: usize = 5;

impl Plan {
    pub(super) fn new(job: &Job, sources: &[Source]) -> Plan {
        let mut plan = BTreeMap::new();
        let mut say = |name: &str, value: String| plan.insert(name.to_owned(), value);
        say("engine", concat!("lendwright ", env!("CARGO_PKG_VERSION")).to_owned());
        for policy in job.policies.policies() {
            let header = policy.header();
            say(
                &format!("policy `{}` version `{}`", header.name, header.version),
                format!("{} with parameters {} from {}", policy.digest(), policy.parameters_digest(), policy.file()),
            );
        }
        say("request", serde_json::to_string(&job.request.given).unwrap_or_default());
        say("the request's customer", said(job.request.customer.as_ref()));
        say("as of", said(job.request.as_of));
        say("columns", said(job.columns.as_ref().map(|columns| Digest::of(format!("{columns:?}").as_bytes()))));
        say("merge", said(job.merging.as_ref().map(|merging| format!("{} days", merging.transfer_days))));
        say("apart", job.apart.to_string());
        say("statement-max", job.statement_max.to_string());
        say("write", job.write.iter().map(|table| table.name()).collect::<Vec<_>>().join(","));
        say("as", job.format.name().to_owned());
        say("shard", said(job.shard));
        let mut hasher = Hasher::new();
        for source in sources {
            hasher.update(line(source).as_bytes());
        }
        say("inputs", format!("{}, together {}", sources.len(), hasher.finish()));
        Plan(plan)
    }

    /// What another plan says otherwise, in words.
    pub(super) fn differences(&self, now: &Plan) -> Vec<String> {
        let names: std::collections::BTreeSet<&String> = self.0.keys().chain(now.0.keys()).collect();
        let none = "not there".to_owned();
        let differs = names.into_iter().filter_map(|name| {
            let (was, is) = (self.0.get(name).unwrap_or(&none), now.0.get(name).unwrap_or(&none));
            (was != is).then(|| format!("{name}: was {was}, is {is}"))
        });
        differs.collect()
    }

    pub(super) fn inputs_differ(&self, now: &Plan) -> bool {
        self.0.get("inputs") != now.0.get("inputs")
    }
}

fn said(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

/// A source's name, size and time, on one line.
fn line(source: &Source) -> String {
    format!("{}\t{}\t{}\n", source.bytes, source.written, source.label().replace(['\n', '\t'], " "))
}

/// Writes the list of inputs, so that a later run can tell which of them changed.
pub(super) fn write_inputs(work: &Path, sources: &[Source]) -> Result<(), Error> {
    let path = work.join(INPUTS);
    let part = work.join("inputs.part");
    let written = File::create(&part).and_then(|file| {
        let mut out = BufWriter::new(file);
        sources.iter().try_for_each(|source| out.write_all(line(source).as_bytes()))?;
        out.flush()?;
        fs::rename(&part, &path)
    });
    written.map_err(Error::io(&path))
}

/// Which inputs are not those of the run before.
pub(super) fn changed_inputs(work: &Path, sources: &[Source]) -> Vec<String> {
    let Ok(file) = File::open(work.join(INPUTS)) else { return vec!["the inputs are others".to_owned()] };
    let mut before: BTreeMap<String, String> = BTreeMap::new();
    for line in BufReader::new(file).lines().map_while(Result::ok) {
        if let Some((stamp, name)) = line.rsplit_once('\t') {
            before.insert(name.to_owned(), stamp.to_owned());
        }
    }
    let mut told = Vec::new();
    for source in sources {
        let now = line(source);
        let Some((stamp, name)) = now.trim_end_matches('\n').rsplit_once('\t') else { continue };
        match before.remove(name) {
            None => told.push(format!("input `{name}` is new")),
            Some(was) if was != stamp => told.push(format!("input `{name}` was changed")),
            Some(_) => {}
        }
    }
    told.extend(before.into_keys().map(|name| format!("input `{name}` is gone")));
    if told.is_empty() {
        told.push("the inputs come in another order".to_owned());
    }
    let more = told.len().saturating_sub(TOLD);
    told.truncate(TOLD);
    if more > 0 {
        told.push(format!("and {more} more inputs"));
    }
    told
}
