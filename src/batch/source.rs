//! The inputs as one list in one order: what was named, found in folders, matched by patterns, packed in archives. Must not know what is in
//! a statement beyond the ending of its name.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::archive;
use super::error::Error;
use super::hive;
use super::spool;
use crate::statement::{TableFormat, says_something};

/// One file, or one member of an archive.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) member: Option<Member>,
    pub(super) kind: Kind,
    pub(super) packing: Packing,
    /// Bytes as they are stored; of a member as it is unpacked.
    pub(super) bytes: u64,
    /// Nanoseconds since 1970-01-01 when the file was last written.
    pub(super) written: u128,
}

/// Which member of an archive.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) index: usize,
    pub(super) name: String,
}

/// What a source holds, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One statement, as `decide` reads it.
    Document,
    /// Rows of many statements.
    Table(TableFormat),
    /// Nothing that can be read, and why.
    Unreadable(String),
}

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

/// The kind of archive a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArchiveKind {
    Tar,
    Zip,
}

/// What a file's name says of it.
pub(super) enum Named {
    Source(Kind, Packing),
    Archive(ArchiveKind, Packing),
    Other,
}

/// All sources of a run, and how many files were passed over.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pub(super) list: Vec<Source>,
    pub(super) passed_over: u64,
    /// Whether a columns file tells the names in tables.
    pub(super) declared: bool,
}

/// Folders within folders at most: a link that leads to where it stands has no end.
const DEPTH_MAX: usize = 64;

impl Source {
    /// The source as results and messages name it.
    pub(super) fn label(&self) -> String {
        match &self.member {
            None if self.path.ends_with(spool::STANDARD_INPUT) => "-".to_owned(),
            None => self.path.to_string_lossy().into_owned(),
            Some(member) => format!("{}!{}", self.path.to_string_lossy(), member.name),
        }
    }

    /// What is told of the source by the folders it lies in.
    pub(super) fn keys(&self) -> Vec<(String, String)> {
        match &self.member {
            // It lies where the results do, which says nothing of it.
            None if self.path.ends_with(spool::STANDARD_INPUT) => Vec::new(),
            None => hive::keys(&self.path.to_string_lossy()),
            Some(member) => hive::keys(&member.name),
        }
    }

    /// Whose all of the source is, where the folders say it under one of these names; empty where they say that nobody knows.
    pub(super) fn customer(&self, names: &[&str]) -> Option<String> {
        let said = self.keys().into_iter().find(|(key, _)| names.contains(&key.as_str()));
        said.map(|(_, customer)| if says_something(&customer) { customer } else { String::new() })
    }

    /// Whether its name alone says that it is one statement.
    pub(super) fn is_named_statement(&self) -> bool {
        let name = self.member.as_ref().map_or_else(|| self.path.to_string_lossy(), |member| (&*member.name).into());
        matches!(named(&name), Named::Source(Kind::Document, _))
    }

    pub(super) fn is_document(&self) -> bool {
        !matches!(self.kind, Kind::Table(_))
    }
}

/// What a name says: the ending, and below it that of a compression.
pub(super) fn named(name: &str) -> Named {
    let name = name.to_ascii_lowercase();
    let (stem, packing) = match name.rsplit_once('.') {
        Some((stem, "gz")) => (stem, Packing::Gzip),
        Some((stem, "zst" | "zstd")) => (stem, Packing::Zstd),
        Some((_, "tgz")) => return Named::Archive(ArchiveKind::Tar, Packing::Gzip),
        _ => (name.as_str(), Packing::Plain),
    };
    let ending = stem.rsplit_once('.').map_or("", |(_, ending)| ending);
    match (ending, packing) {
        ("json", _) => Named::Source(Kind::Document, packing),
        ("ndjson" | "jsonl", _) => Named::Source(Kind::Table(TableFormat::Lines), packing),
        ("csv", _) => Named::Source(Kind::Table(TableFormat::Csv), packing),
        ("parquet", Packing::Plain) => Named::Source(Kind::Table(TableFormat::Parquet), packing),
        ("tar", _) => Named::Archive(ArchiveKind::Tar, packing),
        ("zip", Packing::Plain) => Named::Archive(ArchiveKind::Zip, packing),
        _ => Named::Other,
    }
}

