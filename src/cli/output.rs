//! How commands speak: results to standard output, everything else to standard error. Knows nothing of what is said.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use super::logging::{self, Manner};
use crate::client::{self, Prepared};
use crate::wire::is_unseen;

/// Why a command stopped before it was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Said on standard error.
    Said(String),
    /// Has been said on standard error in another form, such as JSON.
    Shown,
    /// Whoever read the results has seen enough, as `head` has; nobody is left to tell.
    ReaderGone,
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::Said(message)
    }
}

impl Display for Failure {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Said(message) => out.write_str(message),
            Failure::Shown => out.write_str("said before"),
            Failure::ReaderGone => out.write_str("the reader of the results has gone"),
        }
    }
}

impl Failure {
    /// Anything that can be shown as a reason to stop.
    pub(crate) fn said(error: impl Display) -> Self {
        Failure::Said(error.to_string())
    }

    fn of_output(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::Said(format!("cannot write to standard output: {error}")),
        }
    }
}

/// Writes to standard output, and makes sure that it is out.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(Failure::of_output)
}

/// Writes one line to standard output.
pub(crate) fn line(line: impl Display) -> Result<(), Failure> {
    bytes(format!("{line}\n").as_bytes())
}

/// A file that was not there, readable by its owner alone.
pub(crate) fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Prints an answer as one line of JSON. It has words of the provider's: what a terminal would obey is escaped, which means the same.
pub(crate) fn reply(reply: &impl serde::Serialize) -> Result<ExitCode, Failure> {
    let text = serde_json::to_string(reply).map_err(Failure::said)?;
    let shown = text.chars().fold(String::with_capacity(text.len()), |mut shown, letter| {
        match is_unseen(letter) {
            true => shown.push_str(&format!("\\u{:04x}", u32::from(letter))),
            false => shown.push(letter),
        }
        shown
    });
    line(shown)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the request that would be sent.
pub(crate) fn request(prepared: Result<Prepared, client::Error>) -> Result<ExitCode, Failure> {
    line(format!("{}\n", prepared.map_err(Failure::said)?))?;
    Ok(ExitCode::SUCCESS)
}

/// Says on standard error what went wrong. Standard error may be closed too; then there is nobody to tell.
pub(crate) fn complain(message: impl Display) {
    if logging::logs_errors() {
        tracing::error!(target: "lendwright::cli", "{}", message.to_string().trim());
        return;
    }
    let _ = writeln!(io::stderr().lock(), "error: {message}");
}

/// Writes to standard error as it is: what `--quiet` silences and `--log-format json` makes a line of the log.
pub(crate) fn remark(text: impl Display) {
    match logging::manner() {
        Manner::Silent => return,
        Manner::Log => {
            let text = text.to_string();
            if !text.trim().is_empty() {
                tracing::info!(target: "lendwright::cli", "{}", text.trim());
            }
            return;
        }
        Manner::Words => {}
    }
    let _ = write!(io::stderr().lock(), "{text}");
}
