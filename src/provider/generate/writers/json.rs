//! Writes a plan as the response of Get Customer Transaction Records: the envelope, and one object per record. Streams.

use std::io::{self, Write};

use super::notes;
use super::style::{Amounts, Stamp};
use crate::provider::generate::calendar::{DayNumber, year_month_day};
use crate::provider::generate::events::event::EventSide;
use crate::provider::generate::people::person::Person;
use crate::provider::generate::plan::{Plan, PlannedRecord};

/// Bytes to collect before they go to the writer.
const GATHERED_BYTES: usize = 1 << 16;

impl Plan {
    /// Writes the statement as E2 JSON.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        let mut text = String::with_capacity(GATHERED_BYTES + 4096);
        text.push_str("{\"_id\":\"");
        text.push_str(&self.style.owner);
        text.push_str(
            "\",\"status\":\"success\",\"message\":\"Customer transactions fetched\",\"data\":{\"transactions\":[",
        );
        let mut first = true;
        self.each(|record| {
            text.push_str(if first { "\n" } else { ",\n" });
            first = false;
            self.record(&mut text, record);
            if text.len() >= GATHERED_BYTES {
                out.write_all(text.as_bytes())?;
                text.clear();
            }
            Ok(())
        })?;
        text.push_str("\n]}}\n");
        out.write_all(text.as_bytes())
    }

    fn record(&self, text: &mut String, record: &PlannedRecord<'_>) {
        let event = record.event;
        let cleared = self.cleared(record);
        write_quoted_field(text, "{\"id\":", &self.id(record.number));
        self.notes(text, record);
        text.push_str(",\"fetched\":[],\"owner\":[");
        write_quoted_text(text, &self.style.owner);
        write_quoted_field(
            text,
            "],\"record\":[",
            &format!(
                "{}{:08x}",
                self.person.customer.get(..16).unwrap_or(&self.person.customer),
                self.style.salt.rotate_left(7)
            ),
        );
        write_quoted_field(text, "],\"branch\":", &self.style.branch);
        write_quoted_field(text, ",\"code\":", event.code);
        text.push_str(",\"credit\":");
        write_major_amount(text, (event.side == EventSide::Credit).then_some(event.amount), self.style.amounts);
        if self.debits {
            text.push_str(",\"debit\":");
            write_major_amount(text, (event.side == EventSide::Debit).then_some(event.amount), self.style.amounts);
            text.push_str(",\"balance\":");
            write_major_amount(text, record.balance, self.style.amounts);
        }
        write_quoted_field(text, ",\"customer\":", &self.person.customer);
        text.push_str(",\"env\":\"live\"");
        write_quoted_field(text, ",\"bank\":", &bank_id(&self.person));
        self.dates(text, "cleared_date", cleared, 0);
        self.dates(text, "trans_date", event.day, event.second);
        let made = self.person.market.facts().clock.utc_of_local(self.last + 1, 0) + self.style.made;
        text.push_str(",\"created_at\":\"");
        write_utc_stamp(text, made, self.fraction(record.number));
        text.push_str("\",\"last_updated\":\"");
        write_utc_stamp(text, made + 60, self.fraction(record.number * 7));
        text.push_str("\"}");
    }

    fn notes(&self, text: &mut String, record: &PlannedRecord<'_>) {
        let notes = if self.style.tagged {
            notes::tag_narration(record.event, self.person.market)
        } else {
            notes::Notes::default()
        };
        write_quoted_list(text, ",\"notes\":{\"topics\":", &notes.topics);
        write_quoted_list(text, ",\"places\":", &notes.places);
        write_quoted_list(text, ",\"people\":", &notes.people);
        write_quoted_list(text, ",\"actions\":", &notes.actions);
        write_quoted_list(text, ",\"subjects\":", &notes.subjects);
        write_quoted_list(text, ",\"preopositions\":", &notes.prepositions);
        let desc = if record.event.desc.is_empty() { self.style.missing } else { &record.event.desc };
        write_quoted_field(text, ",\"desc\":", desc);
        text.push('}');
    }

    /// The day of clearing, 0 to 2 days later; the same for a record in every format.
    pub(crate) fn cleared(&self, record: &PlannedRecord<'_>) -> DayNumber {
        let mixed = (record.number ^ u64::from(self.style.salt)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60;
        record.event.day
            + match mixed {
                0..=10 => 0,
                11..=13 => 1,
                _ => 2,
            }
    }

    fn fraction(&self, thousandths: u64) -> Option<u64> {
        self.style.fraction.then_some(thousandths % 1000)
    }

    fn dates(&self, text: &mut String, name: &str, day: DayNumber, second: u32) {
        let clock = &self.person.market.facts().clock;
        let utc = match self.style.stamp {
            Stamp::LocalMidnight => clock.utc_of_local(day, 0),
            Stamp::UtcMidnight => i64::from(day) * 86_400,
            Stamp::TimeOfDay => clock.utc_of_local(day, i64::from(second)),
        };
        text.push_str(",\"");
        text.push_str(name);
        text.push_str("\":\"");
        write_utc_stamp(text, utc, self.fraction(0));
        text.push_str("\",\"unformatted_");
        text.push_str(name);
        text.push_str("\":\"");
        let (year, month, day) = year_month_day(day);
        write_padded_digits(text, u64::from(day), 2);
        text.push('-');
        write_padded_digits(text, u64::from(month), 2);
        text.push('-');
        write_padded_digits(text, year as u64, 4);
        text.push('"');
    }
}

