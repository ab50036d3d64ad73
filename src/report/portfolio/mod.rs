//! Backtests as text and as pages. Must not know how they are made.

mod numbers;
mod page;
mod text;

pub(crate) use page::{backtest_page, sweep_page};
pub(crate) use text::{backtest as backtest_text, sweep as sweep_text};
