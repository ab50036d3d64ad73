//! A call turned into the exact request, and that request shown with its secrets masked. Knows nothing of sockets.

use std::fmt;

use reqwest::Url;

use super::Error;
use crate::wire::{Body, Call, Method, Settings};

/// A request as it would be sent. `Display` shows it line by line with the token and personal parameters masked.
#[derive(Clone)]
pub struct Prepared {
    method: Method,
    url: Url,
    shown: Url,
    body: Option<Body>,
}

impl Prepared {
    pub(crate) fn new<C: Call>(call: &C, settings: &Settings, base: &Url) -> Result<Self, Error> {
        let refused = |problem: crate::wire::Unsendable| Error::configuration(C::NAME, problem.to_string());
        let path = call.path(settings).map_err(refused)?;
        let pairs = call.query(settings).map_err(refused)?;
        let mut url = base.clone();
        url.path_segments_mut()
            .map_err(|()| Error::configuration(C::NAME, "`base_url` cannot carry a path"))?
            .pop_if_empty()
            .extend(path);
        let mut shown = url.clone();
        set_query(&mut url, &pairs);
        let masked: Vec<_> = pairs
            .into_iter()
            .map(|(name, value)| match call.is_personal(&name) {
                true => (name, "[personal]".to_owned()),
                false => (name, value),
            })
            .collect();
        set_query(&mut shown, &masked);
        let body = call.body(settings).map_err(refused)?;
        Ok(Prepared { method: call.method(settings), url, shown, body })
    }

    /// The HTTP method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The encoded path.
    pub fn path(&self) -> &str {
        self.url.path()
    }

    /// The encoded query, exactly as sent. It may hold personal data.
    pub fn query(&self) -> &str {
        self.url.query().unwrap_or_default()
    }

    /// The JSON body, where there is one.
    pub fn body(&self) -> Option<&Body> {
        self.body.as_ref()
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Host and port, for errors.
    pub(crate) fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        match self.url.port_or_known_default() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }
}

/// Spaces as `%20`: every decoder reads that, while `+` is a space for some and a plus sign for others.
fn set_query(url: &mut Url, pairs: &[(String, String)]) {
    if pairs.is_empty() {
        return;
    }
    url.query_pairs_mut().extend_pairs(pairs);
    let encoded = url.query().unwrap_or_default().replace('+', "%20");
    url.set_query(Some(&encoded));
}

impl fmt::Display for Prepared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{} {}", self.method.as_str(), self.shown)?;
        writeln!(formatter, "authorization: Bearer [secret]")?;
        write!(formatter, "accept: application/json")?;
        match &self.body {
            Some(body) => write!(formatter, "\ncontent-type: application/json\n\n{body}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Prepared({} {})", self.method.as_str(), self.url.path())
    }
}

/// Reads and checks `base_url`. Its text is not repeated in errors: people put passwords into addresses.
pub(crate) fn base_url(settings: &Settings) -> Result<Url, Error> {
    let refuse = |problem: &str| Err(Error::configuration("settings", format!("`base_url` {problem}")));
    if settings.base_url.trim().is_empty() {
        return refuse("is empty; give the provider's address, such as `https://provider.example`");
    }
    let Ok(url) = Url::parse(settings.base_url.trim()) else {
        return refuse("is not an address such as `https://provider.example`");
    };
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return refuse("does not begin with `https://` and a host");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("holds a user name or password; the access token is given apart");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return refuse("holds a query or a fragment");
    }
    if url.scheme() == "http" && !is_loopback(&url) && !settings.allow_plain_http {
        return refuse(
            "is plain `http`, which would send the access token readable; use `https`, or set `allow_plain_http`",
        );
    }
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
