//! Watched decisions as a page.

use maud::{Markup, html};

use super::charts::{Axis, Chart, Point, Series};
use super::document::{PageSection, render_html_document};
use super::figure::{Figure, Look};
use super::format::{count_with_noun, share_tick};
use super::table::{PageCell, PageTable};
use crate::portfolio::decision_table::{CountedKind, LoanMonth, Monitoring, WatchedShare};
use crate::report::page::visible_text;
use crate::report::portfolio::numbers::{format_count, format_percent};

/// The most shares of a kind that are drawn: what left its limits first, then the greatest. The table has all.
const SHARES_DRAWN: usize = 8;

/// A page of watched decisions.
pub fn monitor_page(found: &Monitoring) -> String {
    let kinds = [
        (CountedKind::Outcome, "outcomes", "Outcomes"),
        (CountedKind::Arm, "arms", "Arms"),
        (CountedKind::Reason, "reasons", "Reasons"),
        (CountedKind::Unknown, "unknown", "Unknown metrics"),
    ];
    let mut sections: Vec<PageSection> =
        kinds.into_iter().filter_map(|(kind, id, title)| shares(found, kind, id, title)).collect();
    sections.extend(moved(found));
    sections.extend(loans(&found.loans));
    sections.extend(weeks(found));
    render_html_document("Watched decisions", &introduction(found), sections)
}

fn introduction(found: &Monitoring) -> Markup {
    html! {
        p {
            (count_with_noun(found.watched, "application")) " in "
            (count_with_noun(found.weeks.len() as u64, "week")) ", compared with " (format_count(found.before))
            " before. Weeks begin on Monday, in UTC."
        }
        @if found.alarms.is_empty() { p { b { "Nothing left its limits." } } }
        @else {
            div.warnings {
                h2 { "Look into" }
                ul { @for alarm in &found.alarms { li { (visible_text(alarm)) } } }
            }
        }
    }
}

fn shares(found: &Monitoring, kind: CountedKind, id: &'static str, title: &'static str) -> Option<PageSection> {
    let all: Vec<&WatchedShare> = found.shares.iter().filter(|share| share.kind == kind).collect();
    if all.is_empty() {
        return None;
    }
    let left_limits = |share: &&WatchedShare| share.weeks.iter().any(|week| week.is_outside);
    let mut drawn = all.clone();
    drawn.sort_by(|left, right| {
        let order = left_limits(right).cmp(&left_limits(left));
        order.then(right.before.total_cmp(&left.before))
    });
    let body = html! {
        div.figures { @for share in drawn.iter().take(SHARES_DRAWN) { (figure_of_share(found, share)) } }
        @if drawn.len() > SHARES_DRAWN {
            p.note { "Drawn: " (SHARES_DRAWN) " of " (drawn.len()) ", first those that left their limits." }
        }
        (table_of_shares(found, title, &all))
    };
    Some(PageSection::new(id, title, body))
}

/// A share by week, with the limits of chance around what it was before.
fn figure_of_share(found: &Monitoring, share: &WatchedShare) -> Markup {
    let title = format!("{} {}", share.kind.word(), visible_text(&share.name));
    let mut data = PageTable::new(&title, ["week", "applications", "with it", "share", "limits", ""]);
    let (mut points, mut limits) = (Vec::new(), Vec::new());
    for ((place, week), one) in (0_u32..).zip(&found.weeks).zip(&share.weeks) {
        let outside = if one.is_outside { "left its limits" } else { "" };
        let shown = format!("{} to {}", format_percent(one.low), format_percent(one.high));
        data.row(vec![
            PageCell::text(&week.from),
            PageCell::count(week.applications),
            PageCell::count(one.count),
            PageCell::percent(Some(one.share)),
            PageCell::text(&shown),
            PageCell::text(outside),
        ]);
        let says = format!("{}: {} {outside}", week.from, format_percent(one.share));
        points.push(Point::new(f64::from(place), one.share).says(says));
        limits.push(Point::new(f64::from(place), share.before).within(one.low, one.high));
    }
    let series = |look, points, has_line| Series { look, points, has_line, has_dots: true, label: None };
    let chart = Chart {
        x: Axis::new("week from", &|at| format!("{at}")).named(week_names(found)),
        y: Axis::new("share", &share_tick).including(&[0.0]),
        series: vec![series(Look::Champion, limits, false), series(Look::Challenger, points, true)],
        markers: Vec::new(),
        has_diagonal: false,
    };
    let outside = share.weeks.iter().filter(|week| week.is_outside).count() as u64;
    let note = match outside {
        0 => "Within the limits of chance.".to_owned(),
        weeks => format!("Left the limits of chance in {}.", count_with_noun(weeks, "week")),
    };
    let legend = vec![
        (Look::Champion.class(), "before, and the limits of chance".to_owned()),
        (Look::Challenger.class(), "the week".to_owned()),
    ];
    Figure { title, note, legend, draw: &|width| chart.draw(width), data }.show()
}

