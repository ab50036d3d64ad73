//! What two policies decide differently: the swap set, its causes, and where it is concentrated.

use maud::{Markup, html};

use super::charts::{Bar, Bars, ChartBar, Flow, Stream};
use super::document::PageSection;
use super::figure::{Figure, Key, Look};
use super::format::{bad_rate, count_with_noun};
use super::table::{PageCell, PageTable};
use super::view::View;
use crate::portfolio::summary::{AmountChange, ChangeEffects, OfferEffect, SwapSet};
use crate::report::page::visible_text;
use crate::report::portfolio::numbers::format_count;

/// From the best to the worst.
const OUTCOMES: [&str; 3] = ["offer", "refer", "decline"];

/// How many causes are drawn; the table has all.
const CAUSES: usize = 20;

impl View<'_> {
    pub(super) fn swap_set(&self) -> Option<PageSection> {
        let swap = self.summary.swap_set.as_ref()?;
        let body = html! {
            p {
                @if swap.changed == 0 { "Both policies decide the same for every customer." }
                @else {
                    b { (count_with_noun(swap.changed, "customer")) } " of " (format_count(self.summary.customers))
                    " would be decided otherwise, or be offered another amount."
                }
            }
            div.figures { (self.flow(swap)) @if !swap.causes.is_empty() { (causes(swap)) } }
            (self.matrix(swap))
            ul {
                li { (self.amounts_changed("raised", swap.raised)) }
                li { (self.amounts_changed("lowered", swap.lowered)) }
            }
            @if let Some(effects) = &swap.effects { (self.change_effects(effects)) }
            @if !swap.concentration.is_empty() { (concentration(swap)) }
        };
        Some(PageSection::new("changes", "What changes", body))
    }

    fn amounts_changed(&self, how: &str, change: AmountChange) -> Markup {
        html! {
            "Offers " (how) ": "
            @if change.customers == 0 { "none" }
            @else { (count_with_noun(change.customers, "customer")) ", " (self.money(change.amount)) " in total" }
            "."
        }
    }

    fn flow(&self, swap: &SwapSet) -> Markup {
        let index = |outcome: &str| OUTCOMES.iter().position(|one| *one == outcome);
        let stream = |cell: &crate::portfolio::summary::SwapCell| {
            Some(Stream { from: index(&cell.champion)?, to: index(&cell.challenger)?, customers: cell.group.customers })
        };
        // The order of the streams at each group is that of the groups, whatever the order of the cells.
        let mut streams: Vec<Stream> = swap.cells.iter().filter_map(stream).collect();
        streams.sort_by_key(|stream| (stream.from, stream.to));
        let flow = Flow { groups: &OUTCOMES, sides: ("champion", "challenger"), streams };
        let key = |class: &str, name: &str| -> Key { (class.to_owned(), name.to_owned()) };
        let title = "From the champion's outcome to the challenger's".to_owned();
        let note = "Each band is as thick as it has customers. Bands that rise are better for the customer.".to_owned();
        let legend = vec![key("same", "same outcome"), key("up", "better"), key("down", "worse")];
        let mut data = PageTable::new(&title, ["champion", "challenger", "customers"]);
        for cell in &swap.cells {
            let outcomes = [PageCell::text(&cell.champion), PageCell::text(&cell.challenger)];
            data.row(outcomes.into_iter().chain([PageCell::count(cell.group.customers)]).collect());
        }
        Figure { title, note, legend, draw: &|width| flow.draw(width), data }.show()
    }

    fn matrix(&self, swap: &SwapSet) -> Markup {
        let has_outcomes = self.summary.outcomes.is_some();
        let mut titles = vec!["outcomes", "customers", "share", "amount before", "amount after"];
        if has_outcomes {
            titles.extend(["known", "bad", "bad rate"]);
        }
        let mut table = PageTable::new("The swap set", titles).sortable();
        for cell in &swap.cells {
            let amount = |minor: i128| PageCell::number(&self.money(minor), minor as f64);
            // These blanks keep the two words on one line.
            let name = format!("{}\u{a0}→\u{a0}{}", cell.champion, cell.challenger);
            let mut row = vec![
                PageCell::text(&name),
                PageCell::count(cell.group.customers),
                PageCell::percent(cell.group.share),
                amount(cell.champion_amount),
                amount(cell.group.amount),
            ];
            if has_outcomes {
                row.extend([PageCell::count(cell.group.known), PageCell::count(cell.group.bad), bad_rate(&cell.group)]);
            }
            table.row(row);
        }
        html! {
            h3 { "The swap set" }
            (table.draw())
            @if has_outcomes {
                p.note {
                    "A bad rate is that of customers whose outcome is known. It lies between the two bounds if all "
                    "others are good, and if all others are bad."
                }
            }
        }
    }
}

