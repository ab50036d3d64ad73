//! Every call to the letter: the bytes sent, and what is shown of them.

use std::fmt::Write;
use std::num::NonZeroU32;

use lendwright::base::money::{AmountUnit, Currency, Money};
use lendwright::base::secret::Secret;
use lendwright::client::{Client, Prepared, bill, iqr};
use lendwright::wire::bill::{CreateBill, GetPaymentStatus};
use lendwright::wire::iqr::{
    Channel, GetReference, Link, Operator, RequestForCustomer, RequestUnassigned, RiskControlData, User, ValidateCard,
};
use lendwright::wire::lending::{
    AcceptOffer, Debit, Fund, Requery, SendSms, SentTransactionId, TransactionId, VerifyAccount,
};
use lendwright::wire::{GetOffers, Method, SendOffers, Settings, TransactionRecords};

use super::{TOKEN, offer};
use crate::fixtures::scripted_server::{Server, json};

const SECRETS: [&str; 14] = [
    "CUSTOMER-1",
    "1990-02-28",
    "0123456789",
    "customer-token",
    "2348012345678",
    "has been paid out",
    "ENCRYPTED-CARD",
    "987654",
    "Ada",
    "Obi",
    "22222222222",
    "33333333333",
    "203.0.113.7",
    "ada@example.com",
];

/// An operator whose bytes another JSON writer would change.
const OPERATOR: &str = r#" {"operatorID": "OP-1",  "name":"Ada", "at": 6.50 } "#;

pub fn settings() -> Settings {
    let mut settings = Settings {
        base_url: "https://provider.example/base".to_owned(),
        provider_code: "LENDER".to_owned(),
        ..Settings::default()
    };
    settings.iqr.base_url = "https://iqr.example".to_owned();
    settings.iqr.aggregator_id = "AGG-1".to_owned();
    settings.bill.base_url = "https://collections.example".to_owned();
    settings.bill.create.base_url = "https://bills.example".to_owned();
    settings
}

fn naira() -> Currency {
    Currency::from_numeric("566").unwrap()
}

pub fn fund() -> Fund {
    Fund {
        loan_id: "LOAN-1".to_owned(),
        customer_id: "CUSTOMER-1".to_owned(),
        amount: Money::from_minor(5_000_050),
        currency: naira(),
        channel_terminal_id: "3ABC0001".to_owned(),
        loan_reference_id: "REF-L-1".to_owned(),
    }
}

fn debit() -> Debit {
    Debit {
        loan_id: "LOAN-1".to_owned(),
        customer_id: "CUSTOMER-1".to_owned(),
        amount: Money::from_minor(5),
        currency: naira(),
    }
}

pub fn accept() -> AcceptOffer {
    AcceptOffer {
        customer_id: "CUSTOMER-1".to_owned(),
        offer_id: "30d/1".to_owned(),
        destination_account_number: "0123456789".to_owned(),
        destination_bank_code: "058".to_owned(),
        token: Secret::new("customer-token"),
        loan_reference_id: "REF-L-1".to_owned(),
    }
}

fn verify() -> VerifyAccount {
    VerifyAccount {
        customer_id: "CUSTOMER-1".to_owned(),
        account_number: "0123456789".to_owned(),
        bank_code: "058".to_owned(),
    }
}

fn requery() -> Requery {
    Requery { transaction_id: SentTransactionId::recall("FUND/1").unwrap(), loan_id: "LOAN-1".to_owned(), sent: None }
}

fn user() -> User {
    User {
        user_id: Some("U-1".to_owned()),
        first_name: Some("Ada".to_owned()),
        last_name: Some("Obi \"O\"".to_owned()),
        bvn: Some("22222222222".to_owned()),
        nin: Some("33333333333".to_owned()),
    }
}

fn risk() -> RiskControlData {
    RiskControlData {
        operator_id: Some("OP-1".to_owned()),
        current_location: Some(("3.3792".to_owned(), "6.5244".to_owned())),
        ip_address: Some("203.0.113.7".to_owned()),
    }
}

