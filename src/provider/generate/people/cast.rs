//! The named cast: eight people for demonstrations and the simulated provider, each with a story of one line.

use super::person::{Person, Profile};

/// Eight people with the same names and stories for every seed; the seed changes their amounts and dates.
pub fn people(seed: u64) -> Vec<Person> {
    let parts: [(&str, &str, Profile); 8] = [
        ("OKAFOR ADA", "Ada, paid monthly by one employer", Profile::Salaried),
        ("ADEYEMI BAYO", "Bayo, drives and sells", Profile::GigWorker),
        ("NWOSU CHIDI", "Chidi, paid monthly, bets most days", Profile::Gambler),
        ("BALOGUN DUPE", "Dupe, in debt to three lenders", Profile::OverIndebted),
        ("EZE EMEKA", "Emeka, keeps a shop", Profile::Trader),
        ("ALABI FUNKE", "Funke, three records only", Profile::Student),
        ("OJO GBENGA", "Gbenga, lives on a pension and a rent", Profile::Pensioner),
        ("BELLO HALIMA", "Halima, changed employer on the way", Profile::JobChanger),
    ];
    parts.into_iter().map(|(name, story, profile)| build_cast_member(seed, name, story, profile)).collect()
}

fn build_cast_member(seed: u64, name: &str, story: &str, profile: Profile) -> Person {
    let mut person = Person::with_profile(seed, name, profile);
    name.clone_into(&mut person.name);
    story.clone_into(&mut person.story);
    match profile {
        Profile::Salaried => {
            person.pay_day = 25;
            person.income = 42_500_000;
            person.habits.loans_a_year = 0;
            person.habits.bets = false;
        }
        Profile::OverIndebted => {
            person.habits.loans_a_year = 12;
            person.habits.lenders = vec!["FAIRMONEY", "CARBON", "PALMCREDIT"];
        }
        Profile::Student => person.records = Some(3),
        Profile::Pensioner => person.habits.landlord = true,
        _ => {}
    }
    person
}
