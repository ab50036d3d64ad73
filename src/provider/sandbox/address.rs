//! Checks the addresses that the sandbox calls, before it starts. Errors do not repeat an address, because people put
//! passwords into addresses. Knows nothing of what is sent.

use reqwest::Url;

use super::config::{Config, Error};
use crate::provider::tls::is_this_machine;

/// Refuses invalid addresses, and those that would send passwords or payments over a network in plain text.
pub(crate) fn check_callback_addresses(config: &Config) -> Result<(), Error> {
    let lender = config.lender.as_ref().map(|lender| ("lender.url", lender.url.as_str()));
    let webhook = config.webhook_url.as_deref().map(|url| ("webhook_url", url));
    for (setting, text) in lender.into_iter().chain(webhook) {
        check_one_address(text).map_err(|problem| Error::Setting { setting: setting.to_owned(), problem })?;
    }
    Ok(())
}

fn check_one_address(text: &str) -> Result<(), &'static str> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    match url {
        None => Err("is not an address that begins with `http://` or `https://` and a host"),
        Some(url) if url.scheme() == "http" && !url.host_str().is_some_and(is_this_machine) => {
            Err("is plain `http` to another machine, which would send passwords and what people paid readable; use \
             `https`, or a loopback address such as `http://127.0.0.1:9000`")
        }
        Some(_) => Ok(()),
    }
}
