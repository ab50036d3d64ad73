//! What each correction of a policy is about in some statements, and what it changes there: records, and decisions.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::base::date::Day;
use crate::engine::decision::{self, Decision, Outcome, Request, Verdict, VerdictsAsked, VerdictsError, verdicts};
use crate::rules::Policy;
use crate::rules::corrections::{CorrectedRecord, Correction};
use crate::statement::Statements;

/// A decision that is another one without a correction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedDecision {
    /// The customer, if the source names one.
    pub customer: Option<String>,
    /// The statement's file or reference.
    pub statement: String,
    /// The outcome without the correction, and what was offered at most, in minor units.
    pub without: (Outcome, i64),
    /// The outcome with it.
    pub with: (Outcome, i64),
}

/// What one correction does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CorrectionEffect {
    /// Its place in the file, from 1.
    pub correction: usize,
    /// What it is about: `id`, `payer` or `narration`.
    pub about: &'static str,
    /// The identifier, the payer's key, or the words.
    pub text: String,
    /// The customer that it is limited to.
    pub customer: Option<String>,
    /// The kind that it gives.
    pub kind: Option<String>,
    /// The counterparty that it gives.
    pub counterparty: Option<String>,
    /// Who said so.
    pub by: String,
    /// When.
    pub on: Day,
    /// Why.
    pub why: String,
    /// Records that it is about.
    pub records: u64,
    /// Of these, records that another correction decides.
    pub overruled: u64,
    /// Records that it decides and that are on a side of which its kind is none.
    pub other_side: u64,
    /// Records of which it changes a flag or the counterparty.
    pub changed: u64,
    /// Their amounts, in minor units, whatever the side.
    pub changed_amount: i64,
    /// What the changed records were, by kind.
    pub kinds_before: BTreeMap<String, u64>,
    /// Statements with another decision without it.
    pub decisions: Vec<ChangedDecision>,
    /// The corrections that decide records that it is about otherwise, by their places from 1.
    pub contradicts: BTreeSet<usize>,
    /// The corrections that would decide its records without it.
    pub overrules: BTreeSet<usize>,
}

impl CorrectionEffect {
    fn new(number: usize, correction: &Correction, policy: &Policy) -> Self {
        let (about, text) = correction.target.parts();
        Self {
            correction: number + 1,
            about,
            text: text.to_owned(),
            customer: correction.customer.clone(),
            kind: policy.program.corrected_kind(correction).map(str::to_owned),
            counterparty: correction.counterparty.clone(),
            by: correction.by.clone(),
            on: correction.on,
            why: correction.why.clone(),
            records: 0,
            overruled: 0,
            other_side: 0,
            changed: 0,
            changed_amount: 0,
            kinds_before: BTreeMap::new(),
            decisions: Vec::new(),
            contradicts: BTreeSet::new(),
            overrules: BTreeSet::new(),
        }
    }

    /// What is wrong with it, for people; empty if nothing is.
    pub fn findings(&self) -> Vec<String> {
        let mut found = Vec::new();
        let others = |numbers: &BTreeSet<usize>| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        if self.records == 0 {
            found.push("it is about no record".to_owned());
        } else if self.overruled == self.records {
            found.push(format!("others decide all of its records: {}", others(&self.contradicts)));
        } else if self.changed == 0 && self.overrules.is_empty() {
            found.push("it changes no record: the rules say the same".to_owned());
        }
        if self.overruled < self.records && !self.contradicts.is_empty() {
            found.push(format!("it contradicts {}", others(&self.contradicts)));
        }
        if self.other_side > 0 {
            let kind = self.kind.as_deref().unwrap_or_default();
            found.push(format!("{} of its records are on the side that `{kind}` lacks", self.other_side));
        }
        found
    }
}

/// The effects of a policy's corrections, statement by statement.
pub struct CorrectionEffects<'p> {
    policy: &'p Policy,
    uncorrected: Policy,
    /// The effect of each correction, in the order of the file.
    pub effects: Vec<CorrectionEffect>,
}

impl<'p> CorrectionEffects<'p> {
    /// No statement yet.
    pub fn new(policy: &'p Policy) -> Self {
        let all = policy.program.corrections.iter().flat_map(|corrections| corrections.all());
        let effects = all.enumerate().map(|(number, one)| CorrectionEffect::new(number, one, policy)).collect();
        Self { policy, uncorrected: policy.keeping_corrections(|_| false), effects }
    }

