//! How outcomes that are known lie over scores: separation, bands, and predictions.

use maud::{Markup, html};

use super::charts::{Axis, Chart, Point, Series};
use super::document::PageSection;
use super::figure::{Figure, Look, role_keys};
use super::format::{count_with_noun, format_axis_tick, format_number, p_value, p_value_or_none, share_tick};
use super::table::{PageCell, PageTable};
use super::view::View;
use crate::portfolio::summary::{Calibration, Discrimination, Interval, OutcomeStatistics};
use crate::report::page::visible_text;
use crate::report::portfolio::numbers::{format_count, format_percent};

/// How many points of a curve its table lists.
const LISTED: usize = 40;

impl View<'_> {
    pub(super) fn outcomes(&self) -> Option<PageSection> {
        let outcomes = self.summary.outcomes.as_ref()?;
        let all = &outcomes.discrimination;
        let body = html! {
            p {
                b { (count_with_noun(outcomes.known, "customer")) } " of " (format_count(self.summary.customers))
                " have a known outcome; " (format_count(outcomes.bad)) " of them are bad."
            }
            @if all.is_empty() { p { "No policy has a score that could be compared with outcomes." } }
            @else {
                (separation(outcomes))
                div.figures {
                    (roc(all)) (gain(all))
                    @for one in all {
                        @if !one.bands.is_empty() { (bands(one)) }
                        @if let Some(calibration) = &one.calibration { (predicted(one, calibration)) }
                    }
                }
            }
        };
        Some(PageSection::new("outcomes", "Outcomes", body))
    }
}

fn separation(outcomes: &OutcomeStatistics) -> Markup {
    let titles = ["policy", "customers", "bad", "AUC", "Gini", "KS", "KS at score"];
    let mut table = PageTable::new("How well scores separate good from bad", titles);
    for one in &outcomes.discrimination {
        let value = |value: Option<f64>| value.map_or_else(PageCell::none, |v| PageCell::number(&format!("{v:.4}"), v));
        let auc = one.auc.map_or_else(PageCell::none, |auc| PageCell::number(&estimate(&auc), auc.value));
        table.row(vec![
            PageCell::text(&one.role),
            PageCell::count(one.customers),
            PageCell::count(one.bad),
            auc,
            value(one.gini),
            value(one.ks.map(|(distance, _)| distance)),
            one.ks.map_or_else(PageCell::none, |(_, score)| PageCell::number(&format_axis_tick(score), score)),
        ]);
    }
    let level = outcomes.discrimination.iter().find_map(|one| one.auc).map(|auc| auc.level);
    html! {
        h3 { "How well scores separate good from bad" }
        (table.draw())
        @if let Some(level) = level {
            p.note { "The interval of AUC is DeLong's at " (format_percent(level)) "." }
        }
        @if let Some(difference) = outcomes.auc_difference {
            p {
                "The challenger's AUC less the champion's is " b { (format!("{:+.4}", difference.value)) }
                " (standard error " (format!("{:.4}", difference.standard_error)) ", "
                (p_value_or_none(difference.p)) ")."
            }
        }
    }
}

/// A value with its interval, to four decimals.
fn estimate(interval: &Interval) -> String {
    format!("{:.4} ({:.4} to {:.4})", interval.value, interval.low, interval.high)
}

/// At most so many of the points, evenly, with the first and the last.
fn thinned<T: Clone>(points: &[T], most: usize) -> Vec<T> {
    let every = points.len().div_ceil(most).max(1);
    let mut kept: Vec<T> = points.iter().step_by(every).cloned().collect();
    if every > 1 && !(points.len() - 1).is_multiple_of(every) {
        kept.extend(points.last().cloned());
    }
    kept
}

/// Curves of shares over shares, one for each policy.
fn shares(
    (title, note): (&str, &str),
    (x, y): (&str, &str),
    curves: &[(&str, Vec<(f64, f64)>)],
    has_diagonal: bool,
) -> Markup {
    let mut data = PageTable::new(title, ["policy", x, y]);
    let series = curves.iter().map(|(role, points)| Series {
        look: Look::of_role(role),
        points: points.iter().map(|(x, y)| Point::new(*x, *y)).collect(),
        has_line: true,
        has_dots: false,
        label: None,
    });
    let chart = Chart {
        x: Axis::new(x, &share_tick).including(&[0.0, 1.0]),
        y: Axis::new(y, &share_tick).including(&[0.0, 1.0]),
        series: series.collect(),
        markers: Vec::new(),
        has_diagonal,
    };
    for (role, points) in curves {
        for (x, y) in thinned(points, LISTED) {
            data.row(vec![PageCell::text(role), PageCell::percent(Some(x)), PageCell::percent(Some(y))]);
        }
    }
    let legend = if curves.len() > 1 { role_keys(curves.iter().map(|(role, _)| *role)) } else { Vec::new() };
    Figure { title: title.to_owned(), note: note.to_owned(), legend, draw: &|width| chart.draw(width), data }.show()
}

fn roc(all: &[Discrimination]) -> Markup {
    let curves: Vec<_> =
        all.iter().filter(|one| one.curve.len() > 1).map(|one| (one.role.as_str(), thinned(&one.curve, 400))).collect();
    let words = ("ROC curve", "The further above the dotted line, the better the score; the line itself is chance.");
    html! { @if !curves.is_empty() { (shares(words, ("share of the good", "share of the bad"), &curves, true)) } }
}

