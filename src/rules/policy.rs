//! A compiled policy as the outside sees it. Knows nothing of statements but how they are declared to be read.

use super::ir::{NodeId, Type};
use super::program::{Parameter, Program, RequestField};
use crate::words::date::{Day, Zone};
use crate::words::diagnostic::{Diagnostic, Sources};
use crate::words::digest::{Digest, Hasher};
use crate::words::money::{AmountUnit, Currency};
use crate::words::pricing::FeeMode;

/// What to do where the two forms of a date disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateConflictRule {
    /// Refuse the statement.
    Error,
    /// The ISO form counts.
    PreferIso,
    /// The DD-MM-YYYY form counts.
    PreferUnformatted,
}

/// What a negative amount means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NegativeAmountRule {
    /// Refuse the statement.
    Error,
    /// A negative credit is a debit, and the reverse.
    SwapSides,
}

/// What a record without any amount means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyAmountRule {
    /// Refuse the statement.
    Error,
    /// Leave the record out and count it.
    Drop,
}

/// `[policy]`
#[derive(Clone, Debug)]
pub struct Header {
    /// Name of the policy.
    pub name: String,
    /// Version of the policy.
    pub version: String,
    /// Currency of statements and offers.
    pub currency: Currency,
    /// Whether amounts in statements are major or minor units.
    pub statement_unit: AmountUnit,
    /// Whose calendar days count.
    pub zone: Zone,
    /// What a tenure counts, as sent to no one but kept for people.
    pub tenure_unit: String,
    /// First day on which the policy may decide.
    pub valid_from: Option<Day>,
    /// Last day on which the policy may decide.
    pub valid_to: Option<Day>,
    /// Rule for dates that disagree.
    pub date_conflict: DateConflictRule,
    /// Rule for negative amounts.
    pub negative_amount: NegativeAmountRule,
    /// Rule for records without an amount.
    pub empty_amount: EmptyAmountRule,
    /// Whether a fee is added to what is repaid or taken from what is paid out.
    pub fee_mode: FeeMode,
}

/// A policy that was checked and can decide. `Send + Sync`; holds no lock and no cache.
#[derive(Clone, Debug)]
pub struct Policy {
    pub(crate) file: String,
    pub(crate) header: Header,
    pub(crate) program: Program,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) digest: Digest,
    pub(crate) parameters_digest: Digest,
    pub(crate) overrides: Vec<(String, String)>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) sources: Sources,
}

impl Policy {
    pub(super) fn new(
        file: String,
        header: Header,
        program: Program,
        parameters: Vec<Parameter>,
        overrides: &[(String, String)],
        digest: Digest,
    ) -> Self {
        let mut hasher = Hasher::new();
        for parameter in &parameters {
            hasher.update(parameter.name.as_bytes()).update(b"=").update(parameter.text.as_bytes()).update(b"\n");
        }
        let parameters_digest = hasher.finish();
        let overrides = overrides.to_vec();
        Self {
            file,
            header,
            program,
            parameters,
            digest,
            parameters_digest,
            overrides,
            warnings: vec![],
            sources: Sources::default(),
        }
    }

    /// `[policy]`
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The name it was read by.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Stands for every byte of every file that was read.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Stands for the parameters in force.
    pub fn parameters_digest(&self) -> Digest {
        self.parameters_digest
    }

    /// The parameters in force, in the order of the files.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The fields a request may bring.
    pub fn request_fields(&self) -> &[RequestField] {
        &self.program.request
    }

    /// What is odd but no error.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The texts that diagnostics point into.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Metrics by name with their types, in the order of the files.
    pub fn metrics(&self) -> impl Iterator<Item = (&str, Type)> {
        self.program.metrics.iter().map(|metric| (metric.name.as_str(), self.type_of(metric.node)))
    }

    pub(crate) fn type_of(&self, node: NodeId) -> Type {
        self.program.graph.node(node).ty
    }
}
