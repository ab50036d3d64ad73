//! The score as a table of the page: what each item gained, could have gained and lost.

use maud::{Markup, html};

use super::numbers::{figure_value_markup, named_figures_markup};
use super::{ExplanationPage, Shown, visible_text};
use crate::engine::decision::{ItemExplained, ScoreExplained};
use crate::report::format_points;

impl<'t> ExplanationPage<'t> {
    pub(super) fn score(&self, score: &'t ScoreExplained, shown: &mut Shown<'t>) -> Markup {
        let most = score.items.iter().map(|item| item.best.abs()).fold(1.0, f64::max);
        let points_lost = &self.explanation.decision.points_lost;
        let reported: Vec<&str> = points_lost.iter().map(|lost| lost.id.as_str()).collect();
        html! {
            section {
                h3 { "Score " (figure_value_markup(&score.figure)) }
                table {
                    thead {
                        tr {
                            th scope="col" { "item" } th scope="col" { "value" } th scope="col" { "bin" }
                            th.r scope="col" { "points" } th.r scope="col" { "at best" } th.r scope="col" { "lost" }
                            th scope="col" { "gained" } th scope="col" { "reason" }
                        }
                    }
                    tbody {
                        tr {
                            th scope="row" { "base" } td {} td {} td.r data-is="points" { (format_points(score.base)) }
                            td {} td {} td {} td {}
                        }
                        @for item in &score.items { (row(item, most)) }
                    }
                }
                @if !reported.is_empty() { p { "Reported as reasons: " (reported.join(", ")) } }
                @for item in &score.items {
                    (named_figures_markup(&item.parameters))
                    (self.behind(&item.numbers, shown))
                }
            }
        }
    }
}

fn row(item: &ItemExplained, most: f64) -> Markup {
    html! {
        tr {
            th scope="row" { code { (item.on) } }
            td data-is="value" { (figure_value_markup(&item.figure)) }
            @if let Some(bin) = &item.bin { td data-is="bin" { code { (bin) } } } @else { td {} }
            td.r data-is="points" { (item.points.text) }
            td.r data-is="at best" { (format_points(item.best)) }
            @match item.lost.filter(|lost| *lost > 0.0) {
                Some(lost) => td.r data-is="lost" { (format_points(lost)) },
                None => td {},
            }
            td { (gained(item.best - item.lost.unwrap_or(item.best), item.best, most)) }
            @if item.code.is_none() && item.reason.is_none() { td {} } @else {
                td {
                    @if let Some(code) = &item.code { code { (code) } " " }
                    @if let Some(reason) = &item.reason { (visible_text(reason)) }
                }
            }
        }
    }
}

/// A bar of the points gained within the points possible. `most` is the full width.
fn gained(gained: f64, best: f64, most: f64) -> Markup {
    let wide = |points: f64| format!("width:{:.1}%", (points / most * 100.0).clamp(0.0, 100.0));
    html! { div.gain { div.best style=(wide(best)) {} div.got style=(wide(gained)) {} } }
}
