//! What a policy finds in each record: counterparty, stream, every flag, a kind in one word, and why. Everything comes
//! from the policy's own compiled definitions. Decides no outcome.

mod contributing_records;
mod flags;
mod kinds;
mod row;
mod table;
mod why;
mod wording;

use std::collections::HashMap;

use polars::prelude::DataFrame;
use rayon::prelude::*;

pub use self::flags::VerdictsError;
use self::flags::{Flags, PolicyFlags};
pub use self::kinds::KINDS;
use self::row::FlaggedRow;
use self::wording::Wording;
use crate::base::date::Day;
use crate::engine::metrics::{GivenInputs, Groups, StatementSlice, cut_into_morsels, evaluate_scheduled};
use crate::rules::graph::{Grain, Group, NodeId};
use crate::rules::program::{Metric, Value};
use crate::rules::{Policy, PolicySet, Type};
use crate::statement::{Statements, printed_narrations};

/// What is asked about records.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct VerdictsAsked {
    /// The day that streams and windows look back from; later records are omitted. By default the last day of each
    /// statement.
    pub as_of: Option<Day>,
    /// The definitions of `[transaction]` to show, of any type; if empty, all conditions whose name begins with `is_`.
    pub flags: Vec<String>,
    /// The flags that give a record its kind, the strongest first; if empty, [`KINDS`].
    pub kinds: Vec<String>,
    /// The flag that `why` is about, whether it holds or not. `None`: the flag that gives the record its kind.
    pub why: Option<String>,
}

/// A flag, or another value of records.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FlagColumn {
    /// Its name in the rule files.
    pub name: String,
    /// The type of its values.
    pub ty: Type,
}

/// The stream that a record belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordStream {
    /// Its number in the statement, from 1, in the order of first records.
    pub number: usize,
    /// The most frequent counterparty of its records.
    pub payer: Option<String>,
    /// `weekly`, `fortnightly`, `semimonthly`, `four_weekly`, `monthly` or `quarterly`.
    pub period: String,
}

/// One record, and what the policy finds in it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Verdict {
    /// The customer, if the source names one.
    pub customer: Option<String>,
    /// The statement's file or reference.
    pub statement: String,
    /// The account, if the source distinguishes a customer's accounts.
    pub account: Option<String>,
    /// The place among the statement's records, from 1.
    pub record: usize,
    /// The record's identifier.
    pub id: Option<String>,
    /// Its day.
    pub day: Option<Day>,
    /// Money in, in minor units.
    pub credit: Option<i64>,
    /// Money out, in minor units.
    pub debit: Option<i64>,
    /// The balance after it, in minor units.
    pub balance: Option<i64>,
    /// The narration.
    pub narration: Option<String>,
    /// The counterparty's key.
    pub counterparty: Option<String>,
    /// The stream that it belongs to.
    pub stream: Option<RecordStream>,
    /// What it is in one word; `other` if no flag says, `None` if that is unknown.
    pub kind: Option<String>,
    /// The kind that a correction gives it.
    pub corrected_to: Option<String>,
    /// Why it is of this kind, or why the asked flag holds or not; empty for `other`.
    pub why: String,
    /// Who wrote which words of the narration, where `why` names a flag: bank `nip gtb`, name `ada obi`, remark
    /// `rent`. Empty otherwise.
    pub parts: String,
    /// Why values are unknown, each reason with the flags that it leaves unknown.
    pub unknown: String,
    /// The values of [`Verdicts::flags`]; `None` is unknown.
    pub values: Vec<Option<Value>>,
    /// Why further flags hold or do not, by their places in [`Verdicts::flags`].
    reasons: Vec<(usize, String)>,
}

impl Verdict {
    /// Why a flag holds or does not, if that was asked for.
    pub(crate) fn reason(&self, flag: usize) -> Option<&str> {
        self.reasons.iter().find(|(known, _)| *known == flag).map(|(_, why)| why.as_str())
    }
}

/// The records of some statements, and what a policy finds in them.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Verdicts {
    /// The flags, in the order of the rule files.
    pub flags: Vec<FlagColumn>,
    /// The records, statement by statement, in the order of [`Statements::frame`].
    pub records: Vec<Verdict>,
}

