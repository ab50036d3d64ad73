//! Settings that nobody can mean, refused when a client is made: before anything is sent. Knows nothing of any one call.

use super::Error;
use crate::wire::Settings;

/// Refuses limits of nothing, and words of the provider that would mean two things.
pub(crate) fn check(settings: &Settings) -> Result<(), Error> {
    let limits = &settings.limits;
    let at_least_one = [
        ("limits.connect_timeout_ms", limits.connect_timeout_ms),
        ("limits.read_timeout_ms", limits.read_timeout_ms),
        ("limits.total_timeout_ms", limits.total_timeout_ms),
        ("limits.body_bytes_max", limits.body_bytes_max),
        ("limits.attempts_max", limits.attempts_max.into()),
    ];
    if let Some((name, _)) = at_least_one.iter().find(|(_, value)| *value == 0) {
        return refuse(format!(
            "`{name}` is 0: every call would fail, and those that act would leave their outcome unknown"
        ));
    }
    if settings.success_code.is_empty() {
        return refuse("`success_code` is empty: no answer would be a success".to_owned());
    }
    let (status, requery) = (&settings.bill.status, &settings.requery);
    let lists = [
        [
            ("bill.status.paid_codes", &status.paid_codes),
            ("bill.status.pending_codes", &status.pending_codes),
            ("bill.status.not_paid_codes", &status.not_paid_codes),
        ]
        .to_vec(),
        [
            ("requery.succeeded", &requery.succeeded),
            ("requery.failed", &requery.failed),
            ("requery.pending", &requery.pending),
            ("requery.not_found", &requery.not_found),
        ]
        .to_vec(),
    ];
    for list in &lists {
        for (at, (name, words)) in list.iter().enumerate() {
            for (other, known) in &list[at + 1..] {
                if let Some(word) = words.iter().find(|word| known.iter().any(|known| known.eq_ignore_ascii_case(word)))
                {
                    return refuse(format!("`{word}` is in `{name}` and in `{other}`: it can mean one of them"));
                }
            }
        }
    }
    let may_be_listed = |status: u16| matches!(status, 307 | 308 | 401 | 407 | 429);
    if let Some(status) = settings.money.not_done_statuses.iter().find(|status| !may_be_listed(**status)) {
        return refuse(format!(
            "`money.not_done_statuses` has {status}, which does not say that nothing was done; it takes 307, 308, 401, 407 and 429"
        ));
    }
    if requery.not_found_codes.contains(&settings.success_code) {
        return refuse("`requery.not_found_codes` has the code that means success".to_owned());
    }
    Ok(())
}

fn refuse(problem: String) -> Result<(), Error> {
    Err(Error::configuration("settings", problem))
}
