//! Archives of statements. Members are read one after another, in their order, and never extracted under their own
//! names. An archive that may be incomplete is refused.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use zip::CompressionMethod;

use super::compression::{Compression, decompress_stream};
use super::kinds::{ArchiveKind, FileKind, SourceKind, kind_by_name};
use super::members::Members;
use super::source::{BatchSource, Sources};

/// The most members that one archive may have.
const MEMBERS_MAX: usize = 50_000_000;

/// The block size of a tar archive, which ends with blocks of zeros.
const TAR_BLOCK_BYTES: u64 = 512;

/// The signature of a zip's end record.
const END_SIGNATURE: [u8; 4] = *b"PK\x05\x06";

/// Adds an archive's members to the sources. An archive that cannot be read to its end is added as an unreadable
/// source.
pub(crate) fn add_members(kind: ArchiveKind, archive: &BatchSource, sources: &mut Sources) {
    let mut members = Members::new(archive, sources);
    let listed = match kind {
        ArchiveKind::Tar => tar_members(archive, &mut members),
        ArchiveKind::Zip => zip_members(archive, &mut members),
    };
    members.finish();
    if let Err(wrong) = listed {
        let what = format!("the archive cannot be read to its end: {wrong}");
        sources.list.push(BatchSource { kind: SourceKind::Unreadable(what), ..archive.clone() });
    }
}

/// Reads past end marks, because two concatenated archives have two of them.
fn open_tar<'r>(
    path: &Path,
    compression: Compression,
    zeros: &'r Cell<u64>,
) -> io::Result<tar::Archive<impl Read + use<'r>>> {
    let mut tar = tar::Archive::new(CountZeros { inner: decompress_stream(File::open(path)?, compression)?, zeros });
    tar.set_ignore_zeros(true);
    Ok(tar)
}

fn tar_members(archive: &BatchSource, members: &mut Members<'_>) -> io::Result<()> {
    let zeros = Cell::new(0);
    let mut tar = open_tar(&archive.path, archive.compression, &zeros)?;
    for (index, entry) in tar.entries()?.enumerate() {
        let mut entry = entry?;
        if index >= MEMBERS_MAX {
            return Err(io::Error::other("more members than any archive of statements has"));
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let kind = entry.header().entry_type();
        if is_content(kind) {
            let bytes = entry.size();
            members.add_file((index, &name, bytes), &mut entry);
        } else if kind.is_hard_link() || kind.is_symlink() {
            let target = entry.link_name_bytes().map(|target| String::from_utf8_lossy(&target).into_owned());
            members.add_link(index, &name, target.as_deref().unwrap_or_default(), kind.is_symlink());
        } else if !kind.is_dir() && !kind.is_pax_global_extensions() && !kind.is_pax_local_extensions() {
            members.add_special(index, &name);
        }
    }
    // Without this check, an archive cut between two members would look complete.
    match zeros.get() >= TAR_BLOCK_BYTES {
        true => Ok(()),
        false => Err(io::Error::other("it has no end mark, so it may be cut short; pack it anew")),
    }
}

fn is_content(kind: tar::EntryType) -> bool {
    kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse()
}

/// Counts the zeros at the end of what was read.
struct CountZeros<'z, R> {
    inner: R,
    zeros: &'z Cell<u64>,
}

impl<R: Read> Read for CountZeros<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        let bytes = into.get(..read).unwrap_or_default();
        let zeros = match bytes.iter().rposition(|byte| *byte != 0) {
            Some(last) => (read - last - 1) as u64,
            None => self.zeros.get() + read as u64,
        };
        self.zeros.set(zeros);
        Ok(read)
    }
}

fn open_zip(path: &Path) -> io::Result<zip::ZipArchive<File>> {
    let mut file = File::open(path)?;
    let zip = zip::ZipArchive::new(file.try_clone()?).map_err(io::Error::other)?;
    if zip.offset() != 0 {
        return Err(io::Error::other(
            "there are bytes before it, so it may be two archives put together; unpack and pack it anew",
        ));
    }
    if !ends_with_comment(&mut file, zip.comment())? {
        return Err(io::Error::other("there are bytes behind its end mark; unpack and pack it anew"));
    }
    if zip.has_duplicate_names() {
        return Err(io::Error::other("it has two members of one name; unpack it, and keep one of them"));
    }
    Ok(zip)
}

/// Whether the end record and its comment are the last bytes of the file.
fn ends_with_comment(file: &mut File, comment: &[u8]) -> io::Result<bool> {
    use std::io::{Seek, SeekFrom};
    let length = file.seek(SeekFrom::End(0))?;
    let Some(at) = length.checked_sub(22 + comment.len() as u64) else { return Ok(false) };
    let mut mark = [0; 4];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut mark)?;
    Ok(mark == END_SIGNATURE)
}

