//! Refuses settings that make no sense when a client is made, before anything is sent. Knows nothing of any one call.

use super::Error;
use crate::provider::wire::Settings;

/// Refuses limits of 0, and codes or words with two meanings.
pub(crate) fn check_client_settings(settings: &Settings) -> Result<(), Error> {
    let limits = &settings.limits;
    let at_least_one = [
        ("limits.connect_timeout_ms", limits.connect_timeout_ms),
        ("limits.read_timeout_ms", limits.read_timeout_ms),
        ("limits.total_timeout_ms", limits.total_timeout_ms),
        ("limits.body_bytes_max", limits.body_bytes_max),
        ("limits.attempts_max", limits.attempts_max.into()),
    ];
    if let Some((name, _)) = at_least_one.iter().find(|(_, value)| *value == 0) {
        return refuse_client_settings(format!(
            "`{name}` is 0: every call would fail, and those that act would leave their outcome unknown"
        ));
    }
    if settings.success_code.is_empty() {
        return refuse_client_settings("`success_code` is empty: no answer would be a success".to_owned());
    }
    for list in lists_of_meanings(settings) {
        check_apart(&list)?;
    }
    check_requery(settings)?;
    for (name, codes) in [
        ("money.refused_codes", &settings.money.refused_codes),
        ("money.unfinished_codes", &settings.money.unfinished_codes),
    ] {
        if codes.contains(&settings.success_code) {
            return refuse_client_settings(format!("`{name}` has the code that means success"));
        }
    }
    let may_be_listed = |status: u16| matches!(status, 307 | 308 | 401 | 407 | 429);
    if let Some(status) = settings.money.not_done_statuses.iter().find(|status| !may_be_listed(**status)) {
        return refuse_client_settings(format!(
            "`money.not_done_statuses` has {status}, which does not say that nothing was done; it takes 307, 308, 401, \
             407 and 429"
        ));
    }
    Ok(())
}

/// Lists of the provider's words and codes, by their meaning. Within these lists a word has one meaning.
type Meanings<'a> = Vec<(&'static str, &'a [String])>;

fn lists_of_meanings(settings: &Settings) -> [Meanings<'_>; 4] {
    let (status, requery) = (&settings.bill.status, &settings.requery);
    [
        vec![
            ("money.unfinished_codes", settings.money.unfinished_codes.as_slice()),
            ("money.refused_codes", &settings.money.refused_codes),
        ],
        vec![
            ("bill.status.paid_codes", status.paid_codes.as_slice()),
            ("bill.status.pending_codes", &status.pending_codes),
            ("bill.status.not_paid_codes", &status.not_paid_codes),
            ("bill.status.not_found_codes", &status.not_found_codes),
        ],
        vec![
            ("requery.succeeded", requery.succeeded.as_slice()),
            ("requery.failed", &requery.failed),
            ("requery.pending", &requery.pending),
            ("requery.not_found", &requery.not_found),
        ],
        vec![
            ("requery.succeeded_codes", requery.succeeded_codes.as_slice()),
            ("requery.failed_codes", &requery.failed_codes),
            ("requery.pending_codes", &requery.pending_codes),
            ("requery.not_found_codes", &requery.not_found_codes),
        ],
    ]
}

/// Refuses a word that is in two lists.
fn check_apart(lists: &Meanings<'_>) -> Result<(), Error> {
    for (at, (name, words)) in lists.iter().enumerate() {
        for (other, known) in lists.iter().skip(at + 1) {
            if let Some(word) = words.iter().find(|word| known.iter().any(|known| known.eq_ignore_ascii_case(word))) {
                return refuse_client_settings(format!(
                    "`{word}` is in both `{name}` and `{other}`: it can mean only one of them"
                ));
            }
        }
    }
    Ok(())
}

/// Refuses settings of E9 under which a failed transaction could pass for a successful one, or no answer could be read.
fn check_requery(settings: &Settings) -> Result<(), Error> {
    let requery = &settings.requery;
    let otherwise = [
        ("requery.failed_codes", &requery.failed_codes),
        ("requery.pending_codes", &requery.pending_codes),
        ("requery.not_found_codes", &requery.not_found_codes),
    ];
    if let Some((name, _)) = otherwise.iter().find(|(_, codes)| codes.contains(&settings.success_code)) {
        return refuse_client_settings(format!("`{name}` has the code that means success"));
    }
    if requery.code_field.is_empty() {
        return refuse_client_settings("`requery.code_field` is empty: no answer could be read".to_owned());
    }
    if requery.status_field.is_empty() && requery.succeeded_codes.is_empty() {
        return refuse_client_settings(
            "`requery.status_field` and `requery.succeeded_codes` are empty: no answer could say that money has moved"
                .to_owned(),
        );
    }
    Ok(())
}

fn refuse_client_settings(problem: String) -> Result<(), Error> {
    Err(Error::configuration("settings", problem))
}
