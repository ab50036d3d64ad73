//! The model document of a proposal, for a committee and its validators: as a page, as Markdown, and as JSON with every
//! held-out score. Must not know how figures are made.

mod evidence;
mod fairness;
mod markdown;
mod page;
mod parts;
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

impl ModelDocument<'_> {
    /// The sections, under the headings of SR 11-7 (Board of Governors of the Federal Reserve System, 2011) and of the
    /// guidelines on loan origination and monitoring (EBA/GL/2020/06).
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
        page::render_document_page(&self.title(), &self.sections())
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        markdown::render_document_markdown(&self.title(), &self.sections())
    }

    /// Every figure exactly, and every held-out score.
    pub fn json(&self) -> Value {
        json!({ "proposal": self.proposal, "evidence": self.evidence, "rule_text": self.proposal.rule_text() })
    }
}
