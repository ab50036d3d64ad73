//! The people whose statements are generated: who they are and what they live on.

use crate::provider::generate::market::{Facts, Market, Names};
use crate::provider::generate::random::{Draw, round_to_multiple};

/// What a person lives on, which shapes the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// Paid monthly by one firm.
    Salaried,
    /// Paid monthly by the state, often late.
    CivilServant,
    /// Changed employer within the statement.
    JobChanger,
    /// Drives, delivers or freelances for platforms.
    GigWorker,
    /// Runs a shop.
    Trader,
    /// Has a salary and a business on the side.
    SideBusiness,
    /// Lives on a pension.
    Pensioner,
    /// Paid monthly, bets most days.
    Gambler,
    /// Paid monthly, owes several lenders.
    OverIndebted,
    /// Lives on family and odd jobs.
    Student,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 10] = [
        Self::Salaried,
        Self::CivilServant,
        Self::JobChanger,
        Self::GigWorker,
        Self::Trader,
        Self::SideBusiness,
        Self::Pensioner,
        Self::Gambler,
        Self::OverIndebted,
        Self::Student,
    ];

    /// The profile's name in labels and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Salaried => "salaried",
            Self::CivilServant => "civil_servant",
            Self::JobChanger => "job_changer",
            Self::GigWorker => "gig_worker",
            Self::Trader => "trader",
            Self::SideBusiness => "side_business",
            Self::Pensioner => "pensioner",
            Self::Gambler => "gambler",
            Self::OverIndebted => "over_indebted",
            Self::Student => "student",
        }
    }

    /// Whether a salary comes in.
    pub fn has_salary(self) -> bool {
        matches!(
            self,
            Self::Salaried
                | Self::CivilServant
                | Self::JobChanger
                | Self::SideBusiness
                | Self::Gambler
                | Self::OverIndebted
        )
    }

    /// Whether the person takes money over a counter every day.
    pub(crate) fn trades(self) -> bool {
        matches!(self, Self::Trader | Self::SideBusiness)
    }

    /// Credit records per month, unless more are asked for.
    pub(crate) fn monthly_credits(self) -> u64 {
        match self {
            Self::Trader => 60,
            Self::GigWorker | Self::SideBusiness | Self::Gambler => 25,
            Self::OverIndebted => 18,
            Self::Salaried | Self::JobChanger | Self::CivilServant => 12,
            Self::Pensioner | Self::Student => 9,
        }
    }

    /// Monthly income in kobo: least and greatest.
    fn monthly_income(self) -> (i64, i64) {
        match self {
            Self::Salaried | Self::JobChanger | Self::SideBusiness => (9_000_000, 120_000_000),
            Self::CivilServant => (7_000_000, 40_000_000),
            Self::Gambler | Self::OverIndebted => (8_000_000, 45_000_000),
            Self::GigWorker => (8_000_000, 30_000_000),
            Self::Trader => (15_000_000, 250_000_000),
            Self::Pensioner => (3_000_000, 20_000_000),
            Self::Student => (1_500_000, 6_000_000),
        }
    }
}

/// Habits beside the main income.
#[derive(Clone, Debug, Default)]
pub(crate) struct Habits {
    pub(crate) landlord: bool,
    pub(crate) dividends: bool,
    pub(crate) allowance: bool,
    pub(crate) gig_beside: bool,
    pub(crate) bets: bool,
    pub(crate) pays_rent: bool,
    pub(crate) has_children: bool,
    pub(crate) second_account: bool,
    pub(crate) subscriptions: bool,
    /// Loans per year.
    pub(crate) loans_a_year: u32,
    pub(crate) lenders: Vec<&'static str>,
}

