//! Proposes entries of word lists: words that, where they occur, say of what kind a record is. Learns from labels and
//! from the kinds that corrections give; a person reads and accepts. Words of a counterparty's name are never proposed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::Serialize;

use crate::base::narration::LISTS;
use crate::engine::decision::{Verdict, VerdictsAsked, VerdictsError, verdicts};
use crate::portfolio::labels::Labels;
use crate::portfolio::statistics::{Level, Proportion};
use crate::rules::Policy;
use crate::statement::Statements;

/// Most words of an entry.
const WORDS_MAX: usize = 3;

/// The shortest word that says something alone.
const LETTERS_MIN: usize = 3;

/// What an entry must show.
#[derive(Clone, Copy, Debug)]
pub struct WordsWanted {
    /// The fewest labelled records that have it.
    pub records: u64,
    /// The fewest customers of whom they are.
    pub customers: usize,
    /// The least that the precision may be, at the lower end of its interval.
    pub precision: f64,
}

impl Default for WordsWanted {
    fn default() -> Self {
        Self { records: 5, customers: 2, precision: 0.8 }
    }
}

/// A proposed entry of a word list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProposedWord {
    /// The kind that it says.
    pub kind: String,
    /// The words, in lower case.
    pub words: String,
    /// Labelled records that have them.
    pub labelled: u64,
    /// Of these, records of the kind.
    pub right: u64,
    /// The share that is right, with the interval in which it lies in 95 of 100 draws (Wilson).
    pub precision: (f64, f64, f64),
    /// Records of the kind that have them, and of which the rules say something else.
    pub missed_by_rules: u64,
    /// Customers with labelled records that have them.
    pub customers: usize,
    /// All records that have them, labelled or not.
    pub records: u64,
    /// Whether the policy has a word list of the kind's name.
    pub has_list: bool,
}

/// What records with some words are.
#[derive(Default)]
struct Seen {
    records: u64,
    labelled: u64,
    by_kind: BTreeMap<String, (u64, u64)>,
    customers: HashSet<u32>,
}

/// The words of records, statement by statement.
pub struct WordsOfKinds<'p> {
    policy: &'p Policy,
    /// What the rules say without anybody's help is what an entry would change.
    uncorrected: Policy,
    labels: Option<&'p Labels>,
    seen: HashMap<String, Seen>,
    customers: HashMap<String, u32>,
    /// Labelled records.
    pub labelled: u64,
}

impl<'p> WordsOfKinds<'p> {
    /// No record yet.
    pub fn new(policy: &'p Policy, labels: Option<&'p Labels>) -> Self {
        let uncorrected = policy.keeping_corrections(|_| false);
        Self { policy, uncorrected, labels, seen: HashMap::new(), customers: HashMap::new(), labelled: 0 }
    }

    /// Adds the records of some statements.
    ///
    /// # Errors
    /// As [`verdicts`].
    pub fn add(&mut self, statements: &Statements, wanted: &VerdictsAsked) -> Result<(), VerdictsError> {
        let by_rules = verdicts(&self.uncorrected, statements, wanted)?;
        let corrected = verdicts(self.policy, statements, wanted)?;
        for (by_rules, corrected) in by_rules.records.iter().zip(&corrected.records) {
            self.add_record(by_rules, corrected);
        }
        Ok(())
    }

    fn add_record(&mut self, by_rules: &Verdict, corrected: &Verdict) {
        let Some(narration) = &by_rules.narration else { return };
        let label = self.labels.and_then(|labels| labels.label(by_rules.customer.as_deref(), by_rules.id.as_deref()));
        let said = corrected.corrected_to.as_deref().or(label).map(str::to_owned);
        let next = self.customers.len() as u32;
        let owner = by_rules.customer.as_deref().unwrap_or(&by_rules.statement);
        let customer = *self.customers.entry(owner.to_owned()).or_insert(next);
        self.labelled += u64::from(said.is_some());
        for words in phrases(narration, by_rules.counterparty.as_deref()) {
            let seen = self.seen.entry(words).or_default();
            seen.records += 1;
            let Some(kind) = &said else { continue };
            seen.labelled += 1;
            seen.customers.insert(customer);
            let (right, missed) = seen.by_kind.entry(kind.clone()).or_default();
            *right += 1;
            *missed += u64::from(by_rules.kind.as_deref() != Some(kind));
        }
    }

