//! `records`: what a policy finds in each record, and why, as a table. Knows nothing of how that is found.

mod amounts;
mod correct;
mod scores;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use polars::prelude::{Column, DataFrame};

use super::diagnostics::DiagnosticFormat;
use super::input::{NO_DAY, PolicyArgs, ReadingArgs, parse_day_argument};
use super::output::{self, Failure, print_stderr_remark};
use super::table_file;
use crate::base::date::Day;
use crate::engine::decision::{Verdict, Verdicts, VerdictsAsked, verdicts_explaining};
use crate::portfolio::{Labels, Scores, Truth};
use crate::report;
use crate::rules::{Policies, PolicySet};
use crate::run::files;
use crate::statement::Statements;

const FORMAT: &str = "The format of records without `--out`, and of mistakes in the rule file: `json` is one object \
                      per line";

/// The column of labels, after all others.
const LABEL: &str = "label";

/// How many mistakes of each sort are shown.
const EXAMPLES: usize = 3;

/// The command line of `records`.
#[derive(Debug, Clone, Args)]
#[command(mut_arg("format", |format| format.help(FORMAT)), after_help = "\
Examples:
  lendwright records --policy rules/starter.toml statement.json
      every record with its counterparty, stream and kind, and below it why it is of that kind
  lendwright records --policy rules/starter.toml statement.json \\
      --out records.csv
      one row per record, with every flag: money in major units, as people write it
  lendwright records --policy rules/starter.toml people.parquet \\
      --out records.parquet
      the same with money in minor units, as in the table of metrics; .ndjson too
  lendwright records --policy rules/starter.toml people.csv \\
      --columns columns.toml --only-customer C-1001
      the records of one customer
  lendwright records --policy rules/starter.toml statement.json --why is_salary
      for every record, why it is salary or is not
  lendwright records --policy rules/starter.toml people/statements.csv \\
      --labels people/labels.csv
      how well each flag agrees with the labels of `lendwright generate --labels`, or with your own:
      a CSV file with the columns customer, id and label
  lendwright records --policy rules/starter.toml statement.json \\
      --flag is_salary --flag salary_payer --format json
      the named values of [transaction] instead of all that begin with is_
  lendwright records --policy rules/mine.toml statement.json \\
      --correct payer=\"ada obi\" --to-kind gift --by amina --because \"her sister\"
      write to the policy's file of corrections what a person knows better, and show what it changes

An empty cell is unknown, which is not false; the column `unknown` says why. The kind is the first
flag that holds, in the order that docs/guides/records.md gives; `--kind` sets another order.")]
#[command(mut_arg("customer", |arg| {
    arg.help("Show only the records of this customer; a file that names none is of this customer")
}))]
pub struct RecordsArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// The day that streams and windows look back from, such as 2026-10-31; later records are omitted. By default each
    /// statement's last day
    #[arg(long, value_name = "DATE", value_parser = parse_day_argument)]
    pub as_of: Option<Day>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Show this value of `[transaction]`; may be given several times. By default all conditions that begin with `is_`
    #[arg(long = "flag", value_name = "NAME")]
    pub flags: Vec<String>,
    /// A flag that gives records their kind, the strongest first; may be given several times
    #[arg(long = "kind", value_name = "FLAG")]
    pub kinds: Vec<String>,
    /// Say why this flag holds or does not, instead of why a record is of its kind
    #[arg(long, value_name = "FLAG")]
    pub why: Option<String>,
    /// Write to this file (.csv, .parquet or .ndjson) instead of standard output
    #[arg(long, value_name = "FILE", value_parser = table_file::parse_table_path)]
    pub out: Option<PathBuf>,
    /// Compare the flags with this CSV file of labels: precision and recall of each, and the first mistakes
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    /// The labels that make a flag true, such as is_salary=salary,bonus; may be given several times. By default the
    /// labels of `generate`, and the flags' own names
    #[arg(long = "truth", value_name = "FLAG=LABELS", value_parser = parse_truth_argument, requires = "labels")]
    pub truths: Vec<Truth>,
    /// Show at most this many mistakes of each sort
    #[arg(long, value_name = "COUNT", default_value_t = EXAMPLES, requires = "labels")]
    pub examples: usize,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub correct: correct::CorrectArgs,
    /// Files: .json as the provider sends it, tables (.csv, .xlsx, .parquet, .ndjson), bank formats (camt, MT940, OFX,
    /// QIF); `-` is standard input
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,
}

