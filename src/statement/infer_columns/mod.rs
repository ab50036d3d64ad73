//! Looks at an export once and drafts the columns file for it. What the rows do not prove is a doubt, which a
//! person decides. Must not read a file, nor decide on a statement.
//!
//! Data flows one way: `source` (text, workbook, JSON, Parquet) finds the table; `roles` says what each column is for;
//! `facts` reads the rows as numbers; `evidence` decides what balances and values prove; `write` makes the text.

mod amounts;
mod answers;
mod balances;
mod date_choice;
mod dates;
mod evidence;
mod facts;
mod grid;
mod json;
mod lines;
mod marks;
mod months;
mod odd_cells;
mod pages;
mod parquet;
mod periods;
mod rivals;
mod roles;
mod side_columns;
mod side_names;
mod source;
mod table;
mod text;
mod type_words;
mod units;
mod value_doubts;
mod words;
mod workbook;
mod write;

use std::collections::BTreeSet;

pub(crate) use self::amounts::format_ten_thousandths;
pub(crate) use self::answers::{Answers, BalanceAnswer, Doubt, Fees};
use self::dates::DateContext;
use self::evidence::Conclusion;
use self::facts::{Follow, RowPlace};
use self::grid::{FileCell, Line};
use self::roles::{CandidateColumn, Roles};
use self::source::{Container, SourceTable};
use crate::base::date::{Day, IsoMoment};
use crate::base::money::Currency;
use crate::statement::cells::balance_names;

/// Rows that the preview shows.
const SHOWN: usize = 10;

/// A columns file, and what it makes of the rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) toml: String,
    /// The first rows, as written and as read.
    pub(crate) preview: Vec<PreviewRow>,
    /// What a person should know.
    pub(crate) notes: Vec<String>,
    /// What a person must decide.
    pub(crate) doubts: Vec<Doubt>,
    pub(crate) follow: Follow,
    /// Whether there is a column of balances.
    pub(crate) has_balance: bool,
    /// The code of the currency, if every row has the same.
    pub(crate) currency: Option<String>,
    /// Whether the days depend on the zone of the reader.
    pub(crate) has_zones: bool,
    /// Rows that are records.
    pub(crate) records: Vec<DraftRecord>,
}

/// A record, as a row is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DraftRecord {
    pub(crate) day: Option<i32>,
    /// Amounts in ten-thousandths.
    pub(crate) credit: i64,
    pub(crate) debit: i64,
    pub(crate) balance: Option<i64>,
    pub(crate) narration: String,
}

/// A row of the preview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PreviewRow {
    pub(crate) line: usize,
    /// The cells of the day and of the amounts, as written.
    pub(crate) raw: Vec<String>,
    /// `None` if the row is left out.
    pub(crate) record: Option<DraftRecord>,
}

/// What was found in files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    Draft(Box<Draft>),
    /// No columns file is needed; why.
    NotNeeded(String),
}

