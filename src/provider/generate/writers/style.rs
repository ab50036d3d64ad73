//! The style of an export: time stamps, amounts, order, missing texts. Each statement has one style.

use crate::provider::generate::random::Draw;

/// How an ISO time stamp represents a local day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stamp {
    /// Local midnight written in UTC: in Lagos the day before, 23:00.
    LocalMidnight,
    /// Midnight UTC of the day itself.
    UtcMidnight,
    /// The time of the day, in UTC.
    TimeOfDay,
}

/// How amounts are written; all of them exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Amounts {
    /// `1250`, `1250.5`.
    Short,
    /// `1250.00`, `1250.50`.
    Decimal,
    /// `"1250.50"`.
    Text,
}

/// The style of a statement.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    pub(crate) stamp: Stamp,
    /// Whether time stamps carry milliseconds.
    pub(crate) fraction: bool,
    pub(crate) amounts: Amounts,
    pub(crate) newest_first: bool,
    /// Whether the lists of the notes are filled in.
    pub(crate) tagged: bool,
    pub(crate) missing: &'static str,
    /// The share of records without a narration, in thousandths.
    pub(crate) missing_permille: u32,
    /// The share of omitted months, in thousandths. The first and the last month are always listed.
    pub(crate) gap_permille: u32,
    /// The number of records that are listed twice, byte for byte.
    pub(crate) repeats: u64,
    pub(crate) branch: String,
    pub(crate) owner: String,
    pub(crate) salt: u32,
    /// When the export was made: seconds after the end of its last day.
    pub(crate) made: i64,
}

impl Style {
    /// Draws a style. Whatever makes reading harder grows with the noise.
    pub(crate) fn drawn(draw: &mut Draw, noise: u32) -> Self {
        let gappy = draw.chance(300);
        let holes = draw.chance(noise);
        let doubled = draw.chance(noise);
        let text = draw.chance(noise * 3 / 10);
        let decimal = draw.chance(500);
        Self {
            stamp: draw.weighted(&[(Stamp::LocalMidnight, 55), (Stamp::UtcMidnight, 20), (Stamp::TimeOfDay, 25)]),
            fraction: draw.chance(400),
            amounts: match (text, decimal) {
                (true, _) => Amounts::Text,
                (false, true) => Amounts::Decimal,
                (false, false) => Amounts::Short,
            },
            newest_first: draw.chance(350),
            tagged: draw.chance(650),
            missing: draw.pick(&["N/A", " "]),
            missing_permille: if gappy { noise / 3 } else { 0 },
            gap_permille: if holes { 150 } else { 0 },
            repeats: if doubled { 1 + draw.below(3) } else { 0 },
            branch: draw.digits(3),
            owner: draw.hex(12),
            salt: draw.below(1 << 32) as u32,
            made: draw.range(28_800, 200_000),
        }
    }
}
