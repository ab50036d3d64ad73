//! HTTP and TLS for all calls. Knows nothing of any one call.

use std::time::Duration;

use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue,
    TRANSFER_ENCODING, USER_AGENT as USER_AGENT_HEADER,
};
use reqwest::{ClientBuilder, Url};

use super::Error;
use crate::base::secret::Secret;
use crate::provider::tls;
use crate::provider::wire::{Authentication, Headers, Settings};

const USER_AGENT: &str = concat!("lendwright/", env!("CARGO_PKG_VERSION"));
const OWNER: &str = "settings";

/// What a caller changes of the HTTP client.
pub(crate) type Customize<'c> = dyn Fn(ClientBuilder) -> ClientBuilder + 'c;

/// A connection pool that reads no environment variables. Whatever `customize` changes, it follows no redirects and
/// retries nothing by itself: either could repeat a call that moves money.
pub(crate) fn build_http_client(
    settings: &Settings,
    base: &Url,
    customize: &Customize<'_>,
) -> Result<reqwest::Client, Error> {
    let limits = &settings.limits;
    let proxy = settings.proxy.as_ref().map(|address| parse_proxy_address(address, settings, base)).transpose()?;
    let mut builder = reqwest::Client::builder()
        .user_agent(USER_AGENT)
        .no_proxy()
        .connect_timeout(Duration::from_millis(limits.connect_timeout_ms))
        .read_timeout(Duration::from_millis(limits.read_timeout_ms))
        .tls_backend_preconfigured(client_tls_config(settings, base, proxy.as_ref())?);
    if let Some(proxy) = proxy {
        let unusable = |_| Error::configuration(OWNER, "`proxy` cannot be used");
        builder = builder.proxy(reqwest::Proxy::all(proxy).map_err(unusable)?);
    }
    let fixed =
        customize(builder).redirect(reqwest::redirect::Policy::none()).retry(reqwest::retry::never()).referer(false);
    fixed.build().map_err(|_| Error::configuration(OWNER, "no HTTP client can be made from these settings"))
}

/// The proxy of all calls. It can read plain `http`, and so can anyone on the way to it. The URL parser's own error is
/// not used, because it would repeat the address, which may hold a password.
fn parse_proxy_address(address: &Secret, settings: &Settings, base: &Url) -> Result<Url, Error> {
    let refuse = |problem| Err(Error::configuration(OWNER, problem));
    let known =
        Url::parse(address.expose()).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let Some(url) = known else {
        return refuse("`proxy` is not an address that begins with `http://` or `https://` and a host");
    };
    let is_here = url.host_str().is_some_and(tls::is_this_machine);
    if base.scheme() == "http" && !is_here && !settings.allow_plain_http {
        return refuse(
            "`proxy` is another machine, to which calls in plain `http` would send the access token unencrypted; call \
             by `https`, or set `allow_plain_http`",
        );
    }
    Ok(url)
}

/// Offers HTTP/2 first. A proxy may need TLS even if the provider does not.
fn client_tls_config(settings: &Settings, base: &Url, proxy: Option<&Url>) -> Result<rustls::ClientConfig, Error> {
    let is_needed = base.scheme() == "https" || proxy.is_some_and(|url| url.scheme() == "https");
    let configured = tls::build_tls_configuration(is_needed, settings.root_certificates.as_deref());
    let mut config = configured.map_err(|error| Error::configuration(OWNER, error.to_string()))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// The headers from a host's settings, marked as sensitive so that no log shows them. Refuses headers that the client
/// sends itself, because they would be sent twice.
pub(crate) fn build_host_headers(
    given: &Headers,
    authentication: Authentication,
    host: &str,
) -> Result<HeaderMap, Error> {
    let setting = host.replace("base_url", "headers");
    let refuse = |name: &str, what: &str| Error::configuration(OWNER, format!("`{setting}` has `{name}`, {what}"));
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refuse(name, "which cannot name a header"))?;
        let is_ours = [ACCEPT, CONTENT_TYPE, CONTENT_LENGTH, HOST, USER_AGENT_HEADER, TRANSFER_ENCODING, CONNECTION];
        if is_ours.contains(&known) {
            return Err(refuse(name, "which the client sends itself"));
        }
        if known == AUTHORIZATION && authentication == Authentication::Bearer {
            return Err(refuse(name, "and each call sends the access token by that header already"));
        }
        let mut value = HeaderValue::from_str(value.expose())
            .map_err(|_| refuse(name, "whose value has characters that a header cannot contain"))?;
        value.set_sensitive(true);
        headers.insert(known, value);
    }
    Ok(headers)
}

/// The header that carries the token, marked as sensitive so that no log shows it.
pub(crate) fn authorization_header(token: &Secret) -> Result<HeaderValue, Error> {
    if token.is_empty() {
        return Err(Error::configuration(OWNER, "the access token is empty"));
    }
    let mut value = HeaderValue::from_str(&format!("Bearer {}", token.expose()))
        .map_err(|_| Error::configuration(OWNER, "the access token has characters that a header cannot contain"))?;
    value.set_sensitive(true);
    Ok(value)
}