impl Verdicts {
    /// The columns without any record. Checks the asked names before anything is read.
    ///
    /// # Errors
    /// As [`verdicts`].
    pub fn of_no_records(policies: &dyn PolicySet, asked: &VerdictsAsked) -> Result<Verdicts, VerdictsError> {
        Ok(Verdicts { flags: Flags::new(policies, asked)?.columns, records: Vec::new() })
    }

    /// The same as a table, one row per record. Money is in minor units, unknown is null.
    ///
    /// # Errors
    /// Only if Polars refuses the columns.
    pub fn table(&self) -> Result<DataFrame, VerdictsError> {
        table::build_flags_table(self).map_err(|error| VerdictsError::Metrics(error.into()))
    }
}

/// Selects flags of a record.
pub(crate) type Explains<'e> = &'e (dyn Fn(&Verdict) -> Vec<usize> + Sync);

/// What a policy finds in each record, by the version of the statement's day. Duplicates that reading dropped, and
/// records after the asked day, have no row.
///
/// ```
/// use lendwright::decision::{VerdictsAsked, reading, verdicts};
/// use lendwright::{compile, read_json};
///
/// let rules = r#"
/// [policy]
/// name = "small"
/// version = "1"
/// currency = "566"
/// time_zone = "Africa/Lagos"
///
/// [words]
/// salary = ["salary", "payroll"]
///
/// [transaction]
/// is_salary = "credit > 0 AND mentions(salary)"
/// "#;
/// let policy = compile("small.toml", rules, &mut |_| Err("no other files".into()), &[])?;
/// let body = br#"[{"id": "1", "credit": 2500.50, "trans_date": "2026-06-30", "notes": {"desc": "SALARY JUNE"}}]"#;
/// let statements = read_json(body, "reference 1", &reading(&policy))?;
///
/// let found = verdicts(&policy, &statements, &VerdictsAsked::default())?;
/// assert_eq!(found.records[0].kind.as_deref(), Some("salary"));
/// assert_eq!(found.records[0].why, "the narration mentions `salary` (list salary)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the policy has no flag of an asked name, or versions of it give one name different types.
pub fn verdicts(
    policies: &dyn PolicySet,
    statements: &Statements,
    asked: &VerdictsAsked,
) -> Result<Verdicts, VerdictsError> {
    verdicts_explaining(policies, statements, asked, &|_| Vec::new())
}

/// As [`verdicts`]. `explains` says of which further flags of a record to say why, by their places.
///
/// # Errors
/// As [`verdicts`].
pub fn verdicts_explaining(
    policies: &dyn PolicySet,
    statements: &Statements,
    asked: &VerdictsAsked,
    explains: Explains,
) -> Result<Verdicts, VerdictsError> {
    let _span = tracing::debug_span!("verdicts", statements = statements.len()).entered();
    let flags = Flags { explains, ..Flags::new(policies, asked)? };
    let parts: Vec<Vec<Verdict>> = cut_into_morsels(statements)
        .into_par_iter()
        .map(|range| of_range(policies, &flags, &StatementSlice::new(policies, statements, range, asked.as_of)?))
        .collect::<Result<_, VerdictsError>>()?;
    Ok(Verdicts { flags: flags.columns, records: parts.into_iter().flatten().collect() })
}

/// The records of a slice, each by the version of its statement's day.
fn of_range(
    policies: &dyn PolicySet,
    flags: &Flags<'_>,
    slice: &StatementSlice,
) -> Result<Vec<Verdict>, VerdictsError> {
    let mut of_statements: Vec<Vec<Verdict>> = slice.heads.iter().map(|_| Vec::new()).collect();
    let shown = Shown::from_slice(slice)?;
    for (version, own) in policies.versions().iter().zip(&flags.of_versions) {
        let is_of_version = |day: &Option<Day>| std::ptr::eq(policies.version_on(*day), version);
        if slice.as_of.iter().any(is_of_version) {
            let statements = (0..slice.heads.len()).filter(|statement| is_of_version(&slice.as_of[*statement]));
            let found = of_version(version, own, flags, slice, &shown, statements)?;
            found.into_iter().for_each(|(statement, found)| of_statements[statement] = found);
        }
    }
    Ok(of_statements.into_iter().flatten().collect())
}

