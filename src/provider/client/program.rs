//! Runs a program for what it prints: a token, a password, keys. Knows nothing of what is printed.

use std::io;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;
use zeroize::Zeroizing;

use crate::base::secret::Secret;

/// How long a program may run.
const ALLOWED: Duration = Duration::from_secs(60);
/// How long after the program's end its children may still print, if they hold its output open.
const AFTERWARDS: Duration = Duration::from_secs(1);
/// The longest output that is read.
const BYTES_MAX: usize = 64 * 1024;

/// Why a program gave nothing. Never what it printed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProgramFault {
    #[error("cannot be run: {0}")]
    Unusable(#[from] io::Error),
    #[error("failed: {0}")]
    Failed(ExitStatus),
    #[error("took more than {} s", ALLOWED.as_secs())]
    TooSlow,
    #[error("printed more than {} KiB", BYTES_MAX / 1024)]
    TooLong,
    #[error("printed what is not text")]
    NotText,
}

/// What a program prints. It runs without a shell and without input, and is killed after a minute. Its standard error
/// is discarded, because it may hold secrets. Its children are not waited for: what was printed within a second after
/// the program's end counts.
pub(crate) async fn run_program(program: &str, arguments: &[String]) -> Result<Secret, ProgramFault> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    // Room for all of it, so that no copy is left behind by growing.
    let mut printed = Zeroizing::new(Vec::<u8>::with_capacity(2 * BYTES_MAX));
    let ended = match child.stdout.take() {
        Some(out) => timeout(ALLOWED, wait_for_program_end(&mut child, out, &mut printed)).await,
        None => return Err(io::Error::from(io::ErrorKind::BrokenPipe).into()),
    };
    if !matches!(ended, Ok(Ok(()))) {
        // It may have ended already.
        let _ = child.kill().await;
    }
    ended.unwrap_or(Err(ProgramFault::TooSlow))?;
    std::str::from_utf8(&printed).map(Secret::new).map_err(|_| ProgramFault::NotText)
}

/// Reads the output while the program runs, because one that prints much would otherwise block.
async fn wait_for_program_end(child: &mut Child, out: ChildStdout, printed: &mut Vec<u8>) -> Result<(), ProgramFault> {
    let mut reading = pin!(read_output(out, printed));
    let mut is_read = false;
    let status = loop {
        tokio::select! {
            status = child.wait() => break status?,
            read = &mut reading, if !is_read => {
                read?;
                is_read = true;
            }
        }
    };
    match status.success() {
        false => Err(ProgramFault::Failed(status)),
        true if is_read => Ok(()),
        // If a child holds the output open, what came until now is all.
        true => timeout(AFTERWARDS, reading).await.unwrap_or(Ok(())),
    }
}

async fn read_output(out: ChildStdout, printed: &mut Vec<u8>) -> Result<(), ProgramFault> {
    // A byte more than allowed tells a long output from one that just fits.
    let read = out.take(BYTES_MAX as u64 + 1).read_to_end(printed).await?;
    if read > BYTES_MAX { Err(ProgramFault::TooLong) } else { Ok(()) }
}
