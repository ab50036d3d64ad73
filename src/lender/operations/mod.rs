//! What people do with the loan book: look at it, decide where the service waits for them, compare it with the
//! provider, export it, erase personal data. The command line and the pages of operations both call it. Must not know
//! SQL, where the book is, or how results look on a terminal.

mod act;
mod copies;
mod export;
mod in_words;
mod pages;
mod privacy;
mod reconcile;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use act::{Act, ActError, Answer, Asks, Person, allowed, carry_out, contradicts, place, reason, restored};
pub(crate) use copies::{CopyCheck, check_copy};
pub(crate) use export::{TABLES, columns, export, personal};
pub(crate) use in_words::{LocalTime, age, event_in_words, money, state};
pub(crate) use pages::{Pages, routes};
pub(crate) use privacy::{erase, erase_old, reseal};
pub(crate) use reconcile::{Comparison, DaySums, Sum, Verdict, ask_all, comparisons, next, questions, sums};
