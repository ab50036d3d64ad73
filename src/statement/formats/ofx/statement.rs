//! Statements of accounts and cards as rows.

use std::collections::{HashMap, HashSet};

use crate::base::date::Day;
use crate::statement::formats::Fault;
use crate::statement::formats::entry::{CLOSING, PENDING, at, last_day_until};
use crate::statement::formats::entry_rows::{EntryRow, join_narration_texts, single_blanks};
use crate::statement::formats::exact::Exact;
use crate::statement::formats::ofx::markup::{Element, Tree};
use crate::statement::formats::text_lines::shorten_for_message;

/// The rows of all statements in the document.
pub(super) fn rows_of_ofx_statements(tree: &Tree<'_>) -> Result<Vec<EntryRow>, Fault> {
    let mut rows = Vec::new();
    let mut kinds: HashMap<String, String> = HashMap::new();
    for (place, entries) in find_ofx_statements(tree)? {
        let read = Statement::read(tree, place)?;
        if kinds.entry(read.account.clone()).or_insert_with(|| read.kind.clone()) != &read.kind {
            let what = format!(
                "two accounts of different `<ACCTTYPE>` have the number `{}`; export each to a file of its own",
                shorten_for_message(&read.account)
            );
            return Err(fault_at_element(tree, place, what));
        }
        for entry in entries {
            let row = read.entry(entry, ordinal_of_next_row(&rows))?;
            rows.push(row);
        }
        let closing = read.closing(&rows);
        rows.extend(closing);
    }
    clear_shared_ids(&mut rows);
    Ok(rows)
}

/// Removes ids that different entries of an account share, such as a payment and its fee, and those of zeros only: they
/// identify none. Equal entries keep theirs, and count once.
fn clear_shared_ids(rows: &mut [EntryRow]) {
    let mut first: HashMap<(&str, &str), &EntryRow> = HashMap::new();
    let mut shared: Vec<bool> = Vec::with_capacity(rows.len());
    let mut keys: HashSet<(&str, &str)> = HashSet::new();
    for row in rows.iter() {
        let key = (row.text_at(at::ACCOUNT), row.text_at(at::ID));
        if !first.entry(key).or_insert(row).says_the_same(row) || key.1.bytes().all(|byte| byte == b'0') {
            keys.insert(key);
        }
    }
    shared.extend(rows.iter().map(|row| keys.contains(&(row.text_at(at::ACCOUNT), row.text_at(at::ID)))));
    for (row, _) in rows.iter_mut().zip(shared).filter(|(_, shared)| *shared) {
        row.text(at::ID, "");
    }
}

fn ordinal_of_next_row(rows: &[EntryRow]) -> u32 {
    u32::try_from(rows.len()).unwrap_or(u32::MAX)
}

/// The statements of a document, each with its entries.
fn find_ofx_statements(tree: &Tree<'_>) -> Result<Vec<(usize, Vec<usize>)>, Fault> {
    let mut statements: Vec<(usize, Vec<usize>)> = Vec::new();
    for (place, element) in tree.elements.iter().enumerate() {
        match element.name.as_ref() {
            "SEVERITY" if element.value().eq_ignore_ascii_case("ERROR") => {
                return Err(server_failure_fault(tree, element));
            }
            "INVSTMTMSGSRSV1" | "INVSTMTRS" => {
                let what = "statements of investments are not read; those of accounts and cards are";
                return Err(Fault::at(tree.place(element), what));
            }
            "STMTRS" | "CCSTMTRS" => statements.push((place, Vec::new())),
            "STMTTRN" | "STMTTRNP" => match statements.last_mut() {
                Some((statement, entries)) if tree.is_within(place, *statement) => entries.push(place),
                _ => return Err(Fault::at(tree.place(element), "the entry is in no statement of an account")),
            },
            // The tags around an entry may be damaged so that they are no entry's any more.
            "TRNAMT" | "DTPOSTED" | "DTTRAN" => {
                let parent = element.parent.and_then(|parent| tree.elements.get(parent));
                let is_in_entry = parent.is_some_and(|parent| ["STMTTRN", "STMTTRNP"].contains(&parent.name.as_ref()));
                let statement = statements.last().map(|(statement, _)| *statement);
                if !is_in_entry && statement.is_some_and(|statement| tree.is_within(place, statement)) {
                    return Err(Fault::at(tree.place(element), format!("`<{}>` is in no entry", element.name)));
                }
            }
            _ => {}
        }
    }
    if statements.is_empty() {
        return Err(Fault::new("there is no statement of an account (`<STMTRS>`) or a card (`<CCSTMTRS>`)"));
    }
    Ok(statements)
}