fn week_names(found: &Monitoring) -> Vec<(f64, String)> {
    let every = found.weeks.len().div_ceil(6).max(1);
    let named = (0_u32..).zip(&found.weeks).step_by(every);
    named.map(|(at, week)| (f64::from(at), week.from.get(5..).unwrap_or(&week.from).to_owned())).collect()
}

fn table_of_shares(found: &Monitoring, title: &str, all: &[&WatchedShare]) -> Markup {
    let last = found.weeks.last().map_or("last week".to_owned(), |week| format!("week of {}", week.from));
    let columns = ["name".to_owned(), "before".to_owned(), last, "weeks outside their limits".to_owned()];
    let mut table = PageTable::new(title, columns).sortable();
    for share in all {
        let outside = share.weeks.iter().filter(|week| week.is_outside).count() as u64;
        table.row(vec![
            PageCell::code(&share.name),
            PageCell::percent(Some(share.before)),
            PageCell::percent(share.weeks.last().map(|week| week.share)),
            PageCell::count(outside),
        ]);
    }
    table.draw()
}

fn moved(found: &Monitoring) -> Option<PageSection> {
    let mut table = PageTable::new("How far values moved", ["value", "PSI", "by chance", "verdict", ""]).sortable();
    for value in &found.moved {
        let index = |index: f64| PageCell::number(&format!("{index:.3}"), index);
        let mark = if value.is_reported { "look into" } else { "" };
        table.row(vec![
            PageCell::code(&value.name),
            index(value.psi),
            index(value.by_chance),
            PageCell::text(value.stability.word()),
            PageCell::text(mark),
        ]);
    }
    let note = "The population stability index of each value, and what chance alone gives so many applications.";
    let body = html! { p.note { (note) } (table.draw()) };
    (!found.moved.is_empty()).then(|| PageSection::new("values", "Values", body))
}

fn loans(months: &[LoanMonth]) -> Option<PageSection> {
    let known: Vec<&LoanMonth> = months.iter().filter(|month| month.known > 0).collect();
    let title = "Loans by the month of their decision";
    let mut table = PageTable::new(title, ["decided in", "offers", "loans known", "bad", "bad rate (95%)"]);
    let mut points = Vec::new();
    for (place, month) in (0_u32..).zip(&known) {
        let rate = month.bad_rate.map_or_else(PageCell::none, |[rate, low, high]| {
            let shown = format!("{} ({} to {})", format_percent(rate), format_percent(low), format_percent(high));
            points.push(Point::new(f64::from(place), rate).within(low, high).says(format!("{}: {shown}", month.month)));
            PageCell::words(&shown, rate)
        });
        let counts = [month.offers, month.known, month.bad].map(PageCell::count);
        table.row([PageCell::text(&month.month)].into_iter().chain(counts).chain([rate]).collect());
    }
    if known.is_empty() {
        return None;
    }
    let names = (0_u32..).zip(&known).map(|(at, month)| (f64::from(at), month.month.clone())).collect();
    let chart = Chart {
        x: Axis::new("decided in", &|at| format!("{at}")).named(names),
        y: Axis::new("bad rate", &share_tick).including(&[0.0]),
        series: vec![Series { look: Look::Challenger, points, has_line: false, has_dots: true, label: None }],
        markers: Vec::new(),
        has_diagonal: false,
    };
    let figure = Figure {
        title: title.to_owned(),
        note: "The share of known loans that went bad, with its 95% interval. Late months are still young.".to_owned(),
        legend: Vec::new(),
        draw: &|width| chart.draw(width),
        data: table,
    };
    Some(PageSection::new("loans", "Loans", html! { div.figures { (figure.show()) } }))
}

fn weeks(found: &Monitoring) -> Option<PageSection> {
    let columns = ["week from", "applications", "middle (ms)", "99th percentile (ms)", ""];
    let mut table = PageTable::new("Weeks", columns).sortable();
    for week in &found.weeks {
        let milliseconds =
            week.took_us.map(|took| PageCell::number(&format!("{:.1}", took as f64 / 1000.0), took as f64));
        let judged = if week.is_judged { "" } else { "too few to be judged" };
        let first = [PageCell::text(&week.from), PageCell::count(week.applications)];
        table.row(first.into_iter().chain(milliseconds).chain([PageCell::text(judged)]).collect());
    }
    (!found.weeks.is_empty()).then(|| PageSection::new("weeks", "Weeks and times", table.draw()))
}