    /// Adds some statements.
    ///
    /// # Errors
    /// As [`verdicts`] and [`decision::decide`].
    pub fn add(&mut self, statements: &Statements, request: &Request) -> Result<(), VerdictsError> {
        let wanted = VerdictsAsked { as_of: request.as_of, ..VerdictsAsked::default() };
        let with = verdicts(self.policy, statements, &wanted)?;
        let without = verdicts(&self.uncorrected, statements, &wanted)?;
        let mut used: BTreeMap<(Option<String>, String), BTreeSet<usize>> = BTreeMap::new();
        for (with, without) in with.records.iter().zip(&without.records) {
            let numbers = self.add_record(with, without);
            if !numbers.is_empty() {
                used.entry((with.customer.clone(), with.statement.clone())).or_default().extend(numbers);
            }
        }
        let numbers: BTreeSet<usize> = used.values().flatten().copied().collect();
        if numbers.is_empty() {
            return Ok(());
        }
        let decide = |policy: &Policy| decision::decide(policy, statements, request);
        let decided = decide(self.policy)?;
        for number in numbers {
            let spared = decide(&self.policy.keeping_corrections(|other| other != number))?;
            let pairs = spared.iter().zip(&decided);
            let is_used = |decision: &Decision| {
                let place = (decision.customer.clone(), decision.statement.clone());
                used.get(&place).is_some_and(|numbers| numbers.contains(&number))
            };
            let changed = pairs.filter(|(without, with)| is_used(with) && summary(without) != summary(with));
            self.effects[number].decisions.extend(changed.map(|(without, with)| ChangedDecision {
                customer: with.customer.clone(),
                statement: with.statement.clone(),
                without: summary(without),
                with: summary(with),
            }));
        }
        Ok(())
    }

    /// Counts a record, and returns the corrections that decide it.
    fn add_record(&mut self, with: &Verdict, without: &Verdict) -> Vec<usize> {
        let Some(corrections) = &self.policy.program.corrections else { return Vec::new() };
        let all = corrections.all();
        let record = CorrectedRecord {
            customer: with.customer.as_deref(),
            id: with.id.as_deref(),
            payers: [without.counterparty.as_deref(), with.counterparty.as_deref()],
            narration: with.narration.as_deref(),
        };
        let about = corrections.about(record);
        let (kind, payer) = (corrections.first_with_kind(&about), corrections.first_with_counterparty(&about));
        let is_credit = with.credit.is_some_and(|credit| credit > 0);
        for number in &about {
            let (one, effect) = (&all[*number], &mut self.effects[*number]);
            effect.records += 1;
            let contradicted = [
                kind.filter(|other| one.kind.is_some() && all[*other].kind != one.kind),
                payer.filter(|other| one.counterparty.is_some() && all[*other].counterparty != one.counterparty),
            ];
            effect.contradicts.extend(contradicted.iter().flatten().map(|other| other + 1));
            let overruling: Vec<usize> = contradicted.into_iter().flatten().collect();
            effect.overruled += u64::from(Some(*number) != kind && Some(*number) != payer);
            let is_kind = self.policy.program.corrected_flags(*number, is_credit).is_some();
            effect.other_side += u64::from(Some(*number) == kind && !is_kind);
            for other in overruling {
                self.effects[other].overrules.insert(number + 1);
            }
        }
        let mut deciding: Vec<usize> = kind.into_iter().chain(payer).collect();
        deciding.dedup();
        if (&with.values, &with.counterparty) != (&without.values, &without.counterparty) {
            for number in &deciding {
                let effect = &mut self.effects[*number];
                effect.changed += 1;
                let amount = with.credit.unwrap_or(0).saturating_add(with.debit.unwrap_or(0));
                effect.changed_amount = effect.changed_amount.saturating_add(amount);
                let before = without.kind.clone().unwrap_or_else(|| "unknown".to_owned());
                *effect.kinds_before.entry(before).or_default() += 1;
            }
        }
        deciding
    }
}

/// The outcome, and what is offered at most.
fn summary(decision: &Decision) -> (Outcome, i64) {
    (decision.outcome, decision.offers.iter().map(|offer| offer.amount_offered).max().unwrap_or(0))
}
