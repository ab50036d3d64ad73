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
mod referral;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use act::{
    Act, ActError, ProviderAnswer, TransactionLookup, carry_out_act, contradicts_provider, describe_reason,
    list_allowed, mark_restored, place_payment, question_order, reverse,
};
pub(crate) use copies::{CopyCheck, check_copy};
pub(crate) use export::{EXPORT_TABLES, export_table, list_columns, load_personal};
pub(crate) use in_words::{LocalTime, event_in_words, format_age, format_money, format_state, is_in_flight};
pub(crate) use pages::{Pages, build_routes};
pub(crate) use privacy::{erase_loan, erase_old_loans, reseal_book};
pub(crate) use reconcile::{
    Agreement, Comparison, DaySums, Sum, compare_orders, list_sent_orders, look_up_orders, next_day, sum_day,
};
pub(crate) use referral::{
    DeclineCode, PolicyLoader, ReferralDesk, Ruling, are_offers_conditional, read_major_amount, record_showing,
};

pub(crate) use crate::lender::loan_book::Person;
