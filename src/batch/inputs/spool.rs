//! Bytes of sources: opened, decompressed, held within a bound; standard input laid down in a file, so that it can be read twice.
//! Must not know statements.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::archive;
use super::kinds::Kind;
use super::packing::{Packing, unpacked};
use super::source::Source;
use crate::batch::error::Error;
use crate::statement::TableFormat;
use crate::words::digest::{Digest, Hasher};

/// What was read of a source, and the digest of the bytes as they are stored.
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) digest: Digest,
}

/// Reads a source, decompressed, and digests what is stored of it.
pub(crate) fn reading<T>(source: &Source, read: impl FnOnce(&mut dyn Read) -> T) -> io::Result<(T, Digest)> {
    reading_told(source, &|_| (), read)
}

/// As [`reading`], and tells of the stored bytes as they are read.
pub(crate) fn reading_told<T>(
    source: &Source,
    told: &dyn Fn(u64),
    read: impl FnOnce(&mut dyn Read) -> T,
) -> io::Result<(T, Digest)> {
    let Some(member) = &source.member else {
        return hashed(Told { inner: File::open(&source.path)?, told }, source.packing, read);
    };
    let (mut read, mut result) = (Some(read), None);
    let wanted = |index| index == member.index;
    archive::each_member(&source.path, wanted, |_, stored| {
        result = read.take().map(|read| hashed(Told { inner: stored, told }, source.packing, read));
        false
    })?;
    result.unwrap_or_else(|| Err(io::Error::other("the archive has lost this member")))
}

fn hashed<T>(stored: impl Read, packing: Packing, read: impl FnOnce(&mut dyn Read) -> T) -> io::Result<(T, Digest)> {
    let mut hashing = Hashing { inner: stored, hasher: Hasher::new() };
    let result = read(&mut *unpacked(&mut hashing, packing)?);
    // What follows the last byte that was of use is part of the file.
    io::copy(&mut hashing, &mut io::sink())?;
    Ok((result, hashing.hasher.finish()))
}

/// A source as a file that can be read from any place; a member of an archive is laid down under a number first.
pub(crate) fn seekable(source: &Source, work: &Path) -> io::Result<File> {
    let Some(member) = &source.member else { return File::open(&source.path) };
    let named = Digest::of(source.path.as_os_str().as_encoded_bytes()).to_string();
    let path = work.join(format!("member-{}-{}", named.get(..16).unwrap_or_default(), member.index));
    if fs::metadata(&path).is_ok_and(|there| there.len() == source.bytes) {
        return File::open(path);
    }
    let part = path.with_extension("part");
    reading(source, |bytes| io::copy(bytes, &mut File::create(&part)?))?.0?;
    fs::rename(&part, &path)?;
    File::open(path)
}

/// Reads a source that is one statement, or says why it cannot be. What `room` held is gone, its memory is used again: memory that the system
/// hands out anew for each statement costs as much as a fifth of deciding on it.
pub(crate) fn content(source: &Source, most: u64, room: Vec<u8>) -> Result<Content, String> {
    let read = reading(source, |bytes| bounded(bytes, most, room));
    let (bytes, digest) = read.map_err(|wrong| format!("cannot be read: {wrong}"))?;
    Ok(Content { bytes: bytes?, digest })
}

/// Reads what an archive has of a statement.
pub(crate) fn member(stored: &mut dyn Read, packing: Packing, most: u64) -> Result<Content, String> {
    let (bytes, digest) = hashed(stored, packing, |bytes| bounded(bytes, most, Vec::new()))
        .map_err(|wrong| format!("cannot be read: {wrong}"))?;
    Ok(Content { bytes: bytes?, digest })
}

fn bounded(from: &mut dyn Read, most: u64, mut bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    bytes.clear();
    from.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|wrong| format!("cannot be read: {wrong}"))?;
    if bytes.len() as u64 > most {
        return Err(format!("larger than {} decoded; allow more by --statement-max", shown_bytes(most)));
    }
    Ok(bytes)
}

/// Tells how much passes through.
struct Told<'t, R> {
    inner: R,
    told: &'t dyn Fn(u64),
}

impl<R: Read> Read for Told<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        (self.told)(read as u64);
        Ok(read)
    }
}

/// Digests what passes through.
struct Hashing<R> {
    inner: R,
    hasher: Hasher,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.hasher.update(into.get(..read).unwrap_or_default());
        Ok(read)
    }
}

/// Reads what is unpacked and digests it. Nothing but the digest where there is not one byte and `may_be_empty`.
pub(crate) fn digested<T>(
    unpacked: &mut dyn Read,
    may_be_empty: bool,
    read: impl FnOnce(&mut dyn Read) -> T,
) -> io::Result<(Option<T>, Digest)> {
    let mut hashing = Hashing { inner: unpacked, hasher: Hasher::new() };
    let mut first = [0];
    let length = if may_be_empty { hashing.read(&mut first)? } else { 0 };
    if may_be_empty && length == 0 {
        return Ok((None, hashing.hasher.finish()));
    }
    let result = read(&mut first.get(..length).unwrap_or_default().chain(&mut hashing));
    Ok((Some(result), hashing.hasher.finish()))
}

/// The digest of all bytes of a file.
pub(crate) fn digest_of(file: &mut File) -> io::Result<Digest> {
    file.rewind()?;
    let mut hashing = Hashing { inner: file, hasher: Hasher::new() };
    io::copy(&mut hashing, &mut io::sink())?;
    Ok(hashing.hasher.finish())
}

/// Lays standard input down and says by its first bytes what it is.
pub(crate) fn standard_input(work: &Path) -> Result<Source, Error> {
    let path = work.join("standard-input");
    let (stored, bytes) = lay_down(&path).map_err(Error::io(&path))?;
    let mut first = Vec::new();
    File::open(&path).and_then(|file| file.take(8).read_to_end(&mut first)).map_err(Error::io(&path))?;
    let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&first);
    let kind = match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
        _ if first.starts_with(b"PAR1") => {
            return Err(Error::input(Path::new("-"), "Parquet has its index at the end: name the file instead"));
        }
        Some(b'{') => Kind::Table(TableFormat::Lines),
        Some(b'[' | b'<') | None => Kind::Document,
        Some(_) => Kind::Table(TableFormat::Csv),
    };
    // In place of a time, which a pipe has not: its content.
    let written = stored.as_bytes().iter().take(16).fold(0_u128, |all, byte| (all << 8) | u128::from(*byte));
    Ok(Source { path, member: None, folder: "".into(), kind, packing: Packing::Plain, bytes, written })
}

fn lay_down(path: &Path) -> io::Result<(Digest, u64)> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut hashing = Hashing { inner: io::stdin().lock(), hasher: Hasher::new() };
    let mut out = File::create(path)?;
    let bytes = io::copy(&mut hashing, &mut out)?;
    out.flush()?;
    Ok((hashing.hasher.finish(), bytes))
}

/// A number of bytes as people write it.
pub(crate) fn shown_bytes(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let unit = units.iter().find(|(_, shift)| bytes >= 1 << shift && bytes.is_multiple_of(1 << shift));
    unit.map_or_else(|| format!("{bytes} bytes"), |(name, shift)| format!("{} {name}", bytes >> shift))
}
