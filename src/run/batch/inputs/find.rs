//! Finds the sources and puts them into one list in one order: named files, folders, patterns, archives. What is passed
//! over is listed with its reason.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use super::archive;
use super::compression::{Compression, decompress_stream};
use super::kinds::{FileKind, SourceKind, is_aside, kind_by_first_bytes, kind_by_name};
use super::source::{BatchSource, Sources};
use super::{line_files, spool};
use crate::run::batch::error::Error;
use crate::run::batch::tally::PassedOver;
use crate::run::files::kinds::BEGINNING;
use crate::run::files::{FileId, acid_table, log_table, log_table_around, partition_keys};
use crate::statement::Columns;

/// The deepest nesting of folders.
const DEPTH_MAX: usize = 256;

/// Finds the sources of the inputs. `own` is the folder of the results, which is not searched.
pub(crate) fn find_batch_sources(
    inputs: &[PathBuf],
    own: &Path,
    work: &Path,
    columns: Option<&Columns>,
) -> Result<Sources, Error> {
    let mut search = SourceSearch {
        own: own.canonicalize().ok(),
        sources: Sources { columns: columns.cloned(), ..Sources::default() },
        seen: HashMap::new(),
        above: Vec::new(),
        logs: HashSet::new(),
    };
    for input in inputs {
        if input.as_os_str() == "-" {
            if !search.sources.list.iter().any(|source| source.label() == "-") {
                search.sources.list.push(spool::store_standard_input(work, columns)?);
            }
        } else if input.is_dir() {
            refuse_log_table(input)?;
            search.folder(input, true)?;
        } else if fs::symlink_metadata(input).is_ok() {
            refuse_log_table(input)?;
            search.named_file(input)?;
        } else {
            search.matching(input)?;
        }
    }
    let mut sources = search.sources;
    match columns {
        Some(columns) if columns.names_columns() => {
            sources.list.iter_mut().for_each(|source| line_files::detect_paths(source, columns));
        }
        _ => sources.list.iter_mut().for_each(line_files::detect_statement),
    }
    Ok(sources)
}

/// Refuses an input that is inside a table with a log.
fn refuse_log_table(input: &Path) -> Result<(), Error> {
    match log_table_around(input) {
        Some(table) => Err(Error::input(input, table.refusal())),
        None => Ok(()),
    }
}

struct SourceSearch {
    own: Option<PathBuf>,
    sources: Sources,
    /// Where each file was found first.
    seen: HashMap<FileId, PathBuf>,
    /// The folders that are being searched, outermost first.
    above: Vec<FileId>,
    /// Tables with a log that a pattern or a link led into; each is listed once.
    logs: HashSet<PathBuf>,
}

impl SourceSearch {
    fn matching(&mut self, input: &Path) -> Result<(), Error> {
        let pattern = input.to_string_lossy();
        if !pattern.contains(['*', '?', '[']) {
            return Err(Error::input(input, "there is no such file or folder"));
        }
        let found = glob::glob(&pattern).map_err(|wrong| Error::input(input, format!("as a pattern: {wrong}")))?;
        let mut paths = Vec::new();
        for path in found {
            match path {
                Ok(path) => paths.push(path),
                Err(wrong) => self.cannot_look_into(wrong.path(), wrong.error()),
            }
        }
        paths.sort();
        if paths.is_empty() {
            return Err(Error::input(input, "no file matches the pattern"));
        }
        let aside = HiddenParts::for_pattern(&pattern);
        for path in paths {
            if aside.holds(&path) {
                self.pass_over(&path, "hidden, or begins with `_`");
            } else if path.is_dir() {
                self.folder(&path, true)?;
            } else {
                self.file(&path, None)?;
            }
        }
        Ok(())
    }

