//! The crate within a service: many applications at once, a policy that is replaced while it decides, decisions off an
//! async runtime.

pub(crate) mod batch;
mod decision_pool;
mod files;
mod live_policy;
mod many_applications;
mod trace_spans;

use std::path::Path;

use lendwright::base::digest::Digest;
use lendwright::decision_pool::{Decider, Workers};
use lendwright::generate::{Options, statement_json};
use lendwright::rules::{Policies, PolicySet};
use lendwright::{Decision, LivePolicy, Policy, Request};

#[test]
fn what_a_service_shares_may_be_shared() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Policy>();
    shared::<Policies>();
    shared::<LivePolicy>();
    shared::<Workers>();
    shared::<Decider>();
    shared::<Request>();
    shared::<Decision>();
}

/// A policy that shows its version in its header, in a reason and in a metric, each from its own line.
fn rules(version: &str) -> String {
    format!(
        "[policy]\nname = \"live\"\nversion = \"{version}\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\n\n\
         [metric]\nrecords = \"COUNT(*)\"\nsaid = \"'{version}'\"\n\n\
         [[require]]\nid = \"R01\"\nwhen = \"records < 0\"\nelse = \"decline\"\nunknown = \"refer\"\n\
         reason = \"by {version}\"\n\n\
         [[require]]\nid = \"R02\"\nwhen = \"records < 1\"\nelse = \"decline\"\nunknown = \"refer\"\n\
         reason = \"the last requirement\"\n"
    )
}

/// The version that made a decision, after asserting that all three agree.
fn version(decision: &Decision) -> String {
    let version = decision.policy.version.clone();
    assert_eq!(decision.reasons[0].text, format!("by {version}"));
    assert_eq!(decision.metrics["said"], version.as_str());
    assert_eq!(decision.reasons.len(), 2, "half a policy decided");
    version
}

/// Replaces a file atomically, as a deployment should.
fn put(path: &Path, text: &str) {
    let beside = path.with_extension("part");
    std::fs::write(&beside, text).unwrap();
    std::fs::rename(&beside, path).unwrap();
}

fn digests(policies: &Policies) -> Vec<Digest> {
    policies.policies().into_iter().map(Policy::digest).collect()
}

fn versions(live: &LivePolicy) -> String {
    let all: Vec<String> = live.in_force().into_iter().map(|policy| policy.version).collect();
    all.join(", ")
}

/// A person's statement.
fn statement(index: u64, records: u64) -> Vec<u8> {
    let options = Options { records, debits: true, ..Options::default() };
    statement_json(7, index, &options).unwrap()
}
