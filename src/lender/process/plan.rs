//! The configuration as the settings of servicing. Knows nothing of files.

use std::time::Duration;

use crate::base::date::Zone;
use crate::lender::config::{CallSettings, Config, MessageSettings, NotFound};
use crate::lender::loan::{AfterNotFound, Backoff, Plan, Retry};
use crate::lender::runner::{RunnerSettings, Texts};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// The settings of a loan's life, in the policy's time zone.
pub(crate) fn build_plan(config: &Config, zone: Zone) -> Plan {
    let (money, calls) = (&config.money, &config.calls);
    let retries = config.collection.retries.iter();
    Plan {
        zone,
        collect_at: config.collection.time_of_day,
        backoff: backoff_of_settings(calls.first_wait_ms, calls.longest_wait_ms),
        give_up_after_ms: i64::from(calls.give_up_hours) * HOUR_MS,
        fund_after_ms: i64::try_from(config.acceptance.fund_after_ms).unwrap_or(i64::MAX),
        requery: backoff_of_settings(money.requery_first_ms, money.requery_longest_ms),
        settling_ms: i64::from(money.settling_minutes) * MINUTE_MS,
        unknown_ms: i64::from(money.unknown_hours) * HOUR_MS,
        after_not_found: match money.after_not_found {
            NotFound::Review => AfterNotFound::Review,
            NotFound::SendAgain => AfterNotFound::SendAgain,
        },
        own_debit_ms: i64::from(money.own_debit_hours) * HOUR_MS,
        retries: retries.map(|retry| Retry { after_ms: retry.after.milliseconds(), percent: retry.percent }).collect(),
    }
}

fn backoff_of_settings(first_ms: u64, longest_ms: u64) -> Backoff {
    let milliseconds = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    Backoff { first_ms: milliseconds(first_ms), longest_ms: milliseconds(longest_ms) }
}

/// The texts to customers. An empty text is not sent.
pub(super) fn build_texts(messages: &MessageSettings) -> Texts {
    let texts = messages.texts().into_iter().filter(|(_, text)| !text.is_empty());
    Texts(texts.map(|(name, text)| (name, text.to_owned())).collect())
}

/// The limits of the runner.
pub(super) fn build_runner_settings(calls: &CallSettings) -> RunnerSettings {
    RunnerSettings { in_flight_max: calls.in_flight_max, look_every: Duration::from_millis(calls.look_every_ms) }
}

#[cfg(test)]
mod tests {
    use super::{build_plan, build_texts};
    use crate::base::date::Zone;
    use crate::lender::config::{Config, MessageSettings, NotFound};
    use crate::lender::loan::{AfterNotFound, Message};

    #[test]
    fn the_configuration_becomes_a_plan() {
        let mut config = Config::default();
        let zone = || Zone::parse("Africa/Lagos").unwrap();
        let by_default = build_plan(&config, zone());
        assert_eq!((by_default.settling_ms, by_default.unknown_ms), (900_000, 86_400_000));
        assert_eq!(by_default.retries.len(), 3);
        assert_eq!(by_default.fund_after_ms, 1_000);
        assert_eq!(by_default.own_debit_ms, 3 * 86_400_000);
        config.money.after_not_found = NotFound::SendAgain;
        config.money.settling_minutes = 0;
        config.calls.first_wait_ms = 7;
        let other = build_plan(&config, zone());
        assert_eq!((other.after_not_found, other.settling_ms), (AfterNotFound::SendAgain, 0));
        assert_eq!(other.backoff.after(1), 14);
    }

    #[test]
    fn every_message_has_a_text_and_an_empty_one_is_not_sent() {
        let messages = MessageSettings { funded: String::new(), ..MessageSettings::default() };
        let texts = build_texts(&messages).0;
        assert_eq!(texts.get(Message::Funded.word()), None);
        assert!(texts[Message::NotCollected.word()].contains("{owed}"));
        // Every message has a key, and every key a message.
        assert_eq!(messages.texts().map(|(name, _)| name), Message::ALL.map(Message::word));
    }
}
