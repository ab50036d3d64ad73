//! A sandbox and a caller that writes every request by hand, so that the sandbox is not only tested with our client.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use lendwright::sandbox::{Config, Loan, Person, Sandbox};
use serde_json::{Map, Value, json};

/// A running sandbox at a fixed time.
pub struct Desk {
    pub sandbox: Sandbox,
    client: ::reqwest::Client,
}

pub const NOW: &str = "2026-06-30T12:00:00Z";

pub fn now() -> DateTime<Utc> {
    NOW.parse().unwrap()
}

pub fn client() -> ::reqwest::Client {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    let redirects = ::reqwest::redirect::Policy::none();
    ::reqwest::Client::builder().no_proxy().redirect(redirects).tls_backend_preconfigured(tls).build().unwrap()
}

impl Desk {
    pub async fn with(change: impl FnOnce(&mut Config)) -> Desk {
        let mut config = super::config();
        change(&mut config);
        Desk { sandbox: Sandbox::start(config).await.unwrap(), client: client() }
    }

    pub async fn new() -> Desk {
        Desk::with(|_| {}).await
    }

    pub fn person(&self) -> Person {
        self.sandbox.people()[0].clone()
    }

    pub async fn get(&self, path: &str) -> (u16, Value) {
        self.call("GET", path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.call("POST", path, Some(body.to_string())).await
    }

    /// Calls with the token; returns the answer's body as JSON, or as a text if it is not JSON.
    pub async fn call(&self, method: &str, path: &str, body: Option<String>) -> (u16, Value) {
        let reply = self.send(method, path, body).await.unwrap();
        let status = reply.status().as_u16();
        let text = reply.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or(Value::from(text)))
    }

    pub async fn send(
        &self,
        method: &str,
        path: &str,
        body: Option<String>,
    ) -> Result<::reqwest::Response, ::reqwest::Error> {
        let method = ::reqwest::Method::from_bytes(method.as_bytes()).unwrap();
        let token = format!("Bearer {}", self.sandbox.token().expose());
        let request = self.client.request(method, format!("{}{path}", self.sandbox.base_url()));
        let request = request.header("authorization", token);
        let request = match body {
            Some(body) => request.header("content-type", "application/json").body(body),
            // P2 requires it though it has no body.
            None if path.contains("gettransaction.json") => request.header("content-type", "application/json"),
            None => request,
        };
        request.send().await
    }

    /// Posts a form as a page of the sandbox does.
    pub async fn press(&self, path: &str, form: &str) -> u16 {
        let request = self.client.post(format!("{}{path}", self.sandbox.base_url()));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        request.header("origin", self.sandbox.base_url()).body(form.to_owned()).send().await.unwrap().status().as_u16()
    }

    /// A person asks through a channel; E1's answer.
    pub async fn asked(&self, person: &Person, channel: &str) -> Value {
        let path = format!(
            "/lending-service/api/v3/offers?customerId={}&channelCode={channel}&amount=5000000\
             &serviceType=LOAN&dateOfBirth={}&providerCode=SANDBOX",
            person.customer_id, person.date_of_birth
        );
        let (status, body) = self.get(&path).await;
        assert_eq!(status, 200, "{body}");
        body
    }

    /// The first person asks and the lender offers; returns the offer's id.
    pub async fn offered(&self, id: &str, changes: &str) -> String {
        self.asked(&self.person(), "WEB").await;
        let reference = self.sandbox.requests()[0].reference.clone();
        assert_eq!(self.offer(&reference, id, changes).await.0, 200);
        id.to_owned()
    }

