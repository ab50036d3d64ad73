//! Customers by segment and by month: how many get an offer, and how many of those are bad.

use maud::{Markup, html};

use super::charts::{Axis, Bar, Bars, Chart, ChartBar, Point, Series};
use super::document::PageSection;
use super::figure::{Drawing, Figure, Look, role_keys};
use super::format::{bad_rate, format_axis_tick, share_tick};
use super::table::{PageCell, PageTable};
use super::view::View;
use crate::portfolio::summary::{GroupNumbers, SegmentRow, Segmentation};
use crate::report::page::visible_text;
use crate::report::portfolio::numbers::format_percent;

/// How many segments are drawn as bars; the table has all.
const DRAWN: usize = 25;

/// What is shown of a segment's offers.
type Rate = fn(&SegmentRow, &GroupNumbers) -> Option<f64>;

impl View<'_> {
    pub(super) fn segments(&self) -> Option<PageSection> {
        let all: Vec<&Segmentation> = self.summary.segments.iter().filter(|by| !by.rows.is_empty()).collect();
        if all.is_empty() {
            return None;
        }
        let approved: Rate = |row, offers| (row.customers > 0).then(|| offers.customers as f64 / row.customers as f64);
        let bad: Rate = |_, offers| offers.bad_rate;
        let body = html! {
            @for by in all {
                h3 { "By " (visible_text(&by.by)) }
                @if let Some(role) = &by.value_of {
                    p.note { "The value of the " (role) " for both: the same customers stand in each row." }
                }
                div.figures {
                    (self.rates(by, "Customers with an offer", approved))
                    @if self.summary.outcomes.is_some() {
                        (self.rates(by, "Bad among offers with an outcome", bad))
                    }
                }
            }
        };
        Some(PageSection::new("segments", "Segments and months", body))
    }

    fn rates(&self, by: &Segmentation, what: &str, rate: Rate) -> Markup {
        let title = format!("{what}, by {}", visible_text(&by.by));
        let lines = (by.by == "month" && by.rows.len() > 1).then(|| self.rate_lines(by, rate));
        let bars = self.rate_bars(by, rate);
        let draw = |width: f64| -> Drawing {
            lines.as_ref().map_or_else(|| bars.draw(width), |lines| self.month_chart(by, lines).draw(width))
        };
        let is_cut = lines.is_none() && by.rows.len() > DRAWN;
        let note = if is_cut { format!("Drawn: the first {DRAWN} of {}.", by.rows.len()) } else { String::new() };
        let legend = if self.two().is_some() { role_keys(self.roles()) } else { Vec::new() };
        Figure { title: title.clone(), note, legend, draw: &draw, data: self.segment_table(&title, by) }.show()
    }

    fn rate_bars(&self, by: &Segmentation, rate: Rate) -> Bars {
        let bar = |row: &SegmentRow| {
            let value = |(offers, role): (&GroupNumbers, &str)| ChartBar {
                look: Look::of_role(role),
                value: rate(row, offers).unwrap_or(0.0),
                interval: None,
                text: rate(row, offers).map_or("unknown".to_owned(), format_percent),
            };
            Bar { name: visible_text(&row.value), values: row.offered.iter().zip(self.roles()).map(value).collect() }
        };
        Bars { bars: by.rows.iter().take(DRAWN).map(bar).collect(), marked: Vec::new() }
    }

    /// For each policy, its points by the number of the month.
    fn rate_lines(&self, by: &Segmentation, rate: Rate) -> Vec<(Look, Vec<Point>)> {
        let line = |(policy, role): (usize, &str)| {
            let point = |(at, row): (usize, &SegmentRow)| {
                let value = rate(row, row.offered.get(policy)?)?;
                Some(Point::new(at as f64, value).says(format!(
                    "{role}, {}: {}",
                    visible_text(&row.value),
                    format_percent(value)
                )))
            };
            (Look::of_role(role), by.rows.iter().enumerate().filter_map(point).collect())
        };
        self.roles().enumerate().map(line).collect()
    }

    fn month_chart(&self, by: &Segmentation, lines: &[(Look, Vec<Point>)]) -> Chart<'_> {
        let names = by.rows.iter().enumerate().map(|(at, row)| (at as f64, visible_text(&row.value))).collect();
        let series = lines.iter().map(|(look, points)| Series {
            look: *look,
            points: points.clone(),
            has_line: true,
            has_dots: true,
            label: None,
        });
        Chart {
            x: Axis::new("month", &format_axis_tick).named(names),
            y: Axis::new("share", &share_tick).including(&[0.0]),
            series: series.collect(),
            markers: Vec::new(),
            has_diagonal: false,
        }
    }

    fn segment_table(&self, title: &str, by: &Segmentation) -> PageTable {
        let has_outcomes = self.summary.outcomes.is_some();
        let of = ["{}: offers", "{}: rate", "{}: amount", "{}: bad rate"];
        let of = if has_outcomes { &of[..] } else { &of[..3] };
        let mut table = PageTable::new(title, self.columns(&[&visible_text(&by.by), "customers"], of)).sortable();
        for row in &by.rows {
            let mut cells = vec![PageCell::text(&row.value), PageCell::count(row.customers)];
            for offers in &row.offered {
                let share = (row.customers > 0).then(|| offers.customers as f64 / row.customers as f64);
                let amount = PageCell::number(&self.money(offers.amount), offers.amount as f64);
                cells.extend([PageCell::count(offers.customers), PageCell::percent(share), amount]);
                cells.extend(has_outcomes.then(|| bad_rate(offers)));
            }
            table.row(cells);
        }
        table
    }
}
