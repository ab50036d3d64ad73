//! Ties: policies and statements whose values meet their limits exactly, or miss them by one unit, decided by
//! lendwright and by the reference. An error in the last digit of a fraction shows here or nowhere.

mod boundaries;
mod columns;
mod people;
mod policies;
mod reasons;
mod terms;

use std::cmp::Ordering;

use crate::policy::book::{Book, Version};
use crate::policy::campaign::{Tally, compiled, decisions};
use crate::policy::compare::differences;
use crate::policy::evaluate::{Expected, expected};
use crate::policy::generate;
use crate::policy::model::Person;
use crate::policy::values as written;
use crate::random::Source;
use people::Placed;

/// The tally of a campaign.
#[derive(Default, Debug, Clone)]
pub struct Ties {
    pub policies: u64,
    /// Refused for flaws that a random policy may have.
    pub refused: u64,
    pub cases: u64,
    /// The cases that were also judged as rows of a frame; and the statements, counted apart from the cases.
    pub framed: u64,
    pub statements: u64,
    /// Reasons whose numbers were checked.
    pub told: u64,
    /// Cases below, at and above their boundary.
    pub sides: [u64; 3],
    /// Offers, referrals, declines.
    pub outcomes: [u64; 3],
}

/// One policy and `people` people, or the rules of a statement's metrics and fewer statements. The error describes the
/// first difference in full.
pub fn one(source: &mut Source, people: usize, ties: &mut Ties) -> Result<(), String> {
    if source.once_in(12) {
        ties.policies += 1;
        let statements = people.div_ceil(10);
        ties.statements += statements as u64;
        return crate::metrics::ties::compare(source, statements, &mut ties.sides).map(|_| ());
    }
    let book = book(source);
    // The acceptable flaws of a random policy are counted there.
    let mut tally = Tally::default();
    let Some((rules, compiled)) = compiled(&book, &mut tally)? else {
        ties.refused += 1;
        return Ok(());
    };
    ties.policies += 1;
    let policy = &book.versions[0].policy;
    let boundaries = boundaries::boundaries(policy);
    let placed = people::people(source, policy, &boundaries, people);
    let group: Vec<_> = placed.iter().map(|placed| placed.person.clone()).collect();
    let told =
        |person: &Person, wrong: String| format!("{wrong}\n--- {}\n--- {rules}", written::request(policy, person));
    let expected: Vec<Expected> = group.iter().map(|person| expected(policy, person)).collect();
    let decisions = decisions(&book, &compiled, &group)?;
    for ((Placed { person, side }, expected), decision) in placed.iter().zip(&expected).zip(&decisions) {
        let wrong = differences(policy, expected, decision);
        if !wrong.is_empty() {
            return Err(told(person, wrong.join("\n")));
        }
        if let Some(wrong) = reasons::wrong(policy, person, expected, decision, &mut ties.told) {
            return Err(told(person, wrong));
        }
        ties.note(*side, decision.outcome);
    }
    if book.is_ready() {
        let framed = group.iter().zip(&expected).filter(|(person, _)| columns::fits(person));
        let (people, expected): (Vec<&Person>, Vec<&Expected>) = framed.unzip();
        if let Some((row, wrong)) = columns::differences(policy, &compiled, &people, &expected)? {
            return Err(told(people[row], wrong));
        }
        ties.framed += people.len() as u64;
    }
    Ok(())
}

/// A policy full of limits, or any policy.
fn book(source: &mut Source) -> Book {
    let is_ready = source.below(4) > 0;
    if source.once_in(5) {
        let (book, _) = generate::book(source);
        if book.versions.len() == 1 && book.versions[0].challenger.is_none() {
            return book;
        }
    }
    Book { versions: vec![Version { policy: policies::policy(source, is_ready), challenger: None }] }
}

impl std::fmt::Display for Ties {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Ties { policies, refused, cases, framed, statements, told, .. } = self;
        let ([below, at, above], [offers, refers, declines]) = (self.sides, self.outcomes);
        writeln!(out, "{policies} policies ({refused} more refused), {cases} cases, {framed} of them in columns too")?;
        writeln!(out, "{statements} statements, {told} reasons that tell numbers")?;
        writeln!(out, "{below} stand below what they were brought to, {at} at it, {above} above")?;
        write!(out, "{offers} end with offers, {refers} with a referral, {declines} with a decline")
    }
}

impl Ties {
    pub fn add(&mut self, other: &Ties) {
        self.policies += other.policies;
        self.refused += other.refused;
        self.cases += other.cases;
        self.framed += other.framed;
        self.statements += other.statements;
        self.told += other.told;
        (0..3).for_each(|at| self.sides[at] += other.sides[at]);
        (0..3).for_each(|at| self.outcomes[at] += other.outcomes[at]);
    }

    /// A campaign that brings nobody to a boundary, or always ends alike, is worth nothing.
    pub fn is_worth_something(&self) -> Result<(), String> {
        let least = self.cases / 20;
        let counts = self.sides.iter().chain(&self.outcomes).chain([&self.framed]);
        let is_thin = counts.copied().any(|count| count < least) || self.statements == 0 || self.told == 0;
        match is_thin || self.policies < self.refused {
            true => Err(format!("too few of some sort\n{self}")),
            false => Ok(()),
        }
    }

    fn note(&mut self, side: Option<Ordering>, outcome: lendwright::Outcome) {
        self.cases += 1;
        self.outcomes[outcome as usize] += 1;
        if let Some(side) = side {
            self.sides[(side as i8 + 1) as usize] += 1;
        }
    }
}
