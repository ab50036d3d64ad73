//! Places on the axes of charts, and numbers in the few characters that fit beside them.

use crate::portfolio::statistics::special::round_width_up;

/// Maps values to coordinates, horizontal or vertical.
pub(super) struct Scale {
    least: f64,
    most: f64,
    /// Where the greatest value is drawn.
    far: f64,
    /// Where the least value is drawn.
    near: f64,
}

impl Scale {
    pub(super) fn new(least: f64, most: f64, far: f64, near: f64) -> Self {
        let most = if most <= least { least + 1.0 } else { most };
        Self { least, most, far, near }
    }

    pub(super) fn place(&self, value: f64) -> f64 {
        self.near - (value - self.least) / (self.most - self.least) * (self.near - self.far)
    }

    /// A few round values, including 0 if it is on the axis.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let rough = (self.most - self.least) / 4.0;
        let step = Some(round_width_up(rough)).filter(|step| step.is_finite() && *step > 0.0);
        let step = step.unwrap_or(self.most.max(1.0));
        let first = (self.least / step).ceil() as i64;
        let tick = |index: i64| first.saturating_add(index) as f64 * step;
        (0..12).map(tick).take_while(|tick| *tick <= self.most).collect()
    }
}

/// A coordinate, rounded to a tenth.
pub(super) fn round_px(place: f64) -> f64 {
    (place * 10.0).round() / 10.0
}

/// An amount in minor units in a few characters: `250k`.
pub(super) fn abbreviate_amount(minor: f64, exponent: u32) -> String {
    let major = minor / 10f64.powi(exponent as i32);
    let (value, unit) = match major.abs() {
        // No suffix above `tn` is widely known.
        size if size >= 1e15 => return format!("{major:.1e}").replace(".0e", "e"),
        size if size >= 1e12 => (major / 1e12, "tn"),
        size if size >= 1e9 => (major / 1e9, "bn"),
        size if size >= 1e6 => (major / 1e6, "m"),
        size if size >= 1e3 => (major / 1e3, "k"),
        _ => (major, ""),
    };
    let text = format!("{value:.2}");
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_beside_the_axis_are_short() {
        for (major, shown) in [
            (0.0, "0"),
            (-950.5, "-950.5"),
            (250e3, "250k"),
            (1.5e6, "1.5m"),
            (2e9, "2bn"),
            (-500e9, "-500bn"),
            (1e12, "1tn"),
            (-92.5e12, "-92.5tn"),
            (500e12, "500tn"),
            (1e15, "1e15"),
            (-2.5e15, "-2.5e15"),
            (5e18, "5e18"),
        ] {
            assert_eq!(abbreviate_amount(major * 100.0, 2), shown);
        }
    }

    #[test]
    fn an_axis_runs_either_way() {
        let (up, across) = (Scale::new(0.0, 10.0, 5.0, 105.0), Scale::new(0.0, 10.0, 210.0, 10.0));
        assert_eq!((up.place(0.0), up.place(10.0)), (105.0, 5.0));
        assert_eq!((across.place(0.0), across.place(5.0)), (10.0, 110.0));
        assert_eq!(across.ticks(), [0.0, 5.0, 10.0]);
        assert_eq!(Scale::new(3.0, 3.0, 0.0, 1.0).ticks().first(), Some(&3.0));
    }
}
