//! Writes the true labels of every record as rows of `labels.csv`: what it is, with whom, its stream, and related
//! records.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use crate::base::csv_line::CsvLine;
use crate::provider::generate::events::event::{BETWEEN_ACCOUNTS, Event, EventSide, Label};
use crate::provider::generate::plan::{Plan, PlannedRecord};

/// The columns, in order. New columns go to the end.
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
    /// Writes the true labels of every record, one line per identifier. `statement` is the name in the first column.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write_labels(&self, statement: &str, out: &mut impl Write) -> io::Result<()> {
        write_record_labels(&[self], |_| statement.to_owned(), out)
    }

    /// The true counterparty of a record, the same in all its records. Empty if the bank does not know it.
    fn counterparty<'a>(&'a self, event: &'a Event) -> &'a str {
        match event.label {
            // A bank may print the owner's names in another order.
            Label::OwnTransfer => &self.person.name,
            Label::Charge | Label::Interest => self.person.market.facts().banks[self.person.bank].words,
            _ => event.other.or(event.who.as_deref()).unwrap_or_default(),
        }
    }
}

/// Writes the labels of statements of one customer, each under its name.
pub(crate) fn write_record_labels(
    plans: &[&Plan],
    name: impl Fn(&Plan) -> String,
    out: &mut impl Write,
) -> io::Result<()> {
    let links = Links::collect(plans)?;
    let mut line = CsvLine::default();
    for (statement_index, plan) in plans.iter().enumerate() {
        let (statement, account) = (name(plan), plan.account_number());
        plan.each(|record| {
            if record.repeat {
                return Ok(());
            }
            let event = record.event;
            let is_loan = matches!(event.label, Label::LoanProceeds | Label::LoanRepayment);
            line.push_given([
                &*statement,
                &plan.person.customer,
                &plan.id(record.number),
                event.label.name(),
                event.stream.as_deref().unwrap_or_default(),
                event.employer.unwrap_or_default(),
                plan.counterparty(event),
                &links.pair(plans, statement_index, record).unwrap_or_default(),
                event.who.as_deref().filter(|_| is_loan).unwrap_or_default(),
                event.period,
                &account,
                &links.twin(plans, statement_index, record).unwrap_or_default(),
                &same_as(plans, statement_index, record).unwrap_or_default(),
            ]);
            out.write_all(line.take_line().as_bytes())
        })?;
    }
    Ok(())
}

/// The identifier under which an earlier export lists the same record.
fn same_as(plans: &[&Plan], statement_index: usize, record: &PlannedRecord<'_>) -> Option<String> {
    let plan = plans[statement_index];
    let earlier = plans[..statement_index].iter().find(|other| other.export_id.account == plan.export_id.account)?;
    earlier.numbers().contains(&record.number).then(|| earlier.id(record.number))
}

/// A record: the index of its statement, and its number there.
type RecordKey = (usize, u64);

/// Relations between the records of some statements.
struct Links {
    /// The records of each pair, by account (0 for links between accounts) and link.
    pairs: BTreeMap<(u32, u64), Vec<RecordKey>>,
    /// For a record that repeats another one of the same day: the number of the first.
    twins: HashMap<RecordKey, u64>,
}

impl Links {
    fn collect(plans: &[&Plan]) -> io::Result<Self> {
        let mut links = Self { pairs: BTreeMap::new(), twins: HashMap::new() };
        for (statement_index, plan) in plans.iter().enumerate() {
            let mut day = DayTexts::default();
            plan.each(|record| {
                if record.repeat {
                    return Ok(());
                }
                if let Some(link) = record.event.link {
                    links
                        .pairs
                        .entry(key_of_account_link(plan, link))
                        .or_default()
                        .push((statement_index, record.number));
                }
                if day.number != Some(record.event.day) {
                    day.close(statement_index, &mut links.twins);
                    day.number = Some(record.event.day);
                }
                let event = record.event;
                let text = (event.side == EventSide::Credit, event.amount, event.desc.clone());
                day.texts.entry(text).or_default().push(record.number);
                Ok(())
            })?;
            day.close(statement_index, &mut links.twins);
        }
        Ok(links)
    }

    /// The other record of the pair: in the same statement if possible, else in the first that lists it.
    fn pair(&self, plans: &[&Plan], statement_index: usize, record: &PlannedRecord<'_>) -> Option<String> {
        let here = plans[statement_index];
        let records = self.pairs.get(&key_of_account_link(here, record.event.link?))?;
        let other = |(at, number): &&RecordKey| {
            *number != record.number || plans[*at].export_id.account != here.export_id.account
        };
        let others = || records.iter().filter(other);
        let (at, number) = others().find(|(at, _)| *at == statement_index).or_else(|| others().next())?;
        Some(plans[*at].id(*number))
    }

    fn twin(&self, plans: &[&Plan], statement_index: usize, record: &PlannedRecord<'_>) -> Option<String> {
        self.twins.get(&(statement_index, record.number)).map(|number| plans[statement_index].id(*number))
    }
}

fn key_of_account_link(plan: &Plan, link: u64) -> (u32, u64) {
    (if link >= BETWEEN_ACCOUNTS { 0 } else { plan.export_id.account }, link)
}

/// The records of a day, by their side, amount and narration.
#[derive(Default)]
struct DayTexts {
    number: Option<i32>,
    texts: HashMap<(bool, i64, String), Vec<u64>>,
}

impl DayTexts {
    fn close(&mut self, statement_index: usize, twins: &mut HashMap<RecordKey, u64>) {
        for (_, numbers) in self.texts.drain() {
            let first = numbers.iter().copied().min().unwrap_or_default();
            twins.extend(
                numbers.into_iter().filter(|number| *number != first).map(|number| ((statement_index, number), first)),
            );
        }
    }
}
