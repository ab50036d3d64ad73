//! The two definitions of the interface agree: the sandbox accepts what `wire` writes, and `wire` reads what the
//! sandbox answers.

use std::num::NonZeroU32;

use lendwright::base::money::{Currency, Money};
use lendwright::base::secret::Secret;
use lendwright::wire::bill::{CreateBill, GetPaymentStatus};
use lendwright::wire::iqr::{
    GetReference, Link, Operator, RequestForCustomer, RequestUnassigned, RiskControlData, User, ValidateCard,
};
use lendwright::wire::lending::{
    AcceptOffer, Acceptance, Requery, SendSms, SentTransactionId, TransactionStatus, VerifyAccount,
};
use lendwright::wire::{Call, Method, Settings, Unusable};

use crate::fixtures::sandbox::Desk;

fn settings() -> Settings {
    let mut settings = crate::provider::sandbox::config().settings;
    settings.iqr.aggregator_id = "AGG".to_owned();
    settings
}

/// Sends a call as `wire` writes it, and reads the answer as `wire` does.
async fn ask<C: Call>(desk: &Desk, call: &C, settings: &Settings) -> Result<C::Reply, Unusable> {
    let mut url = ::reqwest::Url::parse(&desk.sandbox.base_url()).unwrap();
    url.path_segments_mut().unwrap().extend(call.path(settings).unwrap());
    let query = call.query(settings).unwrap();
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    let path = url.as_str().strip_prefix(&desk.sandbox.base_url()).unwrap().to_owned();
    let body = call.body(settings).unwrap().map(|body| String::from_utf8(body.bytes()).unwrap());
    let reply = desk.send(call.method(settings).as_str(), &path, body).await.unwrap();
    call.reply(settings, &reply.bytes().await.unwrap())
}

fn channel(code: &str) -> lendwright::wire::iqr::Channel {
    code.into()
}

#[tokio::test]
async fn on_the_lending_service() {
    for method in [Method::Get, Method::Post] {
        let mut settings = settings();
        (settings.verify_account.method, settings.requery.method) = (method, method);
        settings.requery.transaction_field = "transactionId".to_owned();
        settings.requery.path = "lending-service/api/v1/requery".to_owned();
        let desk = Desk::with(|config| config.settings = settings.clone()).await;
        let person = desk.person();
        let offer = desk.offered("OFFER-1", "").await;
        let accept = AcceptOffer {
            customer_id: person.customer_id.clone(),
            offer_id: offer,
            destination_account_number: person.account_number.clone(),
            destination_bank_code: person.bank_code.clone(),
            token: Secret::new("t"),
            loan_reference_id: "REF-OFFER-1".to_owned(),
        };
        let Acceptance::Loan { loan_id, .. } = ask(&desk, &accept, &settings).await.unwrap() else { panic!("no loan") };
        let (account_number, bank_code) = (person.account_number.clone(), person.bank_code.clone());
        let mut verify = VerifyAccount { customer_id: person.customer_id.clone(), account_number, bank_code };
        assert_eq!(ask(&desk, &verify, &settings).await.unwrap().account_name, Some(person.name.clone()));
        verify.bank_code = "999".to_owned();
        assert!(matches!(ask(&desk, &verify, &settings).await, Err(Unusable::Rejected { code, .. }) if code == "S404"));

        assert_eq!(desk.fund(&loan_id, desk.fund_body(&loan_id, "T-1")).await.0, 200);
        for (id, expected) in [("T-1", true), ("T-2", false)] {
            let transaction_id = SentTransactionId::recall(id).unwrap();
            let requery = Requery { transaction_id, loan_id: loan_id.clone(), sent: None };
            match (ask(&desk, &requery, &settings).await.unwrap(), expected) {
                (TransactionStatus::Succeeded { transaction_ref: Some(_) }, true)
                | (TransactionStatus::NotFound, false) => {}
                (status, _) => panic!("{id}: {status:?}"),
            }
        }
        let (customer_id, loan_id) = (person.customer_id, loan_id);
        let sms = SendSms { customer_id, msisdn: "2348000000000".to_owned(), message: "Paid".to_owned(), loan_id };
        assert_eq!(ask(&desk, &sms, &settings).await.unwrap().response_code, "00");
    }
}

