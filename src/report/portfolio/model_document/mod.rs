//! The model document of a proposal, for a committee and its validators: as a page, as Markdown, and as JSON with every
//! held-out score. Must not know how figures are made.

mod data;
mod evidence;
mod fairness;
mod markdown;
mod months;
mod page;
mod parts;
mod periods;
mod sections;

use serde_json::{Value, json};

use self::parts::Section;
use crate::portfolio::learning::Proposal;
use crate::portfolio::model_evidence::ModelEvidence;

/// A proposal and its evidence.
#[derive(Clone, Copy)]
pub struct ModelDocument<'d> {
    /// What was learned.
    pub proposal: &'d Proposal,
    /// What was measured.
    pub evidence: &'d ModelEvidence,
}

/// Which guidelines the topics are from. No section is named: which of them apply depends
/// on the lender, and a number that is not checked is worse than none.
const INTRODUCTION: &str = "The topics are those of SR 11-7 (2011; superseded by SR 26-2 in April 2026), guidance on \
                            model risk management, and of EBA/GL/2020/06, guidelines on loan origination and \
                            monitoring. No section of them is cited: check which apply to you.";

impl ModelDocument<'_> {
    /// What a row is, in headings: a loan, where customers have several.
    fn rows_head(&self) -> &'static str {
        if self.proposal.customers < self.proposal.rows { ">loans" } else { ">customers" }
    }

    /// The sections, in the order in which a committee reads them.
    fn sections(&self) -> Vec<Section> {
        let mut sections = vec![self.purpose(), self.population(), self.method(), self.tried(), self.items()];
        sections.extend([self.correlation(), self.discrimination(), self.calibration(), self.stability()]);
        sections.extend([self.fairness(), self.limits(), self.monitoring()]);
        sections
    }

    fn title(&self) -> String {
        format!("Model document: scorecard proposed for {}", self.evidence.source.policy)
    }

    /// As one page of HTML that needs no other file and no network.
    pub fn page(&self) -> String {
        page::render_document_page(&self.title(), INTRODUCTION, &self.sections())
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        markdown::render_document_markdown(&self.title(), INTRODUCTION, &self.sections())
    }

    /// Every figure exactly, every held-out score, and the scores of loans kept for the test.
    pub fn json(&self) -> Value {
        let rules = self.proposal.rule_text();
        let mut whole = json!({ "proposal": self.proposal, "evidence": self.evidence, "rule_text": rules });
        months::name_all_months(&mut whole);
        whole
    }
}
