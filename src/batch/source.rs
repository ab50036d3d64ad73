//! What a source is: a file or an archive's member, its kind by its name. Must not know how sources are found, nor what
//! is in a statement.

use std::path::PathBuf;
use std::sync::Arc;

use super::kinds::{Named, named};
use super::spool;
use super::tally::PassedOver;
use crate::files::partition_keys;
use crate::statement::{TableFormat, customer_name};

/// One file, or one member of an archive.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) member: Option<Member>,
    /// The folder's own name, the same however the path is written.
    pub(super) folder: Arc<str>,
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
    /// Nothing that can be read, and why. Records may be missing with it.
    Unreadable(String),
    /// Nothing that can be read, and why. No records are missing with it.
    Refused(String),
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

/// All sources of a run, and the files that were passed over.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pub(super) list: Vec<Source>,
    pub(super) passed_over: Vec<PassedOver>,
    /// Whether a columns file tells the names in tables.
    pub(super) declared: bool,
}

impl Source {
    /// The source as results and messages name it.
    pub(super) fn label(&self) -> String {
        match &self.member {
            None if self.path.ends_with(spool::STANDARD_INPUT) => "-".to_owned(),
            None => self.path.to_string_lossy().into_owned(),
            Some(member) => format!("{}!{}", self.path.to_string_lossy(), member.name),
        }
    }

    /// By what a shard tells whether the source is its own: the file's name and that of its folder, so that every
    /// spelling of a path, and every place where the inputs are mounted, gives the same parts.
    pub(super) fn shard_key(&self) -> String {
        if self.path.ends_with(spool::STANDARD_INPUT) {
            return "-".to_owned();
        }
        let file = self.path.file_name().unwrap_or_default().to_string_lossy();
        match &self.member {
            None => format!("{}/{file}", self.folder),
            Some(member) => format!("{}/{file}!{}", self.folder, member.name),
        }
    }

    /// What is told of the source by the folders it lies in.
    pub(super) fn keys(&self) -> Vec<(String, String)> {
        match &self.member {
            // It lies where the results do, which says nothing of it.
            None if self.path.ends_with(spool::STANDARD_INPUT) => Vec::new(),
            None => partition_keys(&self.path.to_string_lossy()),
            Some(member) => partition_keys(&member.name),
        }
    }

    /// Whose all of the source is, where the folders say it under one of these names; empty where they say that nobody knows.
    pub(super) fn customer(&self, names: &[&str]) -> Option<String> {
        let said = self.keys().into_iter().find(|(key, _)| names.contains(&key.as_str()));
        said.map(|(_, customer)| customer_name(&customer).unwrap_or_default().to_owned())
    }

    /// Whether its name alone says that it is one statement.
    pub(super) fn is_named_statement(&self) -> bool {
        let name = self.member.as_ref().map_or_else(|| self.path.to_string_lossy(), |member| (&*member.name).into());
        matches!(named(&name), Named::Source(Kind::Document, _))
    }

    pub(super) fn is_document(&self) -> bool {
        !matches!(self.kind, Kind::Table(_))
    }

    /// Whether there is anything to be read.
    pub(super) fn is_readable(&self) -> bool {
        !matches!(self.kind, Kind::Unreadable(_) | Kind::Refused(_))
    }
}
