//! A chart with its name, its legend and its numbers: drawn once for a screen and once for a phone, where letters keep
//! their size.

use maud::{Markup, html};

use super::table::PageTable;
use crate::report::aligned::cut_text_to_width;
use crate::report::axis::round_px;

/// How wide a chart is drawn for a screen, and for a phone.
const WIDE: f64 = 510.0;
const NARROW: f64 = 330.0;

/// About how wide a letter is.
pub(super) const LETTER: f64 = 7.0;

/// How a series of a chart is drawn, so that it is known without its colour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// The only policy, or the challenger: a filled bar, a full line, a disc.
    Challenger,
    /// The champion: a hollow bar, a dashed line, a ring.
    Champion,
    /// One of many lines: each has its own dashes and colour.
    Of(usize),
}

impl Look {
    /// The look of a policy by its role.
    pub(super) fn of_role(role: &str) -> Look {
        if role == "champion" { Look::Champion } else { Look::Challenger }
    }

    pub(super) fn class(self) -> String {
        match self {
            Look::Challenger => "challenger".to_owned(),
            Look::Champion => "champion".to_owned(),
            Look::Of(at) => format!("line{}", at % 6),
        }
    }
}

/// An entry of a legend: the class of its key, and what the key stands for.
pub(super) type Key = (String, String);

/// The key of each of these policies.
pub(super) fn role_keys<'t>(roles: impl IntoIterator<Item = &'t str>) -> Vec<Key> {
    roles.into_iter().map(|role| (Look::of_role(role).class(), role.to_owned())).collect()
}

/// A chart.
pub(super) struct Figure<'t> {
    /// What it is called.
    pub(super) title: String,
    /// What it shows, in a sentence or two.
    pub(super) note: String,
    pub(super) legend: Vec<Key>,
    /// Draws it this wide.
    pub(super) draw: &'t dyn Fn(f64) -> Drawing,
    /// Its numbers.
    pub(super) data: PageTable,
}

/// The content of a chart, and how high it is.
pub(super) struct Drawing {
    pub(super) height: f64,
    pub(super) content: Markup,
}

impl Figure<'_> {
    pub(super) fn show(&self) -> Markup {
        html! {
            figure {
                figcaption { b { (self.title) } @if !self.note.is_empty() { " " span.note { (self.note) } } }
                @if !self.legend.is_empty() {
                    p.legend {
                        @for (class, name) in &self.legend { span { span.key.(class) {} (name) } }
                    }
                }
                (self.svg(WIDE, "wide")) (self.svg(NARROW, "narrow"))
                (folded_table_markup(&self.title, &self.data))
            }
        }
    }

    fn svg(&self, width: f64, class: &str) -> Markup {
        let drawing = (self.draw)(width);
        let label = format!("Chart: {}. The table below it has its numbers.", self.title);
        let room = format!("0 0 {width} {}", round_px(drawing.height));
        html! { svg.chart.(class) viewBox=(room) role="img" aria-label=(label) { (drawing.content) } }
    }
}

/// A table to unfold.
pub(super) fn folded_table_markup(title: &str, table: &PageTable) -> Markup {
    html! { details.data { summary { "Numbers: " (title) } (table.draw()) } }
}

/// Text that has room for so many letters.
pub(super) fn shorten_to_letters(text: &str, letters: usize) -> String {
    cut_text_to_width(text, letters, "…")
}
