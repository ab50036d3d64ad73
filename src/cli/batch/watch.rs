//! Progress of a batch: a bar on a terminal, a line once a minute elsewhere. Also passes on requests to stop. Knows
//! nothing of the work.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressStyle};

use super::show::format_grouped_number;
use crate::cli::logging::{MessageStyle, message_style};
use crate::cli::output::print_stderr_remark;
use crate::cli::signals::{Signal, StopRequest};
use crate::run::batch::{Advance, Progress};

/// How often progress is printed without a terminal.
const LINE_EVERY: Duration = Duration::from_secs(60);

pub(super) struct Watcher {
    bar: Option<ProgressBar>,
    begun: Instant,
    last_line: Instant,
    stop: StopRequest,
}

impl Watcher {
    pub(super) fn new() -> Watcher {
        let has_bar = stderr().is_terminal() && message_style() == MessageStyle::Text;
        let bar = has_bar.then(|| {
            let bar = ProgressBar::new(0);
            let style = ProgressStyle::with_template("{bar:30} {percent:>3}%  {msg}  {eta} left");
            if let Ok(style) = style {
                bar.set_style(style);
            }
            bar
        });
        Watcher { bar, begun: Instant::now(), last_line: Instant::now(), stop: StopRequest::listen() }
    }

    /// The signal that ended the run.
    pub(super) fn signal(&self) -> Option<Signal> {
        self.stop.signal()
    }

    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn message(&self, advance: &Advance) -> String {
        if is_first_pass(advance) {
            let (seen, all) = (HumanBytes(advance.surveyed_bytes), HumanBytes(advance.surveyed_bytes_all));
            return format!(
                "first pass over the tables: {seen} of {all}, {} rows",
                format_grouped_number(advance.surveyed)
            );
        }
        let rate = advance.records_now as f64 / self.begun.elapsed().as_secs_f64().max(1e-3);
        let failed = if advance.failures > 0 {
            format!(", {} failed", format_grouped_number(advance.failures))
        } else {
            String::new()
        };
        format!(
            "{} statements{failed}, {} records/s",
            format_grouped_number(advance.statements),
            format_grouped_number(rate as u64)
        )
    }
}

/// Whether tables are still being surveyed. Nothing in them is decided before that is done.
fn is_first_pass(advance: &Advance) -> bool {
    advance.surveyed_bytes < advance.surveyed_bytes_all
}

/// Of the current pass, the bytes done and all bytes.
fn pass_bytes(advance: &Advance) -> (u64, u64) {
    match is_first_pass(advance) {
        true => (advance.surveyed_bytes, advance.surveyed_bytes_all),
        false => (advance.bytes, advance.bytes_all),
    }
}

impl Progress for Watcher {
    fn advance(&mut self, advance: &Advance) {
        if let Some(bar) = &self.bar {
            let (done, all) = pass_bytes(advance);
            // A new pass: the time left of the earlier one says nothing about it.
            if bar.length() != Some(all) {
                bar.set_length(all);
                bar.set_position(done);
                bar.reset_eta();
            }
            bar.set_position(done);
            bar.set_message(self.message(advance));
        } else if self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            let (done, all) = pass_bytes(advance);
            let percent = done.saturating_mul(100) / all.max(1);
            tracing::debug!(
                percent,
                surveyed = advance.surveyed,
                surveyed_bytes = advance.surveyed_bytes,
                surveyed_bytes_all = advance.surveyed_bytes_all,
                statements = advance.statements,
                records = advance.records,
                failures = advance.failures,
                "batch running"
            );
            print_stderr_remark(format!("{percent}% {}\n", self.message(advance)));
        }
    }

    fn is_interrupted(&self) -> bool {
        self.stop.signal().is_some()
    }
}
