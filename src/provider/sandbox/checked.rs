//! Checks a sandbox's configuration before it starts: what cannot be done is refused, never ignored. Knows nothing of
//! how it is done.

use axum::http::HeaderValue;

use super::address;
use super::behaviour::{ATTEMPTS_MAX, COPIES_MAX, Notifications};
use super::config::{Config, Error};
use super::contract::Endpoint;
use super::faults::{Fault, Faults, is_final_status};

/// Refuses a configuration that cannot be carried out.
pub(crate) fn check_sandbox_config(config: &Config) -> Result<(), Error> {
    address::check_callback_addresses(config)?;
    check_header_texts(config)?;
    check_all_faults(&config.faults)?;
    if config.behaviour.forwards_to_lender && config.lender.is_none() {
        return Err(unusable_setting_error(
            "behaviour.forwards_to_lender".to_owned(),
            "needs the address of a lender; without one there is nobody to forward to",
        ));
    }
    check_notifications(&config.behaviour.notifications)
}

/// Refuses invalid fault configurations: those without effect, or with another effect than asked for.
pub(crate) fn check_all_faults(faults: &Faults) -> Result<(), Error> {
    let asked = Endpoint::ALL.into_iter().filter_map(|endpoint| Some((endpoint, faults.for_endpoint(endpoint)?)));
    for (endpoint, asked) in asked {
        check_one_fault(asked)
            .map_err(|(name, problem)| unusable_setting_error(format!("faults.{}.{name}", endpoint.name()), problem))?;
    }
    Ok(())
}

/// Checks one fault. An error names the invalid field and says why.
pub(crate) fn check_one_fault(fault: &Fault) -> Result<(), (&'static str, &'static str)> {
    let is_header = |text: &Option<String>| text.as_deref().is_none_or(|text| HeaderValue::from_str(text).is_ok());
    if fault.status.is_some_and(|status| !is_final_status(status)) {
        return Err(("status", "is not the status of an answer: 200 to 599"));
    }
    if !is_header(&fault.redirect_to) {
        return Err(("redirect_to", "is not a valid header value"));
    }
    if !is_header(&fault.content_type) {
        return Err(("content_type", "is not a valid header value"));
    }
    if fault.drip_bytes_per_second == Some(0) {
        return Err((
            "drip_bytes_per_second",
            "is 0: the answer would never end; `lost_after_commit` or a high `latency_ms` may be meant",
        ));
    }
    if fault.redirect_to.is_some() && fault.status.is_some_and(|status| !(300..400).contains(&status)) {
        return Err(("redirect_to", "goes with no `status`, or with one from 300 to 399"));
    }
    let alone = Fault { after: fault.after, times: fault.times, after_commit: true, ..Fault::default() };
    if *fault == alone {
        return Err((
            "after_commit",
            "says when `latency_ms`, `status` or `redirect_to` apply, and none of them is set",
        ));
    }
    if fault.times == Some(0) {
        return Err(("times", "is 0: it would never happen"));
    }
    Ok(())
}

fn check_notifications(asked: &Notifications) -> Result<(), Error> {
    let refused = |name: &str, problem| Err(unusable_setting_error(format!("behaviour.notifications.{name}"), problem));
    if asked.copies == 0 && !asked.suppressed {
        return refused("copies", "is 0; `suppressed = true` sends none");
    }
    if asked.copies > COPIES_MAX {
        return refused("copies", "is more than 100");
    }
    if !(1..=ATTEMPTS_MAX).contains(&asked.attempts_max) {
        return refused("attempts_max", "is not from 1 to 20");
    }
    Ok(())
}

/// Refuses texts that no header can carry: the callers' token, and the lender's user name and password.
fn check_header_texts(config: &Config) -> Result<(), Error> {
    let lender = config.lender.as_ref();
    let texts = [
        ("token", Some(config.token.expose())),
        ("lender.username", lender.map(|lender| lender.username.as_str())),
        ("lender.password", lender.map(|lender| lender.password.expose())),
    ];
    for (setting, text) in texts {
        // Other characters do not survive every header.
        if text.is_some_and(|text| !text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || text.trim() != text) {
            return Err(unusable_setting_error(
                setting.to_owned(),
                "is not a valid header value: use ASCII letters, digits and punctuation, with no blank at its ends",
            ));
        }
    }
    match config.token.expose().is_empty() {
        true => Err(unusable_setting_error("token".to_owned(), "is empty")),
        false => Ok(()),
    }
}

fn unusable_setting_error(setting: String, problem: &'static str) -> Error {
    Error::Setting { setting, problem }
}
