//! What a person makes of a referral: the offers of the decision, the same with a lower amount, or none, with a coded
//! reason. The audit keeps what the policy had said and what the person made of it as an entry of its own kind. Knows
//! nothing of forms and options.

use std::sync::Arc;

use super::act::ActError;
use crate::base::money::{AmountUnit, Currency, parse_amount};
use crate::base::time::{Duration, Timestamp};
use crate::lender::loan::{At, Event, step_loan_state};
use crate::lender::loan_book::{
    APPROVED, BookError, DECLINED, DecisionRow, Facts, LoanBook, LoanRow, NewDecision, OfferRow, Override, Person,
    PolicySaid, REFERRED,
};
use crate::lender::runner::{DecisionRecord, NotLowered, Vault, lower_offers};
use crate::lender::store::error::StoreError;
use crate::rules::Policies;

/// Gives the policies in force.
pub(crate) type PolicyLoader = Arc<dyn Fn() -> Result<Arc<Policies>, String> + Send + Sync>;

/// What deciding on a referral needs besides the book.
#[derive(Clone)]
pub(crate) struct ReferralDesk {
    /// Opens the records of decisions.
    pub(crate) vault: Arc<dyn Vault>,
    /// Another amount may need the policy that decided.
    pub(crate) policies: PolicyLoader,
    /// The codes of the configuration, besides those of the policy.
    pub(crate) decline_codes: Arc<[String]>,
}

/// What a person decides on a referral.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// Makes the offers of the decision.
    Approve {
        /// With at most this amount, in minor units.
        amount_minor: Option<i64>,
        /// How long they are valid from now on; by default as long as they were.
        valid_for: Option<Duration>,
    },
    /// Makes no offer.
    Decline {
        /// The code of the reason.
        code: Option<String>,
    },
}

/// A code with which a person may decline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeclineCode {
    /// The code.
    pub(crate) code: String,
    /// What it means: the title of the policy's requirement, or the requirement as written.
    pub(crate) title: Option<String>,
}

/// Whether offers of a loan are made only if a person approves, by its decisions.
pub(crate) fn are_offers_conditional(decisions: &[DecisionRow]) -> bool {
    decisions.last().is_some_and(|last| last.outcome == REFERRED)
}

/// An amount in major units of the currency of a loan's offers, as minor units.
///
/// # Errors
/// If it is not an amount.
pub(crate) fn read_major_amount(book: &LoanBook, row: &LoanRow, amount: &str) -> Result<i64, ActError> {
    let offers = book.list_offers(row.id).map_err(BookError::from)?;
    let currency = offers.first().and_then(|row| Currency::from_numeric(&row.offer.currency));
    let exponent = currency.map_or(2, |currency| currency.exponent());
    parse_amount(amount.as_bytes(), AmountUnit::Major, exponent).map_err(|error| ActError::Amount(error.to_string()))
}

/// Records that a person is shown the personal data of a loan. This comes before they see it.
pub(crate) fn record_showing(book: &LoanBook, row: &LoanRow, person: &Person, now: Timestamp) -> Result<(), BookError> {
    Ok(book.record_showing(row.id, &SHOWN, &person.to_actor(), now)?)
}

/// What is shown, for the audit.
const SHOWN: [&str; 3] = ["account", "request", "record of the decision"];

impl ReferralDesk {
    /// The record of the policy's last decision; `None` if there is none, or it was erased.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(crate) fn open_record(&self, book: &LoanBook, row: &LoanRow) -> Result<Option<DecisionRecord>, BookError> {
        let Some(sealed) = book.load_decision_record(row.id)? else { return Ok(None) };
        let opened = DecisionRecord::open(&*self.vault, &row.reference, &sealed).map_err(StoreError::Sealed)?;
        Ok(Some(opened))
    }

    /// The codes with which a loan may be declined: the reasons of its policy, then those of the configuration.
    pub(crate) fn list_decline_codes(&self, record: Option<&DecisionRecord>) -> Vec<DeclineCode> {
        let mut codes: Vec<DeclineCode> = Vec::new();
        let mut add = |code: &str, title: Option<&str>| {
            if !codes.iter().any(|known| known.code == code) {
                codes.push(DeclineCode { code: code.to_owned(), title: title.map(str::to_owned) });
            }
        };
        if let Some(record) = record {
            if let Some(case) = &record.case {
                let all = &case.facts.explanation.requirements;
                all.iter().for_each(|one| add(&one.id, one.title.as_deref().or(Some(&one.asks))));
            }
            record.decision.reasons.iter().for_each(|reason| add(&reason.id, reason.title.as_deref()));
            record.decision.points_lost.iter().for_each(|lost| add(&lost.id, Some(&lost.text)));
        }
        self.decline_codes.iter().for_each(|code| add(code, None));
        codes
    }

    /// Carries a person's decision on a referral out.
    ///
    /// # Errors
    /// If the loan is not a referral, nothing can be offered, the amount is not lent, or the code is not known. Nothing
    /// is changed then.
    pub(crate) fn rule_on_loan(
        &self,
        book: &LoanBook,
        row: &LoanRow,
        ruling: &Ruling,
        person: &Person,
        at: At<'_>,
    ) -> Result<LoanRow, ActError> {
        let probe = match ruling {
            Ruling::Approve { .. } => Event::Approved { until: at.plan.later(at.now, 1) },
            Ruling::Decline { .. } => Event::Disapproved,
        };
        // A refusal by the table explains more than a missing offer or code.
        step_loan_state(&row.loan, &probe, at).map_err(BookError::from)?;
        let case = self.load_case(book, row)?;
        let (event, decision, code) = match ruling {
            Ruling::Approve { amount_minor, valid_for } => {
                let offers = case.offers_to_make(*amount_minor, self)?;
                let approval = case.approve(offers, *valid_for, at)?;
                (Event::Approved { until: approval.until }, Some(approval.decision), None)
            }
            Ruling::Decline { code } => {
                if let Some(code) = code {
                    self.check_code(code, case.record.as_ref())?;
                }
                (Event::Disapproved, case.replace_decision(DECLINED, Vec::new()), code.clone())
            }
        };
        let overridden = Some(Override { code, policy_said: case.policy_said() });
        // The person has seen this loan, and no later version of it.
        let facts = Facts { decision, overridden, seen_version: Some(row.version), ..Facts::default() };
        Ok(book.decide_loan(row.id, &event, &facts, &person.to_actor(), at)?)
    }

    fn load_case(&self, book: &LoanBook, row: &LoanRow) -> Result<Case, ActError> {
        let (decisions, offers) =
            (book.list_decisions(row.id).map_err(BookError::from)?, book.list_offers(row.id).map_err(BookError::from)?);
        Ok(Case { record: self.open_record(book, row)?, last: decisions.into_iter().next_back(), offers })
    }

    fn check_code(&self, code: &str, record: Option<&DecisionRecord>) -> Result<(), ActError> {
        let known: Vec<String> = self.list_decline_codes(record).into_iter().map(|known| known.code).collect();
        match known.iter().any(|known| known == code) {
            true => Ok(()),
            false => Err(ActError::UnknownCode { code: code.to_owned(), known: known.join(", ") }),
        }
    }
}

