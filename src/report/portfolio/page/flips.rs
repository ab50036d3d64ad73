//! The customers whose decision changed, as a table to sort and filter, with the command that explains each.

use maud::{Markup, html};

use super::document::PageSection;
use super::format::{count_with_noun, shell_quoted};
use super::table::{PageCell, PageTable};
use super::view::View;
use crate::portfolio::summary::{FlipRow, SwapSet};
use crate::report::page::visible_text;
use crate::report::portfolio::numbers::format_count;

impl View<'_> {
    pub(super) fn flips(&self, explain: &str) -> Option<PageSection> {
        let swap = self.summary.swap_set.as_ref()?;
        let (shown, changed) = (swap.flips.len() as u64, swap.changed);
        let body = html! {
            @if swap.flips.is_empty() { p { "No single customer is listed." } }
            @else {
                p {
                    @if shown < changed {
                        "The first " (format_count(shown)) " of " (count_with_noun(changed, "customer"))
                        " whose decision changes; " code { "--flips" } " writes all of them."
                    } @else { "All customers whose decision changes." }
                }
                (filters(swap))
                div.flips { (self.flip_table(swap, explain)) }
            }
        };
        Some(PageSection::new("flips", "Changed customers", body))
    }

    fn flip_table(&self, swap: &SwapSet, explain: &str) -> Markup {
        let has_outcomes = swap.flips.iter().any(|flip| flip.bad.is_some());
        let mut titles = vec!["customer", "champion", "challenger", "change of amount", "causes"];
        if has_outcomes {
            titles.push("outcome");
        }
        if !explain.is_empty() {
            titles.push("explained by");
        }
        let mut table = PageTable::new("Changed customers", titles).sortable();
        for flip in &swap.flips {
            let mut cells = vec![
                PageCell::text(&flip.customer),
                self.decided(&flip.champion, flip.champion_amount, &flip.champion_reasons),
                self.decided(&flip.challenger, flip.challenger_amount, &flip.challenger_reasons),
                self.amount_change(flip),
                causes(flip),
            ];
            if has_outcomes {
                cells.push(PageCell::text(outcome(flip.bad)));
            }
            if !explain.is_empty() {
                cells.push(PageCell::markup(explaining(explain, &flip.customer)));
            }
            table.row_of(&group(flip), cells);
        }
        table.draw()
    }

    fn decided(&self, outcome: &str, amount: Option<i64>, reasons: &[String]) -> PageCell {
        let shown = html! {
            span.badge.(outcome) { (outcome) }
            @if let Some(minor) = amount { " " span.amount { (self.money(minor.into())) } }
            @if !reasons.is_empty() { " " span.note { (visible_text(&reasons.join(", "))) } }
        };
        // No offer comes below the least offer, and declined below referred.
        let rank = if outcome == "refer" { -1 } else { -2 };
        PageCell::markup(shown).sorted(amount.unwrap_or(rank) as f64)
    }

    fn amount_change(&self, flip: &FlipRow) -> PageCell {
        let amount = |minor: Option<i64>| i128::from(minor.unwrap_or(0));
        match amount(flip.challenger_amount) - amount(flip.champion_amount) {
            0 => PageCell::number("none", 0.0),
            more if more > 0 => PageCell::number(&format!("+{}", self.money(more)), more as f64),
            less => PageCell::number(&format!("−{}", self.money(-less)), less as f64),
        }
    }
}

/// The cell of the swap set that a customer is in.
fn group(flip: &FlipRow) -> String {
    format!("{} → {}", flip.champion, flip.challenger)
}

fn outcome(bad: Option<bool>) -> &'static str {
    match bad {
        Some(true) => "bad",
        Some(false) => "good",
        None => "unknown",
    }
}

fn causes(flip: &FlipRow) -> PageCell {
    PageCell::markup(html! {
        @for (at, cause) in flip.causes.iter().enumerate() {
            @let is_last = at + 1 == flip.causes.len();
            span.cause { (visible_text(cause)) @if !is_last { ", " } }
        }
    })
}

/// The command that explains a customer. One whose name has invisible characters cannot be typed.
fn explaining(command: &str, customer: &str) -> Markup {
    let is_typed = visible_text(customer) == customer;
    html! {
        @if is_typed {
            code.command {
                @for (at, word) in format!("{command} {}", shell_quoted(customer)).split(' ').enumerate() {
                    @if at > 0 { " " }
                    // Browsers would break the line within the dashes of an option.
                    @if word.starts_with('-') { span.option { (visible_text(word)) } } @else { (visible_text(word)) }
                }
            }
            " " button.copy type="button" hidden aria-label={ "Copy the command for " (customer) } { "copy" }
        } @else { span.note { "the name has invisible characters" } }
    }
}

/// Without scripts there is nothing to filter with, so this is hidden until the script shows it.
fn filters(swap: &SwapSet) -> Markup {
    let mut groups: Vec<(String, u64)> = Vec::new();
    for flip in &swap.flips {
        let name = group(flip);
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, number)) => *number += 1,
            None => groups.push((name, 1)),
        }
    }
    groups.sort();
    html! {
        form.filters hidden {
            label { "Text " input type="search" name="text" autocomplete="off"; }
            label {
                "Change "
                select name="group" {
                    option value="" { "any" }
                    @for (name, number) in &groups {
                        option value=(visible_text(name)) { (visible_text(name)) " (" (format_count(*number)) ")" }
                    }
                }
            }
            @let all = format_count(swap.flips.len() as u64);
            output role="status" { (all) " of " (all) }
        }
    }
}
