//! A token that a program prints. Its standard error is discarded, because it may hold secrets. Knows nothing of the
//! program.

use std::io;
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use super::error::TokenError;
use super::source::{Fetching, Token, TokenSource};
use crate::base::secret::Secret;
use crate::provider::client::Error;

/// How long a program may run.
const ALLOWED: Duration = Duration::from_secs(60);
/// How often a running program is polled.
const LOOK: Duration = Duration::from_millis(5);
/// How long after the program's end its children may still print, if they hold its output open.
const AFTERWARDS: Duration = Duration::from_secs(1);
/// The longest output that is read.
const BYTES_MAX: usize = 64 * 1024;

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

    fn run(&self) -> Result<Token, TokenError> {
        let program = &self.program;
        let broken = |error: io::Error| TokenError::lasting(format!("cannot run `{program}`: {error}"));
        let mut child = std::process::Command::new(program)
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(broken)?;
        let mut printed =
            Printed { text: Vec::new(), out: child.stdout.take().map(Out::new).transpose().map_err(broken)? };
        let is_good = wait_for_program_end(&mut child, &mut printed).map_err(broken);
        if !matches!(is_good, Ok(Some(_))) {
            // Kills it if it still runs.
            let _ = child.kill();
            let _ = child.wait();
        }
        if is_good? != Some(true) {
            return Err(TokenError::transient(format!(
                "`{program}` failed, took more than {} s, or printed more than a token",
                ALLOWED.as_secs()
            )));
        }
        let text = String::from_utf8(printed.text)
            .map_err(|_| TokenError::lasting(format!("`{program}` printed what is not text")))?;
        match text.trim() {
            "" => Err(TokenError::transient(format!("`{program}` printed nothing"))),
            token => Ok(Token { secret: Secret::new(token), lifetime: self.lifetime }),
        }
    }
}

/// Waits for the end of a program and its output, and returns whether it succeeded; `None` if it takes too long or
/// prints too much. Reads the output meanwhile, because a program with much output would otherwise block.
fn wait_for_program_end(child: &mut Child, printed: &mut Printed) -> io::Result<Option<bool>> {
    let mut ends = Instant::now() + ALLOWED;
    let mut is_good = None;
    loop {
        if is_good.is_none()
            && let Some(status) = child.try_wait()?
        {
            is_good = Some(status.success());
            ends = Instant::now() + AFTERWARDS;
        }
        // Read after checking for the end, so that everything printed before the end is seen.
        let is_over = printed.read_available()?;
        if printed.text.len() > BYTES_MAX {
            return Ok(None);
        }
        if is_good.is_some_and(|is_good| is_over || !is_good) || Instant::now() >= ends {
            return Ok(is_good);
        }
        std::thread::sleep(LOOK);
    }
}

/// The output of a program so far.
struct Printed {
    text: Vec<u8>,
    out: Option<Out>,
}

impl Printed {
    /// Reads what is available without waiting. Returns whether the output has ended.
    fn read_available(&mut self) -> io::Result<bool> {
        let mut piece = [0; 4096];
        while let Some(out) = &mut self.out
            && self.text.len() <= BYTES_MAX
        {
            match out.read(&mut piece) {
                Ok(0) => self.out = None,
                Ok(count) => self.text.extend(piece.iter().take(count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.out.is_none())
    }
}

/// A pipe from which reading never waits, so that a pipe that stays open leaves no thread behind.
#[cfg(unix)]
struct Out(std::fs::File);

#[cfg(unix)]
impl Out {
    fn new(out: ChildStdout) -> io::Result<Out> {
        let pipe = tokio::net::unix::pipe::Receiver::from_owned_fd(out.into())?;
        Ok(Out(pipe.into_nonblocking_fd()?.into()))
    }

    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        io::Read::read(&mut self.0, piece)
    }
}

/// On other systems a thread reads until the pipe closes.
#[cfg(not(unix))]
struct Out(std::sync::mpsc::Receiver<io::Result<u8>>);

#[cfg(not(unix))]
impl Out {
    fn new(out: ChildStdout) -> io::Result<Out> {
        let (sender, receiver) = std::sync::mpsc::sync_channel(BYTES_MAX);
        let bytes = io::Read::bytes(io::BufReader::new(out));
        std::thread::spawn(move || bytes.map_while(|byte| sender.send(byte).ok()).for_each(drop));
        Ok(Out(receiver))
    }

    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        match (self.0.try_recv(), piece.first_mut()) {
            (Ok(byte), Some(first)) => {
                *first = byte?;
                Ok(1)
            }
            (Err(std::sync::mpsc::TryRecvError::Empty), _) => Err(io::ErrorKind::WouldBlock.into()),
            _ => Ok(0),
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
