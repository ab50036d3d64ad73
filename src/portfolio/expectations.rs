//! Expectations that no decision of the policy can meet, found before any case runs.

use super::cases::Cases;
use super::mistakes::Slip;
use crate::base::diagnostic::nearest_candidate;
use crate::rules::{Policies, PolicySet};

/// Reason ids that the engine itself gives.
const OWN_REASONS: [&str; 4] = ["NO_OFFER", "OFFER_UNKNOWN", "POLICY_DATES", "INPUT_MISSING"];

const OUTCOMES: [&str; 3] = ["offer", "refer", "decline"];

/// Most names that a help text lists.
const NAMES_LISTED_MAX: usize = 20;

/// Finds expectations that the policy cannot meet, and those not filled in yet.
pub(super) fn check_expectations(cases: &Cases, policies: &Policies) -> Vec<Slip> {
    let programs = || policies.policies().into_iter().map(|policy| &policy.program);
    let requirements: Vec<&str> =
        programs().flat_map(|program| &program.requirements).map(|requirement| requirement.id.as_str()).collect();
    let codes: Vec<&str> =
        programs().flat_map(|program| &program.score_items).filter_map(|item| item.code.as_deref()).collect();
    let mut slips = Vec::new();
    for case in &cases.case {
        let mut slip = |keys: &[&str], message: String, help: Option<String>| {
            let keys = std::iter::once("expect").chain(keys.iter().copied()).map(str::to_owned).collect();
            slips.push(Slip { case: case.number, name: case.name.clone(), keys, message, help });
        };
        match case.expect.outcome.as_deref() {
            None => {
                let help = "add `outcome`, or let `lendwright test --update` fill it in".to_owned();
                let what = if case.expect.is_empty() { "it expects nothing yet" } else { "it expects no outcome yet" };
                slip(&[], what.to_owned(), Some(help));
            }
            Some(outcome) if !OUTCOMES.contains(&outcome) => {
                slip(&["outcome"], format!("`{outcome}` is not an outcome; write offer, refer or decline"), None);
            }
            Some(_) => {}
        }
        for (number, id) in case.expect.reasons.iter().enumerate() {
            if !requirements.contains(&id.as_str()) && !OWN_REASONS.contains(&id.as_str()) {
                let help = suggestion(id, requirements.iter().chain(&OWN_REASONS).copied());
                slip(&["reasons", &number.to_string()], format!("no requirement `{id}`"), Some(help));
            }
        }
        for (number, code) in case.expect.points_lost.iter().flatten().enumerate() {
            if !codes.contains(&code.as_str()) {
                let help = suggestion(code, codes.iter().copied());
                slip(
                    &["points_lost", &number.to_string()],
                    format!("no item of the score has the code `{code}`"),
                    Some(help),
                );
            }
        }
    }
    slips
}

/// Suggests the nearest known name, or lists the known names. Ignores case, because people write their ids either way.
fn suggestion<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    let mut all: Vec<&str> = Vec::new();
    known.for_each(|known| {
        if !all.contains(&known) {
            all.push(known)
        }
    });
    let small: Vec<String> = all.iter().map(|known| known.to_lowercase()).collect();
    let near = nearest_candidate(name, small.iter().map(String::as_str));
    if let Some(near) = near.and_then(|near| small.iter().zip(&all).find(|(small, _)| *small == near)) {
        return format!("did you mean `{}`?", near.1);
    }
    match all.as_slice() {
        [] => "there is none in the policy".to_owned(),
        few if few.len() <= NAMES_LISTED_MAX => format!("there are: {}", few.join(", ")),
        many => {
            let (listed, others) = many.split_at(NAMES_LISTED_MAX);
            format!("there are: {} and {} more", listed.join(", "), others.len())
        }
    }
}
