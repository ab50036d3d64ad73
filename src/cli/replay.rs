//! `replay`: repeats a recorded decision. Knows nothing of how a decision is made.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;

use super::input::{self, TableArgs};
use super::output::{self, Failure, print_error_message};
use crate::engine::decision::{self, Decision, Request};
use crate::rules::{Policy, PolicySet};
use crate::run::files::{self, load_policies, load_policy};
use crate::statement::{Columns, PeriodSource, Statements};

/// Where policies are searched if the recorded path does not lead to one.
const RULES: &str = "rules";

/// The command line of `replay`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright decide --policy rules/starter.toml \\
      --as-of 2026-10-31 statement.json > decision.json
  lendwright replay decision.json statement.json
      prints `decision.json: the same, byte for byte`, or the keys that differ with exit status 1
  lendwright replay decision.json current.json savings.json
      a decision of `decide --merge`, on the same statements in any order
  lendwright replay decision.json statement.json \\
      --policy archive/starter-2026.11.toml

The policy is the file that the decision names, if it is unchanged to the byte; else the one with
the recorded digest among rules/*.toml and rules/*/*.toml; else give --policy. Parameters, request
and day come from the record.")]
pub struct ReplayArgs {
    /// The recorded decision, one JSON line as `decide` prints it; `-` is standard input
    #[arg(value_name = "DECISION.json")]
    pub decision: PathBuf,
    /// The statement that was decided; after `decide --merge`, all of the merged statements, in any order
    #[arg(value_name = "STATEMENT", required = true)]
    pub statements: Vec<PathBuf>,
    /// The rule file that decided, or the folder with its versions
    #[arg(long, value_name = "FILE|FOLDER")]
    pub policy: Option<PathBuf>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub table: TableArgs,
}

