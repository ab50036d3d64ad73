//! Example values for the pages to try an endpoint: one story from an offer request to its loan, an iQR and a bill.
//! Each call uses the results of the calls before it. Knows nothing of how pages look.

use chrono::Duration;
use serde_json::{Map, Value};

use crate::base::money::{Currency, amount_digits};
use crate::provider::sandbox::contract::{ContractField, Endpoint, FieldKind};
use crate::provider::sandbox::people::Person;
use crate::provider::sandbox::store::{Bill, Loan, OfferRequest, SandboxState};

/// The currency of the people's statements: the naira.
pub(super) const CURRENCY: &str = "566";
const PRINCIPAL: i64 = 5_000_000;
const PAYABLE: i64 = 5_200_000;
const BILLED: i64 = 150_000;
/// The number of days for which the offer is valid.
const VALID_DAYS: i64 = 7;

/// The newest things that calls can refer to.
pub(super) struct Examples<'s> {
    state: &'s SandboxState,
    person: Option<Person>,
    request: Option<OfferRequest>,
    loan: Option<Loan>,
    bill: Option<Bill>,
    counts: Counts,
}

/// How many of each there are. A new reference gets the next number.
struct Counts {
    requests: usize,
    loans: usize,
    transactions: usize,
    iqrs: usize,
}

impl<'s> Examples<'s> {
    pub(super) fn from_state(state: &'s SandboxState) -> Examples<'s> {
        let (mut requests, mut loans) = (state.newest_requests(1), state.newest_loans(1));
        let counts = Counts {
            requests: requests.count,
            loans: loans.count,
            transactions: state.newest_transactions(1).count,
            iqrs: state.newest_iqrs(1).count,
        };
        let (request, loan) = (requests.rows.pop(), loans.rows.pop());
        let customer = request.as_ref().map(|request| &request.customer_id);
        let requested_by = state.people().iter().find(|person| Some(&person.customer_id) == customer);
        let person = requested_by.or_else(|| state.people().first()).cloned();
        Examples { state, person, request, loan, bill: state.newest_bills(1).rows.pop(), counts }
    }

    /// An example for a field of a call; empty if there is none.
    pub(super) fn value(&self, endpoint: Endpoint, field: &ContractField) -> String {
        let for_endpoint = match endpoint {
            Endpoint::GetOffers => self.get_offers(&field.name),
            Endpoint::SendOffers => self.send_offers(field),
            Endpoint::AcceptOffer => self.accept(&field.name),
            Endpoint::FundLoan | Endpoint::DebitCustomer => self.money(endpoint, &field.name),
            Endpoint::Requery => self.requery(&field.name),
            Endpoint::ValidateCard | Endpoint::RequestIqr | Endpoint::LinkIqr | Endpoint::IqrReference => {
                self.iqr(endpoint, &field.name)
            }
            Endpoint::CreateBill => create_bill(&field.name),
            Endpoint::PaymentStatus => self.payment_status(&field.name),
            Endpoint::TransactionRecords | Endpoint::VerifyAccount | Endpoint::SendSms => None,
        };
        let is_filled = field.required || endpoint == Endpoint::SendOffers || field.name == "transactionReference";
        for_endpoint.or_else(|| self.anywhere(&field.name)).filter(|_| is_filled).unwrap_or_default()
    }

    fn anywhere(&self, name: &str) -> Option<String> {
        let (person, loan) = (self.person.as_ref(), self.loan.as_ref());
        Some(match name {
            "providerCode" => self.state.config().settings.provider_code.clone(),
            "customerId" => person?.customer_id.clone(),
            "dateOfBirth" => person?.date_of_birth.clone(),
            "destinationAccountNumber" => person?.account_number.clone(),
            "destinationBankCode" => person?.bank_code.clone(),
            "loanId" => loan?.loan_id.clone(),
            "loanReferenceId" => loan?.loan_reference_id.clone(),
            "currencyCode" => CURRENCY.to_owned(),
            "offerRequestReference" | "segment" => self.request.as_ref()?.reference.clone(),
            "msisdn" => "2348012345678".to_owned(),
            "message" => "Your loan has been paid out".to_owned(),
            _ => return None,
        })
    }

    /// Each loan moves on to the next person, because an accepted offer is not offered again.
    fn get_offers(&self, name: &str) -> Option<String> {
        let people = self.state.people();
        let next = people.get(self.counts.loans.checked_rem(people.len())?)?;
        Some(match name {
            "customerId" => next.customer_id.clone(),
            "dateOfBirth" => next.date_of_birth.clone(),
            "channelCode" => "WEB".to_owned(),
            "serviceType" => "LOAN".to_owned(),
            "amount" => PRINCIPAL.to_string(),
            _ => return None,
        })
    }

    /// One offer, in any of the layouts.
    fn send_offers(&self, field: &ContractField) -> Option<String> {
        let until = (self.state.now() + Duration::days(VALID_DAYS)).format("%Y-%m-%dT00:00:00Z").to_string();
        let offer = [
            ("offerId", Value::from(format!("O{}", self.counts.requests))),
            ("amountOffered", PRINCIPAL.into()),
            ("interest", 4.into()),
            ("amountPayable", PAYABLE.into()),
            ("fee", 0.into()),
            ("tenure", 30.into()),
            ("terms", "none".into()),
            ("expiryDate", until.into()),
            ("currency", CURRENCY.into()),
            ("isPartPaymentAllowed", true.into()),
        ];
        let name = field.name.strip_prefix("offers[0].").unwrap_or(&field.name);
        match (name, &field.kind) {
            ("code", _) => Some("00".to_owned()),
            ("message", _) => Some("Successful".to_owned()),
            ("offers", FieldKind::Whole { .. }) => Some("1".to_owned()),
            ("offers", _) => {
                let offer: Map<String, Value> =
                    offer.map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
                Some(Value::from(vec![Value::Object(offer)]).to_string())
            }
            _ => offer.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value_as_plain_text(&value)),
        }
    }

