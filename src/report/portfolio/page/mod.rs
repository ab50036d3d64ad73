//! Backtests, sweeps and kept decisions as pages: which parts they have, and in which order. `maud` escapes every text.
//! Must not know how the numbers are made.

mod charts;
mod document;
mod drift;
mod figure;
mod flips;
mod format;
mod headline;
mod inputs;
mod monitor;
mod offers;
mod outcomes;
mod profit;
mod reasons;
mod rules;
#[cfg(test)]
mod sample;
mod scores;
mod segments;
mod shadows;
mod swap;
mod sweep;
mod table;
#[cfg(test)]
mod tests;
mod view;

pub use self::monitor::monitor_page;
pub use self::shadows::shadow_page;

use self::document::render_html_document;
use self::sweep::SweepView;
use self::view::View;
use crate::portfolio::summary::{Summary, SweepSummary};

/// The page of a backtest. `explain` is the command that explains a customer, without the customer at its end; where it
/// is empty, the page has no such commands.
pub fn backtest_page(summary: &Summary, explain: &str) -> String {
    let names: Vec<String> =
        summary.policies.iter().map(|policy| format!("{} {}", policy.name, policy.version)).collect();
    let title = match names.as_slice() {
        [] => "Backtest".to_owned(),
        [one] => format!("Backtest of {one}"),
        [champion, challenger] if champion == challenger => format!("Backtest of a change to {champion}"),
        [champion, others @ ..] => format!("Backtest of {} against {champion}", others.join(", ")),
    };
    let view = View { summary };
    let sections = [
        view.headline(),
        view.swap_set(),
        view.reasons(),
        view.offers(),
        view.scores(),
        view.outcomes(),
        view.profit(),
        view.vintages(),
        view.segments(),
        view.stability(),
        view.adverse_impact(),
        view.unknown(),
        view.tables(),
        view.flips(explain),
        view.inputs(),
    ];
    render_html_document(&title, &view.introduction(), sections.into_iter().flatten().collect())
}

/// The page of a sweep. The currency is its ISO 4217 number, and how many digits its minor unit has.
pub fn sweep_page(summary: &SweepSummary, currency: &(String, u32)) -> String {
    let title = format!("Sweep of {}", summary.policy);
    let view = SweepView { summary, currency };
    render_html_document(&title, &view.introduction(), view.sections())
}
