//! Messages to rows: whose account, which currency, and whether the sums hold.

use std::collections::{HashMap, HashSet};

use crate::base::date::Day;
use crate::statement::formats::Fault;
use crate::statement::formats::entry::{CLOSING, OPENING, PENDING, REPORT, at, is_newest_first};
use crate::statement::formats::entry_rows::{EntryRow, join_narration_texts};
use crate::statement::formats::exact::Exact;
use crate::statement::formats::mt940::details::{Details, is_reference, read_entry_details};
use crate::statement::formats::mt940::fields::{Message, MessageField};
use crate::statement::formats::mt940::statement_line::{StatementLine, read_comma_amount, short_date, statement_line};
use crate::statement::formats::repeats::{COUNTS_TWICE, Repeats};
use crate::statement::formats::text_lines::line_place;

/// A message as it is read, field by field.
#[derive(Default)]
struct MessageReading<'t> {
    account: Option<&'t str>,
    currency: Option<(&'t str, &'static str)>,
    opening: Option<Balance>,
    closing: Option<Balance>,
    entries: Vec<Mt940Entry<'t>>,
    sums: Vec<(u32, Sum)>,
}

struct Balance {
    line: u32,
    day: Day,
    amount: Exact,
    /// Whether it separates two parts of a statement (`:60M:`, `:62M:`).
    is_intermediate: bool,
}

struct Mt940Entry<'t> {
    line: u32,
    read: StatementLine<'t>,
    /// The lines after `:61:`, and those of `:86:` and `:NS:`.
    supplementary: Vec<&'t str>,
    information: Vec<&'t str>,
    bank_own: Vec<&'t str>,
}

/// `:90D:` or `:90C:`: how many entries of a side there are, and their sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    is_credit: bool,
    count: u64,
    amount: Exact,
}

/// A field's tag, its text, and the lines after it.
type Said<'m, 't> = (&'t str, &'t str, &'m [&'t str]);

/// What a message says, without its own numbers: a copy may have others.
fn content_without_numbers<'m, 't>(message: &'m Message<'t>) -> Vec<Said<'m, 't>> {
    let fields = message.fields.iter().filter(|field| !matches!(field.tag, "20" | "21" | "28" | "28C"));
    fields.map(|field| (field.tag, field.text, field.more.as_slice())).collect()
}

/// The rows of all messages, in the order of the file.
pub(super) fn rows_of_mt940_messages(messages: &[Message<'_>]) -> Result<Vec<EntryRow>, Fault> {
    let mut rows = Vec::new();
    let mut parts = Vec::new();
    let mut unsummed: HashMap<&str, Vec<Exact>> = HashMap::new();
    let mut repeats = Repeats::default();
    for message in messages {
        let read = MessageReading::of_message(message)?;
        if !read.entries.is_empty()
            && let Some(before) = repeats.before(&content_without_numbers(message), message.line.into())
        {
            let what = format!("the message that begins here repeats that of line {before}, {COUNTS_TWICE}");
            return Err(Fault::at(line_place(message.line), what));
        }
        let account = read.account.unwrap_or_default();
        // The sums of a report in several parts stand in its last one.
        let before = unsummed.entry(account).or_default();
        check_sums(&read, before)?;
        match read.sums.is_empty() {
            true => before.extend(read.entries.iter().map(|entry| entry.read.amount)),
            false => before.clear(),
        }
        parts.push(read);
    }
    refuse_missing_parts(&parts)?;
    let mut uses: HashMap<(&str, &str), u32> = HashMap::new();
    for part in &parts {
        for entry in &part.entries {
            *uses.entry((part.account.unwrap_or_default(), entry.read.bank_reference)).or_default() += 1;
        }
    }
    for part in &parts {
        let is_unique = |reference: &str| uses.get(&(part.account.unwrap_or_default(), reference)) == Some(&1);
        part.rows(is_unique, &mut rows);
    }
    Ok(rows)
}

/// Refuses a statement of which a part is in no message of the file: the balance between two parts ends one and begins
/// the next.
fn refuse_missing_parts(parts: &[MessageReading<'_>]) -> Result<(), Fault> {
    let mut openings = HashSet::new();
    let mut closings = HashSet::new();
    for part in parts {
        openings.extend(part.place_between_parts(part.opening.as_ref()));
        closings.extend(part.place_between_parts(part.closing.as_ref()));
    }
    for part in parts {
        let is_alone = |balance: &&Balance, others: &HashSet<PlaceBetweenParts<'_>>| {
            part.place_between_parts(Some(balance)).is_some_and(|place| !others.contains(&place))
        };
        let from = part.opening.as_ref().filter(|opening| is_alone(opening, &closings));
        let to = part.closing.as_ref().filter(|closing| is_alone(closing, &openings));
        let (line, what) = match (from, to) {
            (Some(opening), _) => {
                (opening.line, ":60M: goes on from a part of the statement, which no message of this file is")
            }
            (_, Some(closing)) => {
                (closing.line, ":62M: says that the statement goes on, which no message of this file does")
            }
            (None, None) => continue,
        };
        return Err(Fault::at(line_place(line), format!("{what}; put all its messages into one file")));
    }
    Ok(())
}

/// Where a part of a statement ends and the next begins: its account, the day and the balance.
type PlaceBetweenParts<'t> = (&'t str, Day, Exact);

