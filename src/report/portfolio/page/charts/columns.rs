//! A histogram whose columns are partly filled.

use maud::{Markup, html};

use crate::report::aligned::measure_text_width;
use crate::report::axis::{Scale, round_px};
use crate::report::portfolio::page::figure::{Drawing, LETTER};

const LEFT: f64 = 50.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 22.0;
const BODY: f64 = 180.0;
const BOTTOM: f64 = 40.0;

/// A histogram.
pub(crate) struct Columns<'t> {
    /// The ends of the columns, one more than there are columns.
    pub(crate) edges: &'t [f64],
    /// How high each column is, and how much of it is filled.
    pub(crate) columns: Vec<(u64, u64)>,
    pub(crate) x_title: &'t str,
    pub(crate) y_title: &'t str,
    pub(crate) format: &'t dyn Fn(f64) -> String,
}

impl Columns<'_> {
    pub(crate) fn draw(&self, width: f64) -> Drawing {
        let (bottom, height) = (TOP + BODY, TOP + BODY + BOTTOM);
        let most = self.columns.iter().map(|(all, _)| *all).max().unwrap_or(0);
        let y = Scale::new(0.0, most as f64, TOP, bottom);
        let content = html! {
            text.tick x="2" y=(TOP - 9.0) { (self.y_title) }
            @for tick in y.ticks() {
                line.grid x1=(LEFT) x2=(width - RIGHT) y1=(round_px(y.place(tick))) y2=(round_px(y.place(tick))) {}
                text.tick x=(LEFT - 6.0) y=(round_px(y.place(tick) + 4.0)) text-anchor="end" {
                    (crate::report::axis::abbreviate_amount(tick, 0))
                }
            }
            @for index in 0..self.columns.len() { (self.column(index, &y, width)) }
            line.axis x1=(LEFT) x2=(width - RIGHT) y1=(bottom) y2=(bottom) {}
            (self.ends(bottom, width))
            text.tick x=(width - RIGHT) y=(height - 4.0) text-anchor="end" { (self.x_title) }
        };
        Drawing { height, content }
    }

    /// Columns are equally wide, so that none is too thin to be seen.
    fn place(&self, edge: usize, width: f64) -> f64 {
        LEFT + (width - LEFT - RIGHT) * edge as f64 / self.columns.len().max(1) as f64
    }

    fn column(&self, index: usize, y: &Scale, width: f64) -> Markup {
        let (all, filled) = self.columns.get(index).copied().unwrap_or_default();
        let (left, right) = (self.place(index, width), self.place(index + 1, width));
        let zero = y.place(0.0);
        let end = |edge: usize| self.edges.get(edge).map(|value| (self.format)(*value)).unwrap_or_default();
        let says = format!("{} to {}: {all}, of them {filled} with an offer", end(index), end(index + 1));
        let rect = |class: &str, number: u64| {
            let top = y.place(number as f64);
            html! {
                rect.bar.(class) x=(round_px(left + 1.0)) width=(round_px((right - left - 2.0).max(1.0)))
                    y=(round_px(top)) height=(round_px(zero - top)) { title { (says) } }
            }
        };
        html! { (rect("whole", all)) (rect("filled", filled)) }
    }

    fn ends(&self, bottom: f64, width: f64) -> Markup {
        let names: Vec<String> = self.edges.iter().map(|edge| (self.format)(*edge)).collect();
        let longest = names.iter().map(|name| measure_text_width(name)).max().unwrap_or(1);
        let room = ((width - LEFT - RIGHT) / (longest as f64 * LETTER + 8.0)).floor().max(1.0) as usize;
        let every = names.len().div_ceil(room).max(1);
        html! {
            @for (index, name) in names.iter().enumerate().step_by(every) {
                @let x = round_px(self.place(index, width));
                line.axis x1=(x) x2=(x) y1=(bottom) y2=(bottom + 4.0) {}
                text.tick x=(x) y=(bottom + 17.0) text-anchor="middle" { (name) }
            }
        }
    }
}
