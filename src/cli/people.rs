//! The sandbox's people meet the generator's statements: the one place that knows both.

use std::sync::Arc;

use crate::generate::{self, Options, Plan, Profile};
use crate::sandbox::{Person, StatementSource, Story};
use crate::words::date::Day;

/// Makes the statements of the sandbox's people, up to a day.
pub(crate) fn statements(last_day: Option<Day>) -> Result<StatementSource, generate::Error> {
    for story in Story::ALL {
        Options { end: last_day, ..options(story) }.check()?;
    }
    Ok(Arc::new(move |person| statement(person, last_day)))
}

fn statement(person: &Person, end: Option<Day>) -> Vec<u8> {
    let mut owner = generate::Person::with_profile(person.seed, &person.customer_id, profile(person.story));
    // As banks print names.
    owner.name = person.name.to_uppercase();
    let mut bytes = Vec::new();
    // The options have been checked and writing to memory does not fail; if ever, the client says that the body is empty.
    if let Ok(plan) = Plan::for_person(owner, &Options { end, ..options(person.story) }) {
        let _ = plan.write_json(&mut bytes);
    }
    bytes
}

fn profile(story: Story) -> Profile {
    match story {
        Story::SteadySalary | Story::NewAccount => Profile::Salaried,
        Story::LateSalary => Profile::CivilServant,
        Story::GigWork => Profile::GigWorker,
        Story::Trader => Profile::Trader,
        Story::Betting => Profile::Gambler,
        Story::Indebted => Profile::OverIndebted,
        Story::Pension => Profile::Pensioner,
    }
}

fn options(story: Story) -> Options {
    let plain = Options { noise: 0.05, ..Options::default() };
    match story {
        Story::LateSalary => Options { noise: 0.3, ..plain },
        Story::NewAccount => Options { records: 12, months: Some(1), ..plain },
        Story::Trader => Options { records: 600, ..plain },
        _ => plain,
    }
}