impl<'t> MessageReading<'t> {
    fn place_between_parts(&self, balance: Option<&Balance>) -> Option<PlaceBetweenParts<'t>> {
        let balance = balance.filter(|balance| balance.is_intermediate)?;
        Some((self.account.unwrap_or_default(), balance.day, balance.amount))
    }

    fn of_message(message: &Message<'t>) -> Result<MessageReading<'t>, Fault> {
        let mut read = MessageReading::default();
        for field in &message.fields {
            read.take(field).map_err(|what| Fault::at(line_place(field.line), format!(":{}: {what}", field.tag)))?;
        }
        let missing = match &read {
            MessageReading { account: None, .. } => "`:25:`, so whose account it is of is unknown",
            MessageReading { opening: Some(_), closing: None, .. } => "`:62F:` or `:62M:`, so it may be cut off",
            MessageReading { opening: None, closing: Some(_), .. } => "`:60F:` or `:60M:`, so it may be cut off",
            MessageReading { currency: None, .. } => "`:60F:` or `:34F:`, so its currency is unknown",
            _ => return Ok(read),
        };
        Err(Fault::at(line_place(message.line), format!("the message that begins here has no {missing}")))
    }

    fn take(&mut self, field: &MessageField<'t>) -> Result<(), String> {
        match field.tag {
            "25" | "25P" if self.account.is_some() => return Err("is there twice in a message".to_owned()),
            "25" | "25P" => {
                let account = field.text.trim();
                self.account = Some(account).filter(|account| !account.is_empty());
            }
            "60F" | "60M" if self.opening.is_some() => return Err("is the second opening balance".to_owned()),
            "60F" | "60M" if !self.entries.is_empty() => return Err("follows entries, but opens them".to_owned()),
            "60F" | "60M" => self.opening = Some(self.balance(field)?),
            "62F" | "62M" if self.closing.is_some() => return Err("is the second closing balance".to_owned()),
            "62F" | "62M" => self.closing = Some(self.balance(field)?),
            "61" if self.closing.is_some() => return Err("follows the closing balance".to_owned()),
            "61" => self.entries.push(Mt940Entry {
                line: field.line,
                read: statement_line(field.text)?,
                supplementary: field.more.clone(),
                information: Vec::new(),
                bank_own: Vec::new(),
            }),
            "86" | "NS" if self.closing.is_none() => {
                let Some(entry) = self.entries.last_mut() else { return Ok(()) };
                let lines = if field.tag == "86" { &mut entry.information } else { &mut entry.bank_own };
                lines.push(field.text);
                lines.extend(&field.more);
            }
            "34F" => {
                self.currency(field.text, "34F")?;
            }
            "90D" | "90C" => {
                let sum = self.sum(field)?;
                self.sums.push((field.line, sum));
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes the currency at the beginning of a text, and returns what follows.
    fn currency(&mut self, text: &'t str, tag: &'static str) -> Result<&'t str, String> {
        let split = text.split_at_checked(3).filter(|(code, _)| code.bytes().all(|byte| byte.is_ascii_uppercase()));
        let Some((code, rest)) = split else { return Err("has no currency where its three letters belong".to_owned()) };
        match self.currency {
            Some((before, tag)) if before != code => Err(format!("is in {code}, but `:{tag}:` in {before}")),
            Some(_) => Ok(rest),
            None => {
                self.currency = Some((code, tag));
                Ok(rest)
            }
        }
    }

    /// `1!a6!n3!a15d`.
    fn balance(&mut self, field: &MessageField<'t>) -> Result<Balance, String> {
        let text = field.text.trim();
        let (is_credit, rest) = match (text.strip_prefix('C'), text.strip_prefix('D')) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Err("does not begin with C or D".to_owned()),
        };
        let (day, rest) = rest.split_at_checked(6).ok_or("has no date")?;
        let day = short_date(day)?;
        let amount = read_comma_amount(self.currency(rest, field.tag)?)?;
        let amount = if is_credit { amount } else { amount.negated() };
        Ok(Balance { line: field.line, day, amount, is_intermediate: field.tag.ends_with('M') })
    }

    /// `5n3!a15d`.
    fn sum(&mut self, field: &MessageField<'t>) -> Result<Sum, String> {
        let text = field.text.trim();
        let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
        let (count, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        let count = count.parse().map_err(|_| "has no number of entries".to_owned())?;
        let amount = read_comma_amount(self.currency(rest, field.tag)?)?;
        Ok(Sum { is_credit: field.tag == "90C", count, amount })
    }

    /// The balance after each booked entry, if all of them lead exactly from the opening to the closing balance. Banks
    /// list the oldest entry first or the newest first. In no order of days, only the sum is known.
    fn running(&self) -> Option<Vec<Option<Exact>>> {
        let (opening, closing) = (self.opening.as_ref()?.amount, self.closing.as_ref()?.amount);
        let booked = || self.entries.iter().filter(|entry| !entry.read.is_expected);
        if booked().fold(opening, |sum, entry| sum.plus(entry.read.amount)) != closing {
            return None;
        }
        let is_newest_first = is_newest_first(booked().map(|entry| entry.read.day()))?;
        let mut balance = if is_newest_first { closing } else { opening };
        let mut after = Vec::with_capacity(self.entries.len());
        for entry in &self.entries {
            if entry.read.is_expected {
                after.push(None);
            } else if is_newest_first {
                after.push(Some(balance));
                balance = balance.plus(entry.read.amount.negated());
            } else {
                balance = balance.plus(entry.read.amount);
                after.push(Some(balance));
            }
        }
        Some(after)
    }

    fn rows(&self, is_unique: impl Fn(&str) -> bool, rows: &mut Vec<EntryRow>) {
        let running = self.running().unwrap_or_default();
        rows.extend(self.opening.as_ref().map(|balance| self.stated(balance, OPENING)));
        for (place, entry) in self.entries.iter().enumerate() {
            let mut row = self.entry(entry, &is_unique);
            if let Some(balance) = running.get(place).copied().flatten() {
                row.digits(at::BALANCE, balance);
            }
            rows.push(row);
        }
        rows.extend(self.closing.as_ref().map(|balance| self.stated(balance, CLOSING)));
    }

    /// A row of this account and currency.
    fn row(&self, line: u32, day: Day) -> EntryRow {
        let mut row = EntryRow::new(line.saturating_sub(1));
        row.text(at::ACCOUNT, self.account.unwrap_or_default());
        row.text(at::CURRENCY, self.currency.map_or("", |(code, _)| code));
        row.text(at::TRANS_DATE, day.to_string());
        row
    }

    fn stated(&self, balance: &Balance, which: &str) -> EntryRow {
        let mut row = self.row(balance.line, balance.day);
        row.digits(at::BALANCE, balance.amount);
        row.text(at::STATED_BALANCE, which);
        row
    }

    fn entry(&self, entry: &Mt940Entry<'_>, is_unique: impl Fn(&str) -> bool) -> EntryRow {
        let read = &entry.read;
        let mut row = self.row(entry.line, read.day());
        row.text(at::CLEARED_DATE, read.value_date.to_string());
        row.movement(read.amount);
        row.text(at::STATUS, if read.is_expected { PENDING } else { "" });
        if is_reference(read.bank_reference) && is_unique(read.bank_reference) {
            row.text(at::ID, read.bank_reference);
        }
        let details = entry.details();
        row.text(at::CODE, join_narration_texts([read.kind, details.code.as_str()]));
        row.text(at::BANK, details.bank);
        let own = if is_reference(read.reference) { read.reference } else { "" };
        row.text(at::REFERENCE, if details.reference.is_empty() { own.to_owned() } else { details.reference });
        let supplementary = entry.supplementary.join(" ");
        row.text(at::DESC, join_narration_texts([details.desc.as_str(), read.rest, supplementary.as_str()]));
        row.text(at::PEOPLE, details.people);
        // Of the two kinds of message, only a statement has balances.
        row.text(at::INTERIM, if self.opening.is_none() { REPORT } else { "" });
        row
    }
}

impl Mt940Entry<'_> {
    /// What `:86:` says, or else the lines of `:NS:`, which begin with two digits: 15 and 16 are the name.
    fn details(&self) -> Details {
        if !self.information.is_empty() || self.bank_own.is_empty() {
            return read_entry_details(&self.information);
        }
        let part = |wanted: &[&str]| {
            let lines = self.bank_own.iter().filter_map(|line| line.split_at_checked(2));
            let wanted = lines.filter(|(number, text)| wanted.contains(number) && !text.trim().is_empty());
            wanted.map(|(_, text)| text.trim()).collect::<Vec<_>>().join(" ")
        };
        let texts: Vec<String> = (1..=14).chain([17]).map(|number| format!("{number:02}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Details { people: part(&["15", "16"]), bank: part(&["33", "34"]), desc: part(&texts), ..Details::default() }
    }
}

/// Checks the sums that a message states, for its own entries or for those since the last sums of the account.
fn check_sums(read: &MessageReading<'_>, before: &[Exact]) -> Result<(), Fault> {
    let own = |with_expected: bool| {
        read.entries.iter().filter(move |entry| with_expected || !entry.read.is_expected).map(|entry| entry.read.amount)
    };
    for (line, stated) in &read.sums {
        let sum = |amounts: &mut dyn Iterator<Item = Exact>| {
            let mut sum = Sum { is_credit: stated.is_credit, ..Sum::default() };
            for amount in amounts.filter(|amount| amount.is_negative() != stated.is_credit) {
                sum.count += 1;
                sum.amount = sum.amount.plus(amount.absolute());
            }
            sum
        };
        let found = sum(&mut own(true));
        let holds = [found, sum(&mut own(false)), sum(&mut before.iter().copied().chain(own(true)))].contains(stated);
        if !holds {
            let tag = if stated.is_credit { "90C" } else { "90D" };
            let what = format!(
                ":{tag}: states {} entries of {}, but the message has {} of {}",
                stated.count, stated.amount, found.count, found.amount
            );
            return Err(Fault::at(line_place(*line), what));
        }
    }
    Ok(())
}
