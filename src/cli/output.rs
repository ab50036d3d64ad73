//! Output of commands: results to standard output, everything else to standard error. Knows nothing of the contents.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use super::logging::{self, MessageStyle};
use crate::base::text::is_unseen;
use crate::provider::client::{self, Prepared};

/// Why a command stopped before it was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// A message to print on standard error.
    Message(String),
    /// Already reported on standard error, in another form such as JSON.
    Shown,
    /// The reader of the results has closed the pipe, as `head` does.
    ReaderGone,
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::Message(message)
    }
}

impl Display for Failure {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Message(message) => out.write_str(message),
            Failure::Shown => out.write_str("already reported"),
            Failure::ReaderGone => out.write_str("the reader of the results has gone"),
        }
    }
}

impl Failure {
    /// A failure with any error as its message.
    pub(crate) fn message(error: impl Display) -> Self {
        Failure::Message(error.to_string())
    }

    fn from_output_error(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::Message(format!("cannot write to standard output: {error}")),
        }
    }
}

/// Writes to standard output and flushes it.
pub(crate) fn write_stdout_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(Failure::from_output_error)
}

/// Writes one line to standard output.
pub(crate) fn write_stdout_line(line: impl Display) -> Result<(), Failure> {
    write_stdout_bytes(format!("{line}\n").as_bytes())
}

/// Prints an answer as one line of JSON. It may contain texts of the provider, so invisible characters are escaped,
/// which is the same JSON.
pub(crate) fn print_reply_json(reply: &impl serde::Serialize) -> Result<ExitCode, Failure> {
    let text = serde_json::to_string(reply).map_err(Failure::message)?;
    write_stdout_line(escape_unseen_json(&text))?;
    Ok(ExitCode::SUCCESS)
}

/// JSON in which what cannot be seen is escaped, in units of UTF-16 as JSON counts.
fn escape_unseen_json(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, character| {
        match is_unseen(character) {
            true => {
                character.encode_utf16(&mut [0; 2]).iter().for_each(|unit| shown.push_str(&format!("\\u{unit:04x}")))
            }
            false => shown.push(character),
        }
        shown
    })
}

/// Prints the request that would be sent.
pub(crate) fn print_prepared_request(prepared: Result<Prepared, client::Error>) -> Result<ExitCode, Failure> {
    write_stdout_line(format!("{}\n", prepared.map_err(Failure::message)?))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints an error to standard error. If standard error is closed too, nobody can be informed.
pub(crate) fn print_error_message(message: impl Display) {
    if logging::logs_errors() {
        tracing::error!(target: "lendwright::cli", "{}", message.to_string().trim());
        return;
    }
    let _ = writeln!(io::stderr().lock(), "error: {message}");
}

/// Prints a text to standard error unchanged. `--quiet` silences it, and `--log-format json` makes it a log event.
pub(crate) fn print_stderr_remark(text: impl Display) {
    match logging::message_style() {
        MessageStyle::Silent => return,
        MessageStyle::Log => {
            let text = text.to_string();
            if !text.trim().is_empty() {
                tracing::info!(target: "lendwright::cli", "{}", text.trim());
            }
            return;
        }
        MessageStyle::Text => {}
    }
    let _ = write!(io::stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::escape_unseen_json;

    #[test]
    fn what_cannot_be_seen_is_escaped_and_the_same_json() {
        let text = "Ada\u{202e}\u{200b}\u{fff9}\u{e0041} 中 ❤\u{fe0f}";
        let json = serde_json::to_string(text).unwrap();
        let shown = escape_unseen_json(&json);
        assert_eq!(shown, "\"Ada\\u202e\\u200b\\ufff9\\udb40\\udc41 中 ❤\u{fe0f}\"");
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
    }
}
