//! What a person needs who decides on a referral: how it came about, the offers that would be made, and how far each
//! may be lowered. Decides nothing: amounts and prices are those of the policy, worked out as for an outcome that is an
//! offer.

use serde::{Deserialize, Serialize};

use super::applications::{Application, ApplicationError};
use super::case::StatementCase;
use super::explain::{self, Explanation, Record};
use super::offers::round_to_minor_units;
use super::record::OfferRecord;
use crate::base::digest::Hasher;
use crate::base::pricing::{FeeMode, Method, Price, PricingError, Rate, TenureUnit, Terms, price};
use crate::base::rational::Rounding;
use crate::engine::metrics::reading;
use crate::rules::graph::{NodeId, Op};
use crate::rules::program::OfferRule;
use crate::rules::{InputSource, PolicySet};
use crate::statement::read_json;

/// The request's field for the requested amount: that of the provider's offer request (E1).
pub(crate) const AMOUNT_FIELD: &str = "amount";

/// What would be offered if a person approved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct IfApproved {
    /// The offers that would be made.
    pub(crate) offers: Vec<ConditionalOffer>,
    /// Why there are none.
    pub(crate) why_none: Option<String>,
}

/// An offer that is made only if a person approves it. Money is in minor units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ConditionalOffer {
    /// The offer as it would be made.
    pub(crate) offer: OfferRecord,
    /// The least that its rule lends.
    pub(crate) least_minor: i64,
    /// Its amount is a multiple of this, if the rule has a step.
    pub(crate) step_minor: Option<i64>,
    /// The price of any amount; `None` if interest, fee or instalments follow from the amount or the request.
    pub(crate) price: Option<FixedPrice>,
}

/// Terms that are the same for every amount.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FixedPrice {
    /// Percent per instalment period, exactly.
    pub(crate) rate: String,
    /// How many payments.
    pub(crate) instalments: u32,
    /// The fee.
    pub(crate) fee_minor: i64,
    /// How the fee is paid.
    pub(crate) fee_mode: FeeMode,
    /// How interest is computed.
    pub(crate) method: Method,
    /// The unit of the tenure.
    pub(crate) unit: String,
}

/// What a person who decides needs to see.
pub(crate) struct ExplainedForPerson {
    pub(crate) explanation: Explanation,
    /// What would be offered if the person approved.
    pub(crate) if_approved: IfApproved,
    /// The records of the statement that count, all of them.
    pub(crate) records: Vec<Record>,
}

/// How the decision on one application comes about, and what would be offered if a person approved.
///
/// # Errors
/// As [`super::decide_one`].
pub(crate) fn explain_application(
    policies: &dyn PolicySet,
    application: &Application<'_>,
) -> Result<ExplainedForPerson, ApplicationError> {
    let statements = read_json(application.body, application.label, &reading(policies))?;
    let customers = statements.len();
    if customers != 1 {
        return Err(ApplicationError::Several(customers));
    }
    let mut all = explain::each_case(policies, &statements, application.request, |case, records| {
        let rows = case.slice.rows[case.statement].clone();
        ExplainedForPerson {
            explanation: explain::explain_case(case, records),
            if_approved: case.offers_if_approved(),
            records: rows.clone().map(|row| records.record(row, rows.start)).collect(),
        }
    })?;
    all.pop().ok_or(ApplicationError::Several(customers))
}

impl StatementCase<'_, '_> {
    /// What would be offered if every requirement were met. A policy that cannot decide offers nothing.
    pub(super) fn offers_if_approved(&self) -> IfApproved {
        if let Some(reason) = self.cannot_decide().into_iter().next() {
            return IfApproved { offers: Vec::new(), why_none: Some(reason.text) };
        }
        match self.make_offers() {
            Ok(made) => {
                let offers = made.into_iter().map(|made| self.bound_offer(made.rule, made.record, &made.price));
                IfApproved { offers: offers.collect(), why_none: None }
            }
            Err(none) => IfApproved { offers: Vec::new(), why_none: Some(none.text) },
        }
    }

