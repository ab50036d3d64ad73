//! The client of the provider. Sends the calls of `wire` over HTTP with a bearer token, under timeouts, a size
//! cap and a retry budget, and classifies failures. Knows nothing of statements, rules or decisions: it pulls bytes,
//! and sends what callers pass in.
//!
//! One client per host: [`Client`] for the lending service, [`iqr::Client`], [`bill::Client`]. Programs without an
//! asynchronous runtime use [`blocking`].
//!
//! ```no_run
//! # async fn example() -> Result<(), lendwright::client::Error> {
//! use lendwright::{client::Client, wire::Settings, base::secret::Secret};
//!
//! let settings = Settings {
//!     base_url: "https://provider.example".to_owned(),
//!     provider_code: "LENDER".to_owned(),
//!     ..Settings::default()
//! };
//! let client = Client::new(settings, Secret::new("the access token"))?;
//! let statement = client.pull("REF-1").await?.into_statement()?;
//! # Ok(())
//! # }
//! ```

mod address;
pub mod bill;
pub mod blocking;
mod checked;
mod core;
mod counts;
mod error;
mod exchange;
pub mod iqr;
mod lending;
mod money;
mod observer;
mod prepared;
pub(crate) mod program;
mod pulled;
mod retry;
mod tokens;
mod transport;

pub use counts::CallCounts;
pub use error::{Class, Error};
pub use lending::Client;
pub use money::MoneyError;
pub use observer::{CallObserver, FinishedAttempt};
pub use prepared::Prepared;
pub use pulled::Pulled;
/// The HTTP client that [`Client::with_http`] changes.
pub use reqwest;
pub use tokens::{
    ClientCredentials, Command, Fetching, File, Token, TokenError, TokenSource, from_settings as token_source,
};
