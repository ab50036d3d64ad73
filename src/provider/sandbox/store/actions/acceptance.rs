//! An offer becomes a loan (E4), once. Knows nothing of money.

use crate::provider::sandbox::people::Person;
use crate::provider::sandbox::store::loans::{DEFAULT_CHANNEL, Loan, SandboxLoanState};
use crate::provider::sandbox::store::offers::has_expired;
use crate::provider::sandbox::store::refusal::Refusal;
use crate::provider::sandbox::store::state::{SandboxState, Store};

/// The request E4.
pub(crate) struct Accepting<'a> {
    pub offer_id: &'a str,
    pub customer_id: &'a str,
    pub loan_reference_id: &'a str,
    /// The account to which the loan is paid.
    pub account: Account<'a>,
    /// Identifies the body.
    pub fingerprint: String,
}

/// An account by its number and its bank.
#[derive(Clone, Copy)]
pub(crate) struct Account<'a> {
    pub number: &'a str,
    pub bank_code: &'a str,
}

impl SandboxState {
    /// The owner of an account, as E5 finds it. If the settings of E5 name the customer, another customer's account is
    /// refused like one that does not exist.
    pub(crate) fn owner(&self, account: Account<'_>, customer_id: &str) -> Result<&Person, Refusal> {
        let is_asked_for = !self.config().settings.verify_account.customer_field.is_empty();
        let owns = |person: &&Person| {
            person.account_number == account.number
                && person.bank_code == account.bank_code
                && (!is_asked_for || person.customer_id == customer_id)
        };
        self.people().iter().find(owns).ok_or_else(|| Refusal::unknown("no account with this number at this bank"))
    }

    /// Checks an acceptance. Returns the loan if a call before made it.
    pub(crate) fn check_acceptance(&self, asked: &Accepting<'_>) -> Result<Option<Loan>, Refusal> {
        self.acceptable(&self.store(), asked)
    }

    /// Makes the loan, under the lender's id if it gave one. A repeated call gets the loan that the first one made.
    pub(crate) fn accept(&self, asked: Accepting<'_>, lenders_id: Option<String>) -> Result<Loan, Refusal> {
        let mut store = self.store_to_change();
        if let Some(loan) = self.acceptable(&store, &asked)? {
            return Ok(loan);
        }
        let found = store.offers.find(asked.offer_id);
        let (offer, request) = found.ok_or_else(|| Refusal::unknown(NO_OFFER))?;
        if lenders_id.as_ref().is_some_and(|loan_id| store.loans.get(loan_id).is_some()) {
            return Err(Refusal::lender("it gave the `loanId` of another loan"));
        }
        let loan = Loan {
            loan_id: lenders_id.unwrap_or_else(|| self.id("LN", &[asked.offer_id, asked.loan_reference_id])),
            loan_reference_id: asked.loan_reference_id.to_owned(),
            offer_id: asked.offer_id.to_owned(),
            customer_id: asked.customer_id.to_owned(),
            channel_code: request.map_or(DEFAULT_CHANNEL, |request| &request.channel_code).to_owned(),
            currency: offer.currency.clone(),
            amount_offered: offer.amount_offered,
            fee: offer.fee,
            amount_payable: offer.amount_payable,
            tenure: offer.tenure,
            is_part_payment_allowed: offer.is_part_payment_allowed,
            state: SandboxLoanState::Accepted,
            due_date: None,
            remaining: 0,
            ledger: Vec::new(),
            fingerprint: asked.fingerprint,
        };
        store.loans.add(loan.clone());
        Ok(loan)
    }

    /// Whether an offer may become a loan, or is one already by the same call.
    fn acceptable(&self, store: &Store, asked: &Accepting<'_>) -> Result<Option<Loan>, Refusal> {
        if let Some(loan) = store.loans.by_reference(asked.loan_reference_id) {
            return match loan.fingerprint == asked.fingerprint {
                true => Ok(Some(loan.clone())),
                false => Err(Refusal::conflict("`loanReferenceId` has been used with another body")),
            };
        }
        let (offer, request) = store.offers.find(asked.offer_id).ok_or_else(|| Refusal::unknown(NO_OFFER))?;
        let is_known = self.people().iter().any(|person| person.customer_id == asked.customer_id);
        if !is_known || request.is_some_and(|request| request.customer_id != asked.customer_id) {
            return Err(Refusal::unknown("the offer was not made to a customer with this `customerId`"));
        }
        self.owner(asked.account, asked.customer_id)?;
        if has_expired(offer, self.now()) {
            return Err(Refusal::conflict("the offer has expired"));
        }
        match store.loans.has_offer(asked.offer_id) {
            true => Err(Refusal::conflict("the offer has been accepted under another `loanReferenceId`")),
            false => Ok(None),
        }
    }
}

const NO_OFFER: &str = "no offer with this `offerId`";
