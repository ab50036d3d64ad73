//! How far a batch is, on a terminal as a bar, elsewhere as a line now and then; and whether somebody wants it to stop. Knows nothing of the work.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressStyle};

use super::show::grouped;
use crate::batch::{Advance, Progress};
use crate::cli::logging::{Manner, manner};
use crate::cli::output::remark;
use crate::cli::signals::{Asked, Signal};

/// Where there is no terminal, a line this often.
const LINE_EVERY: Duration = Duration::from_secs(60);

pub(super) struct Watcher {
    bar: Option<ProgressBar>,
    begun: Instant,
    line: Instant,
    asked: Asked,
}

impl Watcher {
    pub(super) fn new() -> Watcher {
        let has_bar = stderr().is_terminal() && manner() == Manner::Words;
        let bar = has_bar.then(|| {
            let bar = ProgressBar::new(0);
            let style = ProgressStyle::with_template("{bar:30} {percent:>3}%  {msg}  {eta} left");
            if let Ok(style) = style {
                bar.set_style(style);
            }
            bar
        });
        Watcher { bar, begun: Instant::now(), line: Instant::now(), asked: Asked::listen() }
    }

    /// The signal that ended the run.
    pub(super) fn signal(&self) -> Option<Signal> {
        self.asked.by()
    }

    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn said(&self, advance: &Advance) -> String {
        if is_first_pass(advance) {
            let (seen, all) = (HumanBytes(advance.surveyed_bytes), HumanBytes(advance.surveyed_bytes_all));
            return format!("first pass over the tables: {seen} of {all}, {} rows", grouped(advance.surveyed));
        }
        let rate = advance.records_now as f64 / self.begun.elapsed().as_secs_f64().max(1e-3);
        let failed =
            if advance.failures > 0 { format!(", {} failed", grouped(advance.failures)) } else { String::new() };
        format!("{} statements{failed}, {} records/s", grouped(advance.statements), grouped(rate as u64))
    }
}

/// Whether tables are being seen through before anything is decided on them.
fn is_first_pass(advance: &Advance) -> bool {
    advance.surveyed_bytes < advance.surveyed_bytes_all
}

/// Bytes that are done of the pass that is going on, and all of its bytes.
fn shown(advance: &Advance) -> (u64, u64) {
    match is_first_pass(advance) {
        true => (advance.surveyed_bytes, advance.surveyed_bytes_all),
        false => (advance.bytes, advance.bytes_all),
    }
}

impl Progress for Watcher {
    fn advance(&mut self, advance: &Advance) {
        if let Some(bar) = &self.bar {
            let (done, all) = shown(advance);
            // What is left of another pass says nothing of this one.
            if bar.length() != Some(all) {
                bar.set_length(all);
                bar.set_position(done);
                bar.reset_eta();
            }
            bar.set_position(done);
            bar.set_message(self.said(advance));
        } else if self.line.elapsed() >= LINE_EVERY {
            self.line = Instant::now();
            let (done, all) = shown(advance);
            let percent = done.saturating_mul(100) / all.max(1);
            tracing::debug!(
                percent,
                surveyed = advance.surveyed,
                surveyed_bytes = advance.surveyed_bytes,
                surveyed_bytes_all = advance.surveyed_bytes_all,
                statements = advance.statements,
                records = advance.records,
                failures = advance.failures,
                "batch goes on"
            );
            remark(format!("{percent}% {}\n", self.said(advance)));
        }
    }

    fn is_interrupted(&self) -> bool {
        self.asked.by().is_some()
    }
}
