//! What a cut-off of the score earns, and how cohorts turn bad over time.

use maud::{Markup, html};

use super::charts::{Axis, Chart, Marker, Point, Series};
use super::document::PageSection;
use super::figure::{Figure, Look};
use super::format::{count_with_noun, format_axis_tick};
use super::table::{PageCell, PageTable};
use super::view::View;
use crate::portfolio::summary::{ProfitCurve, ProfitPoint, VintageCurve};
use crate::report::page::visible_text;
use crate::report::portfolio::numbers::{format_count, format_percent};

/// The fewest loans of a cohort that is drawn with larger ones.
const COHORT_MIN: u64 = 30;

/// How many cut-offs a table lists.
const LISTED: usize = 40;

impl View<'_> {
    pub(super) fn profit(&self) -> Option<PageSection> {
        let curves = &self.summary.outcomes.as_ref()?.profit;
        if curves.is_empty() {
            return None;
        }
        let body = html! { div.figures { @for curve in curves { (self.profit_curve(curve)) } } };
        Some(PageSection::new("profit", "Profit over the cut-off", body))
    }

    fn profit_curve(&self, curve: &ProfitCurve) -> Markup {
        let title = format!("Profit of the {}, if all from a score on are approved", curve.role);
        let best = curve.best.and_then(|at| curve.points.get(at));
        let says = |point: &ProfitPoint| {
            let approved = format_percent(point.approval_rate);
            format!(
                "from {}: {}, {approved} approved",
                format_axis_tick(point.cutoff),
                self.money(point.profit.round() as i128)
            )
        };
        let points = curve.points.iter().map(|point| Point::new(point.cutoff, point.profit).says(says(point)));
        let mut markers: Vec<Marker> = Vec::new();
        markers.extend(
            best.map(|best| Marker { x: best.cutoff, name: format!("best: {}", format_axis_tick(best.cutoff)) }),
        );
        markers.extend(
            curve.present.map(|present| Marker { x: present, name: format!("present: {}", format_axis_tick(present)) }),
        );
        let look = Look::of_role(&curve.role);
        let short = |minor: f64| self.short_money(minor);
        let chart = Chart {
            x: Axis::new("cut-off", &format_axis_tick),
            y: Axis::new("profit", &short).including(&[0.0]),
            series: vec![Series { look, points: points.collect(), has_line: true, has_dots: false, label: None }],
            markers,
            has_diagonal: false,
        };
        let data = self.cutoffs(&title, curve);
        Figure { title, note: self.profit_note(curve), legend: Vec::new(), draw: &|width| chart.draw(width), data }
            .show()
    }

    fn profit_note(&self, curve: &ProfitCurve) -> String {
        let mut note = String::new();
        if let Some(best) = curve.best.and_then(|at| curve.points.get(at)) {
            note +=
                &format!("Best at {}: {}. ", format_axis_tick(best.cutoff), self.money(best.profit.round() as i128));
        }
        if !curve.economics.is_empty() {
            let declared =
                curve.economics.iter().map(|(name, value)| format!("{} {}", visible_text(name), visible_text(value)));
            note += &format!("Declared: {}. ", declared.collect::<Vec<_>>().join(", "));
        }
        if curve.without_outcome > 0 {
            note += &format!("{} without an outcome not counted. ", count_with_noun(curve.without_outcome, "customer"));
        }
        note.trim_end().to_owned()
    }

    fn cutoffs(&self, title: &str, curve: &ProfitCurve) -> PageTable {
        let columns = ["cut-off", "approved", "approval rate", "bad rate", "loss", "expected loss", "profit"];
        let mut data = PageTable::new(title, columns);
        let every = curve.points.len().div_ceil(LISTED).max(1);
        let chosen = curve.points.iter().enumerate().filter(|(at, _)| at % every == 0 || curve.best == Some(*at));
        for (at, point) in chosen {
            let amount = |minor: f64| PageCell::number(&self.money(minor.round() as i128), minor);
            let best = if curve.best == Some(at) { " (best)" } else { "" };
            data.row(vec![
                PageCell::number(&format!("{}{best}", format_axis_tick(point.cutoff)), point.cutoff),
                PageCell::count(point.approved),
                PageCell::percent(Some(point.approval_rate)),
                PageCell::percent(point.bad_rate),
                amount(point.loss),
                point.expected_loss.map_or_else(PageCell::none, amount),
                amount(point.profit),
            ]);
        }
        data
    }

    pub(super) fn vintages(&self) -> Option<PageSection> {
        let outcomes = self.summary.outcomes.as_ref()?;
        let (vintages, undated_loans) = (&outcomes.vintages, outcomes.undated_loans);
        let drawn = vintages.iter().any(|vintage| !vintage.bad_rates.is_empty());
        drawn.then(|| {
            PageSection::new("vintages", "Vintages", html! { div.figures { (vintage_lines(vintages, undated_loans)) } })
        })
    }
}

