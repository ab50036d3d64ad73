//! Pairs the versions of two policies, and finds new and removed ones.

use super::{PolicyChange, compare_policies};
use crate::rules::{Policies, Policy, PolicySet};

/// The version that a policy is compared with: the one of the same name, else the latest.
pub fn find_counterpart<'v>(policy: &Policy, versions: &'v Policies) -> &'v Policy {
    let same = |other: &&Policy| other.header().version == policy.header().version;
    versions.versions().iter().find(same).unwrap_or(versions.latest())
}

/// Compares policies version by version: changed, removed and new ones. A new version is compared with the one before
/// it. Versions are matched by their name, or by the day from which they are valid.
pub fn compare_versions(before: &Policies, after: &Policies) -> Vec<PolicyChange> {
    let (old, new) = (before.versions(), after.versions());
    if let ([old], [new]) = (old, new) {
        return compare_policies(old, new);
    }
    let mut partner: Vec<Option<usize>> = vec![None; new.len()];
    pair(old, new, &mut partner, |policy| policy.header().version.clone());
    pair(old, new, &mut partner, |policy| policy.header().valid_from);
    let mut changes = Vec::new();
    let whole = |version: &str, before: Option<&str>, after: Option<&str>| PolicyChange {
        version: Some(version.to_owned()),
        section: "policy",
        what: "version".to_owned(),
        before: before.map(str::to_owned),
        after: after.map(str::to_owned),
        ..PolicyChange::default()
    };
    for gone in (0..old.len()).filter(|at| !partner.contains(&Some(*at))) {
        let version = &old[gone].header().version;
        changes.push(whole(version, Some(version), None));
    }
    for (at, policy) in new.iter().enumerate() {
        let version = &policy.header().version;
        let in_version = |change: PolicyChange| PolicyChange { version: Some(version.clone()), ..change };
        if let Some(from) = partner[at] {
            changes.extend(compare_policies(&old[from], policy).into_iter().map(in_version));
            continue;
        }
        // The first version has none before it, so it is compared with the next.
        let beside = at.checked_sub(1).or((new.len() > 1).then_some(1)).map(|beside| &new[beside]);
        let against = beside.map(|beside| beside.header().version.clone());
        changes.push(PolicyChange { against: against.clone(), ..whole(version, None, Some(version)) });
        let changes_beside = beside.map(|beside| compare_policies(beside, policy)).unwrap_or_default();
        let changes_beside =
            changes_beside.into_iter().filter(|change| (change.section, change.what.as_str()) != ("policy", "version"));
        changes.extend(changes_beside.map(|change| PolicyChange { against: against.clone(), ..in_version(change) }));
    }
    changes
}

fn pair<K: PartialEq>(old: &[Policy], new: &[Policy], partner: &mut [Option<usize>], key: impl Fn(&Policy) -> K) {
    for at in 0..new.len() {
        let free = |from: &usize| !partner.contains(&Some(*from)) && key(&old[*from]) == key(&new[at]);
        if partner[at].is_none() {
            partner[at] = (0..old.len()).find(free);
        }
    }
}
