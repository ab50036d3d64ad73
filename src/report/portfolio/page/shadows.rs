//! What a shadow would have decided, as a page.

use maud::{Markup, html};

use super::charts::{Axis, Bar, Bars, Chart, ChartBar, Flow, Point, Series, Stream};
use super::document::{PageSection, render_html_document};
use super::figure::{Figure, Key, Look};
use super::format::{count_with_noun, points_in_words, share_tick, short_digest};
use super::table::{PageCell, PageTable};
use crate::base::money::Currency;
use crate::portfolio::decision_table::{LoanCounts, OUTCOME_WORDS, ShadowComparison};
use crate::report::format_report_money;
use crate::report::page::visible_text;
use crate::report::portfolio::numbers::{format_count, format_percent};

/// The most reasons that are drawn; the table has all.
const REASONS_DRAWN: usize = 15;

/// A page of one shadow compared with the answers.
pub fn shadow_page(one: &ShadowComparison) -> String {
    let title = format!("Shadow {}", one.shadow);
    let sections = [Some(outcomes(one)), amounts(one), reasons(one), loans(one), days(one), Some(times(one))];
    render_html_document(&title, &introduction(one), sections.into_iter().flatten().collect())
}

fn introduction(one: &ShadowComparison) -> Markup {
    let answered = |outcome: usize| one.outcomes[outcome].iter().sum::<u64>();
    let by_shadow = |outcome: usize| one.outcomes.iter().map(|row| row[outcome]).sum::<u64>();
    let changed = one.compared - (0..3).map(|outcome| one.outcomes[outcome][outcome]).sum::<u64>();
    let all = one.compared.max(1) as f64;
    let rate = |count: u64| count as f64 / all;
    html! {
        @for [name, version, digest] in &one.policies {
            p { (visible_text(name)) " " (visible_text(version)) " " code { (short_digest(digest)) } }
        }
        div.headline {
            div { "Applications" br; b { (format_count(one.compared)) } }
            div {
                "Offers" br; span.role { "answered" } b { (format_percent(rate(answered(0)))) } br;
                span.role { "shadow" } b { (format_percent(rate(by_shadow(0)))) }
                div.change { (points_in_words(rate(answered(0)), rate(by_shadow(0)))) }
            }
            div { "Decided otherwise" br; b { (format_count(changed)) } " (" (format_percent(rate(changed))) ")" }
        }
        @if one.failed + one.missed > 0 {
            div.warnings {
                @if one.failed > 0 { p { (count_with_noun(one.failed, "application")) " failed in the shadow." } }
                @if one.missed > 0 { p { (count_with_noun(one.missed, "application")) " did not reach the shadow." } }
            }
        }
    }
}

fn outcomes(one: &ShadowComparison) -> PageSection {
    let cells = || (0..3).flat_map(|from| (0..3).map(move |to| (from, to)));
    let streams = || {
        let stream = |(from, to): (usize, usize)| Stream { from, to, customers: one.outcomes[from][to] };
        cells().map(stream).filter(|stream| stream.customers > 0).collect()
    };
    let key = |class: &str, name: &str| -> Key { (class.to_owned(), name.to_owned()) };
    let title = "From the answer to the outcome of the shadow".to_owned();
    let mut data = PageTable::new(&title, ["answered", "shadow", "applications", "share"]);
    for (from, to) in cells() {
        let count = one.outcomes[from][to];
        let share = (one.compared > 0).then(|| count as f64 / one.compared as f64);
        let words = [OUTCOME_WORDS[from], OUTCOME_WORDS[to]].map(PageCell::text);
        data.row(words.into_iter().chain([PageCell::count(count), PageCell::percent(share)]).collect());
    }
    let flow = Flow { groups: &OUTCOME_WORDS, sides: ("answered", "shadow"), streams: streams() };
    let figure = Figure {
        title,
        note: "Each band is as thick as it has applications. Bands that rise are better for the customer.".to_owned(),
        legend: vec![key("same", "same outcome"), key("up", "better"), key("down", "worse")],
        draw: &|width| flow.draw(width),
        data,
    };
    PageSection::new("outcomes", "Outcomes", html! { div.figures { (figure.show()) } })
}

fn amounts(one: &ShadowComparison) -> Option<PageSection> {
    let mut table = PageTable::new(
        "Offered amounts",
        ["currency", "answered", "shadow", "two offers", "more by the shadow", "less by the shadow"],
    );
    for (code, amounts) in &one.amounts {
        let currency = Currency::from_numeric(code);
        let money = |minor: i64| match &currency {
            Some(currency) => PageCell::number(&format_report_money(currency, minor), minor as f64),
            None => PageCell::number(&format!("{minor} (minor units)"), minor as f64),
        };
        let name = currency.as_ref().map_or(code.as_str(), |currency| currency.alphabetic());
        let counts = [amounts.both, amounts.more, amounts.less].map(PageCell::count);
        table.row(
            [PageCell::text(name), money(amounts.answered), money(amounts.shadow)].into_iter().chain(counts).collect(),
        );
    }
    (!one.amounts.is_empty()).then(|| PageSection::new("amounts", "Amounts", table.draw()))
}

