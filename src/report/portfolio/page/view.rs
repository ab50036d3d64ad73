//! A backtest to be shown, and what all parts of its page need: its currency, and its policies by their roles.

use crate::portfolio::summary::{PolicySummary, Summary};
use crate::report::axis::abbreviate_amount;
use crate::report::portfolio::numbers::format_portfolio_money;

/// A backtest to be shown.
pub(super) struct View<'t> {
    pub(super) summary: &'t Summary,
}

impl<'t> View<'t> {
    pub(super) fn money(&self, minor: i128) -> String {
        format_portfolio_money(&self.summary.currency, minor)
    }

    /// An amount on an axis.
    pub(super) fn short_money(&self, minor: f64) -> String {
        abbreviate_amount(minor, self.summary.currency.1)
    }

    pub(super) fn roles(&self) -> impl Iterator<Item = &'t str> {
        self.summary.policies.iter().map(|policy| policy.role.as_str())
    }

    /// The champion and the challenger, if there are two policies.
    pub(super) fn two(&self) -> Option<(&'t PolicySummary, &'t PolicySummary)> {
        match self.summary.policies.as_slice() {
            [champion, challenger, ..] => Some((champion, challenger)),
            _ => None,
        }
    }

    /// The titles of columns: these, with one for each policy instead of `of`. `{}` stands for the role.
    pub(super) fn columns(&self, before: &[&str], of: &[&str]) -> Vec<String> {
        let mut columns: Vec<String> = before.iter().map(|title| (*title).to_owned()).collect();
        for role in self.roles() {
            columns.extend(of.iter().map(|title| title.replace("{}", role)));
        }
        columns
    }
}