fn get_offers() -> GetOffers {
    GetOffers {
        customer_id: "CUSTOMER-1".to_owned(),
        channel_code: "WEB".to_owned(),
        amount: 5_000_000,
        service_type: "LOAN".to_owned(),
        date_of_birth: "1990-02-28".to_owned(),
    }
}

fn sms() -> SendSms {
    SendSms {
        customer_id: "CUSTOMER-1".to_owned(),
        msisdn: "2348012345678".to_owned(),
        message: "Your loan has been paid out: ₦50,000".to_owned(),
        loan_id: "LOAN-1".to_owned(),
    }
}

fn validate() -> ValidateCard {
    ValidateCard {
        transaction_ref: "R-1".to_owned(),
        auth_data: Secret::new("ENCRYPTED-CARD"),
        mobile_number: Some("2348012345678".to_owned()),
        need_image: true,
        channel: Channel::Web,
        user: Some(user()),
        risk_control_data: Some(risk()),
    }
}

fn request() -> RequestForCustomer {
    RequestForCustomer {
        transaction_ref: "R-2".to_owned(),
        auth_data: Secret::new("ENCRYPTED-CARD"),
        mobile_number: Some("2348012345678".to_owned()),
        otp: Some(Secret::new("987654")),
        need_image: false,
        channel: Channel::Ussd,
        user: Some(user()),
        risk_control_data: Some(risk()),
    }
}

fn bulk() -> RequestUnassigned {
    RequestUnassigned {
        transaction_ref: "R-3".to_owned(),
        quantity: NonZeroU32::new(100).unwrap(),
        channel: Channel::Api,
    }
}

fn link() -> Link {
    Link {
        transaction_ref: "R-4".to_owned(),
        qr_id: "Q-1".to_owned(),
        mobile_number: Some("2348012345678".to_owned()),
        qr_ref: "QR-1".to_owned(),
        channel: Channel::Api,
        need_image: false,
        operator: Some(Operator::new(OPERATOR).unwrap()),
        risk_control_data: Some(risk()),
    }
}

fn reference() -> GetReference {
    GetReference {
        transaction_ref: "R-5".to_owned(),
        mobile_number: Some("2348012345678".to_owned()),
        qr_id: "Q-1".to_owned(),
        pan_last_4_digits: "4242".to_owned(),
        channel: Channel::Other("POS".to_owned()),
        user: Some(user()),
        risk_control_data: Some(risk()),
    }
}

fn status() -> GetPaymentStatus {
    GetPaymentStatus {
        merchant_code: "M-1".to_owned(),
        reference: "BILL-1".to_owned(),
        amount: Money::from_minor(250_000),
        currency: naira(),
    }
}

fn lending_calls(client: &Client) -> Vec<(&'static str, Prepared)> {
    let id = TransactionId::new("FUND-1").unwrap();
    vec![
        ("E1", client.prepare(&get_offers()).unwrap()),
        ("E2", client.prepare(&TransactionRecords::new("OR 1/2")).unwrap()),
        ("E3", client.prepare(&SendOffers::new("OR-1", vec![offer("a")])).unwrap()),
        ("E4", client.prepare(&accept()).unwrap()),
        ("E5", client.prepare(&verify()).unwrap()),
        ("E6", client.prepare_fund(&fund(), &id).unwrap()),
        ("E7", client.prepare(&sms()).unwrap()),
        ("E8", client.prepare_debit(&debit(), &TransactionId::new("DEBIT-1").unwrap()).unwrap()),
        ("E9", client.prepare(&requery()).unwrap()),
    ]
}

fn iqr_calls(client: &iqr::Client) -> Vec<(&'static str, Prepared)> {
    vec![
        ("I1", client.prepare(&validate()).unwrap()),
        ("I2", client.prepare(&request()).unwrap()),
        ("I3", client.prepare(&bulk()).unwrap()),
        ("I4", client.prepare(&link()).unwrap()),
        ("I5", client.prepare(&reference()).unwrap()),
    ]
}

