//! What a source is: a file or an archive's member, its kind by its name. Must not know how sources are found, nor what
//! is in a statement.

use std::path::PathBuf;
use std::sync::Arc;

use super::kinds::{Kind, Named, named};
use super::packing::Packing;
use crate::batch::tally::PassedOver;
use crate::files::partition_keys;
use crate::statement::customer_name;

/// Where standard input is stored, below the folder of the results.
pub(crate) const STANDARD_INPUT: &str = "work/standard-input";

/// One file, or one member of an archive.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) member: Option<Member>,
    /// The folder's own name, the same however the path is written.
    pub(crate) folder: Arc<str>,
    pub(crate) kind: Kind,
    pub(crate) packing: Packing,
    /// Bytes as they are stored; of a member as it is unpacked.
    pub(crate) bytes: u64,
    /// Nanoseconds since 1970-01-01 when the file was last written.
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
    pub(crate) list: Vec<Source>,
    pub(crate) passed_over: Vec<PassedOver>,
    /// Whether a columns file tells the names in tables.
    pub(crate) declared: bool,
}

impl Source {
    /// The source as results and messages name it.
    pub(crate) fn label(&self) -> String {
        match &self.member {
            None if self.path.ends_with(STANDARD_INPUT) => "-".to_owned(),
            None => self.path.to_string_lossy().into_owned(),
            Some(member) => format!("{}!{}", self.path.to_string_lossy(), member.name),
        }
    }

    /// By what a shard tells whether the source is its own: the file's name and that of its folder, so that every
    /// spelling of a path, and every place where the inputs are mounted, gives the same parts.
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

    /// What is told of the source by the folders it lies in.
    pub(crate) fn keys(&self) -> Vec<(String, String)> {
        match &self.member {
            // It lies where the results do, which says nothing of it.
            None if self.path.ends_with(STANDARD_INPUT) => Vec::new(),
            None => partition_keys(&self.path.to_string_lossy()),
            Some(member) => partition_keys(&member.name),
        }
    }

    /// Whose all of the source is, where the folders say it under one of these names; empty where they say that nobody knows.
    pub(crate) fn customer(&self, names: &[&str]) -> Option<String> {
        let said = self.keys().into_iter().find(|(key, _)| names.contains(&key.as_str()));
        said.map(|(_, customer)| customer_name(&customer).unwrap_or_default().to_owned())
    }

    /// Whether its name alone says that it is one statement.
    pub(crate) fn is_named_statement(&self) -> bool {
        let name = self.member.as_ref().map_or_else(|| self.path.to_string_lossy(), |member| (&*member.name).into());
        matches!(named(&name), Named::Source(Kind::Document, _))
    }

    pub(crate) fn is_document(&self) -> bool {
        !matches!(self.kind, Kind::Table(_))
    }

    /// Whether there is anything to be read.
    pub(crate) fn is_readable(&self) -> bool {
        !matches!(self.kind, Kind::Unreadable(_) | Kind::Refused(_))
    }
}