    /// The lender offers under a path's segment; E3's answer.
    pub async fn offer(&self, segment: &str, id: &str, changes: &str) -> (u16, Value) {
        let mut fields: Vec<(String, String)> = [
            ("code", "00"),
            ("message", "Successful"),
            ("providerCode", "SANDBOX"),
            ("offers", "1"),
            ("offerId", id),
            ("amountOffered", "5000000"),
            ("interest", "3"),
            ("amountPayable", "5200000"),
            ("fee", "50000"),
            ("tenure", "30"),
            ("terms", "Single repayment"),
            ("expiryDate", "2026-07-07T00:00:00Z"),
            ("currency", "566"),
            ("isPartPaymentAllowed", "true"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        for (name, value) in changes.split('&').filter_map(|change| change.split_once('=')) {
            fields.iter_mut().find(|field| field.0 == name).unwrap().1 = value.to_owned();
        }
        let query: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let path = format!("/lending-service/api/v1/offers/{segment}/send-offers?{}", query.join("&"));
        self.call("POST", &path.replace(' ', "%20"), None).await
    }

    pub fn accept_body(&self, offer: &str) -> Value {
        json!({
            "customerId": self.person().customer_id,
            "offerId": offer,
            "destinationAccountNumber": self.person().account_number,
            "destinationBankCode": self.person().bank_code,
            "token": "customer-token-canary",
            "loanReferenceId": format!("REF-{offer}"),
        })
    }

    pub async fn accept(&self, offer: &str, body: Value) -> (u16, Value) {
        self.post(&format!("/lending-service/api/v1/offers/{offer}/accept"), body).await
    }

    /// An accepted offer; returns the loan's id.
    pub async fn loan(&self, changes: &str) -> String {
        let offer = self.offered("OFFER-1", changes).await;
        let (status, body) = self.accept(&offer, self.accept_body(&offer)).await;
        assert_eq!(status, 200, "{body}");
        body["loanId"].as_str().unwrap().to_owned()
    }

    pub fn fund_body(&self, loan: &str, id: &str) -> Value {
        json!({
            "customerId": self.person().customer_id,
            "loanId": loan,
            "amount": 5_000_000,
            "providerCode": "SANDBOX",
            "currencyCode": "566",
            "transactionId": id,
            "channelTerminalId": "TERM1",
            "loanReferenceId": "REF-OFFER-1",
        })
    }

    pub async fn fund(&self, loan: &str, body: Value) -> (u16, Value) {
        self.post(&format!("/lending-service/api/v1/loans/{loan}/fund"), body).await
    }

    /// A loan that has been paid out.
    pub async fn funded(&self) -> String {
        let loan = self.loan("").await;
        let (status, body) = self.fund(&loan, self.fund_body(&loan, "FUND-1")).await;
        assert_eq!(status, 200, "{body}");
        loan
    }

    pub fn debit_body(&self, loan: &str, id: &str, amount: i64) -> Value {
        json!({
            "customerId": self.person().customer_id,
            "loanId": loan,
            "amount": amount,
            "providerCode": "SANDBOX",
            "transactionId": id,
        })
    }

    pub async fn debit(&self, loan: &str, id: &str, amount: i64) -> (u16, Value) {
        self.post(&format!("/lending-service/api/v1/loans/{loan}/debit"), self.debit_body(loan, id, amount)).await
    }

    pub async fn requery(&self, loan: &str, id: &str) -> String {
        let path = format!("/lending-service/api/v1/transactions/{id}?loanId={loan}&providerCode=SANDBOX");
        let (status, body) = self.get(&path).await;
        assert_eq!(status, 200, "{body}");
        body["status"].as_str().unwrap().to_owned()
    }

    /// The only loan, after a look at its balance.
    pub fn only_loan(&self) -> Loan {
        let loans = self.sandbox.state().loans();
        assert_eq!(loans.len(), 1);
        assert!(loans[0].is_balanced(), "{:?}", loans[0]);
        loans[0].clone()
    }
}

/// A body with one field changed, or removed where the value is null.
pub fn changed(body: &Value, field: &str, value: Value) -> Value {
    let mut fields: Map<String, Value> = body.as_object().unwrap().clone();
    match value {
        Value::Null => fields.remove(field),
        value => fields.insert(field.to_owned(), value),
    };
    Value::Object(fields)
}

pub fn said(answer: &(u16, Value)) -> (u16, &str) {
    (answer.0, answer.1["responseMessage"].as_str().unwrap_or_default())
}
