//! What keeps the service from working as it should, by name. Parts of the service raise conditions and clear them;
//! readiness and metrics show them. Both need no password, so a condition says nothing about a customer, a path or an
//! error: those are in the log. Knows nothing of how a condition comes about.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// Something that operators should know now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// The service was told to stop.
    Stopping,
    /// The database cannot be used, or the service may have lost its right to it.
    DatabaseAway,
    /// The last write of the loan book failed, and none has succeeded since.
    WritesFail,
    /// The policy in the files is refused. The last good one decides.
    PolicyRefused,
    /// The provider refuses the access token, or there is none.
    TokenRefused,
    /// Pay Bill refuses the access token, or there is none.
    BillTokenRefused,
    /// Loans are due and are not begun in time.
    QueueFull,
}

impl Condition {
    /// All of them.
    pub const ALL: [Condition; 7] = [
        Condition::Stopping,
        Condition::DatabaseAway,
        Condition::WritesFail,
        Condition::PolicyRefused,
        Condition::TokenRefused,
        Condition::BillTokenRefused,
        Condition::QueueFull,
    ];

    /// Its name in the readiness answer, in metrics and in logs.
    pub const fn name(self) -> &'static str {
        match self {
            Condition::Stopping => "stopping",
            Condition::DatabaseAway => "database_away",
            Condition::WritesFail => "writes_fail",
            Condition::PolicyRefused => "policy_refused",
            Condition::TokenRefused => "token_refused",
            Condition::BillTokenRefused => "bill_token_refused",
            Condition::QueueFull => "queue_full",
        }
    }

    /// Whether the service cannot answer the provider while it lasts, so that requests should go elsewhere. Under the
    /// others it still takes acceptances and payments, which would be lost if it was taken out of service.
    pub const fn is_fatal(self) -> bool {
        matches!(self, Condition::Stopping | Condition::DatabaseAway | Condition::WritesFail)
    }

    /// What it means, for people.
    pub const fn in_words(self) -> &'static str {
        match self {
            Condition::Stopping => "the service is stopping",
            Condition::DatabaseAway => "the database cannot be used",
            Condition::WritesFail => "the last write of the loan book failed",
            Condition::PolicyRefused => "the edit of the policy is refused; the last good one decides",
            Condition::TokenRefused => "the provider does not accept the access token",
            Condition::BillTokenRefused => "Pay Bill does not accept the access token",
            Condition::QueueFull => "loans that are due are not begun in time",
        }
    }
}

/// A condition that holds now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RaisedCondition {
    /// Which.
    pub condition: Condition,
    /// Since when.
    pub since: Instant,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ConditionLabels {
    condition: &'static str,
}

/// The conditions of a service. Clones share them.
///
/// ```
/// use lendwright::lender::hosted::{Condition, Conditions};
/// let conditions = Conditions::default();
/// conditions.raise(Condition::PolicyRefused);
/// assert!(conditions.is_ready());
/// conditions.raise(Condition::WritesFail);
/// assert!(!conditions.is_ready());
/// conditions.clear(Condition::WritesFail);
/// assert_eq!(conditions.list_raised().len(), 1);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Conditions(Arc<SharedConditions>);

#[derive(Debug, Default)]
struct SharedConditions {
    raised: Mutex<[Option<Instant>; Condition::ALL.len()]>,
    gauges: Family<ConditionLabels, Gauge>,
}

impl Conditions {
    /// No condition, and a metric for each in a registry that others share.
    pub fn register(registry: &mut Registry) -> Conditions {
        let conditions = Conditions::default();
        let gauges = &conditions.0.gauges;
        for condition in Condition::ALL {
            gauges.get_or_create(&ConditionLabels { condition: condition.name() }).set(0);
        }
        registry.register("lendwright_condition", "1 while a condition holds", gauges.clone());
        conditions
    }

    fn lock(&self) -> MutexGuard<'_, [Option<Instant>; Condition::ALL.len()]> {
        // Each change is whole, so a panic elsewhere does no harm.
        self.0.raised.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The condition holds from now on. Returns whether it did not before, which is logged.
    pub fn raise(&self, condition: Condition) -> bool {
        if let Some(place) = self.lock().get_mut(condition as usize) {
            if place.is_some() {
                return false;
            }
            *place = Some(Instant::now());
        }
        self.show(condition, 1);
        let (name, what) = (condition.name(), condition.in_words());
        match condition {
            Condition::Stopping => tracing::info!(condition = name, "not ready: {what}"),
            _ if condition.is_fatal() => tracing::error!(condition = name, "not ready: {what}"),
            _ => tracing::warn!(condition = name, "degraded: {what}"),
        }
        true
    }

    /// The condition does not hold any more.
    pub fn clear(&self, condition: Condition) {
        let Some(since) = self.lock().get_mut(condition as usize).and_then(Option::take) else { return };
        self.show(condition, 0);
        let seconds = since.elapsed().as_secs();
        tracing::info!(condition = condition.name(), seconds, "passed: {}", condition.in_words());
    }

    /// Raises the condition or clears it.
    pub fn set(&self, condition: Condition, holds: bool) {
        match holds {
            true => drop(self.raise(condition)),
            false => self.clear(condition),
        }
    }

    fn show(&self, condition: Condition, value: i64) {
        self.0.gauges.get_or_create(&ConditionLabels { condition: condition.name() }).set(value);
    }

    /// Whether the condition holds.
    pub fn is_raised(&self, condition: Condition) -> bool {
        self.lock().get(condition as usize).is_some_and(Option::is_some)
    }

    /// All that hold.
    pub fn list_raised(&self) -> Vec<RaisedCondition> {
        let raised = self.lock();
        let pairs = Condition::ALL.into_iter().zip(raised.iter());
        pairs.filter_map(|(condition, since)| since.map(|since| RaisedCondition { condition, since })).collect()
    }

    /// Whether no fatal one holds.
    pub fn is_ready(&self) -> bool {
        !self.list_raised().iter().any(|raised| raised.condition.is_fatal())
    }
}

#[cfg(test)]
mod tests {
    use super::{Condition, Conditions};
    use prometheus_client::encoding::text::encode;
    use prometheus_client::registry::Registry;

    #[test]
    fn a_condition_holds_from_raise_to_clear_and_shows_in_the_metric() {
        let mut registry = Registry::default();
        let conditions = Conditions::register(&mut registry);
        let shown = |condition: Condition, value: u8| {
            let mut text = String::new();
            encode(&mut text, &registry).unwrap();
            let line = format!("lendwright_condition{{condition=\"{}\"}} {value}\n", condition.name());
            assert!(text.contains(&line), "{line}{text}");
        };
        for condition in Condition::ALL {
            shown(condition, 0);
            assert!(conditions.raise(condition) && !conditions.raise(condition));
            shown(condition, 1);
            assert!(conditions.is_raised(condition));
            assert_eq!(conditions.list_raised().iter().map(|raised| raised.condition).collect::<Vec<_>>(), [condition]);
            assert_eq!(conditions.is_ready(), !condition.is_fatal(), "{condition:?}");
            conditions.set(condition, false);
            shown(condition, 0);
            assert!(conditions.list_raised().is_empty());
        }
    }
}
