//! `columns`: looks at an export once and writes its columns file. `infer_columns` finds out; here are files, the
//! preview and the exit status.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::output::{self, Failure};
use crate::base::date::{Day, Zone};
use crate::base::money::Currency;
use crate::base::text::escape_terminal;
use crate::report::aligned::{cut_text_to_width, measure_text_width, pad_text_end, pad_text_start};
use crate::run::files::{read_statements, write_text};
use crate::statement::infer_columns::{self, Answers, BalanceAnswer, Draft, DraftRecord, Fees, Finding};
use crate::statement::{Columns, Reading};

/// A larger file is no export of one account; a part of it shows the same.
const BYTES_MAX: u64 = 256 << 20;
/// Characters of a cell of the preview.
const RAW_MAX: usize = 48;
const NARRATION_MAX: usize = 32;

/// The command line of `columns`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright columns gtbank.csv --out gtbank.toml
  lendwright decide --policy rules/starter.toml --columns gtbank.toml gtbank.csv
      look at the export once, check the preview, then use the file for every export of this make
  lendwright columns march.xlsx april.xlsx --out bank.toml
      one columns file for exports of the same make
  lendwright columns card.csv --positive debit --month-first --out card.toml
      answer what the rows do not prove

The columns file says in comments what was seen. Where the rows do not prove a meaning, nothing is
written, and the message names the option that decides it. CSV, workbooks (XLSX, XLS, ODS), JSON and
Parquet are looked at; camt, MT940 and OFX need no columns file.

