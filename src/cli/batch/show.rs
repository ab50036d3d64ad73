//! The summary of a batch, for people and for programs. Knows nothing of how a batch is run.

use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};

use crate::base::text::{escape_terminal, group_thousands};
use crate::run::batch::Summary;
use crate::statement::BalanceVerdict;

/// How many reasons are shown. The rest are counted in the manifest.
const REASONS_SHOWN: usize = 8;

/// The summary for people.
pub(super) fn batch_summary_text(summary: &Summary, took: Duration) -> String {
    let mut text = String::new();
    let tally = &summary.tally;
    // Writing to memory does not fail.
    let _ = write_summary(summary, &mut text);
    if summary.was_finished {
        let _ = writeln!(text, "nothing left to do: the run had already finished");
    } else if summary.records_now < tally.records {
        let before = tally.records - summary.records_now;
        let _ = writeln!(text, "resumed an earlier run, which had decided {} records", format_grouped_number(before));
    }
    if !summary.was_finished {
        let _ = writeln!(
            text,
            "took {}, {} records/s",
            format_duration(took),
            format_grouped_number(record_rate_of_run(summary, took))
        );
    }
    text
}

fn write_summary(summary: &Summary, text: &mut String) -> std::fmt::Result {
    let tally = &summary.tally;
    writeln!(
        text,
        "decided {} statements, {} records",
        format_grouped_number(tally.statements),
        format_grouped_number(tally.records)
    )?;
    for outcome in ["offer", "refer", "decline"] {
        let count = tally.outcomes.get(outcome).copied().unwrap_or_default();
        writeln!(text, "  {outcome:<12}{}", format_count_and_share(count, tally.statements))?;
    }
    if !tally.balance_verdicts.is_empty() {
        writeln!(text, "balances")?;
    }
    for verdict in BalanceVerdict::ALL.map(BalanceVerdict::word) {
        if let Some(count) = tally.balance_verdicts.get(verdict) {
            writeln!(text, "  {verdict:<12}{}", format_count_and_share(*count, tally.statements))?;
        }
    }
    let mut reasons: Vec<(&String, u64)> = tally.reasons.iter().map(|(id, count)| (id, *count)).collect();
    reasons.sort_by_key(|(id, count)| (std::cmp::Reverse(*count), *id));
    if !reasons.is_empty() {
        writeln!(text, "reasons")?;
        for (id, count) in reasons.iter().take(REASONS_SHOWN) {
            writeln!(text, "  {:<12}{}", escape_terminal(id), format_count_and_share(*count, tally.statements))?;
        }
        if reasons.len() > REASONS_SHOWN {
            writeln!(text, "  and {} more in manifest.json", reasons.len() - REASONS_SHOWN)?;
        }
    }
    if tally.failures > 0 {
        let list = summary.outputs.iter().find(|(file, _)| file.to_string_lossy().starts_with("failures"));
        let list = list.map(|(file, _)| summary.folder.join(file)).unwrap_or_default();
        writeln!(text, "failed {}, listed in {}", format_grouped_number(tally.failures), list.display())?;
        for failure in &tally.first_failures {
            let customer =
                failure.customer.as_ref().map(|customer| format!(", customer {customer}")).unwrap_or_default();
            let place = failure.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
            let line = format!("{}{customer}: {place}{}", failure.source, failure.what);
            writeln!(text, "  {}", escape_terminal(&line))?;
        }
        let more = tally.failures - tally.first_failures.len() as u64;
        if more > 0 {
            writeln!(text, "  and {} more", format_grouped_number(more))?;
        }
    }
    if summary.passed_over > 0 {
        writeln!(text, "passed over {} files, listed in manifest.json", format_grouped_number(summary.passed_over))?;
        for file in &summary.first_passed_over {
            writeln!(text, "  {}", escape_terminal(&format!("{}: {}", file.source, file.why)))?;
        }
        let more = summary.passed_over - summary.first_passed_over.len() as u64;
        if more > 0 {
            writeln!(text, "  and {} more", format_grouped_number(more))?;
        }
    }
    let outputs: Vec<String> = summary
        .outputs
        .iter()
        .map(|(file, rows)| format!("{} ({} rows)", file.display(), format_grouped_number(*rows)))
        .collect();
    writeln!(text, "written to {}: {}, manifest.json", summary.folder.display(), outputs.join(", "))
}

fn format_count_and_share(count: u64, all: u64) -> String {
    let percent = if all == 0 { 0.0 } else { count as f64 * 100.0 / all as f64 };
    format!("{:>12}  {percent:>5.1}%", format_grouped_number(count))
}

fn record_rate_of_run(summary: &Summary, took: Duration) -> u64 {
    (summary.records_now as f64 / took.as_secs_f64().max(1e-3)) as u64
}

/// A number with thousands separators.
pub(super) fn format_grouped_number(number: u64) -> String {
    group_thousands(&number.to_string(), ',')
}

fn format_duration(took: Duration) -> String {
    let seconds = took.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", took.as_secs_f64()),
        10..120 => format!("{seconds} s"),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

/// The summary for programs.
pub(super) fn format_summary_json(summary: &Summary, took: Duration) -> Value {
    let outputs: Vec<Value> = summary.outputs.iter().map(|(file, rows)| json!({"file": file, "rows": rows})).collect();
    // A tally has only texts, numbers and maps with text keys, so its JSON always exists.
    let mut value = serde_json::to_value(&summary.tally).expect("INVARIANT: a tally can be written as JSON");
    let rest = json!({
        "folder": summary.folder,
        "outputs": outputs,
        "passed_over": summary.passed_over,
        "first_passed_over": summary.first_passed_over,
        "was_finished": summary.was_finished,
        "records_now": summary.records_now,
        "seconds": (took.as_secs_f64() * 1_000.0).round() / 1_000.0,
        "records_per_second": record_rate_of_run(summary, took),
    });
    if let (Some(all), Value::Object(rest)) = (value.as_object_mut(), rest) {
        all.extend(rest);
    }
    value
}