/// The server could not answer, so that an empty statement would mean nothing.
fn server_failure_fault(tree: &Tree<'_>, severity: &Element<'_>) -> Fault {
    let value = |name| severity.parent.map_or("", |status| tree.value(status, name));
    let what = format!(
        "the bank reports error {}: {}",
        shorten_for_message(value("CODE")),
        shorten_for_message(value("MESSAGE"))
    );
    Fault::at(tree.place(severity), what.trim_end_matches([':', ' ']))
}

fn fault_at_element(tree: &Tree<'_>, place: usize, what: impl Into<String>) -> Fault {
    match tree.elements.get(place) {
        Some(element) => Fault::at(tree.place(element), what),
        None => Fault::new(what),
    }
}

/// The period of a list of entries. Some banks write 1970 or 2000 for "from the beginning": that is not used.
fn stated_period(tree: &Tree<'_>, statement: usize) -> Option<(Day, Day)> {
    let (list, _) = tree.child(statement, "BANKTRANLIST")?;
    let end = tree.value(list, "DTEND");
    let (from, to) = (parse_ofx_day(tree.value(list, "DTSTART")).ok()?, parse_ofx_day(end).ok()?);
    let to = last_day_until(to, end.get(8..).unwrap_or_default());
    (from <= to && from > Day::from_ymd(2000, 1, 1)?).then_some((from, to))
}

struct Statement<'t> {
    tree: &'t Tree<'t>,
    place: usize,
    account: String,
    /// `CHECKING`. One number may stand for two accounts of different kinds.
    kind: String,
    currency: &'t str,
    /// The first and the last day that it covers.
    period: Option<(Day, Day)>,
}

impl<'t> Statement<'t> {
    fn read(tree: &'t Tree<'t>, place: usize) -> Result<Statement<'t>, Fault> {
        let from = tree.child(place, "BANKACCTFROM").or_else(|| tree.child(place, "CCACCTFROM"));
        let number = from.map_or("", |(from, _)| tree.value(from, "ACCTID"));
        let Some((from, _)) = from.filter(|_| !number.is_empty()) else {
            return Err(fault_at_element(
                tree,
                place,
                "the statement has no `<ACCTID>`, so whose account it is of is unknown",
            ));
        };
        // A number alone is unique only within its bank.
        let parts = [tree.value(from, "BANKID"), tree.value(from, "BRANCHID"), number];
        let account = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
        let kind = tree.value(from, "ACCTTYPE").to_ascii_uppercase();
        let period = stated_period(tree, place);
        Ok(Statement { tree, place, account, kind, currency: tree.value(place, "CURDEF"), period })
    }

    fn row(&self, ordinal: u32) -> EntryRow {
        let mut row = EntryRow::new(ordinal);
        row.text(at::ACCOUNT, self.account.as_str());
        row.text(at::CURRENCY, self.currency);
        if let Some((from, to)) = self.period {
            row.text(at::PERIOD_FROM, from.to_string());
            row.text(at::PERIOD_TO, to.to_string());
        }
        row
    }

    fn entry(&self, entry: usize, ordinal: u32) -> Result<EntryRow, Fault> {
        self.refuse_repeated(entry)?;
        let value = |name: &str| self.tree.value(entry, name);
        for name in ["CORRECTFITID", "CORRECTACTION"] {
            if let Some((_, element)) = self.tree.child(entry, name).filter(|(_, element)| !element.value().is_empty())
            {
                let what = "the entry corrects an earlier one; ask the bank for a statement with corrections applied";
                return Err(Fault::at(self.tree.place(element), format!("<{name}>: {what}")));
            }
        }
        let is_pending = self.tree.elements.get(entry).is_some_and(|element| element.name == "STMTTRNP");
        let mut row = self.row(ordinal);
        let booked = if is_pending { "DTTRAN" } else { "DTPOSTED" };
        row.text(at::TRANS_DATE, self.required(entry, booked, parse_ofx_day)?.to_string());
        row.movement(self.required(entry, "TRNAMT", parse_ofx_amount)?);
        if !value("DTAVAIL").is_empty() {
            row.text(at::CLEARED_DATE, self.required(entry, "DTAVAIL", parse_ofx_day)?.to_string());
        }
        if let Some((currency, _)) = self.tree.child(entry, "CURRENCY") {
            row.text(at::CURRENCY, self.tree.value(currency, "CURSYM"));
        }
        row.text(at::ID, value("FITID"));
        row.text(at::CODE, value("TRNTYPE"));
        row.text(at::STATUS, if is_pending { PENDING } else { "" });
        let is_number = |text: &&str| text.bytes().any(|byte| byte != b'0');
        row.text(at::REFERENCE, [value("CHECKNUM"), value("REFNUM")].into_iter().find(is_number).unwrap_or_default());
        let payee = self.tree.child(entry, "PAYEE").map_or("", |(payee, _)| self.tree.value(payee, "NAME"));
        let longer = if value("EXTDNAME").is_empty() { value("NAME") } else { value("EXTDNAME") };
        let name = single_blanks(if payee.is_empty() { longer } else { payee });
        let memo = single_blanks(value("MEMO"));
        row.text(at::DESC, join_narration_texts([name.as_str(), memo.as_str()]));
        // A name with which the memo begins is no name, but the beginning of the bank's text.
        if !payee.is_empty() || !memo.starts_with(&name) {
            row.text(at::PEOPLE, name);
        }
        Ok(row)
    }

    /// Two values of one name are two entries of which a part is lost.
    fn refuse_repeated(&self, parent: usize) -> Result<(), Fault> {
        let mut seen: Vec<&str> = Vec::new();
        for (_, element) in self.tree.children(parent) {
            if seen.contains(&element.name.as_ref()) {
                let what = format!("`<{}>` is there twice in an entry", shorten_for_message(&element.name));
                return Err(Fault::at(self.tree.place(element), what));
            }
            seen.push(&element.name);
        }
        Ok(())
    }

    /// A value that an entry must have.
    fn required<T>(&self, entry: usize, name: &str, read: fn(&str) -> Result<T, String>) -> Result<T, Fault> {
        let Some((_, element)) = self.tree.child(entry, name).filter(|(_, element)| !element.value().is_empty()) else {
            return Err(fault_at_element(self.tree, entry, format!("the entry has no `<{name}>`")));
        };
        let found = read(element.value());
        found.map_err(|what| Fault::at(self.tree.place(element), format!("<{name}>: {what}")))
    }

    /// The balance that the bank states. Text that is not an amount is passed on unchanged, and the verdict is then
    /// `failed`.
    fn closing(&self, rows: &[EntryRow]) -> Option<EntryRow> {
        let (ledger, _) = self.tree.child(self.place, "LEDGERBAL")?;
        let mut row = self.row(ordinal_of_next_row(rows));
        row.text(at::STATED_BALANCE, CLOSING);
        let written = self.tree.value(ledger, "BALAMT");
        match parse_ofx_amount(written) {
            Ok(amount) => row.digits(at::BALANCE, amount),
            Err(_) => row.written(at::BALANCE, written),
        }
        let list = self.tree.child(self.place, "BANKTRANLIST").map_or("", |(list, _)| self.tree.value(list, "DTEND"));
        let days = [self.tree.value(ledger, "DTASOF"), list].map(parse_ofx_day);
        row.text(at::TRANS_DATE, days.into_iter().flatten().next().map(|day| day.to_string()).unwrap_or_default());
        Some(row)
    }
}