/// The identifier of a bank, the same for all its customers.
pub(crate) fn bank_id(person: &Person) -> String {
    format!("5f8d04b3ab35c62d{:08x}", person.market.facts().first_bank_id + person.bank * 0x101)
}

/// `2026-03-04T23:00:00.000Z`, or without the fraction.
fn write_utc_stamp(text: &mut String, utc_seconds: i64, millisecond: Option<u64>) {
    let second = utc_seconds.rem_euclid(86_400) as u64;
    iso_day(text, utc_seconds.div_euclid(86_400) as DayNumber);
    for (mark, value) in [('T', second / 3600), (':', second / 60 % 60), (':', second % 60)] {
        text.push(mark);
        write_padded_digits(text, value, 2);
    }
    if let Some(millisecond) = millisecond {
        text.push('.');
        write_padded_digits(text, millisecond, 3);
    }
    text.push('Z');
}

/// `2026-03-05`.
pub(crate) fn iso_day(text: &mut String, day: DayNumber) {
    let (year, month, day) = year_month_day(day);
    write_padded_digits(text, year as u64, 4);
    text.push('-');
    write_padded_digits(text, u64::from(month), 2);
    text.push('-');
    write_padded_digits(text, u64::from(day), 2);
}

fn write_padded_digits(text: &mut String, value: u64, width: u32) {
    for place in (0..width).rev() {
        text.push(char::from(b'0' + (value / 10_u64.pow(place) % 10) as u8));
    }
}

/// An amount of minor units, written exactly in whole ones.
fn write_major_amount(text: &mut String, minor: Option<i64>, amounts: Amounts) {
    match (minor, amounts) {
        (None, _) => text.push_str("null"),
        (Some(minor), Amounts::Short) if minor % 100 == 0 => text.push_str(&(minor / 100).to_string()),
        (Some(minor), Amounts::Short) => text.push_str(format_minor_decimal(minor).trim_end_matches('0')),
        (Some(minor), Amounts::Decimal) => text.push_str(&format_minor_decimal(minor)),
        (Some(minor), Amounts::Text) => write_quoted_text(text, &format_minor_decimal(minor)),
    }
}

/// `1250.50`.
pub(crate) fn format_minor_decimal(minor: i64) -> String {
    format!("{}{}.{:02}", if minor < 0 { "-" } else { "" }, minor.unsigned_abs() / 100, minor.unsigned_abs() % 100)
}

fn write_quoted_field(text: &mut String, before: &str, value: &str) {
    text.push_str(before);
    write_quoted_text(text, value);
}

fn write_quoted_list(text: &mut String, before: &str, items: &[&str]) {
    text.push_str(before);
    text.push('[');
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        write_quoted_text(text, item);
    }
    text.push(']');
}

/// Quotes a text. It must have no control characters, and no generated text does.
fn write_quoted_text(text: &mut String, value: &str) {
    text.push('"');
    for part in value.split_inclusive(['"', '\\']) {
        let (plain, last) = part.split_at(part.len() - usize::from(part.ends_with(['"', '\\'])));
        text.push_str(plain);
        if !last.is_empty() {
            text.push('\\');
            text.push_str(last);
        }
    }
    text.push('"');
}
