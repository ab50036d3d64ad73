//! The people of the sandbox, the same for the same seed. Knows nothing of their statements but the story.

use serde::Serialize;

/// The story behind a person's statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Story {
    /// A salary on the same days each month, with a raise.
    SteadySalary,
    /// A salary that comes late, and once not at all.
    LateSalary,
    /// Many small incomes from short jobs.
    GigWork,
    /// A market trader: many credits, high turnover, thin balance.
    Trader,
    /// A salary, much of which goes to betting.
    Betting,
    /// A salary and several loans under repayment.
    Indebted,
    /// An account of a few weeks.
    NewAccount,
    /// A pension and transfers from family.
    Pension,
}

impl Story {
    /// All stories, in the order of the people.
    pub const ALL: [Story; 8] = [
        Story::SteadySalary,
        Story::LateSalary,
        Story::GigWork,
        Story::Trader,
        Story::Betting,
        Story::Indebted,
        Story::NewAccount,
        Story::Pension,
    ];

    /// The story in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Story::SteadySalary => "a steady salary, with a raise",
            Story::LateSalary => "a salary that comes late, and once not at all",
            Story::GigWork => "many small incomes from short jobs",
            Story::Trader => "a market trader with high turnover and a thin balance",
            Story::Betting => "a salary, much of which goes to betting",
            Story::Indebted => "a salary and several loans being paid back",
            Story::NewAccount => "an account of a few weeks",
            Story::Pension => "a pension and transfers from family",
        }
    }
}

/// A made-up person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Person {
    /// The customer's id.
    pub customer_id: String,
    /// Given name and family name.
    pub name: String,
    /// `YYYY-MM-DD`.
    pub date_of_birth: String,
    /// The story behind the statement.
    pub story: Story,
    /// An account of this person, for E5.
    pub account_number: String,
    /// That account's bank.
    pub bank_code: String,
    /// The seed of the statement.
    pub seed: u64,
}

impl Person {
    /// A telephone number, made from the account's.
    pub(crate) fn msisdn(&self) -> String {
        format!("234{}", self.account_number)
    }
}

const GIVEN: [&str; 16] = [
    "Adaeze", "Bayo", "Chidi", "Damilola", "Emeka", "Folake", "Garba", "Halima", "Ifeoma", "Jide", "Kemi", "Ladi",
    "Musa", "Ngozi", "Obinna", "Yetunde",
];
const FAMILY: [&str; 16] = [
    "Abubakar", "Adeyemi", "Balogun", "Danjuma", "Eze", "Fashola", "Ibrahim", "Ilesanmi", "Lawal", "Mohammed", "Nwosu",
    "Obi", "Okafor", "Okonkwo", "Sule", "Uche",
];

/// The people of a seed, one per story.
pub fn people(seed: u64) -> Vec<Person> {
    Story::ALL.iter().enumerate().map(|(index, story)| person_of_story(seed, index, *story)).collect()
}

fn person_of_story(seed: u64, index: usize, story: Story) -> Person {
    let digest = blake3::hash(format!("person {seed} {index}").as_bytes());
    let [a, b, c, d, e, rest @ ..] = *digest.as_bytes();
    let pick = |list: &[&'static str; 16], byte: u8| list.get(usize::from(byte % 16)).copied().unwrap_or_default();
    let mut number = [0; 8];
    number.iter_mut().zip(rest).for_each(|(to, from)| *to = from);
    Person {
        customer_id: format!("C{:02}{:04}", index + 1, u32::from(a) * 37 % 10_000),
        name: format!("{} {}", pick(&GIVEN, a), pick(&FAMILY, b)),
        date_of_birth: format!(
            "{}-{:02}-{:02}",
            birth_year_of_story(story) + i32::from(c % 15),
            d % 12 + 1,
            e % 28 + 1
        ),
        story,
        account_number: format!("{:010}", u64::from_le_bytes(number) % 10_000_000_000),
        bank_code: format!("{:03}", 101 + u32::from(b % 8)),
        seed: u64::from_le_bytes(number),
    }
}

/// The earliest year of birth that fits a story.
fn birth_year_of_story(story: Story) -> i32 {
    match story {
        Story::Pension => 1948,
        Story::NewAccount => 1993,
        Story::SteadySalary | Story::LateSalary | Story::GigWork | Story::Trader | Story::Betting | Story::Indebted => {
            1975
        }
    }
}
