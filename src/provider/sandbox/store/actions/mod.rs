//! What callers and people do to the store, by area. Each action takes the lock once and leaves the store consistent.
//! Knows nothing of HTTP.

mod acceptance;
mod bills;
mod callbacks;
mod exchanges;
mod iqrs;
mod money;
mod offers;

pub(crate) use acceptance::{Accepting, Account};
pub(crate) use iqrs::IqrCall;
pub(crate) use money::{Moving, Requeried};