Exit status: 0 written; 1 doubtful, or a file cannot be read; 2 wrong usage.")]
pub struct ColumnsArgs {
    /// The exports, all of the same make
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Where to write the columns file, instead of standard output
    #[arg(long, value_name = "FILE.toml")]
    out: Option<PathBuf>,
    /// Overwrite FILE.toml if it exists
    #[arg(long, requires = "out")]
    force: bool,
    /// The day stands before the month, if the rows do not prove it
    #[arg(long, conflicts_with = "month_first")]
    day_first: bool,
    /// The month stands before the day, if the rows do not prove it
    #[arg(long)]
    month_first: bool,
    /// The side of a positive amount, if the rows do not prove it
    #[arg(long, value_enum, value_name = "SIDE")]
    positive: Option<Positive>,
    /// Whether amounts contain their fees, if the rows do not prove it
    #[arg(long, value_enum, value_name = "WHERE")]
    fees: Option<FeesAnswer>,
    /// The column of debits is money in, as in the books of the account's holder
    #[arg(long)]
    swap_sides: bool,
    /// What the column of balances is, if it does not follow from the rows
    #[arg(long, value_enum, value_name = "WHAT")]
    balance: Option<Balance>,
    /// The currency of the account, such as NGN, if columns or marks name several
    #[arg(long, value_name = "CODE", value_parser = parse_currency_code)]
    currency: Option<String>,
    /// The sheet of a workbook, if several have rows
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    /// The unit of amounts without decimals
    #[arg(long, value_enum, value_name = "UNIT")]
    unit: Option<Unit>,
    /// The day of the export; no record is later. Today, if not given
    #[arg(long, value_name = "DAY", value_parser = parse_column_day)]
    as_of: Option<Day>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Unit {
    /// Naira, euros
    Major,
    /// Kobo, cents
    Minor,
}

fn parse_column_day(text: &str) -> Result<Day, String> {
    Day::parse_iso(text).ok_or_else(|| "write a day as 2026-03-31".to_owned())
}

/// Today in UTC, if the clock says so.
pub(super) fn read_clock_day() -> Option<Day> {
    today_in_utc().and_then(Day::checked_from_days)
}

/// Today in UTC.
fn today_in_utc() -> Option<i32> {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?;
    i32::try_from(since.as_secs() / 86_400).ok()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Balance {
    /// A debt, which grows with money out; it is not read
    Owed,
    /// No balance after each row; it is not read
    Unread,
    /// The balance after each row, although rows are missing or out of order
    Kept,
}

/// The code of a currency, as ISO 4217 writes it.
fn parse_currency_code(code: &str) -> Result<String, String> {
    let found = Currency::from_alphabetic(&code.to_ascii_uppercase());
    found.map(|currency| currency.alphabetic().to_owned()).ok_or_else(|| "it is no code of ISO 4217".to_owned())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Positive {
    /// Money in
    Credit,
    /// Money out
    Debit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FeesAnswer {
    /// The amount contains the fee
    Within,
    /// The fee is paid beside the amount
    Beside,
}

/// Writes the columns file of exports.
pub fn run(args: &ColumnsArgs) -> Result<ExitCode, Failure> {
    if let Some(path) = args.out.as_deref().filter(|path| !args.force && path.exists()) {
        let path = path.display();
        return Err(Failure::Message(format!("`{path}` already exists; give another name, or --force")));
    }
    if let Some(path) = args.out.as_deref().filter(|path| args.files.iter().any(|file| is_same(path, file))) {
        return Err(Failure::Message(format!("`{}` is an export: give --out another name", path.display())));
    }
    let files: Vec<(String, Vec<u8>)> =
        args.files.iter().map(|path| read_export_file(path)).collect::<Result<_, _>>()?;
    let draft = match infer_columns::draft_columns_file(&files, &answers_of_arguments(args))
        .map_err(|what| failure_quoting_file(&what))?
    {
        Finding::NotNeeded(what) => return Err(failure_quoting_file(&what)),
        Finding::Draft(draft) => draft,
    };
    output::print_stderr_remark(preview_of_draft(&draft));
    if !draft.doubts.is_empty() {
        return Err(failure_of_doubts(&draft));
    }
    if let Some(remark) = read_back(&args.files, &draft)? {
        output::print_stderr_remark(remark);
    }
    match &args.out {
        None => output::write_stdout_bytes(draft.toml.as_bytes())?,
        Some(path) => write_text(&draft.toml, path).map_err(Failure::message)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn answers_of_arguments(args: &ColumnsArgs) -> Answers {
    Answers {
        day_first: (args.day_first || args.month_first).then_some(args.day_first),
        positive_is_credit: args.positive.map(|side| side == Positive::Credit),
        fees: args.fees.map(|fees| match fees {
            FeesAnswer::Within => Fees::Within,
            FeesAnswer::Beside => Fees::Beside,
        }),
        swaps_sides: args.swap_sides,
        balance: args.balance.map(|balance| match balance {
            Balance::Owed => BalanceAnswer::Owed,
            Balance::Unread => BalanceAnswer::Unread,
            Balance::Kept => BalanceAnswer::Kept,
        }),
        currency: args.currency.clone(),
        sheet: args.sheet.clone(),
        is_minor: args.unit.map(|unit| unit == Unit::Minor),
        today: args.as_of.map(Day::days).or_else(today_in_utc),
    }
}

/// An error that may quote a file.
fn failure_quoting_file(what: &str) -> Failure {
    Failure::Message(escape_terminal(what).into_owned())
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    real(one).is_some_and(|one| Some(one) == real(other))
}

/// The name and the bytes of a file.
fn read_export_file(path: &Path) -> Result<(String, Vec<u8>), Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::Message(format!("cannot read `{}`: {error}", path.display()));
    if std::fs::metadata(path).map_err(|error| wrong(&error))?.len() > BYTES_MAX {
        return Err(wrong(&"it is larger than 256 MB; a part of it has the same columns"));
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok((name, std::fs::read(path).map_err(|error| wrong(&error))?))
}

/// The failure that lists what a person must decide, with the draft if an option cannot.
fn failure_of_doubts(draft: &Draft) -> Failure {
    let mut text = String::from("nothing is written, because the rows do not prove everything:\n");
    for doubt in &draft.doubts {
        let _ = writeln!(text, "- {}", escape_terminal(&doubt.what));
    }
    if draft.doubts.iter().any(|doubt| !doubt.has_option) {
        let _ = write!(text, "The columns file so far, to be finished by hand:\n\n{}", draft.toml);
    }
    Failure::Message(text.trim_end().to_owned())
}

/// Ten rows as written and as read, notes, and what the balances say.
fn preview_of_draft(draft: &Draft) -> String {
    let mut rows = vec![["line", "as written", "day", "credit", "debit", "balance", "narration"].map(str::to_owned)];
    for row in &draft.preview {
        let raw = cut_to_width(&row.raw.join(" | "), RAW_MAX);
        rows.push(match &row.record {
            None => [row.line.to_string(), raw, "left out".to_owned(), "".into(), "".into(), "".into(), "".into()],
            Some(record) => [
                row.line.to_string(),
                raw,
                record.day_text(),
                show_unless_zero(record.credit),
                show_unless_zero(record.debit),
                record.balance.map(infer_columns::format_ten_thousandths).unwrap_or_default(),
                cut_to_width(&record.narration, NARRATION_MAX),
            ],
        });
    }
    let mut text = align_preview_columns(&rows);
    let follow = draft.follow;
    let _ = match draft.has_balance {
        true => writeln!(text, "balances follow in {} of {} rows", follow.followed, follow.checked),
        false => writeln!(text, "no column of balances: nothing confirms the amounts"),
    };
    for note in &draft.notes {
        let _ = writeln!(text, "note: {}", escape_terminal(note));
    }
    text
}

/// Columns of one width each; numbers to the right.
fn align_preview_columns(rows: &[[String; 7]]) -> String {
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| measure_text_width(cell)).max().unwrap_or(0)
    };
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().enumerate().map(|(column, cell)| match column {
            0 | 3..=5 => pad_text_start(cell, width(column)),
            _ => pad_text_end(cell, width(column)),
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn cut_to_width(text: &str, width: usize) -> String {
    let text = escape_terminal(&text.replace(['\r', '\n', '\t'], " ")).into_owned();
    cut_text_to_width(&text, width, "…")
}

fn show_unless_zero(value: i64) -> String {
    if value == 0 { String::new() } else { infer_columns::format_ten_thousandths(value) }
}

/// Reads the files with the columns file, as every other command will. What is then read must be what was shown, but
/// rows that are called a balance may be no movements: the remark says so.
fn read_back(paths: &[PathBuf], draft: &Draft) -> Result<Option<String>, Failure> {
    // A note says where a file is a page of an answer.
    let columns = Columns::parse(&draft.toml).map_err(Failure::message)?.without_pages();
    let currency = draft.currency.as_deref().and_then(Currency::from_alphabetic);
    let currency = currency.or_else(|| Currency::from_numeric("566"));
    let (Some(currency), Some(zone)) = (currency, Zone::parse("UTC")) else { return Ok(None) };
    let reading = Reading::new(currency, zone);
    let mut read = Vec::new();
    for path in paths {
        let statements = read_statements(path, &reading, Some(&columns)).map_err(|error| {
            Failure::Message(format!(
                "nothing is written, because the columns file does not read its own export: {error}"
            ))
        })?;
        read.extend(
            movements_of_frame(statements.frame())
                .ok_or_else(|| failure_quoting_file("the records cannot be compared"))?,
        );
    }
    let per_minor = 10_000 / 10_i64.pow(currency.exponent().min(4));
    // A day that depends on a zone is that of the policy, which nobody knows here.
    let day = |day: i32| if draft.has_zones { 0 } else { day };
    let minor = |amount: i64| if amount % per_minor == 0 { amount / per_minor } else { i64::MIN };
    let movement =
        |record: &DraftRecord| (day(record.day.unwrap_or_default()), minor(record.credit), minor(record.debit));
    let moving = || draft.records.iter().filter(|record| (record.credit, record.debit) != (0, 0));
    let mut shown: Vec<Movement> = moving().map(movement).collect();
    let mut read: Vec<Movement> = read.into_iter().map(|(at, credit, debit)| (day(at), credit, debit)).collect();
    shown.sort_unstable();
    read.sort_unstable();
    if read == shown {
        return Ok(None);
    }
    let mut without_balances: Vec<Movement> = moving().filter(|record| !record.names_balance()).map(movement).collect();
    without_balances.sort_unstable();
    if read == without_balances {
        let rows = shown.len() - read.len();
        return Ok(Some(format!(
            "note: {rows} {} called a balance in the column of amounts and will not count as money that moved\n",
            if rows == 1 { "row is" } else { "rows are" }
        )));
    }
    let differs = shown.iter().find(|movement| read.binary_search(movement).is_err());
    let differs = differs.or_else(|| read.iter().find(|movement| shown.binary_search(movement).is_err()));
    let on = match differs {
        Some((day, ..)) if !draft.has_zones => format!(", first on {}", Day::from_days(*day)),
        _ => String::new(),
    };
    Err(Failure::Message(format!(
        "nothing is written, because the columns file reads other records than those shown: {} that move money instead \
         of {}{on}",
        read.len(),
        shown.len()
    )))
}

/// The day, the credit and the debit of a record.
type Movement = (i32, i64, i64);

/// The records of a frame that move money.
fn movements_of_frame(frame: &polars::prelude::DataFrame) -> Option<Vec<Movement>> {
    let days = frame.column("trans_date").ok()?.date().ok()?;
    let amounts = |name: &str| frame.column(name).ok()?.i64().ok();
    let (credits, debits) = (amounts("credit")?, amounts("debit")?);
    let record = |row: usize| {
        let day = days.physical().get(row).unwrap_or_default();
        (day, credits.get(row).unwrap_or(0), debits.get(row).unwrap_or(0))
    };
    Some((0..frame.height()).map(record).filter(|(_, credit, debit)| (*credit, *debit) != (0, 0)).collect())
}
