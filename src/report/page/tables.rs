//! Decision tables and offers on a page: the rows that hit, those that nearly did, and each offer's arithmetic. Must
//! not know how they are decided.

use maud::{Markup, html};

use super::numbers::{figure_value_markup, named_figures_markup};
use super::{ExplanationPage, Shown, visible_text};
use crate::engine::decision::{Making, OfferExplained, TableExplained};
use crate::report::{format_report_money, name_with_title};

impl<'t> ExplanationPage<'t> {
    pub(super) fn table(&self, table: &'t TableExplained, shown: &mut Shown<'t>) -> Markup {
        let hit: Vec<String> =
            table.rows.iter().map(|row| row.row.map_or("otherwise".to_owned(), |row| row.to_string())).collect();
        let name = name_with_title(&table.name, table.title.as_deref());
        html! {
            section {
                h3 {
                    "Table " (visible_text(&name)) ": "
                    @match (&table.unknown, hit.as_slice()) {
                        (Some(code), _) => { "unknown (" (code) ")" }
                        (_, []) => { "no row" }
                        (_, [one]) => { @if table.rows[0].row.is_some() { "row " } (one) }
                        (_, many) => { "rows " (many.join(", ")) }
                    }
                    " " span.note { "hit policy " (table.hit) }
                }
                // A table may have any number of inputs, so it scrolls, by keyboard too.
                div.scroll tabindex="0" role="group" aria-label={ "Table " (visible_text(&name)) } {
                    (rows(table, &hit))
                }
                p {
                    @for output in &table.outputs {
                        span.output { code { (output.name) } " = " b { (figure_value_markup(&output.figure)) } } " "
                    }
                }
                @for row in &table.rows {
                    @for (name, formula) in &row.formulas { p.note { code { (name) " = " (formula) } } }
                }
                (named_figures_markup(&table.parameters))
                (self.behind(&table.numbers, shown))
            }
        }
    }

    pub(super) fn offer(&self, offer: &OfferExplained, shown: &mut Shown<'t>) -> Markup {
        let (mark, word) = match offer.making {
            Making::Made => ("met", "made"),
            Making::WouldBeMade => ("met", "would be made"),
            Making::NotMade => ("unmet", "not made"),
            Making::Unknown => ("unknown", "not known"),
        };
        html! {
            details.part {
                summary {
                    span.state.(mark) { (word) } " "
                    b { (offer.id) " over " (offer.tenure) " " (offer.tenure_unit) } " " (offer.summary)
                }
                (named_figures_markup(&offer.parameters))
                @for name in &offer.numbers { (self.number(name, false, 0, shown)) }
                table {
                    thead { tr { th scope="col" { "step" } th scope="col" { "how" } th.r scope="col" { "result" } } }
                    tbody {
                        @for step in &offer.steps {
                            tr {
                                th scope="row" { (step.what) }
                                td { code { (step.how) } }
                                td.r { (figure_value_markup(&step.figure)) }
                            }
                        }
                    }
                }
                @if !offer.schedule.is_empty() { (self.schedule(offer)) }
            }
        }
    }

    fn schedule(&self, offer: &OfferExplained) -> Markup {
        let shown = |minor: i64| format_report_money(&self.explanation.currency, minor);
        let is_dated = offer.schedule.iter().any(|due| due.day.is_some());
        html! {
            table {
                thead {
                    tr {
                        th scope="col" { "due" } @if is_dated { th scope="col" { "on" } }
                        th.r scope="col" { "payment" } th.r scope="col" { "interest" }
                        th.r scope="col" { "principal" } th.r scope="col" { "still owed" }
                    }
                }
                tbody {
                    @for due in &offer.schedule {
                        tr {
                            th scope="row" { (due.period) }
                            @if is_dated { td data-is="on" { @if let Some(day) = due.day { (day) } } }
                            td.r data-is="payment" { (shown(due.payment)) }
                            td.r data-is="interest" { (shown(due.interest)) }
                            td.r data-is="principal" { (shown(due.principal)) }
                            td.r data-is="still owed" { (shown(due.balance)) }
                        }
                    }
                }
            }
        }
    }
}

/// The values here, the rows that hit, and those that nearly did.
fn rows(table: &TableExplained, hit: &[String]) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "row" }
                    @for input in &table.inputs { th scope="col" { code { (input.name) } } }
                    th scope="col" { "match" }
                }
            }
            tbody {
                tr {
                    th scope="row" { "here" }
                    @for input in &table.inputs { td data-is=(input.name) { (figure_value_markup(&input.figure)) } }
                    td {}
                }
                @for (row, number) in table.rows.iter().zip(hit).filter(|(row, _)| row.row.is_some()) {
                    tr.hit {
                        th scope="row" { (number) }
                        @for (test, input) in row.tests.iter().zip(&table.inputs) {
                            td data-is=(input.name) { code { (test) } }
                        }
                        td { "hit" }
                    }
                }
                @for near in &table.near {
                    tr.near {
                        th scope="row" { (near.row) }
                        @for (column, input) in table.inputs.iter().enumerate() {
                            td data-is=(input.name) {
                                @if column == near.column { code { (near.test) } } @else { "fits" }
                            }
                        }
                        td { "nearly" }
                    }
                }
            }
        }
    }
}