/// What is known of a case.
struct Case {
    record: Option<DecisionRecord>,
    /// The last decision in the book.
    last: Option<DecisionRow>,
    /// Its offers.
    offers: Vec<OfferRow>,
}

/// An approval: when the last offer expires, and the decision that makes the offers.
struct Approval {
    until: Timestamp,
    decision: NewDecision,
}

impl Case {
    /// The decision of a person in the place of the last one.
    fn replace_decision(&self, outcome: &str, offers: Vec<OfferRow>) -> Option<NewDecision> {
        let policy = self.last.as_ref()?.policy.clone();
        Some(NewDecision { outcome: outcome.to_owned(), policy, record: None, offers })
    }

    /// Why nothing would be offered, if the record says.
    fn why_none(&self) -> Option<&str> {
        self.record.as_ref()?.case.as_ref()?.facts.if_approved.why_none.as_deref()
    }

    /// The offers of the decision, or those of at most this amount.
    fn offers_to_make(&self, amount_minor: Option<i64>, desk: &ReferralDesk) -> Result<Vec<OfferRow>, ActError> {
        let Some(most) = self.offers.iter().map(|row| row.offer.amount_offered).max() else {
            return Err(self.why_none().map_or(ActError::NoOffers, |why| ActError::NothingToOffer(why.to_owned())));
        };
        match (amount_minor, &self.record) {
            (None, _) => Ok(self.offers.clone()),
            (Some(amount), _) if amount == most => Ok(self.offers.clone()),
            (Some(amount), Some(record)) => Ok(lower_offers(record, amount, &*desk.policies)?),
            (Some(_), None) => Err(NotLowered::NoCase.into()),
        }
    }

    /// Makes offers valid from now on, for as long as `valid_for` says, or as long as they were when they were decided
    /// on.
    fn approve(&self, offers: Vec<OfferRow>, valid_for: Option<Duration>, at: At<'_>) -> Result<Approval, ActError> {
        let last = self.last.as_ref().ok_or(ActError::NoOffers)?;
        let extended = offers.into_iter().map(|offer| {
            let as_decided = offer.expires_at.milliseconds() - last.at.milliseconds();
            let expires_at = at.plan.later(at.now, valid_for.map_or(as_decided, Duration::milliseconds));
            let mut made = offer.offer;
            made.expiry_date = expires_at.to_string();
            OfferRow { offer: made, terms: offer.terms, expires_at }
        });
        let offers: Vec<OfferRow> = extended.collect();
        let until = offers.iter().map(|offer| offer.expires_at).max().filter(|until| *until > at.now);
        let until = until.ok_or(ActError::Person("the offers would have expired already; give a longer validity"))?;
        let decision = self.replace_decision(APPROVED, offers).ok_or(ActError::NoOffers)?;
        Ok(Approval { until, decision })
    }

    fn policy_said(&self) -> Option<PolicySaid> {
        let last = self.last.as_ref()?;
        let reasons = self.record.iter().flat_map(|record| &record.decision.reasons);
        Some(PolicySaid {
            outcome: last.outcome.clone(),
            policy: last.policy.clone(),
            reasons: reasons.map(|reason| reason.id.clone()).collect(),
            most_minor: self.offers.iter().map(|row| row.offer.amount_offered).max(),
            currency: self.offers.first().map(|row| row.offer.currency.clone()),
        })
    }
}