/// Shows what the policy finds in every record.
pub fn run(args: &RecordsArgs) -> Result<ExitCode, Failure> {
    if let Some(code) = correct::write_correction(args)? {
        return Ok(code);
    }
    let policies = args.policy.load()?;
    // Wrong names are reported before any file is read.
    let columns = Verdicts::of_no_records(&policies, &args.asked()).map_err(Failure::message)?;
    if args.as_of.is_none() {
        print_stderr_remark(NO_DAY);
    }
    let scoring = args.labels.as_deref().map(|path| Scoring::load(path, args, &columns)).transpose()?;
    let mut rows = RecordsSoFar { scores: scoring.as_ref().map(Scoring::scores), ..RecordsSoFar::default() };
    let work = |part: Statements| of_part(args, &policies, part, scoring.as_ref());
    let all = args.reading.each_in_parts(&args.inputs, &policies, work, |parts| {
        for part in parts {
            let Some(part) = part? else { continue };
            rows.take(args, &policies, &part, scoring.as_ref())?;
        }
        Ok(())
    })?;
    if !rows.has_records {
        print_stderr_remark("no records; the inputs hold none up to that day");
    }
    rows.finish(args, &policies, &columns)?;
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn parse_truth_argument(text: &str) -> Result<Truth, String> {
    Truth::parse(text).map_err(|error| error.to_string())
}

/// The labels that flags are compared with.
struct Scoring {
    labels: Labels,
    truths: Vec<Truth>,
    examples: usize,
}

impl Scoring {
    fn load(path: &Path, args: &RecordsArgs, columns: &Verdicts) -> Result<Scoring, Failure> {
        let labels = Labels::from_csv(&super::input::read_input_bytes(path)?)
            .map_err(|error| Failure::Message(format!("{}: {error}", path.display())))?;
        if let Some(unknown) = args.truths.iter().find(|truth| columns.flags.iter().all(|flag| flag.name != truth.flag))
        {
            let flag = &unknown.flag;
            return Err(Failure::Message(format!(
                "`--truth {flag}=...`: `{flag}` is not among the flags that are shown"
            )));
        }
        let truths = Truth::of_flags(&columns.flags, &labels, &args.truths);
        Ok(Scoring { labels, truths, examples: args.examples })
    }

    fn scores(&self) -> Scores {
        Scores::new(self.truths.clone(), self.examples)
    }
}

impl RecordsArgs {
    fn asked(&self) -> VerdictsAsked {
        let (flags, kinds, why) = (self.flags.clone(), self.kinds.clone(), self.why.clone());
        VerdictsAsked { as_of: self.as_of, flags, kinds, why }
    }
}

/// The verdicts of some statements; `None` if there are none.
fn of_part(
    args: &RecordsArgs,
    policies: &Policies,
    part: Statements,
    scoring: Option<&Scoring>,
) -> Result<Option<Verdicts>, Failure> {
    if part.is_empty() {
        return Ok(None);
    }
    let explains = |record: &_| match scoring {
        Some(scoring) => Scores::disagreeing(&scoring.truths, &scoring.labels, record),
        None => Vec::new(),
    };
    verdicts_explaining(policies, &part, &args.asked(), &explains).map(Some).map_err(Failure::message)
}

/// What was read so far.
#[derive(Default)]
struct RecordsSoFar {
    /// The table for a file.
    table: Option<DataFrame>,
    /// Whether something was printed: an empty line comes before the next statement.
    has_printed: bool,
    has_records: bool,
    scores: Option<Scores>,
}

impl RecordsSoFar {
    fn take(
        &mut self,
        args: &RecordsArgs,
        policies: &Policies,
        part: &Verdicts,
        scoring: Option<&Scoring>,
    ) -> Result<(), Failure> {
        self.has_records |= !part.records.is_empty();
        if let (Some(scores), Some(scoring)) = (&mut self.scores, scoring) {
            scores.add(part, &scoring.labels);
        }
        match &args.out {
            Some(_) => self.add(part, scoring),
            None if scoring.is_some() => Ok(()),
            None if args.policy.format == DiagnosticFormat::Json => {
                let rows = part.table().map_err(Failure::message)?;
                output::write_stdout_bytes(&files::frame_as_ndjson(&rows).map_err(Failure::message)?)
            }
            None => {
                let separator = if std::mem::replace(&mut self.has_printed, true) { "\n" } else { "" };
                let text = report::render_record_verdicts(part, &policies.latest().header().currency);
                output::write_stdout_bytes(format!("{separator}{text}").as_bytes())
            }
        }
    }

    /// Adds rows to the table, with their labels.
    fn add(&mut self, part: &Verdicts, scoring: Option<&Scoring>) -> Result<(), Failure> {
        let mut rows = part.table().map_err(Failure::message)?;
        if let Some(Scoring { labels, .. }) = scoring {
            let label =
                |record: &Verdict| labels.label(record.customer.as_deref(), record.id.as_deref()).map(str::to_owned);
            let of_rows: Vec<Option<String>> = part.records.iter().map(label).collect();
            rows.with_column(Column::new(LABEL.into(), of_rows)).map_err(Failure::message)?;
        }
        match &mut self.table {
            none @ None => *none = Some(rows),
            Some(table) => drop(table.vstack_mut(&rows).map_err(Failure::message)?),
        }
        Ok(())
    }

    fn finish(self, args: &RecordsArgs, policies: &Policies, columns: &Verdicts) -> Result<(), Failure> {
        let currency = policies.latest().header().currency;
        if let Some(path) = &args.out {
            let mut table = match self.table {
                Some(table) => table,
                None => columns.table().map_err(Failure::message)?,
            };
            if table_file::lowercase_extension(path) == "csv" {
                amounts::in_major_units(&mut table, &amounts::money_columns(columns), &currency)
                    .map_err(Failure::message)?;
            }
            table_file::write_table_file(table, path)?;
        }
        let Some(scores) = self.scores else { return Ok(()) };
        if scores.labelled == 0 {
            return Err(Failure::message(
                "no record has a label; labels belong to records by the columns `customer` and `id`",
            ));
        }
        match args.policy.format {
            DiagnosticFormat::Json => {
                output::write_stdout_line(serde_json::to_string(&scores).map_err(Failure::message)?)
            }
            DiagnosticFormat::Text => {
                output::write_stdout_bytes(scores::format_flag_scores(&scores, &currency).as_bytes())
            }
        }
    }
}