/// The day of `YYYYMMDD[HHMM[SS[.XXX]]][[offset:zone]]`, as the bank wrote it: the day in the bank's own zone. Some
/// banks write ` GMT` after the time.
fn parse_ofx_day(text: &str) -> Result<Day, String> {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let read = || {
        let (date, rest) = text.split_at_checked(8).filter(|(date, _)| digits(date))?;
        let (time, zone) = rest.split_once('[').map_or((rest, "]"), |(time, zone)| (time, zone));
        let time = time.trim_end();
        let time = [" GMT", " UTC"].iter().find_map(|zone| time.strip_suffix(zone)).unwrap_or(time);
        let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
        let is_time = matches!(time.len(), 0 | 2 | 4 | 6) && digits(time) && digits(fraction);
        let (year, rest) = date.split_at_checked(4)?;
        let (month, day) = rest.split_at_checked(2)?;
        let day = Day::from_ymd(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)?;
        (is_time && zone.ends_with(']')).then_some(day)
    };
    read()
        .ok_or_else(|| format!("`{}` is not a day written YYYYMMDD, with or without a time", shorten_for_message(text)))
}

/// A signed amount with a decimal point or a decimal comma. Two marks would leave the decimals to a guess.
fn parse_ofx_amount(text: &str) -> Result<Exact, String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mark = if digits.contains(',') { ',' } else { '.' };
    if digits.split_once(',').is_some_and(|(whole, rest)| (1..=3).contains(&whole.len()) && rest.len() == 3) {
        return Err(format!("`{}` may have a comma before thousands or before decimals", shorten_for_message(text)));
    }
    let read = Exact::read(digits, mark).map(|amount| if text.starts_with('-') { amount.negated() } else { amount });
    read.ok_or_else(|| format!("`{}` is not an amount, such as `-12.50` or `-12,50`", shorten_for_message(text)))
}
