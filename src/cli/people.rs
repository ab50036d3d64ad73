//! Makes the generator's statements for the sandbox's people. Only this file knows both.

use std::sync::Arc;

use crate::base::date::Day;
use crate::provider::generate::{self, Options, Plan, Profile};
use crate::provider::sandbox::{Person, StatementSource, Story};

/// A source of statements for the sandbox's people, up to a day.
pub(crate) fn statements_of_people(last_day: Option<Day>) -> Result<StatementSource, generate::Error> {
    for story in Story::ALL {
        Options { end: last_day, ..options_of_story(story) }.check()?;
    }
    Ok(Arc::new(move |person| statement_of_person(person, last_day)))
}

fn statement_of_person(person: &Person, end: Option<Day>) -> Vec<u8> {
    let mut owner = generate::Person::with_profile(person.seed, &person.customer_id, profile_of_story(person.story));
    // Banks print names in capitals.
    owner.name = person.name.to_uppercase();
    let mut bytes = Vec::new();
    // The options have been checked, and writing to memory does not fail. If it ever does, the client reports an empty
    // body.
    if let Ok(plan) = Plan::for_person(owner, &Options { end, ..options_of_story(person.story) }) {
        let _ = plan.write_json(&mut bytes);
    }
    bytes
}

fn profile_of_story(story: Story) -> Profile {
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

fn options_of_story(story: Story) -> Options {
    let plain = Options { noise: 0.05, ..Options::default() };
    match story {
        Story::LateSalary => Options { noise: 0.3, ..plain },
        Story::NewAccount => Options { records: 12, months: Some(1), ..plain },
        Story::Trader => Options { records: 600, ..plain },
        Story::SteadySalary | Story::GigWork | Story::Betting | Story::Indebted | Story::Pension => plain,
    }
}
