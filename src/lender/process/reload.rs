//! Puts an edited policy in force while the service runs. A policy with mistakes changes nothing. Every change is
//! recorded in the audit. Knows nothing of decisions.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::clock::now;
use crate::base::date::Zone;
use crate::base::money::Currency;
use crate::engine::decision::PolicyRecord;
use crate::lender::runner::Runner;
use crate::rules::{Policies, PolicySet};
use crate::run::live_policy::{AskedBefore, LivePolicy, Reloaded};

/// Why a policy without mistakes is not put in force.
enum Veto {
    /// Until the files change again.
    ForGood(String),
    /// It is tried again at the next look.
    ForNow(String),
}

/// Compares the files with the policy in force, all the time. Loans are in one currency and time zone, so a policy with
/// others needs a new start.
pub(super) async fn run(live: Arc<LivePolicy>, runner: Runner, every: Duration, fixed: (Currency, Zone)) {
    loop {
        tokio::time::sleep(every).await;
        let (looked, runner, fixed) = (Arc::clone(&live), runner.clone(), fixed.clone());
        let look = move || {
            let admit = |before: &Policies, after: &Policies| admitted(&runner, (before, after), &fixed);
            looked.reload_unless(AskedBefore { admit: &admit, is_for_now: |veto| matches!(veto, Veto::ForNow(_)) })
        };
        let Ok(reloaded) = tokio::task::spawn_blocking(look).await else {
            tracing::error!("the reload of the policy panicked, which is a bug; the policy stays in force");
            continue;
        };
        match reloaded {
            Ok(Ok(Reloaded::Unchanged | Reloaded::Changing)) => {}
            Ok(Ok(Reloaded::Swapped { before, now })) => {
                let [before, now] = [recorded(&before), recorded(&now)];
                tracing::info!(before = in_words(&before), now = in_words(&now), "another policy is in force");
            }
            Ok(Err(Veto::ForGood(why) | Veto::ForNow(why))) => tracing::error!("{why}"),
            Err(error) => {
                tracing::error!("the edited policy is refused, and the last good one stays in force: {error}")
            }
        }
    }
}

/// Whether a policy may be put in force. It is recorded in the audit before it decides anything.
fn admitted(runner: &Runner, (before, after): (&Policies, &Policies), fixed: &(Currency, Zone)) -> Result<(), Veto> {
    if !fits(after, fixed) {
        return Err(Veto::ForGood(
            "the edited policy has another currency or time zone and is refused: the last one stays in force; restart \
             the service for another"
                .to_owned(),
        ));
    }
    let detail = json!({ "before": records(&recorded(before)), "now": records(&recorded(after)) });
    runner.book().note(now(), "service", "policy_changed", &detail).map_err(|error| {
        Veto::ForNow(format!("the change of the policy cannot be recorded, and the last one stays in force: {error}"))
    })
}

fn recorded(policies: &Policies) -> Vec<PolicyRecord> {
    policies.policies().into_iter().map(PolicyRecord::from_policy).collect()
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