    fn bound_offer(&self, rule: &OfferRule, offer: OfferRecord, price: &Price) -> ConditionalOffer {
        let bound = |node: Option<NodeId>| round_to_minor_units(&self.value(node?).ok()?, Rounding::Up);
        let step_minor = bound(rule.amount_steps.step).filter(|step| *step > 0);
        let least_minor = bound(rule.amount_steps.floor).unwrap_or(1).max(step_minor.unwrap_or(1));
        let terms = price.terms();
        let fixed = (!self.price_follows_from_amount(rule)).then(|| FixedPrice {
            rate: terms.rate.to_string(),
            instalments: terms.instalments,
            fee_minor: terms.fee_minor,
            fee_mode: terms.fee_mode,
            method: terms.method,
            unit: self.policy.header.tenure_unit.name().to_owned(),
        });
        ConditionalOffer { offer, least_minor, step_minor, price: fixed }
    }

    /// Whether interest, fee or instalments could differ for another amount.
    fn price_follows_from_amount(&self, rule: &OfferRule) -> bool {
        let (program, graph) = (&self.policy.program, &self.policy.program.graph);
        let requested = |node: NodeId| match graph.node(node).op {
            Op::Input(at) => program
                .inputs
                .get(at)
                .is_some_and(|input| input.source == InputSource::Request && input.name == AMOUNT_FIELD),
            _ => false,
        };
        let is_amount = |node: NodeId| node == rule.amount || program.asking.amount == Some(node) || requested(node);
        let mut seen = vec![false; graph.nodes().len()];
        let mut stack: Vec<NodeId> = [rule.interest, rule.instalments].into_iter().chain(rule.fee).collect();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node.index()], true) {
                continue;
            }
            if is_amount(node) {
                return true;
            }
            stack.extend(&graph.node(node).inputs);
        }
        false
    }
}

impl ConditionalOffer {
    /// Whether its rule lends this amount: between its least and what would be offered, in whole steps.
    pub(crate) fn lends(&self, amount_minor: i64) -> bool {
        let is_step = self.step_minor.is_none_or(|step| amount_minor % step == 0);
        (self.least_minor..=self.offer.amount_offered).contains(&amount_minor) && is_step
    }

    /// The same offer of another amount, with an id of its own. `None` if that needs the policy.
    ///
    /// # Errors
    /// If the amount has no price.
    pub(crate) fn price_amount(&self, amount_minor: i64) -> Option<Result<OfferRecord, PricingError>> {
        let fixed = self.price.as_ref()?;
        let unit = [TenureUnit::Days, TenureUnit::Weeks, TenureUnit::Months];
        let unit = unit.into_iter().find(|unit| unit.name() == fixed.unit)?;
        Some(Rate::parse(&fixed.rate).and_then(|rate| {
            price(&Terms {
                principal_minor: amount_minor,
                rate,
                instalments: fixed.instalments,
                fee_minor: fixed.fee_minor,
                fee_mode: fixed.fee_mode,
                method: fixed.method,
            })
            .map(|price| self.record_at(&price, unit))
        }))
    }

    fn record_at(&self, price: &Price, unit: TenureUnit) -> OfferRecord {
        let mut record = self.offer.clone();
        let amount = price.terms().principal_minor;
        let id = Hasher::new().update(record.offer_id.as_bytes()).update(b"\n").update(&amount.to_le_bytes()).finish();
        record.offer.offer_id = id.to_string()[..32].to_owned();
        record.offer.amount_offered = amount;
        record.offer.amount_payable = price.amount_payable_minor();
        record.instalment = price.instalment_minor();
        let cost = price.annual_cost(record.tenure, unit).ok();
        record.apr = cost.map(|cost| cost.apr());
        record.effective_rate = cost.map(|cost| cost.effective());
        record
    }
}
