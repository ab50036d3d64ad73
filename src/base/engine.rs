//! The name of this engine in records: whoever decides again needs the same.

use std::sync::LazyLock;

use super::date::time_zone_release;

static ENGINE: LazyLock<String> =
    LazyLock::new(|| format!("lendwright {}, time zones {}", env!("CARGO_PKG_VERSION"), time_zone_release()));

/// The version of lendwright and the release of its time zones, as `lendwright 0.1.0, time zones 2026f`.
pub(crate) fn describe_engine() -> &'static str {
    &ENGINE
}
