//! A pulled statement: its pages as they came. Knows nothing of their content but what `wire` checks.

use std::fmt;

use bytes::Bytes;

use super::Error;
use crate::provider::wire::{TransactionRecords, merge_pages};

/// The pages of one statement, byte for byte as the provider sent them (decompressed).
#[derive(Clone)]
pub struct Pulled {
    pages: Vec<Bytes>,
    records: u64,
}

impl Pulled {
    pub(crate) fn new(pages: Vec<Bytes>, records: u64) -> Self {
        Pulled { pages, records }
    }

    /// The pages in order, at least one.
    pub fn pages(&self) -> &[Bytes] {
        &self.pages
    }

    /// The number of records on all pages.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// One E2 document: a single page unchanged, or the first page with the records of all.
    ///
    /// # Errors
    /// `malformed` if the pages do not fit together.
    pub fn into_statement(mut self) -> Result<Bytes, Error> {
        if self.pages.len() == 1 {
            return Ok(self.pages.remove(0));
        }
        merge_pages(&self.pages).map(Bytes::from).map_err(Error::unusable::<TransactionRecords>)
    }
}

impl fmt::Debug for Pulled {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Pulled {{ pages: {}, records: {} }}", self.pages.len(), self.records)
    }
}
