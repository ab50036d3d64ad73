//! Floor 4: policies tried out on many people at once. Knows nothing of how results are printed.

mod cases;
mod records;
mod trial;

pub use cases::{Case, CaseError, Cases, Expect};
pub use records::Entry;
pub use trial::{Difference, Trial, Tried, try_cases};
