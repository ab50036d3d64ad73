//! A token in a file that another program keeps fresh. Knows nothing of that program.

use std::path::{Path, PathBuf};
use std::time::Duration;

use zeroize::Zeroizing;

use super::error::TokenError;
use super::source::{Fetching, Token, TokenSource};
use crate::base::secret::Secret;

/// How long a token is used before the file is read again.
const LOOK_AGAIN: Duration = Duration::from_secs(60);
/// The longest file that is read.
const BYTES_MAX: usize = 64 * 1024;

/// A file that holds a token, with optional white space around it. It is read again each minute, and when the provider
/// refuses the token.
#[derive(Debug, Clone)]
pub struct File {
    path: PathBuf,
}

impl File {
    /// The file at `path`, which need not exist yet.
    pub fn new(path: impl AsRef<Path>) -> Self {
        File { path: path.as_ref().to_owned() }
    }
}

impl TokenSource for File {
    fn fetch(&self) -> Fetching<'_> {
        let path = self.path.clone();
        Box::pin(async move {
            let read = tokio::task::spawn_blocking(move || read_token_file(&path)).await;
            let secret = read.map_err(|_| TokenError::transient("reading its file was broken off"))??;
            Ok(Token { secret, lifetime: Some(LOOK_AGAIN) })
        })
    }
}

fn read_token_file(path: &Path) -> Result<Secret, TokenError> {
    use std::io::Read;
    let place = path.display();
    let unreadable = |error: std::io::Error| TokenError::lasting(format!("cannot read `{place}`: {error}"));
    let mut text = Zeroizing::new(String::with_capacity(BYTES_MAX));
    // A byte more than allowed tells a long file from one that just fits.
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(BYTES_MAX as u64 + 1).read_to_string(&mut text).map_err(unreadable)?;
    match text.trim() {
        _ if text.len() > BYTES_MAX => Err(TokenError::lasting(format!("`{place}` has more than 64 KiB"))),
        "" => Err(TokenError::lasting(format!("`{place}` is empty"))),
        token => Ok(Secret::new(token)),
    }
}
