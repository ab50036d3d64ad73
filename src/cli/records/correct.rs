//! `records --correct`: writes what a person says of some records to the policy's file of corrections, and shows what
//! that changes. Nothing is written if it is about no record, or the policy does not take it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::RecordsArgs;
use crate::authoring::corrections::{NewCorrection, add_correction, corrections_file};
use crate::base::date::Day;
use crate::base::digest::Digest;
use crate::base::text::escape_terminal;
use crate::cli::corrections::no_corrections_file;
use crate::cli::input::{PolicyArgs, parse_day_argument};
use crate::cli::output::{self, Failure};
use crate::engine::decision::Request;
use crate::portfolio::CorrectionEffects;
use crate::report;
use crate::rules::{Policies, PolicySet};
use crate::run::files::read_rules;
use crate::run::whole_file::{Access, write_whole};

/// A correction to write.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Correction")]
pub struct CorrectArgs {
    /// Write a correction of these records to the policy's file of corrections, and show what it changes: id=TX-1009,
    /// payer="ada obi", or words of a narration, narration="sal bal"
    #[arg(long, value_name = "KEY=TEXT", value_parser = parse_about, requires_all = ["by", "because"])]
    pub correct: Option<(String, String)>,
    /// What the records are: a kind of the policy's [kind]
    #[arg(long, value_name = "KIND", requires = "correct")]
    pub to_kind: Option<String>,
    /// Whom the records are of
    #[arg(long, value_name = "NAME", requires = "correct")]
    pub to_payer: Option<String>,
    /// Limit the correction to this customer's records
    #[arg(long, value_name = "NAME", requires = "correct")]
    pub of_customer: Option<String>,
    /// Who says so
    #[arg(long, value_name = "NAME", requires = "correct")]
    pub by: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT", requires = "correct")]
    pub because: Option<String>,
    /// The day of the correction; by default today, in UTC
    #[arg(long, value_name = "DATE", requires = "correct", value_parser = parse_day_argument)]
    pub on: Option<Day>,
}

fn parse_about(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key @ ("id" | "payer" | "narration"), value)) if !value.trim().is_empty() => {
            Ok((key.to_owned(), value.trim().to_owned()))
        }
        _ => Err("write id=TEXT, payer=NAME or narration=WORDS".to_owned()),
    }
}

impl CorrectArgs {
    /// The correction to write, if there is one.
    fn correction(&self) -> Result<Option<NewCorrection>, Failure> {
        let (Some(about), Some(by), Some(why)) = (&self.correct, &self.by, &self.because) else { return Ok(None) };
        if self.to_kind.is_none() && self.to_payer.is_none() {
            return Err(Failure::Message("say what the records are: --to-kind, --to-payer, or both".to_owned()));
        }
        let on = self.on.or_else(crate::cli::columns::read_clock_day).ok_or_else(|| {
            Failure::Message("the clock of this machine does not say what day it is; give --on".to_owned())
        })?;
        Ok(Some(NewCorrection {
            about: about.clone(),
            customer: self.of_customer.clone(),
            kind: self.to_kind.clone(),
            counterparty: self.to_payer.clone(),
            by: by.clone(),
            on,
            why: why.clone(),
        }))
    }
}

/// Writes the correction and shows its effect; `None` without `--correct`.
pub(super) fn write_correction(args: &RecordsArgs) -> Result<Option<ExitCode>, Failure> {
    let Some(correction) = args.correct.correction()? else { return Ok(None) };
    let path = corrections_path(&args.policy)?;
    let before = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Failure::Message(format!("{}: {error}", path.display()))),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let after = add_correction(&name, &before, &correction)
        .map_err(|wrong| Failure::Message(format!("{}: {wrong}", path.display())))?;
    let policies = with_text(&args.policy, &path, &after)?;
    let policy = policies.latest();
    if policy.corrections_digest() != Some(Digest::compute(after.as_bytes())) {
        return Err(Failure::Message(format!("{}: the policy reads another file of corrections", path.display())));
    }
    let request = args.as_of.map(Request::on).unwrap_or_default();
    let mut effects = CorrectionEffects::new(policy);
    let all = args
        .reading
        .each(&args.inputs, &policies, |statements| effects.add(statements, &request).map_err(Failure::message))?;
    let Some(effect) = effects.effects.pop() else {
        return Err(Failure::Message(format!("{}: the correction was not read back", path.display())));
    };
    let (key, text) = &correction.about;
    if effect.records == 0 {
        return Err(Failure::Message(format!(
            "{key} `{}` is about no record of these inputs; nothing was written",
            escape_terminal(text)
        )));
    }
    write(&path, &after)?;
    let shown = report::render_correction_effects(&[effect], &policy.header().currency);
    output::write_stdout_bytes(format!("{}: written\n{shown}", escape_terminal(&path.to_string_lossy())).as_bytes())?;
    Ok(Some(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}

/// The file of corrections that the policy's file names. It need not be there yet.
fn corrections_path(policy: &PolicyArgs) -> Result<PathBuf, Failure> {
    let path = &policy.policy;
    if path.is_dir() {
        let message = "a folder of versions may have several files of corrections; give --policy the file of one";
        return Err(Failure::Message(message.to_owned()));
    }
    let text = read_rules(path).map_err(|error| Failure::Message(format!("{}: {error}", path.display())))?;
    let named = corrections_file(&text);
    let named = named.ok_or_else(|| Failure::Message(no_corrections_file(&path.to_string_lossy())))?;
    Ok(path.parent().unwrap_or(Path::new("")).join(named))
}

/// The policy with another text of its corrections.
fn with_text(policy: &PolicyArgs, corrections: &Path, text: &str) -> Result<Policies, Failure> {
    policy.load_reading(&mut |path| if path == corrections { Ok(text.to_owned()) } else { read_rules(path) })
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let written = write_whole(path, Access::Usual, text.as_bytes());
    written.map_err(|error| Failure::Message(format!("{}: {error}", path.display())))
}
