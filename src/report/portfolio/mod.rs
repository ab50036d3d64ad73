//! Backtests as text and as pages. Must not know how they are made.

mod numbers;
mod text;

pub(crate) use text::backtest as backtest_text;