fn zip_members(archive: &BatchSource, members: &mut Members<'_>) -> io::Result<()> {
    let mut zip = open_zip(&archive.path)?;
    let mut spans = Vec::with_capacity(zip.len().min(1 << 20));
    for index in 0..zip.len() {
        let member = zip.by_index_raw(index).map_err(io::Error::other)?;
        let content = member.data_start().unwrap_or_else(|| member.header_start());
        spans.push((member.header_start(), content.saturating_add(member.compressed_size())));
        let name = member.name().map_err(io::Error::other)?.into_owned();
        let (is_file, is_link, is_dir) = (member.is_file(), member.is_symlink(), member.is_dir());
        let bytes = member.size();
        drop(member);
        if is_link {
            let target = zip.by_index(index).map_err(io::Error::other).and_then(|member| {
                let mut target = String::new();
                member.take(1 << 16).read_to_string(&mut target).map(|_| target)
            });
            members.add_link(index, &name, target.as_deref().unwrap_or_default(), true);
        } else if is_file {
            let content = if members.looks_into(&name) { zip.by_index(index).ok() } else { None };
            match content {
                Some(mut member) => members.add_file((index, &name, bytes), &mut member),
                // A member that cannot be opened is known by its name alone.
                None => members.add_file((index, &name, bytes), &mut io::empty()),
            }
        } else if !is_dir {
            members.add_special(index, &name);
        }
    }
    refuse_gaps(&archive.path, spans, zip.central_directory_start())
}

/// Refuses a zip with bytes that no entry accounts for: they may be a member that its directory has lost.
fn refuse_gaps(path: &Path, mut spans: Vec<(u64, u64)>, directory: u64) -> io::Result<()> {
    // A member may be followed by its sizes and checksum; a member's header is longer.
    const GAP_MAX: u64 = 29;
    let lost =
        || io::Error::other("there are bytes outside its members, so its list may lack some; unpack and pack it anew");
    spans.sort_unstable();
    let mut until = 0;
    for (from, to) in spans {
        if from.saturating_sub(until) > GAP_MAX {
            return Err(lost());
        }
        until = to.max(until);
    }
    if directory.saturating_sub(until) > GAP_MAX {
        return Err(lost());
    }
    match bytes_behind_directory(path, directory)? {
        // Nothing, or the two end records of a zip64.
        0 | 76 => Ok(()),
        _ => Err(lost()),
    }
}

/// Bytes between the directory and the end record; 0 where the record does not give the directory's length.
fn bytes_behind_directory(path: &Path, directory: u64) -> io::Result<u64> {
    use std::io::{Seek, SeekFrom};
    const COMMENT_MAX: u64 = u16::MAX as u64;
    const END_BYTES: u64 = 22;
    let mut file = File::open(path)?;
    let length = file.seek(SeekFrom::End(0))?;
    let from = length.saturating_sub(END_BYTES + COMMENT_MAX);
    file.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    // The end record is the one whose comment ends with the file.
    let number = |at: usize, bytes: usize| {
        tail.get(at..at + bytes).map(|number| number.iter().rev().fold(0, |all, byte| (all << 8) | u64::from(*byte)))
    };
    let is_end = |at: usize| {
        tail.get(at..at + 4) == Some(&END_SIGNATURE[..])
            && number(at + 20, 2).is_some_and(|comment| at as u64 + END_BYTES + comment == tail.len() as u64)
    };
    let Some(at) = (0..tail.len()).rev().find(|at| is_end(*at)) else { return Ok(0) };
    match number(at + 12, 4) {
        Some(bytes) if bytes < u64::from(u32::MAX) => Ok((from + at as u64).saturating_sub(directory + bytes)),
        _ => Ok(0),
    }
}

/// Passes the content of some members to `give`, in one pass over the archive.
///
/// `wanted` selects members by their index; `give` returns whether to continue.
pub(crate) fn each_member(
    path: &Path,
    mut wanted: impl FnMut(usize) -> bool,
    mut give: impl FnMut(usize, &mut dyn Read) -> bool,
) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let FileKind::Archive(kind, compression) = kind_by_name(&name) else {
        return Err(io::Error::other("no archive by its name"));
    };
    match kind {
        ArchiveKind::Tar => {
            let zeros = Cell::new(0);
            let mut tar = open_tar(path, compression, &zeros)?;
            for (index, entry) in tar.entries()?.enumerate() {
                let mut entry = entry?;
                if wanted(index) && !give(index, &mut entry) {
                    return Ok(());
                }
            }
        }
        ArchiveKind::Zip => {
            let mut zip = open_zip(path)?;
            for index in (0..zip.len()).filter(|index| wanted(*index)).collect::<Vec<_>>() {
                // Members of a zip are independent: a broken one does not affect the others.
                let unread = unread_compression(&mut zip, index);
                let continues = match (unread, zip.by_index(index)) {
                    (Some(unread), _) => give(index, &mut Broken(Some(io::Error::other(unread)))),
                    (None, Ok(mut member)) => give(index, &mut member),
                    (None, Err(wrong)) => give(index, &mut Broken(Some(io::Error::other(wrong)))),
                };
                if !continues {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// Why a member of a zip is not read, if it is compressed in another way than zips usually are.
fn unread_compression(zip: &mut zip::ZipArchive<File>, index: usize) -> Option<String> {
    let method = zip.by_index_raw(index).ok()?.compression();
    (!matches!(method, CompressionMethod::Stored | CompressionMethod::Deflated)).then(|| {
        let method = method.to_string().to_ascii_uppercase();
        format!("it is compressed by {method}, which is not read in a zip; unpack it, or pack it anew with Deflate")
    })
}

/// A member that cannot be opened.
struct Broken(Option<io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
