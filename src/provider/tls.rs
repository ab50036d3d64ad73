//! TLS for outgoing calls: rustls, the system's certificates and those of the settings, and which hosts may be called
//! without TLS. Knows nothing of HTTP.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{self, PemObject};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

/// Why TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The file of certificates cannot be read.
    #[error("`root_certificates`: `{path}` cannot be read: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A block of the file has no end, or is not base64.
    #[error("`root_certificates`: `{0}` is damaged: a block does not end or is not base64")]
    Damaged(PathBuf),
    /// A block of the file does not hold a certificate.
    #[error("`root_certificates`: a block of `{0}` is marked as a certificate but is not one")]
    NoCertificate(PathBuf),
    /// The file has no certificates.
    #[error(
        "`root_certificates`: there is no certificate in `{0}`; it takes blocks that begin with \
         `-----BEGIN CERTIFICATE-----`"
    )]
    Empty(PathBuf),
    /// The system's certificates are missing or cannot be used.
    #[error("the system's certificates cannot be used: {0}")]
    System(rustls::Error),
    /// The TLS library refuses the configuration.
    #[error("TLS cannot be set up: {0}")]
    Library(rustls::Error),
}

/// Whether a host, given without a port, is this machine: calls to it cross no network.
pub(crate) fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// The same for the `Host` of a request, with or without a port.
pub(crate) fn is_host_this_machine(host: &str) -> bool {
    is_this_machine(match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    })
}

/// The TLS configuration for a host. Reads the system's certificates only if needed, because plain HTTP must work on a
/// machine without any. Names the provider of cryptography, so that nothing is installed for the whole process.
pub(crate) fn build_tls_configuration(is_needed: bool, own_roots: Option<&Path>) -> Result<ClientConfig, Error> {
    let cryptography = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(cryptography.clone())
        .with_safe_default_protocol_versions()
        .map_err(Error::Library)?;
    if !is_needed {
        return Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth());
    }
    let own_roots = own_roots.map(read_pem_certificates).transpose()?.unwrap_or_default();
    let verifier = Verifier::new_with_extra_roots(own_roots, cryptography).map_err(Error::System)?;
    // As the verifier's own extension does. `dangerous` is about verifiers that check nothing.
    Ok(builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth())
}

fn read_pem_certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let failed = |error| match error {
        pem::Error::Io(source) => Error::Unreadable { path: path.to_owned(), source },
        _ => Error::Damaged(path.to_owned()),
    };
    let found: Result<Vec<_>, _> = CertificateDer::pem_file_iter(path).map_err(failed)?.collect();
    let found = found.map_err(failed)?;
    let mut store = RootCertStore::empty();
    if found.iter().any(|certificate| store.add(certificate.clone()).is_err()) {
        return Err(Error::NoCertificate(path.to_owned()));
    }
    if found.is_empty() { Err(Error::Empty(path.to_owned())) } else { Ok(found) }
}
