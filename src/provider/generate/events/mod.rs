//! What happens on an account: income, obligations and everyday records, with narrations that may mislead and amounts
//! that fit the balance. Must not know formats.

pub(crate) mod balance;
pub(crate) mod event;
pub(crate) mod everyday;
pub(crate) mod filling;
pub(crate) mod income;
pub(crate) mod irregular;
pub(crate) mod mislead;
pub(crate) mod narration;
pub(crate) mod obligations;
pub(crate) mod scene;
pub(crate) mod split_pay;
