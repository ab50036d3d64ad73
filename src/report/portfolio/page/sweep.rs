//! What a policy does over the values of its parameters: curves, heat maps, the efficient frontier and a tornado. Must
//! not know how the values were tried.

use maud::{Markup, html};

use super::charts::{Axis, Chart, Heat, Marker, Point, Range, Ranges, Series};
use super::document::PageSection;
use super::figure::{Figure, Key, Look, folded_table_markup};
use super::format::{count_with_noun, format_axis_tick, share_tick};
use super::table::{PageCell, PageTable};
use crate::portfolio::summary::{SweepPoint, SweepSummary, TornadoRow};
use crate::report::page::visible_text;
use crate::report::portfolio::numbers::{format_percent, format_portfolio_money};

/// How many points are listed without unfolding.
const LISTED: usize = 50;

/// A sweep to be shown.
pub(super) struct SweepView<'t> {
    pub(super) summary: &'t SweepSummary,
    pub(super) currency: &'t (String, u32),
}

/// Something that is measured at every point.
struct Measure {
    name: &'static str,
    of: fn(&SweepPoint) -> Option<f64>,
    ends: fn(&TornadoRow) -> (Option<f64>, Option<f64>),
    is_money: bool,
}

const MEASURES: [Measure; 3] = [
    Measure {
        name: "Approvals",
        of: |point| Some(point.approval_rate),
        ends: |row| (Some(row.approval_rate.0), Some(row.approval_rate.1)),
        is_money: false,
    },
    Measure { name: "Bad rate", of: |point| point.bad_rate, ends: |row| row.bad_rate, is_money: false },
    Measure { name: "Profit", of: |point| point.profit, ends: |row| row.profit, is_money: true },
];