fn vintage_lines(vintages: &[VintageCurve], undated_loans: u64) -> Markup {
    let title = "Share of loans that turned bad, by months on book".to_owned();
    let months = vintages.iter().map(|vintage| vintage.bad_rates.len()).max().unwrap_or(0);
    let columns = ["cohort", "loans", "bad later", "bad without a day"].map(str::to_owned);
    let columns = columns.into_iter().chain((0..months).map(|m| m.to_string()));
    let undated: u64 = vintages.iter().map(|vintage| vintage.undated_bad).sum();
    // A few loans make steps that dwarf the curves of hundreds.
    let is_large = |vintage: &&VintageCurve| vintage.loans >= COHORT_MIN;
    let is_any_large = vintages.iter().any(|vintage| is_large(&vintage));
    let mut data = PageTable::new(&title, columns);
    let mut series = Vec::new();
    let mut legend = Vec::new();
    for (at, vintage) in vintages.iter().enumerate() {
        let rate = |month: usize| vintage.bad_rates.get(month).copied();
        let rates =
            (0..months).map(|month| rate(month).map_or_else(|| PageCell::text(""), |r| PageCell::percent(Some(r))));
        let counts = [vintage.loans, vintage.later_bad, vintage.undated_bad].map(PageCell::count);
        data.row([PageCell::text(&vintage.cohort)].into_iter().chain(counts).chain(rates).collect());
        if is_any_large && !is_large(&vintage) {
            continue;
        }
        let points = vintage.bad_rates.iter().enumerate().map(|(month, rate)| {
            let says = format!("{}, month {month}: {}", visible_text(&vintage.cohort), format_percent(*rate));
            Point::new(month as f64, *rate).says(says)
        });
        let (look, label) = (Look::Of(at), Some((at + 1).to_string()));
        series.push(Series { look, points: points.collect(), has_line: true, has_dots: true, label });
        let name = format!("{}: {} ({})", at + 1, visible_text(&vintage.cohort), format_count(vintage.loans));
        legend.push((look.class(), name));
    }
    let series_count = series.len();
    let chart = Chart {
        x: Axis::new("months on book", &format_axis_tick),
        y: Axis::new("bad", &super::format::share_tick).including(&[0.0]),
        series,
        markers: Vec::new(),
        has_diagonal: false,
    };
    let mut note = "Each cohort as far as all of its loans were observed; in brackets, how many loans.".to_owned();
    if is_any_large && series_count < vintages.len() {
        note += &format!(" Cohorts of fewer than {COHORT_MIN} loans are in the table only.");
    }
    if undated_loans > 0 {
        note += &format!(
            " {} in no cohort: their `loan_date` or a later `observed_until` is not known.",
            count_with_noun(undated_loans, "loan")
        );
    }
    if undated > 0 {
        note += &format!(
            " {} without a usable day of going bad: the curves leave them out, and are too low.",
            count_with_noun(undated, "bad loan")
        );
    }
    Figure { title, note, legend, draw: &|width| chart.draw(width), data }.show()
}
