//! The table of metrics as Parquet, which knows what it was made of: an earlier one gives the columns that would be the
//! same. Computes nothing itself.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

use super::quality::Warnings;
use super::{MetricsArgs, NO_DAY};
use crate::base::digest::Digest;
use crate::cli::input::STANDARD_INPUT;
use crate::cli::output::{Failure, print_stderr_remark};
use crate::cli::overwriting;
use crate::portfolio::metrics_table::{Book, BookNote, BookPlan, HEAD, same_rows, values_path};
use crate::rules::{Policies, Policy, PolicySet};
use crate::run::files::digest_file;

/// Writes the table. Columns that an earlier table of the same statements has are not computed again.
pub(super) fn write_metrics_book(
    args: &MetricsArgs,
    policies: &Policies,
    policy: &Policy,
    out: &Path,
) -> Result<ExitCode, Failure> {
    if args.as_of.is_none() {
        print_stderr_remark(NO_DAY);
    }
    overwriting::refuse_overwriting_input(&args.inputs, &values_path(out))?;
    let inputs = digest_book_inputs(args)?;
    let earlier = open_earlier_book(args, &inputs, out);
    let plan = BookPlan::new(&[policy], earlier.as_ref());
    plan.refuse_replacing_values(out).map_err(Failure::message)?;
    let computed = plan.computed().count();
    let is_same = plan.columns.iter().all(|column| Some(&column.name) == column.before.as_ref());
    if let Some(earlier) = earlier.as_ref().filter(|_| computed == 0 && is_same) {
        print_stderr_remark(format!("{}: up to date: nothing changed since it was made\n", earlier.path.display()));
        return Ok(ExitCode::SUCCESS);
    }
    let sources = (args.inputs.as_slice(), policies as &dyn PolicySet);
    let (table, all) =
        args.reading.metrics(sources, (&plan, args.as_of), Warnings::from_statements, Warnings::print)?;
    let Some(table) = table else {
        return Err(Failure::Message("no statement could be read; nothing was written".to_owned()));
    };
    // Two metrics of one formula may be taken from one column.
    let taken: BTreeSet<&str> = plan.columns.iter().filter_map(|column| column.before.as_deref()).collect();
    let names: Vec<&str> = HEAD.into_iter().chain(taken).collect();
    let kept = earlier.as_ref().map(|earlier| earlier.columns(&names)).transpose().map_err(Failure::message)?;
    if let Some(kept) = &kept {
        if !same_rows(&table, kept) {
            return Err(Failure::Message(format!(
                "{}: it has other statements than the inputs give now; delete it, and it is made anew",
                out.display()
            )));
        }
        let all = plan.columns.len();
        print_stderr_remark(format!(
            "{computed} of {all} columns were computed; the others are as in the earlier table\n"
        ));
    }
    let whole = plan.whole(table, kept.as_ref()).map_err(Failure::Message)?;
    // A table of some of the statements must not look like one of all.
    let inputs = if all { inputs } else { inputs_without_digests(inputs) };
    Book::write(&whole, &plan, &BookNote::new(args.as_of, inputs), out).map_err(Failure::message)?;
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What is read, and how: the digest of each file, and the options that change what its statements are.
fn digest_book_inputs(args: &MetricsArgs) -> Result<Vec<(String, String)>, Failure> {
    let digest = |path: &Path| -> Result<String, Failure> {
        Ok(digest_file(path).map_err(|error| Failure::Message(format!("{}: {error}", path.display())))?.to_string())
    };
    let mut inputs = Vec::new();
    for path in &args.inputs {
        // What cannot be digested before it is read is never the same as before.
        let known = path.as_os_str() != STANDARD_INPUT && path.is_file();
        let digest = if known { digest(path)? } else { String::new() };
        inputs.push((path.display().to_string(), digest));
    }
    let reading = &args.reading;
    if let Some(columns) = &reading.table.columns {
        let digest = if columns.is_file() { digest(columns)? } else { "ships with the engine".to_owned() };
        inputs.push((format!("--columns {}", columns.display()), digest));
    }
    if let Some(customer) = &reading.table.customer {
        inputs.push(("--customer".to_owned(), Digest::compute(customer.as_bytes()).to_string()));
    }
    if let Some(customer) = &reading.only_customer {
        inputs.push(("--only-customer".to_owned(), Digest::compute(customer.as_bytes()).to_string()));
    }
    if let Some(merging) = reading.merge.merging() {
        inputs.push(("--merge".to_owned(), format!("{} days", merging.transfer_days)));
    }
    if let Some((from, to)) = reading.period.from.zip(reading.period.to) {
        inputs.push(("--from and --to".to_owned(), format!("{from} to {to}")));
    }
    Ok(inputs)
}

/// The inputs without their digests, so that the table is never taken for one of all of them.
fn inputs_without_digests(inputs: Vec<(String, String)>) -> Vec<(String, String)> {
    inputs.into_iter().map(|(name, _)| (name, String::new())).collect()
}

/// The earlier table, if it is of the same statements by the same engine.
fn open_earlier_book(args: &MetricsArgs, inputs: &[(String, String)], out: &Path) -> Option<Book> {
    // A file that is no such table, or of another engine, is replaced as any other.
    let book = out.exists().then(|| Book::open(out).ok().flatten()).flatten()?;
    let is_known = inputs.iter().all(|(_, digest)| !digest.is_empty());
    (is_known && book.note.inputs == inputs && book.note.as_of == args.as_of).then_some(book)
}