impl SweepView<'_> {
    pub(super) fn introduction(&self) -> Markup {
        let summary = self.summary;
        let search = if summary.search == "random" { "by random search" } else { "on a grid" };
        html! {
            @if !summary.points.is_empty() {
                p { (count_with_noun(summary.points.len() as u64, "combination")) " of values, " (search) "." }
            }
            dl.facts {
                @for (name, values) in &summary.parameters {
                    div {
                        dt { code { (visible_text(name)) } }
                        dd {
                            @match (values.iter().copied().reduce(f64::min), values.iter().copied().reduce(f64::max)) {
                                (Some(least), Some(most)) => {
                                    (format_axis_tick(least)) " to " (format_axis_tick(most)) ", "
                                    (count_with_noun(values.len() as u64, "value"))
                                }
                                _ => { "no values" }
                            }
                        }
                    }
                }
                @if let Some(present) = self.present() {
                    div { dt { "present values" } dd { (self.values(present)) } }
                }
                @if !self.summary.left_out.is_empty() {
                    div {
                        dt { "not tried" }
                        dd { (visible_text(&self.summary.left_out.join(", "))) ": values over records depend on them" }
                    }
                }
            }
        }
    }

    pub(super) fn sections(&self) -> Vec<PageSection> {
        let maps = match (self.summary.parameters.len(), self.summary.search.as_str()) {
            (1, _) => Some(PageSection::new("curves", "Curves", self.each(|measure| self.curve(measure)))),
            (2, "grid") => Some(PageSection::new("maps", "Heat maps", self.each(|measure| self.heat(measure)))),
            _ => None,
        };
        let tornado = (!self.summary.tornado.is_empty()).then(|| {
            let ranges = self.each(|measure| self.ranges(measure));
            PageSection::new("tornado", "What each parameter does alone", ranges)
        });
        let points = (!self.summary.points.is_empty()).then(|| self.points());
        let maps = maps.filter(|_| points.is_some());
        [maps, self.frontier(), tornado, points].into_iter().flatten().collect()
    }

    fn present(&self) -> Option<&SweepPoint> {
        self.summary.present.and_then(|at| self.summary.points.get(at))
    }

    /// A chart of each measure that has values.
    fn each(&self, chart: impl Fn(&Measure) -> Option<Markup>) -> Markup {
        html! { div.figures { @for measure in &MEASURES { @if let Some(chart) = chart(measure) { (chart) } } } }
    }

    fn values(&self, point: &SweepPoint) -> String {
        let named = self.summary.parameters.iter().zip(&point.values);
        named
            .map(|((name, _), value)| format!("{} = {}", visible_text(name), format_axis_tick(*value)))
            .collect::<Vec<_>>()
            .join("; ")
    }

    fn show(&self, measure: &Measure, value: f64) -> String {
        if measure.is_money {
            format_portfolio_money(self.currency, value.round() as i128)
        } else {
            format_percent(value)
        }
    }

    /// In the few characters that fit into a chart.
    fn short(&self, measure: &Measure, value: f64) -> String {
        match measure.is_money {
            true => crate::report::axis::abbreviate_amount(value, self.currency.1),
            false => share_tick((value * 1000.0).round() / 1000.0),
        }
    }

    fn curve(&self, measure: &Measure) -> Option<Markup> {
        let (name, _) = self.summary.parameters.first()?;
        let name = visible_text(name);
        let title = format!("{} over {name}", measure.name);
        let mut data = PageTable::new(&title, [name.as_str(), measure.name]);
        let mut points = Vec::new();
        for point in &self.summary.points {
            let (Some(x), Some(y)) = (point.values.first(), (measure.of)(point)) else { continue };
            data.row(vec![PageCell::number(&format_axis_tick(*x), *x), PageCell::number(&self.show(measure, y), y)]);
            points.push(Point::new(*x, y).says(format!("{}: {}", format_axis_tick(*x), self.show(measure, y))));
        }
        points.sort_by(|one, other| one.x.total_cmp(&other.x));
        if points.is_empty() {
            return None;
        }
        let present = self.present().and_then(|point| point.values.first());
        let markers = present.map(|x| Marker { x: *x, name: format!("present: {}", format_axis_tick(*x)) });
        let short = |value: f64| self.short(measure, value);
        let chart = Chart {
            x: Axis::new(&name, &format_axis_tick),
            y: Axis::new("", &short),
            series: vec![Series { look: Look::Challenger, points, has_line: true, has_dots: true, label: None }],
            markers: markers.into_iter().collect(),
            has_diagonal: false,
        };
        let (note, legend) = (String::new(), Vec::new());
        Some(Figure { title, note, legend, draw: &|width| chart.draw(width), data }.show())
    }

    fn heat(&self, measure: &Measure) -> Option<Markup> {
        let [(x_name, xs), (y_name, ys)] = self.summary.parameters.as_slice() else { return None };
        let index = |values: &[f64], value: f64| values.iter().position(|one| one.total_cmp(&value).is_eq());
        let place = |point: &SweepPoint| {
            let [x, y] = point.values.as_slice() else { return None };
            Some((index(xs, *x)?, index(ys, *y)?))
        };
        let cell = |point: &SweepPoint| place(point).zip((measure.of)(point)).map(|((x, y), value)| (x, y, value));
        let cells: Vec<_> = self.summary.points.iter().filter_map(cell).collect();
        if cells.is_empty() {
            return None;
        }
        let title = format!("{} over {} and {}", measure.name, visible_text(x_name), visible_text(y_name));
        let titles = [visible_text(y_name)]
            .into_iter()
            .chain(xs.iter().map(|x| format!("{} = {}", visible_text(x_name), format_axis_tick(*x))));
        let mut data = PageTable::new(&title, titles);
        for (line, y) in ys.iter().enumerate() {
            let at = |column: usize| cells.iter().find(|(x, y, _)| (*x, *y) == (column, line)).map(|cell| cell.2);
            let numbers = (0..xs.len()).map(|column| {
                at(column).map_or_else(PageCell::none, |value| PageCell::number(&self.show(measure, value), value))
            });
            data.row([PageCell::number(&format_axis_tick(*y), *y)].into_iter().chain(numbers).collect());
        }
        let (x_title, y_title) = (visible_text(x_name), visible_text(y_name));
        // Cells have room for a few characters.
        let short = |value: f64| match measure.is_money {
            true => self.short(measure, value),
            false => super::format::format_number(value * 100.0, 1),
        };
        let heat = Heat {
            x_title: &x_title,
            y_title: &y_title,
            columns: xs.iter().map(|x| format_axis_tick(*x)).collect(),
            rows: ys.iter().map(|y| format_axis_tick(*y)).collect(),
            cells,
            format: &short,
            framed: self.present().and_then(place),
        };
        let framed = if heat.framed.is_some() { " The frame marks the present values." } else { "" };
        let unit = if measure.is_money { "" } else { " In percent." };
        let note = format!("The stronger the shade, the greater the value.{unit}{framed}");
        Some(Figure { title, note, legend: Vec::new(), draw: &|width| heat.draw(width), data }.show())
    }

    /// Approvals over what they cost: the bad rate, or the profit where no outcome is known.
    fn frontier(&self) -> Option<PageSection> {
        let [_, bad, profit] = &MEASURES;
        let measure =
            [bad, profit].into_iter().find(|measure| self.summary.points.iter().any(|p| (measure.of)(p).is_some()))?;
        let point = |at: usize| {
            let point = self.summary.points.get(at)?;
            let y = (measure.of)(point)?;
            let what =
                format!("{} approved, {} {}", format_percent(point.approval_rate), measure.name, self.show(measure, y));
            Some(Point::new(point.approval_rate, y).says(format!("{}: {what}", self.values(point))))
        };
        let mut best: Vec<Point> = self.summary.frontier.iter().filter_map(|at| point(*at)).collect();
        best.sort_by(|one, other| one.x.total_cmp(&other.x));
        let all = (0..self.summary.points.len()).filter(|at| !self.summary.frontier.contains(at)).filter_map(point);
        let series = |look: Look, points: Vec<Point>, has_line: bool| Series {
            look,
            points,
            has_line,
            has_dots: true,
            label: None,
        };
        let mut drawn = vec![series(Look::Champion, all.collect(), false), series(Look::Challenger, best, true)];
        drawn.extend(self.summary.present.and_then(point).map(|present| series(Look::Of(0), vec![present], false)));
        let short = |value: f64| self.short(measure, value);
        let chart = Chart {
            x: Axis::new("approvals", &share_tick),
            y: Axis::new(measure.name, &short),
            series: drawn,
            markers: Vec::new(),
            has_diagonal: false,
        };
        let title = "The efficient frontier".to_owned();
        let key = |look: Look, name: &str| -> Key { (look.class(), name.to_owned()) };
        let mut legend = vec![key(Look::Challenger, "on the frontier"), key(Look::Champion, "beaten by another")];
        legend.extend(self.present().map(|_| -> Key { ("spot".to_owned(), "present values".to_owned()) }));
        let data = self.point_table(&title, &self.summary.frontier);
        let note = "No other combination is at least as good in both.".to_owned();
        let figure = Figure { title, note, legend, draw: &|width| chart.draw(width), data }.show();
        Some(PageSection::new("frontier", "Efficient frontier", html! { div.figures { (figure) } }))
    }

    fn ranges(&self, measure: &Measure) -> Option<Markup> {
        let title = format!("{} from the least to the greatest value", measure.name);
        let mut data = PageTable::new(&title, ["parameter", "from", "to", "at the least", "at the greatest"]);
        let mut ranges = Vec::new();
        for row in &self.summary.tornado {
            let (Some(low), Some(high)) = (measure.ends)(row) else { continue };
            let number = |value: f64| PageCell::number(&format_axis_tick(value), value);
            let shown = |value: f64| PageCell::number(&self.show(measure, value), value);
            data.row(vec![
                PageCell::text(&row.parameter),
                number(row.range.0),
                number(row.range.1),
                shown(low),
                shown(high),
            ]);
            let end =
                |value: f64, at: f64| (value, format!("at {}: {}", format_axis_tick(at), self.short(measure, value)));
            let (from, to) = (end(low, row.range.0), end(high, row.range.1));
            ranges.push(Range { name: visible_text(&row.parameter), from, to });
        }
        if ranges.is_empty() {
            return None;
        }
        let present = self.present().and_then(measure.of);
        let marked = present.map(|value| (value, format!("present: {}", self.short(measure, value))));
        let ranges = Ranges { ranges, marked };
        let note = "All other parameters keep their present values.".to_owned();
        Some(Figure { title, note, legend: Vec::new(), draw: &|width| ranges.draw(width), data }.show())
    }

    fn points(&self) -> PageSection {
        let all: Vec<usize> = (0..self.summary.points.len()).collect();
        let table = self.point_table("Every combination", &all);
        let body = if all.len() > LISTED { folded_table_markup("every combination", &table) } else { table.draw() };
        PageSection::new("points", "Every combination", body)
    }

    fn point_table(&self, name: &str, chosen: &[usize]) -> PageTable {
        let names = self.summary.parameters.iter().map(|(name, _)| visible_text(name));
        let measured = ["approvals", "amount", "bad rate", "profit", "remark"].map(str::to_owned);
        let mut table = PageTable::new(name, ["trial".to_owned()].into_iter().chain(names).chain(measured)).sortable();
        for at in chosen {
            let Some(point) = self.summary.points.get(*at) else { continue };
            let profit =
                |profit: f64| PageCell::number(&format_portfolio_money(self.currency, profit.round() as i128), profit);
            let mut cells = vec![PageCell::number(&(at + 1).to_string(), *at as f64)];
            cells.extend(point.values.iter().map(|value| PageCell::number(&format_axis_tick(*value), *value)));
            cells.extend([
                PageCell::percent(Some(point.approval_rate)),
                PageCell::number(&format_portfolio_money(self.currency, point.amount), point.amount as f64),
                PageCell::percent(point.bad_rate),
                point.profit.map_or_else(PageCell::none, profit),
                PageCell::text(&self.remark(*at)),
            ]);
            table.row(cells);
        }
        table
    }

    fn remark(&self, at: usize) -> String {
        let is_best = self.summary.frontier.contains(&at).then_some("on the frontier");
        let is_present = (self.summary.present == Some(at)).then_some("present");
        is_best.into_iter().chain(is_present).collect::<Vec<_>>().join(", ")
    }
}
