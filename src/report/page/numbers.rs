//! A number on a page: its value, what it is made of, and the records or groups that were counted.

use maud::{Markup, html};

use super::{ExplanationPage, Shown, visible_text};
use crate::engine::decision::{Counted, Figure, Named, Number, Record};
use crate::report::{decisive_first, format_report_money, has_own_place, plural_of_noun};

/// Most records listed for one number; the last ones win.
const LISTED_MAX: usize = 100;

/// Deepest nesting of numbers that unfold in place.
const DEPTH_MAX: usize = 12;

/// Most records of a number that is unfolded from the start.
const UNFOLDED_MAX: usize = 25;

impl<'t> ExplanationPage<'t> {
    /// A number that unfolds to what it is made of. If it was already shown in full, its value only.
    pub(super) fn number(&self, name: &str, open: bool, depth: usize, shown: &mut Shown<'t>) -> Markup {
        let Some((name, number)) = self.numbers.get_key_value(name).map(|(name, number)| (*name, *number)) else {
            return html! {};
        };
        let head = html! { code { (number.name) } " = " (figure_value_markup(&number.figure)) };
        if has_own_place(number) {
            return html! { p.number { (head) } };
        }
        if depth >= DEPTH_MAX {
            return html! { p.number { (head) " " span.note { "--metric " (number.name) " continues from here" } } };
        }
        if !shown.insert(name) {
            return html! { p.number { (head) " " span.note { "shown above" } } };
        }
        html! {
            details.number open[open && self.is_short(number)] {
                summary { (head) " " span.note { code { (number.formula) } } }
                (named_figures_markup(&number.parameters))
                @for counted in &number.counted { (self.counted(counted)) }
                @for part in &number.made_of { (self.number(part, open, depth + 1, shown)) }
            }
        }
    }

    /// Whether its lists are short enough to unfold from the start.
    fn is_short(&self, number: &Number) -> bool {
        let long = |counted: &Counted| match counted {
            Counted::Records(records) => records.len() > UNFOLDED_MAX,
            Counted::Groups(counted) => counted.groups.len() > UNFOLDED_MAX,
        };
        !number.counted.iter().any(long)
    }

    /// The records or groups that were counted: first those that decided the value, then the last of the others.
    fn counted(&self, counted: &Counted) -> Markup {
        match counted {
            Counted::Records(records) => {
                let any = records.iter().any(|record| record.counts.is_some());
                html! {
                    (how_many(records.len(), "record"))
                    @if !records.is_empty() {
                        table {
                            thead {
                                tr {
                                    th scope="col" { "day" } th.r scope="col" { "in" } th.r scope="col" { "out" }
                                    th scope="col" { "narration" } th scope="col" { "id" }
                                    @if any { th.r scope="col" { "counts" } }
                                }
                            }
                            tbody {
                                @for one in decisive_first(records, LISTED_MAX, |record| record.decides) {
                                    @if let Some(record) = self.records.get(&one.row) {
                                        (self.record(record, any.then_some(one.counts.as_ref()), one.decides))
                                    }
                                }
                            }
                        }
                    }
                }
            }
            Counted::Groups(counted) => html! {
                (how_many(counted.groups.len(), &counted.of))
                @if !counted.groups.is_empty() {
                    table {
                        thead {
                            tr {
                                th scope="col" { (counted.of) }
                                th.r scope="col" { "counts" } th.r scope="col" { "records" }
                            }
                        }
                        tbody {
                            @for group in decisive_first(&counted.groups, LISTED_MAX, |group| group.decides) {
                                tr.decides[group.decides] {
                                    th scope="row" { (visible_text(&group.name)) }
                                    td.r.counts { @if let Some(counts) = &group.counts { (counts.text) } }
                                    td.r.records {
                                        @if !group.rows.is_empty() { (group.rows.len()) }
                                    }
                                }
                            }
                        }
                    }
                }
            },
        }
    }

    fn record(&self, record: &Record, counts: Option<Option<&Figure>>, decides: bool) -> Markup {
        let currency = &self.explanation.currency;
        let amount = |minor: Option<i64>| minor.map(|minor| format_report_money(currency, minor)).unwrap_or_default();
        html! {
            tr.decides[decides] data-row=(record.row) {
                td.day { @if let Some(day) = record.day { (day) } }
                td.r.in { (amount(record.credit)) }
                td.r.out { (amount(record.debit)) }
                td.text {
                    @if let Some(text) = &record.narration { (visible_text(text)) }
                    @else { span.note { "no narration" } }
                }
                td { @if let Some(id) = &record.id { code { (visible_text(id)) } } }
                @if let Some(counts) = counts {
                    td.r.counts { @if let Some(counts) = counts { (visible_text(&counts.text)) } }
                }
            }
        }
    }
}

pub(super) fn named_figures_markup(all: &[Named]) -> Markup {
    html! { @for one in all { p.number { code { (one.name) } " = " (figure_value_markup(&one.figure)) } } }
}

pub(super) fn figure_value_markup(figure: &Figure) -> Markup {
    let text = visible_text(&figure.text);
    html! { @if figure.value.is_null() { span.note { (text) } } @else { (text) } }
}

fn how_many(count: usize, what: &str) -> Markup {
    let many = plural_of_noun(what);
    html! {
        p.note {
            @match count {
                0 => { "no " (many) }
                1 => { "1 " (what) }
                count if count > LISTED_MAX => { (count) " " (many) ", " (LISTED_MAX) " of them" }
                count => { (count) " " (many) }
            }
        }
    }
}