pub fn create() -> CreateBill {
    CreateBill {
        merchant_code: "M-1".to_owned(),
        payable_code: "ITEM-1".to_owned(),
        amount: Money::from_minor(250_000),
        currency: naira(),
        redirect_url: "https://shop.example/paid?x=1".to_owned(),
        customer_id: "CUSTOMER-1".to_owned(),
        customer_email: Some("ada@example.com".to_owned()),
        transaction_reference: Some("ORDER-1".to_owned()),
    }
}

fn bill_calls(client: &bill::Client) -> Vec<(&'static str, Prepared)> {
    vec![("P1", client.prepare_create(&create()).unwrap()), ("P2", client.prepare_status(&status()).unwrap())]
}

fn all_calls(settings: &Settings) -> Vec<(&'static str, Prepared)> {
    let token = || Secret::new(TOKEN);
    let mut calls = lending_calls(&Client::new(settings.clone(), token()).unwrap());
    calls.extend(iqr_calls(&iqr::Client::new(settings.clone(), token()).unwrap()));
    calls.extend(bill_calls(&bill::Client::new(settings.clone(), token()).unwrap()));
    calls
}

fn sent(prepared: &Prepared) -> String {
    let mut text = format!("{} {}", prepared.method().as_str(), prepared.path());
    if !prepared.query().is_empty() {
        let _ = write!(text, "?{}", prepared.query());
    }
    if let Some(body) = prepared.body() {
        let _ = write!(text, "\n{}", String::from_utf8(body.bytes()).unwrap());
    }
    text
}

/// What is really on the wire for each call, in the order of the interface.
#[tokio::test]
async fn every_call_carries_its_headers() {
    let server = Server::fixed(json("{}"));
    let mut settings = settings();
    for url in [&mut settings.base_url, &mut settings.iqr.base_url, &mut settings.bill.base_url] {
        url.clone_from(&server.base_url);
    }
    settings.bill.create.base_url.clear();
    settings.limits.attempts_max = 1;
    let token = || Secret::new(TOKEN);
    let right = |id: &str| TransactionId::new(id).unwrap().persist(|_| Ok::<(), ()>(())).unwrap();
    let client = Client::new(settings.clone(), token()).unwrap();
    assert!(client.offers(&get_offers()).await.is_err());
    assert!(client.pull("OR-1").await.is_err());
    assert!(client.send(&SendOffers::new("OR-1", vec![offer("a")])).await.is_err());
    assert!(client.accept(&accept()).await.is_err());
    assert!(client.verify_account(&verify()).await.is_err());
    assert!(client.fund(&fund(), right("T-1")).await.is_err());
    assert!(client.sms(&sms()).await.is_err());
    assert!(client.debit(&debit(), right("T-2")).await.is_err());
    assert!(client.requery(&requery()).await.is_err());
    let client = iqr::Client::new(settings.clone(), token()).unwrap();
    assert!(client.validate_card(&validate()).await.is_err());
    assert!(client.request_for_customer(&request()).await.is_err());
    assert!(client.request_unassigned(&bulk()).await.is_err());
    assert!(client.link(&link()).await.is_err());
    assert!(client.reference(&reference()).await.is_err());
    let client = bill::Client::new(settings.clone(), token()).unwrap();
    assert!(client.create(&create()).await.is_err());
    assert!(client.status(&status()).await.is_err());

    // A damaged page of records is fetched once more; the others came once.
    let mut heads = server.heads();
    heads.dedup();
    assert_eq!(heads.len(), 16);
    for (head, (name, prepared)) in heads.iter().zip(all_calls(&settings)) {
        let has = |line: &str| head.to_ascii_lowercase().contains(&format!("\r\n{line}\r\n"));
        assert!(
            head.starts_with(prepared.method().as_str()) && head.contains(prepared.path()) || name == "E2",
            "{name}: {head}"
        );
        assert!(has("accept: application/json"), "{name}: {head}");
        assert_eq!(has(&format!("authorization: bearer {TOKEN}")), name != "P2", "{name}: {head}");
        assert_eq!(has("content-type: application/json"), prepared.body().is_some() || name == "P2", "{name}: {head}");
        assert_eq!(head.matches("authorization").count(), usize::from(name != "P2"), "{name}: {head}");
    }
}

