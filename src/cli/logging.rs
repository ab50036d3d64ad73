//! What commands say while they run, and how: `--quiet`, `-v`, `--log-format`. What is logged is this program's own
//! alone, for libraries below it may log what is secret. Knows nothing of what is said.

use std::sync::OnceLock;

use clap::{Args, ValueEnum};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Options of every command.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Logging")]
pub struct LogArgs {
    /// Say nothing but errors on standard error
    #[arg(long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Log what is done on standard error; -vv logs each step. No personal data and no secrets at any level
    #[arg(short = 'v', long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// How standard error is written: for people, or one JSON object a line
    #[arg(long, global = true, value_name = "FORMAT", value_enum, default_value_t)]
    pub log_format: LogFormat,
}

/// How standard error is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for people
    #[default]
    Text,
    /// One JSON object a line: timestamp, level, target, fields
    Json,
}

static ASKED: OnceLock<LogArgs> = OnceLock::new();

impl LogArgs {
    /// Takes effect for the whole program.
    pub(super) fn begin(self) {
        let _ = ASKED.set(self);
        let level = match self.verbose {
            _ if self.quiet => LevelFilter::ERROR,
            0 | 1 => LevelFilter::INFO,
            2 => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        };
        let own = Targets::new().with_target(env!("CARGO_PKG_NAME"), level);
        let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false);
        // A second subscriber, such as that of a program which runs a command as a library, stays in place.
        let _ = match (self.log_format, self.verbose) {
            (LogFormat::Json, _) => tracing_subscriber::registry().with(own).with(lines.json()).try_init(),
            // Without -v people read what commands say in their own words.
            (LogFormat::Text, 0) => Ok(()),
            (LogFormat::Text, _) => tracing_subscriber::registry().with(own).with(lines).try_init(),
        };
    }
}

/// How what is said beside the results is to be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// In words.
    Words,
    /// As a line of the log.
    Log,
    /// Not at all; an error all the same.
    Silent,
}

/// The manner that was asked for; words until then.
pub(super) fn manner() -> Manner {
    match ASKED.get() {
        Some(LogArgs { quiet: true, .. }) => Manner::Silent,
        Some(LogArgs { log_format: LogFormat::Json, .. }) => Manner::Log,
        _ => Manner::Words,
    }
}

/// Whether errors are lines of the log.
pub(super) fn logs_errors() -> bool {
    ASKED.get().is_some_and(|asked| asked.log_format == LogFormat::Json)
}
