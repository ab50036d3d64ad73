//! Requests to the letter, what is refused before sending, and settings.

use lendwright::base::secret::Secret;
use lendwright::client::{Class, Client, blocking};
use lendwright::wire::{GetOffers, Layout, Offer, ReceivedOffers, Segment, SendOffers, Settings};
use proptest::prelude::*;

use super::{STATEMENT, TOKEN, client, offer, settings};
use crate::fixtures::scripted_server::{Server, json};

const BASE: &str = "https://provider.example/base/";

fn with(change: impl FnOnce(&mut Settings)) -> Client {
    let mut settings = settings(BASE);
    change(&mut settings);
    client(settings)
}

fn query(client: &Client, offers: Vec<Offer>) -> String {
    client.prepare(&SendOffers::new("REF-1", offers)).unwrap().query().to_owned()
}

const FIRST: &str = "offerId=a&amountOffered=5000000&interest=3.5&amountPayable=5200000&fee=50000&tenure=30\
    &terms=Single%20repayment%20%2B%20fee&expiryDate=2026-07-07T00%3A00%3A00Z&currency=566&isPartPaymentAllowed=true";

#[test]
fn send_offers_repeated() {
    let client = with(|_| {});
    let head = "code=00&message=Successful&providerCode=LENDER";
    assert_eq!(query(&client, vec![offer("a")]), format!("{head}&offers=1&{FIRST}"));
    let second = FIRST.replace("offerId=a", "offerId=b");
    assert_eq!(query(&client, vec![offer("a"), offer("b")]), format!("{head}&offers=2&{FIRST}&{second}"));
    let prepared = client.prepare(&SendOffers::new("REF/1", vec![offer("a")])).unwrap();
    assert_eq!(prepared.path(), "/base/lending-service/api/v1/offers/REF%2F1/send-offers");
}

#[test]
fn send_offers_indexed() {
    let client = with(|settings| settings.send_offers.layout = Layout::Indexed);
    let group = |index: usize, id: &str| {
        let group = FIRST.replace("offerId=a", &format!("offerId={id}"));
        group.split('&').map(|pair| format!("&offers%5B{index}%5D.{pair}")).collect::<String>()
    };
    let expected = format!("code=00&message=Successful&providerCode=LENDER{}{}", group(0, "a"), group(1, "b"));
    assert_eq!(query(&client, vec![offer("a"), offer("b")]), expected);
}

#[test]
fn send_offers_json() {
    let client = with(|settings| settings.send_offers.layout = Layout::Json);
    let expected = "code=00&message=Successful&providerCode=LENDER&offers=%5B%7B%22offerId%22%3A%22a%22\
        %2C%22amountOffered%22%3A5000000%2C%22interest%22%3A3.5%2C%22amountPayable%22%3A5200000%2C%22fee%22%3A50000\
        %2C%22tenure%22%3A30%2C%22terms%22%3A%22Single%20repayment%20%2B%20fee%22\
        %2C%22expiryDate%22%3A%222026-07-07T00%3A00%3A00Z%22%2C%22currency%22%3A%22566%22\
        %2C%22isPartPaymentAllowed%22%3Atrue%7D%5D";
    assert_eq!(query(&client, vec![offer("a")]), expected);
}

#[test]
fn send_offers_one_call_each() {
    let client = with(|settings| settings.send_offers.layout = Layout::OneCallEach);
    let calls = SendOffers::new("REF-1", vec![offer("a"), offer("b")]).calls(client.settings());
    let queries: Vec<String> = calls.iter().map(|call| client.prepare(call).unwrap().query().to_owned()).collect();
    let first = format!("code=00&message=Successful&providerCode=LENDER&offers=1&{FIRST}");
    assert_eq!(queries, [first.clone(), first.replace("offerId=a", "offerId=b")]);
}

#[test]
fn a_decline_sends_no_offer_parameter_in_any_layout() {
    for layout in [Layout::Repeated, Layout::Indexed, Layout::Json, Layout::OneCallEach] {
        let client = with(|settings| {
            settings.send_offers.layout = layout;
            settings.send_offers.decline_code = "05".to_owned();
        });
        assert_eq!(query(&client, Vec::new()), "code=05&message=No%20offer&providerCode=LENDER");
    }
}

