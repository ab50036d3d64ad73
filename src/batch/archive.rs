//! Archives of statements: their members in the order in which they stand, read one after another and never laid down by their names.
//! Must not know what a member holds.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::source::{ArchiveKind, Kind, Member, Named, Packing, Source, Sources, named};
use super::spool::{settle_kind_of, unpacked};
use crate::statement::TableFormat;

/// Members of one archive at most.
const MEMBERS_MAX: usize = 50_000_000;

/// Adds an archive's members to the sources. One that cannot be read to its end is a source that cannot be read.
pub(super) fn list(kind: ArchiveKind, archive: &Source, sources: &mut Sources) {
    let listed = match kind {
        ArchiveKind::Tar => tar_members(archive, sources),
        ArchiveKind::Zip => zip_members(archive, sources),
    };
    if let Err(wrong) = listed {
        let what = format!("the archive cannot be read to its end: {wrong}");
        sources.list.push(Source { kind: Kind::Unreadable(what), ..archive.clone() });
    }
}

/// Adds a member; `settle` looks into lines for what they are.
fn take(
    archive: &Source,
    (index, name, bytes): (usize, &str, u64),
    sources: &mut Sources,
    settle: impl FnOnce(&mut Source),
) {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let source = |kind, packing| Source {
        member: Some(Member { index, name: name.to_owned() }),
        kind,
        packing,
        bytes,
        ..archive.clone()
    };
    match named(last) {
        _ if last.starts_with(['.', '_']) => sources.passed_over += 1,
        Named::Source(kind, packing) => {
            let mut source = source(kind, packing);
            if source.kind == Kind::Table(TableFormat::Lines) && !sources.declared {
                settle(&mut source);
            }
            sources.list.push(source);
        }
        Named::Archive(..) => {
            let what = "an archive within an archive is not read; unpack the outer one".to_owned();
            sources.list.push(source(Kind::Unreadable(what), Packing::Plain));
        }
        Named::Other => sources.passed_over += 1,
    }
}

fn tar_members(archive: &Source, sources: &mut Sources) -> io::Result<()> {
    let mut tar = tar::Archive::new(unpacked(File::open(&archive.path)?, archive.packing)?);
    for (index, entry) in tar.entries()?.enumerate() {
        let entry = entry?;
        if index >= MEMBERS_MAX {
            return Err(io::Error::other("more members than any archive of statements has"));
        }
        if entry.header().entry_type().is_file() {
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let bytes = entry.size();
            take(archive, (index, &name, bytes), sources, |source| settle_kind_of(source, entry));
        }
    }
    Ok(())
}

fn zip_members(archive: &Source, sources: &mut Sources) -> io::Result<()> {
    let mut zip = zip::ZipArchive::new(File::open(&archive.path)?).map_err(io::Error::other)?;
    for index in 0..zip.len() {
        let member = zip.by_index_raw(index).map_err(io::Error::other)?;
        if member.is_file() {
            let name = member.name().map_err(io::Error::other)?.into_owned();
            let bytes = member.size();
            drop(member);
            take(archive, (index, &name, bytes), sources, |source| {
                // One that cannot be opened says nothing of itself.
                if let Ok(member) = zip.by_index(index) {
                    settle_kind_of(source, member);
                }
            });
        }
    }
    Ok(())
}

/// Hands out the content of the members that are asked for, in one pass.
///
/// `wanted` tells of a member's place whether it is asked for; `give` says whether to go on.
pub(super) fn each_member(
    path: &Path,
    mut wanted: impl FnMut(usize) -> bool,
    mut give: impl FnMut(usize, &mut dyn Read) -> bool,
) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Named::Archive(kind, packing) = named(&name) else { return Err(io::Error::other("no archive by its name")) };
    match kind {
        ArchiveKind::Tar => {
            let mut tar = tar::Archive::new(unpacked(File::open(path)?, packing)?);
            for (index, entry) in tar.entries()?.enumerate() {
                let mut entry = entry?;
                if wanted(index) && !give(index, &mut entry) {
                    return Ok(());
                }
            }
        }
        ArchiveKind::Zip => {
            let mut zip = zip::ZipArchive::new(File::open(path)?).map_err(io::Error::other)?;
            for index in (0..zip.len()).filter(|index| wanted(*index)).collect::<Vec<_>>() {
                // Each member has a place of its own: what is wrong with one says nothing of the others.
                let goes_on = match zip.by_index(index) {
                    Ok(mut member) => give(index, &mut member),
                    Err(wrong) => give(index, &mut Broken(Some(io::Error::other(wrong)))),
                };
                if !goes_on {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// A member that cannot even be opened.
struct Broken(Option<io::Error>);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
