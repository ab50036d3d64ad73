//! Floor 4: policies tried out on many people at once. Knows nothing of how results are printed.

mod cases;
mod coverage;
mod records;
mod trial;
mod update;

pub use cases::{Case, CaseError, Cases, Expect};
pub use coverage::{lcov, percent};
pub use records::Entry;
pub use trial::{Difference, Found, Trial, Tried, try_cases};
pub use update::{UpdateError, updated};
