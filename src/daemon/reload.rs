//! Puts an edited policy in force while the service runs. A policy with mistakes changes nothing. Every change is
//! recorded in the audit. Knows nothing of decisions.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::now;
use crate::decision::PolicyRecord;
use crate::live::{LivePolicy, Reloaded};
use crate::rules::{Policies, PolicySet};
use crate::servicing::Runner;
use crate::words::date::Zone;
use crate::words::money::Currency;

/// Compares the files with the policy in force, all the time. Loans are in one currency and time zone, so a policy with
/// others needs a new start.
pub(super) async fn run(live: Arc<LivePolicy>, runner: Runner, every: Duration, fixed: (Currency, Zone)) {
    loop {
        tokio::time::sleep(every).await;
        let (looked, shared) = (Arc::clone(&live), Arc::clone(&live));
        let Ok(reloaded) = tokio::task::spawn_blocking(move || looked.reload_if_changed()).await else {
            tracing::error!("the reload of the policy panicked, which is a bug; the policy stays in force");
            continue;
        };
        match reloaded {
            Ok(Reloaded::Unchanged | Reloaded::Changing) => {}
            Ok(Reloaded::Swapped { before, now }) => swapped(&shared, &runner, (&before, &now), &fixed).await,
            Err(error) => {
                tracing::error!("the edited policy is refused, and the last good one stays in force: {error}")
            }
        }
    }
}

async fn swapped(
    live: &LivePolicy,
    runner: &Runner,
    (before, after): (&Arc<Policies>, &Arc<Policies>),
    fixed: &(Currency, Zone),
) {
    if !fits(after, fixed) {
        let _ = live.replace((**before).clone());
        tracing::error!(
            "the edited policy has another currency or time zone and is refused: the last one stays in force; start \
             the service anew for another"
        );
        return;
    }
    let [old, new] = [before, after]
        .map(|policies| policies.policies().into_iter().map(PolicyRecord::from_policy).collect::<Vec<PolicyRecord>>());
    tracing::info!(before = in_words(&old), now = in_words(&new), "another policy is in force");
    let detail = json!({ "before": records(&old), "now": records(&new) });
    let book = runner.book().clone();
    let noted = tokio::task::spawn_blocking(move || book.note(now(), "service", "policy_changed", &detail)).await;
    match noted {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!(%error, "the change of the policy could not be recorded in the audit"),
        Err(_) => tracing::error!("the record of the policy's change panicked, which is a bug"),
    }
}

/// Whether all policies have this currency and time zone.
pub(super) fn fits(policies: &Policies, (currency, zone): &(Currency, Zone)) -> bool {
    policies.policies().iter().all(|policy| policy.header().currency == *currency && policy.header().zone == *zone)
}

/// Policies for the audit.
pub(super) fn records(policies: &[PolicyRecord]) -> Json {
    let record = |policy: &PolicyRecord| {
        let digest = policy.digest.to_string();
        json!({ "name": policy.name, "version": policy.version, "digest": digest })
    };
    policies.iter().map(record).collect()
}

/// Policies for people.
pub(crate) fn in_words(policies: &[PolicyRecord]) -> String {
    let words = |policy: &PolicyRecord| {
        let digest: String = policy.digest.to_string().chars().take(12).collect();
        format!("{} {} ({digest})", policy.name, policy.version)
    };
    policies.iter().map(words).collect::<Vec<_>>().join(", ")
}
