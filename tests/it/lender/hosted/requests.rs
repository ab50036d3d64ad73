//! Requests and their answers, by tables. A repeated acceptance is idempotent: it gets the first answer.

use super::lender::TestLender;
use super::{ACCEPT, OFFERS, PAYMENT, STATUS, bench, bench_with, known, settings};
use lendwright::base::money::Currency;
use lendwright::base::secret::Secret;
use lendwright::lender::config::LimitSettings;
use lendwright::lender::hosted::{Conditions, Credentials, Hosted, HttpMetrics, Options, Paths, Registry};
use lendwright::wire::Settings;

#[tokio::test]
async fn each_endpoint_passes_the_request_on_and_answers_as_the_interface_shows() {
    let bench = bench();
    let mut shown = String::new();
    let accept_waits =
        ACCEPT.replace("C-1", "C-2").replace("\"token\"", "\"msisdn\":\"0801\",\"loanId\":\"L-9\",\"token\"");
    let requests = [
        ("GET", OFFERS.to_owned(), String::new()),
        ("GET", OFFERS.replace("C-1", "none"), String::new()),
        ("GET", OFFERS.replace("C-1", "later"), String::new()),
        ("POST", "/offers/OF-1/accept".to_owned(), ACCEPT.to_owned()),
        ("POST", "/offers/OF-1/accept".to_owned(), accept_waits),
        ("GET", STATUS.to_owned(), String::new()),
        ("POST", "/payment-notification".to_owned(), PAYMENT.to_owned()),
        // Unknown fields are accepted, and null is a field that is not there.
        (
            "POST",
            "/payment-notification".to_owned(),
            PAYMENT.replace("{", r#"{"more":{"a":[1,{"b":null}]},"msisdn":null,"#),
        ),
        ("GET", format!("{STATUS}&further=1"), String::new()),
    ];
    for (method, uri, body) in requests {
        let answer = if method == "GET" { bench.get(&uri).await } else { bench.post(&uri, &body).await };
        let path = uri.split('?').next().unwrap();
        shown += &format!("{method} {path}\n  {} {}\n", answer.status, answer.body);
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(answer.header("cache-control"), "no-store");
    }
    shown += "\n";
    shown += &bench.lender.done.lock().unwrap().join("\n");
    insta::assert_snapshot!(shown);
}

#[tokio::test]
async fn a_request_that_does_not_match_the_interface_is_refused_and_reaches_nobody() {
    let bench = bench();
    let mut shown = String::new();
    let deep = PAYMENT.replace("{", &format!("{{\"more\":{}{},", "[".repeat(100), "]".repeat(100)));
    let long = "x".repeat(129);
    let posts: Vec<(&str, &str, String)> = vec![
        ("empty", "/payment-notification", String::new()),
        ("a list", "/payment-notification", format!("[{PAYMENT}]")),
        ("cut off", "/payment-notification", PAYMENT[..40].to_owned()),
        ("two values", "/payment-notification", format!("{PAYMENT}{PAYMENT}")),
        ("a key twice", "/payment-notification", PAYMENT.replace("{", r#"{"customerId":"C-2","#)),
        ("a key twice in an unknown field", "/payment-notification", PAYMENT.replace("{", r#"{"more":{"a":1,"a":2},"#)),
        ("deeply nested", "/payment-notification", deep),
        ("not UTF-8", "/payment-notification", PAYMENT.replace("P-1", "P\\ud800")),
        ("a number as an id", "/payment-notification", PAYMENT.replace("\"P-1\"", "1")),
        ("an object as an id", "/payment-notification", PAYMENT.replace("\"P-1\"", "{}")),
        ("a control character", "/payment-notification", PAYMENT.replace("P-1", "P\\u0000")),
        ("a writing direction", "/payment-notification", PAYMENT.replace("P-1", "P\u{202e}1")),
        ("a long id", "/payment-notification", PAYMENT.replace("P-1", &long)),
        ("an empty id", "/payment-notification", PAYMENT.replace("P-1", "")),
        ("a blank at the end", "/payment-notification", PAYMENT.replace("P-1", "P-1 ")),
        ("null", "/payment-notification", PAYMENT.replace("\"P-1\"", "null")),
        ("another case", "/payment-notification", PAYMENT.replace("Amount", "amount")),
        ("amount a number", "/payment-notification", PAYMENT.replace("\"1250.50\"", "1250.50")),
        ("amount zero", "/payment-notification", PAYMENT.replace("1250.50", "0.00")),
        ("amount negative", "/payment-notification", PAYMENT.replace("1250.50", "-1")),
        ("amount with an exponent", "/payment-notification", PAYMENT.replace("1250.50", "1e3")),
        ("amount with separators", "/payment-notification", PAYMENT.replace("1250.50", "1,250.50")),
        ("amount too precise", "/payment-notification", PAYMENT.replace("1250.50", "1250.505")),
        ("amount too large", "/payment-notification", PAYMENT.replace("1250.50", "99999999999999999999")),
        ("amount a point", "/payment-notification", PAYMENT.replace("1250.50", ".")),
        ("another offer in the path", "/offers/OF-2/accept", ACCEPT.to_owned()),
        ("no token", "/offers/OF-1/accept", ACCEPT.replace("\"token\"", "\"tokens\"")),
        ("token a list", "/offers/OF-1/accept", ACCEPT.replace("\"tok-en\"", "[\"tok-en\"]")),
        ("loan id a number", "/offers/OF-1/accept", ACCEPT.replace("{", r#"{"loanId":7,"#)),
        ("loan id with a blank", "/offers/OF-1/accept", ACCEPT.replace("{", r#"{"loanId":"L 7","#)),
        ("loan id of two dots", "/offers/OF-1/accept", ACCEPT.replace("{", r#"{"loanId":"..","#)),
    ];
    for (name, uri, body) in posts {
        let answer = bench.post(uri, &body).await;
        shown += &format!("{name}: {} {}\n", answer.status, answer.body);
    }
    let gets = [
        ("no reference", OFFERS.replace("&offerRequestReference=OR-1", "")),
        ("the reference twice", format!("{OFFERS}&offerRequestReference=OR-2")),
        ("an unknown name twice", format!("{OFFERS}&a=1&a=2")),
        ("another lender", OFFERS.replace("LENDER", "OTHER")),
        ("amount with decimals", OFFERS.replace("5000000", "5000000.5")),
        ("amount zero", OFFERS.replace("5000000", "0")),
        ("amount with a sign", OFFERS.replace("5000000", "%2B5")),
        ("amount too large", OFFERS.replace("5000000", "9223372036854775808")),
        ("no such day", OFFERS.replace("1990-02-28", "1990-02-30")),
        ("a day in another form", OFFERS.replace("1990-02-28", "28-02-1990")),
        ("a day without padding", OFFERS.replace("1990-02-28", "1990-2-28")),
        ("not UTF-8", OFFERS.replace("C-1", "C%ff")),
        ("another loan in the path", STATUS.replace("loanId=LN-1", "loanId=LN-2")),
        ("the loan of another lender", STATUS.replace("LENDER", "OTHER")),
        ("no customer", STATUS.replace("customerId=C-1&", "")),
    ];
    for (name, uri) in gets {
        let answer = bench.get(&uri).await;
        shown += &format!("{name}: {} {}\n", answer.status, answer.body);
    }
    assert!(bench.lender.seen.lock().unwrap().is_empty());
    insta::assert_snapshot!(shown);
}

#[tokio::test]
async fn a_refusal_has_its_status_and_code() {
    let bench = bench();
    let mut shown = String::new();
    for customer in ["invalid", "unknown", "conflict", "busy", "down", "panics"] {
        let answer = bench.post("/offers/OF-1/accept", &ACCEPT.replace("C-1", customer)).await;
        let wait = answer.header("retry-after");
        shown += &format!("{customer}: {} {} retry after: {wait:?}\n", answer.status, answer.body);
    }
    for (method, uri) in [("POST", "/offers"), ("GET", "/payment-notification"), ("GET", "/loan-status"), ("GET", "/")]
    {
        let answer = bench.ask(method, uri, &known(), "").await;
        shown += &format!("{method} {uri}: {} {} allow: {:?}\n", answer.status, answer.body, answer.header("allow"));
    }
    let untyped = bench.ask("POST", "/payment-notification", &known(), PAYMENT).await;
    shown += &format!("no content type: {} {}\n", untyped.status, untyped.body);
    insta::assert_snapshot!(shown);
}

#[tokio::test]
async fn more_requests_at_once_than_allowed_are_refused_and_what_began_ends() {
    let limits = LimitSettings { in_flight_max: 1, answer_timeout_ms: 50, ..LimitSettings::default() };
    let bench = bench_with(settings(), limits);
    let slow = STATUS.replace("C-1", "waits");
    let late = bench.get(&slow).await;
    assert_eq!((late.status, late.header("retry-after")), (503, "1"));
    // The work still runs, and still counts.
    let refused = bench.get(STATUS).await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, "1"));
    assert!(refused.body.contains("too many requests at once"), "{}", refused.body);
    bench.lender.gate.add_permits(1);
    while bench.lender.done.lock().unwrap().is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    let mut status = 503;
    for _ in 0..500 {
        status = bench.get(STATUS).await.status;
        if status == 200 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    assert_eq!(status, 200);
}

#[tokio::test]
async fn fifty_equal_acceptances_at_once_get_equal_answers() {
    let bench = bench();
    let asked = (0..50).map(|_| bench.post("/offers/OF-1/accept", ACCEPT));
    let answers = futures_util::future::join_all(asked).await;
    assert!(answers.iter().all(|answer| answer.status == 200 && answer.body == answers[0].body));
    let ids: std::collections::BTreeSet<_> = answers.iter().map(|answer| answer.header("x-request-id")).collect();
    assert_eq!(ids.len(), 50);
}

#[tokio::test]
async fn the_settings_say_where_the_reference_and_the_loan_id_come_from() {
    let mut named = settings();
    named.lender.reference_parameter = "ref".to_owned();
    named.lender.reference_header = "x-reference".to_owned();
    named.lender.loan_id_field = "providerLoan".to_owned();
    named.lender.msisdn_field = String::new();
    named.lender.accept_offer_path = "/accept/".to_owned();
    named.success_code = "000".to_owned();
    named.lender.amount_unit = lendwright::base::money::AmountUnit::Minor;
    let bench = bench_with(named, LimitSettings::default());
    let none = OFFERS.replace("&offerRequestReference=OR-1", "");
    let [name, password] = known();
    let by_header = bench.ask("GET", &none, &[name, password, ("x-reference", "OR-7")], "").await;
    let by_query = bench.get(&format!("{none}&ref=OR-8")).await;
    let both = bench.ask("GET", &format!("{none}&ref=OR-8"), &[name, password, ("x-reference", "OR-7")], "").await;
    assert_eq!([by_header.status, by_query.status, both.status], [200, 200, 400]);
    let body = ACCEPT.replace("{", r#"{"providerLoan":"L-7","msisdn":7,"#);
    let accepted = bench.post("/accept", &body).await;
    assert_eq!((accepted.status, accepted.body.contains(r#""loanId":"L-7""#)), (200, true), "{}", accepted.body);
    let paid = bench.post("/payment-notification", &PAYMENT.replace("1250.50", "125050")).await;
    assert_eq!(paid.body, r#"{"responseCode":"000","responseMessage":"Successful","loanStatus":"CLOSED"}"#);
    let too_precise = bench.post("/payment-notification", PAYMENT).await;
    assert_eq!(too_precise.status, 400);
    let seen = bench.lender.seen.lock().unwrap().clone();
    assert!(seen[0].starts_with("offers OR-7") && seen[1].starts_with("offers OR-8"), "{seen:?}");
    assert!(seen[2].ends_with("None Some(\"L-7\")") && seen[3].contains(" 125050 "), "{seen:?}");
}

#[test]
fn paths_that_cannot_be_served_are_refused() {
    let change: [fn(&mut Settings); 8] = [
        |settings| settings.lender.get_offers_path = String::new(),
        |settings| settings.lender.get_offers_path = "a//b".to_owned(),
        |settings| settings.lender.get_offers_path = "offers/{customerId}".to_owned(),
        |settings| settings.lender.accept_offer_path = "a/{offerId}/{offerId}".to_owned(),
        |settings| settings.lender.accept_offer_path = "a/{offerId".to_owned(),
        |settings| settings.lender.payment_notification_path = "metrics".to_owned(),
        |settings| settings.lender.payment_notification_path = "offers/{offerId}/accept".to_owned(),
        |settings| {
            settings.lender.accept_offer_path = "/notify/".to_owned();
            settings.lender.payment_notification_path = "notify".to_owned();
        },
    ];
    let shown = change.map(|change| {
        let mut settings = settings();
        change(&mut settings);
        Paths::new(&settings.lender).unwrap_err()
    });
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn settings_by_which_nobody_can_be_served_are_refused() {
    let change: [fn(&mut Settings); 6] = [
        |settings| settings.provider_code = String::new(),
        |settings| settings.lender.reference_parameter = String::new(),
        |settings| settings.lender.codes.no_offer = "00".to_owned(),
        |settings| settings.lender.codes.later = "01".to_owned(),
        |settings| settings.success_code = "63".to_owned(),
        |settings| settings.lender.get_offers_path = "/health/live".to_owned(),
    ];
    let shown = change.map(|change| {
        let mut settings = settings();
        change(&mut settings);
        let mut registry = Registry::default();
        let metrics = HttpMetrics::register(&mut registry);
        let credentials = Credentials::new(&[("a".to_owned(), Secret::new("b"))]).unwrap();
        let currency = Currency::from_numeric("566").unwrap();
        let (limits, conditions) = (LimitSettings::default(), Conditions::default());
        let options = Options { settings, currency, limits, credentials, conditions };
        Hosted::new(options, std::sync::Arc::new(TestLender::default()), metrics).err().unwrap()
    });
    insta::assert_snapshot!(shown.join("\n"));
}

proptest::proptest! {
    /// Whatever a body holds, reading it ends, and a refusal has none of it.
    #[test]
    fn any_bytes_are_read_or_refused(
        at in 0_usize..160,
        put in proptest::collection::vec(0_u8..=255, 0..12),
        end in 0_usize..200,
    ) {
        for body in [ACCEPT, PAYMENT] {
            let mut bytes = body.as_bytes().to_vec();
            let at = at.min(bytes.len());
            bytes.splice(at..at, put.iter().copied());
            bytes.truncate(end);
            let currency = Currency::from_numeric("566").unwrap();
            let read = [
                lendwright::wire::lender::OfferAcceptance::read(None, &bytes, &settings()).map(|_| ()),
                lendwright::wire::lender::Payment::read(&bytes, &settings(), currency).map(|payment| {
                    assert!(payment.amount_minor > 0);
                }),
            ];
            for refused in read.into_iter().filter_map(Result::err) {
                let words = refused.to_string();
                assert!(words.len() < 120 && !words.contains("0123456789") && !words.contains("tok-en"), "{words}");
            }
        }
    }
}
