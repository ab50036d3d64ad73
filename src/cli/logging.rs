//! Logging options: `--quiet`, `-v`, `--log-format`. Only this program's own events are logged, because libraries may
//! log secrets. The texts of its events are redacted before: see `wire/body.rs` and `client/exchange.rs`. Knows nothing
//! of the messages.

use std::sync::OnceLock;

use clap::{Args, ValueEnum};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Options of every command.
#[derive(Debug, Clone, Copy, Default, Args)]
#[command(next_help_heading = "Logging")]
pub struct LogArgs {
    /// Print only errors on standard error
    #[arg(long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Log to standard error; -vv logs each step. No level logs personal data or secrets
    #[arg(short = 'v', long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// The format of standard error: for people, or one JSON object per line
    #[arg(long, global = true, value_name = "FORMAT", value_enum, default_value_t)]
    pub log_format: LogFormat,
}

/// The format of standard error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for people
    #[default]
    Text,
    /// One JSON object per line: timestamp, level, target, fields
    Json,
}

static OPTIONS: OnceLock<LogArgs> = OnceLock::new();

impl LogArgs {
    /// Applies the options to the whole program.
    pub(super) fn apply(self) {
        let _ = OPTIONS.set(self);
        let level = match self.verbose {
            _ if self.quiet => LevelFilter::ERROR,
            0 | 1 => LevelFilter::INFO,
            2 => LevelFilter::DEBUG,
            _ => LevelFilter::TRACE,
        };
        let own = Targets::new().with_target(env!("CARGO_PKG_NAME"), level);
        let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false);
        // A span that is never reported would be of no use to a reader of lines.
        let lines = lines.with_span_events(FmtSpan::CLOSE);
        // Where the log cannot be written, as on a full disk, reporting that on the same stream would panic.
        let lines = lines.log_internal_errors(false);
        // Fails if there is a subscriber already, such as that of a program which runs a command as a library. It
        // stays.
        let _ = match (self.log_format, self.verbose) {
            (LogFormat::Json, _) => tracing_subscriber::registry().with(own).with(lines.json()).try_init(),
            // Without -v, people read the messages of the commands instead.
            (LogFormat::Text, 0) => Ok(()),
            (LogFormat::Text, _) => tracing_subscriber::registry().with(own).with(lines).try_init(),
        };
    }
}

/// How messages other than results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageStyle {
    /// As text.
    Text,
    /// As log events.
    Log,
    /// Not at all, except errors.
    Silent,
}

/// The style that the options ask for. Text until they are applied.
pub(super) fn message_style() -> MessageStyle {
    match OPTIONS.get() {
        Some(LogArgs { quiet: true, .. }) => MessageStyle::Silent,
        Some(LogArgs { log_format: LogFormat::Json, .. }) => MessageStyle::Log,
        _ => MessageStyle::Text,
    }
}

/// Whether errors are printed as log events.
pub(super) fn logs_errors() -> bool {
    OPTIONS.get().is_some_and(|options| options.log_format == LogFormat::Json)
}
