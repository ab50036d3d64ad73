//! A token that a program prints. Knows nothing of the program; what it says on standard error is not passed on, for it may
//! hold secrets.

use std::io::Read;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::super::Error;
use super::{Fetching, Token, TokenError, TokenSource};
use crate::words::secret::Secret;

/// How long a program may take.
const ALLOWED: Duration = Duration::from_secs(60);
/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(5);
/// No token is that long.
const BYTES_MAX: u64 = 64 * 1024;

/// A program whose standard output is a token. It is ended where it takes more than a minute.
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

    fn run(&self) -> Result<Token, TokenError> {
        let program = &self.program;
        let broken = |error: std::io::Error| TokenError::lasting(format!("cannot run `{program}`: {error}"));
        let mut child = std::process::Command::new(program)
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(broken)?;
        let mut out = child.stdout.take().map(|out| out.take(BYTES_MAX));
        // Read beside waiting: a program that prints much would otherwise wait for its reader.
        let reading = std::thread::spawn(move || {
            let mut text = Vec::new();
            let read = out.as_mut().map_or(Ok(0), |out| out.read_to_end(&mut text));
            read.map(|_| text)
        });
        if !self.wait(&mut child).map_err(broken)? {
            return Err(TokenError::transient(format!(
                "`{program}` failed, or took more than {} s",
                ALLOWED.as_secs()
            )));
        }
        let text = reading.join().map_err(|_| TokenError::transient("reading was broken off"))?.map_err(broken)?;
        let text = String::from_utf8(text)
            .map_err(|_| TokenError::lasting(format!("`{program}` printed what is not text")))?;
        match text.trim() {
            "" => Err(TokenError::transient(format!("`{program}` printed nothing"))),
            token => Ok(Token { secret: Secret::new(token), lifetime: self.lifetime }),
        }
    }

    /// Whether it ended well and in time.
    fn wait(&self, child: &mut Child) -> std::io::Result<bool> {
        let ends = Instant::now() + ALLOWED;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status.success());
            }
            if Instant::now() >= ends {
                child.kill()?;
                child.wait()?;
                return Ok(false);
            }
            std::thread::sleep(LOOK);
        }
    }
}

impl TokenSource for Command {
    fn fetch(&self) -> Fetching<'_> {
        let command = self.clone();
        Box::pin(async move {
            let ran = tokio::task::spawn_blocking(move || command.run()).await;
            ran.map_err(|_| TokenError::transient("running its program was broken off"))?
        })
    }
}
