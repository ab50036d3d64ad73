//! `metrics --describe`: the dictionary of a policy, whole or one name with all it stands on. Knows nothing of how an entry comes about.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use super::{MetricsArgs, MetricsFormat};
use crate::analysis::{Dictionary, Kind, dictionary};
use crate::cli::output::{self, Failure};
use crate::cli::{diagnostics, shipped};
use crate::files::{PolicyError, load_policy, load_shared};
use crate::report;
use crate::rules::{PolicySet, is_for_use};
use crate::words::diagnostic::nearest;

/// What asks for the whole dictionary.
pub(super) const ALL: &str = "all";

/// So many names are offered for one that is none.
const NEAREST: usize = 3;

/// Prints the dictionary, or of one name what it is.
pub(super) fn run(args: &MetricsArgs, name: &str) -> Result<ExitCode, Failure> {
    let whole = load(args)?;
    let of_one = if name == ALL { None } else { Some(whole.about(name)) };
    let told = match of_one {
        Some(None) => {
            output::complain(unknown(&whole, name));
            return Ok(ExitCode::from(2));
        }
        Some(Some(about)) => about,
        None => whole,
    };
    let coloured = diagnostics::is_coloured(std::io::stdout().is_terminal());
    match args.format {
        MetricsFormat::Json => output::line(format!("{:#}", serde_json::to_value(&told).map_err(Failure::said)?))?,
        MetricsFormat::Markdown => output::bytes(report::dictionary_markdown(&told).as_bytes())?,
        MetricsFormat::Text if name == ALL && told.entries.iter().all(|entry| entry.kind == Kind::BuiltIn) => {
            output::line(format!("`{}` has no names of its own", told.title))?;
        }
        MetricsFormat::Text if name == ALL => output::bytes(report::listed(&told, coloured).as_bytes())?,
        MetricsFormat::Text => output::bytes(report::described(&told, coloured).as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The dictionary of the policy that is asked about: of its version for the day, of a file for policies to use, or of what the program carries.
fn load(args: &MetricsArgs) -> Result<Dictionary, Failure> {
    let Some(path) = &args.policy else {
        return Ok(dictionary(&shipped::starter().map_err(Failure::said)?));
    };
    if is_shared(path) {
        if !args.parameters.is_empty() {
            let help = "name the policy that uses it";
            return Err(Failure::Said(format!("`{}` has no [policy], which `--param` is for; {help}", path.display())));
        }
        let shared = load_shared(path).map_err(|error| args.refused(error))?;
        let title = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(Dictionary { title, ..dictionary(&shared) });
    }
    let policies = args.policy_args(path).load()?;
    Ok(dictionary(policies.on(args.as_of)))
}

/// Whether it is a file without `[policy]` that policies use.
fn is_shared(path: &Path) -> bool {
    if path.is_dir() {
        return false;
    }
    let Err(PolicyError::Refused(refused)) = load_policy(path, &[]) else { return false };
    refused.diagnostics.iter().any(|wrong| wrong.code == "missing-policy")
        && refused.sources.iter().next().is_some_and(|file| is_for_use(&file.text))
}

fn unknown(dictionary: &Dictionary, name: &str) -> String {
    let mut left: Vec<&str> = dictionary.entries.iter().map(|entry| entry.name.as_str()).collect();
    let mut near: Vec<String> = Vec::new();
    while let Some(found) = nearest(name, left.iter().copied()).filter(|_| near.len() < NEAREST) {
        near.push(format!("`{found}`"));
        left.retain(|other| *other != found);
    }
    let none = !dictionary.entries.iter().any(|entry| entry.kind == Kind::Metric);
    let help = match near.as_slice() {
        [] if none => "it has no metrics; `use = [\"metrics.toml\"]` brings some in".to_owned(),
        [] => "`--describe` without a name lists what there is".to_owned(),
        near => format!("did you mean {}?", near.join(" or ")),
    };
    format!("`{}` has no name `{name}`; {help}", dictionary.title)
}
