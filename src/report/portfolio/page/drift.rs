//! How far distributions moved, and how approval rates of protected groups compare.

use maud::{Markup, html};

use super::charts::{Bar, Bars, ChartBar};
use super::document::PageSection;
use super::figure::{Figure, Key, Look};
use super::format::{format_number, p_value};
use super::table::{PageCell, PageTable};
use super::view::View;
use crate::portfolio::summary::{AdverseImpact, ImpactGroup, Stability};
use crate::report::page::visible_text;
use crate::report::portfolio::numbers::format_percent;

/// How many distributions are drawn bin by bin; a table lists all.
const DRAWN: usize = 8;

impl View<'_> {
    pub(super) fn stability(&self) -> Option<PageSection> {
        let all = &self.summary.stability;
        if all.is_empty() {
            return None;
        }
        let mut table = PageTable::new("Population stability", ["distribution", "index", "verdict"]).sortable();
        for one in all {
            let index = PageCell::number(&format!("{:.4}", one.index), one.index);
            table.row(vec![PageCell::text(&one.of), index, PageCell::text(&one.verdict)]);
        }
        let body = html! {
            (table.draw())
            div.figures { @for one in all.iter().take(DRAWN) { (moved(one)) } }
            @if all.len() > DRAWN { p.note { "Drawn: the first " (DRAWN) " of " (all.len()) "." } }
        };
        Some(PageSection::new("stability", "Stability", body))
    }

    pub(super) fn adverse_impact(&self) -> Option<PageSection> {
        let all = &self.summary.adverse_impact;
        let body = html! {
            p {
                "The ratio is a group's approval rate beside that of the group of reference. Below 0.8, four fifths, "
                "it calls for an explanation."
            }
            div.figures { @for one in all { (ratios(one)) } }
        };
        (!all.is_empty()).then(|| PageSection::new("impact", "Adverse impact", body))
    }
}

/// The shares of the bins in both periods.
fn moved(one: &Stability) -> Markup {
    let title = format!("{}: before and after", visible_text(&one.of));
    let total = |of: fn(&(String, u64, u64, f64)) -> u64| one.bins.iter().map(of).sum::<u64>().max(1) as f64;
    let (before, after) = (total(|bin| bin.1), total(|bin| bin.2));
    let mut data =
        PageTable::new(&title, ["bin", "before", "share before", "after", "share after", "adds to the index"]);
    let mut bars = Vec::new();
    for (name, base, other, adds) in &one.bins {
        let (base_share, other_share) = (*base as f64 / before, *other as f64 / after);
        data.row(vec![
            PageCell::text(name),
            PageCell::count(*base),
            PageCell::percent(Some(base_share)),
            PageCell::count(*other),
            PageCell::percent(Some(other_share)),
            PageCell::number(&format!("{adds:.4}"), *adds),
        ]);
        let value = |look: Look, value: f64| ChartBar { look, value, interval: None, text: format_percent(value) };
        let values = vec![value(Look::Champion, base_share), value(Look::Challenger, other_share)];
        bars.push(Bar { name: visible_text(name), values });
    }
    let bars = Bars { bars, marked: Vec::new() };
    let key = |look: Look, name: &str| -> Key { (look.class(), name.to_owned()) };
    let legend = vec![key(Look::Champion, "base period"), key(Look::Challenger, "later period")];
    let (verdict, smoothing) = (visible_text(&one.verdict), format_number(one.smoothing, 6));
    let note = format!("PSI {:.4}: {verdict}. {smoothing} was added to each count.", one.index);
    Figure { title, note, legend, draw: &|width| bars.draw(width), data }.show()
}

fn ratios(one: &AdverseImpact) -> Markup {
    let title = format!("Approval ratios by {}, {}", visible_text(&one.by), visible_text(&one.role));
    let columns = ["group", "customers", "offered", "rate", "ratio", "difference", "four fifths"];
    let mut data = PageTable::new(&title, columns);
    for group in &one.groups {
        let p = group.p.map_or_else(PageCell::none, |p| PageCell::number(&p_value(p), p));
        let ratio = group.ratio.map_or_else(
            || PageCell::text("too few customers"),
            |ratio| {
                PageCell::number(&format!("{:.3} ({:.3} to {:.3})", ratio.value, ratio.low, ratio.high), ratio.value)
            },
        );
        data.row(vec![
            PageCell::text(&group.value),
            PageCell::count(group.customers),
            PageCell::count(group.offered),
            PageCell::percent(group.rate),
            if group.is_reference { PageCell::number("1 (reference)", 1.0) } else { ratio },
            p,
            PageCell::text(if group.is_below_four_fifths { "below" } else { "not below" }),
        ]);
    }
    let bars = Bars {
        bars: one.groups.iter().map(|group| ratio_bar(group, &one.role)).collect(),
        marked: vec![(0.8, "0.8: four fifths".to_owned()), (1.0, "1: same rate".to_owned())],
    };
    let below: Vec<String> =
        one.groups.iter().filter(|group| group.is_below_four_fifths).map(|group| visible_text(&group.value)).collect();
    let note = match below.is_empty() {
        true => "No group is below four fifths.".to_owned(),
        false => format!("Below four fifths: {}.", below.join(", ")),
    };
    Figure { title, note, legend: Vec::new(), draw: &|width| bars.draw(width), data }.show()
}

fn ratio_bar(group: &ImpactGroup, role: &str) -> Bar {
    let ratio = if group.is_reference { Some(1.0) } else { group.ratio.map(|ratio| ratio.value) };
    let below = if group.is_below_four_fifths { ", below" } else { "" };
    let value = ChartBar {
        look: Look::of_role(role),
        value: ratio.unwrap_or(0.0),
        interval: group.ratio.filter(|_| !group.is_reference).map(|ratio| (ratio.low, ratio.high)),
        text: ratio.map_or("too few".to_owned(), |ratio| format!("{ratio:.2}{below}")),
    };
    Bar { name: visible_text(&group.value), values: vec![value] }
}
