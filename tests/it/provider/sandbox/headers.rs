//! Headers in the interface are required, in all the forms that HTTP allows.

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::fixtures::sandbox::Desk;

/// Sends a request with only these headers and the token; returns the status and the answer's text.
async fn raw(desk: &Desk, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
    let mut stream = tokio::net::TcpStream::connect(desk.sandbox.addr()).await.unwrap();
    let token = desk.sandbox.token().expose();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
         content-length: {}\r\n{headers}\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    (answer.split(' ').nth(1).unwrap().parse().unwrap(), answer)
}

const REQUERY: &str = "/lending-service/api/v1/transactions/T?loanId=L&providerCode=SANDBOX";
const JSON: &str = "content-type: application/json\r\n";

#[tokio::test]
async fn a_call_of_the_loan_flow_says_that_it_takes_json() {
    let desk = Desk::new().await;
    let taken = [
        "accept: application/json",
        "Accept: APPLICATION/JSON",
        "accept: application/json; charset=utf-8",
        "accept: text/html, application/json;q=0.5",
        "accept: text/html\r\naccept: application/json",
        "accept: application/*",
        "accept: */*",
        "accept: text/html, */*;q=0.1",
        "accept: */*;q=0, application/json",
    ];
    for header in taken {
        assert_eq!(raw(&desk, "GET", REQUERY, &format!("{header}\r\n"), "").await.0, 200, "{header}");
    }
    let refused = [
        "",
        "accept:\r\n",
        "accept: text/html\r\n",
        "accept: application/xml, text/*\r\n",
        "accept: application/jsonp\r\n",
        "accept: application/json;q=0\r\n",
        "accept: */*, application/json; q=0.0\r\n",
    ];
    for header in refused {
        let (status, answer) = raw(&desk, "GET", REQUERY, header, "").await;
        let words = "the header `accept` is missing, or does not allow application/json";
        assert!(status == 406 && answer.contains("\"S406\"") && answer.contains(words), "{header}: {answer}");
    }
}

#[tokio::test]
async fn each_endpoint_asks_for_the_headers_that_the_interface_shows() {
    let desk = Desk::new().await;
    let loan = desk.funded().await;
    let customer = desk.person().customer_id;
    let iqr = json!({ "aggregatorID": "A", "transactionRef": "T", "authData": "x" });
    let bulk = json!({ "aggregatorID": "A", "transactionRef": "B", "quantity": 1 });
    let card = json!({ "aggregatorId": "A", "transactionRef": "T", "authData": "x" });
    let link = json!({ "aggregatorId": "A", "transactionRef": "T", "qrId": "Q", "qrRef": "R" });
    let find = json!({ "aggregatorId": "A", "transactionRef": "T", "qrId": "Q", "panLast4Digits": "1234" });
    let sms =
        json!({ "providerCode": "SANDBOX", "msisdn": "1", "message": "m", "loanId": loan, "customerId": customer });
    let bill = json!({ "merchantCode": "M", "payableCode": "P", "amount": 1, "redirectUrl": "http://localhost/",
        "customerId": "C", "currencyCode": 566 });
    let debit = desk.debit_body(&loan, "D", 100);
    let cases = [
        (format!("/lending-service/api/v1/sms?providerCode=SANDBOX&customerId={customer}"), sms, 406),
        (format!("/lending-service/api/v1/loans/{loan}/debit"), debit, 406),
        ("/api/v1/cqr/card/validate".to_owned(), card, 200),
        ("/api/v1/cqr/request".to_owned(), iqr, 200),
        ("/api/v1/cqr/request".to_owned(), bulk, 406),
        ("/api/v1/cqr/linkref".to_owned(), link, 406),
        ("/api/v1/cqr/reference".to_owned(), find, 406),
        ("/collections/api/v1/pay-bill".to_owned(), bill, 200),
    ];
    for (path, body, status) in cases {
        assert_eq!(raw(&desk, "POST", &path, JSON, &body.to_string()).await.0, status, "{path}");
        assert_eq!(raw(&desk, "POST", &path, "accept: */*\r\n", &body.to_string()).await.0, 415, "{path}");
    }
    assert_eq!(desk.only_loan().ledger.len(), 1, "what is refused does nothing");
    let status = "/collections/api/v1/gettransaction.json?merchantcode=M&transactionreference=B&amount=1";
    assert_eq!(raw(&desk, "GET", status, "", "").await.0, 415);
    assert_eq!(raw(&desk, "GET", status, "content-type: text/plain\r\n", "").await.0, 415);
    assert_eq!(raw(&desk, "GET", status, JSON, "").await.0, 404, "no such bill, by a request as it should be");
}
