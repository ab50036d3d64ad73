//! The standard normal distribution: tail, two-sided p value and quantile.

use super::elementary::natural_logarithm;
use super::gamma::regularized_upper;

/// P(|Z| >= |z|) of a standard normal Z: Q(1/2, z²/2). Exact to about 1e-13 of itself, far into the tail.
pub(crate) fn two_sided_p(z: f64) -> f64 {
    regularized_upper(0.5, z * z / 2.0)
}

/// P(Z <= z) of a standard normal Z.
#[cfg(test)]
pub(crate) fn normal_cdf(z: f64) -> f64 {
    let tail = two_sided_p(z) / 2.0;
    if z < 0.0 { tail } else { 1.0 - tail }
}

/// The z with P(Z <= z) = p, for p within 0..1: Wichura 1988, algorithm AS 241 (PPND16), Applied Statistics 37:3,
/// exact to about 1e-16. Infinite at 0 and 1.
pub(crate) fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * ratio_of_polynomials(r, &CENTRE);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    if tail <= 0.0 {
        return f64::INFINITY.copysign(q);
    }
    let r = (-natural_logarithm(tail)).sqrt();
    let z = if r <= 5.0 { ratio_of_polynomials(r - 1.6, &MIDDLE) } else { ratio_of_polynomials(r - 5.0, &FAR) };
    z.copysign(q)
}

/// Coefficients of a numerator and a denominator, from the highest power down.
type Rational = ([f64; 8], [f64; 8]);

fn ratio_of_polynomials(r: f64, (numerator, denominator): &Rational) -> f64 {
    let polynomial = |coefficients: &[f64; 8]| coefficients.iter().fold(0.0, |sum, coefficient| sum * r + coefficient);
    polynomial(numerator) / polynomial(denominator)
}

const CENTRE: Rational = (
    [
        2_509.080_928_730_122_6,
        33_430.575_583_588_13,
        67_265.770_927_008_7,
        45_921.953_931_549_87,
        13_731.693_765_509_46,
        1_971.590_950_306_551_3,
        133.141_667_891_784_38,
        3.387_132_872_796_366_5,
    ],
    [
        5_226.495_278_852_854,
        28_729.085_735_721_943,
        39_307.895_800_092_71,
        21_213.794_301_586_597,
        5_394.196_021_424_751,
        687.187_007_492_057_9,
        42.313_330_701_600_91,
        1.0,
    ],
);

const MIDDLE: Rational = (
    [
        7.745_450_142_783_414e-4,
        0.022_723_844_989_269_184,
        0.241_780_725_177_450_6,
        1.270_458_252_452_368_4,
        3.647_848_324_763_204_5,
        5.769_497_221_460_691,
        4.630_337_846_156_546,
        1.423_437_110_749_683_5,
    ],
    [
        1.050_750_071_644_416_9e-9,
        5.475_938_084_995_345e-4,
        0.015_198_666_563_616_457,
        0.148_103_976_427_480_08,
        0.689_767_334_985_1,
        1.676_384_830_183_803_8,
        2.053_191_626_637_759,
        1.0,
    ],
);

const FAR: Rational = (
    [
        2.010_334_399_292_288_1e-7,
        2.711_555_568_743_487_6e-5,
        0.001_242_660_947_388_078_4,
        0.026_532_189_526_576_124,
        0.296_560_571_828_504_87,
        1.784_826_539_917_291_3,
        5.463_784_911_164_114,
        6.657_904_643_501_103,
    ],
    [
        2.044_263_103_389_939_8e-15,
        1.421_511_758_316_446e-7,
        1.846_318_317_510_054_8e-5,
        7.868_691_311_456_133e-4,
        0.014_875_361_290_850_615,
        0.136_929_880_922_735_8,
        0.599_832_206_555_888,
        1.0,
    ],
);
