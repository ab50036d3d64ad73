//! Backtests and sweeps as one page of HTML that needs no other file and no network. The page is complete without its
//! script, which only sorts and filters tables. `maud` escapes every text. Must not know how the numbers are made.

mod charts;
mod drift;
mod figure;
mod flips;
mod format;
mod headline;
mod inputs;
mod offers;
mod outcomes;
mod profit;
mod reasons;
mod rules;
#[cfg(test)]
mod sample;
mod scores;
mod segments;
mod swap;
mod sweep;
mod table;
#[cfg(test)]
mod tests;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::portfolio::summary::{PolicySummary, Summary, SweepSummary};
use crate::report::axis::at;
use crate::report::page::plain;
use crate::report::portfolio::numbers::money;

/// The page of a backtest. `explain` is the command that explains one customer, with `{customer}` where the customer
/// belongs: `lendwright explain book.parquet --policy rules/mine.toml --customer {customer}`.
pub(crate) fn backtest_page(summary: &Summary, explain: Option<&str>) -> String {
    let names: Vec<String> =
        summary.policies.iter().map(|policy| format!("{} {}", policy.name, policy.version)).collect();
    let title = match names.as_slice() {
        [] => "Backtest".to_owned(),
        [one] => format!("Backtest of {one}"),
        [champion, others @ ..] => format!("Backtest of {} against {champion}", others.join(", ")),
    };
    let view = View { summary };
    let sections = [
        view.headline(),
        view.swap_set(),
        view.reasons(),
        view.offers(),
        view.scores(),
        view.outcomes(),
        view.profit(),
        view.vintages(),
        view.segments(),
        view.stability(),
        view.adverse_impact(),
        view.unknown(),
        view.tables(),
        view.flips(explain),
        view.inputs(),
    ];
    document(&title, &view.introduction(), sections.into_iter().flatten().collect())
}

/// The page of a sweep. The currency is its ISO 4217 number, and how many digits its minor unit has.
pub(crate) fn sweep_page(summary: &SweepSummary, currency: &(String, u32)) -> String {
    let title = format!("Sweep of {}", summary.policy);
    let view = sweep::SweepView { summary, currency };
    document(&title, &view.introduction(), view.sections())
}

/// A part of the page with its place in the contents.
struct Section {
    id: &'static str,
    title: &'static str,
    body: Markup,
}

impl Section {
    fn new(id: &'static str, title: &'static str, body: Markup) -> Section {
        Section { id, title, body }
    }
}

fn document(title: &str, introduction: &Markup, sections: Vec<Section>) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
                title { (plain(title)) }
                style {
                    (PreEscaped(include_str!("../../page/page.css"))) (PreEscaped(include_str!("portfolio.css")))
                }
            }
            body.portfolio {
                a.skip href="#content" { "Skip to the numbers" }
                header { h1 { (plain(title)) } (introduction) }
                nav aria-label="Contents" {
                    ul.contents { @for section in &sections { li { a href={ "#" (section.id) } { (section.title) } } } }
                }
                main id="content" tabindex="-1" {
                    @if sections.is_empty() { p { "There is nothing to show." } }
                    @for section in &sections {
                        section id=(section.id) aria-labelledby={ (section.id) "-title" } {
                            h2 id={ (section.id) "-title" } { (section.title) }
                            (section.body)
                        }
                    }
                }
                script { (PreEscaped(include_str!("portfolio.js"))) }
            }
        }
    };
    markup.into_string()
}

/// A backtest to be shown.
struct View<'t> {
    summary: &'t Summary,
}

impl<'t> View<'t> {
    fn money(&self, minor: i128) -> String {
        money(&self.summary.currency, minor)
    }

    /// An amount on an axis.
    fn short_money(&self, minor: f64) -> String {
        crate::report::axis::short(minor, self.summary.currency.1)
    }

    fn roles(&self) -> impl Iterator<Item = &'t str> {
        self.summary.policies.iter().map(|policy| policy.role.as_str())
    }

    /// The champion and the challenger, if there are two policies.
    fn two(&self) -> Option<(&'t PolicySummary, &'t PolicySummary)> {
        match self.summary.policies.as_slice() {
            [champion, challenger, ..] => Some((champion, challenger)),
            _ => None,
        }
    }

    /// The titles of columns: these, with one for each policy instead of `of`. `{}` stands for the role.
    fn columns(&self, before: &[&str], of: &[&str]) -> Vec<String> {
        let mut columns: Vec<String> = before.iter().map(|title| (*title).to_owned()).collect();
        for role in self.roles() {
            columns.extend(of.iter().map(|title| title.replace("{}", role)));
        }
        columns
    }
}
