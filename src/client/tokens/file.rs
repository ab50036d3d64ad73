//! A token in a file that something else keeps fresh. Knows nothing of what that is.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Fetching, Token, TokenError, TokenSource};
use crate::words::secret::Secret;

/// How long a token is used before the file is looked at again.
const LOOK_AGAIN: Duration = Duration::from_secs(60);
/// No token is that long.
const BYTES_MAX: u64 = 64 * 1024;

/// A file that holds a token and nothing else but white space around it. It is read again each minute, and when the
/// provider refuses the token.
#[derive(Debug, Clone)]
pub struct File {
    path: PathBuf,
}

impl File {
    /// The file at `path`, which need not be there yet.
    pub fn new(path: impl AsRef<Path>) -> Self {
        File { path: path.as_ref().to_owned() }
    }
}

impl TokenSource for File {
    fn fetch(&self) -> Fetching<'_> {
        let path = self.path.clone();
        Box::pin(async move {
            let read = tokio::task::spawn_blocking(move || read(&path)).await;
            let text = read.map_err(|_| TokenError::transient("reading its file was broken off"))??;
            Ok(Token { secret: Secret::new(text), lifetime: Some(LOOK_AGAIN) })
        })
    }
}

fn read(path: &Path) -> Result<String, TokenError> {
    use std::io::Read;
    let place = path.display();
    let unreadable = |error: std::io::Error| TokenError::lasting(format!("cannot read `{place}`: {error}"));
    let mut text = String::new();
    std::fs::File::open(path).map_err(unreadable)?.take(BYTES_MAX).read_to_string(&mut text).map_err(unreadable)?;
    match text.trim() {
        "" => Err(TokenError::lasting(format!("`{place}` is empty"))),
        token => Ok(token.to_owned()),
    }
}