fn causes(swap: &SwapSet) -> Markup {
    let title = "What decides otherwise".to_owned();
    let mut data = PageTable::new(&title, ["part", "offers gained", "offers lost", "other changes"]).sortable();
    for cause in &swap.causes {
        let numbers = [cause.gained, cause.lost, cause.other].map(PageCell::count);
        data.row([PageCell::text(&cause.part)].into_iter().chain(numbers).collect());
    }
    let value = |class: usize, word: &str, number: u64| ChartBar {
        look: Look::Of(class),
        value: number as f64,
        interval: None,
        text: format!("{} {word}", format_count(number)),
    };
    let bar = |cause: &crate::portfolio::summary::Cause| {
        let values = [(0, "gained", cause.gained), (1, "lost", cause.lost), (2, "other", cause.other)];
        let some = values.into_iter().filter(|(_, _, number)| *number > 0);
        Bar {
            name: visible_text(&cause.part),
            values: some.map(|(class, word, number)| value(class, word, number)).collect(),
        }
    };
    let bars = Bars { bars: swap.causes.iter().take(CAUSES).map(bar).collect(), marked: Vec::new() };
    let mut note = "Customers who gain or lose an offer, or change otherwise, for whom this part changed. \
                    A customer counts for each cause."
        .to_owned();
    if swap.causes.len() > CAUSES {
        note += &format!(" Drawn: the first {CAUSES} of {}.", swap.causes.len());
    }
    Figure { title, note, legend: Vec::new(), draw: &|width| bars.draw(width), data }.show()
}

impl View<'_> {
    /// What each change does alone and left out.
    fn change_effects(&self, effects: &ChangeEffects) -> Markup {
        let titles =
            ["change", "gained alone", "lost alone", "amount alone", "gained by it", "lost by it", "amount by it"];
        let mut table = PageTable::new("What each change does", titles).sortable();
        let cells = |effect: Option<OfferEffect>| match effect {
            Some(effect) => [
                PageCell::count(effect.gained),
                PageCell::count(effect.lost),
                PageCell::number(&self.money(effect.amount), effect.amount as f64),
            ],
            None => [PageCell::none(), PageCell::none(), PageCell::none()],
        };
        for change in &effects.changes {
            let cells = [cells(change.alone), cells(change.left_out)].into_iter().flatten();
            table.row([PageCell::text(&change.change)].into_iter().chain(cells).collect());
        }
        let whole = cells(Some(effects.whole)).into_iter().chain(cells(None));
        table.row([PageCell::text("all together")].into_iter().chain(whole).collect());
        html! {
            h3 { "What each change does" }
            p.note {
                "Alone: the champion with this change only. By it: what the challenger would lose if it were left out. "
                @if effects.together_gained + effects.together_lost > 0 {
                    (format_count(effects.together_gained)) " offers are gained, and "
                    (format_count(effects.together_lost)) " lost, only by several changes together."
                }
            }
            (table.draw())
        }
    }
}

/// How many segments are listed.
const SEGMENTS_SHOWN: usize = 20;

fn concentration(swap: &SwapSet) -> Markup {
    let titles = ["segment", "customers", "changed", "share changed", "lift"];
    let mut table = PageTable::new("Where changes are concentrated", titles).sortable();
    // Those with the most changes say most; the list of segments further down has all of them.
    let mut segments: Vec<_> = swap.concentration.iter().filter(|segment| segment.changed > 0).collect();
    segments.sort_by_key(|segment| std::cmp::Reverse(segment.changed));
    for segment in segments.into_iter().take(SEGMENTS_SHOWN) {
        let share = (segment.customers > 0).then(|| segment.changed as f64 / segment.customers as f64);
        let lift = segment.lift.map_or_else(PageCell::none, |lift| PageCell::number(&format!("{lift:.2}"), lift));
        table.row(vec![
            PageCell::text(&format!("{}: {}", segment.by, segment.value)),
            PageCell::count(segment.customers),
            PageCell::count(segment.changed),
            PageCell::percent(share),
            lift,
        ]);
    }
    html! {
        h3 { "Where changes are concentrated" }
        p.note { "The lift is the share of the segment whose outcome changes, beside that of all customers: above 1, \
            changes are concentrated there. The " (SEGMENTS_SHOWN) " with the most changes are listed." }
        (table.draw())
    }
}
