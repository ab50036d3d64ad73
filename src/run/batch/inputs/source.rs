//! A source: a file or a member of an archive.

use std::path::PathBuf;
use std::sync::Arc;

use super::compression::Compression;
use super::kinds::{FileKind, SourceKind, kind_by_name};
use crate::run::batch::tally::PassedOver;
use crate::run::files::partition_keys;
use crate::statement::{Columns, customer_name};

/// Where standard input is stored, below the folder of the results.
pub(crate) const STANDARD_INPUT: &str = "work/standard-input";

/// One file, or one member of an archive.
#[derive(Clone, Debug)]
pub(crate) struct BatchSource {
    pub(crate) path: PathBuf,
    pub(crate) member: Option<Member>,
    /// The folder's own name, whatever path leads to it.
    pub(crate) folder: Arc<str>,
    pub(crate) kind: SourceKind,
    pub(crate) compression: Compression,
    /// Bytes as stored; for a member of an archive, bytes once extracted.
    pub(crate) bytes: u64,
    /// When the file was last written, in nanoseconds since 1970-01-01.
    pub(crate) written: u128,
}

/// Which member of an archive.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) index: usize,
    pub(crate) name: String,
}

/// All sources of a run, and the files that were passed over.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    pub(crate) list: Vec<BatchSource>,
    pub(crate) passed_over: Vec<PassedOver>,
    /// What is declared of the files.
    pub(crate) columns: Option<Columns>,
}

impl BatchSource {
    /// The source as results and messages name it.
    pub(crate) fn label(&self) -> String {
        match &self.member {
            None if self.path.ends_with(STANDARD_INPUT) => "-".to_owned(),
            None => self.path.to_string_lossy().into_owned(),
            Some(member) => format!("{}!{}", self.path.to_string_lossy(), member.name),
        }
    }

    /// Decides which shard the source belongs to: the names of the file and its folder. So every spelling of a path,
    /// and every place where the inputs are mounted, gives the same shards.
    pub(crate) fn shard_key(&self) -> String {
        if self.path.ends_with(STANDARD_INPUT) {
            return "-".to_owned();
        }
        let file = self.path.file_name().unwrap_or_default().to_string_lossy();
        match &self.member {
            None => format!("{}/{file}", self.folder),
            Some(member) => format!("{}/{file}!{}", self.folder, member.name),
        }
    }

    /// The partition keys in the names of the folders above the source.
    pub(crate) fn keys(&self) -> Vec<(String, String)> {
        match &self.member {
            // It is stored below the results, whose folders do not describe it.
            None if self.path.ends_with(STANDARD_INPUT) => Vec::new(),
            None => partition_keys(&self.path.to_string_lossy()),
            Some(member) => partition_keys(&member.name),
        }
    }

    /// The customer of the whole source, where a folder gives it under one of these names. Empty where the folder says
    /// that the customer is unknown.
    pub(crate) fn customer(&self, names: &[&str]) -> Option<String> {
        let found = self.keys().into_iter().find(|(key, _)| names.contains(&key.as_str()));
        found.map(|(_, customer)| customer_name(&customer).unwrap_or_default().into_owned())
    }

    /// Whether its name alone shows that it is one statement.
    pub(crate) fn is_named_statement(&self) -> bool {
        let name = self.member.as_ref().map_or_else(|| self.path.to_string_lossy(), |member| (&*member.name).into());
        matches!(kind_by_name(&name), FileKind::Source(SourceKind::Document, _))
    }

    pub(crate) fn is_document(&self) -> bool {
        !matches!(self.kind, SourceKind::Table(_))
    }

    /// Whether it can be read.
    pub(crate) fn is_readable(&self) -> bool {
        !matches!(self.kind, SourceKind::Unreadable(_) | SourceKind::Refused(_))
    }
}
