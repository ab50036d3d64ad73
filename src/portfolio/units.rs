//! Money in cases files, which people write in major units.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::base::digest::Digest;
use crate::base::money::Currency;
use crate::base::pricing::FeeMode;
use crate::engine::decision::{in_major, in_minor};
use crate::rules::{Policies, Policy, PolicySet, Type};

/// The currency of a policy, and the types of what it computes by name.
#[derive(Clone, Debug)]
pub(super) struct Units {
    currency: Currency,
    types: BTreeMap<String, Type>,
    /// Whether the fee is taken from what is paid out.
    pub(super) deducts_fee: bool,
}

impl Units {
    /// Those of a policy.
    pub(super) fn of(policy: &Policy) -> Units {
        let outputs = policy.program.tables.iter().flat_map(|table| &table.outputs);
        let outputs = outputs.map(|output| (output.name.clone(), policy.type_of(output.node)));
        let metrics = policy.metrics().map(|(name, ty)| (name.to_owned(), ty));
        let deducts_fee = policy.header().fee_mode == FeeMode::Deducted;
        Units { currency: policy.header().currency, types: outputs.chain(metrics).collect(), deducts_fee }
    }

    /// Those of the version with this digest, else of the latest: a challenger's amounts have the same units.
    pub(super) fn of_version(policies: &Policies, digest: Digest) -> Units {
        let versions = policies.policies();
        let decided = versions.into_iter().find(|version| version.digest() == digest);
        Units::of(decided.unwrap_or_else(|| policies.latest()))
    }

    /// A value of this name, as people write it.
    pub(super) fn written(&self, name: &str, value: &Value) -> Value {
        self.types.get(name).map_or_else(|| value.clone(), |ty| in_major(*ty, value, &self.currency))
    }

    /// An amount, as people write it.
    pub(super) fn amount(&self, minor: i64) -> Value {
        in_major(Type::MONEY, &minor.into(), &self.currency)
    }

    /// Metrics as people write them, with money in minor units.
    ///
    /// # Errors
    /// The name of a metric whose amount the currency has no coin for, and what to write.
    pub(super) fn in_minor(&self, metrics: &Map<String, Value>) -> Result<Map<String, Value>, (String, String)> {
        let one = |(name, value): (&String, &Value)| {
            let minor = match self.types.get(name) {
                Some(ty) => in_minor(*ty, value, &self.currency),
                None => Some(value.clone()),
            };
            let wrong = || {
                let (code, decimals) = (self.currency.alphabetic(), self.currency.exponent());
                format!("{value} is no amount of {code}: money is in major units, with at most {decimals} decimals")
            };
            Ok((name.clone(), minor.ok_or_else(|| (name.clone(), wrong()))?))
        };
        metrics.iter().map(one).collect()
    }
}