    /// Searches a folder; `is_named` means that it was not found inside another one.
    fn folder(&mut self, path: &Path, is_named: bool) -> Result<(), Error> {
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(wrong) => return self.cannot_look(path, is_named, &wrong),
        };
        let id = FileId::from_parts(path, &metadata);
        if self.above.contains(&id) {
            let what = "a link that leads back to a folder above it; what is there is read once";
            self.add_unread(path, SourceKind::Refused(what.to_owned()));
            return Ok(());
        }
        let canonical = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if self.own.as_ref() == Some(&canonical) {
            return Ok(());
        }
        if let Some(table) = log_table(path) {
            self.add_unread(path, SourceKind::Unreadable(table.advice()));
            return Ok(());
        }
        if self.is_in_log_table(path, is_named) {
            return Ok(());
        }
        if self.above.len() > DEPTH_MAX {
            self.add_unread(path, SourceKind::Unreadable(format!("folders nest deeper than {DEPTH_MAX}")));
            return Ok(());
        }
        let names = |entries: fs::ReadDir| entries.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>();
        let mut names = match fs::read_dir(path).and_then(names) {
            Ok(names) => names,
            Err(wrong) => return self.cannot_look(path, is_named, &wrong),
        };
        names.sort();
        if let Some(table) = acid_table(path, &names) {
            self.add_unread(path, SourceKind::Unreadable(table.advice()));
            return Ok(());
        }
        let folder: Arc<str> = last_name(&canonical).into();
        self.above.push(id);
        for name in names {
            let below = path.join(&name);
            if is_aside(&name.to_string_lossy()) {
                self.pass_over(&below, "hidden, or begins with `_`");
            } else if below.is_dir() {
                self.folder(&below, false)?;
            } else {
                self.file(&below, Some(&folder))?;
            }
        }
        self.above.pop();
        Ok(())
    }

    /// A named folder that cannot be read ends the run; a folder below it is one failure among others.
    fn cannot_look(&mut self, path: &Path, is_named: bool, wrong: &io::Error) -> Result<(), Error> {
        if is_named {
            return Err(Error::input(path, format!("cannot be read: {wrong}")));
        }
        self.cannot_look_into(path, wrong);
        Ok(())
    }

    fn cannot_look_into(&mut self, path: &Path, wrong: &io::Error) {
        self.add_unread(path, SourceKind::Unreadable(format!("the folder cannot be looked into: {wrong}")));
    }

    /// Adds a file that was named. If its kind is unknown, the run is refused.
    fn named_file(&mut self, path: &Path) -> Result<(), Error> {
        match kind_of(path, self.sources.columns.as_ref()) {
            Ok(FileKind::Other(why)) => Err(Error::input(path, FileKind::refusal(why))),
            Ok(FileKind::ByContent(_)) => Err(Error::input(path, FileKind::refusal(None))),
            Ok(FileKind::Unsupported(what)) => Err(Error::input(path, what)),
            Ok(_) | Err(_) => self.file(path, None),
        }
    }

    /// Adds a file, or lists why it was not added.
    fn file(&mut self, path: &Path, folder: Option<&Arc<str>>) -> Result<(), Error> {
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(wrong) => {
                let is_link = fs::symlink_metadata(path).is_ok_and(|link| link.is_symlink());
                let what = if is_link { format!("a link that leads nowhere: {wrong}") } else { wrong.to_string() };
                match kind_by_name(&path.to_string_lossy()) {
                    FileKind::Other(why) => self.pass_over(path, &FileKind::reason(why)),
                    _ => self.add_unread(path, SourceKind::Unreadable(what)),
                }
                return Ok(());
            }
        };
        let kind = match kind_of(path, self.sources.columns.as_ref()) {
            // Only a pipe or a device is still open: it is never looked into.
            Ok(FileKind::ByContent(_)) => {
                self.pass_over(path, &FileKind::reason(None));
                return Ok(());
            }
            Ok(FileKind::Other(why)) => {
                self.pass_over(path, &FileKind::reason(why));
                return Ok(());
            }
            Ok(FileKind::Unsupported(what)) => {
                self.add_unread(path, SourceKind::Unreadable(what));
                return Ok(());
            }
            Ok(kind) => kind,
            Err(wrong) => {
                self.add_unread(path, SourceKind::Unreadable(wrong.to_string()));
                return Ok(());
            }
        };
        if !metadata.is_file() {
            let what = "a pipe, socket or device; write what it gives to a file, or give it as standard input by `-`";
            self.add_unread(path, SourceKind::Unreadable(what.to_owned()));
            return Ok(());
        }
        if self.is_in_log_table(path, folder.is_none()) || self.is_again(path, &metadata) {
            return Ok(());
        }
        self.take(path, kind, &metadata, folder);
        Ok(())
    }

    fn take(&mut self, path: &Path, kind: FileKind, metadata: &Metadata, folder: Option<&Arc<str>>) {
        let written = metadata.modified().ok().and_then(|moment| moment.duration_since(UNIX_EPOCH).ok());
        let source = |kind, compression| BatchSource {
            path: path.to_owned(),
            member: None,
            folder: folder.map_or_else(|| folder_name(path), Arc::clone),
            kind,
            compression,
            bytes: metadata.len(),
            written: written.unwrap_or_default().as_nanos(),
        };
        match kind {
            FileKind::Source(kind, compression) => self.sources.list.push(source(kind, compression)),
            FileKind::Archive(kind, compression) => {
                archive::add_members(kind, &source(SourceKind::Document, compression), &mut self.sources)
            }
            FileKind::Unsupported(_) | FileKind::ByContent(_) | FileKind::Other(_) => {}
        }
    }

    /// Whether the file was found before, under any name. If the folders of its two names give different keys, it is
    /// unclear which name is meant, and the second is listed as unreadable.
    fn is_again(&mut self, path: &Path, metadata: &Metadata) -> bool {
        let id = FileId::from_parts(path, metadata);
        let Some(first) = self.seen.get(&id) else {
            self.seen.insert(id, path.to_owned());
            return false;
        };
        let keys = |path: &Path| {
            let (label, columns) = (path.to_string_lossy(), self.sources.columns.as_ref());
            let keys = partition_keys(&label);
            // Its reader reports what is wrong with them.
            columns.and_then(|columns| columns.given(&label, keys.clone()).ok()).unwrap_or(keys)
        };
        let name = first.to_string_lossy().into_owned();
        if keys(first) == keys(path) {
            self.pass_over(path, &format!("the same file as {name}, which is taken once"));
        } else {
            let what = format!("the same file as {name}, whose folders or name say something else; keep one of them");
            self.add_unread(path, SourceKind::Unreadable(what));
        }
        true
    }

    /// Whether a path leads into a table with a log; if so, lists the table. For a path found in a folder only a link
    /// can, because the folders above it were checked on the way.
    fn is_in_log_table(&mut self, path: &Path, is_named: bool) -> bool {
        let is_link = || fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        if !is_named && !is_link() {
            return false;
        }
        let Some(table) = log_table_around(path) else { return false };
        if self.logs.insert(table.folder.clone()) {
            self.add_unread(path, SourceKind::Unreadable(table.refusal()));
        }
        true
    }

    fn pass_over(&mut self, path: &Path, why: &str) {
        let source = path.to_string_lossy().into_owned();
        self.sources.passed_over.push(PassedOver { source, why: why.to_owned() });
    }

    fn add_unread(&mut self, path: &Path, kind: SourceKind) {
        let (member, compression, bytes, written) = (None, Compression::Plain, 0, 0);
        let source =
            BatchSource { path: path.to_owned(), member, folder: folder_name(path), kind, compression, bytes, written };
        self.sources.list.push(source);
    }
}

