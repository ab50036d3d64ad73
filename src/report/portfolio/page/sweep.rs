//! What a policy does over the values of its parameters: curves, heat maps, the efficient frontier and a tornado. Must
//! not know how the values were tried.

use maud::{Markup, html};

use super::charts::{Axis, Chart, Heat, Marker, Point, Range, Ranges, Series};
use super::document::PageSection;
use super::figure::{Figure, Key, Look, folded_table_markup};
use super::format::{count_with_noun, format_axis_tick, share_tick};
use super::table::{PageCell, PageTable};
use crate::portfolio::summary::{BestPoint, Bounds, SweepPoint, SweepSummary, TornadoRow};
use crate::report::page::visible_text;
use crate::report::portfolio::numbers::{format_count, format_percent, format_portfolio_money};

/// How many points are listed without unfolding.
const LISTED: usize = 50;

/// What a figure counts where some customers have no outcome.
const OF_WHOM: &str = "Customers with an outcome, and the range that all with an offer may be in.";

/// A sweep to be shown.
pub(super) struct SweepView<'t> {
    pub(super) summary: &'t SweepSummary,
    pub(super) currency: &'t (String, u32),
}

/// What a measure may be at both ends of a parameter.
type EndBounds = (Option<Bounds>, Option<Bounds>);

/// Something that is measured at every point.
struct Measure {
    name: &'static str,
    of: fn(&SweepPoint) -> Option<f64>,
    /// What it may be, customers without an outcome included.
    bounds: fn(&SweepPoint) -> Option<(f64, f64)>,
    ends: fn(&TornadoRow) -> (Option<f64>, Option<f64>),
    end_bounds: fn(&TornadoRow) -> EndBounds,
    is_money: bool,
}