    /// The entries that show enough, by kind; those that find most that the rules miss first. Of two that stand for the
    /// same records, the one with fewer words.
    pub fn propose(&self, wanted: WordsWanted) -> Vec<ProposedWord> {
        let mut found: Vec<ProposedWord> = Vec::new();
        for (words, seen) in &self.seen {
            let Some((kind, (right, missed))) = seen.by_kind.iter().max_by_key(|(_, (right, _))| *right) else {
                continue;
            };
            let is_enough = seen.labelled >= wanted.records && seen.customers.len() >= wanted.customers && *missed > 0;
            let interval =
                Proportion::new(*right, seen.labelled).ok().and_then(|share| share.wilson(Level::NINETY_FIVE));
            let Some((low, high)) = interval.map(|ends| (ends.low, ends.high)) else { continue };
            if !is_enough || low < wanted.precision || self.is_listed(words) {
                continue;
            }
            found.push(ProposedWord {
                kind: kind.clone(),
                words: words.clone(),
                labelled: seen.labelled,
                right: *right,
                precision: (*right as f64 / seen.labelled as f64, low, high),
                missed_by_rules: *missed,
                customers: seen.customers.len(),
                records: seen.records,
                has_list: self.policy.program.word_lists.iter().any(|(name, _)| name == kind),
            });
        }
        found.sort_by(|one, other| {
            let order =
                |word: &ProposedWord| (word.kind.clone(), std::cmp::Reverse(word.missed_by_rules), word.words.len());
            order(one).cmp(&order(other)).then_with(|| one.words.cmp(&other.words))
        });
        without_longer(found)
    }

    /// Whether some list of what narrations say has the words already, whatever it makes of them.
    fn is_listed(&self, words: &str) -> bool {
        let is_of_names = |name: &str| LISTS.iter().any(|(list, _)| name.rsplit('.').next() == Some(*list));
        let lists = self.policy.program.word_lists.iter().filter(|(name, _)| !is_of_names(name));
        let mut entries = lists.flat_map(|(_, list)| list);
        entries.any(|entry| entry.eq_ignore_ascii_case(words))
    }
}

/// Without entries that have the words of another of their kind and find no more.
fn without_longer(found: Vec<ProposedWord>) -> Vec<ProposedWord> {
    let mut kept: Vec<ProposedWord> = Vec::new();
    let padded = |words: &str| format!(" {words} ");
    let mut by_length = found.clone();
    by_length.sort_by_key(|word| word.words.split(' ').count());
    for word in by_length {
        let is_within = |other: &ProposedWord| {
            other.kind == word.kind
                && padded(&word.words).contains(&padded(&other.words))
                && other.missed_by_rules >= word.missed_by_rules
        };
        if !kept.iter().any(is_within) {
            kept.push(word);
        }
    }
    let kept: BTreeSet<String> = kept.into_iter().map(|word| word.words).collect();
    found.into_iter().filter(|word| kept.contains(&word.words)).collect()
}

/// The phrases of a narration, each once: one to three words in a row, without numbers and without words of the
/// counterparty's name.
fn phrases(narration: &str, counterparty: Option<&str>) -> BTreeSet<String> {
    let name: HashSet<&str> = counterparty.into_iter().flat_map(|name| name.split(' ')).collect();
    let lower = narration.to_lowercase();
    let mut phrases = BTreeSet::new();
    // A sign other than a blank parts what no entry spans.
    for part in lower.split(|letter: char| !(letter.is_alphanumeric() || letter == ' ')) {
        let words: Vec<&str> = part.split_whitespace().collect();
        let is_plain = |word: &&str| !word.contains(char::is_numeric) && !name.contains(*word);
        for run in words.split(|word| !is_plain(word)) {
            for length in 1..=WORDS_MAX {
                let long_enough = |run: &&[&str]| run.iter().any(|word| word.chars().count() >= LETTERS_MIN);
                phrases.extend(run.windows(length).filter(long_enough).map(|run| run.join(" ")));
            }
        }
    }
    phrases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_words_in_a_row_that_are_of_no_name() {
        let of = |text: &str, name: Option<&str>| phrases(text, name).into_iter().collect::<Vec<_>>();
        assert_eq!(of("NIP/ADA OBI/SAL BAL", Some("ada obi")), ["bal", "nip", "sal", "sal bal"]);
        assert_eq!(of("PAY 2026 JAN", None), ["jan", "pay"]);
        assert_eq!(of("TO GO", None), Vec::<String>::new());
        assert_eq!(of("to the shop", None), ["shop", "the", "the shop", "to the", "to the shop"]);
    }

    #[test]
    fn a_longer_entry_is_kept_where_it_finds_more() {
        let word = |words: &str, missed_by_rules| ProposedWord {
            kind: "salary".to_owned(),
            words: words.to_owned(),
            labelled: 9,
            right: 9,
            precision: (1.0, 0.9, 1.0),
            missed_by_rules,
            customers: 3,
            records: 9,
            has_list: true,
        };
        let words = |found: Vec<ProposedWord>| found.into_iter().map(|word| word.words).collect::<Vec<_>>();
        assert_eq!(words(without_longer(vec![word("sal bal", 4), word("sal", 4)])), ["sal"]);
        assert_eq!(words(without_longer(vec![word("sal bal", 5), word("sal", 4)])), ["sal bal", "sal"]);
        assert_eq!(words(without_longer(vec![word("salary", 4), word("sal", 4)])), ["salary", "sal"]);
    }
}
