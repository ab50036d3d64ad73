//! `pull`: fetches a customer's statement by E2 into a file. Knows nothing of its content.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::connection::ConnectionArgs;
use super::output::{self, Failure};
use crate::provider::wire::TransactionRecords;
use crate::run::whole_file::{Access, write_whole};
use crate::statement::REFERENCE;

/// The command line of `pull`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright provider pull REF-1 --base-url https://provider.example
      writes REF-1.json, with the access token from LENDWRIGHT_TOKEN
  lendwright provider pull REF-1 --settings provider.toml --token-file token \\
      --out statements/ada.json
  lendwright provider pull REF-1 --settings provider.toml --out - \\
      | lendwright decide --policy p.toml -

A damaged answer is fetched once more. If it is still damaged, that is an error, and nothing is
written. A statement in several pages becomes one document with all records in its list. The
reference is added to the file as its first key, `offerRequestReference`, so that `send` knows
which offer request a decision answers.")]
pub struct PullArgs {
    /// The reference of the offer request
    #[arg(value_name = "REFERENCE")]
    pub reference: String,
    /// The file for the statement; `-` is standard output [default: REFERENCE.json]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print the exact request with secrets masked, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// Pulls the statement and stores it.
pub fn run(args: PullArgs) -> Result<ExitCode, Failure> {
    if args.dry_run {
        return output::print_prepared_request(
            args.connection.dry_client()?.prepare(&TransactionRecords::new(args.reference)),
        );
    }
    let out = match args.out {
        Some(path) => path,
        None => default_name(&args.reference)?,
    };
    let pulled = args.connection.client()?.pull(&args.reference).map_err(|error| error.to_string())?;
    let (pages, records) = (pulled.pages().len(), pulled.records());
    let statement = pulled.into_statement().map_err(|error| error.to_string())?;
    let statement = with_reference(&statement, &args.reference)?;
    if out.as_os_str() == "-" {
        output::write_stdout_bytes(&statement)?;
        return Ok(ExitCode::SUCCESS);
    }
    write_whole(&out, Access::Private, &statement)
        .map_err(|error| format!("cannot write `{}`: {error}", out.display()))?;
    let (place, bytes) = (out.display(), statement.len());
    let of_pages = if pages == 1 { String::new() } else { format!(", {pages} pages") };
    output::print_stderr_remark(format!("{place}: {records} records, {bytes} bytes{of_pages}\n"));
    Ok(ExitCode::SUCCESS)
}

/// Adds the reference of the offer request to the statement. A decision copies it, and `send` reads it there.
fn with_reference(statement: &[u8], reference: &str) -> Result<Vec<u8>, String> {
    let start = statement.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or_default();
    let Some((b'{', rest)) = statement[start..].split_first() else {
        return Err("the answer is not a JSON object".to_owned());
    };
    let first_key = format!("{{{}:{},", serde_json::Value::from(REFERENCE), serde_json::Value::from(reference));
    Ok([first_key.as_bytes(), rest].concat())
}

/// The default file name. The reference is not trusted, so only a plain one becomes a file name.
fn default_name(reference: &str) -> Result<PathBuf, String> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    if reference.is_empty() || reference.starts_with(['.', '-']) || !reference.chars().all(plain) {
        return Err("the reference does not make a file name; give `--out FILE`".to_owned());
    }
    Ok(PathBuf::from(format!("{reference}.json")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_references_become_file_names() {
        assert_eq!(default_name("OR-1_a.2"), Ok(PathBuf::from("OR-1_a.2.json")));
        for reference in ["", ".", "../x", "a/b", "-x", "a b", "a\\b", ".hidden", "ä"] {
            assert!(default_name(reference).is_err(), "{reference}");
        }
    }
}
