//! Floor 3: what a policy can and cannot do, found without any statement: sets of values for every node, and what follows from them.
//! Pure, and knows no data; unknown structures may be anything.

mod aggregate;
mod assumed;
mod bounds;
mod days;
mod dictionary;
mod findings;
mod flow;
mod interval;
mod lacking;
mod meanings;
mod names;
mod offer_order;
mod offers;
mod price_columns;
mod price_order;
mod property;
mod ranges;
mod reasons;
mod search;
mod slope;
mod steps;
mod table_findings;
mod tables;
mod together;
mod values;

pub use bounds::{analyse_bounds, anywhere};
pub use dictionary::{Dictionary, Entry, Kind, Unknown, Valid, dictionary};
pub use findings::analyse;
pub use offers::without_offers;
pub use ranges::{Range, ranges};
