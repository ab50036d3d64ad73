//! Ways of writing a table of records that say the same.

use std::fs;
use std::path::Path;

use rust_xlsxwriter::Workbook;
use serde_json::{Map, Value, json};

/// A table of many statements, as the generator writes it.
#[derive(Clone)]
pub(super) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// A way of writing a table into a folder.
pub(super) struct Rewriting {
    pub(super) name: &'static str,
    pub(super) write: fn(&Table, &Path),
}

const fn rewriting(name: &'static str, write: fn(&Table, &Path)) -> Rewriting {
    Rewriting { name, write }
}

pub(super) const REWRITINGS: &[Rewriting] = &[
    rewriting("shuffled", |table, folder| write(folder, "statements.csv", &table.shuffled().to_csv())),
    rewriting("split", |table, folder| {
        let parts = table.dealt(2);
        write(folder, "a.csv", &parts[0].to_csv());
        write(folder, "b.csv", &parts[1].to_csv());
    }),
    rewriting("split into lines", |table, folder| {
        let parts = table.shuffled().dealt(3);
        for (at, part) in parts.iter().enumerate() {
            write(folder, &format!("part-{at}.ndjson"), &part.to_lines());
        }
    }),
    rewriting("copied", |table, folder| {
        write(folder, "statements.csv", &table.to_csv());
        write(folder, "statements (1).csv", &table.to_csv());
    }),
    rewriting("renamed", |table, folder| write(folder, "Ausz\u{fc}ge 2026.csv", &table.to_csv())),
    rewriting("lines", |table, folder| write(folder, "statements.ndjson", &table.to_lines())),
    rewriting("workbook", |table, folder| table.write_workbook(folder)),
    rewriting("blank before", |table, folder| table.write_both(folder, |text, _| format!(" {text}"))),
    rewriting("blank behind", |table, folder| table.write_both(folder, |text, _| format!("{text}  "))),
    rewriting("tab before", |table, folder| table.write_both(folder, |text, _| format!("\t{text}"))),
    rewriting("doubled blanks", |table, folder| table.write_both(folder, |text, _| text.replace(' ', "  "))),
    rewriting("tabs for blanks", |table, folder| table.write_both(folder, |text, _| text.replace(' ', "\t"))),
    rewriting("unusual blanks", |table, folder| {
        table.write_both(folder, |text, row| text.replace(' ', ["\u{a0}", "\u{202f}", "\u{2003}"][row % 3]));
    }),
    rewriting("no width", |table, folder| {
        table.write_both(folder, |text, row| {
            let at = text.char_indices().map(|(at, _)| at).nth(row % text.len()).unwrap_or_default();
            format!("{}{}{}", &text[..at], ["\u{200b}", "\u{ad}", "\u{feff}", "\u{2060}"][row % 4], &text[at..])
        });
    }),
    rewriting("apostrophe", |table, folder| table.write_both(folder, |text, _| format!("'{text}"))),
    rewriting("composed", |table, folder| table.write_both(folder, |text, _| accented(text, "\u{e9}", "\u{1ecd}"))),
    rewriting("decomposed", |table, folder| {
        table.write_both(folder, |text, _| accented(text, "e\u{301}", "o\u{323}"));
    }),
    rewriting("lower case", |table, folder| table.write_both(folder, |text, _| text.to_lowercase())),
    rewriting("upper case", |table, folder| table.write_both(folder, |text, _| text.to_uppercase())),
    // `[amount] unit` of the columns file says the scale.
    rewriting("minor units", |table, folder| {
        write(folder, "statements.csv", &table.changed(&AMOUNTS, |amount, _| in_minor_units(amount)).to_csv());
        table.write_columns_file(folder);
    }),
    rewriting("other ids", |table, folder| {
        write(folder, "statements.csv", &table.changed(&["id"], |text, _| format!("TX-{text}")).to_csv());
    }),
];

/// Some letters with an accent.
fn accented(text: &str, e: &str, o: &str) -> String {
    if text.len().is_multiple_of(2) { text.replace(['e', 'E'], e) } else { text.replace(['o', 'O'], o) }
}

/// An amount with two decimals as a whole number.
fn in_minor_units(amount: &str) -> String {
    let (whole, decimals) = amount.split_once('.').unwrap();
    assert_eq!(decimals.len(), 2, "{amount}");
    format!("{whole}{decimals}").parse::<i64>().unwrap().to_string()
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join(name), text).unwrap();
}

/// The columns of texts that people read.
const TEXTS: [&str; 3] = ["desc", "topics", "people"];
const LISTS: [&str; 6] = ["topics", "people", "places", "actions", "subjects", "prepositions"];
const AMOUNTS: [&str; 3] = ["credit", "debit", "balance"];

