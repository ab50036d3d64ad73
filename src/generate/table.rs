//! Writes plans as rows: the CSV table of many statements, and the truth of every record. Knows the columns of tables and nothing of JSON.

use std::io::{self, Write};

use super::event::Side;
use super::json::{bank_id, decimal, iso_day};
use super::notes;
use super::plan::Plan;

/// The columns of a table of statements, in their order.
pub const COLUMNS: [&str; 12] = [
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
];

/// What stands between the items of a list in one field.
pub const LIST_SEPARATOR: &str = "|";

/// The first line of a CSV table.
pub fn csv_header() -> String {
    COLUMNS.join(",") + "\n"
}

/// The first line of the labels.
pub fn labels_header() -> String {
    "statement,customer,id,label,stream,employer\n".into()
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
            let topics =
                if self.style.tagged { notes::tagged(event).topics.join(LIST_SEPARATOR) } else { String::new() };
            for field in [
                &side(Side::Credit),
                &side(Side::Debit),
                &balance,
                event.code,
                &self.style.branch,
                &bank,
                &event.desc,
                &topics,
            ] {
                line.push(',');
                csv_field(&mut line, field);
            }
            line.push('\n');
            out.write_all(line.as_bytes())
        })
    }

    /// Writes the truth of every record, one line an identifier; `statement` names the statement in the first column.
    ///
    /// # Errors
    /// What the writer fails with.
    pub fn write_labels(&self, statement: &str, out: &mut impl Write) -> io::Result<()> {
        let mut line = String::new();
        self.each(|entry| {
            if entry.repeat {
                return Ok(());
            }
            line.clear();
            let event = entry.event;
            let stream = event.stream.as_deref().unwrap_or_default();
            for field in [
                statement,
                &self.person.customer,
                &self.id(entry.number),
                event.label.name(),
                stream,
                event.employer.unwrap_or_default(),
            ] {
                csv_field(&mut line, field);
                line.push(',');
            }
            line.pop();
            line.push('\n');
            out.write_all(line.as_bytes())
        })
    }
}

fn csv_field(line: &mut String, field: &str) {
    if field.contains([',', '"', '\n', '\r']) || field.starts_with(' ') || field.ends_with(' ') {
        line.push('"');
        line.push_str(&field.replace('"', "\"\""));
        line.push('"');
    } else {
        line.push_str(field);
    }
}
