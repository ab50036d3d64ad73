//! `reconcile`: the record beside the provider's, day by day. Knows nothing of how they are compared.

use std::collections::BTreeMap;
use std::io::{IsTerminal, stderr};
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tokio::runtime::Runtime;

use super::input::parse_day_argument;
use super::loans::{BookArgs, Desk, LoanFormat, connect_to_provider};
use super::logging::{MessageStyle, message_style};
use super::output::{self, Failure};
use crate::base::date::Day;
use crate::lender::loan::OrderKind;
use crate::lender::operations::{
    Agreement, Comparison, DaySums, TransactionLookup, compare_orders, format_money, list_sent_orders, look_up_orders,
    next_day, sum_day,
};
use crate::report::aligned::format_aligned_table;

/// How many transactions are looked up at once.
const AT_ONCE: usize = 8;
/// Something differs, or has no answer.
const DIFFERS: u8 = 3;

/// The command line of `reconcile`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service reconcile --config lender.toml
      yesterday, in the lender's time zone
  lendwright service reconcile --from 2026-10-01 --to 2026-10-31 \\
      --config lender.toml
  lendwright service reconcile --format json --config lender.toml
      one JSON object per day, with exact amounts in minor units

Asks the provider about every payout and debit that was sent (E9), and compares the answer with the
record. Changes nothing: decide by `lendwright service loans resolve`.

Exit status: 0 everything agrees; 3 something differs, is unknown to the provider or has no answer,
and is listed; 1 the comparison could not be made.")]
pub struct ReconcileArgs {
    /// The first day; by default yesterday
    #[arg(long, value_name = "DAY", value_parser = parse_day_argument)]
    pub from: Option<Day>,
    /// The last day; by default yesterday
    #[arg(long, value_name = "DAY", value_parser = parse_day_argument)]
    pub to: Option<Day>,
    /// The format of the result
    #[arg(long, value_enum, default_value_t)]
    pub format: LoanFormat,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub book: BookArgs,
}

/// Compares, prints what was found, and chooses the exit status.
pub fn run(args: &ReconcileArgs) -> Result<ExitCode, Failure> {
    let desk = Desk::open(&args.book)?;
    let (from, to) = days_to_compare(args, &desk)?;
    let (runtime, client) = connect_to_provider(&args.book)?;
    let mut day = from;
    let mut is_fine = true;
    loop {
        let one = one_day(&desk, &client, &runtime, day)?;
        is_fine &= one.1.iter().all(|compared| compared.agreement == Agreement::Agrees);
        output::write_stdout_bytes(format_compared_day(args.format, day, &one).as_bytes())?;
        if day >= to {
            break;
        }
        day = next_day(day);
    }
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::from(DIFFERS) })
}

/// The days to be compared.
pub(super) fn days_to_compare(args: &ReconcileArgs, desk: &Desk) -> Result<(Day, Day), Failure> {
    let yesterday = Day::from_days(desk.time.day(desk.now).days() - 1);
    let from = args.from.or(args.to).unwrap_or(yesterday);
    let to = args.to.unwrap_or(yesterday.max(from));
    match from <= to {
        true => Ok((from, to)),
        false => Err(Failure::Message(format!("--from {from} is after --to {to}"))),
    }
}

/// What a day came to, by currency, and each transaction with both sides.
pub(super) type ComparedDay = (BTreeMap<String, DaySums>, Vec<Comparison>);

pub(super) fn one_day(
    desk: &Desk,
    provider: &dyn TransactionLookup,
    runtime: &Runtime,
    day: Day,
) -> Result<ComparedDay, Failure> {
    let sent = list_sent_orders(&desk.book, &desk.time, day).map_err(Failure::message)?;
    let sums = sum_day(&desk.book, &desk.time, day, &sent).map_err(Failure::message)?;
    let bar = terminal_progress_bar(day, sent.len());
    let answers = runtime.block_on(look_up_orders(provider, &sent, AT_ONCE, |done| {
        if let Some(bar) = &bar {
            bar.set_position(done as u64);
        }
    }));
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    Ok((sums, compare_orders(sent, &answers)))
}

/// A bar on a terminal.
fn terminal_progress_bar(day: Day, length: usize) -> Option<indicatif::ProgressBar> {
    let is_shown = stderr().is_terminal() && message_style() == MessageStyle::Text && length > 0;
    is_shown.then(|| indicatif::ProgressBar::new(length as u64).with_message(day.to_string()))
}