/// Decides again and compares.
pub fn run(args: &ReplayArgs) -> Result<ExitCode, Failure> {
    let place = args.decision.display();
    let bytes = input::read_input_bytes(&args.decision)?;
    let text = String::from_utf8(bytes).map_err(|_| Failure::Message(format!("{place}: not valid UTF-8")))?;
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let [recorded] = lines.as_slice() else {
        return Err(Failure::Message(format!("{place}: {} lines; replay takes one decision", lines.len())));
    };
    // The parser's message may quote personal data of the decision, so only the place is reported.
    let record: Decision = serde_json::from_str(recorded).map_err(|error| {
        Failure::Message(format!("{place}:{}:{}: not a decision as `decide` prints it", error.line(), error.column()))
    })?;
    let again = decide_recorded_again(&record, args)?;
    if again == *recorded {
        output::write_stdout_line(format!("{place}: the same, byte for byte"))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut different = list_differing_keys(recorded, &again);
    if different.is_empty() {
        different.push("its layout".to_owned());
    }
    print_error_message(format!("{place}: not the same; these differ: {}", different.join(", ")));
    Ok(ExitCode::FAILURE)
}

/// Decides again. Returns the line of the decision.
fn decide_recorded_again(record: &Decision, args: &ReplayArgs) -> Result<String, Failure> {
    let mut policy = find_recorded_policy(record, args.policy.as_deref())?;
    let columns = args.table.load()?;
    let mut statements = read_decided_statements(record, args, &policy, columns.as_ref())?;
    // What the caller stated is not in the files.
    if let Some(period) = record.quality.period.filter(|period| period.source == PeriodSource::Stated) {
        statements = statements.with_period(period.from, period.to).map_err(Failure::message)?;
    }
    // Files may have moved since, but their recorded names are part of the decision.
    policy.file.clone_from(&record.policy.file);
    if let Some(challenger) = &mut policy.challenger {
        challenger.policy.file.clone_from(&record.policy.file);
    }
    for head in &mut statements.heads {
        head.label.clone_from(&record.statement);
    }
    let request = request_of_record(record, &policy)?;
    let at = recorded_position(record, &statements).ok_or_else(|| {
        let count = statements.len();
        let holder = match args.statements.as_slice() {
            [path] => format!("`{}` holds", path.display()),
            several => format!("the {} files hold", several.len()),
        };
        Failure::Message(format!("{holder} {count} statements, none of the recorded customer"))
    })?;
    let (statements, at) = keep_customer_at(statements, at)?;
    let decisions = decision::decide(&policy, &statements, &request).map_err(Failure::message)?;
    let again = decisions.get(at).ok_or_else(|| Failure::Message("there is no statement to decide".to_owned()))?;
    Ok(again.to_line())
}

/// Reads the statements that were decided: those of one file, or several merged as recorded.
fn read_decided_statements(
    record: &Decision,
    args: &ReplayArgs,
    policy: &Policy,
    columns: Option<&Columns>,
) -> Result<Statements, Failure> {
    match (&record.quality.merged, args.statements.as_slice()) {
        (Some(merged), paths) => input::read_merged(paths, policy, columns, &merged.rule)?.ok_or(Failure::Shown),
        (None, [path]) => input::read_input_statements(path, &decision::reading(policy), columns),
        (None, several) => Err(Failure::Message(format!(
            "{} statements, but the decision is on one statement that was not merged; give only that one",
            several.len()
        ))),
    }
}

/// Which of the statements was decided: the only one, the one with the recorded digest, or the one of the recorded
/// customer.
fn recorded_position(record: &Decision, statements: &Statements) -> Option<usize> {
    let heads = statements.heads();
    if heads.len() == 1 {
        return Some(0);
    }
    let is_same = |head: &usize| statements.digest(*head).is_ok_and(|digest| digest == record.digests.statement);
    let same = (0..heads.len()).find(is_same);
    same.or_else(|| heads.iter().position(|head| head.customer.is_some() && head.customer == record.customer))
}

/// All statements of the customer whose statement is at this position, and its position among them. The request names
/// that customer, so it must not be used for others.
fn keep_customer_at(statements: Statements, at: usize) -> Result<(Statements, usize), Failure> {
    let heads = statements.heads();
    let Some(customer) = heads.get(at).and_then(|head| head.customer.as_deref()) else { return Ok((statements, at)) };
    let before = heads.iter().take(at).filter(|head| head.customer.as_deref() == Some(customer)).count();
    let own = statements.of_customer(customer).map_err(Failure::message)?;
    Ok((own, before))
}

fn request_of_record(record: &Decision, policy: &Policy) -> Result<Request, Failure> {
    let as_of = record.as_of.filter(|_| record.as_of_given);
    let mut request = Request { as_of, customer: record.customer.clone(), ..Request::default() };
    for (name, value) in &record.request {
        request.set(policy, name, value.clone()).map_err(Failure::message)?;
    }
    Ok(request)
}

/// The version that decided: of the given policy, or else of the recorded file, or else the one in `rules/` with the
/// recorded digest. For a challenger this is its champion, which assigns the customer to one of the two again.
fn find_recorded_policy(record: &Decision, given: Option<&Path>) -> Result<Policy, Failure> {
    let overrides: Vec<(String, String)> = record.parameters.clone().into_iter().collect();
    let decided = |policy: &Policy| policy.policies().iter().any(|policy| policy.digest() == record.policy.digest);
    if let Some(path) = given {
        let policies = load_policies(path, &overrides).map_err(Failure::message)?;
        let version = policies.versions().iter().find(|policy| decided(policy));
        return Ok(version.unwrap_or(policies.version_on(record.as_of)).clone());
    }
    // If the record has an arm, the policy that decided has a challenger.
    let fits = |policy: &Policy| decided(policy) && (record.arm.is_none() || policy.challenger().is_some());
    let recorded = std::iter::once(PathBuf::from(&record.policy.file));
    let mut changed = Vec::new();
    for path in recorded.chain(rule_files()) {
        let Ok(policy) = load_policy(&path, &overrides) else { continue };
        if fits(&policy) {
            return Ok(policy);
        }
        if changed.is_empty() {
            changed = changed_lists(record, &policy);
        }
    }
    let changed = match changed.as_slice() {
        [] => String::new(),
        lists => format!("; changed since then: the list {}", lists.join(", the list ")),
    };
    Err(Failure::Message(format!(
        "no rule file with the recorded digest of the policy `{}` is at the recorded path or in `{RULES}/`; give \
         `--policy FILE`{changed}",
        record.policy.name
    )))
}

/// The lists of the recorded version of a policy that are no longer as they were.
fn changed_lists(record: &Decision, policy: &Policy) -> Vec<String> {
    let header = policy.header();
    if (&header.name, &header.version) != (&record.policy.name, &record.policy.version) {
        return Vec::new();
    }
    let now = policy.list_digests();
    let changed = record.policy.lists.iter().filter(|(name, digest)| now.get(*name) != Some(*digest));
    changed.map(|(name, _)| format!("`{name}`")).collect()
}

/// The rule files in `rules/` and in its folders.
fn rule_files() -> Vec<PathBuf> {
    let mut paths = files::rule_files(Path::new(RULES)).unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::fs::read_dir(RULES)
        .map(|entries| entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect())
        .unwrap_or_default();
    folders.sort();
    paths.extend(folders.iter().flat_map(|folder| files::rule_files(folder).unwrap_or_default()));
    paths
}

/// The keys whose values differ. Keys of nested objects are listed as paths.
fn list_differing_keys(before: &str, after: &str) -> Vec<String> {
    let (Ok(before), Ok(after)) = (serde_json::from_str(before), serde_json::from_str(after)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    collect_differing_paths("", &before, &after, &mut found);
    found
}

fn collect_differing_paths(path: &str, before: &Value, after: &Value, found: &mut Vec<String>) {
    if let (Value::Array(one), Value::Array(other)) = (before, after)
        && one.len() == other.len()
    {
        let pairs = one.iter().zip(other).enumerate();
        pairs.for_each(|(index, (one, other))| collect_differing_paths(&format!("{path}[{index}]"), one, other, found));
        return;
    }
    let (Value::Object(one), Value::Object(other)) = (before, after) else {
        if before != after {
            found.push(format!("`{path}`"));
        }
        return;
    };
    let added = other.keys().filter(|key| !one.contains_key(*key));
    for key in one.keys().chain(added) {
        let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        collect_differing_paths(
            &inner,
            one.get(key).unwrap_or(&Value::Null),
            other.get(key).unwrap_or(&Value::Null),
            found,
        );
    }
}
