//! Addresses of hosts, parsed and checked before anything is sent to them. Errors do not repeat an address, because
//! people put passwords into addresses. Knows nothing of what is sent.

use reqwest::Url;

use super::Error;
use crate::provider::tls::is_this_machine;

/// Parses and checks the address in `setting`.
pub(crate) fn parse_host_address(setting: &str, text: &str, allow_plain_http: bool) -> Result<Url, Error> {
    let refuse = |problem: &str| Err(Error::configuration("settings", format!("`{setting}` {problem}")));
    if text.trim().is_empty() {
        return refuse("is empty; give the provider's address, such as `https://provider.example`");
    }
    let Ok(url) = Url::parse(text.trim()) else {
        return refuse("is not an address such as `https://provider.example`");
    };
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return refuse("does not begin with `https://` and a host");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("holds a user name or password; the access token is given separately");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refuse("holds a query or a fragment");
    }
    if url.scheme() == "http" && !url.host_str().is_some_and(is_this_machine) && !allow_plain_http {
        return refuse(
            "is plain `http`, which would send the access token unencrypted; use `https`, or set `allow_plain_http`",
        );
    }
    Ok(url)
}

/// Host and port, for errors.
pub(crate) fn format_host_and_port(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port_or_known_default() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}