fn reasons(one: &ShadowComparison) -> Option<PageSection> {
    let title = "Reasons of the answers and of the shadow";
    let mut table =
        PageTable::new(title, ["reason", "answered", "shadow", "tipped to less", "tipped to more"]).sortable();
    let mut all: Vec<_> = one.reasons.iter().collect();
    all.sort_by_key(|(id, [before, after])| (std::cmp::Reverse(before.abs_diff(*after)), (*id).clone()));
    let mut bars = Vec::new();
    for (id, [before, after]) in all {
        let flips = one.flips.get(id);
        let tipped = [flips.map_or(0, |flips| flips.tightened), flips.map_or(0, |flips| flips.loosened)];
        let counts = [*before, *after, tipped[0], tipped[1]].map(PageCell::count);
        table.row([PageCell::code(id)].into_iter().chain(counts).collect());
        let value = |look, count: u64| {
            let share = count as f64 / one.compared.max(1) as f64;
            ChartBar { look, value: share, interval: None, text: format_percent(share) }
        };
        let values = vec![value(Look::Champion, *before), value(Look::Challenger, *after)];
        bars.push(Bar { name: visible_text(id), values });
    }
    if bars.is_empty() {
        return None;
    }
    bars.truncate(REASONS_DRAWN);
    let bars = Bars { bars, marked: Vec::new() };
    let legend = vec![(Look::Champion.class(), "answered".to_owned()), (Look::Challenger.class(), "shadow".to_owned())];
    let note = "Share of the applications with the reason, those that differ most first. A reason tips an application \
                if it is the only one on its side."
        .to_owned();
    let figure = Figure { title: title.to_owned(), note, legend, draw: &|width| bars.draw(width), data: table };
    Some(PageSection::new("reasons", "Reasons", html! { div.figures { (figure.show()) } }))
}

fn loans(one: &ShadowComparison) -> Option<PageSection> {
    if one.loans.kept.known + one.loans.given_up.known == 0 {
        return None;
    }
    let mut table = PageTable::new("Loans that were made", ["loans", "known", "bad", "bad rate (95%)"]);
    let mut row = |name: &str, counts: &LoanCounts| {
        let rate = counts.bad_rate().map_or_else(PageCell::none, |(rate, low, high)| {
            let shown = format!("{} ({} to {})", format_percent(rate), format_percent(low), format_percent(high));
            PageCell::words(&shown, rate)
        });
        table.row(vec![PageCell::text(name), PageCell::count(counts.known), PageCell::count(counts.bad), rate]);
    };
    row("the shadow offers too", &one.loans.kept);
    row("the shadow does not offer", &one.loans.given_up);
    let note = "Nothing is known of customers to whom only the shadow offers.";
    Some(PageSection::new("loans", "Loans", html! { (table.draw()) p.note { (note) } }))
}

fn days(one: &ShadowComparison) -> Option<PageSection> {
    if one.days.is_empty() {
        return None;
    }
    let title = "Offers by day";
    let mut table = PageTable::new(title, ["day", "decided", "offers", "offers by shadow", "changed"]).sortable();
    let mut series = [Look::Champion, Look::Challenger].map(|look| Series {
        look,
        points: Vec::new(),
        has_line: true,
        has_dots: one.days.len() < 40,
        label: None,
    });
    for (place, day) in (0_u32..).zip(&one.days) {
        let counts = [day.compared, day.answered_offers, day.shadow_offers, day.changed].map(PageCell::count);
        table.row([PageCell::text(&day.day)].into_iter().chain(counts).collect());
        for (series, (name, offers)) in
            series.iter_mut().zip([("answered", day.answered_offers), ("shadow", day.shadow_offers)])
        {
            let share = offers as f64 / day.compared.max(1) as f64;
            let says = format!("{} {name}: {} of {}", day.day, format_percent(share), format_count(day.compared));
            series.points.push(Point::new(f64::from(place), share).says(says));
        }
    }
    let names = (0_u32..).zip(&one.days);
    let every = one.days.len().div_ceil(8);
    let names = names.step_by(every).map(|(at, day)| (f64::from(at), day.day.get(5..).unwrap_or(&day.day).to_owned()));
    let chart = Chart {
        x: Axis::new("day", &|at| format!("{at}")).named(names.collect()),
        y: Axis::new("share of offers", &share_tick).including(&[0.0]),
        series: series.into(),
        markers: Vec::new(),
        has_diagonal: false,
    };
    let legend = vec![(Look::Champion.class(), "answered".to_owned()), (Look::Challenger.class(), "shadow".to_owned())];
    let figure = Figure {
        title: title.to_owned(),
        note: "Share of the applications of a day with an offer.".to_owned(),
        legend,
        draw: &|width| chart.draw(width),
        data: table,
    };
    Some(PageSection::new("days", "By day", html! { div.figures { (figure.show()) } }))
}

fn times(one: &ShadowComparison) -> PageSection {
    let mut table = PageTable::new("How long a decision took", ["", "middle (ms)", "99th percentile (ms)"]);
    for (name, [middle, slow]) in ["answered", "shadow"].into_iter().zip(one.took_us) {
        let milliseconds =
            [middle, slow].map(|took| PageCell::number(&format!("{:.1}", took as f64 / 1000.0), took as f64));
        table.row([PageCell::text(name)].into_iter().chain(milliseconds).collect());
    }
    PageSection::new("times", "Times", table.draw())
}