#[test]
fn the_path_segment_is_a_setting() {
    let path = |segment: Segment| {
        let client = with(|settings| settings.send_offers.segment = segment);
        let path = client.prepare(&SendOffers::new("REF-1", vec![offer("a")])).unwrap().path().to_owned();
        path.strip_prefix("/base/lending-service/api/v1/offers/").unwrap().to_owned()
    };
    assert_eq!(path(Segment::OfferRequestReference), "REF-1/send-offers");
    assert_eq!(path(Segment::OfferId), "a/send-offers");
    assert_eq!(path(Segment::ProviderCode), "LENDER/send-offers");
    assert_eq!(path(Segment::Fixed("all".to_owned())), "all/send-offers");
    let client = with(|settings| settings.send_offers.segment = Segment::OfferId);
    let error = client.prepare(&SendOffers::decline("REF-1")).unwrap_err();
    assert_eq!(error.class(), Class::Configuration);
}

#[test]
fn what_no_provider_can_mean_is_refused_before_sending() {
    type Change = fn(&mut Offer);
    let cases: [(Change, &str); 10] = [
        (|offer| offer.offer_id = " ".to_owned(), "offer ` `: `offerId` is empty"),
        (|offer| offer.amount_offered = 0, "offer `a`: `amountOffered` is not above zero"),
        (|offer| offer.interest = f64::INFINITY, "offer `a`: `interest` is not a number from zero up"),
        (|offer| offer.interest = -0.1, "offer `a`: `interest` is not a number from zero up"),
        (|offer| offer.amount_payable = -1, "offer `a`: `amountPayable` is not above zero"),
        (|offer| offer.fee = -1, "offer `a`: `fee` is below zero"),
        (|offer| offer.tenure = 0, "offer `a`: `tenure` is zero"),
        (
            |offer| offer.expiry_date = "2026-07-07".to_owned(),
            "offer `a`: `expiryDate` is not an ISO 8601 timestamp in UTC",
        ),
        (
            |offer| offer.expiry_date = "2026-07-07T00:00:00+01:00".to_owned(),
            "offer `a`: `expiryDate` is not an ISO 8601 timestamp in UTC",
        ),
        (|offer| offer.currency = "NGN".to_owned(), "offer `a`: `currency` is not an ISO 4217 numeric code"),
    ];
    let client = with(|_| {});
    for (change, expected) in cases {
        let mut offer = offer("a");
        change(&mut offer);
        let error = client.prepare(&SendOffers::new("REF-1", vec![offer])).unwrap_err();
        assert_eq!(error.to_string(), format!("send offers (E3): {expected}"));
        assert!(error.is_configuration() && error.is_not_sent());
    }
    let twice = client.prepare(&SendOffers::new("REF-1", vec![offer("a"), offer("a")])).unwrap_err();
    assert_eq!(twice.to_string(), "send offers (E3): offer `a` is given twice");
    for reference in ["", " ", ".", "..", "a\nb", "a\0"] {
        assert!(client.prepare(&SendOffers::decline(reference)).is_err(), "{reference:?}");
    }
    let nameless = with(|settings| settings.provider_code.clear());
    assert!(nameless.prepare(&SendOffers::decline("REF-1")).is_err());
}

#[test]
fn a_customers_request_is_sent_to_the_letter_and_shown_masked() {
    let request = GetOffers {
        customer_id: "C 1".to_owned(),
        channel_code: "WEB".to_owned(),
        amount: 5_000_000,
        service_type: "LOAN".to_owned(),
        date_of_birth: "1990-02-28".to_owned(),
    };
    let client = with(|_| {});
    let prepared = client.prepare(&request).unwrap();
    assert_eq!(prepared.path(), "/base/lending-service/api/v3/offers");
    assert_eq!(
        prepared.query(),
        "customerId=C%201&channelCode=WEB&amount=5000000&serviceType=LOAN&dateOfBirth=1990-02-28&providerCode=LENDER"
    );
    assert_eq!(
        prepared.to_string(),
        "GET https://provider.example/base/lending-service/api/v3/offers?customerId=[personal]&channelCode=WEB\
         &amount=5000000&serviceType=LOAN&dateOfBirth=[personal]&providerCode=LENDER\n\
         authorization: Bearer [secret]\naccept: application/json"
    );
    assert!(!format!("{prepared:?} {client:?}").contains("1990"));
    assert!(client.prepare(&GetOffers { amount: 0, ..request.clone() }).is_err());
    assert!(client.prepare(&GetOffers { date_of_birth: "1990-02-30".to_owned(), ..request }).is_err());
}

