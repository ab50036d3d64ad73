//! Local time of a market.

use std::sync::OnceLock;

use crate::base::date::Zone;

const DAY_SECONDS: i64 = 86_400;

/// How far local time is ahead of UTC.
pub(crate) enum Clock {
    /// By the same seconds for ever.
    Fixed(i64),
    /// By the rules of a zone, found once.
    Zone(&'static str, OnceLock<Option<Zone>>),
}

impl Clock {
    /// The clock of a zone of the IANA database.
    pub(crate) const fn of_zone(name: &'static str) -> Self {
        Self::Zone(name, OnceLock::new())
    }

    /// The moment of a local day and second, in seconds since 1970-01-01 UTC.
    pub(crate) fn utc_of_local(&self, day: i32, second: i64) -> i64 {
        let local = i64::from(day) * DAY_SECONDS + second;
        let ahead = match self {
            Self::Fixed(ahead) => *ahead,
            Self::Zone(name, zone) => zone.get_or_init(|| Zone::parse(name)).as_ref().map_or(0, |zone| {
                // The offset at the moment itself. The first guess is wrong only within hours of a change.
                let guess = i64::from(zone.offset_seconds(local));
                i64::from(zone.offset_seconds(local - guess))
            }),
        };
        local - ahead
    }
}