/// What a file is, by its name or its first bytes.
fn kind_of(path: &Path, columns: Option<&Columns>) -> io::Result<FileKind> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let compression = match kind_by_name(&name) {
        FileKind::ByContent(compression) if fs::metadata(path)?.is_file() => compression,
        kind => return Ok(kind),
    };
    let mut first = Vec::new();
    decompress_stream(File::open(path)?, compression)?.take(BEGINNING).read_to_end(&mut first)?;
    Ok(kind_by_first_bytes(&name, (&first, compression), columns))
}

/// The name of the folder of a file, with links and `..` resolved.
fn folder_name(path: &Path) -> Arc<str> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    folder.canonicalize().map(|folder| last_name(&folder)).unwrap_or_default().into()
}

fn last_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Names that begin with `.` or `_`, as far as a pattern asks for them explicitly.
struct HiddenParts {
    asked: Vec<glob::Pattern>,
    /// The number of parts of the path before the first wildcard.
    named: usize,
}

impl HiddenParts {
    fn for_pattern(pattern: &str) -> HiddenParts {
        let parts = || Path::new(pattern).components().map(|part| part.as_os_str().to_string_lossy().into_owned());
        let asked = parts().filter(|part| is_aside(part)).filter_map(|part| glob::Pattern::new(&part).ok());
        HiddenParts {
            asked: asked.collect(),
            named: parts().take_while(|part| !part.contains(['*', '?', '['])).count(),
        }
    }

    /// Whether only wildcards matched some hidden part of the path.
    fn holds(&self, path: &Path) -> bool {
        let parts = path.components().skip(self.named).filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy()),
            _ => None,
        });
        parts.filter(|name| is_aside(name)).any(|name| !self.asked.iter().any(|pattern| pattern.matches(&name)))
    }
}
