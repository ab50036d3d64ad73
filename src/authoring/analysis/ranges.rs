//! The ranges of a policy's metrics, score, table outputs and offers, for people and programs.

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::abstract_eval::values::{KnownValues, Values};
use crate::base::money::Currency;
use crate::rules::axis::format_typed_value;
use crate::rules::graph::NodeId;
use crate::rules::program::Value;
use crate::rules::{Policy, Repr, Type, Unit};

/// The possible values of one name of a policy. Ignores overflow, which makes a value unknown.
#[derive(Clone, Debug)]
pub struct Range {
    /// The metric, the output or `score`; an offer is `ID/TENURE amount`.
    pub name: String,
    /// Its type.
    pub ty: Type,
    values: Values,
    currency: Currency,
}

/// The range of every metric, of the score, of every table's outputs and every offer's amount, in the order of the
/// files.
pub fn list_value_ranges(policy: &Policy) -> Vec<Range> {
    let program = &policy.program;
    let eval = AbstractEval::new(program, None);
    let mut names: Vec<(String, NodeId)> =
        program.metrics.iter().map(|metric| (metric.name.clone(), metric.node)).collect();
    names.extend(program.score.iter().map(|score| ("score".to_string(), score.node)));
    names.extend(
        program.tables.iter().flat_map(|table| &table.outputs).map(|output| (output.name.clone(), output.node)),
    );
    names.extend(program.offers.iter().map(|offer| (format!("{}/{} amount", offer.id, offer.tenure), offer.amount)));
    let range = |(name, node): (String, NodeId)| Range {
        name,
        ty: policy.type_of(node),
        values: eval.at(node).clone(),
        currency: policy.header.currency,
    };
    names.into_iter().map(range).collect()
}

impl Range {
    /// Whether this value is possible; `None` is unknown.
    pub fn holds(&self, value: Option<&Value>) -> bool {
        self.values.holds(value)
    }

    /// Whether it may be unknown.
    pub fn may_be_unknown(&self) -> bool {
        self.values.unknown
    }

    /// The least and the greatest number, in minor units for money, days since 1970-01-01 for dates, milliseconds for
    /// times and durations; `None` is no bound.
    pub fn bounds(&self) -> (Option<f64>, Option<f64>) {
        let finite = |end: f64| end.is_finite().then_some(end);
        self.values.interval().map_or((None, None), |interval| (finite(interval.low), finite(interval.high)))
    }
}

impl std::fmt::Display for Range {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&describe_value_set(&self.values, self.ty, &self.currency))
    }
}

/// A value set in words.
pub(super) fn describe_value_set(values: &Values, ty: Type, currency: &Currency) -> String {
    let number = |end: f64| match (ty.repr, ty.unit) {
        (Repr::Int, _) | (_, Unit::Money) => format_typed_value(&Value::Int(end as i64), ty, currency),
        _ => format_typed_value(&Value::Float(end), ty, currency),
    };
    let known = match &values.known {
        KnownValues::Numbers(None) => String::new(),
        KnownValues::Numbers(Some(interval)) => {
            let (low, high) = (interval.low, interval.high);
            match (low.is_finite(), high.is_finite()) {
                (true, true) if low == high => number(low),
                (true, true) if interval.high_closed => format!("{} to {}", number(low), number(high)),
                (true, true) => format!("{} to below {}", number(low), number(high)),
                (true, false) if interval.low_closed => format!("{} or more", number(low)),
                (true, false) => format!("above {}", number(low)),
                (false, true) => format!("{} or less", number(high)),
                (false, false) => "any".to_string(),
            }
        }
        KnownValues::Truth { yes: true, no: true } => "true or false".to_string(),
        KnownValues::Truth { yes: true, no: false } => "true".to_string(),
        KnownValues::Truth { yes: false, no: true } => "false".to_string(),
        KnownValues::Truth { .. } => String::new(),
        KnownValues::Texts(None) => "any text".to_string(),
        KnownValues::Texts(Some(texts)) => texts.iter().map(|text| format!("'{text}'")).collect::<Vec<_>>().join(", "),
        KnownValues::Anything => "anything".to_string(),
    };
    match (known.is_empty(), values.unknown) {
        (true, _) => "unknown".to_string(),
        (false, true) => format!("{known}, or unknown"),
        (false, false) => known,
    }
}