impl Table {
    pub(super) fn from_csv(text: &str) -> Table {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let owned = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect();
        let header = owned(reader.headers().unwrap());
        Table { header, rows: reader.records().map(|record| owned(&record.unwrap())).collect() }
    }

    /// The table with the cells of these columns rewritten. Each item of a list is a text of its own.
    fn changed(&self, columns: &[&str], rewrite: impl Fn(&str, usize) -> String) -> Table {
        let mut table = self.clone();
        for (at, row) in table.rows.iter_mut().enumerate() {
            for (name, cell) in self.header.iter().zip(row) {
                if cell.is_empty() || !columns.contains(&name.as_str()) {
                    continue;
                }
                let items = cell.split('|').filter(|_| LISTS.contains(&name.as_str()));
                let items: Vec<String> = items.map(|item| rewrite(item, at)).collect();
                *cell = if items.is_empty() { rewrite(cell, at) } else { items.join("|") };
            }
        }
        table
    }

    /// Half of the customers in a CSV, and half in lines, with their texts rewritten.
    fn write_both(&self, folder: &Path, rewrite: fn(&str, usize) -> String) {
        let rewritten = self.changed(&TEXTS, rewrite);
        let is_even = |row: &&Vec<String>| row[0].as_bytes()[0].is_multiple_of(2);
        let (even, odd): (Vec<_>, Vec<_>) = rewritten.rows.iter().partition(is_even);
        let table = |rows: Vec<&Vec<String>>| Table { rows: rows.into_iter().cloned().collect(), ..self.clone() };
        write(folder, "even.csv", &table(even).to_csv());
        write(folder, "odd.ndjson", &table(odd).to_lines());
    }

    /// Beside the folder, a columns file for amounts in minor units. It leaves out an empty column of debits: naming it
    /// would say that nothing was spent.
    fn write_columns_file(&self, folder: &Path) {
        let is_filled = |at: usize| self.rows.iter().any(|row| !row[at].is_empty());
        let filled = self.header.iter().enumerate().filter(|(at, _)| is_filled(*at));
        let columns: String = filled.map(|(_, name)| format!("{name} = \"{name}\"\n")).collect();
        let text = format!("[columns]\n{columns}[amount]\nunit = \"minor\"\n");
        fs::write(folder.with_extension("columns.toml"), text).unwrap();
    }

    fn shuffled(&self) -> Table {
        let mut keyed: Vec<(u64, &Vec<String>)> = (0_u64..)
            .zip(&self.rows)
            .map(|(at, row)| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17), row))
            .collect();
        keyed.sort_unstable();
        Table { rows: keyed.into_iter().map(|(_, row)| row.clone()).collect(), ..self.clone() }
    }

    /// The rows in turn in so many tables.
    fn dealt(&self, parts: usize) -> Vec<Table> {
        let part =
            |first| Table { rows: self.rows.iter().skip(first).step_by(parts).cloned().collect(), ..self.clone() };
        (0..parts).map(part).collect()
    }

    fn to_csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(&self.header).unwrap();
        self.rows.iter().for_each(|row| writer.write_record(row).unwrap());
        String::from_utf8(writer.into_inner().unwrap()).unwrap()
    }

    /// The records as the provider writes them, one on each line.
    fn to_lines(&self) -> String {
        let line = |row: &Vec<String>| {
            let (mut record, mut notes) = (Map::new(), Map::new());
            for (name, cell) in self.header.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
                match name.as_str() {
                    "desc" => drop(notes.insert(name.clone(), json!(cell))),
                    list if LISTS.contains(&list) => {
                        notes.insert(name.clone(), cell.split('|').map(Value::from).collect());
                    }
                    amount if AMOUNTS.contains(&amount) => {
                        record.insert(name.clone(), serde_json::from_str(cell).unwrap());
                    }
                    _ => drop(record.insert(name.clone(), json!(cell))),
                }
            }
            record.insert("notes".to_owned(), notes.into());
            format!("{}\n", Value::from(record))
        };
        self.rows.iter().map(line).collect()
    }

    fn write_workbook(&self, folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        let mut book = Workbook::new();
        let sheet = book.add_worksheet();
        for (row, cells) in std::iter::once(&self.header).chain(&self.rows).enumerate() {
            for (column, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
                let is_amount = row > 0 && AMOUNTS.contains(&self.header[column].as_str());
                let (row, column) = (row as u32, column as u16);
                match is_amount {
                    true => sheet.write_number(row, column, cell.parse::<f64>().unwrap()).unwrap(),
                    false => sheet.write_string(row, column, cell).unwrap(),
                };
            }
        }
        book.save(folder.join("statements.xlsx")).unwrap();
    }
}
