//! Writes the truth of every record as rows of `labels.csv`: what it is, with whom, its stream, and which other records it belongs to. Knows
//! nothing of how the records themselves are written.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use super::csv::csv_field;
use crate::generate::events::event::{BETWEEN_ACCOUNTS, Event, Label, Side};
use crate::generate::people::names;
use crate::generate::plan::{Entry, Plan};

/// The columns, in their order; new ones come at the end.
const LABEL_COLUMNS: [&str; 13] = [
    "statement",
    "customer",
    "id",
    "label",
    "stream",
    "employer",
    "counterparty",
    "pair",
    "lender",
    "period",
    "account",
    "twin",
    "same_as",
];

/// The first line of the labels.
pub fn labels_header() -> String {
    LABEL_COLUMNS.join(",") + "\n"
}

impl Plan {
    /// Writes the truth of every record, one line an identifier; `statement` names the statement in the first column.
    ///
    /// # Errors
    /// What the writer fails with.
    pub fn write_labels(&self, statement: &str, out: &mut impl Write) -> io::Result<()> {
        write(&[self], |_| statement.to_owned(), out)
    }

    /// The true other side of a record, the same for all records with it; empty where it is nobody that the bank knows.
    fn counterparty<'a>(&'a self, event: &'a Event) -> &'a str {
        match event.label {
            // A bank may print the owner's names in another order.
            Label::OwnTransfer => &self.person.name,
            Label::Charge | Label::Interest => names::BANKS[self.person.bank].1,
            _ => event.other.or(event.who.as_deref()).unwrap_or_default(),
        }
    }
}

/// Writes the labels of statements of one customer, each under its name.
pub(crate) fn write(plans: &[&Plan], name: impl Fn(&Plan) -> String, out: &mut impl Write) -> io::Result<()> {
    let links = Links::of(plans)?;
    let mut line = String::new();
    for (place, plan) in plans.iter().enumerate() {
        let (statement, account) = (name(plan), plan.account_number());
        plan.each(|entry| {
            if entry.repeat {
                return Ok(());
            }
            let event = entry.event;
            let is_loan = matches!(event.label, Label::LoanProceeds | Label::LoanRepayment);
            line.clear();
            for field in [
                &*statement,
                &plan.person.customer,
                &plan.id(entry.number),
                event.label.name(),
                event.stream.as_deref().unwrap_or_default(),
                event.employer.unwrap_or_default(),
                plan.counterparty(event),
                &links.pair(plans, place, entry).unwrap_or_default(),
                event.who.as_deref().filter(|_| is_loan).unwrap_or_default(),
                event.period,
                &account,
                &links.twin(plans, place, entry).unwrap_or_default(),
                &same_as(plans, place, entry).unwrap_or_default(),
            ] {
                csv_field(&mut line, field);
                line.push(',');
            }
            line.pop();
            line.push('\n');
            out.write_all(line.as_bytes())
        })?;
    }
    Ok(())
}

/// The identifier under which an earlier export lists the same record.
fn same_as(plans: &[&Plan], place: usize, entry: &Entry<'_>) -> Option<String> {
    let plan = plans[place];
    let earlier = plans[..place].iter().find(|other| other.place.account == plan.place.account)?;
    earlier.numbers().contains(&entry.number).then(|| earlier.id(entry.number))
}

/// A record: the place of its statement, its number there.
type Record = (usize, u64);

/// What the records of some statements have to do with each other.
struct Links {
    /// By the account (0 between accounts) and the link.
    pairs: BTreeMap<(u32, u64), Vec<Record>>,
    /// The first record of a day that reads the same, for those that are not the first.
    twins: HashMap<Record, u64>,
}

impl Links {
    fn of(plans: &[&Plan]) -> io::Result<Self> {
        let mut links = Self { pairs: BTreeMap::new(), twins: HashMap::new() };
        for (place, plan) in plans.iter().enumerate() {
            let mut day = DayTexts::default();
            plan.each(|entry| {
                if entry.repeat {
                    return Ok(());
                }
                if let Some(link) = entry.event.link {
                    links.pairs.entry(key(plan, link)).or_default().push((place, entry.number));
                }
                if day.number != Some(entry.event.day) {
                    day.close(place, &mut links.twins);
                    day.number = Some(entry.event.day);
                }
                let event = entry.event;
                let text = (event.side == Side::Credit, event.amount, event.desc.clone());
                day.texts.entry(text).or_default().push(entry.number);
                Ok(())
            })?;
            day.close(place, &mut links.twins);
        }
        Ok(links)
    }

    /// The other record of the pair: as the same statement lists it, else as the first that does.
    fn pair(&self, plans: &[&Plan], place: usize, entry: &Entry<'_>) -> Option<String> {
        let here = plans[place];
        let records = self.pairs.get(&key(here, entry.event.link?))?;
        let other = |(at, number): &&Record| *number != entry.number || plans[*at].place.account != here.place.account;
        let others = || records.iter().filter(other);
        let (at, number) = others().find(|(at, _)| *at == place).or_else(|| others().next())?;
        Some(plans[*at].id(*number))
    }

    fn twin(&self, plans: &[&Plan], place: usize, entry: &Entry<'_>) -> Option<String> {
        self.twins.get(&(place, entry.number)).map(|number| plans[place].id(*number))
    }
}

fn key(plan: &Plan, link: u64) -> (u32, u64) {
    (if link >= BETWEEN_ACCOUNTS { 0 } else { plan.place.account }, link)
}

/// The records of a day by what they read.
#[derive(Default)]
struct DayTexts {
    number: Option<i32>,
    texts: HashMap<(bool, i64, String), Vec<u64>>,
}

impl DayTexts {
    fn close(&mut self, place: usize, twins: &mut HashMap<Record, u64>) {
        for (_, numbers) in self.texts.drain() {
            let first = numbers.iter().copied().min().unwrap_or_default();
            twins.extend(numbers.into_iter().filter(|number| *number != first).map(|number| ((place, number), first)));
        }
    }
}
