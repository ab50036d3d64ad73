//! How far a batch is, on a terminal as a bar, elsewhere as a line now and then; and whether somebody wants it to stop. Knows nothing of the work.

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

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
        if advance.statements == 0 && advance.surveyed > 0 {
            return format!("{} rows of the tables seen", grouped(advance.surveyed));
        }
        let rate = advance.records_now as f64 / self.begun.elapsed().as_secs_f64().max(1e-3);
        let failed =
            if advance.failures > 0 { format!(", {} failed", grouped(advance.failures)) } else { String::new() };
        format!("{} statements{failed}, {} records/s", grouped(advance.statements), grouped(rate as u64))
    }
}

impl Progress for Watcher {
    fn advance(&mut self, advance: &Advance) {
        if let Some(bar) = &self.bar {
            bar.set_length(advance.bytes_all);
            bar.set_position(advance.bytes);
            bar.set_message(self.said(advance));
        } else if self.line.elapsed() >= LINE_EVERY {
            self.line = Instant::now();
            let percent = advance.bytes * 100 / advance.bytes_all.max(1);
            tracing::debug!(
                percent,
                surveyed = advance.surveyed,
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