pub(super) fn format_compared_day(format: LoanFormat, day: Day, (sums, compared): &ComparedDay) -> String {
    match format {
        LoanFormat::Json => format!("{}\n", compared_day_as_json(day, sums, compared)),
        LoanFormat::Text => compared_day_as_text(day, sums, compared),
    }
}

fn compared_day_as_text(day: Day, sums: &BTreeMap<String, DaySums>, compared: &[Comparison]) -> String {
    let agreed = compared.iter().filter(|one| one.agreement == Agreement::Agrees).count();
    let mut text = match compared.len() {
        0 => format!("{day}: no transaction of money was sent\n"),
        all => format!("{day}: {agreed} of {all} transactions agree\n"),
    };
    let rows: Vec<Vec<String>> = sums.iter().flat_map(|(currency, sums)| sum_rows(currency, sums)).collect();
    if !rows.is_empty() {
        text.push_str(&indent_all_lines(&format_aligned_table(&["sums", ">count", ">amount"], &rows)));
    }
    let rows: Vec<Vec<String>> =
        compared.iter().filter(|one| one.agreement != Agreement::Agrees).map(comparison_row_cells).collect();
    if !rows.is_empty() {
        let titles = ["look at", "loan", "what", ">amount", "recorded", "provider", "transaction"];
        text.push_str(&indent_all_lines(&format_aligned_table(&titles, &rows)));
        text.push_str(&indent_all_lines(&describe_next_steps(compared)));
    }
    text
}

fn sum_rows(currency: &str, sums: &DaySums) -> Vec<Vec<String>> {
    let all = [
        ("sent", sums.sent),
        ("moved", sums.moved),
        ("notified", sums.notified),
        ("posted", sums.posted),
        ("parked", sums.parked),
    ];
    let some = all.into_iter().filter(|(_, sum)| sum.count > 0);
    some.map(|(name, sum)| vec![name.to_owned(), sum.count.to_string(), format_money(sum.amount_minor, currency)])
        .collect()
}

fn comparison_row_cells(one: &Comparison) -> Vec<String> {
    let (sent, order) = (&one.sent, &one.sent.order);
    vec![
        one.agreement.word().replace('_', " "),
        sent.loan_id.clone(),
        if order.kind == OrderKind::Fund {
            "payout".to_owned()
        } else {
            format!("debit of payment {}", order.instalment)
        },
        format_money(order.amount_minor, &sent.currency),
        order.outcome.word().replace('_', " "),
        one.answer.word().replace('_', " "),
        order.transaction_id.clone(),
    ]
}

/// What to do next, once for all loans that need the same.
fn describe_next_steps(compared: &[Comparison]) -> String {
    let mut loans: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for one in compared.iter().filter(|one| !one.next_step().is_empty()) {
        loans.entry(one.next_step()).or_default().push(&one.sent.loan_id);
    }
    loans.iter().map(|(step, loans)| format!("{}: {step}\n", loans.join(", "))).collect()
}

fn indent_all_lines(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn compared_day_as_json(day: Day, sums: &BTreeMap<String, DaySums>, compared: &[Comparison]) -> serde_json::Value {
    let sums = sums.iter().map(|(currency, sums)| {
        let sum = |sum: crate::lender::operations::Sum| json!({ "count": sum.count, "amount_minor": sum.amount_minor });
        json!({
            "currency": currency, "sent": sum(sums.sent), "moved": sum(sums.moved), "notified": sum(sums.notified),
            "posted": sum(sums.posted), "parked": sum(sums.parked),
        })
    });
    let compared = compared.iter().map(|one| {
        let (sent, order) = (&one.sent, &one.sent.order);
        json!({
            "loan_id": sent.loan_id, "transaction_id": order.transaction_id, "kind": order.kind,
            "instalment": order.instalment, "amount_minor": order.amount_minor, "currency": sent.currency,
            "recorded": order.outcome, "provider": one.answer.word(), "verdict": one.agreement.word(),
            "next": one.next_step(),
        })
    });
    json!({ "day": day, "sums": sums.collect::<Vec<_>>(), "transactions": compared.collect::<Vec<_>>() })
}
