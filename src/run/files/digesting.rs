//! Digests what is read, while it is read.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use crate::base::digest::{Digest, Hasher};

/// BLAKE3 works on many chunks of a kilobyte at once.
const BUFFER: usize = 1 << 16;

/// Digests what passes through.
pub(crate) struct Digesting<R> {
    inner: R,
    hasher: Hasher,
}

impl<R: Read> Digesting<R> {
    pub(crate) fn new(inner: R) -> Digesting<R> {
        Digesting { inner, hasher: Hasher::new() }
    }

    /// The digest of all bytes read so far.
    pub(crate) fn finish(&self) -> Digest {
        self.hasher.finish()
    }
}

impl<R: Read> Read for Digesting<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.hasher.update(into.get(..read).unwrap_or_default());
        Ok(read)
    }
}

/// The digest of the content of a file.
pub(crate) fn digest_file(path: &Path) -> io::Result<Digest> {
    digest_all(File::open(path)?)
}

/// The digest of everything that a reader gives, which need not fit into memory.
pub(crate) fn digest_all(reader: impl Read) -> io::Result<Digest> {
    let mut digesting = Digesting::new(reader);
    io::copy(&mut BufReader::with_capacity(BUFFER, &mut digesting), &mut io::sink())?;
    Ok(digesting.finish())
}
