//! Which policies decided whom, and what was read.

use maud::{Markup, html};

use super::document::PageSection;
use super::format::{count_with_noun, short_digest};
use super::table::{PageCell, PageTable};
use super::view::View;
use crate::portfolio::summary::PolicySummary;
use crate::report::page::visible_text;

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
                        (count_with_noun(summary.customers, "customer"))
                        @match &summary.days {
                            Some((from, to)) if from == to => { ", on " (visible_text(from)) }
                            Some((from, to)) => { ", from " (visible_text(from)) " to " (visible_text(to)) }
                            None => {}
                        }
                    }
                }
            }
            @if summary.customers == 0 { p { "No customer was decided." } }
            @if !summary.warnings.is_empty() {
                aside.warnings aria-labelledby="warnings" {
                    h2 id="warnings" { "Before you trust these numbers" }
                    ul { @for warning in &summary.warnings { li { (visible_text(warning)) } } }
                }
            }
        }
    }

    pub(super) fn inputs(&self) -> Option<PageSection> {
        let summary = self.summary;
        let mut inputs = PageTable::new("What was read", ["file", "digest"]);
        for input in &summary.inputs {
            inputs.row(vec![PageCell::text(&input.name), PageCell::code(&input.digest)]);
        }
        let mut policies = PageTable::new("Policies", ["policy", "version", "digest"]);
        for policy in &summary.policies {
            policies.row(vec![
                PageCell::text(&policy.name),
                PageCell::text(&policy.version),
                PageCell::code(&policy.digest),
            ]);
        }
        let body = html! {
            @if summary.inputs.is_empty() { p { "No input is recorded." } } @else { (inputs.draw()) }
            @if !summary.policies.is_empty() { (policies.draw()) }
            p.note { "Decided by " (visible_text(&summary.engine)) "." }
        };
        Some(PageSection::new("inputs", "What was read", body))
    }
}

fn policy_in_words(policy: &PolicySummary) -> Markup {
    html! {
        b { (visible_text(&policy.name)) " " (visible_text(&policy.version)) } " "
        code.note { (visible_text(&short_digest(&policy.digest))) }
        @if !policy.parameters.is_empty() {
            " with "
            @for (at, (name, value)) in policy.parameters.iter().enumerate() {
                @if at > 0 { ", " }
                code { (visible_text(name)) " = " (visible_text(value)) }
            }
        }
    }
}
