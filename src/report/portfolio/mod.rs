//! Backtests as text and as pages. Must not know how they are made.

mod nearest;
mod numbers;
mod page;
mod text;

pub use nearest::render_nearest_offers as nearest_text;
pub use page::{backtest_page, sweep_page};
pub use text::{render_backtest_text as backtest_text, render_sweep_text as sweep_text};
