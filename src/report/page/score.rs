//! The score as a table of the page: what each item gained, could have gained and lost. Must not know how points are
//! computed.

use maud::{Markup, html};

use super::numbers::{named, value};
use super::{Page, Shown, plain};
use crate::decision::ScoreExplained;
use crate::report::points;

impl<'t> Page<'t> {
    pub(super) fn score(&self, score: &'t ScoreExplained, shown: &mut Shown<'t>) -> Markup {
        let most = score.items.iter().map(|item| item.best.abs()).fold(1.0, f64::max);
        let points_lost = &self.explanation.decision.points_lost;
        let reported: Vec<&str> = points_lost.iter().map(|lost| lost.id.as_str()).collect();
        html! {
            section {
                h2 { "Score " (value(&score.figure)) }
                // On a narrow screen each row is a block, and each cell says what it is.
                table.score {
                    tr {
                        th { "item" } th { "value" } th { "bin" }
                        th.r { "points" } th.r { "at best" } th.r { "lost" }
                        th { "" } th { "" }
                    }
                    tr {
                        td { "base" } td {} td {} td.r data-is="points" { (points(score.base)) } td {} td {} td {} td {}
                    }
                    @for item in &score.items {
                        tr {
                            td { code { (item.on) } }
                            td data-is="value" { (value(&item.figure)) }
                            @if let Some(bin) = &item.bin { td data-is="bin" { code { (bin) } } } @else { td {} }
                            td.r data-is="points" { (item.points.text) }
                            td.r data-is="at best" { (points(item.best)) }
                            @match item.lost.filter(|lost| *lost > 0.0) {
                                Some(lost) => td.r data-is="lost" { (points(lost)) },
                                None => td {},
                            }
                            td { (gained(item.best - item.lost.unwrap_or(item.best), item.best, most)) }
                            @if item.code.is_none() && item.reason.is_none() { td {} } @else {
                                td {
                                    @if let Some(code) = &item.code { code { (code) } " " }
                                    @if let Some(reason) = &item.reason { (plain(reason)) }
                                }
                            }
                        }
                    }
                }
                @if !reported.is_empty() { p { "Reported as reasons: " (reported.join(", ")) } }
                @for item in &score.items {
                    (named(&item.parameters))
                    (self.behind(&item.numbers, shown))
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
