//! Pages in a real browser, if there is one.

mod backtest_page;
mod explanation_page;
mod sandbox_page;
