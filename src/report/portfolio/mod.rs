//! Backtests and model documents as text and as pages. Must not know how they are made.

mod arms_text;
mod model_document;
mod monitor_text;
mod nearest;
mod numbers;
mod page;
mod performance_text;
mod shadows_text;
mod sweep_text;
mod text;

pub use arms_text::render_arms_text as arms_text;
pub use model_document::ModelDocument;
pub use monitor_text::render_monitor_text as monitor_text;
pub use nearest::render_nearest_offers as nearest_text;
pub use page::{backtest_page, monitor_page, shadow_page, sweep_page};
pub use performance_text::render_performance_text as performance_text;
pub use shadows_text::render_shadows_text as shadows_text;
pub use sweep_text::render_sweep_text as sweep_text;
pub use text::render_backtest_text as backtest_text;
