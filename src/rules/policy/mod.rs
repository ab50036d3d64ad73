//! A compiled policy, as users of the library see it. Of statements it knows only how to read them.

pub(crate) mod header;
pub(super) mod policies;
pub(super) mod split;

use std::collections::BTreeMap;

use crate::base::date::{Day, Zone};
use crate::base::diagnostic::{Diagnostic, Sources};
use crate::base::digest::{Digest, Hasher};
use crate::base::money::{AmountUnit, Currency};
use crate::base::pricing::{FeeMode, TenureUnit};
use crate::rules::graph::NodeId;
use crate::rules::key_list::KeyList;
use crate::rules::policy::split::Split;
use crate::rules::program::Program;
use crate::rules::program::inputs::{Input, Parameter};
use crate::rules::syntax::uses::UsedFile;
use crate::rules::types::Type;

/// What to do if the two forms of a date disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateConflictRule {
    /// Refuse the statement.
    Error,
    /// The ISO form counts.
    PreferIso,
    /// The DD-MM-YYYY form counts.
    PreferUnformatted,
}

/// Which of its dates is a record's day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordDayRule {
    /// The day of the transaction.
    TransDate,
    /// The day on which it cleared.
    ClearedDate,
}

/// What a negative amount means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NegativeAmountRule {
    /// Refuse the statement.
    Error,
    /// A negative credit is a debit, and the reverse.
    SwapSides,
    /// A negative debit is a debit.
    SameSide,
}

/// What a record without any amount means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyAmountRule {
    /// Refuse the statement.
    Error,
    /// Drop the record and count it.
    Drop,
}

/// Which yearly rate the law of a market means by the cost of a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AprRate {
    /// Twelve times the monthly rate.
    Nominal,
    /// With interest on interest.
    Effective,
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
    /// The time zone whose days count.
    pub zone: Zone,
    /// The unit of tenures, for people; it is never sent.
    pub tenure_unit: TenureUnit,
    /// First day on which the policy may decide.
    pub valid_from: Option<Day>,
    /// Last day on which the policy may decide.
    pub valid_to: Option<Day>,
    /// Rule for dates that disagree.
    pub date_conflict: DateConflictRule,
    /// Which date is a record's day.
    pub record_day: RecordDayRule,
    /// Rule for negative amounts.
    pub negative_amount: NegativeAmountRule,
    /// Rule for records without an amount.
    pub empty_amount: EmptyAmountRule,
    /// Whether nothing is decided without the day of the decision.
    pub requires_as_of: bool,
    /// Whether a fee is added to the repayment or deducted from the payout.
    pub fee_mode: FeeMode,
    /// What the law of the market calls the yearly cost of a loan.
    pub apr_name: String,
    /// Which yearly rate that is.
    pub apr_rate: AprRate,
}

impl Header {
    /// The key that makes the two read statements differently, if there is one.
    pub(crate) fn reads_otherwise(&self, other: &Header) -> Option<&'static str> {
        let keys = [
            ("currency", self.currency != other.currency),
            ("time_zone", self.zone != other.zone),
            ("statement_unit", self.statement_unit != other.statement_unit),
            ("date_conflict", self.date_conflict != other.date_conflict),
            ("record_day", self.record_day != other.record_day),
            ("negative_amount", self.negative_amount != other.negative_amount),
            ("empty_amount", self.empty_amount != other.empty_amount),
        ];
        keys.into_iter().find(|(_, differs)| *differs).map(|(key, _)| key)
    }
}

/// A policy on trial for a share of the customers.
#[derive(Clone, Debug)]
pub struct Challenger {
    /// The policy.
    pub policy: Policy,
    /// The customers that it decides on.
    pub split: Split,
}

/// A checked policy that can decide. It is `Send + Sync`, without locks or caches.
///
/// ```
/// use lendwright::load_policy;
/// let policy = load_policy("rules/starter.toml", &[])?;
/// println!("{} {}, {}", policy.header().name, policy.header().version, policy.digest());
/// assert!(policy.metrics().any(|(name, _)| name == "credit_total"));
/// # Ok::<(), lendwright::files::PolicyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Policy {
    pub(crate) file: String,
    pub(crate) header: Header,
    pub(crate) program: Program,
    pub(crate) used: Vec<UsedFile>,
    pub(crate) challenger: Option<Box<Challenger>>,
    pub(crate) digest: Digest,
    pub(crate) parameters_digest: Digest,
    pub(crate) overrides: Vec<(String, String)>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) sources: Sources,
    /// Every list of keys that was read with it.
    pub(crate) read_lists: Vec<KeyList>,
    /// The index of its own text among the sources; a challenger's is not the first.
    pub(crate) main: u32,
}

impl Policy {
    pub(super) fn new(
        file: String,
        header: Header,
        program: Program,
        used: Vec<UsedFile>,
        overrides: &[(String, String)],
        digest: Digest,
    ) -> Self {
        let mut hasher = Hasher::new();
        for parameter in &program.parameters {
            for value in &parameter.values {
                hasher.update(parameter.name.as_bytes());
                if let Some(from) = value.from {
                    hasher.update(b"@").update(from.to_string().as_bytes());
                }
                hasher.update(b"=").update(value.text.as_bytes()).update(b"\n");
            }
        }
        let parameters_digest = hasher.finish();
        let overrides = overrides.to_vec();
        Self {
            file,
            header,
            program,
            used,
            challenger: None,
            digest,
            parameters_digest,
            overrides,
            warnings: vec![],
            sources: Sources::default(),
            read_lists: vec![],
            main: 0,
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

    /// The digest of all files that were read.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The digest of the parameters in force.
    pub fn parameters_digest(&self) -> Digest {
        self.parameters_digest
    }

    /// The parameters, in the order of the files.
    pub fn parameters(&self) -> &[Parameter] {
        &self.program.parameters
    }

    /// The inputs that may be given with the statement.
    pub fn inputs(&self) -> &[Input] {
        &self.program.inputs
    }

    /// The files that it uses, directly or through others.
    pub fn used_files(&self) -> &[UsedFile] {
        &self.used
    }

    /// The digest of its file of corrections, if it names one.
    pub fn corrections_digest(&self) -> Option<Digest> {
        self.program.corrections.as_ref().map(|corrections| corrections.digest)
    }

    /// The lists that its rules ask, by name, with the digests of their files.
    pub fn list_digests(&self) -> BTreeMap<String, Digest> {
        self.program.lists.iter().map(|list| (list.name.clone(), list.keys.digest)).collect()
    }

    /// The same policy with some of its corrections, or none. For evidence: its digest stays that of the files.
    #[must_use]
    pub(crate) fn keeping_corrections(&self, keeps: impl Fn(usize) -> bool) -> Policy {
        let mut policy = self.clone();
        policy.challenger = None;
        if let Some(corrections) = &mut policy.program.corrections {
            *corrections = corrections.keeping(keeps);
        }
        policy
    }

    /// Its challenger, if there is one.
    pub fn challenger(&self) -> Option<&Challenger> {
        self.challenger.as_deref()
    }

    /// The warnings.
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

    /// The metrics that it judges by. Requirements, score, tables and offers need no others. In the order of the files.
    pub fn judged_by(&self) -> Vec<&str> {
        self.program.judged_by()
    }

    pub(crate) fn type_of(&self, node: NodeId) -> Type {
        self.program.graph.node(node).ty
    }
}
