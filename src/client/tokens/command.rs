//! A token that a program prints. Knows nothing of the program; what it says on standard error is not passed on, for it may
//! hold secrets.

use std::process::Stdio;
use std::time::Duration;

use super::super::Error;
use super::{Fetching, Token, TokenError, TokenSource};
use crate::words::secret::Secret;

/// A program whose standard output is a token.
#[derive(Debug, Clone)]
pub struct Command {
    program: String,
    arguments: Vec<String>,
    lifetime: Option<Duration>,
}

impl Command {
    /// A program with its arguments; no shell is between. `lifetime` is how long what it prints is good.
    ///
    /// # Errors
    /// `configuration` where there is no program.
    pub fn new(command: &[String], lifetime: Option<Duration>) -> Result<Self, Error> {
        match command.split_first() {
            Some((program, arguments)) if !program.is_empty() => {
                Ok(Command { program: program.clone(), arguments: arguments.to_vec(), lifetime })
            }
            _ => Err(Error::configuration("settings", "`token.command` names no program")),
        }
    }
}

impl TokenSource for Command {
    fn fetch(&self) -> Fetching<'_> {
        Box::pin(async move {
            let program = &self.program;
            let output = tokio::process::Command::new(program)
                .args(&self.arguments)
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .kill_on_drop(true)
                .output()
                .await
                .map_err(|error| TokenError::lasting(format!("cannot run `{program}`: {error}")))?;
            if !output.status.success() {
                return Err(TokenError::transient(format!("`{program}` failed: {}", output.status)));
            }
            let text = String::from_utf8(output.stdout)
                .map_err(|_| TokenError::lasting(format!("`{program}` printed what is not text")))?;
            match text.trim() {
                "" => Err(TokenError::transient(format!("`{program}` printed nothing"))),
                token => Ok(Token { secret: Secret::new(token), lifetime: self.lifetime }),
            }
        })
    }
}