#[test]
fn requests_sent() {
    let mut text = String::new();
    for (name, prepared) in all_calls(&settings()) {
        if let Some(body) = prepared.body() {
            serde_json::from_slice::<serde_json::Value>(&body.bytes()).expect("the body is JSON");
        }
        let _ = write!(text, "== {name}\n{}\n\n", sent(&prepared));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn requests_shown() {
    let mut text = String::new();
    for (name, prepared) in all_calls(&settings()) {
        let _ = write!(text, "== {name}\n{prepared}\n\n");
        for secret in SECRETS.iter().chain([&TOKEN, &"4242", &"6.5244"]) {
            let shown = format!("{prepared}{prepared:?}{:?}", prepared.body());
            assert!(!shown.contains(secret), "{name} shows `{secret}`: {shown}");
        }
    }
    insta::assert_snapshot!(text);
}

/// `Debug` of a request, as a careless log line would print it.
#[test]
fn requests_printed_by_mistake_name_nobody() {
    let user = user();
    let shown = format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {user:?} {:?}",
        accept(),
        verify(),
        fund(),
        debit(),
        requery(),
        create(),
        risk()
    );
    for secret in SECRETS {
        assert!(!shown.contains(secret), "`{secret}` in {shown}");
    }
    assert!(shown.contains("LOAN-1") && shown.contains("REF-L-1"), "{shown}");
}

/// What the interface leaves open is a setting, and each setting shows in the request.
#[test]
fn settings_change_what_is_sent() {
    let mut settings = settings();
    settings.verify_account.method = Method::Get;
    settings.verify_account.path = "accounts/enquiry".to_owned();
    settings.verify_account.customer_field.clear();
    settings.verify_account.account_field = "accountNumber".to_owned();
    settings.verify_account.bank_field = "bankCode".to_owned();
    settings.headers.insert("X-Api-Key".to_owned(), "k-123".to_owned().into());
    settings.money.amount_unit = AmountUnit::Major;
    settings.money.channel_terminal_field = "vendorTerminalId".to_owned();
    settings.requery.method = Method::Post;
    settings.requery.path = "/loans/{loanId}/requery/".to_owned();
    settings.requery.transaction_field = "transactionId".to_owned();
    settings.bill.create.path = "merchants/{merchantCode}/bills".to_owned();
    let calls = all_calls(&settings);
    let of = |name: &str| sent(&calls.iter().find(|(call, _)| *call == name).unwrap().1);
    assert_eq!(of("E5"), "GET /base/accounts/enquiry?accountNumber=0123456789&bankCode=058&providerCode=LENDER");
    let mut by_path = settings.clone();
    by_path.verify_account.path = "banks/{bankCode}/accounts/{accountNumber}".to_owned();
    by_path.verify_account.account_field.clear();
    by_path.verify_account.bank_field.clear();
    let enquiry = all_calls(&by_path).into_iter().find(|(call, _)| *call == "E5").unwrap().1;
    assert_eq!(sent(&enquiry), "GET /base/banks/058/accounts/0123456789?providerCode=LENDER");
    let shown = format!("{enquiry}\n{enquiry:?}");
    assert!(
        shown.contains("x-api-key: [secret]") && !shown.contains("k-123") && !shown.contains("0123456789"),
        "{shown}"
    );
    assert!(shown.contains("/banks/[personal]/accounts/[personal]?"), "{shown}");
    assert!(of("E6").contains(r#""amount":50000.50,"#) && of("E6").contains(r#""vendorTerminalId":"3ABC0001""#));
    assert!(of("E8").contains(r#""amount":0.05,"#));
    assert_eq!(
        of("E9"),
        "POST /base/loans/LOAN-1/requery\n\
         {\"transactionId\":\"FUND/1\",\"loanId\":\"LOAN-1\",\"providerCode\":\"LENDER\"}"
    );
    assert!(of("P1").starts_with("POST /merchants/M-1/bills\n"));

    let requery_refused = |settings: &Settings| {
        let client = Client::new(settings.clone(), Secret::new(TOKEN)).unwrap();
        client.prepare(&requery()).unwrap_err().to_string()
    };
    settings.requery.transaction_field.clear();
    assert_eq!(
        requery_refused(&settings),
        "requery (E9): the transaction is named neither by `requery.path` nor by `requery.transaction_field`"
    );
    settings.requery.transaction_field = "transactionId".to_owned();
    settings.requery.path = "loans/{loan}/requery".to_owned();
    let client = Client::new(settings, Secret::new(TOKEN)).unwrap();
    let error = client.prepare(&requery()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "requery (E9): the setting `requery.path` contains `{loan}`, which is not a placeholder here"
    );
}

#[test]
fn what_no_provider_can_mean_is_refused_before_sending() {
    let client = Client::new(settings(), Secret::new(TOKEN)).unwrap();
    let id = TransactionId::new("T-1").unwrap();
    let funded = |change: fn(&mut Fund)| {
        let mut request = fund();
        change(&mut request);
        client.prepare_fund(&request, &id).unwrap_err().to_string()
    };
    assert_eq!(funded(|fund| fund.amount = Money::from_minor(0)), "fund loan (E6): `amount` is not above zero");
    assert_eq!(funded(|fund| fund.amount = Money::from_minor(-5)), "fund loan (E6): `amount` is not above zero");
    assert_eq!(funded(|fund| fund.loan_id = "..".to_owned()), "fund loan (E6): `loanId` cannot be part of a path");
    let blank = "fund loan (E6): `loanId` has a blank or an invisible character; give it without";
    assert_eq!(funded(|fund| fund.loan_id = "L-1 ".to_owned()), blank);
    assert_eq!(funded(|fund| fund.loan_id = " L-1".to_owned()), blank);
    assert_eq!(funded(|fund| fund.loan_id = "L-1\u{a0}".to_owned()), blank);
    assert_eq!(funded(|fund| fund.loan_id = "L-1\u{200b}".to_owned()), blank);
    assert_eq!(funded(|fund| fund.loan_id = "\u{feff}L-1".to_owned()), blank);
    assert_eq!(funded(|fund| fund.customer_id.clear()), "fund loan (E6): `customerId` is empty");
    assert_eq!(funded(|fund| fund.loan_reference_id.clear()), "fund loan (E6): `loanReferenceId` is empty");
    for id in ["", " ", "a b", "ä", "a\n", &"x".repeat(129)] {
        assert!(TransactionId::new(id).is_err(), "{id:?}");
    }

    let mut many = settings();
    many.iqr.bulk_quantity_max = 99;
    let iqr = iqr::Client::new(many, Secret::new(TOKEN)).unwrap();
    let bulk = |quantity: u32| RequestUnassigned {
        transaction_ref: "R".to_owned(),
        quantity: NonZeroU32::new(quantity).unwrap(),
        channel: Channel::Api,
    };
    assert!(iqr.prepare(&bulk(99)).is_ok());
    assert!(iqr.prepare(&bulk(100)).unwrap_err().to_string().contains("`iqr.bulk_quantity_max`"));
    let pan = |digits: &str| GetReference {
        transaction_ref: "R".to_owned(),
        qr_id: "Q".to_owned(),
        pan_last_4_digits: digits.to_owned(),
        ..GetReference::default()
    };
    assert!(iqr.prepare(&pan("4242")).is_ok());
    for digits in ["", "424", "42424", "424x", "4242424242424242"] {
        assert!(iqr.prepare(&pan(digits)).is_err(), "{digits}");
    }
    let card = ValidateCard { transaction_ref: "R".to_owned(), ..ValidateCard::default() };
    assert!(iqr.prepare(&card).unwrap_err().to_string().contains("`authData` is empty"));
}
