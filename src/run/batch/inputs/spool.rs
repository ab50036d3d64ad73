//! The bytes of sources: opened, decompressed, digested, and read up to a bound. Standard input is stored in a file, so
//! that it can be read twice.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use super::archive;
use super::compression::{Compression, decompress_stream};
use super::kinds::SourceKind;
use super::source::BatchSource;
use crate::base::digest::Digest;
use crate::run::batch::error::Error;
use crate::run::files::Digesting;
use crate::run::files::kinds::{BEGINNING, FileContent, stream_kind};
use crate::run::whole_file::{Access, WholeFile};
use crate::statement::Columns;

/// What was read from a source, and the digest of its bytes as stored.
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) digest: Digest,
}

/// Reads a source, decompressed, and digests its stored bytes.
pub(crate) fn read_source<T>(source: &BatchSource, read: impl FnOnce(&mut dyn Read) -> T) -> io::Result<(T, Digest)> {
    read_source_with_progress(source, &|_| (), read)
}

/// Like [`read_source`], and reports the number of stored bytes as they are read.
pub(crate) fn read_source_with_progress<T>(
    source: &BatchSource,
    on_read: &dyn Fn(u64),
    read: impl FnOnce(&mut dyn Read) -> T,
) -> io::Result<(T, Digest)> {
    let Some(member) = &source.member else {
        return decompress_and_digest(
            Reporting { inner: File::open(&source.path)?, on_read },
            source.compression,
            read,
        );
    };
    let (mut read, mut result) = (Some(read), None);
    let wanted = |index| index == member.index;
    archive::each_member(&source.path, wanted, |_, stored| {
        result = read
            .take()
            .map(|read| decompress_and_digest(Reporting { inner: stored, on_read }, source.compression, read));
        false
    })?;
    result.unwrap_or_else(|| Err(io::Error::other("the archive has lost this member")))
}

fn decompress_and_digest<T>(
    stored: impl Read,
    compression: Compression,
    read: impl FnOnce(&mut dyn Read) -> T,
) -> io::Result<(T, Digest)> {
    let mut digesting = Digesting::new(stored);
    let result = read(&mut *decompress_stream(&mut digesting, compression)?);
    // Bytes after the last one that was needed are part of the file too.
    io::copy(&mut digesting, &mut io::sink())?;
    Ok((result, digesting.finish()))
}

/// A source as a seekable file. A member of an archive is extracted first, under a name made of numbers.
pub(crate) fn open_seekable(source: &BatchSource, work: &Path) -> io::Result<File> {
    let Some(member) = &source.member else { return File::open(&source.path) };
    let archive = Digest::compute(source.path.as_os_str().as_encoded_bytes()).to_string();
    let path = work.join(format!("member-{}-{}", archive.get(..16).unwrap_or_default(), member.index));
    if fs::metadata(&path).is_ok_and(|there| there.len() == source.bytes) {
        return File::open(path);
    }
    let mut member = WholeFile::begin(&path, Access::Private)?;
    read_source(source, |bytes| io::copy(bytes, &mut member))?.0?;
    member.finish()?;
    File::open(path)
}

/// Reads a source that is one statement, or returns why it cannot be read. The memory of `buffer` is reused: allocating
/// it for each statement would cost up to a fifth of the time of a decision.
pub(crate) fn read_statement(source: &BatchSource, max_bytes: u64, buffer: Vec<u8>) -> Result<Content, String> {
    let read = read_source(source, |bytes| read_bounded(bytes, max_bytes, buffer));
    let (bytes, digest) = read.map_err(|wrong| format!("cannot be read: {wrong}"))?;
    Ok(Content { bytes: bytes?, digest })
}

/// Reads a statement that is a member of an archive.
pub(crate) fn read_member(stored: &mut dyn Read, compression: Compression, max_bytes: u64) -> Result<Content, String> {
    let (bytes, digest) =
        decompress_and_digest(stored, compression, |bytes| read_bounded(bytes, max_bytes, Vec::new()))
            .map_err(|wrong| format!("cannot be read: {wrong}"))?;
    Ok(Content { bytes: bytes?, digest })
}

fn read_bounded(from: &mut dyn Read, max_bytes: u64, mut bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    bytes.clear();
    from.take(max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|wrong| format!("cannot be read: {wrong}"))?;
    if bytes.len() as u64 > max_bytes {
        return Err(format!("larger than {} decoded; allow more by --statement-max", format_bytes(max_bytes)));
    }
    Ok(bytes)
}

/// Reports how many bytes pass through.
struct Reporting<'t, R> {
    inner: R,
    on_read: &'t dyn Fn(u64),
}

impl<R: Read> Read for Reporting<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        (self.on_read)(read as u64);
        Ok(read)
    }
}

/// Reads decompressed bytes and digests them. If `may_be_empty` and there are no bytes, only the digest is returned.
pub(crate) fn digest_decompressed<T>(
    decompressed: &mut dyn Read,
    may_be_empty: bool,
    read: impl FnOnce(&mut dyn Read) -> T,
) -> io::Result<(Option<T>, Digest)> {
    let mut digesting = Digesting::new(decompressed);
    let mut first = [0];
    let length = if may_be_empty { digesting.read(&mut first)? } else { 0 };
    if may_be_empty && length == 0 {
        return Ok((None, digesting.finish()));
    }
    let result = read(&mut first.get(..length).unwrap_or_default().chain(&mut digesting));
    Ok((Some(result), digesting.finish()))
}

/// Stores standard input in a file and detects its kind by its first bytes.
pub(crate) fn store_standard_input(work: &Path, columns: Option<&Columns>) -> Result<BatchSource, Error> {
    let path = work.join("standard-input");
    let (stored, bytes) = store_digested_input(&path).map_err(Error::io(&path))?;
    let mut first = Vec::new();
    File::open(&path).and_then(|file| file.take(BEGINNING).read_to_end(&mut first)).map_err(Error::io(&path))?;
    let kind = match stream_kind(&first, columns).map_err(|what| Error::input(Path::new("-"), what))? {
        FileContent::Document => SourceKind::Document,
        FileContent::Table(format) => SourceKind::Table(format),
    };
    // A pipe has no time of modification; a digest of the content stands in for it.
    let written = stored.as_bytes().iter().take(16).fold(0_u128, |all, byte| (all << 8) | u128::from(*byte));
    Ok(BatchSource { path, member: None, folder: "".into(), kind, compression: Compression::Plain, bytes, written })
}

fn store_digested_input(path: &Path) -> io::Result<(Digest, u64)> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut digesting = Digesting::new(io::stdin().lock());
    let mut out = File::create(path)?;
    let bytes = io::copy(&mut digesting, &mut out)?;
    out.flush()?;
    Ok((digesting.finish(), bytes))
}

/// A number of bytes for people, such as `128 MiB`.
pub(crate) fn format_bytes(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let unit = units.iter().find(|(_, shift)| bytes >= 1 << shift && bytes.is_multiple_of(1 << shift));
    unit.map_or_else(|| format!("{bytes} bytes"), |(name, shift)| format!("{} {name}", bytes >> shift))
}
