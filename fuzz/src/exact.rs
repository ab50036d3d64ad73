//! Exact numbers of the references: fractions of any size, and how they are read, rounded, written and converted to
//! doubles. Knows no expression, and shares no arithmetic with the crate.

use std::sync::LazyLock;

pub use dashu_ratio::RBig as Exact;

/// In which direction a number between two multiples is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Down,
    Up,
    /// To the nearest, halves away from zero.
    Nearest,
    /// To the nearest, halves to the even neighbour.
    Even,
}

/// The greatest double.
static GREATEST: LazyLock<Exact> = LazyLock::new(|| Exact::try_from(f64::MAX).expect("it is finite"));

/// A power with more digits than this in its numerator or denominator is too large, whatever its value.
const DIGITS_MAX: f64 = 1_000_000.0;

/// A decimal such as `-12.50` or `1.5e-3`, by its digits.
pub fn decimal(text: &str) -> Exact {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: isize = exponent.parse().expect("a whole exponent");
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let number: Exact = format!("{whole}{decimals}").parse().expect("digits");
    number * ten_to(exponent - decimals.len() as isize)
}

fn ten_to(exponent: isize) -> Exact {
    Exact::from(10).pow(exponent)
}

/// The shortest decimal that reads back as this double.
pub fn shortest(double: f64) -> Exact {
    decimal(&format!("{double:e}"))
}

/// The nearest double, halves to even.
pub fn nearest(number: &Exact) -> f64 {
    number.to_f64().value()
}

pub fn absolute(number: &Exact) -> Exact {
    if *number < Exact::ZERO { -number.clone() } else { number.clone() }
}

/// The number, unless it is beyond the greatest double.
pub fn held(number: Exact) -> Option<Exact> {
    (absolute(&number) <= *GREATEST).then_some(number)
}

/// To a whole number.
pub fn whole(number: &Exact, way: Way) -> Exact {
    let half = || Exact::ONE / Exact::from(2);
    match way {
        Way::Down => number.floor().into(),
        Way::Up => number.ceil().into(),
        Way::Nearest if *number < Exact::ZERO => (number - half()).ceil().into(),
        Way::Nearest => (number + half()).floor().into(),
        Way::Even if whole(&(number - half()), Way::Down) == number - half() => {
            let two = Exact::from(2);
            whole(&((number + half()) / &two), Way::Down) * two
        }
        Way::Even => whole(number, Way::Nearest),
    }
}

/// To a multiple of a step, which is above zero.
pub fn stepped(number: &Exact, step: &Exact, way: Way) -> Exact {
    whole(&(number / step), way) * step
}

/// The whole number that it is, if 64 bits hold it.
pub fn int(number: &Exact) -> Option<i64> {
    i64::try_from(number.clone()).ok()
}

/// The remainder of a division, with the sign of the dividend.
pub fn remainder(number: &Exact, by: &Exact) -> Exact {
    let times: Exact = (number / by).trunc().into();
    number - times * by
}

/// `base` to the power of `exponent`, which may be negative. `None` if it is too large.
pub fn power(base: &Exact, exponent: i64) -> Option<Exact> {
    if exponent == 0 || *base == Exact::ONE {
        return Some(Exact::ONE);
    }
    if *base == -Exact::ONE {
        return Some(if exponent % 2 == 0 { Exact::ONE } else { -Exact::ONE });
    }
    if base.is_zero() {
        return Some(Exact::ZERO);
    }
    let parts: [Exact; 2] = [base.numerator().clone().into(), base.denominator().clone().into()];
    #[expect(clippy::disallowed_methods, reason = "about how many digits there are")]
    let digits = |part: &Exact| match nearest(part).abs() {
        double if double.is_finite() => double.log10(),
        _ => part.to_string().len() as f64,
    };
    if parts.iter().any(|part| digits(part) * exponent.unsigned_abs() as f64 > DIGITS_MAX) {
        return None;
    }
    held(base.pow(exponent as isize))
}

/// As decimal digits: exactly, if they end early enough and are not too many, else those of the nearest double.
pub fn text(number: &Exact) -> String {
    const DECIMALS: isize = 40;
    let is_short = absolute(number).numerator() < Exact::from(2).pow(256).numerator();
    match ended(number, DECIMALS).filter(|_| is_short) {
        Some(text) => text,
        None => format!("{}", nearest(number)),
    }
}

/// All digits of a number that ends within `decimals` decimals.
pub fn ended(number: &Exact, decimals: isize) -> Option<String> {
    let shifted = number * ten_to(decimals);
    if !shifted.is_int() {
        return None;
    }
    let sign = if shifted < Exact::ZERO { "-" } else { "" };
    let width = decimals as usize + 1;
    let digits = format!("{:0>width$}", absolute(&shifted).to_string());
    let (whole, rest) = digits.split_at(digits.len() - decimals as usize);
    let rest = rest.trim_end_matches('0');
    Some(if rest.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{rest}") })
}