fn gain(all: &[Discrimination]) -> Markup {
    let curve = |one: &Discrimination| {
        let total = one.bands.iter().map(|band| band.customers).sum::<u64>().max(1) as f64;
        let mut seen = 0;
        let mut points = vec![(0.0, 0.0)];
        for band in &one.bands {
            seen += band.customers;
            points.push((seen as f64 / total, band.cumulative_bad));
        }
        points
    };
    let with_bands = all.iter().filter(|one| !one.bands.is_empty());
    let curves: Vec<_> = with_bands.map(|one| (one.role.as_str(), curve(one))).collect();
    let words = ("Gain", "How many of all bad customers are among those with the worst scores.");
    html! { @if !curves.is_empty() { (shares(words, ("customers, worst first", "share of the bad"), &curves, true)) } }
}

fn bands(one: &Discrimination) -> Markup {
    let title = format!("Bad rate by band of score, {}", one.role);
    let name = |at: usize| {
        one.bands
            .get(at)
            .map(|b| format!("{}–{}", format_axis_tick(b.low), format_axis_tick(b.high)))
            .unwrap_or_default()
    };
    let columns = ["band", "customers", "bad", "bad rate", "interval", "lift", "bad so far", "lift so far"];
    let mut data = PageTable::new(&title, columns);
    let mut points = Vec::new();
    for (at, band) in one.bands.iter().enumerate() {
        let rate = band.bad_rate;
        let interval = format!("{} to {}", format_percent(rate.low), format_percent(rate.high));
        let says = format!("{}: {} ({interval})", name(at), format_percent(rate.value));
        points.push(Point::new(at as f64, rate.value).within(rate.low, rate.high).says(says));
        data.row(vec![
            PageCell::text(&name(at)),
            PageCell::count(band.customers),
            PageCell::count(band.bad),
            PageCell::percent(Some(rate.value)),
            PageCell::number(&interval, rate.low),
            PageCell::number(&format!("{:.2}", band.lift), band.lift),
            PageCell::percent(Some(band.cumulative_bad)),
            PageCell::number(&format!("{:.2}", band.cumulative_lift), band.cumulative_lift),
        ]);
    }
    let names = (0..one.bands.len()).map(|at| (at as f64, name(at))).collect();
    let series = vec![Series { look: Look::of_role(&one.role), points, has_line: true, has_dots: true, label: None }];
    let chart = Chart {
        x: Axis::new("score, from the worst", &format_axis_tick).named(names),
        y: Axis::new("bad rate", &share_tick).including(&[0.0]),
        series,
        markers: Vec::new(),
        has_diagonal: false,
    };
    let note = "With Wilson's interval.".to_owned();
    Figure { title, note, legend: Vec::new(), draw: &|width| chart.draw(width), data }.show()
}

fn predicted(one: &Discrimination, calibration: &Calibration) -> Markup {
    let title = format!("Predicted and observed, {}", one.role);
    let mut data = PageTable::new(&title, ["mean prediction", "customers", "observed", "interval"]);
    let mut points = Vec::new();
    for (prediction, customers, rate) in &calibration.bins {
        let interval = format!("{} to {}", format_percent(rate.low), format_percent(rate.high));
        let says =
            format!("predicted {}, observed {} ({interval})", format_percent(*prediction), format_percent(rate.value));
        points.push(Point::new(*prediction, rate.value).within(rate.low, rate.high).says(says));
        data.row(vec![
            PageCell::percent(Some(*prediction)),
            PageCell::count(*customers),
            PageCell::percent(Some(rate.value)),
            PageCell::number(&interval, rate.low),
        ]);
    }
    // Both axes end where the greatest value does, so that the line of perfection is seen whole.
    let most = points.iter().flat_map(|p| [p.x, p.y, p.interval.map_or(0.0, |(_, high)| high)]).fold(0.0, f64::max);
    let series = vec![
        Series { look: Look::of_role(&one.role), points, has_line: false, has_dots: true, label: None },
        Series {
            look: Look::Of(5),
            points: vec![Point::new(0.0, 0.0), Point::new(most, most)],
            has_line: true,
            has_dots: false,
            label: None,
        },
    ];
    let chart = Chart {
        x: Axis::new("predicted", &share_tick).including(&[0.0, most]),
        y: Axis::new("observed", &share_tick).including(&[0.0, most]),
        series,
        markers: Vec::new(),
        has_diagonal: false,
    };
    Figure { title, note: quality(calibration), legend: Vec::new(), draw: &|width| chart.draw(width), data }.show()
}

fn quality(calibration: &Calibration) -> String {
    let mut note = format!("By {}, on the line if perfect. ", visible_text(&calibration.metric));
    note += &format!("Brier score {}", format_number(calibration.brier, 4));
    if let Some((statistic, p)) = calibration.hosmer_lemeshow {
        note += &format!("; Hosmer and Lemeshow {}, {}", format_number(statistic, 2), p_value(p));
    }
    if let Some((intercept, slope)) = calibration.line {
        note += &format!(
            "; intercept {} and slope {} (0 and 1 are perfect)",
            format_number(intercept, 3),
            format_number(slope, 3)
        );
    }
    note + "."
}
