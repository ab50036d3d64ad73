//! Explanations as one page of HTML that needs no other file and no network. The page is readable without its script,
//! which only marks the records of the chosen requirement. `maud` escapes every text.

mod balances;
mod marks;
mod months;
mod numbers;
mod score;
mod summary;
mod tables;

use std::collections::{BTreeMap, BTreeSet};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::balances::verdict_badge;
use self::numbers::{figure_value_markup, named_figures_markup};
use super::{counter_offer, excluded_transfers, has_own_place};
use crate::base::text::escape_terminal;
use crate::engine::decision::{Explanation, Making, Member, Number, Outcome, Record, RequirementExplained, State};

/// A page of these explanations, one after the other.
pub fn render_explanation_page(all: &[Explanation]) -> String {
    let title = match all {
        [one] => {
            let (policy, outcome) = (&one.decision.policy, one.decision.outcome.word());
            format!("{} {}: {outcome}, {}", policy.name, policy.version, day(one))
        }
        many => format!("{} decisions", many.len()),
    };
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            @let name = html! { (visible_text(&title)) @if let [one] = all { ", " (visible_text(customer(one))) } };
            (page_head_markup(&name, ""))
            body {
                header { h1 { (visible_text(&title)) } }
                @if all.len() > 1 { (contents(all)) }
                main {
                    @for (index, explanation) in all.iter().enumerate() {
                        (ExplanationPage::new(explanation, index).article())
                    }
                }
                script { (PreEscaped(include_str!("page.js"))) }
            }
        }
    };
    markup.into_string()
}

/// The head of a page, which asks for nothing from anywhere. `styles` come after those that all pages share.
pub(super) fn page_head_markup(title: &Markup, styles: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta http-equiv="Content-Security-Policy"
                content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
            title { (title) }
            style { (PreEscaped(include_str!("page.css"))) (PreEscaped(styles)) }
        }
    }
}

/// Text from outside, without invisible characters or any that change the reading direction.
pub(super) fn visible_text(text: &str) -> String {
    escape_terminal(text).into_owned()
}

/// The customer, or the statement's name where no customer is known.
fn customer(explanation: &Explanation) -> &str {
    let decision = &explanation.decision;
    decision.customer.as_deref().unwrap_or(&decision.statement)
}

/// The day of the decision.
fn day(explanation: &Explanation) -> String {
    explanation.decision.as_of.map_or_else(|| "no day".to_owned(), |day| day.to_string())
}

fn contents(all: &[Explanation]) -> Markup {
    html! {
        nav aria-label="Decisions" {
            ul {
                @for (index, explanation) in all.iter().enumerate() {
                    @let outcome = explanation.decision.outcome.word();
                    li {
                        a href={ "#c" (index) } { (visible_text(customer(explanation))) } " "
                        span.badge.(outcome) { (outcome) }
                        " " span.note { "balances " } (verdict_badge(&explanation.decision.quality))
                    }
                }
            }
        }
    }
}

/// One explanation as an article of the page.
struct ExplanationPage<'t> {
    explanation: &'t Explanation,
    index: usize,
    numbers: BTreeMap<&'t str, &'t Number>,
    records: BTreeMap<usize, &'t Record>,
}

/// Numbers already shown in full.
type Shown<'t> = BTreeSet<&'t str>;

impl<'t> ExplanationPage<'t> {
    fn new(explanation: &'t Explanation, index: usize) -> Self {
        let numbers = explanation.numbers.iter().map(|number| (number.name.as_str(), number)).collect();
        let records = explanation.records.iter().map(|record| (record.row, record)).collect();
        Self { explanation, index, numbers, records }
    }

