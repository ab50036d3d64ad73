//! A value for each pair of two others, as shades with the value in every cell.

use maud::{Markup, html};

use crate::report::aligned::measure_text_width;
use crate::report::axis::round_px;
use crate::report::portfolio::page::figure::{Drawing, LETTER};

const TOP: f64 = 22.0;
const RIGHT: f64 = 8.0;
const BOTTOM: f64 = 66.0;
const ROW: f64 = 26.0;
/// How dark the greatest value is: text stays readable on it.
const DARKEST: f64 = 0.5;

/// A heat map.
pub(crate) struct Heat<'t> {
    pub(crate) x_title: &'t str,
    pub(crate) y_title: &'t str,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<String>,
    /// The column, the row, and the value.
    pub(crate) cells: Vec<(usize, usize, f64)>,
    pub(crate) format: &'t dyn Fn(f64) -> String,
    /// The cell that has a frame.
    pub(crate) framed: Option<(usize, usize)>,
}

impl Heat<'_> {
    pub(crate) fn draw(&self, width: f64) -> Drawing {
        let left = 14.0 + LETTER * self.rows.iter().map(|name| measure_text_width(name)).max().unwrap_or(1) as f64;
        let cell = (width - left - RIGHT) / self.columns.len().max(1) as f64;
        let letters =
            self.cells.iter().map(|(_, _, value)| measure_text_width(&(self.format)(*value))).max().unwrap_or(1);
        let text = letters as f64 * LETTER + 2.0;
        // Where cells are narrow, their values stand upright.
        let is_upright = text > cell;
        let row = if is_upright { text.max(ROW) + 4.0 } else { ROW };
        let bottom = TOP + row * self.rows.len() as f64;
        let place = |column: usize, line: usize| (left + cell * column as f64, TOP + row * line as f64);
        let content = html! {
            text.tick x="2" y="12" { (self.y_title) }
            @for (index, name) in self.rows.iter().enumerate() {
                @let middle = round_px(place(0, index).1 + row / 2.0 + 4.0);
                text.tick x=(round_px(left - 6.0)) y=(middle) text-anchor="end" { (name) }
            }
            @for (column, line, value) in &self.cells {
                (self.cell(*value, place(*column, *line), (cell, row), is_upright))
            }
            @if let Some((column, line)) = self.framed {
                @let (x, y) = place(column, line);
                rect.framed x=(round_px(x + 1.0)) y=(round_px(y + 1.0)) width=(round_px(cell - 2.0))
                    height=(round_px(row - 2.0)) {}
            }
            (self.names(left, cell, bottom))
            text.tick x=(width - RIGHT) y=(bottom + 32.0) text-anchor="end" { (self.x_title) }
            (self.legend(bottom + 42.0))
        };
        Drawing { height: bottom + BOTTOM, content }
    }

    fn ends(&self) -> (f64, f64) {
        let values = || self.cells.iter().map(|(_, _, value)| *value).filter(|value| value.is_finite());
        let least = values().reduce(f64::min).unwrap_or(0.0);
        (least, values().reduce(f64::max).unwrap_or(least))
    }

    /// From 0 to `DARKEST`.
    fn shade(&self, value: f64) -> f64 {
        let (least, most) = self.ends();
        let share = if most > least { (value - least) / (most - least) } else { 0.0 };
        (share.clamp(0.0, 1.0) * DARKEST * 1000.0).round() / 1000.0
    }

    fn cell(&self, value: f64, (x, y): (f64, f64), (width, height): (f64, f64), is_upright: bool) -> Markup {
        let (middle, line) = (round_px(x + width / 2.0), round_px(y + height / 2.0));
        let turn = is_upright.then(|| format!("rotate(-90 {middle} {line})"));
        html! {
            rect.cell x=(round_px(x)) y=(round_px(y)) width=(round_px(width)) height=(round_px(height))
                fill-opacity=(self.shade(value)) {}
            @if width >= LETTER * 1.8 {
                text.value x=(middle) y=(line) dy=".35em" text-anchor="middle" transform=[turn] {
                    ((self.format)(value))
                }
            }
        }
    }

    fn names(&self, left: f64, cell: f64, bottom: f64) -> Markup {
        let longest = self.columns.iter().map(|name| measure_text_width(name)).max().unwrap_or(1) as f64;
        let every = ((longest * LETTER + 6.0) / cell).ceil().max(1.0) as usize;
        html! {
            @for (index, name) in self.columns.iter().enumerate().step_by(every) {
                text.tick x=(round_px(left + cell * (index as f64 + 0.5)))
                    y=(bottom + 15.0) text-anchor="middle" { (name) }
            }
        }
    }

    /// The shades of the least and of the greatest value, and three between them.
    fn legend(&self, top: f64) -> Markup {
        let ((least, most), steps, step) = (self.ends(), 5, 22.0);
        let (least, most) = ((self.format)(least), (self.format)(most));
        let left = 10.0 + LETTER * measure_text_width(&least) as f64;
        html! {
            text.tick x="2" y=(top + 11.0) { (least) }
            @for index in 0..steps {
                @let shade = f64::from(index) / f64::from(steps - 1) * DARKEST;
                @let x = round_px(left + step * f64::from(index));
                rect.cell x=(x) y=(top) width=(step) height="14" fill-opacity=(shade) {}
            }
            text.tick x=(round_px(left + step * f64::from(steps) + 6.0)) y=(top + 11.0) { (most) }
        }
    }
}
