//! Writes plans as rows of a CSV table of many statements.

use std::io::{self, Write};

use super::json::{bank_id, format_minor_decimal, iso_day};
use super::notes::{self, Notes};
use crate::base::csv_line::CsvLine;
use crate::provider::generate::events::event::{Event, EventSide};
use crate::provider::generate::options::Options;
use crate::provider::generate::plan::Plan;

/// The columns of a table of statements, in order.
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

/// The separator of the items of a list in one field.
pub const LIST_SEPARATOR: &str = "|";

/// The columns of a table with these options: [`COLUMNS`], then `account` if a customer has several, and `export` if
/// each account is exported twice.
pub fn list_csv_columns(options: &Options) -> Vec<&'static str> {
    let several = (options.accounts > 1).then_some("account");
    let overlap = options.overlap.then_some("export");
    COLUMNS.into_iter().chain(several).chain(overlap).collect()
}

/// The first line of a CSV table.
pub fn csv_header(options: &Options) -> String {
    list_csv_columns(options).join(",") + "\n"
}

impl Plan {
    /// Writes the statement's rows of a CSV table, without the header.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write_csv(&self, out: &mut impl Write) -> io::Result<()> {
        let bank = bank_id(&self.person);
        let mut line = CsvLine::default();
        self.each(|record| {
            let event = record.event;
            line.push_given([&*self.person.customer, &*self.id(record.number)]);
            for day in [event.day, self.cleared(record)] {
                let mut digits = String::new();
                iso_day(&mut digits, day);
                line.push_plain(&digits);
            }
            for side in [EventSide::Credit, EventSide::Debit] {
                line.push_plain(&if event.side == side { format_minor_decimal(event.amount) } else { String::new() });
            }
            line.push_plain(&record.balance.map(format_minor_decimal).unwrap_or_default());
            line.push_given([event.code, &self.style.branch, &bank, &event.desc]);
            line.push_given(self.lists(event).iter().map(String::as_str));
            line.push_given(self.export_fields().iter().map(String::as_str));
            out.write_all(line.take_line().as_bytes())
        })
    }

    /// The values of the list columns: the notes of the JSON, with their items joined.
    pub(crate) fn lists(&self, event: &Event) -> [String; LISTS] {
        let notes =
            if self.style.tagged { notes::tag_narration(event, self.person.market) } else { notes::Notes::default() };
        let Notes { topics, people, places, actions, subjects, prepositions } = notes;
        [topics, people, places, actions, subjects, prepositions].map(|items| items.join(LIST_SEPARATOR))
    }

    /// The values of the columns after [`COLUMNS`].
    pub(crate) fn export_fields(&self) -> Vec<String> {
        let account = (self.export_id.account > 0).then(|| self.account_number());
        let export = (self.export_id.export > 0).then(|| self.export_id.export.to_string());
        account.into_iter().chain(export).collect()
    }
}
