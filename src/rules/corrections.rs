//! Corrections of records by people, and which of them counts for a record. Knows no file and no data.

use std::collections::HashMap;

use crate::base::date::Day;
use crate::base::diagnostic::Span;
use crate::base::digest::Digest;
use crate::base::text_search::lower::lowercase_each_letter;
use crate::base::text_search::word_matcher::WordMatcher;

/// Which records a correction is about. A narrower one counts before a wider one.
#[derive(Clone, Debug)]
pub(crate) enum CorrectionTarget {
    /// Narrations that have these words, as an entry of a word list.
    Narration(String),
    /// All records of this counterparty, by its key.
    Payer(String),
    /// One record.
    Id(String),
}

/// What a person says of some records.
#[derive(Clone, Debug)]
pub(crate) struct Correction {
    pub target: CorrectionTarget,
    /// The customer that it is limited to.
    pub customer: Option<String>,
    /// What the records are, by its place among the policy's kinds.
    pub kind: Option<usize>,
    /// The name of the counterparty that they are of.
    pub counterparty: Option<String>,
    pub by: String,
    pub on: Day,
    pub why: String,
    pub span: Span,
}

/// What a correction may be about in a record.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CorrectedRecord<'r> {
    pub customer: Option<&'r str>,
    pub id: Option<&'r str>,
    /// The key of the counterparty that its narration names, and of the one that a correction gives it.
    pub payers: [Option<&'r str>; 2],
    pub narration: Option<&'r str>,
}

/// The corrections of a policy, in the order of their file.
#[derive(Clone, Debug)]
pub(crate) struct Corrections {
    pub digest: Digest,
    all: Vec<Correction>,
    by_id: HashMap<String, Vec<u32>>,
    by_payer: HashMap<String, Vec<u32>>,
    /// The phrases of narrations, and the corrections of each.
    phrases: WordMatcher,
    by_phrase: Vec<Vec<u32>>,
}

impl Corrections {
    pub(in crate::rules) fn new(digest: Digest, all: Vec<Correction>) -> Self {
        let (mut by_id, mut by_payer) = (HashMap::<String, Vec<u32>>::new(), HashMap::<String, Vec<u32>>::new());
        let (mut texts, mut by_phrase) = (Vec::new(), Vec::<Vec<u32>>::new());
        let mut places: HashMap<String, usize> = HashMap::new();
        for (correction, number) in all.iter().zip(0..) {
            match &correction.target {
                CorrectionTarget::Id(id) => by_id.entry(id.clone()).or_default().push(number),
                CorrectionTarget::Payer(payer) => by_payer.entry(payer.clone()).or_default().push(number),
                CorrectionTarget::Narration(words) => {
                    let place = *places.entry(lowercase_each_letter(words).into_owned()).or_insert_with(|| {
                        texts.push(words.clone());
                        by_phrase.push(Vec::new());
                        by_phrase.len() - 1
                    });
                    by_phrase[place].push(number);
                }
            }
        }
        let phrases = WordMatcher::new(&[("correction".to_owned(), texts)]);
        Self { digest, all, by_id, by_payer, phrases, by_phrase }
    }

    /// Those that `keeps` holds for. The others keep their places, and are about nothing.
    pub(in crate::rules) fn keeping(&self, keeps: impl Fn(usize) -> bool) -> Corrections {
        let mut kept = self.clone();
        let keep = |numbers: &mut Vec<u32>| numbers.retain(|number| keeps(*number as usize));
        kept.by_id.values_mut().chain(kept.by_payer.values_mut()).chain(&mut kept.by_phrase).for_each(keep);
        kept
    }

    pub(crate) fn all(&self) -> &[Correction] {
        &self.all
    }

    /// The corrections that are about a record, those that count first: of its identifier, of its payer, of its
    /// narration; among them those of its customer; among these the later ones of the file.
    pub(crate) fn about(&self, record: CorrectedRecord<'_>) -> Vec<usize> {
        let mut found: Vec<u32> = Vec::new();
        let mut add = |numbers: Option<&Vec<u32>>| found.extend(numbers.into_iter().flatten());
        add(record.id.and_then(|id| self.by_id.get(id)));
        let [first, second] = record.payers;
        add(first.and_then(|payer| self.by_payer.get(payer)));
        add(second.filter(|_| second != first).and_then(|payer| self.by_payer.get(payer)));
        if let Some(narration) = record.narration.filter(|_| !self.by_phrase.is_empty()) {
            self.phrases.each_word(narration, |phrase| found.extend(&self.by_phrase[phrase]));
        }
        let at = |number: &u32| &self.all[*number as usize];
        found.retain(|number| at(number).customer.as_deref().is_none_or(|of| record.customer == Some(of)));
        let rank = |number: &u32| (at(number).target.rank(), at(number).customer.is_some(), *number);
        found.sort_by_key(|number| std::cmp::Reverse(rank(number)));
        found.dedup();
        found.into_iter().map(|number| number as usize).collect()
    }

    /// The first of some corrections that gives a kind.
    pub(crate) fn first_with_kind(&self, about: &[usize]) -> Option<usize> {
        self.first_that(about, |correction| correction.kind.is_some())
    }

    /// The first of some corrections that gives a counterparty.
    pub(crate) fn first_with_counterparty(&self, about: &[usize]) -> Option<usize> {
        self.first_that(about, |correction| correction.counterparty.is_some())
    }

    fn first_that(&self, about: &[usize], says: impl Fn(&Correction) -> bool) -> Option<usize> {
        about.iter().copied().find(|number| says(&self.all[*number]))
    }
}

impl CorrectionTarget {
    fn rank(&self) -> u8 {
        match self {
            CorrectionTarget::Narration(_) => 0,
            CorrectionTarget::Payer(_) => 1,
            CorrectionTarget::Id(_) => 2,
        }
    }

    /// The key of a correction's file that says it, and its text.
    pub(crate) fn parts(&self) -> (&'static str, &str) {
        match self {
            CorrectionTarget::Id(text) => ("id", text),
            CorrectionTarget::Payer(text) => ("payer", text),
            CorrectionTarget::Narration(text) => ("narration", text),
        }
    }
}

/// What a person may say that a record is: the flags that are then true, by their places among the flags of all kinds.
#[derive(Clone, Debug)]
pub(crate) struct RecordKind {
    pub name: String,
    /// The flags of money that came in; `None` if it lacks that side.
    pub credit: Option<Vec<usize>>,
    /// The flags of money that went out.
    pub debit: Option<Vec<usize>>,
}

impl RecordKind {
    /// The flags of a side; `None` if it lacks that side.
    pub(crate) fn flags(&self, is_credit: bool) -> Option<&[usize]> {
        if is_credit { self.credit.as_deref() } else { self.debit.as_deref() }
    }
}
