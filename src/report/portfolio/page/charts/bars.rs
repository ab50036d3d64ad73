//! Horizontal bars, each under its name, so that long names need no margin.

use maud::{Markup, html};

use crate::report::aligned::measure_text_width;
use crate::report::axis::{Scale, round_px};
use crate::report::portfolio::page::figure::{Drawing, LETTER, Look, shorten_to_letters};

/// How high one bar is, and the name above the bars of a group.
const BAR: f64 = 13.0;
const NAME: f64 = 17.0;
/// Room between two groups.
const GAP: f64 = 9.0;
/// Room above for the names of the marked values.
const TOP: f64 = 4.0;
const MARKED: f64 = 18.0;

/// One bar.
pub(crate) struct ChartBar {
    pub(crate) look: Look,
    pub(crate) value: f64,
    /// Its interval, if it is an estimate.
    pub(crate) interval: Option<(f64, f64)>,
    /// What is written at its end.
    pub(crate) text: String,
}

/// The bars under one name.
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) values: Vec<ChartBar>,
}

/// Groups of bars, and values that are marked across all of them.
pub(crate) struct Bars {
    pub(crate) bars: Vec<Bar>,
    pub(crate) marked: Vec<(f64, String)>,
}

impl Bars {
    pub(crate) fn draw(&self, width: f64) -> Drawing {
        let scale = self.scale(width);
        let top = TOP + MARKED * self.marked.len() as f64;
        let mut y = top;
        let mut groups = Vec::new();
        for bar in &self.bars {
            groups.push(group(bar, y, &scale, width));
            y += NAME + BAR * bar.values.len() as f64 + GAP;
        }
        let zero = round_px(scale.place(0.0));
        let content = html! {
            @for (index, (value, name)) in self.marked.iter().enumerate() {
                @let is_last = self.marked.iter().all(|(other, _)| other <= value);
                (mark(scale.place(*value), name, (index, is_last), (y, width)))
            }
            @for group in &groups { (group) }
            line.axis x1=(zero) x2=(zero) y1=(top) y2=(y - GAP) {}
        };
        Drawing { height: y, content }
    }

    fn scale(&self, width: f64) -> Scale {
        let values = || self.bars.iter().flat_map(|bar| &bar.values);
        let ends = values().flat_map(|value| {
            let (low, high) = value.interval.unwrap_or((value.value, value.value));
            [low, high, value.value]
        });
        let all: Vec<f64> = ends.chain(self.marked.iter().map(|(value, _)| *value)).filter(|v| v.is_finite()).collect();
        let (least, most) = (all.iter().copied().fold(0.0, f64::min), all.iter().copied().fold(0.0, f64::max));
        let room = values().map(|value| measure_text_width(&value.text)).max().unwrap_or(0) as f64 * LETTER + 10.0;
        let left = if least < 0.0 { room } else { 2.0 };
        let right = if most > 0.0 { room } else { 2.0 };
        Scale::new(least, most, (width - right).max(left + 40.0), left.min(width / 2.0 - 20.0))
    }
}

fn group(bar: &Bar, top: f64, scale: &Scale, width: f64) -> Markup {
    let letters = (width / LETTER).floor() as usize;
    html! {
        text.name x="2" y=(round_px(top + 12.0)) { (shorten_to_letters(&bar.name, letters)) }
        @for (index, value) in bar.values.iter().enumerate() {
            (value.draw(top + NAME + BAR * index as f64, scale))
        }
    }
}

impl ChartBar {
    fn draw(&self, top: f64, scale: &Scale) -> Markup {
        let value = if self.value.is_finite() { self.value } else { 0.0 };
        let (zero, end) = (scale.place(0.0), scale.place(value));
        let (left, right) = (zero.min(end), zero.max(end));
        let (low, high) = self.interval.unwrap_or((value, value));
        let (text, anchor) = match value < 0.0 {
            true => (scale.place(low).min(left) - 4.0, "end"),
            false => (scale.place(high).max(right) + 4.0, "start"),
        };
        let middle = round_px(top + BAR / 2.0);
        html! {
            rect.bar.(self.look.class()).estimate[self.interval.is_some()] x=(round_px(left)) y=(round_px(top + 1.0))
                width=(round_px((right - left).max(0.5))) height=(BAR - 2.0) {}
            @if self.interval.is_some() {
                path.whisker d=(format!("M{} {middle}H{}", round_px(scale.place(low)), round_px(scale.place(high)))) {}
            }
            text.value x=(round_px(text)) y=(round_px(top + 10.5)) text-anchor=(anchor) { (self.text) }
        }
    }
}

fn mark(place: f64, name: &str, (index, is_last): (usize, bool), (bottom, width): (f64, f64)) -> Markup {
    let line = TOP + MARKED * index as f64 + 9.0;
    let room = measure_text_width(name) as f64 * (LETTER + 1.0);
    let is_left = place > room && (!is_last || place + room > width);
    let (beside, anchor) = if is_left { (place - 4.0, "end") } else { (place + 4.0, "start") };
    html! {
        line.marker.(format!("marker{index}")) x1=(round_px(place)) x2=(round_px(place)) y1=(line - 8.0)
            y2=(round_px(bottom)) {}
        text.marked x=(round_px(beside)) y=(line) text-anchor=(anchor) { (name) }
    }
}
