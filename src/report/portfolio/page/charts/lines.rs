//! Lines and points over two axes, with intervals and marked places.

use maud::{Markup, html};

use crate::report::aligned::measure_text_width;
use crate::report::axis::{Scale, round_px};
use crate::report::portfolio::page::figure::{Drawing, LETTER, Look, shorten_to_letters};

/// Room for the numbers beside the vertical axis, for the last letters of the other, and above and below.
const LEFT: f64 = 56.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 40.0;
/// How high the drawn part is.
const BODY: f64 = 210.0;
/// Room above the drawn part for the name of one marked place.
const MARKER: f64 = 15.0;

/// One axis.
pub(crate) struct Axis<'t> {
    pub(crate) title: &'t str,
    /// How a value is written beside it.
    pub(crate) format: &'t dyn Fn(f64) -> String,
    /// Values with names of their own, instead of round numbers.
    pub(crate) names: Vec<(f64, String)>,
    /// Whether it shows these values in any case.
    pub(crate) includes: Vec<f64>,
}

impl<'t> Axis<'t> {
    pub(crate) fn new(title: &'t str, format: &'t dyn Fn(f64) -> String) -> Axis<'t> {
        Axis { title, format, names: Vec::new(), includes: Vec::new() }
    }

    pub(crate) fn including(self, values: &[f64]) -> Axis<'t> {
        Axis { includes: values.to_vec(), ..self }
    }

    pub(crate) fn named(self, names: Vec<(f64, String)>) -> Axis<'t> {
        Axis { names, ..self }
    }
}

/// One point, its interval if it has one, and what it says when pointed at.
#[derive(Clone)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) interval: Option<(f64, f64)>,
    pub(crate) says: String,
}

impl Point {
    pub(crate) fn new(x: f64, y: f64) -> Point {
        Point { x, y, interval: None, says: String::new() }
    }

    pub(crate) fn says(self, says: String) -> Point {
        Point { says, ..self }
    }

    pub(crate) fn within(self, low: f64, high: f64) -> Point {
        Point { interval: Some((low, high)), ..self }
    }
}

/// Points that belong together.
pub(crate) struct Series {
    pub(crate) look: Look,
    pub(crate) points: Vec<Point>,
    pub(crate) has_line: bool,
    pub(crate) has_dots: bool,
    /// What is written at its end.
    pub(crate) label: Option<String>,
}

/// A place on the horizontal axis with a name.
pub(crate) struct Marker {
    pub(crate) x: f64,
    pub(crate) name: String,
}

/// A chart of lines and points.
pub(crate) struct Chart<'t> {
    pub(crate) x: Axis<'t>,
    pub(crate) y: Axis<'t>,
    pub(crate) series: Vec<Series>,
    pub(crate) markers: Vec<Marker>,
    /// Whether the line from corner to corner is drawn: what chance, or perfection, would be.
    pub(crate) has_diagonal: bool,
}

