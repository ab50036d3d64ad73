//! The parts of policies: metrics that are unknown, and decision tables row by row.

use maud::{Markup, html};

use super::document::PageSection;
use super::figure::folded_table_markup;
use super::format::{bad_rate, count_with_noun};
use super::table::{PageCell, PageTable};
use super::view::View;
use crate::portfolio::summary::{PolicySummary, TableSummary};
use crate::report::page::visible_text;

impl View<'_> {
    pub(super) fn unknown(&self) -> Option<PageSection> {
        let mut metrics: Vec<&str> = Vec::new();
        for row in self.summary.policies.iter().flat_map(|policy| &policy.unknown) {
            if !metrics.contains(&row.metric.as_str()) {
                metrics.push(&row.metric);
            }
        }
        if metrics.is_empty() {
            return None;
        }
        let mut table = PageTable::new("Unknown metrics", self.columns(&["metric"], &["{}", "{}: share"])).sortable();
        for metric in metrics {
            let mut cells = vec![PageCell::code(metric)];
            for policy in &self.summary.policies {
                let row = policy.unknown.iter().find(|row| row.metric == metric);
                cells.push(PageCell::count(row.map_or(0, |row| row.customers)));
                cells.push(PageCell::percent(Some(row.map_or(0.0, |row| row.share))));
            }
            table.row(cells);
        }
        let body = html! {
            p { "For so many customers, a metric that the policy uses has no value." }
            (table.draw())
        };
        Some(PageSection::new("unknown", "Unknown metrics", body))
    }

    pub(super) fn tables(&self) -> Option<PageSection> {
        let with: Vec<&PolicySummary> =
            self.summary.policies.iter().filter(|policy| !policy.tables.is_empty()).collect();
        let is_alone = self.two().is_none();
        let body = html! {
            @for policy in &with {
                @for table in &policy.tables { (self.decision_table(policy, table, is_alone)) }
            }
        };
        (!with.is_empty()).then(|| PageSection::new("tables", "Decision tables", body))
    }

    fn decision_table(&self, policy: &PolicySummary, table: &TableSummary, is_alone: bool) -> Markup {
        let name = match is_alone {
            true => visible_text(&table.table),
            false => format!("{}, {}", visible_text(&table.table), policy.role),
        };
        let has_outcomes = self.summary.outcomes.is_some();
        let mut titles = vec!["row", "conditions", "customers", "share", "amount"];
        if has_outcomes {
            titles.extend(["known", "bad", "bad rate"]);
        }
        let mut rows = PageTable::new(&name, titles);
        for row in &table.rows {
            let conditions = html! {
                @if row.conditions.is_empty() { "otherwise" }
                @for (at, condition) in row.conditions.iter().enumerate() {
                    @if at > 0 { " and " }
                    code { (visible_text(condition)) }
                }
            };
            let mut cells = vec![
                PageCell::text(&format!("row {}", row.row)).sorted(row.row as f64),
                PageCell::markup(conditions),
                PageCell::count(row.group.customers),
                PageCell::percent(row.group.share),
                PageCell::number(&self.money(row.group.amount), row.group.amount as f64),
            ];
            if has_outcomes {
                cells.extend([PageCell::count(row.group.known), PageCell::count(row.group.bad), bad_rate(&row.group)]);
            }
            rows.row(cells);
        }
        html! {
            h3 { (name) }
            @if table.undecided > 0 {
                p { (count_with_noun(table.undecided, "customer")) " fell into no row." }
            }
            @if table.rows.len() > 30 { (folded_table_markup(&name, &rows)) } @else { (rows.draw()) }
        }
    }
}
