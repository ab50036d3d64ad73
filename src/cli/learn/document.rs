//! `learn --document`: the model document in the format that its name says. Measures and renders nothing itself.

use std::path::PathBuf;

use super::LearnArgs;
use crate::base::engine::describe_engine;
use crate::cli::output::{Failure, print_stderr_remark};
use crate::cli::portfolio::Loaded;
use crate::cli::table_file::lowercase_extension;
use crate::portfolio::learned_from::LearnedFrom;
use crate::portfolio::learning::Proposal;
use crate::portfolio::model_evidence::{DocumentSource, ProtectedColumn, collect_model_evidence};
use crate::report::portfolio::ModelDocument;
use crate::rules::Policy;
use crate::run::files::write_text;

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
    let source = DocumentSource {
        policy: policy.header().name.clone(),
        version: policy.header().version.clone(),
        digest: policy.digest().to_string(),
        engine: describe_engine().to_string(),
        customers: loaded.portfolio.customers.len(),
    };
    let evidence = collect_model_evidence(proposal, from, source, &protected);
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