/// Somebody with a bank account.
#[derive(Clone, Debug)]
pub struct Person {
    /// The name, as the bank prints it.
    pub name: String,
    /// The customer's identifier, 24 hexadecimal digits.
    pub customer: String,
    /// What the person lives on.
    pub profile: Profile,
    /// The statement's story in one line.
    pub story: String,
    /// Where the person banks.
    pub(crate) market: Market,
    pub(crate) key: [u8; 32],
    /// The most records, where the story sets it, whatever the options say.
    pub(crate) records: Option<u64>,
    pub(crate) bank: usize,
    pub(crate) second_bank: usize,
    pub(crate) income: i64,
    pub(crate) pay_day: u32,
    pub(crate) employers: [&'static str; 2],
    /// Whether pay, pension and platforms pay into this account.
    pub(crate) paid_here: bool,
    pub(crate) habits: Habits,
    pub(crate) family: [String; 3],
}

/// A random name of a person.
pub(crate) fn draw_person_name(draw: &mut Draw, names: &Names) -> String {
    let family = draw.pick(names.family);
    names.join(draw.pick(names.given), family)
}

/// The bank that keeps a person's account.
fn draw_home_bank(draw: &mut Draw, facts: &Facts) -> usize {
    let shares: Vec<(usize, u32)> = facts.banks.iter().map(|bank| bank.customers).enumerate().collect();
    draw.weighted(&shares)
}

impl Person {
    /// Person number `index` of a seed. It does not depend on who else is generated.
    pub(crate) fn from_seed(seed: u64, index: u64, market: Market) -> Self {
        // The first market keeps the people that it had before there were others.
        let place = if market == Market::Nigeria { String::new() } else { format!("{} ", market.name()) };
        let key = *blake3::hash(format!("lendwright generate 1 {place}{seed} {index}").as_bytes()).as_bytes();
        let mut draw = Draw::new(key, 0);
        let profile = draw.weighted(&[
            (Profile::Salaried, 26),
            (Profile::CivilServant, 10),
            (Profile::JobChanger, 8),
            (Profile::GigWorker, 11),
            (Profile::Trader, 12),
            (Profile::SideBusiness, 8),
            (Profile::Pensioner, 6),
            (Profile::Gambler, 7),
            (Profile::OverIndebted, 7),
            (Profile::Student, 5),
        ]);
        Self::drawn(key, market, profile, &mut draw)
    }

    /// A person of the cast in Nigeria: the profile is given, the rest is drawn.
    pub(crate) fn with_profile(seed: u64, part: &str, profile: Profile) -> Self {
        let key = *blake3::hash(format!("lendwright cast 1 {seed} {part}").as_bytes()).as_bytes();
        Self::drawn(key, Market::Nigeria, profile, &mut Draw::new(key, 0))
    }

    fn drawn(key: [u8; 32], market: Market, profile: Profile, draw: &mut Draw) -> Self {
        let facts = market.facts();
        let (names, firms) = (&facts.names, &facts.firms);
        let (low, high) = profile.monthly_income();
        let family_name = draw.pick(names.family);
        let given = draw.pick(names.given);
        let middle = if draw.chance(350) { format!(" {}", draw.pick(names.given)) } else { String::new() };
        let name = names.join(&format!("{given}{middle}"), family_name);
        let payers = if profile == Profile::CivilServant { firms.offices } else { firms.employers };
        let first = draw.index(payers.len());
        let second = (first + 1 + draw.index(payers.len() - 1)) % payers.len();
        let bank = draw_home_bank(draw, facts);
        Self {
            story: format!("{name}, {}", profile.name().replace('_', " ")),
            name,
            customer: draw.hex(12),
            profile,
            market,
            key,
            records: None,
            bank,
            second_bank: (bank + 1 + draw.index(facts.banks.len() - 1)) % facts.banks.len(),
            income: round_to_multiple(draw.skewed(low, high), 100_000)
                + if draw.chance(500) { draw.range(1, 99_999) } else { 0 },
            pay_day: draw.weighted(&[
                (25, 30),
                (26, 8),
                (28, 12),
                (31, 22),
                (27, 8),
                (24, 6),
                (30, 8),
                (1, 2),
                (15, 2),
                (20, 2),
            ]),
            employers: [payers[first], payers[second]],
            paid_here: true,
            habits: Habits::drawn(profile, facts, draw),
            family: [0, 1, 2].map(|_| names.join(draw.pick(names.given), family_name)),
        }
    }
}

impl Habits {
    fn drawn(profile: Profile, facts: &Facts, draw: &mut Draw) -> Self {
        let loans_a_year = match profile {
            Profile::OverIndebted => 8 + draw.below(8) as u32,
            Profile::Gambler => 1 + draw.below(5) as u32,
            Profile::Student | Profile::Pensioner => u32::from(draw.chance(200)),
            _ if draw.chance(350) => 1 + draw.below(3) as u32,
            _ => 0,
        };
        let lender_count = if profile == Profile::OverIndebted { 3 + draw.index(3) } else { 1 + draw.index(2) };
        let first_lender = draw.index(facts.firms.lenders.len());
        let mut lenders: Vec<_> = (0..lender_count)
            .map(|place| facts.firms.lenders[(first_lender + place) % facts.firms.lenders.len()])
            .collect();
        if draw.chance(250) {
            lenders.push(draw.pick(facts.firms.small_lenders));
        }
        Self {
            landlord: draw.chance(if profile == Profile::Pensioner { 250 } else { 60 }),
            dividends: draw.chance(100),
            allowance: profile == Profile::Student || draw.chance(180),
            gig_beside: draw.chance(80),
            bets: profile == Profile::Gambler || draw.chance(150),
            pays_rent: draw.chance(550),
            has_children: profile != Profile::Student && draw.chance(400),
            second_account: draw.chance(600),
            subscriptions: draw.chance(600),
            loans_a_year,
            lenders,
        }
    }
}
