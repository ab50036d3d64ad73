//! Reads the provider's requests strictly: what is missing, given twice, of another type or out of bounds is refused,
//! and the refusal names the field. Values are never repeated, because they are personal. Knows nothing of HTTP.

use serde_json::error::Category;
use serde_json::{Map, Value};

use super::{LoanStatusQuery, OfferAcceptance, OfferRequest, Payment};
use crate::base::money::{AmountError, Currency, parse_amount};
use crate::base::secret::Secret;
use crate::base::text::is_unseen;
use crate::provider::wire::call::{check_id, check_segment};
use crate::provider::wire::parse::{Fields, Object};
use crate::provider::wire::settings::{LenderSettings, Settings};

/// The longest id, in characters.
const ID_CHARS_MAX: usize = 128;
/// The largest payment, in minor units. Sums of many of them cannot overflow.
const AMOUNT_MAX: i64 = 1_000_000_000_000_000;
/// The longest token, in characters. A token may be signed.
const TOKEN_CHARS_MAX: usize = 8_192;

/// Why a request was not read: a text for the provider, which names fields and no values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub(crate) String);

impl Unreadable {
    fn field(name: &str, problem: &str) -> Self {
        Unreadable(format!("`{name}` {problem}"))
    }
}

/// Fields of a query, by name.
struct Query<'a>(&'a [(String, String)]);

impl Query<'_> {
    fn optional(&self, name: &str) -> Result<Option<&str>, Unreadable> {
        let mut found = self.0.iter().filter(|(given, _)| given == name).map(|(_, value)| value.as_str());
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(Unreadable::field(name, "is given twice")),
            (value, None) => Ok(value),
        }
    }

    fn text(&self, name: &str) -> Result<String, Unreadable> {
        let value = self.optional(name)?.ok_or_else(|| Unreadable::field(name, "is missing"))?;
        check_request_text(name, value, ID_CHARS_MAX)
    }

    /// Refuses names that are given twice, also those that nobody reads.
    fn checked(pairs: &[(String, String)]) -> Result<Query<'_>, Unreadable> {
        let query = Query(pairs);
        for (name, _) in pairs {
            if query.optional(name).is_err() {
                // A name that is not the interface's may be personal data in the wrong place.
                return Err(Unreadable("a query parameter is given twice".to_owned()));
            }
        }
        Ok(query)
    }
}

/// Checks a text: it is there, it is within bounds, and it shows all that it holds.
fn check_request_text(name: &str, value: &str, chars_max: usize) -> Result<String, Unreadable> {
    let problem = if value.trim().is_empty() {
        "is empty"
    } else if value.chars().count() > chars_max {
        "is too long"
    } else if value.chars().any(|letter| is_unseen(letter) || letter == char::REPLACEMENT_CHARACTER) {
        "has a character that cannot be seen, or is not UTF-8"
    } else if value.trim() != value {
        "begins or ends with a blank"
    } else {
        return Ok(value.to_owned());
    };
    Err(Unreadable::field(name, problem))
}

/// The fields of a JSON body.
struct Fielded(Map<String, Value>);

impl Fielded {
    fn read(body: &[u8]) -> Result<Self, Unreadable> {
        let wrong = |problem: &str| Unreadable(format!("the body {problem}"));
        let fields = serde_json::from_slice::<Object<Fields>>(body).map_err(|error| match error.classify() {
            Category::Eof => wrong("is empty, or breaks off"),
            Category::Syntax => wrong(&format!("is not JSON (line {}, column {})", error.line(), error.column())),
            Category::Data | Category::Io => wrong("is not a JSON object in which each field stands once"),
        })?;
        // The reader's words are about answers.
        let values = fields.0.values().map_err(|_| {
            wrong("has a value with a field twice, with text that is not Unicode, or nested too deeply")
        })?;
        Ok(Fielded(values))
    }

    fn optional(&self, name: &str, chars_max: usize) -> Result<Option<String>, Unreadable> {
        match self.0.get(name).filter(|_| !name.is_empty()) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(value)) => check_request_text(name, value, chars_max).map(Some),
            Some(_) => Err(Unreadable::field(name, "is not a text")),
        }
    }

    fn text(&self, name: &str) -> Result<String, Unreadable> {
        self.optional(name, ID_CHARS_MAX)?.ok_or_else(|| Unreadable::field(name, "is missing"))
    }
}

impl OfferRequest {
    /// Reads a request of Get Offers from its query, and from the values of the header that may hold the reference.
    ///
    /// # Errors
    /// The first field that is missing or wrong.
    pub fn read(pairs: &[(String, String)], header: &[&[u8]], settings: &Settings) -> Result<Self, Unreadable> {
        let query = Query::checked(pairs)?;
        let provider_code = query.text("providerCode")?;
        if provider_code != settings.provider_code {
            return Err(Unreadable::field("providerCode", "is not this lender's"));
        }
        let date_of_birth = query.text("dateOfBirth")?;
        let is_date = date_of_birth.len() == 10
            && chrono::NaiveDate::parse_from_str(&date_of_birth, "%Y-%m-%d").is_ok_and(|day| {
                // A year of one digit and padding is no date of this form.
                day.format("%Y-%m-%d").to_string() == date_of_birth
            });
        if !is_date {
            return Err(Unreadable::field("dateOfBirth", "is not a date of the form YYYY-MM-DD"));
        }
        Ok(OfferRequest {
            reference: read_request_reference(&query, header, &settings.lender)?,
            customer_id: query.text("customerId")?,
            channel_code: query.text("channelCode")?,
            amount: whole_amount("amount", &query.text("amount")?)?,
            service_type: query.text("serviceType")?,
            date_of_birth,
            provider_code,
        })
    }
}

