//! Floor 4: tests policies on cases, and measures what the cases cover. Must not know how results are printed.

mod cases;
mod coverage;
mod expect;
mod mistakes;
mod records;
mod trial;
mod units;
mod update;

pub use cases::{Case, CaseError, Cases};
pub use coverage::{lcov, percent};
pub use expect::{CounterExpected, CounterParts, Expect};
pub use records::Entry;
pub use trial::{Difference, Found, Trial, Tried, try_cases, try_for_update};
pub use update::{UpdateError, updated};