/// Drafts one columns file for all of these files, by their names and bytes.
pub(crate) fn draft_columns_file(files: &[(String, Vec<u8>)], answers: &Answers) -> Result<Finding, String> {
    let known = |(name, bytes): &(String, Vec<u8>)| Some(format!("{name}: {}", source::known_format(bytes)?));
    if let Some(known) = files.iter().find_map(known) {
        return Ok(Finding::NotNeeded(known));
    }
    let sources = read_all_sources(files, answers)?;
    let header = names_of_header(&sources);
    let rows: Vec<&Line> = sources.iter().flat_map(|source| &source.table.rows).collect();
    let places = places_of_rows(&sources);
    let empty = FileCell::default();
    let context = DateContext { is_1904: sources.first().is_some_and(|source| source.is_1904), today: answers.today };
    let is_json = sources.first().is_some_and(|source| source.container == Container::Json);
    let mut columns = profile_columns(&header, &rows, &empty, (context, is_json));
    if let Some(code) = &answers.currency {
        rivals::keep_currency(&mut columns, code);
    }
    let mut roles = own_roles(&columns, &places, answers)?;
    let (mut notes, mut doubts) = (pages::list_page_notes(&sources), Vec::new());
    notes.extend(drop_constant_balance(&columns, &mut roles));
    let amounts = roles.amounts().filter_map(|at| columns.get(at));
    let amounts: Vec<&FileCell> = amounts.flat_map(|column| column.cells.clone()).collect();
    let notation = amounts::infer_amount_notation(&amounts).unwrap_or_else(|doubt| {
        doubts.push(Doubt::open(doubt));
        amounts::Notation::default()
    });
    let currency = answers.currency.clone().or_else(|| only_currency(&columns, &roles));
    let digits = currency.as_deref().and_then(Currency::from_alphabetic).map(|currency| currency.exponent());
    doubts.extend(source::sheet_doubt(&sources).into_iter().chain(pages::doubt_missing_pages(&sources)));
    doubts.extend(marks::find_currency_doubts(&columns, &roles, &places, answers));
    doubts.extend(units::doubt_minor_units(&amounts, &notation, digits, answers));
    let mut facts = facts::read_row_facts(&columns, &roles, &notation, &places);
    let reads_balance = keep_balance(&columns, &mut roles, &mut facts, answers, &mut notes);
    doubts.extend(type_words::check_side_words(&columns, &mut roles, &mut facts, answers));
    refuse_positive(&columns, &roles, answers)?;
    let around = source::lines_around_tables(&sources);
    let mut conclusion = evidence::decide_from_evidence(&columns, &roles, &facts, &notation, &around, answers);
    conclusion.doubts.splice(..0, doubts);
    rivals::add_doubts(&columns, &roles, answers, &mut conclusion.doubts);
    conclusion.doubts.extend(value_doubts::find_value_doubts(&columns, &roles, &facts, &conclusion.reading));
    conclusion.doubts.extend(lines::find_line_doubts(&sources, &roles, &notation, &facts, &conclusion.reading));
    conclusion.notes.splice(..0, notes);
    conclusion.notes.extend(list_column_notes(&sources, &columns, &roles));
    roles.balance = roles.balance.filter(|_| reads_balance);
    let parts = write::Parts {
        sources: &sources,
        columns: &columns,
        roles: &roles,
        facts: &facts,
        notation: &notation,
        conclusion: &conclusion,
        is_minor: answers.is_minor,
    };
    let toml = write::write_columns_file(&parts);
    let per_unit = if answers.is_minor == Some(true) { 10_i64.pow(digits.unwrap_or(2)) } else { 1 };
    let records = records_of_facts(&facts, &conclusion, per_unit);
    Ok(Finding::Draft(Box::new(Draft {
        toml,
        preview: preview_of_rows(&columns, &roles, &rows, &records),
        notes: conclusion.notes,
        doubts: conclusion.doubts,
        follow: conclusion.follow,
        currency,
        has_balance: columns.iter().any(|column| matches!(column.meaning, Some((words::Meaning::Balance, _)))),
        has_zones: dates_have_zones(&columns, &roles),
        records: records.into_iter().flatten().collect(),
    })))
}