fn read_request_reference(query: &Query<'_>, header: &[&[u8]], names: &LenderSettings) -> Result<String, Unreadable> {
    let in_query = match names.reference_parameter.as_str() {
        "" => None,
        name => query.optional(name)?.map(|value| check_request_text(name, value, ID_CHARS_MAX)).transpose()?,
    };
    let name = &names.reference_header;
    let in_header = match header {
        _ if name.is_empty() => None,
        [] => None,
        [value] => Some(check_request_text(name, &String::from_utf8_lossy(value), ID_CHARS_MAX)?),
        _ => return Err(Unreadable::field(name, "is given twice")),
    };
    match (in_query, in_header) {
        (Some(one), Some(other)) if one != other => Err(Unreadable::field(name, "differs from the query")),
        (Some(reference), _) | (None, Some(reference)) => Ok(reference),
        (None, None) => {
            let name = if names.reference_parameter.is_empty() { name } else { &names.reference_parameter };
            Err(Unreadable::field(name, "is missing"))
        }
    }
}

/// A whole number above zero, in digits alone.
fn whole_amount(name: &str, digits: &str) -> Result<i64, Unreadable> {
    let amount = digits.parse::<i64>().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
    amount.filter(|amount| *amount > 0).ok_or_else(|| Unreadable::field(name, "is not a whole number above zero"))
}

/// The provider's id of a loan. One that no later call could carry is refused here, before a loan has it.
fn read_loan_id(fields: &Fielded, name: &str) -> Result<Option<String>, Unreadable> {
    let loan_id = fields.optional(name, ID_CHARS_MAX)?;
    if let Some(loan_id) = &loan_id {
        let sendable = check_segment("it", loan_id).and_then(|()| check_id("it", loan_id));
        sendable.map_err(|_| Unreadable::field(name, "cannot be part of an address"))?;
    }
    Ok(loan_id)
}

impl OfferAcceptance {
    /// Reads a request of Accept Offers. `in_path` is the offer of the path, if the path names it.
    ///
    /// # Errors
    /// The first field that is missing or wrong.
    pub fn read(in_path: Option<&str>, body: &[u8], settings: &Settings) -> Result<Self, Unreadable> {
        let fields = Fielded::read(body)?;
        let offer_id = fields.text("offerId")?;
        if in_path.is_some_and(|in_path| in_path != offer_id) {
            return Err(Unreadable::field("offerId", "differs from the path"));
        }
        let token = fields.optional("token", TOKEN_CHARS_MAX)?;
        Ok(OfferAcceptance {
            offer_id,
            customer_id: fields.text("customerId")?,
            destination_account_number: fields.text("destinationAccountNumber")?,
            destination_bank_code: fields.text("destinationBankCode")?,
            token: Secret::new(token.ok_or_else(|| Unreadable::field("token", "is missing"))?),
            loan_reference_id: fields.text("loanReferenceId")?,
            msisdn: fields.optional(&settings.lender.msisdn_field, ID_CHARS_MAX)?,
            loan_id: read_loan_id(&fields, &settings.lender.loan_id_field)?,
        })
    }
}

impl LoanStatusQuery {
    /// Reads a request of E10. `in_path` is the loan of the path. Whether the loan is this lender's is not checked.
    ///
    /// # Errors
    /// The first field that is missing or wrong.
    #[doc(hidden)]
    pub fn read(in_path: &str, pairs: &[(String, String)]) -> Result<Self, Unreadable> {
        let query = Query::checked(pairs)?;
        let asked = LoanStatusQuery {
            customer_id: query.text("customerId")?,
            loan_id: query.text("loanId")?,
            provider_code: query.text("providerCode")?,
            channel_code: query.text("channelCode")?,
        };
        match asked.loan_id == in_path {
            true => Ok(asked),
            false => Err(Unreadable::field("loanId", "differs from the path")),
        }
    }
}

impl Payment {
    /// Reads a request of E11. `currency` says how many decimals an amount may have.
    ///
    /// # Errors
    /// The first field that is missing or wrong.
    pub fn read(body: &[u8], settings: &Settings, currency: Currency) -> Result<Self, Unreadable> {
        let fields = Fielded::read(body)?;
        let digits = fields.text("Amount")?;
        let wrong = |problem: &str| Unreadable::field("Amount", problem);
        if !digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.')) {
            return Err(wrong("is not a plain decimal number above zero"));
        }
        let amount_minor = parse_amount(digits.as_bytes(), settings.lender.amount_unit, currency.exponent());
        let amount_minor = amount_minor.map_err(|error: AmountError| wrong(&error.to_string()))?;
        if amount_minor <= 0 {
            return Err(wrong("is not above zero"));
        }
        if amount_minor > AMOUNT_MAX {
            return Err(wrong("is too large"));
        }
        Ok(Payment {
            loan_id: fields.text("loanId")?,
            payment_ref: fields.text("paymentRef")?,
            amount_minor,
            customer_id: fields.text("customerId")?,
        })
    }
}