    fn accept(&self, name: &str) -> Option<String> {
        Some(match name {
            "offerId" => self.request.as_ref()?.offers.last()?.offer_id.clone(),
            "token" => "customer-token".to_owned(),
            "loanReferenceId" => format!("R{}", self.counts.loans + 1),
            _ => return None,
        })
    }

    fn money(&self, endpoint: Endpoint, name: &str) -> Option<String> {
        let loan = self.loan.as_ref()?;
        let minor = if endpoint == Endpoint::FundLoan { loan.amount_offered } else { loan.remaining };
        Some(match name {
            "customerId" => loan.customer_id.clone(),
            "currencyCode" => loan.currency.clone(),
            "transactionId" => format!("T{}", self.counts.transactions + 1),
            "channelTerminalId" => "TERM1".to_owned(),
            "amount" => {
                let exponent = Currency::from_numeric(&loan.currency).map_or(2, |known| known.exponent());
                amount_digits(minor, self.state.config().settings.money.amount_unit, exponent)
            }
            _ => return None,
        })
    }

    fn requery(&self, name: &str) -> Option<String> {
        let transaction = self.state.newest_transactions(1).rows.pop()?;
        match name {
            "transactionId" => Some(transaction.transaction_id),
            "loanId" => Some(transaction.loan_id),
            _ => None,
        }
    }

    fn iqr(&self, endpoint: Endpoint, name: &str) -> Option<String> {
        let iqr = || self.state.newest_iqrs(1).rows.pop();
        Some(match name {
            "aggregatorId" | "aggregatorID" => match self.state.config().settings.iqr.aggregator_id.as_str() {
                "" => "AGG".to_owned(),
                known => known.to_owned(),
            },
            "transactionRef" => format!("{}-{}", endpoint.name(), self.counts.iqrs + 1),
            "authData" => "encrypted-card".to_owned(),
            "quantity" => "1".to_owned(),
            "qrId" => iqr()?.qr_id,
            "qrRef" => iqr()?.qr_ref,
            "panLast4Digits" => "4242".to_owned(),
            _ => return None,
        })
    }

    fn payment_status(&self, name: &str) -> Option<String> {
        let bill = self.bill.as_ref()?;
        Some(match name {
            "merchantcode" => bill.asked.merchant_code.clone(),
            "transactionreference" => {
                bill.asked.transaction_reference.clone().unwrap_or_else(|| bill.reference.clone())
            }
            "amount" => bill.asked.amount.to_string(),
            _ => return None,
        })
    }
}

fn create_bill(name: &str) -> Option<String> {
    Some(match name {
        "merchantCode" => "M1".to_owned(),
        "payableCode" => "P1".to_owned(),
        "amount" => BILLED.to_string(),
        "redirectUrl" => "http://localhost/done".to_owned(),
        _ => return None,
    })
}

fn value_as_plain_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
