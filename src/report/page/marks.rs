//! Chooses the records to mark in the chart, and makes the buttons that switch between them.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::ExplanationPage;
use crate::engine::decision::{Counted, Record, RequirementExplained, State};
use crate::report::chart::{Balances, Timeline};

/// Most marks drawn; more would merge into a line.
const MARKS_MAX: usize = 3_000;

/// Most requirements to choose from.
const BUTTONS_MAX: usize = 40;

/// A requirement and the records that explain it.
struct Choice<'t> {
    requirement: &'t RequirementExplained,
    rows: BTreeSet<usize>,
    /// The newest of `rows`, which are drawn.
    drawn: BTreeSet<usize>,
}

impl ExplanationPage<'_> {
    pub(super) fn timeline(&self) -> Markup {
        let (days, choices) = (&self.explanation.days, self.choices());
        let none = BTreeSet::new();
        let first = choices.first().filter(|choice| choice.requirement.state != State::Met);
        let shown = first.map_or(&none, |choice| &choice.drawn);
        let any: BTreeSet<usize> = choices.iter().flat_map(|choice| choice.drawn.iter().copied()).collect();
        let marked: Vec<&Record> = any.iter().filter_map(|row| self.records.get(row).copied()).collect();
        let quality = &self.explanation.decision.quality;
        let gaps = self.explanation.summary.months_without_records.as_slice();
        let (balances, discrepancy) = (Balances::new(days, quality), quality.balance_discrepancy.as_deref());
        html! {
            @if !days.is_empty() {
                p.legend {
                    span { span.key.in {} "in, above the line" }
                    @if days.iter().any(|day| day.outflow > 0) { span { span.key.out {} "out, below it" } }
                    @if !balances.is_empty() {
                        span {
                            span.key.balance {} @if balances.is_computed { "balance, as the records give it" }
                            @else { "balance" }
                        }
                    }
                    @if !gaps.is_empty() { span { span.key.gap {} "months without records" } }
                    @if discrepancy.is_some() {
                        span { span.key.off {} "first balance that does not follow" }
                    }
                }
            }
            @if !marked.is_empty() {
                div.legend role="group" aria-label="Requirement whose records are marked" {
                    span { span.key.mark {} "a record that counts for" }
                    @for choice in &choices {
                        (button(choice, first.is_some_and(|first| first.requirement.id == choice.requirement.id)))
                    }
                }
            }
            @let timeline = Timeline {
                days,
                balances: &balances,
                gaps,
                discrepancy,
                marked: &marked,
                currency: &self.explanation.currency,
            };
            (timeline.draw(|row| shown.contains(&row)))
            @if !days.is_empty() { (self.months()) }
        }
    }

    /// The requirements that have records to mark, unmet ones first.
    fn choices(&self) -> Vec<Choice<'_>> {
        let mut choices: Vec<Choice> = Vec::new();
        for requirement in &self.explanation.requirements {
            let rows = self.explaining_rows(&requirement.numbers);
            if !rows.is_empty() {
                choices.push(Choice { requirement, rows, drawn: BTreeSet::new() });
            }
        }
        // The sort is stable, so equals keep the policy's order.
        choices.sort_by_key(|choice| choice.requirement.state == State::Met);
        choices.truncate(BUTTONS_MAX);
        let (mut all, count) = (BTreeSet::new(), choices.len());
        for (at, choice) in choices.iter_mut().enumerate() {
            let share = (MARKS_MAX - all.len()) / (count - at);
            let newest = choice.rows.iter().rev().copied();
            let mut new = 0;
            choice.drawn = newest
                .filter(|row| {
                    all.contains(row) || {
                        new += 1;
                        new <= share
                    }
                })
                .collect();
            all.extend(choice.drawn.iter().copied());
        }
        choices
    }

    /// The records that explain the numbers. Skips lists of the whole statement and lists that contain a shorter one.
    fn explaining_rows(&self, names: &[String]) -> BTreeSet<usize> {
        let (mut seen, mut lists) = (BTreeSet::new(), Vec::new());
        let mut next: Vec<&str> = names.iter().map(String::as_str).collect();
        while let Some(name) = next.pop() {
            let Some(number) = self.numbers.get(name).filter(|_| seen.insert(name.to_owned())) else { continue };
            next.extend(number.made_of.iter().map(String::as_str));
            for counted in &number.counted {
                let list = rows(counted);
                if !list.is_empty() && (list.len() as u64) < self.explanation.decision.quality.records {
                    lists.push(list);
                }
            }
        }
        let contains_another =
            |list: &BTreeSet<usize>| lists.iter().any(|other| other.len() < list.len() && other.is_subset(list));
        lists.iter().filter(|list| !contains_another(list)).flatten().copied().collect()
    }
}

/// The records that were counted, or only those that decided the value where some did.
fn rows(counted: &Counted) -> BTreeSet<usize> {
    match counted {
        Counted::Records(records) => {
            let any = records.iter().any(|record| record.decides);
            records.iter().filter(|record| record.decides || !any).map(|record| record.row).collect()
        }
        Counted::Groups(counted) => {
            let any = counted.groups.iter().any(|group| group.decides);
            let deciding = counted.groups.iter().filter(|group| group.decides || !any);
            deciding.flat_map(|group| group.rows.iter().copied()).collect()
        }
    }
}

fn button(choice: &Choice, on: bool) -> Markup {
    let rows = choice.drawn.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    let (all, drawn) = (choice.rows.len(), choice.drawn.len());
    let title = choice.requirement.title.iter();
    let asks = title.map(|title| format!("{title}: ")).chain([choice.requirement.asks.clone()]).collect::<String>();
    html! {
        button type="button" aria-pressed=(on) data-rows=(rows) title=(asks) {
            (choice.requirement.id)
            @if drawn < all { span.note { " " (drawn) " of " (all) " drawn" } }
        }
    }
}
