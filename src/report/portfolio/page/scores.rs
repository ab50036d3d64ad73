//! How scores are distributed, and who of them gets an offer.

use maud::{Markup, html};

use super::charts::Columns;
use super::document::PageSection;
use super::figure::{Figure, Key};
use super::format::{count_with_noun, format_axis_tick};
use super::table::{PageCell, PageTable};
use super::view::View;
use crate::portfolio::summary::Histogram;

impl View<'_> {
    pub(super) fn scores(&self) -> Option<PageSection> {
        let with = || self.summary.policies.iter().filter_map(|policy| Some((policy, policy.scores.as_ref()?)));
        with().next()?;
        let is_alone = self.two().is_none();
        let body = html! {
            div.figures {
                @for (policy, scores) in with() {
                    (histogram(if is_alone { "policy" } else { &policy.role }, scores))
                }
            }
        };
        Some(PageSection::new("scores", "Scores", body))
    }
}

fn histogram(role: &str, scores: &Histogram) -> Markup {
    let title = format!("Scores of the {role}");
    let offered = |at: usize| scores.offered.get(at).copied().unwrap_or(0);
    let columns = scores.customers.iter().enumerate().map(|(at, all)| (*all, offered(at)));
    let chart = Columns {
        edges: &scores.edges,
        columns: columns.collect(),
        x_title: "score",
        y_title: "customers",
        format: &format_axis_tick,
    };
    let has_outcomes = scores.known.iter().any(|known| *known > 0);
    let columns = ["score", "customers", "with an offer", "known", "bad"];
    let mut data = PageTable::new(&title, columns.into_iter().take(if has_outcomes { 5 } else { 3 }));
    for (at, customers) in scores.customers.iter().enumerate() {
        let end = |at: usize| scores.edges.get(at).map(|edge| format_axis_tick(*edge)).unwrap_or_default();
        let of = |numbers: &[u64]| PageCell::count(numbers.get(at).copied().unwrap_or(0));
        let name = PageCell::text(&format!("{} to {}", end(at), end(at + 1)));
        let mut cells = vec![name, PageCell::count(*customers), of(&scores.offered)];
        if has_outcomes {
            cells.extend([of(&scores.known), of(&scores.bad)]);
        }
        data.row(cells);
    }
    let note = match scores.unknown {
        0 => "Every customer has a score.".to_owned(),
        1 => "1 customer has no score.".to_owned(),
        unknown => format!("{} have no score.", count_with_noun(unknown, "customer")),
    };
    let key = |class: &str, name: &str| -> Key { (class.to_owned(), name.to_owned()) };
    let legend = vec![key("filled", "with an offer"), key("whole", "without")];
    Figure { title, note, legend, draw: &|width| chart.draw(width), data }.show()
}
