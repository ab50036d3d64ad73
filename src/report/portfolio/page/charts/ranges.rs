//! Ranges side by side, each under its name: how far a value reaches between two ends.

use maud::{Markup, html};

use crate::report::aligned::measure_text_width;
use crate::report::axis::{Scale, round_px};
use crate::report::portfolio::page::figure::{Drawing, LETTER, shorten_to_letters};

const BAR: f64 = 16.0;
const NAME: f64 = 18.0;
const GAP: f64 = 10.0;
const TOP: f64 = 22.0;

/// A range, and what is written at its ends.
pub(crate) struct Range {
    pub(crate) name: String,
    pub(crate) from: (f64, String),
    pub(crate) to: (f64, String),
}

/// Ranges over one axis.
pub(crate) struct Ranges {
    pub(crate) ranges: Vec<Range>,
    /// A value that is marked across all of them.
    pub(crate) marked: Option<(f64, String)>,
}

impl Ranges {
    pub(crate) fn draw(&self, width: f64) -> Drawing {
        let scale = self.scale(width);
        let top = if self.marked.is_some() { TOP } else { 2.0 };
        let step = NAME + BAR + GAP;
        let height = top + step * self.ranges.len() as f64;
        let content = html! {
            @if let Some((value, name)) = &self.marked {
                @let place = scale.place(*value);
                @let (beside, anchor) = if place > width / 2.0 { (place - 4.0, "end") } else { (place + 4.0, "start") };
                line.marker x1=(round_px(place)) x2=(round_px(place)) y1="4" y2=(height - GAP) {}
                text.marked x=(round_px(beside)) y="13" text-anchor=(anchor) { (name) }
            }
            @for (index, range) in self.ranges.iter().enumerate() {
                (range.draw(top + step * index as f64, &scale, width))
            }
        };
        Drawing { height, content }
    }

    fn scale(&self, width: f64) -> Scale {
        let ends = || self.ranges.iter().flat_map(|range| [&range.from, &range.to]);
        let values = ends().map(|end| end.0).chain(self.marked.iter().map(|(value, _)| *value));
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        let least = values.iter().copied().reduce(f64::min).unwrap_or(0.0);
        let most = values.iter().copied().reduce(f64::max).unwrap_or(least);
        let room = ends().map(|end| measure_text_width(&end.1)).max().unwrap_or(0) as f64 * LETTER + 8.0;
        let room = room.min(width / 2.0 - 30.0);
        Scale::new(least, most, width - room, room)
    }
}

impl Range {
    fn draw(&self, top: f64, scale: &Scale, width: f64) -> Markup {
        let (low, high) = if self.from.0 <= self.to.0 { (&self.from, &self.to) } else { (&self.to, &self.from) };
        let (left, right) = (scale.place(low.0), scale.place(high.0));
        let letters = (width / LETTER).floor() as usize;
        let line = round_px(top + NAME + 12.0);
        html! {
            text.name x="2" y=(round_px(top + 13.0)) { (shorten_to_letters(&self.name, letters)) }
            rect.bar.challenger x=(round_px(left)) width=(round_px((right - left).max(1.0)))
                y=(round_px(top + NAME)) height=(BAR) {}
            text.value x=(round_px(left - 4.0)) y=(line) text-anchor="end" { (low.1) }
            text.value x=(round_px(right + 4.0)) y=(line) { (high.1) }
        }
    }
}
