//! The chart's figures as a table, month by month. Months without records have their row too.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::ExplanationPage;
use super::summary::month_name;
use crate::base::date::Day;
use crate::report::format_report_money;

/// What one month's records come to.
#[derive(Default)]
struct Month {
    inflow: i64,
    outflow: i64,
    /// The last balance.
    balance: Option<i64>,
    days: usize,
}

impl ExplanationPage<'_> {
    /// The months from the first record to the last.
    pub(super) fn months(&self) -> Markup {
        let (months, currency) = (self.by_month(), &self.explanation.currency);
        let has_balance = months.values().any(|month| month.balance.is_some());
        let has_outflow = self.explanation.summary.outflow.is_some();
        html! {
            details {
                summary { "Month by month" }
                table {
                    thead {
                        tr {
                            th scope="col" { "month" } th.r scope="col" { "in" }
                            @if has_outflow { th.r scope="col" { "out" } }
                            @if has_balance { th.r scope="col" { "left" } }
                            th.r scope="col" { "days with records" }
                        }
                    }
                    tbody {
                        @for (first, month) in &months {
                            @if month.days == 0 {
                                tr.without {
                                    th scope="row" { (month_name(*first)) }
                                    td colspan=(2 + usize::from(has_outflow) + usize::from(has_balance)) {
                                        "no records"
                                    }
                                }
                            } @else {
                                tr {
                                    th scope="row" { (month_name(*first)) }
                                    td.r.in { (format_report_money(currency, month.inflow)) }
                                    @if has_outflow { td.r.out { (format_report_money(currency, month.outflow)) } }
                                    @if has_balance {
                                        td.r data-is="left" {
                                            @if let Some(balance) = month.balance {
                                                (format_report_money(currency, balance))
                                            }
                                        }
                                    }
                                    td.r data-is="days with records" { (month.days) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn by_month(&self) -> BTreeMap<Day, Month> {
        let empty = self.explanation.summary.months_without_records.iter();
        let mut months: BTreeMap<Day, Month> = empty.map(|first| (*first, Month::default())).collect();
        for day in &self.explanation.days {
            let month = months.entry(day.day.month_start()).or_default();
            month.inflow = month.inflow.saturating_add(day.inflow);
            month.outflow = month.outflow.saturating_add(day.outflow);
            month.balance = day.balance.or(month.balance);
            month.days += 1;
        }
        months
    }
}
