//! The portfolio of a command: from a table of metrics, or from statements. Judges nobody.

use std::path::PathBuf;

use super::super::input::{NO_DAY, asks_for_day};
use super::super::output::{Failure, print_error_message, print_stderr_remark};
use super::{PortfolioArgs, own_tables};
use crate::base::date::Day;
use crate::portfolio::Portfolio;
use crate::portfolio::metrics_table::{Book, BookPlan};
use crate::rules::{Policies, Policy};

/// The table of metrics, if the only input is one.
pub(super) fn open_metrics_book(inputs: &[PathBuf]) -> Result<Option<Book>, Failure> {
    match inputs {
        [path] if path.is_file() => Book::open(path).map_err(Failure::message),
        _ => Ok(None),
    }
}

/// A table of metrics has the day that it was made for.
pub(super) fn check_day(book: &Book, asked: Option<Day>) -> Result<(), Failure> {
    let Some(asked) = asked.filter(|asked| book.note.as_of != Some(*asked)) else { return Ok(()) };
    let has = match (book.note.as_of, book.note.days_are_given) {
        (Some(day), _) => day.to_string(),
        (None, true) => "the day of each decision".to_owned(),
        (None, false) => "each statement's last day".to_owned(),
    };
    print_error_message(format!(
        "{}: its metrics are as of {has}, and --as-of asks for {asked}; make the table again for that day",
        book.path.display()
    ));
    Err(Failure::Shown)
}

/// Computes the metrics that the policies need.
pub(super) fn from_statements(
    args: &PortfolioArgs,
    policies: &[&Policy],
    as_of: Option<Day>,
) -> Result<(Portfolio, bool), Failure> {
    if let [one, other] = policies
        && let Some(key) = one.header().reads_otherwise(other.header())
    {
        return Err(Failure::Message(format!(
            "the two policies read statements differently (`{key}` in [policy]), so nothing can be compared"
        )));
    }
    let plan = BookPlan::new(policies, None);
    let reading = Policies::from(policies[0].clone());
    let (table, is_all) = args.reading.metrics((&args.inputs, &reading), (&plan, as_of), |_| (), |_| ())?;
    let Some(table) = table else {
        let advice = own_tables::advise_on_own_table(&args.inputs, args.column_names()).unwrap_or_default();
        return Err(Failure::Message(format!("no statement could be read, so there is nothing to count{advice}")));
    };
    let inputs = args.inputs.iter().map(|path| (path.display().to_string(), String::new())).collect();
    let portfolio = Portfolio::from_frame(table, plan.keys(), as_of, inputs).map_err(Failure::Message)?;
    Ok((portfolio, is_all))
}

/// Said of a lender's own table without a day.
const NO_DAY_OF_TABLE: &str = "no day of the decision is given; give the day, such as --as-of 2026-10-31, or a column \
                               `as_of`";

/// Says that no day was given, if some policy asks for it.
pub(super) fn remark_missing_day(policies: &[&Policy], portfolio: &Portfolio, is_own_table: bool) {
    if portfolio.cache.days_are_given() || !policies.iter().any(|policy| asks_for_day(policy)) {
        return;
    }
    match is_own_table {
        true => print_stderr_remark(format!("note: {NO_DAY_OF_TABLE}; what depends on it is unknown\n")),
        false => print_stderr_remark(NO_DAY),
    }
}

/// Refuses to judge a lender's own table without a day: offers count from it. For statements, the day of the last
/// record serves.
pub(super) fn refuse_offers_without_day(policies: &[&Policy], portfolio: &Portfolio) -> Result<(), Failure> {
    let makes_offers = policies.iter().any(|policy| !policy.program.offers.is_empty());
    match makes_offers && !portfolio.cache.days_are_given() {
        true => Err(Failure::Message(format!("{NO_DAY_OF_TABLE}: offers count from it, so there would be none"))),
        false => Ok(()),
    }
}