#[tokio::test]
async fn on_iqr_issuing() {
    let settings = settings();
    let desk = Desk::with(|config| config.settings = settings.clone()).await;
    let user = User { user_id: Some("U".to_owned()), bvn: Some("22222222222".to_owned()), ..User::default() };
    let location = Some(("3.4".to_owned(), "6.5".to_owned()));
    let ip_address = Some("192.0.2.1".to_owned());
    let risk = RiskControlData { operator_id: Some("O".to_owned()), current_location: location, ip_address };
    let mobile_number = Some("2348000000000".to_owned());
    let validate = ValidateCard {
        transaction_ref: "V".to_owned(),
        auth_data: Secret::new("encrypted"),
        mobile_number: mobile_number.clone(),
        need_image: true,
        channel: channel("USSD"),
        user: Some(user.clone()),
        risk_control_data: Some(risk.clone()),
    };
    assert_eq!(ask(&desk, &validate, &settings).await.unwrap().code, "00");
    let single = RequestForCustomer {
        transaction_ref: "S".to_owned(),
        auth_data: Secret::new("encrypted"),
        mobile_number: mobile_number.clone(),
        otp: Some(Secret::new("123456")),
        need_image: true,
        channel: channel("WEB"),
        user: Some(user.clone()),
        risk_control_data: Some(risk.clone()),
    };
    let issued = ask(&desk, &single, &settings).await.unwrap();
    assert!(issued.text("qrImage").is_some());
    let reference = GetReference {
        transaction_ref: "R".to_owned(),
        mobile_number: mobile_number.clone(),
        qr_id: issued.text("qrId").unwrap(),
        pan_last_4_digits: "1234".to_owned(),
        channel: channel("API"),
        user: Some(user),
        risk_control_data: Some(risk.clone()),
    };
    assert_eq!(ask(&desk, &reference, &settings).await.unwrap().text("qrRef"), issued.text("qrRef"));
    let quantity = NonZeroU32::new(2).unwrap();
    let bulk = RequestUnassigned { transaction_ref: "B".to_owned(), quantity, channel: channel("API") };
    let listed = ask(&desk, &bulk, &settings).await.unwrap().fields()["iqrs"].clone();
    let text = |name: &str| listed[1][name].as_str().unwrap().to_owned();
    let link = Link {
        transaction_ref: "L".to_owned(),
        qr_id: text("qrId"),
        mobile_number,
        qr_ref: text("qrRef"),
        channel: channel("API"),
        need_image: false,
        operator: Some(Operator::new("{}").unwrap()),
        risk_control_data: Some(risk),
    };
    assert_eq!(ask(&desk, &link, &settings).await.unwrap().text("qrId"), Some(text("qrId")));
    let again = Link { transaction_ref: "L2".to_owned(), ..link };
    assert!(matches!(ask(&desk, &again, &settings).await, Err(Unusable::Rejected { code, .. }) if code == "S409"));
}

#[tokio::test]
async fn on_pay_bill() {
    let settings = settings();
    let desk = Desk::with(|config| config.settings = settings.clone()).await;
    let (amount, currency) = (Money::from_minor(150_000), Currency::from_numeric("036").unwrap());
    let create = CreateBill {
        merchant_code: "M1".to_owned(),
        payable_code: "P1".to_owned(),
        amount,
        currency,
        redirect_url: "https://merchant.example/done?order=7".to_owned(),
        customer_id: "C1".to_owned(),
        customer_email: Some("someone@merchant.example".to_owned()),
        transaction_reference: None,
    };
    let bill = ask(&desk, &create, &settings).await.unwrap();
    assert_eq!((bill.amount, bill.currency_code.as_str()), (150_000, "036"));
    let status =
        GetPaymentStatus { merchant_code: "M1".to_owned(), reference: bill.reference.clone(), amount, currency };
    assert_eq!(ask(&desk, &status, &settings).await.unwrap().code, "01");
    assert_eq!(desk.press(&format!("/sandbox/pay/{}", bill.reference), "amount=149999").await, 303);
    let said = ask(&desk, &status, &settings).await.unwrap();
    assert_eq!((said.code.as_str(), said.amount), ("00", Some(Money::from_minor(149_999))));
    assert_eq!((said.reference, said.currency), (Some(bill.reference), Some("036".to_owned())));
}
