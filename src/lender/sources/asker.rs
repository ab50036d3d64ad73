//! The ways to query a source, and what can go wrong with each.

use std::pin::pin;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use super::http::HttpAsker;
use super::question::Question;
use super::table::TableAsker;
use crate::engine::metrics::InputGap;

/// The longest answer that is read.
pub(super) const ANSWER_BYTES_MAX: usize = 4 << 20;
/// How long after a program's end its children may still print, if they hold its output open.
const AFTERWARDS: Duration = Duration::from_millis(100);

/// A way to query.
pub(super) enum Asker {
    Http(HttpAsker),
    Command(Vec<String>),
    Table(TableAsker),
}

/// An answer, before it is read.
pub(super) enum RawAnswer {
    Bytes(Vec<u8>),
    Row(Json),
}

/// Why an answer is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceFault {
    pub(super) gap: InputGap,
    /// Whether the same question may be answered if it comes again.
    pub(super) is_transient: bool,
    /// Whether it is a fault of the source, and not about this customer.
    pub(super) is_failure: bool,
    /// What went wrong, without a word of the question or the answer.
    pub(super) problem: String,
}

impl SourceFault {
    /// The source fails, and may not do so again.
    pub(super) fn transient(problem: impl Into<String>) -> SourceFault {
        let (gap, problem) = (InputGap::Unavailable, problem.into());
        SourceFault { gap, is_transient: true, is_failure: true, problem }
    }

    /// The source fails.
    pub(super) fn failure(gap: InputGap, problem: impl Into<String>) -> SourceFault {
        SourceFault { gap, is_transient: false, is_failure: true, problem: problem.into() }
    }

    /// It is about this customer alone.
    pub(super) fn of_customer(gap: InputGap, problem: impl Into<String>) -> SourceFault {
        SourceFault { gap, is_transient: false, is_failure: false, problem: problem.into() }
    }

    pub(super) fn too_long() -> SourceFault {
        SourceFault::of_customer(InputGap::Malformed, "answered more than 4 MB")
    }

    pub(super) fn not_found() -> SourceFault {
        SourceFault::of_customer(InputGap::NotFound, "knows nothing of the customer")
    }
}

impl Asker {
    /// Queries once.
    pub(super) async fn ask(&self, question: &Question) -> Result<RawAnswer, SourceFault> {
        match self {
            Asker::Http(http) => http.ask(question).await.map(RawAnswer::Bytes),
            Asker::Command(command) => run_command(command, question).await.map(RawAnswer::Bytes),
            Asker::Table(table) => table.ask(question).await.map(RawAnswer::Row),
        }
    }
}

/// Runs a program with the question as JSON on its standard input: arguments would show it to everybody on the
/// machine. The program is killed if the decision waits no longer; what it started itself is not.
async fn run_command(command: &[String], question: &Question) -> Result<Vec<u8>, SourceFault> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(SourceFault::failure(InputGap::Unavailable, "names no program"));
    };
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| SourceFault::transient(format!("cannot be run: {error}")))?;
    let (Some(mut into), Some(out)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(SourceFault::transient("cannot be run"));
    };
    let text = Json::Object(question.send.clone()).to_string();
    let write = async move {
        // A program may answer without reading all of the question.
        let _ = into.write_all(text.as_bytes()).await;
    };
    let (_, read) = tokio::join!(write, read_until_end(&mut child, out));
    read
}

/// What a program prints until it ends.
async fn read_until_end(child: &mut Child, out: ChildStdout) -> Result<Vec<u8>, SourceFault> {
    let broken = |error: std::io::Error| SourceFault::transient(format!("cannot be read: {error}"));
    let mut printed = Vec::new();
    // A byte more than allowed tells a long answer from one that just fits.
    let mut out = out.take(ANSWER_BYTES_MAX as u64 + 1);
    let mut reading = pin!(out.read_to_end(&mut printed));
    let status = tokio::select! {
        status = child.wait() => {
            // What was printed is in the pipe, which a child of the program may hold open.
            let _ = timeout(AFTERWARDS, &mut reading).await;
            status
        }
        read = &mut reading => match read.map_err(broken)? {
            length if length > ANSWER_BYTES_MAX => return Err(SourceFault::too_long()),
            _ => child.wait().await,
        }
    };
    match status.map_err(broken)? {
        _ if printed.len() > ANSWER_BYTES_MAX => Err(SourceFault::too_long()),
        status if status.success() => Ok(printed),
        status => Err(SourceFault::transient(format!("failed: {status}"))),
    }
}