fn of_version(
    policy: &Policy,
    own: &PolicyFlags,
    flags: &Flags<'_>,
    slice: &StatementSlice,
    shown: &Shown,
    statements: impl Iterator<Item = usize>,
) -> Result<Vec<(usize, Vec<Verdict>)>, VerdictsError> {
    let groups = Groups::new(&policy.program, slice);
    // Groups that no flag needs are shown all the same.
    groups.grouping(Group::Counterparty)?;
    groups.grouping(Group::Stream)?;
    let evaluated = evaluate_scheduled(&groups, &GivenInputs::default(), &own.schedule)?;
    let names = definitions(policy);
    let payers = most_frequent_payers(&evaluated)?;
    let behind = contributing_records::Behind::default();
    let wording = Wording { behind: &behind, narrations: &shown.narrations, topics: &shown.topics };
    let mut found = Vec::new();
    for statement in statements {
        let of_statement = slice.rows[statement].clone().map(|row| {
            let came_in = shown.came_in(row);
            let row = FlaggedRow {
                policy,
                evaluated: &evaluated,
                slice,
                names: &names,
                payers: &payers,
                statement,
                row,
                came_in,
            };
            flags.verdict(own, &row, shown, &wording)
        });
        found.push((statement, of_statement.collect()));
    }
    Ok(found)
}

/// The definitions of records' and groups' values by node; of several names the first.
fn definitions(policy: &Policy) -> HashMap<NodeId, &Metric> {
    let mut names = HashMap::new();
    for definition in &policy.program.places.finer {
        let is_finer = policy.program.graph.node(definition.node).grain > Grain::Statement;
        if is_finer {
            names.entry(definition.node).or_insert(definition);
        }
    }
    names
}

/// The most frequent counterparty of each stream, the first of equals.
fn most_frequent_payers(evaluated: &crate::engine::metrics::Evaluated) -> Result<Vec<Option<String>>, VerdictsError> {
    let grouping = evaluated.grouping(Group::Stream)?;
    let payer = |stream: usize| {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for name in grouping.rows_of(stream).filter_map(|row| evaluated.counterparty(row)) {
            match counts.iter_mut().find(|(known, _)| *known == name) {
                Some((_, count)) => *count += 1,
                None => counts.push((name, 1)),
            }
        }
        let most = counts.iter().map(|(_, count)| *count).max()?;
        counts.iter().find(|(_, count)| *count == most).map(|(name, _)| (*name).to_owned())
    };
    Ok((0..grouping.len()).map(payer).collect())
}

/// The stream of a record.
fn stream_of(row: &FlaggedRow) -> Option<RecordStream> {
    let index = row.group(Group::Stream)?;
    let grouping = row.evaluated.grouping(Group::Stream).ok()?;
    Some(RecordStream {
        number: index - grouping.statements.get(row.statement)?.start + 1,
        payer: row.payers.get(index)?.clone(),
        period: grouping.streams.get(index)?.period.name().to_owned(),
    })
}

/// The values of a slice's records that are shown as they were read.
struct Shown {
    ids: Vec<Option<String>>,
    narrations: Vec<Option<String>>,
    topics: Vec<Option<String>>,
    credits: Vec<Option<i64>>,
    debits: Vec<Option<i64>>,
    balances: Vec<Option<i64>>,
}

impl Shown {
    /// Whether a record has a credit and no debit, or a debit and no credit; `None` otherwise.
    fn came_in(&self, row: usize) -> Option<bool> {
        match (self.credits[row], self.debits[row]) {
            (Some(credit), None) if credit > 0 => Some(true),
            (None, Some(debit)) if debit > 0 => Some(false),
            _ => None,
        }
    }

    fn from_slice(slice: &StatementSlice) -> Result<Shown, VerdictsError> {
        let texts = |name: &str| -> Result<Vec<Option<String>>, crate::engine::metrics::Error> {
            Ok(slice.frame.column(name)?.str()?.iter().map(|text| text.map(str::to_owned)).collect())
        };
        let amounts = |name: &str| -> Result<Vec<Option<i64>>, crate::engine::metrics::Error> {
            Ok(slice.frame.column(name)?.i64()?.iter().collect())
        };
        Ok(Shown {
            ids: texts("id")?,
            narrations: printed_narrations(&slice.frame).map_err(crate::engine::metrics::Error::from)?,
            topics: texts("topics")?,
            credits: amounts("credit")?,
            debits: amounts("debit")?,
            balances: amounts("balance")?,
        })
    }
}
