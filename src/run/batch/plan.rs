//! Everything that the results of a run depend on: policy, request, options, and inputs by name, size and time. A run
//! is resumed only with the same plan.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::Error;
use super::inputs::source::BatchSource;
use super::job::{Job, OutputTable};
use super::own_files::{self, MANIFEST};
use crate::base::digest::{Digest, Hasher};
use crate::base::engine::describe_engine;
use crate::engine::decision::Request;
use crate::rules::PolicySet;
use crate::run::whole_file::{Access, WholeFile};
use crate::statement::Merging;

/// Everything that results depend on, as text, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Plan(BTreeMap<String, String>);

/// The list of the inputs, below the folder of the work.
const INPUTS: &str = "inputs.txt";

/// The number of differences that are listed.
const SHOWN_DIFFERENCES: usize = 5;

impl Plan {
    pub(crate) fn new(job: &Job, sources: &[BatchSource]) -> Plan {
        let mut plan = BTreeMap::new();
        let mut set = |name: &str, value: String| plan.insert(name.to_owned(), value);
        set("engine", describe_engine().to_owned());
        for policy in job.policies.policies() {
            let header = policy.header();
            set(
                &format!("policy `{}` version `{}`", header.name, header.version),
                format!("{} with parameters {} from {}", policy.digest(), policy.parameters_digest(), policy.file()),
            );
        }
        set("request", serde_json::to_string(&job.request.given).unwrap_or_default());
        if !job.requests.is_empty() {
            set("requests of customers", digest_of_requests(&job.requests).to_string());
        }
        set("the request's customer", or_none(job.request.customer.as_ref()));
        set("as of", or_none(job.request.as_of));
        set("columns", or_none(job.columns.as_ref().map(|columns| Digest::compute(format!("{columns:?}").as_bytes()))));
        set(
            "merge",
            or_none(job.merging.as_ref().map(|Merging { transfer_days, quiet_days }| {
                format!("transfer_days {transfer_days}, quiet_days {quiet_days}")
            })),
        );
        set("apart", job.apart.to_string());
        set("statement-max", job.statement_max.to_string());
        // In a fixed order and without failures, which are always written: different requests may mean the same files.
        let is_asked = |table: &OutputTable| *table != OutputTable::Failures && job.write.contains(table);
        set(
            "write",
            OutputTable::ALL.into_iter().filter(is_asked).map(OutputTable::name).collect::<Vec<_>>().join(","),
        );
        set("as", job.format.name().to_owned());
        set("shard", or_none(job.shard));
        let mut hasher = Hasher::new();
        for source in sources {
            hasher.update(source_line_of_plan(source).as_bytes());
        }
        set("inputs", format!("{}, together {}", sources.len(), hasher.finish()));
        Plan(plan)
    }

    /// The differences to the plan `now`, in words.
    pub(crate) fn differences(&self, now: &Plan) -> Vec<String> {
        let names: std::collections::BTreeSet<&String> = self.0.keys().chain(now.0.keys()).collect();
        let none = "not there".to_owned();
        let differs = names.into_iter().filter_map(|name| {
            let (was, is) = (self.0.get(name).unwrap_or(&none), now.0.get(name).unwrap_or(&none));
            (was != is).then(|| format!("{name}: was {was}, is {is}"))
        });
        differs.collect()
    }

    /// The files that a run of this plan creates in the folder of the results.
    pub(crate) fn results(&self) -> Vec<String> {
        let get = |name: &str| self.0.get(name).map(String::as_str).unwrap_or_default();
        let failures = OutputTable::Failures.name();
        let tables = get("write").split(',').filter(|table| !table.is_empty()).chain([failures]);
        let tables = tables.map(|table| own_files::result_file(table, get("as")));
        [MANIFEST, own_files::INPUTS].map(str::to_owned).into_iter().chain(tables).collect()
    }

    pub(crate) fn inputs_differ(&self, now: &Plan) -> bool {
        self.0.get("inputs") != now.0.get("inputs")
    }
}

fn digest_of_requests(requests: &BTreeMap<String, Request>) -> Digest {
    let mut hasher = Hasher::new();
    for (customer, request) in requests {
        let fields = serde_json::to_string(&request.given).unwrap_or_default();
        let line = serde_json::json!([customer, request.as_of.map(|day| day.to_string()), fields]);
        hasher.update(format!("{line}\n").as_bytes());
    }
    hasher.finish()
}

