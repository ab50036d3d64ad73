//! What a policy can and cannot do, found without any statement. Computes the set of possible values of every
//! node, and what follows from these sets. Pure. Must not know data.

mod abstract_eval;
mod dictionary;
mod findings;
mod monotonicity;
mod names;
mod ranges;

pub use self::dictionary::{Dictionary, Entry, Kind, Unknown, Valid, dictionary};
pub use self::findings::analyse;
#[doc(hidden)]
pub use self::findings::everything::all_findings;
#[doc(hidden)]
pub use self::findings::offers::without_offers;
#[doc(hidden)]
pub use self::findings::parameter_bounds::{analyse_bounds, policy_within_bounds};
#[doc(hidden)]
pub use self::ranges::{Range, list_value_ranges};