impl Chart<'_> {
    pub(crate) fn draw(&self, width: f64) -> Drawing {
        let top = TOP + MARKER * self.markers.len() as f64;
        let (x, y) = (self.horizontal(width), self.vertical(top));
        let (bottom, height) = (top + BODY, top + BODY + BOTTOM);
        let content = html! {
            text.tick x="2" y=(TOP - 13.0) { (self.y.title) }
            (self.rows(&y, width))
            (self.columns(&x, bottom, width))
            text.tick x=(width - RIGHT) y=(height - 4.0) text-anchor="end" { (self.x.title) }
            @if self.has_diagonal {
                line.diagonal x1=(round_px(x.place(0.0))) y1=(round_px(y.place(0.0)))
                    x2=(round_px(x.place(1.0))) y2=(round_px(y.place(1.0))) {}
            }
            @for (index, marker) in self.markers.iter().enumerate() {
                (self.mark(marker, index, &x, (bottom, width)))
            }
            @for series in &self.series { (series.draw(&x, &y)) }
        };
        Drawing { height, content }
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.series.iter().flat_map(|series| &series.points)
    }

    fn horizontal(&self, width: f64) -> Scale {
        let markers = self.markers.iter().map(|marker| marker.x);
        let values = self.points().map(|point| point.x).chain(markers).chain(self.x.includes.iter().copied());
        let (least, most) = span(values);
        // Named values stand in the middle of their room.
        let half = if self.x.names.is_empty() { 0.0 } else { 0.5 };
        Scale::new(least - half, most + half, width - RIGHT, LEFT)
    }

    fn vertical(&self, top: f64) -> Scale {
        let ends = |point: &Point| point.interval.map_or([point.y, point.y], |(low, high)| [low, high]);
        let values = self.points().flat_map(|point| ends(point).into_iter().chain([point.y]));
        let (least, most) = span(values.chain(self.y.includes.iter().copied()));
        Scale::new(least, most, top, top + BODY)
    }

    fn rows(&self, y: &Scale, width: f64) -> Markup {
        html! {
            @for tick in y.ticks() {
                line.grid x1=(LEFT) x2=(width - RIGHT) y1=(round_px(y.place(tick))) y2=(round_px(y.place(tick))) {}
                text.tick x=(LEFT - 6.0) y=(round_px(y.place(tick) + 4.0)) text-anchor="end" { ((self.y.format)(tick)) }
            }
        }
    }

    /// A vertical line with a name above it. Names stand on lines of their own, away from the other marked place.
    fn mark(&self, marker: &Marker, index: usize, x: &Scale, (bottom, width): (f64, f64)) -> Markup {
        let place = x.place(marker.x);
        let line = TOP + MARKER * index as f64 + 4.0;
        let room = measure_text_width(&marker.name) as f64 * (LETTER + 1.0);
        let is_before = self.markers.iter().any(|other| other.x > marker.x);
        let is_left = place - room > 0.0 && (is_before || place + room > width);
        let (beside, anchor) = if is_left { (place - 4.0, "end") } else { (place + 4.0, "start") };
        html! {
            line.marker.(format!("marker{index}")) x1=(round_px(place)) x2=(round_px(place)) y1=(line - 8.0)
                y2=(bottom) {}
            text.marked x=(round_px(beside)) y=(line) text-anchor=(anchor) { (marker.name) }
        }
    }

    fn columns(&self, x: &Scale, bottom: f64, width: f64) -> Markup {
        let ticks = match self.x.names.is_empty() {
            true => x.ticks().into_iter().map(|tick| (tick, (self.x.format)(tick))).collect(),
            false => self.x.names.clone(),
        };
        let longest = ticks.iter().map(|(_, name)| measure_text_width(name)).max().unwrap_or(1).min(14);
        let room = ((width - LEFT - RIGHT) / (longest as f64 * LETTER + 8.0)).floor().max(1.0) as usize;
        let every = ticks.len().div_ceil(room).max(1);
        html! {
            line.axis x1=(LEFT) x2=(width - RIGHT) y1=(bottom) y2=(bottom) {}
            @for (tick, name) in ticks.iter().step_by(every) {
                line.axis x1=(round_px(x.place(*tick))) x2=(round_px(x.place(*tick))) y1=(bottom) y2=(bottom + 4.0) {}
                text.tick x=(round_px(x.place(*tick)))
                    y=(bottom + 17.0) text-anchor="middle" { (shorten_to_letters(name, 14)) }
            }
        }
    }
}

/// The least and the greatest of the values that are numbers.
fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    let least = values.iter().copied().reduce(f64::min).unwrap_or(0.0);
    (least, values.iter().copied().reduce(f64::max).unwrap_or(least))
}

impl Series {
    fn draw(&self, x: &Scale, y: &Scale) -> Markup {
        let drawn: Vec<&Point> =
            self.points.iter().filter(|point| point.x.is_finite() && point.y.is_finite()).collect();
        let mut path = String::new();
        for (index, point) in drawn.iter().enumerate() {
            let letter = if index == 0 { 'M' } else { 'L' };
            path += &format!("{letter}{} {}", round_px(x.place(point.x)), round_px(y.place(point.y)));
        }
        html! {
            g.series.(self.look.class()) {
                @for point in &drawn { @if let Some(ends) = point.interval { (whisker(point, ends, x, y)) } }
                @if self.has_line && drawn.len() > 1 { path d=(path) {} }
                @if self.has_dots || drawn.len() == 1 {
                    @for point in &drawn {
                        circle cx=(round_px(x.place(point.x))) cy=(round_px(y.place(point.y))) r="3.5" {
                            @if !point.says.is_empty() { title { (point.says) } }
                        }
                    }
                }
                @if let (Some(label), Some(last)) = (&self.label, drawn.last()) {
                    text.value x=(round_px(x.place(last.x)))
                        y=(round_px(y.place(last.y) - 8.0)) text-anchor="middle" { (label) }
                }
            }
        }
    }
}

fn whisker(point: &Point, (low, high): (f64, f64), x: &Scale, y: &Scale) -> Markup {
    let (middle, low, high) = (round_px(x.place(point.x)), round_px(y.place(low)), round_px(y.place(high)));
    html! {
        path.whisker d=(format!("M{} {low}H{}M{middle} {low}V{high}M{} {high}H{}", middle - 4.0, middle + 4.0,
            middle - 4.0, middle + 4.0)) {}
    }
}
