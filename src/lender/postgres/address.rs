//! Where the server is, and how it is called: by TLS unless it is this machine. Shows neither user nor password. Must
//! not know what is sent.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use postgres::config::{Host, SslMode, TargetSessionAttrs};
use postgres::{Client, Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::error::{Shown, translate_error};
use crate::base::secret::Secret;
use crate::lender::store::error::StoreError;
use crate::provider::tls;

/// How long a connection may take to come up.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a server that does not answer keeps a call waiting.
const SILENCE: Duration = Duration::from_secs(20);

pub(super) struct Address {
    config: Config,
    tls: Option<MakeRustlsConnect>,
    shown: String,
}

impl Address {
    pub(super) fn parse(url: &Secret, root_certificates: Option<&Path>) -> Result<Address, StoreError> {
        // The error is not shown: it may quote a part of the URL.
        let mut config: Config = url.expose().parse().map_err(|_| {
            let form = "postgresql://user:password@host:port/database, with special characters as %XX";
            StoreError::Unsuitable(format!("the URL of PostgreSQL cannot be read; its form is {form}"))
        })?;
        let shown = describe_server_hosts(&config);
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(StoreError::Unsuitable("the URL of PostgreSQL names no host".to_string()));
        }
        let is_remote = config.get_hostaddrs().iter().any(|address| !address.is_loopback())
            || config.get_hosts().iter().any(|host| matches!(host, Host::Tcp(name) if !tls::is_this_machine(name)));
        if is_remote {
            if config.get_ssl_mode() == SslMode::Disable {
                return Err(StoreError::Unsuitable(format!(
                    "{shown} is not this machine, so `sslmode=disable` would send everything in the clear; remove it"
                )));
            }
            config.ssl_mode(SslMode::Require);
        }
        let with_tls = is_remote || config.get_ssl_mode() == SslMode::Require;
        let tls = with_tls
            .then(|| tls::build_tls_configuration(true, root_certificates).map(MakeRustlsConnect::new))
            .transpose()
            .map_err(|error| StoreError::Unsuitable(error.to_string()))?;
        config
            .connect_timeout(CONNECT)
            .tcp_user_timeout(SILENCE)
            .keepalives_idle(SILENCE / 2)
            .keepalives_interval(SILENCE / 4)
            .keepalives_retries(2)
            .target_session_attrs(TargetSessionAttrs::ReadWrite);
        if config.get_application_name().is_none() {
            config.application_name("lendwright");
        }
        Ok(Address { config, tls, shown })
    }

    pub(super) fn connect(&self) -> Result<Client, StoreError> {
        let client = match &self.tls {
            Some(tls) => self.config.connect(tls.clone()),
            None => self.config.connect(NoTls),
        };
        client.map_err(|error| match translate_error(&error) {
            _ if error.as_db_error().is_none() => StoreError::Unavailable(format!("{self}: {}", Shown(&error))),
            // A server that refuses the user or has no such database.
            StoreError::Programming(message) => StoreError::Unsuitable(format!("{self}: {message}")),
            StoreError::Unavailable(message) => StoreError::Unavailable(format!("{self}: {message}")),
            other => other,
        })
    }
}

fn describe_server_hosts(config: &Config) -> String {
    let hosts = config.get_hosts().iter().map(|host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    });
    let addresses = config.get_hostaddrs().iter().map(ToString::to_string);
    let places: Vec<String> = if config.get_hosts().is_empty() { addresses.collect() } else { hosts.collect() };
    format!("database `{}` at `{}`", config.get_dbname().unwrap_or("of the user's name"), places.join(","))
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.shown)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.shown)
    }
}
