//! A token from an OAuth 2 token endpoint with the grant `client_credentials` (RFC 6749, section 4.4). Knows nothing of
//! the provider's other hosts.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use serde::Deserialize;
use zeroize::Zeroizing;

use super::error::TokenError;
use super::source::{Fetching, Token, TokenSource};
use crate::base::secret::Secret;
use crate::provider::client::{Error, address, transport};
use crate::provider::wire::{ClientAuthentication, Settings};

/// The longest answer that is read.
const BYTES_MAX: usize = 64 * 1024;

/// A token endpoint with the client's own credentials. They are sent in the header `Authorization: Basic`, or in the
/// request's body.
pub struct ClientCredentials {
    http: reqwest::Client,
    url: Url,
    client_id: String,
    client_secret: Secret,
    scope: Option<String>,
    authentication: ClientAuthentication,
    parameters: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct TokenAnswer {
    access_token: Secret,
    #[serde(default)]
    token_type: Option<String>,
    #[serde(default)]
    expires_in: Option<serde_json::Value>,
}

impl ClientCredentials {
    /// An endpoint under the timeouts, proxy and rules of `settings`.
    ///
    /// # Errors
    /// `configuration`: an address that cannot be used.
    pub fn new(
        settings: &Settings,
        url: &str,
        client_id: &str,
        client_secret: Secret,
        scope: Option<&str>,
    ) -> Result<Self, Error> {
        let url = address::parse_host_address("token.client_credentials.url", url, settings.allow_plain_http)?;
        let http = transport::build_http_client(settings, &url, &|http| http)?;
        Ok(ClientCredentials {
            http,
            url,
            client_id: client_id.to_owned(),
            client_secret,
            scope: scope.map(str::to_owned),
            authentication: ClientAuthentication::default(),
            parameters: BTreeMap::new(),
        })
    }

    /// The same, with another way to authenticate the client.
    pub fn with_authentication(self, authentication: ClientAuthentication) -> Self {
        ClientCredentials { authentication, ..self }
    }

    /// The same, with further fields in the request, such as `audience`.
    pub fn with_parameters(self, parameters: BTreeMap<String, String>) -> Self {
        ClientCredentials { parameters, ..self }
    }

    async fn ask(&self) -> Result<Token, TokenError> {
        let host = address::format_host_and_port(&self.url);
        let mut form = vec![("grant_type", "client_credentials")];
        form.extend(self.scope.as_deref().map(|scope| ("scope", scope)));
        form.extend(self.parameters.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let mut request = self.http.post(self.url.clone());
        match self.authentication {
            ClientAuthentication::ClientSecretBasic => {
                let secret = encode_form_text(self.client_secret.expose());
                request = request.basic_auth(encode_form_text(&self.client_id), Some(secret));
            }
            ClientAuthentication::ClientSecretPost => {
                form.extend([("client_id", self.client_id.as_str()), ("client_secret", self.client_secret.expose())]);
            }
        }
        let request = request
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(encode_form_pairs(&form));
        let mut response =
            request.send().await.map_err(|_| TokenError::transient(format!("no answer from `{host}`")))?;
        let status = response.status();
        if !status.is_success() {
            let problem = format!("`{host}` answered HTTP {}", status.as_u16());
            // A refusal is lasting. A busy or broken endpoint may recover.
            return Err(match status.is_client_error() && !matches!(status.as_u16(), 408 | 429) {
                true => TokenError::lasting(problem),
                false => TokenError::transient(problem),
            });
        }
        let mut body = Zeroizing::new(Vec::with_capacity(BYTES_MAX));
        while let Some(chunk) =
            response.chunk().await.map_err(|_| TokenError::transient(format!("`{host}` broke off its answer")))?
        {
            body.extend_from_slice(&chunk);
            if body.len() > BYTES_MAX {
                return Err(TokenError::lasting(format!("`{host}` answered with more bytes than any token has")));
            }
        }
        parse_token_answer(&body).map_err(|problem| TokenError::transient(format!("`{host}` {problem}")))
    }
}

fn parse_token_answer(body: &[u8]) -> Result<Token, &'static str> {
    let answer: TokenAnswer =
        serde_json::from_slice(body).map_err(|_| "did not answer with a JSON object with `access_token`")?;
    if answer.access_token.is_empty() {
        return Err("answered with an empty `access_token`");
    }
    if answer.token_type.is_some_and(|kind| !kind.eq_ignore_ascii_case("bearer")) {
        return Err("answered with a token that is not a bearer token");
    }
    // The standard requires a number; some endpoints send it as text.
    let seconds = answer.expires_in.as_ref().and_then(|value| match value {
        serde_json::Value::String(text) => text.parse().ok(),
        other => other.as_u64(),
    });
    Ok(Token { secret: answer.access_token, lifetime: seconds.map(Duration::from_secs) })
}

/// A form's body.
fn encode_form_pairs(pairs: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// A text as forms encode it.
fn encode_form_text(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

impl fmt::Debug for ClientCredentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ClientCredentials({})", address::format_host_and_port(&self.url))
    }
}

impl TokenSource for ClientCredentials {
    fn fetch(&self) -> Fetching<'_> {
        Box::pin(self.ask())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_encoded_as_forms_are() {
        assert_eq!(encode_form_pairs(&[("scope", "a b&c=ä"), ("x", "")]), "scope=a+b%26c%3D%C3%A4&x=");
    }

    #[test]
    fn an_answer_is_a_bearer_token_or_none() {
        let lives =
            |body: &str| parse_token_answer(body.as_bytes()).map(|token| token.lifetime.map(|time| time.as_secs()));
        assert_eq!(lives(r#"{"access_token":"a","token_type":"Bearer","expires_in":60}"#), Ok(Some(60)));
        assert_eq!(lives(r#"{"access_token":"a","expires_in":"60"}"#), Ok(Some(60)));
        assert_eq!(lives(r#"{"access_token":"a"}"#), Ok(None));
        for body in ["", "[]", "{}", r#"{"access_token":""}"#, r#"{"access_token":"a","token_type":"mac"}"#] {
            assert!(lives(body).is_err(), "{body}");
        }
    }
}
