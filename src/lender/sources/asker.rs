//! The ways to ask a source, and what can go wrong with each.

use std::process::Stdio;

use serde_json::Value as Json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

use super::http::HttpAsker;
use super::question::Question;
use super::table::TableAsker;
use crate::engine::decision::InputGap;

/// The longest answer that is read.
pub(super) const ANSWER_BYTES_MAX: usize = 4 << 20;

/// A way to ask.
pub(super) enum Asker {
    Http(HttpAsker),
    Command(Vec<String>),
    Table(TableAsker),
}

/// Why an answer is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceFault {
    pub(super) gap: InputGap,
    /// Whether the same question may be answered if it is queried again.
    pub(super) is_transient: bool,
    /// What went wrong, without a word of the question or the answer.
    pub(super) problem: String,
}

impl SourceFault {
    pub(super) fn unavailable(problem: impl Into<String>) -> SourceFault {
        SourceFault { gap: InputGap::Unavailable, is_transient: true, problem: problem.into() }
    }

    pub(super) fn lasting(gap: InputGap, problem: impl Into<String>) -> SourceFault {
        SourceFault { gap, is_transient: false, problem: problem.into() }
    }

    /// Whether it is a fault of the source, and no answer about the customer.
    pub(super) fn is_failure(&self) -> bool {
        matches!(self.gap, InputGap::Late | InputGap::Unavailable | InputGap::Malformed)
    }
}

impl Asker {
    /// Asks once.
    pub(super) async fn ask(&self, question: &Question) -> Result<Json, SourceFault> {
        match self {
            Asker::Http(http) => http.ask(question).await,
            Asker::Command(command) => run_command(command, question).await,
            Asker::Table(table) => table.ask(question).await,
        }
    }
}

/// Reads an answer. Nothing, and `null`, say that the source knows nothing of the customer.
pub(super) fn parse_answer(bytes: &[u8]) -> Result<Json, SourceFault> {
    let not_found = || SourceFault::lasting(InputGap::NotFound, "knows nothing of the customer");
    if bytes.trim_ascii().is_empty() {
        return Err(not_found());
    }
    match serde_json::from_slice(bytes) {
        Ok(Json::Null) => Err(not_found()),
        Ok(answer) => Ok(answer),
        Err(wrong) => {
            let place = format!("line {}, column {}", wrong.line(), wrong.column());
            Err(SourceFault::lasting(InputGap::Malformed, format!("answered what is not JSON, at {place}")))
        }
    }
}

/// Runs a program with the question as JSON on its standard input. Arguments would show the question to everybody on
/// the machine. The program is killed if the decision waits no longer.
async fn run_command(command: &[String], question: &Question) -> Result<Json, SourceFault> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(SourceFault::lasting(InputGap::Unavailable, "names no program"));
    };
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| SourceFault::unavailable(format!("cannot be run: {error}")))?;
    let (Some(mut into), Some(out)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(SourceFault::unavailable("cannot be run"));
    };
    let queried = Json::Object(question.send.clone()).to_string();
    let write = async move {
        // A program may answer without reading all of the question.
        let _ = into.write_all(queried.as_bytes()).await;
    };
    let mut printed = Vec::new();
    // A byte more than allowed tells a long answer from one that just fits.
    let mut out = out.take(ANSWER_BYTES_MAX as u64 + 1);
    let (_, read) = tokio::join!(write, out.read_to_end(&mut printed));
    read.map_err(|error| SourceFault::unavailable(format!("cannot be read: {error}")))?;
    if printed.len() > ANSWER_BYTES_MAX {
        return Err(SourceFault::lasting(InputGap::Malformed, "answered more than 4 MB"));
    }
    let status =
        child.wait().await.map_err(|error| SourceFault::unavailable(format!("cannot be waited for: {error}")))?;
    match status.success() {
        true => parse_answer(&printed),
        false => Err(SourceFault::unavailable(format!("failed: {status}"))),
    }
}
