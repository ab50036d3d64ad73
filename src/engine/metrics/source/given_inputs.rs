//! The values that are given with the statement, and why others are unknown.

use std::collections::BTreeMap;

use crate::engine::metrics::column::InputGap;
use crate::rules::Value;

/// Values by path, such as `request.amount`.
#[derive(Clone, Debug, Default)]
pub(crate) struct GivenInputs {
    values: BTreeMap<String, Value>,
    gaps: BTreeMap<String, InputGap>,
}

impl GivenInputs {
    pub(crate) fn get(&self, path: &str) -> Option<&Value> {
        self.values.get(path)
    }

    pub(crate) fn contains_key(&self, path: &str) -> bool {
        self.values.contains_key(path)
    }

    /// Why the input is unknown, if somebody said.
    pub(crate) fn gap(&self, path: &str) -> Option<InputGap> {
        self.gaps.get(path).copied()
    }

    pub(crate) fn insert(&mut self, path: String, value: Value) {
        self.values.insert(path, value);
    }

    pub(crate) fn insert_gap(&mut self, path: String, gap: InputGap) {
        self.gaps.insert(path, gap);
    }

    pub(crate) fn values(&self) -> &BTreeMap<String, Value> {
        &self.values
    }
}
