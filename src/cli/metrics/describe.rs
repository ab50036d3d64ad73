//! `metrics --describe`: the whole dictionary of a policy, or one name with everything that it depends on. Knows
//! nothing of how entries are made.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;

use super::{MetricsArgs, MetricsFormat};
use crate::authoring::analysis::{Dictionary, Kind, dictionary};
use crate::base::diagnostic::nearest_candidate;
use crate::cli::output::{self, Failure};
use crate::cli::{diagnostics, shipped};
use crate::report;
use crate::rules::{PolicySet, is_for_use};
use crate::run::files::{PolicyError, load_policy, load_shared};

/// The name that selects the whole dictionary.
pub(super) const ALL: &str = "all";

/// How many similar names are suggested for an unknown name.
const NEAREST: usize = 3;

/// Prints the dictionary, or the entry of one name.
pub(super) fn print_dictionary(args: &MetricsArgs, name: &str) -> Result<ExitCode, Failure> {
    let whole = load_dictionary(args)?;
    let selected = if name == ALL { None } else { Some(whole.about(name)) };
    let dictionary = match selected {
        Some(None) => {
            output::print_error_message(suggest_metric_names(&whole, name));
            return Ok(ExitCode::from(2));
        }
        Some(Some(about)) => about,
        None => whole,
    };
    let coloured = diagnostics::is_coloured(std::io::stdout().is_terminal());
    match args.format {
        MetricsFormat::Json => {
            output::write_stdout_line(format!("{:#}", serde_json::to_value(&dictionary).map_err(Failure::message)?))?
        }
        MetricsFormat::Markdown => output::write_stdout_bytes(report::dictionary_markdown(&dictionary).as_bytes())?,
        MetricsFormat::Text if name == ALL && dictionary.entries.iter().all(|entry| entry.kind == Kind::BuiltIn) => {
            output::write_stdout_line(format!("`{}` has no names of its own", dictionary.title))?;
        }
        MetricsFormat::Text if name == ALL => {
            output::write_stdout_bytes(report::list_dictionary_entries(&dictionary, coloured).as_bytes())?
        }
        MetricsFormat::Text => {
            output::write_stdout_bytes(report::render_dictionary_entry(&dictionary, coloured).as_bytes())?
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Loads the dictionary: of the policy's version for the day, of a file that policies use, or of the built-in starter
/// policy.
fn load_dictionary(args: &MetricsArgs) -> Result<Dictionary, Failure> {
    let Some(path) = &args.policy else {
        return Ok(dictionary(&shipped::compile_starter_policy().map_err(Failure::message)?));
    };
    if is_shared(path) {
        if !args.parameters.is_empty() {
            let help = "name the policy that uses it";
            return Err(Failure::Message(format!(
                "`{}` has no [policy], so `--param` does not apply; {help}",
                path.display()
            )));
        }
        let shared = load_shared(path).map_err(|error| args.refused(error))?;
        let title = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(Dictionary { title, ..dictionary(&shared) });
    }
    let policies = args.policy_args(path).load()?;
    Ok(dictionary(policies.version_on(args.as_of)))
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

fn suggest_metric_names(dictionary: &Dictionary, name: &str) -> String {
    let mut names: Vec<&str> = dictionary.entries.iter().map(|entry| entry.name.as_str()).collect();
    let mut similar: Vec<String> = Vec::new();
    while let Some(found) = nearest_candidate(name, names.iter().copied()).filter(|_| similar.len() < NEAREST) {
        similar.push(format!("`{found}`"));
        names.retain(|other| *other != found);
    }
    let has_metrics = dictionary.entries.iter().any(|entry| entry.kind == Kind::Metric);
    let help = match similar.as_slice() {
        [] if !has_metrics => "it has no metrics; `use = [\"metrics.toml\"]` adds some".to_owned(),
        [] => "`--describe` without a name lists all names".to_owned(),
        similar => format!("did you mean {}?", similar.join(" or ")),
    };
    format!("`{}` has no name `{name}`; {help}", dictionary.title)
}