    fn article(&self) -> Markup {
        let (explanation, decision) = (self.explanation, &self.explanation.decision);
        let outcome = decision.outcome.word();
        let mut shown = Shown::new();
        html! {
            article id={ "c" (self.index) } {
                header {
                    h2 { (visible_text(customer(explanation))) " " span.badge.(outcome) { (outcome) } }
                    p.note {
                        "as of " (day(explanation)) ", " (decision.policy.name) " " (decision.policy.version)
                        @if let Some(arm) = decision.arm { ", " (format!("{arm:?}").to_lowercase()) }
                        ", statement " (visible_text(&decision.statement))
                    }
                    @if !decision.reasons.is_empty() {
                        ul.reasons {
                            @for reason in &decision.reasons {
                                li { (heading(&reason.id, reason.title.as_deref())) (visible_text(&reason.text)) }
                            }
                        }
                    }
                    @if decision.outcome == Outcome::Offer { (self.offers_made()) }
                    @if let Some(counter) = &decision.counter_offer {
                        p { (visible_text(&counter_offer(counter, explanation))) }
                    }
                    @if let Some(sentence) = excluded_transfers(&explanation.own_transfers, &explanation.currency) {
                        p { (sentence) }
                    }
                }
                (self.summary())
                section { h3 { "Over time" } (self.timeline()) }
                @if !explanation.requirements.is_empty() {
                    section {
                        h3 { "Requirements" }
                        @for requirement in &explanation.requirements { (self.requirement(requirement, &mut shown)) }
                    }
                }
                @if let Some(score) = &explanation.score { (self.score(score, &mut shown)) }
                @for table in &explanation.tables { (self.table(table, &mut shown)) }
                @if !explanation.offers.is_empty() {
                    section {
                        h3 { @if decision.outcome == Outcome::Offer { "Offers" } @else { "Offers, if approved" } }
                        @for offer in &explanation.offers { (self.offer(offer, &mut shown)) }
                    }
                }
                footer.note {
                    "Statement " code { (decision.digests.statement.to_string()) }
                    ", policy " code { (decision.policy.digest.to_string()) }
                    ", parameters " code { (decision.digests.parameters.to_string()) } ", " (decision.engine)
                }
            }
        }
    }

    fn offers_made(&self) -> Markup {
        html! {
            ul.reasons {
                @for offer in self.explanation.offers.iter().filter(|offer| offer.making == Making::Made) {
                    li { b { (offer.id) " over " (offer.tenure) " " (offer.tenure_unit) } " " (offer.summary) }
                }
            }
        }
    }

    fn requirement(&self, requirement: &RequirementExplained, shown: &mut Shown<'t>) -> Markup {
        let (mark, word) = state(requirement.state);
        let open = matches!(requirement.state, State::NotMet | State::Unknown);
        html! {
            details.part open[open] {
                summary {
                    span.state.(mark) {
                        (word) @if open { ": " (format!("{:?}", requirement.effect).to_lowercase()) }
                    }
                    " " (heading(&requirement.id, requirement.title.as_deref())) code { (requirement.asks) }
                    @if requirement.approximate { " " span.note { "approximate: compared as doubles" } }
                    @match &requirement.reason {
                        Some(reason) => span.reason { (visible_text(reason)) },
                        None => (self.compared(requirement)),
                    }
                }
                (members(&requirement.members))
                (named_figures_markup(&requirement.parameters))
                @for name in &requirement.numbers { (self.number(name, open, 0, shown)) }
            }
        }
    }

    /// The values that a requirement compares, while they are folded away.
    fn compared(&self, requirement: &RequirementExplained) -> Markup {
        let numbers = requirement.numbers.iter().filter_map(|name| self.numbers.get(name.as_str()));
        let numbers = numbers.map(|number| (number.name.as_str(), &number.figure));
        let parameters = requirement.parameters.iter().map(|named| (named.name.as_str(), &named.figure));
        html! {
            span.compared {
                @for (name, figure) in numbers.chain(parameters) {
                    span { code { (name) } " = " (figure_value_markup(figure)) } " "
                }
            }
        }
    }

    /// The numbers behind the values of a table, to unfold. Skips those already shown.
    fn behind(&self, names: &'t [String], shown: &mut Shown<'t>) -> Markup {
        let unfolds = |name: &str| self.numbers.get(name).is_some_and(|number| !has_own_place(number));
        html! {
            @for name in names {
                @if !shown.contains(name.as_str()) && unfolds(name) {
                    (self.number(name, false, 0, shown))
                }
            }
        }
    }
}

/// An id and its title, at the beginning of a sentence.
fn heading(id: &str, title: Option<&str>) -> Markup {
    html! {
        b { (id) @if let Some(title) = title { " " (visible_text(title)) } }
        @if title.is_some() { ": " } @else { " " }
    }
}

fn state(state: State) -> (&'static str, &'static str) {
    match state {
        State::Met => ("met", "met"),
        State::NotMet => ("unmet", "not met"),
        State::Unknown => ("unknown", "unknown"),
        State::NotAsked => ("unasked", "not asked"),
    }
}

fn members(members: &[Member]) -> Markup {
    html! {
        @if !members.is_empty() {
            ul.members {
                @for member in members {
                    @let (mark, word) = state(member.state);
                    li {
                        @match &member.unknown {
                            Some(why) => {
                                span.state.unknown { "unknown, taken as " (word) } " " code { (member.asks) } " "
                                span.note { (why) }
                            }
                            None => { span.state.(mark) { (word) } " " code { (member.asks) } }
                        }
                        (self::members(&member.members))
                    }
                }
            }
        }
    }
}