/// Finds the sources of what was named. `own` is the folder of the results, in which nothing is looked for.
/// `declared` says that a columns file tells the names in tables.
pub(super) fn find(inputs: &[PathBuf], own: &Path, work: &Path, declared: bool) -> Result<Sources, Error> {
    let mut sources = Sources { declared, ..Sources::default() };
    let own = own.canonicalize().ok();
    for input in inputs {
        if input.as_os_str() == "-" {
            sources.list.push(spool::standard_input(work)?);
        } else if input.is_dir() {
            folder(input, own.as_deref(), &mut sources, 0)?;
        } else if input.exists() {
            file(input, true, &mut sources)?;
        } else {
            matching(input, own.as_deref(), &mut sources)?;
        }
    }
    once(&mut sources);
    if !declared {
        sources.list.iter_mut().for_each(spool::settle_kind);
    }
    Ok(sources)
}

fn matching(input: &Path, own: Option<&Path>, sources: &mut Sources) -> Result<(), Error> {
    let pattern = input.to_string_lossy();
    if !pattern.contains(['*', '?', '[']) {
        return Err(Error::input(input, "there is no such file or folder"));
    }
    let found = glob::glob(&pattern).map_err(|wrong| Error::input(input, format!("as a pattern: {wrong}")))?;
    let mut found: Vec<PathBuf> = found
        .collect::<Result<_, _>>()
        .map_err(|wrong| Error::input(wrong.path(), format!("cannot be looked into: {}", wrong.error())))?;
    found.sort();
    if found.is_empty() {
        return Err(Error::input(input, "no file matches the pattern"));
    }
    for path in found {
        if path.is_dir() { folder(&path, own, sources, 0)? } else { file(&path, false, sources)? }
    }
    Ok(())
}

fn folder(path: &Path, own: Option<&Path>, sources: &mut Sources, depth: usize) -> Result<(), Error> {
    if own.is_some_and(|own| path.canonicalize().is_ok_and(|path| path == own)) {
        return Ok(());
    }
    if depth > DEPTH_MAX {
        return Err(Error::input(path, format!("folders nest deeper than {DEPTH_MAX}; does a link lead back?")));
    }
    let entries = fs::read_dir(path).map_err(|wrong| Error::input(path, format!("cannot be looked into: {wrong}")))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry.map_err(|wrong| Error::input(path, format!("cannot be looked into: {wrong}")))?.file_name());
    }
    names.sort();
    for name in names {
        let below = path.join(&name);
        // Hidden files, and those by which other programs say that they are done.
        if name.to_string_lossy().starts_with(['.', '_']) {
            sources.passed_over += 1;
        } else if below.is_dir() {
            folder(&below, own, sources, depth + 1)?;
        } else {
            file(&below, false, sources)?;
        }
    }
    Ok(())
}

/// Takes a file; one that was named itself must be of a known kind.
fn file(path: &Path, asked: bool, sources: &mut Sources) -> Result<(), Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let named = named(&name);
    if matches!(named, Named::Other) {
        if asked {
            return Err(Error::input(
                path,
                "what kind of file is that? Name it .json, .ndjson, .csv (each also .gz or .zst), .parquet, .tar, .tar.gz, .tar.zst or .zip",
            ));
        }
        sources.passed_over += 1;
        return Ok(());
    }
    let metadata = fs::metadata(path).map_err(|wrong| Error::input(path, wrong.to_string()))?;
    let written = metadata.modified().ok().and_then(|moment| moment.duration_since(UNIX_EPOCH).ok());
    let source = |kind, packing| Source {
        path: path.to_owned(),
        member: None,
        kind,
        packing,
        bytes: metadata.len(),
        written: written.unwrap_or_default().as_nanos(),
    };
    match named {
        Named::Source(kind, packing) => sources.list.push(source(kind, packing)),
        Named::Archive(kind, packing) => archive::list(kind, &source(Kind::Document, packing), sources),
        Named::Other => {}
    }
    Ok(())
}

/// A file that was named twice is taken once, where it was named first.
fn once(sources: &mut Sources) {
    let mut seen = std::collections::HashSet::with_capacity(sources.list.len());
    let mut again = 0;
    sources.list.retain(|source| {
        let path: PathBuf = source.path.components().filter(|part| *part != Component::CurDir).collect();
        let new = seen.insert((path, source.member.as_ref().map(|member| member.index)));
        again += u64::from(!new);
        new
    });
    sources.passed_over += again;
}
