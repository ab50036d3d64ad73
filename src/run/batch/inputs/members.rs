//! Which members of an archive count, by the same rules as for folders. Hidden members are passed over, a file is read
//! once, and tables with a log are refused.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Cursor, Read};

use super::compression::{Compression, decompress_stream};
use super::kinds::{FileKind, SourceKind, is_aside, kind_by_first_bytes, kind_by_name};
use super::line_files::{detect_paths_in, detect_statement_in};
use super::source::{BatchSource, Member, Sources};
use crate::run::batch::tally::PassedOver;
use crate::run::files::kinds::BEGINNING;
use crate::run::files::{LogTable, log_table_of_member};
use crate::statement::{Columns, TableFormat};

/// The members of one archive as they are listed.
pub(crate) struct Members<'s> {
    archive: &'s BatchSource,
    sources: &'s mut Sources,
    /// Index of the first member among the sources.
    first: usize,
    /// Index among the sources, by normalized name.
    names: HashMap<String, usize>,
    /// Links: index in the archive, name, and normalized name of the target.
    links: Vec<(usize, String, String)>,
    /// Tables with a log, by their folder.
    logs: BTreeMap<String, LogTable>,
}

impl<'s> Members<'s> {
    pub(crate) fn new(archive: &'s BatchSource, sources: &'s mut Sources) -> Members<'s> {
        let first = sources.list.len();
        let (names, links, logs) = (HashMap::new(), Vec::new(), BTreeMap::new());
        Members { archive, sources, first, names, links, logs }
    }

    /// Whether [`Members::add_file`] reads the content of a member with this name.
    pub(crate) fn looks_into(&self, name: &str) -> bool {
        let is_named = self.declared().is_some();
        match kind_by_name(name) {
            FileKind::Source(SourceKind::Table(TableFormat::Lines), _) => !is_named,
            FileKind::Source(SourceKind::Document, _) => is_named,
            kind => matches!(kind, FileKind::ByContent(_)),
        }
    }

    /// The columns file, if it gives the names of columns.
    fn declared(&self) -> Option<&Columns> {
        self.sources.columns.as_ref().filter(|columns| columns.names_columns())
    }

    /// Adds a member with its content.
    pub(crate) fn add_file(&mut self, (index, name, bytes): (usize, &str, u64), content: &mut dyn Read) {
        if self.is_passed_over(name) {
            return;
        }
        let (kind, first) = match kind_by_name(name) {
            FileKind::ByContent(compression) => {
                let first = first_bytes(content, compression).unwrap_or_default();
                (kind_by_first_bytes(name, (&first, compression), self.sources.columns.as_ref()), first)
            }
            kind => (kind, Vec::new()),
        };
        let (kind, compression) = match kind {
            FileKind::Source(kind, compression) => (kind, compression),
            FileKind::Archive(..) => {
                let what = "an archive within an archive is not read; unpack the outer one";
                (SourceKind::Unreadable(what.to_owned()), Compression::Plain)
            }
            FileKind::Unsupported(what) => (SourceKind::Unreadable(what), Compression::Plain),
            FileKind::ByContent(_) => return self.pass_over(name, &FileKind::reason(None)),
            FileKind::Other(why) => return self.pass_over(name, &FileKind::reason(why)),
        };
        let mut source = self.source(index, name, kind, compression, bytes);
        // Of a member whose name says nothing, the first bytes were read already.
        let content = Cursor::new(first).chain(content);
        match (&source.kind, self.declared()) {
            (SourceKind::Table(TableFormat::Lines), None) => detect_statement_in(&mut source, content),
            (SourceKind::Document, Some(columns)) => detect_paths_in(&mut source, content, columns),
            _ => {}
        }
        self.add(name, source);
    }

    /// Adds a link. It is not a source of its own: its target counts.
    pub(crate) fn add_link(&mut self, index: usize, name: &str, target: &str, is_symbolic: bool) {
        if !self.is_passed_over(name) {
            // A hard link names its target from the archive's root, a symbolic link from its own folder.
            let folder = name.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
            let target = if is_symbolic { format!("{folder}/{target}") } else { target.to_owned() };
            self.links.push((index, name.to_owned(), plain_member_name(&target)));
        }
    }

    /// Adds a member that is neither a file, a folder nor a link.
    pub(crate) fn add_special(&mut self, index: usize, name: &str) {
        if !self.is_passed_over(name) {
            let what = "no file: a pipe, a device, or a kind of member that is not read".to_owned();
            let source = self.source(index, name, SourceKind::Unreadable(what), Compression::Plain, 0);
            self.add(name, source);
        }
    }

    /// Completes the list: resolves links, and replaces the members of a table with a log with one refusal.
    pub(crate) fn finish(mut self) {
        for (index, name, target) in std::mem::take(&mut self.links) {
            let is_folder = || self.names.keys().any(|other| other.starts_with(&format!("{target}/")));
            if self.names.contains_key(&target) {
                self.pass_over(&name, "a link to another member, which is taken once");
            } else if !matches!(kind_by_name(&name), FileKind::Other(_)) || is_folder() {
                let what = "a link to what the archive does not have as a file; pack it anew with links followed";
                let source = self.source(index, &name, SourceKind::Unreadable(what.to_owned()), Compression::Plain, 0);
                self.add(&name, source);
            } else {
                self.pass_over(&name, "no statements by its name");
            }
        }
        for (folder, table) in std::mem::take(&mut self.logs) {
            let below = |source: &BatchSource| {
                let name = source.member.as_ref().map(|member| plain_member_name(&member.name)).unwrap_or_default();
                folder.is_empty() || name.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
            };
            let mut at = 0;
            self.sources.list.retain(|source| {
                at += 1;
                at <= self.first || !below(source)
            });
            let what = table.advice();
            let source = self.source(usize::MAX, &folder, SourceKind::Unreadable(what), Compression::Plain, 0);
            self.sources.list.push(source);
        }
    }

    fn add(&mut self, name: &str, source: BatchSource) {
        let at = self.sources.list.len();
        match self.names.insert(plain_member_name(name), at) {
            None => self.sources.list.push(source),
            Some(first) => {
                // It is unknown which of them counts, so neither does.
                let what = "the archive has this member twice; unpack it, and keep one of them".to_owned();
                if let Some(first) = self.sources.list.get_mut(first) {
                    first.kind = SourceKind::Unreadable(what);
                }
                self.names.insert(plain_member_name(name), first);
            }
        }
    }

    /// Whether the member does not count; if so, lists it as passed over.
    fn is_passed_over(&mut self, name: &str) -> bool {
        if let Some(table) = log_table_of_member(name) {
            let folder = table.folder.to_string_lossy().replace('\\', "/");
            self.logs.entry(plain_member_name(&folder)).or_insert(table);
        }
        let is_aside = plain_member_name(name).split('/').any(is_aside);
        if is_aside {
            self.pass_over(name, "hidden, or begins with `_`");
        }
        is_aside
    }

    fn pass_over(&mut self, name: &str, why: &str) {
        let source = format!("{}!{name}", self.archive.path.to_string_lossy());
        self.sources.passed_over.push(PassedOver { source, why: why.to_owned() });
    }

    fn source(&self, index: usize, name: &str, kind: SourceKind, compression: Compression, bytes: u64) -> BatchSource {
        BatchSource {
            member: Some(Member { index, name: name.to_owned() }),
            kind,
            compression,
            bytes,
            ..self.archive.clone()
        }
    }
}

/// The name without `.`, `..` and empty parts.
fn plain_member_name(name: &str) -> String {
    let mut parts = Vec::new();
    for part in name.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn first_bytes(content: &mut dyn Read, compression: Compression) -> io::Result<Vec<u8>> {
    let mut first = Vec::new();
    decompress_stream(content, compression)?.take(BEGINNING).read_to_end(&mut first)?;
    Ok(first)
}
