//! `loans list`: one line per loan. Knows nothing of how loans are stored.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value as Json, json};

use super::{BookArgs, Desk, LoanFormat};
use crate::cli::output::{self, Failure};
use crate::lender::loan::LoanState;
use crate::lender::loan_book::{Filter, LoanRow};
use crate::lender::operations::{describe_reason, format_age, format_money, format_state, is_in_flight};
use crate::report::aligned::format_aligned_table;

/// The command line of `loans list`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service loans list --needs-person --config lender.toml
      what waits for a person, and why
  lendwright service loans list --in-flight --config lender.toml
      what a call or money is under way for, and for how long
  lendwright service loans list --state open --state collecting \\
      --config lender.toml
  lendwright service loans list --customer C-17 --format json \\
      --config lender.toml
      one JSON object per line, with exact amounts in minor units")]
pub(super) struct ListArgs {
    /// Only loans in this state; may be given more than once
    #[arg(long, value_name = "STATE", value_parser = parse_state)]
    pub(super) state: Vec<LoanState>,
    /// Only this customer's loans
    #[arg(long, value_name = "ID")]
    pub(super) customer: Option<String>,
    /// Only loans that wait for a person
    #[arg(long, conflicts_with = "state")]
    pub(super) needs_person: bool,
    /// Only loans that the service is doing something for: a call or money is under way
    #[arg(long, conflicts_with_all = ["state", "needs_person"])]
    pub(super) in_flight: bool,
    /// Only loans after this number of the book
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(super) after: i64,
    /// At most so many loans
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) limit: u32,
    /// The format of the list
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: LoanFormat,
    #[command(flatten)]
    pub(super) book: BookArgs,
}

fn parse_state(text: &str) -> Result<LoanState, String> {
    LoanState::from_word(&text.replace('-', "_")).ok_or_else(|| {
        let words = LoanState::ALL.map(LoanState::word).join(", ");
        format!("there is no such state; the states are {words}")
    })
}

pub(super) fn run(args: &ListArgs) -> Result<ExitCode, Failure> {
    let (text, rest) = format_loan_list(args, &Desk::open(&args.book)?)?;
    output::write_stdout_bytes(text.as_bytes())?;
    output::print_stderr_remark(rest);
    Ok(ExitCode::SUCCESS)
}

/// The list, and a remark about what is not in it.
pub(super) fn format_loan_list(args: &ListArgs, desk: &Desk) -> Result<(String, String), Failure> {
    let all = |is_listed: fn(LoanState) -> bool| LoanState::ALL.into_iter().filter(|state| is_listed(*state)).collect();
    let states = match (args.needs_person, args.in_flight) {
        (true, _) => all(LoanState::needs_person),
        (_, true) => all(is_in_flight),
        (false, false) => args.state.clone(),
    };
    let most = i64::from(args.limit);
    let filter = Filter { states, customer_id: args.customer.clone(), after: args.after, most: most + 1 };
    let mut rows = desk.book.list_loans(&filter).map_err(Failure::message)?;
    let is_cut = rows.len() as i64 > most;
    rows.truncate(args.limit as usize);
    let rest = match rows.last() {
        Some(last) if is_cut => format!("there are more loans: go on with --after {}\n", last.id),
        None => "no loan is like that\n".to_owned(),
        Some(_) => String::new(),
    };
    let text = match args.format {
        LoanFormat::Json => rows.iter().map(|row| format!("{}\n", as_json(row))).collect(),
        LoanFormat::Text if rows.is_empty() => String::new(),
        LoanFormat::Text => {
            let titles = [">loan", "state", "for", "id", "customer", ">owed", "due", "because"];
            format_aligned_table(&titles, &rows.iter().map(|row| loan_list_line(row, desk)).collect::<Vec<_>>())
        }
    };
    Ok((text, rest))
}

fn loan_list_line(row: &LoanRow, desk: &Desk) -> Vec<String> {
    let loan = &row.loan;
    let owed = loan.terms.as_ref().filter(|_| loan.is_funded());
    vec![
        row.id.to_string(),
        format_state(loan.state),
        format_age(loan.since, desk.now),
        row.loan_id.as_ref().unwrap_or(&row.reference).clone(),
        row.customer_id.clone(),
        owed.map(|terms| format_money(loan.owed_minor(), &terms.currency)).unwrap_or_default(),
        loan.next_instalment().map(|next| next.due.to_string()).unwrap_or_default(),
        describe_reason(row).to_owned(),
    ]
}

/// A loan for programs.
pub(super) fn as_json(row: &LoanRow) -> Json {
    let loan = &row.loan;
    json!({
        "number": row.id, "loan_id": row.loan_id, "reference": row.reference,
        "loan_reference_id": row.loan_reference_id, "customer_id": row.customer_id, "state": loan.state,
        "needs_person": loan.state.needs_person(), "cause": loan.cause, "since": loan.since, "wake": loan.wake,
        "currency": loan.terms.as_ref().map(|terms| &terms.currency), "owed_minor": loan.owed_minor(),
        "paid_minor": loan.paid_minor(), "overpaid_minor": loan.overpaid_minor,
        "due": loan.next_instalment().map(|next| next.due), "created_at": row.created_at,
        "changed_at": row.changed_at, "version": row.version,
    })
}