/// What a person should know of the columns, besides their meanings.
fn list_column_notes(sources: &[SourceTable], columns: &[CandidateColumn<'_>], roles: &Roles) -> Vec<String> {
    let mut notes = currency_notes(columns, roles);
    notes.extend(marks::header_note(columns, roles));
    notes.extend(dates_have_zones(columns, roles).then(|| {
        "the moments have an offset from UTC: a policy takes the day that they have in its own time zone, and the days \
         above are as written"
            .to_owned()
    }));
    notes.extend(write::customer_note(sources, roles));
    notes
}

/// The tables of all files, which must be of one make.
fn read_all_sources(files: &[(String, Vec<u8>)], answers: &Answers) -> Result<Vec<SourceTable>, String> {
    let mut sources: Vec<SourceTable> = Vec::new();
    for (name, bytes) in files {
        let source = source::read_source_table(name, bytes, answers.sheet.as_deref())
            .map_err(|what| format!("{name}: {what}"))?;
        if let Some(first) = sources.first() {
            same_shape(first, &source)?;
        }
        sources.push(source);
    }
    Ok(sources)
}

/// The names of the columns.
fn names_of_header(sources: &[SourceTable]) -> Vec<String> {
    let names = sources.first().into_iter().flat_map(|source| &source.table.header);
    names.map(|name| normal_name(name)).collect()
}

/// Where each row stands.
fn places_of_rows(sources: &[SourceTable]) -> Vec<RowPlace> {
    let of_file = |(file, source): (usize, &SourceTable)| -> Vec<RowPlace> {
        source.table.rows.iter().map(|row| RowPlace { file, line: row.number }).collect()
    };
    sources.iter().enumerate().flat_map(of_file).collect()
}

/// What each column is for, as far as names, values and answers say.
fn own_roles(columns: &[CandidateColumn<'_>], places: &[RowPlace], answers: &Answers) -> Result<Roles, String> {
    let mut roles = roles::assign_column_roles(columns, places)?;
    keep_own_account(columns, &mut roles, places);
    if answers.swaps_sides {
        if roles.amount.is_some() {
            return Err("--swap-sides is for a column of each side; this table has one column of amounts".to_owned());
        }
        std::mem::swap(&mut roles.credit, &mut roles.debit);
    }
    Ok(roles)
}

/// Refuses a file that differs from the first one in what a columns file declares.
fn same_shape(first: &SourceTable, other: &SourceTable) -> Result<(), String> {
    let differs = if first.container != other.container {
        "the kind of file"
    } else if first.table.header != other.table.header && first.container != Container::Json {
        "the names of the columns"
    } else if first.delimiter != other.delimiter {
        "the delimiter"
    } else if first.sheet != other.sheet {
        "the sheet"
    } else if first.is_1904 != other.is_1904 {
        "the day from which dates count"
    } else if first.encoding != other.encoding && !first.is_ascii && !other.is_ascii {
        "the encoding"
    } else {
        return Ok(());
    };
    Err(format!("{} and {} differ in {differs}; write a columns file for each", first.name, other.name))
}

/// A name of a column without blanks around it and with one blank inside, as tables are read.
fn normal_name(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn profile_columns<'t>(
    header: &'t [String],
    rows: &[&'t Line],
    empty: &'t FileCell,
    (context, is_json): (DateContext, bool),
) -> Vec<CandidateColumn<'t>> {
    let column = |(at, name): (usize, &'t String)| {
        let cells = rows.iter().map(|row| row.cell(at).unwrap_or(empty)).collect();
        let is_repeated = header.iter().filter(|other| other.trim() == name.trim()).count() > 1;
        CandidateColumn::new(name, cells, is_repeated, context)
    };
    let mut columns: Vec<CandidateColumn<'t>> = header.iter().enumerate().map(column).collect();
    if is_json {
        roles::mark_around(&mut columns);
    }
    side_columns::mark_side_columns(&mut columns);
    columns
}

/// An account that is another one from row to row is the counterparty's.
fn keep_own_account(columns: &[CandidateColumn<'_>], roles: &mut Roles, places: &[RowPlace]) {
    let Some(column) = roles.account.and_then(|at| columns.get(at)) else { return };
    let files = || places.iter().map(|place| place.file);
    let pairs: BTreeSet<(usize, &str)> = files().zip(column.cells.iter().map(|cell| cell.trimmed())).collect();
    let files: BTreeSet<usize> = files().collect();
    let is_constant = pairs.len() == files.len() && column.filled == column.cells.len();
    if roles.customer.is_none() && !is_constant {
        roles.account = None;
    }
}

/// A balance that never changes is that of the day of the export.
fn drop_constant_balance(columns: &[CandidateColumn<'_>], roles: &mut Roles) -> Option<String> {
    let column = columns.get(roles.balance?)?;
    let is_constant = column.cells.len() > 2 && column.kinds().is_some_and(|kinds| kinds.len() == 1);
    if !is_constant {
        return None;
    }
    roles.balance = None;
    let name = column.name.trim();
    Some(format!("`{name}` is the same on every row, so it is no balance after each record; it is not read"))
}

/// Whether a date has an offset, so that its day depends on the zone of the reader.
fn dates_have_zones(columns: &[CandidateColumn<'_>], roles: &Roles) -> bool {
    let cells = columns.get(roles.trans_date).map(|column| column.cells.as_slice()).unwrap_or_default();
    cells.iter().any(|cell| IsoMoment::parse(cell.trimmed()).is_some_and(|moment| moment.offset.is_some()))
}

/// Refuses an answer about the sign where a column says the side.
fn refuse_positive(columns: &[CandidateColumn<'_>], roles: &Roles, answers: &Answers) -> Result<(), String> {
    let side = roles.side.filter(|_| roles.amount.is_some()).or(roles.debit).or(roles.credit);
    match side.and_then(|at| columns.get(at)).filter(|_| answers.positive_is_credit.is_some()) {
        Some(column) => Err(format!(
            "--positive is for amounts whose side no column says; here `{}` says it, so leave the option out",
            column.name.trim()
        )),
        None => Ok(()),
    }
}

/// Does with the balances what the answer says. Returns whether the columns file reads them.
fn keep_balance(
    columns: &[CandidateColumn<'_>],
    roles: &mut Roles,
    facts: &mut Vec<facts::Fact>,
    answers: &Answers,
    notes: &mut Vec<String>,
) -> bool {
    let Some(name) = roles.balance.and_then(|at| columns.get(at)).map(|column| column.name.trim()) else {
        return false;
    };
    match answers.balance {
        None | Some(BalanceAnswer::Kept) => true,
        Some(BalanceAnswer::Owed) => {
            notes.push(format!("`{name}` is a debt, which a columns file cannot declare; it is not read"));
            *facts = balances::negate_balances(facts);
            false
        }
        Some(BalanceAnswer::Unread) => {
            notes.push(format!("`{name}` is not read, as --balance says"));
            facts.iter_mut().for_each(|fact| fact.balance = None);
            roles.balance = None;
            false
        }
    }
}

fn only_currency(columns: &[CandidateColumn<'_>], roles: &Roles) -> Option<String> {
    let kinds = columns.get(roles.currency?)?.kinds()?;
    match kinds.iter().filter(|code| !code.is_empty()).collect::<Vec<_>>().as_slice() {
        [one] => Some((**one).to_owned()),
        _ => None,
    }
}

fn currency_notes(columns: &[CandidateColumn<'_>], roles: &Roles) -> Vec<String> {
    let Some(column) = roles.currency.and_then(|at| columns.get(at)) else { return Vec::new() };
    let codes: BTreeSet<&str> =
        column.cells.iter().map(|cell| cell.trimmed()).filter(|code| !code.is_empty()).collect();
    match codes.len() {
        0 | 1 => Vec::new(),
        _ => vec![format!(
            "rows are in {}; a policy has one currency and refuses the others: export each account by itself",
            codes.into_iter().collect::<Vec<_>>().join(", ")
        )],
    }
}

/// Each row as a record; `None` if it is left out.
fn records_of_facts(facts: &[facts::Fact], conclusion: &Conclusion, per_unit: i64) -> Vec<Option<DraftRecord>> {
    let reading = &conclusion.reading;
    let mut records = Vec::with_capacity(facts.len());
    for (row, fact) in facts.iter().enumerate() {
        let sides = fact.sides(reading.sense).filter(|_| !fact.is_left_out(reading));
        let fee = if reading.has_fee { fact.fee.unwrap_or(0).abs() } else { 0 };
        records.push(sides.map(|(credit, debit)| DraftRecord {
            day: conclusion.trans_date.days.get(row).copied().flatten(),
            credit: credit / per_unit,
            debit: (debit + fee) / per_unit,
            balance: fact.balance.map(|balance| balance / per_unit),
            narration: fact.narration.clone(),
        }));
    }
    records
}

fn preview_of_rows(
    columns: &[CandidateColumn<'_>],
    roles: &Roles,
    rows: &[&Line],
    records: &[Option<DraftRecord>],
) -> Vec<PreviewRow> {
    let shown = [Some(roles.trans_date), roles.amount, roles.side, roles.debit, roles.credit, roles.fee, roles.balance];
    let shown: Vec<usize> = shown.into_iter().flatten().collect();
    let row = |(at, (line, record)): (usize, (&&Line, &Option<DraftRecord>))| PreviewRow {
        line: line.number,
        raw: shown
            .iter()
            .filter_map(|column| columns.get(*column)?.cells.get(at).map(|cell| cell.trimmed().to_owned()))
            .filter(|text| !text.is_empty())
            .collect(),
        record: record.clone(),
    };
    rows.iter().zip(records).enumerate().map(row).take(SHOWN).collect()
}

impl DraftRecord {
    /// Whether its narration is the name of a balance, so that it may be read as no movement.
    pub(crate) fn names_balance(&self) -> bool {
        balance_names::names_balance(&self.narration)
    }

    /// The day as people read it.
    pub(crate) fn day_text(&self) -> String {
        self.day.map(|day| Day::from_days(day).to_string()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drafted(text: &str, answers: Answers) -> Box<Draft> {
        match draft_columns_file(&[("a.csv".to_owned(), text.as_bytes().to_vec())], &answers) {
            Ok(Finding::Draft(draft_columns_file)) => draft_columns_file,
            other => panic!("no draft: {other:?}"),
        }
    }

    fn doubts(text: &str, answers: Answers) -> Vec<String> {
        drafted(text, answers).doubts.into_iter().map(|doubt| doubt.what).collect()
    }

    #[test]
    fn days_that_nothing_proves_are_asked_about() {
        let text = "Date,Details,Debit,Credit\n02/03/2026,A,5.00,\n03/03/2026,B,,7.00\n";
        let asked = doubts(text, Answers::default());
        assert!(
            asked.len() == 1 && asked[0].contains("--day-first") && asked[0].contains("--month-first"),
            "{asked:?}"
        );
        let answered = drafted(text, Answers { day_first: Some(false), ..Answers::default() });
        assert!(
            answered.doubts.is_empty() && answered.toml.contains("trans_date = \"MM/DD/YYYY\""),
            "{}",
            answered.toml
        );
    }

    #[test]
    fn a_sign_that_nothing_proves_is_asked_about() {
        let rows = |balances: [&str; 3]| {
            let [a, b, c] = balances;
            format!(
                "Date,Details,Amount,Balance\n2026-03-01,x,-5.00,{a}\n2026-03-02,y,7.00,{b}\n2026-03-03,z,-1.00,{c}\n"
            )
        };
        let credit = rows(["95.00", "102.00", "101.00"]);
        assert!(doubts(&credit, Answers::default())[0].contains("--positive"));
        let credit = drafted(&credit.replace(",y,", ",SALARY,"), Answers::default());
        assert!(credit.doubts.is_empty() && credit.toml.contains("positive = \"credit\""), "{}", credit.toml);
        // A debt would follow so, too: a narration has to agree.
        let debit = rows(["105.00", "98.00", "99.00"]);
        assert!(doubts(&debit, Answers::default())[0].contains("--positive"));
        let debit = drafted(&debit.replace(",y,", ",ATM WITHDRAWAL,"), Answers::default());
        assert!(debit.doubts.is_empty() && debit.toml.contains("positive = \"debit\""), "{}", debit.toml);
        assert!(doubts(&rows(["", "", ""]), Answers::default())[0].contains("--positive"));
        // Balances of a debt grow by what is spent.
        let owed = rows(["5.00", "12.00", "11.00"]).replace(",x,", ",SALARY,").replace(",y,", ",ATM WITHDRAWAL,");
        assert!(doubts(&owed, Answers::default())[0].contains("contradict"));
    }

    #[test]
    fn a_fee_is_beside_an_amount_where_the_balances_say_so() {
        let rows = |balances: [&str; 3]| {
            let [a, b, c] = balances;
            format!(
                "Date,Details,Amount,Fee,Balance\n2026-03-01,x,-5.00,0.00,{a}\n2026-03-02,SALARY,7.00,0.50,{b}\n\
                 2026-03-03,z,-1.00,0.00,{c}\n"
            )
        };
        assert!(drafted(&rows(["95.00", "101.50", "100.50"]), Answers::default()).toml.contains("fee = \"Fee\""));
        assert!(!drafted(&rows(["95.00", "102.00", "101.00"]), Answers::default()).toml.contains("fee ="));
        assert!(doubts(&rows(["", "", ""]), Answers::default())[0].contains("--fees"));
    }

    #[test]
    fn several_files_of_one_make_have_one_columns_file() {
        let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
        let march = file("march.csv", "Date;Text;Soll;Haben\n02.03.2026;A;5,00;\n");
        let april = file("april.csv", "Date;Text;Soll;Haben\n13.04.2026;B;;7,00\n");
        let Ok(Finding::Draft(both)) = draft_columns_file(&[march.clone(), april], &Answers::default()) else {
            panic!("no draft")
        };
        assert!(both.doubts.is_empty() && both.records.len() == 2, "{both:?}");
        let other = file("may.csv", "Day;Text;Soll;Haben\n13.05.2026;B;;7,00\n");
        assert!(
            draft_columns_file(&[march, other], &Answers::default())
                .is_err_and(|what| what.contains("differ in the names"))
        );
    }

    #[test]
    fn any_bytes_are_a_draft_or_an_error() {
        let text = "Account: 12345678\r\nDate;Details;Amount\r\n02.03.2026;\"a \"\"b\";-1.337,00 DR\r\nTotal;;5\r\n";
        for cut in 0..text.len() {
            for byte in [0, b'"', b';', b'\n', b'.', 0xff, b'9'] {
                let mut damaged = text.as_bytes().to_vec();
                damaged[cut] = byte;
                let _ = draft_columns_file(&[("a".to_owned(), damaged)], &Answers::default());
                let _ = draft_columns_file(&[("a".to_owned(), text.as_bytes()[..cut].to_vec())], &Answers::default());
            }
        }
    }
}
