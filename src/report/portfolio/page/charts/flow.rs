//! How customers flow from the groups on the left to those on the right.

use maud::{Markup, html};

use crate::report::axis::round_px;
use crate::report::portfolio::numbers::format_count;
use crate::report::portfolio::page::figure::Drawing;

/// Room for the names of the groups, on either side.
const SIDE: f64 = 98.0;
const NODE: f64 = 10.0;
const TOP: f64 = 26.0;
const BODY: f64 = 210.0;
/// Room between groups, so that the names of small ones stand apart.
const GAP: f64 = 20.0;

/// Customers who go from one group to another.
pub(crate) struct Stream {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) customers: u64,
}

/// Streams between the same groups on both sides.
pub(crate) struct Flow<'t> {
    /// From the best to the worst.
    pub(crate) groups: &'t [&'t str],
    pub(crate) sides: (&'t str, &'t str),
    pub(crate) streams: Vec<Stream>,
}

impl Flow<'_> {
    pub(crate) fn draw(&self, width: f64) -> Drawing {
        let (left, right) = (self.tops(|stream| stream.from), self.tops(|stream| stream.to));
        let height = TOP + BODY + GAP * self.groups.len() as f64;
        let content = html! {
            text.name x=(SIDE + NODE) y="14" text-anchor="end" { (self.sides.0) }
            text.name x=(width - SIDE - NODE) y="14" { (self.sides.1) }
            @for stream in self.streams.iter().filter(|stream| stream.from == stream.to) {
                (self.stream(stream, (&left, &right), width))
            }
            @for stream in self.streams.iter().filter(|stream| stream.from != stream.to) {
                (self.stream(stream, (&left, &right), width))
            }
            @for (index, group) in self.groups.iter().enumerate() {
                (self.node(index, group, &left, (SIDE, SIDE - 5.0, "end"), |stream| stream.from))
                (self.node(index, group, &right, (width - SIDE - NODE, width - SIDE + 5.0, "start"), |s| s.to))
            }
        };
        Drawing { height, content }
    }

    fn scale(&self) -> f64 {
        let all: u64 = self.streams.iter().map(|stream| stream.customers).sum();
        BODY / all.max(1) as f64
    }

    fn sum(&self, chosen: impl Fn(&Stream) -> bool) -> f64 {
        let chosen = self.streams.iter().filter(|stream| chosen(stream));
        chosen.map(|stream| stream.customers).sum::<u64>() as f64
    }

    /// Where each group starts.
    fn tops(&self, side: impl Fn(&Stream) -> usize) -> Vec<f64> {
        let mut top = TOP;
        let next = |index: usize| {
            let this = top;
            top += self.sum(|stream| side(stream) == index) * self.scale() + GAP;
            this
        };
        (0..self.groups.len()).map(next).collect()
    }

    fn stream(&self, stream: &Stream, (left, right): (&[f64], &[f64]), width: f64) -> Markup {
        let scale = self.scale();
        let before_left = self.sum(|other| other.from == stream.from && other.to < stream.to) * scale;
        let before_right = self.sum(|other| other.to == stream.to && other.from < stream.from) * scale;
        let thick = (stream.customers as f64 * scale).max(1.0);
        let y1 = left.get(stream.from).copied().unwrap_or(TOP) + before_left;
        let y2 = right.get(stream.to).copied().unwrap_or(TOP) + before_right;
        let (x1, x2) = (SIDE + NODE, width - SIDE - NODE);
        let middle = (x1 + x2) / 2.0;
        let path = format!(
            "M{x1} {}C{middle} {} {middle} {} {x2} {}V{}C{middle} {} {middle} {} {x1} {}Z",
            round_px(y1),
            round_px(y1),
            round_px(y2),
            round_px(y2),
            round_px(y2 + thick),
            round_px(y2 + thick),
            round_px(y1 + thick),
            round_px(y1 + thick),
        );
        let name = |index: usize| self.groups.get(index).copied().unwrap_or_default();
        html! {
            @if stream.customers > 0 {
                path.stream.(direction(stream)) d=(path) {
                    title { (name(stream.from)) " to " (name(stream.to)) ": " (format_count(stream.customers)) }
                }
            }
        }
    }

    fn node(
        &self,
        index: usize,
        group: &str,
        tops: &[f64],
        (x, text, anchor): (f64, f64, &str),
        side: impl Fn(&Stream) -> usize,
    ) -> Markup {
        let number = self.sum(|stream| side(stream) == index);
        let (top, high) = (tops.get(index).copied().unwrap_or(TOP), (number * self.scale()).max(1.0));
        html! {
            rect.node.(group) x=(x) width=(NODE) y=(round_px(top)) height=(round_px(high)) {}
            text.value x=(text) y=(round_px(top + high / 2.0 + 4.0)) text-anchor=(anchor) {
                (group) " " (format_count(number as u64))
            }
        }
    }
}

/// Groups stand from the best to the worst.
fn direction(stream: &Stream) -> &'static str {
    match stream.from.cmp(&stream.to) {
        std::cmp::Ordering::Equal => "same",
        std::cmp::Ordering::Greater => "up",
        std::cmp::Ordering::Less => "down",
    }
}
