//! E5, Verify account number: whether the account for a loan exists, and who owns it. The interface shows neither path
//! nor payload, so all of it is settings. Knows nothing of what is done with the answer.

use std::fmt;

use serde::Serialize;

use super::Lending;
use super::named::{self, NamedField};
use crate::provider::wire::Settings;
use crate::provider::wire::body::{Body, PERSONAL};
use crate::provider::wire::call::sealed::Sealed;
use crate::provider::wire::call::{Call, Effect, check_given, fill_path_template, shows_only};
use crate::provider::wire::error::{Unsendable, Unusable};
use crate::provider::wire::method::Method;
use crate::provider::wire::parse::{self, Fields};

/// The request of E5. A read: repeating it changes nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifyAccount {
    /// The customer.
    pub customer_id: String,
    /// The account.
    pub account_number: String,
    /// The account's bank.
    pub bank_code: String,
}

shows_only!(VerifyAccount: bank_code);

/// The answer of E5: the account exists.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifiedAccount {
    /// The provider's message.
    pub message: String,
    /// The name of the account's holder, if the answer has it.
    pub account_name: Option<String>,
}

impl fmt::Debug for VerifiedAccount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "VerifiedAccount {{ account_name: {} }}",
            if self.account_name.is_some() { "[personal]" } else { "none" }
        )
    }
}

impl VerifyAccount {
    /// The parameters in the order in which they are sent.
    fn fields<'a>(&'a self, settings: &'a Settings) -> [NamedField<'a>; 4] {
        let names = &settings.verify_account;
        let personal = |name, value| NamedField { name, value, is_personal: true };
        [
            personal(&names.customer_field, &self.customer_id),
            personal(&names.account_field, &self.account_number),
            personal(&names.bank_field, &self.bank_code),
            NamedField { name: &names.provider_field, value: &settings.provider_code, is_personal: false },
        ]
    }
}

impl VerifyAccount {
    /// The path, filled with these in place of the customer, the account and the bank.
    fn filled(&self, settings: &Settings, [customer, account, bank]: [&str; 3]) -> Result<Vec<String>, Unsendable> {
        let values = [
            ("customerId", customer),
            ("accountNumber", account),
            ("bankCode", bank),
            ("providerCode", &settings.provider_code),
        ];
        fill_path_template("verify_account.path", &settings.verify_account.path, &values)
    }
}

impl Sealed for VerifyAccount {}

impl Call for VerifyAccount {
    type Host = Lending;
    type Reply = VerifiedAccount;
    const NAME: &'static str = "verify account number (E5)";
    const EFFECT: Effect = Effect::Reads;

    fn method(&self, settings: &Settings) -> Method {
        settings.verify_account.method
    }

    fn path(&self, settings: &Settings) -> Result<Vec<String>, Unsendable> {
        let names = &settings.verify_account;
        check_given(&[("account_number", &self.account_number), ("bank_code", &self.bank_code)])?;
        if names.account_field.is_empty() && !names.path.contains("{accountNumber}") {
            let what =
                "the account goes nowhere: give `verify_account.account_field`, or `{accountNumber}` in its path";
            return Err(Unsendable::new(what));
        }
        self.filled(settings, [&self.customer_id, &self.account_number, &self.bank_code])
    }

    fn shown_path(&self, settings: &Settings) -> Result<Vec<String>, Unsendable> {
        self.filled(settings, [PERSONAL; 3])
    }

    fn query(&self, settings: &Settings) -> Result<Vec<(String, String)>, Unsendable> {
        Ok(named::named_query_parameters(self.method(settings), &self.fields(settings)))
    }

    fn body(&self, settings: &Settings) -> Result<Option<Body>, Unsendable> {
        Ok(named::named_request_body(self.method(settings), &self.fields(settings)))
    }

    fn is_personal(&self, _: &str) -> bool {
        true
    }

    fn reply(&self, settings: &Settings, body: &[u8]) -> Result<VerifiedAccount, Unusable> {
        let fields: Fields = parse::parse_json_object(body)?;
        let text = |name: &str| fields.text(name);
        let code = text("responseCode")?.ok_or_else(|| Unusable::malformed(None, "has no `responseCode`"))?;
        let message = text("responseMessage")?.unwrap_or_default();
        if code != settings.success_code {
            return Err(Unusable::Rejected { code, message });
        }
        Ok(VerifiedAccount { message, account_name: text(&settings.verify_account.name_field)? })
    }
}