#[test]
fn nothing_shows_the_token() {
    let client = with(|settings| settings.proxy = Some(Secret::new("http://user:hunter2@127.0.0.1:1")));
    let prepared = client.prepare(&SendOffers::decline("REF-1")).unwrap();
    for text in [format!("{client:?}"), format!("{client:#?}"), format!("{prepared}"), format!("{prepared:?}")] {
        assert!(!text.contains(TOKEN) && !text.contains("hunter2"), "{text}");
    }
}

#[test]
fn addresses_and_tokens_that_cannot_be_used_are_refused_without_repeating_them() {
    let addresses = [
        "",
        "provider.example",
        "ftp://provider.example",
        "https://",
        "https://user:canary-token-5f3a@provider.example",
        "https://provider.example?key=canary-token-5f3a",
        "https://provider.example#x",
        "http://provider.example",
        "http://localhost.provider.example",
        "http://10.0.0.1",
    ];
    for address in addresses {
        let error = Client::new(settings(address), Secret::new(TOKEN)).expect_err(address);
        assert_eq!(error.class(), Class::Configuration, "{address}");
        super::assert_silent(&error);
    }
    for token in ["", "two\nlines", "nul\0"] {
        let error = Client::new(settings(BASE), Secret::new(token)).unwrap_err();
        assert_eq!(error.class(), Class::Configuration);
        assert!(!format!("{error} {error:?}").contains("lines"));
    }
    for address in ["http://127.0.0.1:1", "http://localhost:1", "http://[::1]:1", "https://10.0.0.1"] {
        assert!(Client::new(settings(address), Secret::new(TOKEN)).is_ok(), "{address}");
    }
    let mut plain = settings("http://10.0.0.1");
    plain.allow_plain_http = true;
    assert!(Client::new(plain, Secret::new(TOKEN)).is_ok());
}

#[test]
fn settings_have_defaults_and_know_their_names() {
    let read = |text: &str| serde_json::from_str::<Settings>(text);
    let settings =
        read(r#"{"base_url":"https://x","send_offers":{"layout":"one_call_each","segment":{"fixed":"all"}}}"#).unwrap();
    assert_eq!(settings.send_offers.layout, Layout::OneCallEach);
    assert_eq!(settings.send_offers.segment, Segment::Fixed("all".to_owned()));
    assert_eq!(settings.limits.body_bytes_max, 50_000_000);
    for text in [r#"{"base":"x"}"#, r#"{"limits":{"retries":1}}"#, r#"{"send_offers":{"layout":"csv"}}"#] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn the_blocking_client_does_the_same_without_a_runtime() {
    let server = Server::fixed(json(STATEMENT));
    let client = blocking::Client::new(settings(&server.base_url), Secret::new(TOKEN)).unwrap();
    for _ in 0..2 {
        assert_eq!(client.pull("REF-1").unwrap().into_statement().unwrap(), STATEMENT.as_bytes());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async move {
        assert_eq!(client.pull("REF-1").unwrap_err().class(), Class::Configuration);
        drop(client);
    });
}

fn offers() -> impl Strategy<Value = Vec<Offer>> {
    let one = (1..=i64::MAX, 0.0..1e6_f64, 1..=i64::MAX, 0..=i64::MAX, 1..=u32::MAX, any::<String>(), any::<bool>());
    proptest::collection::vec(one, 1..6).prop_map(|list| {
        let offers = list.into_iter().enumerate();
        offers
            .map(|(index, (amount_offered, interest, amount_payable, fee, tenure, terms, is_part_payment_allowed))| {
                Offer {
                    offer_id: format!("{index}&{terms}"),
                    amount_offered,
                    interest,
                    amount_payable,
                    fee,
                    tenure,
                    terms,
                    is_part_payment_allowed,
                    ..offer("")
                }
            })
            .collect()
    })
}

proptest! {
    #[test]
    fn what_the_client_writes_the_provider_reads(offers in offers(), layout in 0..3_usize) {
        let layout = [Layout::Repeated, Layout::Indexed, Layout::Json][layout];
        let client = with(|settings| settings.send_offers.layout = layout);
        let prepared = client.prepare(&SendOffers::new("REF-1", offers.clone())).unwrap();
        let url = reqwest::Url::parse(&format!("http://x/?{}", prepared.query())).unwrap();
        let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let received = ReceivedOffers::read("REF-1", &pairs, client.settings()).unwrap();
        prop_assert_eq!(received.offers, offers);
        prop_assert_eq!((received.code.as_str(), received.provider_code.as_str()), ("00", "LENDER"));
    }
}
