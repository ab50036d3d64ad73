//! The mistakes and warnings found so far. All are collected; none stops the check of another expression.

use crate::base::diagnostic::{Diagnostic, Severity, nearest_candidate};
use crate::rules::check::symbols::symbol::{Checked, Reported};
use crate::rules::syntax::source::{Text, read_choice};

/// Collects the diagnostics of one policy.
pub(in crate::rules) struct Mistakes<'a> {
    all: &'a mut Vec<Diagnostic>,
}

impl<'a> Mistakes<'a> {
    pub(in crate::rules) fn new(all: &'a mut Vec<Diagnostic>) -> Self {
        Self { all }
    }

    /// Adds a mistake that leaves no result.
    pub(in crate::rules) fn report<T>(&mut self, diagnostic: Diagnostic) -> Checked<T> {
        self.all.push(diagnostic);
        Err(Reported)
    }

    /// Adds a mistake or a warning, after which the check goes on.
    pub(in crate::rules) fn push(&mut self, diagnostic: Diagnostic) {
        self.all.push(diagnostic);
    }

    /// Whether there is a mistake, other than a warning.
    pub(in crate::rules) fn has_errors(&self) -> bool {
        self.all.iter().any(|found| found.severity == Severity::Error)
    }

    /// Whether a name that depends on itself was reported.
    pub(in crate::rules) fn has_cycle(&self) -> bool {
        self.all.iter().any(|found| found.code == "cycle")
    }

    /// Reads one choice among words, and reports any other word.
    pub(in crate::rules) fn read_word<T: Copy>(&mut self, text: Option<&Text>, known: &[(&str, T)], default: T) -> T {
        read_choice(text, known, default, self.all)
    }

    /// The name nearest to an unknown one. It is compared with all names, so among very many names only the first
    /// mistakes get this advice.
    pub(in crate::rules) fn nearest_name<'n>(
        &self,
        name: &str,
        known: impl ExactSizeIterator<Item = &'n String>,
    ) -> Option<&'n str> {
        const MISTAKES_MAX: usize = 100;
        const COMPARED_MAX: usize = 500_000;
        let mistakes = self.all.len();
        let is_worth_it = mistakes <= MISTAKES_MAX && mistakes.saturating_mul(known.len()) <= COMPARED_MAX;
        if is_worth_it { nearest_candidate(name, known.map(String::as_str)) } else { None }
    }
}