const MEASURES: [Measure; 3] = [
    Measure {
        name: "Approvals",
        of: |point| Some(point.approval_rate),
        bounds: |_| None,
        ends: |row| (Some(row.approval_rate.0), Some(row.approval_rate.1)),
        end_bounds: |_| (None, None),
        is_money: false,
    },
    Measure {
        name: "Bad rate",
        of: |point| point.bad_rate,
        bounds: |point| point.bad_rate_bounds,
        ends: |row| row.bad_rate,
        end_bounds: |row| row.bad_rate_bounds,
        is_money: false,
    },
    Measure {
        name: "Profit",
        of: |point| point.profit,
        bounds: |point| point.profit_bounds,
        ends: |row| row.profit,
        end_bounds: |row| row.profit_bounds,
        is_money: true,
    },
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
                @if let Some((best, point)) = self.best() {
                    div {
                        dt { "most profitable" }
                        dd {
                            (self.values(point)) ": " (format_portfolio_money(self.currency, best.gain.round() as i128))
                            " more than the present values; chosen on four fifths of the customers and counted on the "
                            "fifth, " (format_portfolio_money(self.currency, best.held_out_gain.round() as i128))
                            ", with a gain in " (best.parts.1) " of " (best.parts.0) " fifths"
                        }
                    }
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

    fn best(&self) -> Option<(&BestPoint, &SweepPoint)> {
        let best = self.summary.best.as_ref()?;
        Some((best, self.summary.points.get(best.point)?)).filter(|(best, _)| best.gain > 0.0)
    }

    fn present(&self) -> Option<&SweepPoint> {
        self.summary.present.and_then(|at| self.summary.points.get(at))
    }

    /// Whether some customers have no outcome, so that the measure is a range.
    fn is_range(&self, measure: &Measure) -> bool {
        let mut bounds = self.summary.points.iter().filter_map(measure.bounds);
        bounds.any(|(low, high)| low < high)
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
        let is_range = self.is_range(measure);
        let ends = ["at least", "at most"].into_iter().filter(|_| is_range);
        let mut data = PageTable::new(&title, [name.as_str(), measure.name].into_iter().chain(ends));
        let (mut points, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
        for point in &self.summary.points {
            let (Some(x), Some(y)) = (point.values.first(), (measure.of)(point)) else { continue };
            let shown = |value: f64| PageCell::number(&self.show(measure, value), value);
            let bounds = (measure.bounds)(point).filter(|_| is_range);
            let ends = bounds.into_iter().flat_map(|(low, high)| [shown(low), shown(high)]);
            data.row([PageCell::number(&format_axis_tick(*x), *x), shown(y)].into_iter().chain(ends).collect());
            let says = |value: f64| {
                Point::new(*x, value).says(format!("{}: {}", format_axis_tick(*x), self.show(measure, value)))
            };
            points.push(says(y));
            low.extend(bounds.map(|(low, _)| says(low)));
            high.extend(bounds.map(|(_, high)| says(high)));
        }
        for line in [&mut points, &mut low, &mut high] {
            line.sort_by(|one, other| one.x.total_cmp(&other.x));
        }
        if points.is_empty() {
            return None;
        }
        let present = self.present().and_then(|point| point.values.first());
        let markers = present.map(|x| Marker { x: *x, name: format!("present: {}", format_axis_tick(*x)) });
        let short = |value: f64| self.short(measure, value);
        let chart = Chart {
            x: Axis::new(&name, &format_axis_tick),
            y: Axis::new("", &short),
            series: [(Look::Challenger, points, true), (Look::Of(1), low, false), (Look::Of(2), high, false)]
                .into_iter()
                .filter(|(_, points, _)| !points.is_empty())
                .map(|(look, points, has_dots)| Series { look, points, has_line: true, has_dots, label: None })
                .collect(),
            markers: markers.into_iter().collect(),
            has_diagonal: false,
        };
        let note = if is_range { OF_WHOM.to_owned() } else { String::new() };
        let key = |look: Look, name: &str| -> Key { (look.class(), name.to_owned()) };
        let (at_least, at_most) = if measure.is_money { ("all bad", "all good") } else { ("all good", "all bad") };
        let legend = match is_range {
            true => vec![
                key(Look::Challenger, "with an outcome"),
                key(Look::Of(1), &format!("the others {at_least}")),
                key(Look::Of(2), &format!("the others {at_most}")),
            ],
            false => Vec::new(),
        };
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
        let line = |chosen: &[usize], point: &dyn Fn(usize) -> Option<Point>| {
            let mut line: Vec<Point> = chosen.iter().filter_map(|at| point(*at)).collect();
            line.sort_by(|one, other| one.x.total_cmp(&other.x));
            line
        };
        let best = line(&self.summary.frontier, &point);
        let is_range = self.is_range(measure);
        let worst = |at: usize| {
            let place = self.summary.points.get(at)?;
            let (low, high) = (measure.bounds)(place)?;
            let worst = if measure.is_money { low } else { high };
            let what = format!("{} at worst {}", measure.name, self.show(measure, worst));
            Some(Point::new(place.approval_rate, worst).says(format!("{}: {what}", self.values(place))))
        };
        let certain = if is_range { line(&self.summary.worst_case_frontier, &worst) } else { Vec::new() };
        let all = (0..self.summary.points.len()).filter(|at| !self.summary.frontier.contains(at)).filter_map(point);
        let series = |look: Look, points: Vec<Point>, has_line: bool| Series {
            look,
            points,
            has_line,
            has_dots: true,
            label: None,
        };
        let mut drawn = vec![series(Look::Champion, all.collect(), false), series(Look::Challenger, best, true)];
        if is_range {
            drawn.push(series(Look::Of(2), certain, true));
        }
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
        legend.extend(is_range.then(|| key(Look::Of(2), "the frontier if all others are bad")));
        legend.extend(self.present().map(|_| -> Key { ("spot".to_owned(), "present values".to_owned()) }));
        let mut shown: Vec<usize> = self.summary.frontier.clone();
        shown.extend(
            self.summary.worst_case_frontier.iter().filter(|at| is_range && !self.summary.frontier.contains(at)),
        );
        let data = self.point_table(&title, &shown);
        let note = match is_range {
            true => {
                "No other combination is at least as good in both. Only the frontier of the worst case is certain: \
                     what becomes of customers without an outcome is unknown."
                    .to_owned()
            }
            false => "No other combination is at least as good in both.".to_owned(),
        };
        let figure = Figure { title, note, legend, draw: &|width| chart.draw(width), data }.show();
        Some(PageSection::new("frontier", "Efficient frontier", html! { div.figures { (figure) } }))
    }

    fn ranges(&self, measure: &Measure) -> Option<Markup> {
        let title = format!("{} from the least to the greatest value", measure.name);
        let titles = ["parameter", "from", "to", "at the least", "at the greatest", "ranges"];
        let has_ranges = self.has_ranges(measure);
        let mut data = PageTable::new(&title, titles.into_iter().take(if has_ranges { 6 } else { 5 }));
        let mut ranges = Vec::new();
        for row in &self.summary.tornado {
            let (Some(low), Some(high)) = (measure.ends)(row) else { continue };
            let number = |value: f64| PageCell::number(&format_axis_tick(value), value);
            let shown = |value: f64| PageCell::number(&self.show(measure, value), value);
            let cells =
                [PageCell::text(&row.parameter), number(row.range.0), number(row.range.1), shown(low), shown(high)];
            let range = has_ranges.then(|| PageCell::text(&self.ranges_in_words(measure, row)));
            data.row(cells.into_iter().chain(range).collect());
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
        let of_whom =
            if self.is_range(measure) || self.has_ranges(measure) { " Of customers with an outcome." } else { "" };
        let note = format!("All other parameters keep their present values.{of_whom}");
        Some(Figure { title, note, legend: Vec::new(), draw: &|width| ranges.draw(width), data }.show())
    }

    /// Whether some row of the tornado is a range.
    fn has_ranges(&self, measure: &Measure) -> bool {
        self.summary.tornado.iter().any(|row| {
            let (low, high) = (measure.end_bounds)(row);
            low.into_iter().chain(high).any(|(least, most)| least < most)
        })
    }

    fn ranges_in_words(&self, measure: &Measure, row: &TornadoRow) -> String {
        let (low, high) = (measure.end_bounds)(row);
        let range = |bounds: Option<(f64, f64)>| {
            bounds.map_or("unknown".to_owned(), |(least, most)| {
                format!("{} to {}", self.show(measure, least), self.show(measure, most))
            })
        };
        format!("{}; {}", range(low), range(high))
    }

    fn points(&self) -> PageSection {
        let all: Vec<usize> = (0..self.summary.points.len()).collect();
        let table = self.point_table("Every combination", &all);
        let body = if all.len() > LISTED { folded_table_markup("every combination", &table) } else { table.draw() };
        PageSection::new("points", "Every combination", body)
    }

    fn point_table(&self, name: &str, chosen: &[usize]) -> PageTable {
        let names = self.summary.parameters.iter().map(|(name, _)| visible_text(name));
        let measured = ["approvals", "amount", "with outcome", "bad rate", "at worst", "profit", "remark"];
        let measured = measured.map(str::to_owned);
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
                PageCell::number(&format_count(point.known), point.known as f64),
                PageCell::percent(point.bad_rate),
                PageCell::percent(point.bad_rate_bounds.map(|(_, worst)| worst)),
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
        let is_certain = self.summary.worst_case_frontier.contains(&at).then_some("on the frontier of the worst case");
        let is_most = self.summary.best.as_ref().filter(|best| best.point == at).map(|_| "most profitable");
        [is_best, is_certain, is_most, is_present].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}
