//! Rows counted by outcome, with their weights.

use std::cmp::Ordering;

use serde::ser::{Serialize, SerializeStruct, Serializer};

/// Bad and good rows, and what they weigh. Without weights every row weighs 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Count {
    /// Rows that went bad.
    pub bads: u64,
    /// Rows that did not.
    pub goods: u64,
    /// The weight of the bad rows.
    pub bad_weight: f64,
    /// The weight of the good rows.
    pub good_weight: f64,
}

impl Count {
    /// Rows that weigh 1 each.
    pub fn of(bads: u64, goods: u64) -> Self {
        Count { bads, goods, bad_weight: bads as f64, good_weight: goods as f64 }
    }

    /// Both together.
    pub fn rows(self) -> u64 {
        self.bads + self.goods
    }

    /// The weight of all rows.
    pub fn weight(self) -> f64 {
        self.bad_weight + self.good_weight
    }

    /// The share of bad rows, by weight; 0 of none.
    pub fn rate(self) -> f64 {
        if self.rows() == 0 { 0.0 } else { self.bad_weight / self.weight() }
    }

    /// Whether every row weighs 1.
    pub fn is_unweighted(self) -> bool {
        self.bad_weight == self.bads as f64 && self.good_weight == self.goods as f64
    }

    pub(in crate::portfolio) fn and(self, other: Count) -> Count {
        Count {
            bads: self.bads + other.bads,
            goods: self.goods + other.goods,
            bad_weight: self.bad_weight + other.bad_weight,
            good_weight: self.good_weight + other.good_weight,
        }
    }

    /// What is left without a part.
    pub(super) fn without(self, part: Count) -> Count {
        let (bads, goods) = (self.bads - part.bads, self.goods - part.goods);
        // Sums of weights are rounded: no row weighs nothing.
        let rest = |rows: u64, all: f64, part: f64| if rows == 0 { 0.0 } else { (all - part).max(0.0) };
        Count {
            bads,
            goods,
            bad_weight: rest(bads, self.bad_weight, part.bad_weight),
            good_weight: rest(goods, self.good_weight, part.good_weight),
        }
    }

    pub(in crate::portfolio) fn add(&mut self, is_bad: bool, weight: f64) {
        match is_bad {
            true => (self.bads, self.bad_weight) = (self.bads + 1, self.bad_weight + weight),
            false => (self.goods, self.good_weight) = (self.goods + 1, self.good_weight + weight),
        }
    }

    /// Compares bad rates; of whole numbers without rounding.
    pub(super) fn compare_rates(self, other: Count) -> Ordering {
        if self.is_unweighted() && other.is_unweighted() {
            let left = u128::from(self.bads) * u128::from(other.rows());
            return left.cmp(&(u128::from(other.bads) * u128::from(self.rows())));
        }
        (self.bad_weight * other.weight()).total_cmp(&(other.bad_weight * self.weight()))
    }
}

/// Weights are written only where there are some.
impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let is_plain = self.is_unweighted();
        let mut fields = serializer.serialize_struct("Count", if is_plain { 2 } else { 4 })?;
        fields.serialize_field("bads", &self.bads)?;
        fields.serialize_field("goods", &self.goods)?;
        if !is_plain {
            fields.serialize_field("bad_weight", &self.bad_weight)?;
            fields.serialize_field("good_weight", &self.good_weight)?;
        }
        fields.end()
    }
}
