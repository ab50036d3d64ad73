//! Spreads a policy over random files. Knows nothing of what the parts say.

use super::model::{INPUTS, Policy};
use super::names::{File, Homes};
use crate::random::Source;

/// Names for `as`.
const SPACES: [&str; 4] = ["credit", "line", "base", "x2"];

/// Spreads a policy over files, and gives everything its name.
pub fn spread(source: &mut Source, policy: &mut Policy) {
    let count = if source.below(2) == 0 { 0 } else { 1 + source.below(SPACES.len()) };
    let prefix = format!("v{}", policy.version);
    policy.files = vec![file(format!("{prefix}.toml"), 0, None)];
    for number in 1..=count {
        let by = source.below(number);
        let space = (source.below(3) > 0).then(|| SPACES[number - 1]);
        let folder = if source.once_in(3) { "shared/" } else { "" };
        let mut used = file(format!("{folder}{prefix}_{number}.toml"), by, space);
        used.locked = source.once_in(4);
        policy.files.push(used);
    }
    also(source, policy);
    let homes = |source: &mut Source, parts: usize| (0..parts).map(|_| source.below(count + 1)).collect::<Vec<_>>();
    policy.homes = Homes {
        inputs: homes(source, INPUTS.len()),
        parameters: homes(source, policy.parameters.len()),
        metrics: homes(source, policy.metrics.len()),
        requirements: homes(source, policy.requirements.len()),
        score: source.below(count + 1),
        tables: homes(source, policy.tables.len()),
        exposure: source.below(count + 1),
        ask: source.below(count + 1),
        offers: homes(source, policy.offers.len()),
    };
    policy.name_everything();
}

/// All of a policy in one file.
pub fn alone(policy: &mut Policy) {
    policy.files = vec![file("v1.toml".to_owned(), 0, None)];
    policy.homes = Homes {
        inputs: vec![0; INPUTS.len()],
        parameters: vec![0; policy.parameters.len()],
        metrics: vec![0; policy.metrics.len()],
        requirements: vec![0; policy.requirements.len()],
        tables: vec![0; policy.tables.len()],
        offers: vec![0; policy.offers.len()],
        ..Homes::default()
    };
    policy.name_everything();
}

fn file(path: String, by: usize, space: Option<&'static str>) -> File {
    File { path, by, space, also: Vec::new(), locked: false }
}

/// A file that is used without `as` may be used again, by a file farther from the policy in the same space or within
/// it.
fn also(source: &mut Source, policy: &mut Policy) {
    for used in 1..policy.files.len() {
        let other = source.below(policy.files.len());
        let (one, by) = (&policy.files[used], policy.files[used].by);
        let further = depth(policy, other) > depth(policy, by);
        let within = policy.space(other).starts_with(&policy.space(used));
        // In a circle nothing could be used before its user.
        let circle = policy.reaches(used, other);
        if one.space.is_none() && further && within && !circle {
            policy.files[used].also.push(other);
        }
    }
}

fn depth(policy: &Policy, file: usize) -> usize {
    if file == 0 { 0 } else { 1 + depth(policy, policy.files[file].by) }
}
