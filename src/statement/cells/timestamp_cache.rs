//! Caches the last parsed minute of a field.

use crate::base::date::{IsoMoment, SECOND_AND_FRACTION};

/// Reads moments one after another. For a moment of the same minute as the last one, only the second is parsed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TimestampCache(Option<([u8; 16], i64)>);

impl TimestampCache {
    /// Parses a moment and returns its [`IsoMoment::utc_milliseconds`].
    #[inline]
    pub(crate) fn milliseconds(&mut self, text: &str) -> Option<i64> {
        let parts = text.as_bytes().split_first_chunk().and_then(|(minute, rest)| {
            let [_, second, _, hundreds, _, others, ..] = SECOND_AND_FRACTION.pairs(rest.try_into().ok()?)?;
            let within = i64::from(second.min(59)) * 1_000 + i64::from(hundreds) * 100 + i64::from(others);
            (second <= 60).then_some((minute, within))
        });
        match (parts, self.0) {
            (Some((minute, within)), Some((last, from))) if *minute == last => Some(from + within),
            _ => {
                let milliseconds = IsoMoment::parse(text)?.utc_milliseconds();
                self.0 = parts.map(|(minute, within)| (*minute, milliseconds - within)).or(self.0);
                Some(milliseconds)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each text after every other one, so that the cached minute is the same, another one, or none.
    #[test]
    fn a_moment_after_another_is_what_it_is_alone() {
        let starts = [
            "2024-03-04T23:00",
            "2024-03-04 23:00",
            "2024-03-04t23:01",
            "2024-02-30T23:00",
            "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        ];
        let ends =
            [":00.000Z", ":59.999Z", ":60.065Z", ":61.000Z", ":07.1Z", ":07.125+01", ":07.125z", "", "Z", ":7x.000Z"];
        let texts = || starts.iter().flat_map(|start| ends.iter().map(move |end| format!("{start}{end}")));
        let alone = |text: &str| IsoMoment::parse(text).map(|moment| moment.utc_milliseconds());
        for before in texts() {
            for text in texts() {
                let mut last = TimestampCache::default();
                assert_eq!(last.milliseconds(&before), alone(&before), "{before}");
                assert_eq!(last.milliseconds(&text), alone(&text), "{text} after {before}");
                assert_eq!(last.milliseconds(&before), alone(&before), "{before} after {text}");
            }
        }
    }
}
