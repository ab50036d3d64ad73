//! A token that a program prints. Knows nothing of the program.

use std::time::Duration;

use super::error::TokenError;
use super::source::{Fetching, Token, TokenSource};
use crate::base::secret::Secret;
use crate::provider::client::Error;
use crate::provider::client::program::{ProgramFault, run_program};

/// A program whose standard output is a token. It is killed after a minute. Its children are not waited for: what was
/// printed within a second after the program's end counts.
#[derive(Debug, Clone)]
pub struct Command {
    program: String,
    arguments: Vec<String>,
    lifetime: Option<Duration>,
}

impl Command {
    /// A program with its arguments, run without a shell. `lifetime` is how long its token is valid.
    ///
    /// # Errors
    /// `configuration` if there is no program.
    pub fn new(command: &[String], lifetime: Option<Duration>) -> Result<Self, Error> {
        match command.split_first() {
            Some((program, arguments)) if !program.is_empty() => {
                Ok(Command { program: program.clone(), arguments: arguments.to_vec(), lifetime })
            }
            _ => Err(Error::configuration("settings", "`token.command` names no program")),
        }
    }

    async fn run(&self) -> Result<Token, TokenError> {
        let program = &self.program;
        let printed = run_program(program, &self.arguments).await.map_err(|fault| {
            // A program that failed once may reach its source of tokens the next time.
            let is_transient = matches!(fault, ProgramFault::Failed(_) | ProgramFault::TooSlow);
            TokenError { problem: format!("`{program}` {fault}"), is_transient }
        })?;
        match printed.expose().trim() {
            "" => Err(TokenError::transient(format!("`{program}` printed nothing"))),
            token => Ok(Token { secret: Secret::new(token), lifetime: self.lifetime }),
        }
    }
}

impl TokenSource for Command {
    fn fetch(&self) -> Fetching<'_> {
        Box::pin(self.run())
    }
}
