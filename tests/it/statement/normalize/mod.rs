//! The one meaning of a record, whatever its format.

mod conformance;
mod declared_notations;
mod misread_values;
