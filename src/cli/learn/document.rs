//! `learn --document`: the model document in the format that its name says. Measures and renders nothing itself.

use std::path::{Path, PathBuf};

use super::LearnArgs;
use crate::base::date::Day;
use crate::base::engine::describe_engine;
use crate::cli::output::{Failure, print_stderr_remark};
use crate::cli::portfolio::Loaded;
use crate::cli::table_file::lowercase_extension;
use crate::portfolio::learned_from::LearnedFrom;
use crate::portfolio::learning::Proposal;
use crate::portfolio::model_evidence::{
    DocumentInput, DocumentSource, MetricsChosen, ProtectedColumn, collect_model_evidence,
};
use crate::report::portfolio::ModelDocument;
use crate::rules::Policy;
use crate::run::files::{digest_file, write_text};

/// A file with a name that says its kind.
pub(super) fn parse_document_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match lowercase_extension(&path).as_str() {
        "html" | "md" | "json" => Ok(path),
        _ => Err("unknown kind of document; name it .html, .md or .json".to_owned()),
    }
}

/// Writes the documents of the arguments.
pub(super) fn write_model_documents(
    args: &LearnArgs,
    policy: &Policy,
    loaded: &Loaded,
    from: &LearnedFrom,
    proposal: &Proposal,
) -> Result<(), Failure> {
    let protected = read_protected_columns(args, loaded, from)?;
    if args.document.is_empty() {
        return Ok(());
    }
    let source = source_of_document(args, policy, loaded)?;
    let evidence = collect_model_evidence(proposal, from, policy, source, &protected);
    let document = ModelDocument { proposal, evidence: &evidence };
    for path in &args.document {
        let text = match lowercase_extension(path).as_str() {
            "html" => document.page(),
            "md" => document.markdown(),
            _ => format!("{:#}\n", document.json()),
        };
        write_text(&text, path).map_err(Failure::message)?;
        print_stderr_remark(format!("{}: the model document\n", path.display()));
    }
    Ok(())
}

fn source_of_document(args: &LearnArgs, policy: &Policy, loaded: &Loaded) -> Result<DocumentSource, Failure> {
    let loans = || loaded.outcomes.iter().flatten();
    Ok(DocumentSource {
        policy: policy.header().name.clone(),
        version: policy.header().version.clone(),
        digest: policy.digest().to_string(),
        engine: describe_engine().to_string(),
        customers: loaded.portfolio.customers.len(),
        inputs: list_document_inputs(args, loaded)?,
        bad_column: args.portfolio.bad_column.clone(),
        weight_column: args.weight_column.clone(),
        loan_dates: first_and_last(loans().filter_map(|loan| loan.loan_date)),
        observed_until: first_and_last(loans().filter_map(|loan| loan.observed_until)),
        test_after: args.test_after.map(|day| day.to_string()),
        chosen: MetricsChosen {
            only: args.only.clone(),
            without: args.without.clone(),
            keep: args.keep.clone(),
            credits_alone: args.credits_alone,
            left_out: count_left_out(args, policy),
        },
    })
}

/// How many metrics of the policy `--only` and `--without` leave out.
fn count_left_out(args: &LearnArgs, policy: &Policy) -> u64 {
    let has = |names: &[String], name: &str| names.iter().any(|other| other == name);
    let names = policy.metrics().map(|(name, _)| name);
    let left_out = names.filter(|name| (!args.only.is_empty() && !has(&args.only, name)) || has(&args.without, name));
    left_out.count() as u64
}

fn first_and_last(days: impl Iterator<Item = Day>) -> Option<[String; 2]> {
    let days: Vec<Day> = days.collect();
    Some([days.iter().min()?.to_string(), days.iter().max()?.to_string()])
}

/// What was read, with digests. Folders of statements have none.
fn list_document_inputs(args: &LearnArgs, loaded: &Loaded) -> Result<Vec<DocumentInput>, Failure> {
    let portfolio = loaded.portfolio.inputs.iter().map(|(name, digest)| ("portfolio", name.clone(), digest.clone()));
    let shown = |path: &PathBuf| path.display().to_string();
    let outcomes = args.portfolio.outcomes.iter().map(|path| ("outcomes", shown(path), String::new()));
    let attributes = args.portfolio.attributes.iter().map(|path| ("attributes", shown(path), String::new()));
    let choices = args.choices.iter().map(|path| ("choices", shown(path), String::new()));
    let mut inputs = Vec::new();
    for (role, name, known) in portfolio.chain(outcomes).chain(attributes).chain(choices) {
        let path = Path::new(&name);
        let digest = match known.is_empty() && path.is_file() {
            true => digest_file(path).map_err(|error| Failure::Message(format!("{name}: {error}")))?.to_string(),
            false => known,
        };
        inputs.push(DocumentInput { role: role.to_owned(), name, digest });
    }
    Ok(inputs)
}

/// The groups of the rows that were learned from.
fn read_protected_columns(
    args: &LearnArgs,
    loaded: &Loaded,
    from: &LearnedFrom,
) -> Result<Vec<ProtectedColumn>, Failure> {
    let one = |name: &String| {
        let column = loaded.attribute(name).ok_or_else(|| {
            Failure::Message(format!("--protected: the table of --attributes has no column `{name}`"))
        })?;
        let texts = column.str().map_err(Failure::message)?.clone();
        let group = |place: &usize| texts.get(*place).map(str::to_owned);
        Ok(ProtectedColumn { name: name.clone(), groups: from.places.iter().map(group).collect() })
    };
    args.protected.iter().map(one).collect()
}
