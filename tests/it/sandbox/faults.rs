//! Faults on request, as the client tells them.

use lendwright::client::{Class, Client};
use lendwright::sandbox::{Fault, FaultBody, Faults};
use lendwright::wire::SendOffers;

use super::{offer, reference, sandbox};

/// What a pull meets under a fault.
async fn pull_under(fault: Fault, expect_timeout: bool) -> Result<u64, Class> {
    let (sandbox, patient) = sandbox(|config| config.faults.transaction_records = Some(fault)).await;
    let mut settings = patient.settings().clone();
    if expect_timeout {
        settings.limits.total_timeout_ms = 100;
    }
    settings.limits.attempts_max = 2;
    settings.limits.body_bytes_max = 1_500_000;
    let client = Client::new(settings, sandbox.token().clone()).unwrap();
    // A client in a hurry might miss even this on a slow machine.
    let reference = reference(&sandbox, &patient).await;
    client.pull(&reference).await.map(|pulled| pulled.records()).map_err(|error| error.class())
}

#[tokio::test]
async fn faults_happen_on_request() {
    let none = Fault::default;
    let cases = [
        (none(), Ok(5)),
        (Fault { latency_ms: 5, drip_bytes_per_second: Some(100_000), ..none() }, Ok(5)),
        (Fault { status: Some(503), times: Some(1), ..none() }, Ok(5)),
        (Fault { truncate_at: Some(40), times: Some(1), ..none() }, Ok(5)),
        (Fault { oversize_mb: 1, ..none() }, Ok(5)),
        (Fault { gzip_bomb_mb: 1, ..none() }, Ok(5)),
        (Fault { status: Some(503), ..none() }, Err(Class::Unavailable)),
        (Fault { status: Some(429), retry_after_s: Some(3_600), ..none() }, Err(Class::RateLimited)),
        (Fault { status: Some(401), ..none() }, Err(Class::Authentication)),
        (Fault { reset: true, ..none() }, Err(Class::Unavailable)),
        (Fault { truncate_at: Some(40), ..none() }, Err(Class::Malformed)),
        (Fault { truncate_at: Some(0), ..none() }, Err(Class::Malformed)),
        (Fault { body: Some(FaultBody::Html), ..none() }, Err(Class::Malformed)),
        (Fault { body: Some(FaultBody::Empty), ..none() }, Err(Class::Malformed)),
        (Fault { body: Some(FaultBody::Garbled), ..none() }, Err(Class::Malformed)),
        (Fault { wrong_status: true, ..none() }, Err(Class::Rejected)),
        (Fault { oversize_mb: 500, ..none() }, Err(Class::TooLarge)),
        (Fault { gzip_bomb_mb: 500, ..none() }, Err(Class::TooLarge)),
        (Fault { latency_ms: 3_600_000, ..none() }, Err(Class::Timeout)),
        (Fault { drip_bytes_per_second: Some(1), ..none() }, Err(Class::Timeout)),
    ];
    for (fault, expected) in cases {
        let result = pull_under(fault.clone(), expected == Err(Class::Timeout)).await;
        assert_eq!(result, expected, "{fault:?}");
    }
}

#[tokio::test]
async fn an_answer_lost_after_the_work_and_one_refused_before_it() {
    let lost = |fault: Fault| Faults { send_offers: Some(fault), ..Faults::default() };
    let cases = [
        (Fault { reset: true, ..Fault::default() }, 1),
        (Fault { truncate_at: Some(5), ..Fault::default() }, 1),
        (Fault { body: Some(FaultBody::Html), ..Fault::default() }, 1),
        (Fault { status: Some(500), ..Fault::default() }, 0),
    ];
    for (fault, arrived) in cases {
        let (sandbox, client) = sandbox(|config| config.faults = lost(fault.clone())).await;
        let reference = reference(&sandbox, &client).await;
        let error = client.send(&SendOffers::new(&reference, vec![offer("a")])).await.unwrap_err();
        assert_eq!(error.class(), Class::Uncertain, "{fault:?}");
        assert!(error.is_outcome_unknown());
        assert_eq!(sandbox.received().len(), arrived, "{fault:?}");
    }
}

#[test]
fn a_faults_file_is_read_strictly() {
    let faults: Faults =
        toml::from_str("[transaction_records]\ntimes = 2\nbody = \"html\"\n[send_offers]\nreset = true\n").unwrap();
    let fault = faults.transaction_records.unwrap();
    assert_eq!((fault.times, fault.body, faults.get_offers), (Some(2), Some(FaultBody::Html), None));
    for text in ["[e2]\nreset = true", "[send_offers]\nresets = true", "[send_offers]\nbody = \"pdf\""] {
        assert!(toml::from_str::<Faults>(text).is_err(), "{text}");
    }
}
