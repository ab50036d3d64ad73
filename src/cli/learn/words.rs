//! `learn --words`: proposes entries of word lists from labels and corrections, as text that a person accepts.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::LearnArgs;
use crate::base::text::escape_terminal;
use crate::base::toml_text::quote_toml_text;
use crate::cli::diagnostics::DiagnosticFormat;
use crate::cli::input::{NO_DAY, read_input_bytes};
use crate::cli::output::{self, Failure, print_stderr_remark};
use crate::engine::decision::VerdictsAsked;
use crate::portfolio::{Labels, ProposedWord, WordsOfKinds, WordsWanted};
use crate::rules::{Policies, Policy};

/// What `--words` asks for.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Words")]
pub struct WordsArgs {
    /// Propose entries of word lists instead of a scorecard: words that say of what kind a record is, where labels or
    /// corrections say so and the rules do not
    #[arg(long)]
    pub words: bool,
    /// A CSV file with the columns customer, id and label, as of `generate --labels`; corrections count before it
    #[arg(long, value_name = "FILE", requires = "words")]
    pub labels: Option<PathBuf>,
    /// The fewest labelled records that must have the words
    #[arg(long, value_name = "N", default_value_t = 5, requires = "words")]
    pub least_records: u64,
    /// The fewest customers of whom these records must be
    #[arg(long, value_name = "N", default_value_t = 2, requires = "words")]
    pub least_customers: usize,
    /// The least share of these records that must be of the kind, at the lower end of its 95% interval
    #[arg(long, value_name = "SHARE", default_value_t = 0.8, requires = "words")]
    pub least_precision: f64,
}

/// Proposes words.
pub(super) fn propose_words(args: &LearnArgs, policies: &Policies, policy: &Policy) -> Result<ExitCode, Failure> {
    let asked_words = &args.words;
    let labels = match &asked_words.labels {
        Some(path) => {
            let read = Labels::from_csv(&read_input_bytes(path)?);
            Some(read.map_err(|error| Failure::Message(format!("{}: {error}", path.display())))?)
        }
        None if policy.corrections_digest().is_none() => {
            let message =
                "words are learned from labels or corrections: give `--labels FILE`, or a policy with corrections";
            return Err(Failure::Message(message.to_owned()));
        }
        None => None,
    };
    let wanted = VerdictsAsked { as_of: args.portfolio.request.load(policies)?.as_of, ..VerdictsAsked::default() };
    if wanted.as_of.is_none() {
        print_stderr_remark(NO_DAY);
    }
    let mut words = WordsOfKinds::new(policy, labels.as_ref());
    let all = args.portfolio.reading.each(&args.portfolio.inputs, policies, |statements| {
        words.add(statements, &wanted).map_err(Failure::message)
    })?;
    if words.labelled == 0 {
        return Err(Failure::message("no record has a label, and no correction gives one a kind"));
    }
    let found = words.propose(WordsWanted {
        records: asked_words.least_records,
        customers: asked_words.least_customers,
        precision: asked_words.least_precision,
    });
    let text = match args.policy.format {
        DiagnosticFormat::Json => format!("{:#}\n", serde_json::to_value(&found).map_err(Failure::message)?),
        DiagnosticFormat::Text => proposed_lists(&found, words.labelled),
    };
    match &args.out {
        Some(path) => crate::run::files::write_text(&text, path).map_err(Failure::message)?,
        None => output::write_stdout_bytes(text.as_bytes())?,
    }
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The proposal as a part of a rule file.
fn proposed_lists(found: &[ProposedWord], labelled: u64) -> String {
    let mut text = format!(
        "# Proposed from {labelled} labelled records. Keep what is right, and put it into the policy. A word that any\n\
         # narration may have, or that is a name, belongs in no list. Compare with `lendwright backtest --against`.\n"
    );
    if found.is_empty() {
        text += "# No words show enough.\n";
        return text;
    }
    text += "[words]\n";
    // Writing to a text never fails.
    for of_kind in found.chunk_by(|one, other| one.kind == other.kind) {
        let Some(first) = of_kind.first() else { continue };
        let sign = if first.has_list { "" } else { "# " };
        if !first.has_list {
            let _ =
                writeln!(text, "# The policy has no list `{}`: make one, or add these where they belong.", first.kind);
        }
        let _ = writeln!(text, "{sign}{} = {{ add = [", escape_terminal(&first.kind));
        for word in of_kind {
            let (share, low, high) = word.precision;
            let _ = writeln!(
                text,
                "{sign}  {},  # {} of {} are {} ({share:.2}, {low:.2} to {high:.2}), {} customers; the rules miss \
                 {}; {} records have it",
                quote_toml_text(&word.words),
                word.right,
                word.labelled,
                escape_terminal(&word.kind),
                word.customers,
                word.missed_by_rules,
                word.records
            );
        }
        let _ = writeln!(text, "{sign}] }}");
    }
    text
}
