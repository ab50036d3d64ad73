//! How fine a value is, and which grains can be brought together. Knows no operations.

use std::cmp::Ordering;

/// How fine a value is: one for everything, one per statement, one per group of its transactions, one per transaction.
///
/// Grains are ordered from coarse to fine. Two kinds of groups are neither finer nor coarser than one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Grain {
    /// The same value everywhere: a literal, a parameter.
    Constant,
    /// One value per statement.
    Statement,
    /// One value per group of the statement's transactions.
    Group(Group),
    /// One value per transaction.
    Transaction,
    /// One value per entry of a list that is given with the statement, by the input's index. It has no transactions.
    Entry(usize),
    /// Of entries and of something else at once, which nothing is. The checker refuses it.
    Apart,
}

/// The kinds of groups of a statement's transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Calendar months from the first transaction to the last, including months without transactions.
    Month,
    /// Weeks from Monday to Sunday, including those without transactions.
    Week,
    /// Calendar days, including those without transactions.
    Day,
    /// All transactions with one counterparty.
    Counterparty,
    /// The transactions of a recurring stream. Most transactions are in none.
    Stream,
}

impl PartialOrd for Grain {
    fn partial_cmp(&self, other: &Grain) -> Option<Ordering> {
        match self.level().cmp(&other.level()) {
            Ordering::Equal if self != other => None,
            // An entry has no transactions.
            _ if matches!(
                (self, other),
                (Grain::Entry(_), Grain::Transaction) | (Grain::Transaction, Grain::Entry(_))
            ) =>
            {
                None
            }
            order => Some(order),
        }
    }
}

impl Grain {
    fn level(self) -> u8 {
        match self {
            Grain::Constant => 0,
            Grain::Statement => 1,
            Grain::Group(_) | Grain::Entry(_) => 2,
            Grain::Transaction => 3,
            Grain::Apart => 4,
        }
    }

    /// The coarsest grain that both can be spread to. For two kinds of groups that is the transaction.
    pub(crate) fn meet(self, other: Grain) -> Grain {
        match self.partial_cmp(&other) {
            Some(Ordering::Less) => other,
            Some(_) => self,
            None if matches!(self, Grain::Entry(_)) || matches!(other, Grain::Entry(_)) => Grain::Apart,
            None => Grain::Transaction,
        }
    }

    /// Whether a value of this grain can be used at the grain `other`.
    pub(crate) fn serves(self, other: Grain) -> bool {
        self <= other
    }

    /// For people.
    pub fn word(self) -> &'static str {
        match self {
            Grain::Constant => "constant",
            Grain::Statement => "statement",
            Grain::Group(group) => group.word(),
            Grain::Transaction => "transaction",
            Grain::Entry(_) => "entry",
            Grain::Apart => "entry and transaction",
        }
    }
}

impl Group {
    /// Every kind of group.
    pub(crate) const ALL: [Group; 5] = [Group::Month, Group::Week, Group::Day, Group::Counterparty, Group::Stream];

    /// Whether these groups are made from counterparties.
    pub(crate) const fn is_by_name(self) -> bool {
        matches!(self, Group::Counterparty | Group::Stream)
    }

    /// For people.
    pub fn word(self) -> &'static str {
        match self {
            Group::Month => "month",
            Group::Week => "week",
            Group::Day => "day",
            Group::Counterparty => "counterparty",
            Group::Stream => "stream",
        }
    }

    /// Whether the groups have an order, as months do and counterparties do not.
    pub(crate) fn is_ordered(self) -> bool {
        matches!(self, Group::Month | Group::Week | Group::Day)
    }
}
