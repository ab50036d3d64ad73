//! Backtests as text and as pages. Must not know how they are made.

mod numbers;
mod text;

pub(crate) use text::{backtest as backtest_text, sweep as sweep_text};

/// To come.
pub(crate) fn backtest_page(_: &crate::portfolio::summary::Summary, _: &str) -> String {
    String::new()
}

/// To come.
pub(crate) fn sweep_page(_: &crate::portfolio::summary::SweepSummary, _: &(String, u32)) -> String {
    String::new()
}
