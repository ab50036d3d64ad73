//! A call as the exact request, and that request with its secrets redacted. Knows nothing of sockets.

use std::fmt;

use reqwest::Url;

use super::{Error, address};
use crate::provider::wire::{Authentication, Body, Call, Host, Method, PERSONAL, SECRET, Settings};

/// A request as it would be sent. `Display` shows it line by line, with the token and personal data redacted.
#[derive(Clone)]
pub struct Prepared {
    method: Method,
    url: Url,
    shown: Url,
    body: Option<Body>,
    headers: &'static [(&'static str, &'static str)],
    /// The names of the headers from the settings.
    given: Vec<String>,
    has_token: bool,
}

impl Prepared {
    pub(crate) fn new<C: Call>(call: &C, settings: &Settings, base: &Url) -> Result<Self, Error> {
        let refused = |problem: crate::provider::wire::Unsendable| Error::configuration(C::NAME, problem.to_string());
        let pairs = call.query(settings).map_err(refused)?;
        let below = |path: Vec<String>| {
            let mut url = base.clone();
            let unusable = |()| Error::configuration(C::NAME, "`base_url` cannot carry a path");
            url.path_segments_mut().map_err(unusable)?.pop_if_empty().extend(path);
            Ok(url)
        };
        let mut url = below(call.path(settings).map_err(refused)?)?;
        let mut shown = below(call.shown_path(settings).map_err(refused)?)?;
        set_query(&mut url, &pairs);
        let redacted: Vec<_> = pairs
            .into_iter()
            .map(|(name, value)| match call.is_personal(&name) {
                true => (name, PERSONAL.to_owned()),
                false => (name, value),
            })
            .collect();
        set_query(&mut shown, &redacted);
        let body = call.body(settings).map_err(refused)?;
        let mut given: Vec<String> = C::Host::headers(settings).keys().map(|name| name.to_ascii_lowercase()).collect();
        given.sort_unstable();
        let has_token = C::Host::authentication(settings) == Authentication::Bearer;
        Ok(Prepared { method: call.method(settings), url, shown, body, headers: call.headers(), given, has_token })
    }

    /// The HTTP method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The encoded path. It may hold personal data if a setting puts them there.
    pub fn path(&self) -> &str {
        self.url.path()
    }

    /// The encoded query, exactly as sent. It may hold personal data.
    pub fn query(&self) -> &str {
        self.url.query().unwrap_or_default()
    }

    /// The JSON body, if any.
    pub fn body(&self) -> Option<&Body> {
        self.body.as_ref()
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Host and port, for errors.
    pub(crate) fn host(&self) -> String {
        address::format_host_and_port(&self.url)
    }
}

/// Encodes spaces as `%20`, which every decoder reads. `+` is a space for some and a plus sign for others.
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
        // This is for people, so the brackets of masks are not encoded.
        let shown = self.shown.as_str().replace("%5Bpersonal%5D", PERSONAL);
        writeln!(formatter, "{} {shown}", self.method.as_str())?;
        if self.has_token {
            writeln!(formatter, "authorization: Bearer [secret]")?;
        }
        for name in &self.given {
            writeln!(formatter, "{name}: {SECRET}")?;
        }
        write!(formatter, "accept: application/json")?;
        for (name, value) in self.headers {
            write!(formatter, "\n{name}: {value}")?;
        }
        match &self.body {
            Some(body) => write!(formatter, "\ncontent-type: application/json\n\n{body}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Prepared({} {})", self.method.as_str(), self.shown.path())
    }
}
