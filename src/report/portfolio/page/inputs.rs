//! Which policies decided whom, and what was read.

use maud::{Markup, html};

use super::document::Section;
use super::format::{counted, short_digest};
use super::table::{Cell, Table};
use super::view::View;
use crate::portfolio::summary::PolicySummary;
use crate::report::page::plain;

impl View<'_> {
    /// What stands under the title: policies, customers, days, and warnings.
    pub(super) fn introduction(&self) -> Markup {
        let summary = self.summary;
        html! {
            dl.facts {
                @for policy in &summary.policies {
                    div { dt { (policy.role) } dd { (policy_in_words(policy)) } }
                }
                div {
                    dt { "customers" }
                    dd {
                        (counted(summary.customers, "customer"))
                        @match &summary.days {
                            Some((from, to)) if from == to => { ", on " (plain(from)) }
                            Some((from, to)) => { ", from " (plain(from)) " to " (plain(to)) }
                            None => {}
                        }
                    }
                }
            }
            @if summary.customers == 0 { p { "No customer was decided." } }
            @if !summary.warnings.is_empty() {
                aside.warnings aria-labelledby="warnings" {
                    h2 id="warnings" { "Before you trust these numbers" }
                    ul { @for warning in &summary.warnings { li { (plain(warning)) } } }
                }
            }
        }
    }

    pub(super) fn inputs(&self) -> Option<Section> {
        let summary = self.summary;
        let mut inputs = Table::new("What was read", ["file", "digest"]);
        for input in &summary.inputs {
            inputs.row(vec![Cell::text(&input.name), Cell::code(&input.digest)]);
        }
        let mut policies = Table::new("Policies", ["policy", "version", "digest"]);
        for policy in &summary.policies {
            policies.row(vec![Cell::text(&policy.name), Cell::text(&policy.version), Cell::code(&policy.digest)]);
        }
        let body = html! {
            @if summary.inputs.is_empty() { p { "No input is recorded." } } @else { (inputs.draw()) }
            @if !summary.policies.is_empty() { (policies.draw()) }
            p.note { "Decided by " (plain(&summary.engine)) "." }
        };
        Some(Section::new("inputs", "What was read", body))
    }
}

fn policy_in_words(policy: &PolicySummary) -> Markup {
    html! {
        b { (plain(&policy.name)) " " (plain(&policy.version)) } " "
        code.note { (plain(&short_digest(&policy.digest))) }
        @if !policy.parameters.is_empty() {
            " with "
            @for (at, (name, value)) in policy.parameters.iter().enumerate() {
                @if at > 0 { ", " }
                code { (plain(name)) " = " (plain(value)) }
            }
        }
    }
}
