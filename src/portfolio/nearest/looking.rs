//! How nearest offers are looked for.

/// What is smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The sum of changes, each by its cost and scale.
    Smallest,
    /// The number of changed metrics, then the sum.
    Fewest,
}

/// How to look.
#[derive(Clone, Copy)]
pub struct Looking<'l> {
    /// What is smallest.
    pub order: Order,
    /// The most combinations to try for one customer.
    pub tries_max: usize,
    /// Called after each customer.
    pub after_each: &'l (dyn Fn() + Sync),
}
