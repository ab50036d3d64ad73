//! Puts an edited policy in force while the service runs. A policy with mistakes changes nothing. Every change is
//! recorded in the audit. Knows nothing of decisions.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::clock::system_now;
use crate::base::date::Zone;
use crate::base::money::Currency;
use crate::engine::decision::PolicyRecord;
use crate::lender::hosted::Condition;
use crate::lender::runner::{Runner, refuse_unknown_own_inputs};
use crate::rules::{Header, InputSource, Policies, PolicySet};
use crate::run::live_policy::{AdmissionCheck, LivePolicy, Reloaded};

/// Why a policy without mistakes is not put in force.
enum Veto {
    /// Until the files change again.
    ForGood(String),
    /// It is tried again at the next look.
    ForNow(String),
}

/// Compares the files with the policy in force, all the time. Loans are in one currency and time zone, so a policy with
/// others needs a new start.
pub(super) async fn reload_policy(live: Arc<LivePolicy>, runner: Runner, every: Duration, locale: Locale) {
    let conditions = runner.conditions().clone();
    loop {
        tokio::time::sleep(every).await;
        let (looked, runner, locale) = (Arc::clone(&live), runner.clone(), locale.clone());
        let look = move || {
            let admit = |before: &Policies, after: &Policies| admit_policy(&runner, before, after, &locale);
            looked.reload_unless(AdmissionCheck { admit: &admit, is_for_now: |veto| matches!(veto, Veto::ForNow(_)) })
        };
        let Ok(reloaded) = tokio::task::spawn_blocking(look).await else {
            tracing::error!("the reload of the policy panicked, which is a bug; the policy stays in force");
            continue;
        };
        conditions.set(Condition::PolicyRefused, live.is_edit_refused());
        match reloaded {
            Ok(Ok(Reloaded::Unchanged | Reloaded::Changing)) => {}
            Ok(Ok(Reloaded::Swapped { before, now })) => {
                let [before, now] = [records_of_policies(&before), records_of_policies(&now)];
                tracing::info!(
                    before = describe_policies(&before),
                    now = describe_policies(&now),
                    "another policy is in force"
                );
            }
            Ok(Err(Veto::ForGood(why) | Veto::ForNow(why))) => tracing::error!("{why}"),
            Err(error) => {
                tracing::error!("the edited policy is refused, and the last good one stays in force: {error}")
            }
        }
    }
}

/// Whether a policy may be put in force. It is recorded in the audit before it decides anything.
fn admit_policy(runner: &Runner, before: &Policies, after: &Policies, locale: &Locale) -> Result<(), Veto> {
    if !locale.is_of_all(after) {
        return Err(Veto::ForGood(
            "the edited policy has another currency or time zone and is refused: the last one stays in force; restart \
             the service for another"
                .to_owned(),
        ));
    }
    refuse_unfit_inputs(after).map_err(|why| {
        Veto::ForGood(format!("the edited policy {why}; it is refused, and the last one stays in force"))
    })?;
    let as_json = |policies| policies_as_json(&records_of_policies(policies));
    let detail = json!({ "before": as_json(before), "now": as_json(after) });
    runner.book().record_event(system_now(), "service", "policy_changed", &detail).map_err(|error| {
        Veto::ForNow(format!("the change of the policy cannot be recorded, and the last one stays in force: {error}"))
    })
}

/// Refuses policies with given metrics: the provider's requests bring none, so every case would be referred. Refuses
/// those that read of the book what it does not know.
pub(super) fn refuse_unfit_inputs(policies: &Policies) -> Result<(), String> {
    refuse_unknown_own_inputs(policies)?;
    let inputs = policies.policies().into_iter().flat_map(|policy| policy.inputs());
    match inputs.into_iter().find(|input| input.source == InputSource::Given) {
        None => Ok(()),
        Some(input) => Err(format!(
            "declares the given metric `{}`, which no request of the provider brings, so \
             there would be no offers; compute it from the statement, or leave it out",
            input.name
        )),
    }
}

fn records_of_policies(policies: &Policies) -> Vec<PolicyRecord> {
    policies.policies().into_iter().map(PolicyRecord::from_policy).collect()
}

/// The currency and the time zone of a service, which all its loans share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Locale {
    pub(crate) currency: Currency,
    pub(crate) zone: Zone,
}

impl Locale {
    /// Whether it is that of all these policies.
    pub(super) fn is_of_all(&self, policies: &Policies) -> bool {
        let is_same = |header: &Header| header.currency == self.currency && header.zone == self.zone;
        policies.policies().iter().all(|policy| is_same(policy.header()))
    }
}

/// Policies for the audit.
pub(super) fn policies_as_json(policies: &[PolicyRecord]) -> Json {
    let record = |policy: &PolicyRecord| {
        let digest = policy.digest.to_string();
        json!({ "name": policy.name, "version": policy.version, "digest": digest })
    };
    policies.iter().map(record).collect()
}

/// Policies for people.
pub(crate) fn describe_policies(policies: &[PolicyRecord]) -> String {
    let words = |policy: &PolicyRecord| {
        let digest: String = policy.digest.to_string().chars().take(12).collect();
        format!("{} {} ({digest})", policy.name, policy.version)
    };
    policies.iter().map(words).collect::<Vec<_>>().join(", ")
}