fn or_none(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

/// A source's size, time, kind and name, on one line.
fn source_line_of_plan(source: &BatchSource) -> String {
    let is = if source.is_document() { "statement" } else { "table" };
    format!("{}\t{}\t{is}\t{}\n", source.bytes, source.written, source.label().replace(['\n', '\t'], " "))
}

/// Writes the list of inputs, so that a later run can tell which of them have changed.
pub(crate) fn write_inputs(work: &Path, sources: &[BatchSource]) -> Result<(), Error> {
    let path = work.join(INPUTS);
    let written = WholeFile::begin(&path, Access::Usual).and_then(|mut out| {
        sources.iter().try_for_each(|source| out.write_all(source_line_of_plan(source).as_bytes()))?;
        out.finish()
    });
    written.map_err(Error::io(&path))
}

/// How the inputs differ from those of the run before.
pub(crate) fn changed_inputs(work: &Path, sources: &[BatchSource]) -> Vec<String> {
    let Ok(file) = File::open(work.join(INPUTS)) else { return vec!["the inputs are different".to_owned()] };
    let mut before: BTreeMap<String, String> = BTreeMap::new();
    for line in BufReader::new(file).lines().map_while(Result::ok) {
        if let Some((stamp, name)) = line.rsplit_once('\t') {
            before.insert(name.to_owned(), stamp.to_owned());
        }
    }
    let mut changes = Vec::new();
    for source in sources {
        let now = source_line_of_plan(source);
        let Some((stamp, name)) = now.trim_end_matches('\n').rsplit_once('\t') else { continue };
        match before.remove(name) {
            None => changes.push(format!("input `{name}` is new")),
            Some(was) if was != stamp => changes.push(format!("input `{name}` was changed")),
            Some(_) => {}
        }
    }
    changes.extend(before.into_keys().map(|name| format!("input `{name}` is gone")));
    if changes.is_empty() {
        changes.push("the inputs are in a different order".to_owned());
    }
    let more = changes.len().saturating_sub(SHOWN_DIFFERENCES);
    changes.truncate(SHOWN_DIFFERENCES);
    if more > 0 {
        changes.push(format!("and {more} more inputs"));
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Policies;
    use crate::run::batch::job::OutputFormat;
    use crate::statement::Columns;

    const POLICY: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
        [metric]\nn = \"COUNT(*)\"\n";

    fn job() -> Job {
        let policy = crate::rules::compile("p.toml", POLICY, &mut |name| Err(name.to_owned()), &[]);
        Job::new(Policies::from(policy.expect("a policy")), Vec::new(), "out")
    }

    #[test]
    fn only_the_same_plan_is_resumed() {
        let plan = |change: &dyn Fn(&mut Job)| {
            let mut job = job();
            change(&mut job);
            Plan::new(&job, &[])
        };
        let merging =
            |transfer_days, quiet_days| plan(&move |job| job.merging = Some(Merging { transfer_days, quiet_days }));
        let usual = plan(&|_| ());
        let tables = |tables: &[OutputTable]| plan(&|job| job.write = tables.to_vec());
        for same in [
            plan(&|job| job.threads = Some(7)),
            tables(&[OutputTable::Decisions]),
            tables(&[OutputTable::Failures, OutputTable::Decisions, OutputTable::Decisions]),
        ] {
            assert_eq!(usual.differences(&same), [""; 0]);
        }
        for (other, name) in [
            (tables(&[OutputTable::Decisions, OutputTable::Offers]), "write"),
            (plan(&|job| job.apart = true), "apart"),
            (plan(&|job| job.statement_max += 1), "statement-max"),
            (plan(&|job| job.format = OutputFormat::Csv), "as"),
            (plan(&|job| job.columns = Some(Columns::default())), "columns"),
            (merging(2, 31), "merge"),
        ] {
            let changes = usual.differences(&other);
            assert!(matches!(changes.as_slice(), [one] if one.starts_with(&format!("{name}: was "))), "{changes:?}");
        }
        assert_eq!(
            merging(2, 31).differences(&merging(2, 0)),
            ["merge: was transfer_days 2, quiet_days 31, is transfer_days 2, quiet_days 0"]
        );
    }
}
