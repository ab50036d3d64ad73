//! Backtests as text and as pages. Must not know how they are made.

mod nearest;
mod numbers;
mod page;
mod text;

pub use nearest::nearest as nearest_text;
pub use page::{backtest_page, sweep_page};
pub use text::{backtest as backtest_text, sweep as sweep_text};
