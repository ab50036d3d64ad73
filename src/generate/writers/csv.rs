//! Writes plans as rows of the CSV table of many statements. Knows the columns of tables and nothing of JSON.

use std::io::{self, Write};

use super::json::{bank_id, decimal, iso_day};
use super::notes::{self, Notes};
use crate::generate::events::event::{Event, Side};
use crate::generate::options::Options;
use crate::generate::plan::Plan;

/// The columns of a table of statements, in their order.
pub const COLUMNS: [&str; 17] = [
    "customer",
    "id",
    "trans_date",
    "cleared_date",
    "credit",
    "debit",
    "balance",
    "code",
    "branch",
    "bank",
    "desc",
    "topics",
    "people",
    "places",
    "actions",
    "subjects",
    "prepositions",
];

/// The columns that are lists, the last of [`COLUMNS`].
pub(crate) const LISTS: usize = 6;

/// What stands between the items of a list in one field.
pub const LIST_SEPARATOR: &str = "|";

/// The columns of a table by these options: [`COLUMNS`], then `account` where a customer has several, `export` where each is listed twice.
pub fn columns(options: &Options) -> Vec<&'static str> {
    let several = (options.accounts > 1).then_some("account");
    let overlap = options.overlap.then_some("export");
    COLUMNS.into_iter().chain(several).chain(overlap).collect()
}

/// The first line of a CSV table.
pub fn csv_header(options: &Options) -> String {
    columns(options).join(",") + "\n"
}

impl Plan {
    /// Writes the statement's rows of a CSV table; the header is the caller's.
    ///
    /// # Errors
    /// What the writer fails with.
    pub fn write_csv(&self, out: &mut impl Write) -> io::Result<()> {
        let bank = bank_id(self.person.bank);
        let mut line = String::new();
        self.each(|entry| {
            let event = entry.event;
            line.clear();
            line.push_str(&self.person.customer);
            line.push(',');
            line.push_str(&self.id(entry.number));
            for day in [event.day, self.cleared(entry)] {
                line.push(',');
                iso_day(&mut line, day);
            }
            let side = |wanted: Side| if event.side == wanted { decimal(event.amount) } else { String::new() };
            let balance = entry.balance.map(decimal).unwrap_or_default();
            let lists = self.lists(event);
            for field in
                [&side(Side::Credit), &side(Side::Debit), &balance, event.code, &self.style.branch, &bank, &event.desc]
                    .into_iter()
                    .chain(lists.each_ref().map(String::as_str))
            {
                line.push(',');
                csv_field(&mut line, field);
            }
            for field in self.place_fields() {
                line.push(',');
                line.push_str(&field);
            }
            line.push('\n');
            out.write_all(line.as_bytes())
        })
    }

    /// What stands in the columns that are lists: the notes of the JSON, items joined.
    pub(crate) fn lists(&self, event: &Event) -> [String; LISTS] {
        let notes = if self.style.tagged { notes::tagged(event) } else { notes::Notes::default() };
        let Notes { topics, people, places, actions, subjects, prepositions } = notes;
        [topics, people, places, actions, subjects, prepositions].map(|items| items.join(LIST_SEPARATOR))
    }

    /// What stands in the columns after [`COLUMNS`].
    pub(crate) fn place_fields(&self) -> Vec<String> {
        let account = (self.place.account > 0).then(|| self.account_number());
        let export = (self.place.export > 0).then(|| self.place.export.to_string());
        account.into_iter().chain(export).collect()
    }
}

pub(crate) fn csv_field(line: &mut String, field: &str) {
    if field.contains([',', '"', '\n', '\r']) || field.starts_with(' ') || field.ends_with(' ') {
        line.push('"');
        line.push_str(&field.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(field);
    }
}
