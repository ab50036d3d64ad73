//! How well flags agree with labels: precision and recall, over records and over money, with examples of mistakes.

use serde::Serialize;

use super::read::Labels;
use super::truth::Truth;
use crate::base::date::Day;
use crate::engine::decision::{Verdict, Verdicts};
use crate::rules::Value;

/// The scores of a policy's flags.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Scores {
    /// Records read.
    pub records: usize,
    /// Those with a label; only they are scored.
    pub labelled: usize,
    /// The flags, in the order of the policy.
    pub flags: Vec<FlagScore>,
    #[serde(skip)]
    truths: Vec<Truth>,
    #[serde(skip)]
    examples: usize,
}

/// The score of one flag.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct FlagScore {
    /// The flag.
    pub flag: String,
    /// The labels that make it true.
    pub labels: String,
    /// Records of which it is true by their labels.
    pub truth: usize,
    /// Records that the policy flags.
    pub flagged: usize,
    /// Records that it flags and that have the flag in truth.
    pub right: usize,
    /// Records of which the policy does not know; they are not flagged.
    pub unknown: usize,
    /// The share of the flagged records that are right.
    pub precision: Option<f64>,
    /// The share of the true records that are flagged.
    pub recall: Option<f64>,
    /// The same over amounts.
    pub money: Money,
    /// Records that are flagged and should not be, the first few.
    pub wrong: Vec<Example>,
    /// Records that should be flagged and are not, the first few.
    pub missed: Vec<Example>,
}

/// A score over amounts, in minor units.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Money {
    /// The amount of the records of which the flag is true.
    pub truth: i128,
    /// The amount that is flagged.
    pub flagged: i128,
    /// The amount that is flagged rightly.
    pub right: i128,
    /// The share of the flagged amount that is right.
    pub precision: Option<f64>,
    /// The share of the true amount that is flagged.
    pub recall: Option<f64>,
}

/// A record that a flag gets wrong.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Example {
    /// The customer.
    pub customer: Option<String>,
    /// The statement's file or reference.
    pub statement: String,
    /// The record's identifier.
    pub id: Option<String>,
    /// Its day.
    pub trans_date: Option<Day>,
    /// Money in, in minor units.
    pub credit: Option<i64>,
    /// Money out, in minor units.
    pub debit: Option<i64>,
    /// The narration.
    pub desc: Option<String>,
    /// Its label.
    pub label: String,
    /// Why the policy flags it or does not.
    pub why: String,
}

impl Scores {
    /// Scores for these truths, with at most `examples` examples of each mistake.
    pub fn new(truths: Vec<Truth>, examples: usize) -> Scores {
        let flag =
            |truth: &Truth| FlagScore { flag: truth.flag.clone(), labels: truth.labels(), ..FlagScore::default() };
        Scores { flags: truths.iter().map(flag).collect(), truths, examples, ..Scores::default() }
    }

    /// The places of the flags that disagree with a record's label: those that need an explanation.
    pub fn disagreeing(truths: &[Truth], labels: &Labels, record: &Verdict) -> Vec<usize> {
        let Some(label) = label_of(labels, record) else { return Vec::new() };
        let disagrees =
            |truth: &&Truth| is_record_flagged(record, truth).unwrap_or(false) != truth.holds(record, label);
        truths.iter().filter(disagrees).map(|truth| truth.column).collect()
    }

    /// Adds records.
    pub fn add(&mut self, verdicts: &Verdicts, labels: &Labels) {
        for record in &verdicts.records {
            self.records += 1;
            let Some(label) = label_of(labels, record) else { continue };
            self.labelled += 1;
            for (truth, score) in self.truths.iter().zip(&mut self.flags) {
                let is_true = truth.holds(record, label);
                let flagged = is_record_flagged(record, truth);
                score.unknown += usize::from(flagged.is_none());
                score.count(is_true, flagged.unwrap_or(false), amount_of_record(record));
                let mistakes = match (is_true, flagged.unwrap_or(false)) {
                    (false, true) => &mut score.wrong,
                    (true, false) => &mut score.missed,
                    _ => continue,
                };
                if mistakes.len() < self.examples {
                    mistakes.push(example_of_mistake(record, label, truth));
                }
            }
        }
        self.flags.iter_mut().for_each(FlagScore::divide);
    }
}

impl FlagScore {
    fn count(&mut self, is_true: bool, flagged: bool, amount: i128) {
        let both = is_true && flagged;
        let of = |counts: bool| if counts { amount } else { 0 };
        self.truth += usize::from(is_true);
        self.flagged += usize::from(flagged);
        self.right += usize::from(both);
        self.money.truth += of(is_true);
        self.money.flagged += of(flagged);
        self.money.right += of(both);
    }

    fn divide(&mut self) {
        let share = |part: i128, of: i128| (of > 0).then(|| part as f64 / of as f64);
        let counts = [self.right, self.flagged, self.truth].map(|count| count as i128);
        self.precision = share(counts[0], counts[1]);
        self.recall = share(counts[0], counts[2]);
        self.money.precision = share(self.money.right, self.money.flagged);
        self.money.recall = share(self.money.right, self.money.truth);
    }
}

fn label_of<'l>(labels: &'l Labels, record: &Verdict) -> Option<&'l str> {
    labels.label(record.customer.as_deref(), record.id.as_deref())
}

/// Whether the policy flags a record; `None` if it does not know.
fn is_record_flagged(record: &Verdict, truth: &Truth) -> Option<bool> {
    record.values.get(truth.column)?.as_ref().map(|value| *value == Value::Boolean(true))
}

fn amount_of_record(record: &Verdict) -> i128 {
    i128::from(record.credit.unwrap_or(0)) + i128::from(record.debit.unwrap_or(0))
}

fn example_of_mistake(record: &Verdict, label: &str, truth: &Truth) -> Example {
    Example {
        customer: record.customer.clone(),
        statement: record.statement.clone(),
        id: record.id.clone(),
        trans_date: record.day,
        credit: record.credit,
        debit: record.debit,
        desc: record.narration.clone(),
        label: label.to_owned(),
        why: record.reason(truth.column).unwrap_or_default().to_owned(),
    }
}
