//! `decide`: statements in, decisions out, one JSON line per statement. Knows nothing of how a decision is made.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::input::{PolicyArgs, ReadingArgs, RequestArgs};
use super::output::{self, Failure};
use crate::base::text::escape_terminal;
use crate::engine::decision;
use crate::statement::Statements;

/// The command line of `decide`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright decide --policy rules/starter.toml \\
      --as-of 2026-10-31 statement.json
      one JSON line with outcome, reasons, score, metrics and offers
  lendwright decide --policy rules/starter.toml \\
      --as-of 2026-10-31 statements/*.json > decisions.ndjson
  lendwright decide --policy rules/starter.toml --as-of 2026-10-31 \\
      --param max_dti=0.4 statement.json
      the same policy with one parameter changed; the decision records the change
  lendwright decide --policy rules/salary/ --as-of 2026-10-31 statements/*.json
      a folder of versions: the day of each decision selects the version in force
  lendwright decide --policy rules/starter.toml --as-of 2026-10-31 \\
      --columns bank.toml accounts.parquet
      a table of many statements, one decision per customer
  lendwright decide --policy rules/starter.toml --as-of 2026-10-31 \\
      --customer C-17 camt053.xml
      an export of one customer, whom the file does not name
  lendwright decide --policy rules/starter.toml --as-of 2026-10-31 \\
      --merge current.json savings.json
      one decision on all accounts of a customer, without the transfers between them
      (docs/guides/accounts.md)
  lendwright provider pull REF-1 --out - \\
      | lendwright decide --policy rules/starter.toml --as-of 2026-10-31 -

A statement that cannot be read is reported on standard error. The others are still decided; the
exit status is 1.")]
pub struct DecideArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub policy: PolicyArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub request: RequestArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Files: .json as the provider sends it, tables (.csv, .xlsx, .parquet, .ndjson), bank formats (camt, MT940, OFX,
    /// QIF); `-` is standard input
    #[arg(value_name = "STATEMENT", required = true)]
    pub statements: Vec<PathBuf>,
}

/// Decides every statement and prints the decisions.
pub fn run(args: &DecideArgs) -> Result<ExitCode, Failure> {
    let policy = args.policy.load()?;
    let request = args.request.load(&policy)?;
    let mut customers = CustomersOfFiles::default();
    let all = args.reading.each(&args.statements, &policy, |statements| {
        if args.statements.len() > 1 {
            customers.add(statements);
        }
        let decisions = decision::decide(&policy, statements, &request).map_err(Failure::message)?;
        let mut lines = String::new();
        for decision in decisions {
            lines.push_str(&decision.to_line());
            lines.push('\n');
        }
        output::write_stdout_bytes(lines.as_bytes())
    })?;
    customers.remark();
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Most customers that a note names.
const NAMED: usize = 3;

/// The customers of the files so far, to say who has several. With `--merge` all files come as one.
#[derive(Default)]
struct CustomersOfFiles {
    /// Whether each came in more than one file.
    seen: BTreeMap<String, bool>,
    /// The first who came again.
    named: Vec<String>,
}

impl CustomersOfFiles {
    fn add(&mut self, statements: &Statements) {
        let own: BTreeSet<&str> = statements.heads().iter().filter_map(|head| head.customer.as_deref()).collect();
        for customer in own {
            match self.seen.get_mut(customer) {
                None => {
                    self.seen.insert(customer.to_owned(), false);
                }
                Some(is_again) if !*is_again => {
                    *is_again = true;
                    if self.named.len() < NAMED {
                        self.named.push(escape_terminal(customer).into_owned());
                    }
                }
                Some(_) => {}
            }
        }
    }

    fn remark(&self) {
        let again = self.seen.values().filter(|is_again| **is_again).count();
        if again == 0 {
            return;
        }
        let has = if again == 1 { "has" } else { "have" };
        let more = match again - self.named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        output::print_stderr_remark(format!(
            "note: {}{more} {has} statements in several files, each decided by itself; --merge decides once on all of \
             a customer's\n",
            self.named.join(", ")
        ));
    }
}
