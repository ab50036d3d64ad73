//! The parts of policies: metrics that are unknown, and decision tables row by row.

use maud::{Markup, html};

use super::document::Section;
use super::figure::folded;
use super::format::{bad_rate, counted};
use super::table::{Cell, Table};
use super::view::View;
use crate::portfolio::summary::{PolicySummary, TableSummary};
use crate::report::page::plain;

impl View<'_> {
    pub(super) fn unknown(&self) -> Option<Section> {
        let mut metrics: Vec<&str> = Vec::new();
        for row in self.summary.policies.iter().flat_map(|policy| &policy.unknown) {
            if !metrics.contains(&row.metric.as_str()) {
                metrics.push(&row.metric);
            }
        }
        if metrics.is_empty() {
            return None;
        }
        let mut table = Table::new("Unknown metrics", self.columns(&["metric"], &["{}", "{}: share"])).sortable();
        for metric in metrics {
            let mut cells = vec![Cell::code(metric)];
            for policy in &self.summary.policies {
                let row = policy.unknown.iter().find(|row| row.metric == metric);
                cells.push(Cell::count(row.map_or(0, |row| row.customers)));
                cells.push(Cell::percent(Some(row.map_or(0.0, |row| row.share))));
            }
            table.row(cells);
        }
        let body = html! {
            p { "For so many customers, a metric that the policy uses has no value." }
            (table.draw())
        };
        Some(Section::new("unknown", "Unknown metrics", body))
    }

    pub(super) fn tables(&self) -> Option<Section> {
        let with: Vec<&PolicySummary> =
            self.summary.policies.iter().filter(|policy| !policy.tables.is_empty()).collect();
        let is_alone = self.two().is_none();
        let body = html! {
            @for policy in &with {
                @for table in &policy.tables { (self.decision_table(policy, table, is_alone)) }
            }
        };
        (!with.is_empty()).then(|| Section::new("tables", "Decision tables", body))
    }

    fn decision_table(&self, policy: &PolicySummary, table: &TableSummary, is_alone: bool) -> Markup {
        let name = match is_alone {
            true => plain(&table.table),
            false => format!("{}, {}", plain(&table.table), policy.role),
        };
        let has_outcomes = self.summary.outcomes.is_some();
        let mut titles = vec!["row", "conditions", "customers", "share", "amount"];
        if has_outcomes {
            titles.extend(["known", "bad", "bad rate"]);
        }
        let mut rows = Table::new(&name, titles);
        for row in &table.rows {
            let conditions = html! {
                @if row.conditions.is_empty() { "otherwise" }
                @for (at, condition) in row.conditions.iter().enumerate() {
                    @if at > 0 { " and " }
                    code { (plain(condition)) }
                }
            };
            let mut cells = vec![
                Cell::text(&format!("row {}", row.row)).sorted(row.row as f64),
                Cell::markup(conditions),
                Cell::count(row.group.customers),
                Cell::percent(row.group.share),
                Cell::number(&self.money(row.group.amount), row.group.amount as f64),
            ];
            if has_outcomes {
                cells.extend([Cell::count(row.group.known), Cell::count(row.group.bad), bad_rate(&row.group)]);
            }
            rows.row(cells);
        }
        html! {
            h3 { (name) }
            @if table.undecided > 0 {
                p { (counted(table.undecided, "customer")) " fell into no row." }
            }
            @if table.rows.len() > 30 { (folded(&name, &rows)) } @else { (rows.draw()) }
        }
    }
}
