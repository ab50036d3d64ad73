//! The columns file as text: a line for each thing that was found, with a comment that says what was seen. Must not
//! decide anything.

use super::amounts::{self, Notation};
use super::date_choice::DayOrder;
use super::dates::{DateReading, PIVOT};
use super::evidence::Conclusion;
use super::facts::{self, Fact, Sense};
use super::grid::Line;
use super::pages::PageSign;
use super::roles::{CandidateColumn, Roles};
use super::source::{Container, SourceTable};
use super::words;
use crate::base::toml_text::quote_toml_text;

/// What the text is made from.
pub(crate) struct Parts<'p> {
    pub(crate) sources: &'p [SourceTable],
    pub(crate) columns: &'p [CandidateColumn<'p>],
    pub(crate) roles: &'p Roles,
    pub(crate) facts: &'p [Fact],
    pub(crate) notation: &'p Notation,
    pub(crate) conclusion: &'p Conclusion,
    /// The unit, if the answer says it.
    pub(crate) is_minor: Option<bool>,
}

/// A text under construction.
#[derive(Default)]
struct ColumnsFileText {
    text: String,
}

impl ColumnsFileText {
    fn section(&mut self, name: &str) {
        self.text.push_str(&format!("\n[{name}]\n"));
    }

    fn line(&mut self, key: &str, value: &str, comment: &str) {
        match comment {
            "" => self.text.push_str(&format!("{key} = {value}\n")),
            _ if key.len() + value.len() + comment.len() > 110 => {
                self.text.push_str(&format!("# {comment}\n{key} = {value}\n"));
            }
            _ => self.text.push_str(&format!("{key} = {value}  # {comment}\n")),
        }
    }
}

fn format_text_list<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    format!("[{}]", texts.into_iter().map(quote_toml_text).collect::<Vec<_>>().join(", "))
}

/// A text in a comment: one line, nothing that steers a terminal.
fn plain_comment_text(text: &str) -> String {
    crate::base::text::escape_terminal(text.trim()).into_owned()
}

fn count_rows_in_words(count: usize) -> String {
    if count == 1 { "1 row".to_owned() } else { format!("{count} rows") }
}

/// Writes the columns file.
pub(crate) fn write_columns_file(parts: &Parts<'_>) -> String {
    let mut page = ColumnsFileText::default();
    let names: Vec<String> = parts.sources.iter().map(|source| plain_comment_text(&source.name)).collect();
    page.text.push_str(&format!(
        "# The columns of {}, as `lendwright columns` saw them in {}.\n# Read the comments once; what stands here is \
         then declared for every file of this make.\n",
        names.join(", "),
        count_rows_in_words(parts.facts.len())
    ));
    write_top_keys(parts, &mut page);
    write_file_section(parts, &mut page);
    write_customer_section(parts, &mut page);
    write_columns_section(parts, &mut page);
    write_amount_section(parts, &mut page);
    write_type_section(parts, &mut page);
    write_date_section(parts, &mut page);
    write_pages_section(parts, &mut page);
    page.text
}

/// `[pages]`: what an answer says about its other pages.
fn write_pages_section(parts: &Parts<'_>, page: &mut ColumnsFileText) {
    let mut body = ColumnsFileText::default();
    for (sign, key) in PageSign::ALL {
        let values = parts.sources.iter().flat_map(|source| &source.pages).filter(|value| value.sign == sign);
        let paths: std::collections::BTreeSet<&str> = values.map(|value| value.path.as_str()).collect();
        match (paths.len(), paths.first()) {
            (_, None) => {}
            (1, Some(path)) => body.line(key, &quote_toml_text(path), ""),
            _ => body.line(key, &format_text_list(paths), ""),
        }
    }
    if !body.text.is_empty() {
        page.section("pages");
        page.text.push_str(&body.text);
    }
}

fn name_of_column<'p>(parts: &Parts<'p>, column: usize) -> &'p str {
    parts.columns.get(column).map(|column| column.name).unwrap_or_default()
}

fn write_top_keys(parts: &Parts<'_>, page: &mut ColumnsFileText) {
    match parts.conclusion.order {
        Some(DayOrder::OldestFirst) => page.line("order", "\"oldest_first\"", "so run the days of the rows"),
        Some(DayOrder::NewestFirst) => page.line("order", "\"newest_first\"", "so run the days of the rows"),
        None => {}
    }
    let (conditions, why) = left_out(parts);
    if !conditions.is_empty() {
        page.line("skip", &quote_toml_text(&conditions.join(" OR ")), &why.join("; "));
    }
    let marks = empty_marks(parts);
    if !marks.is_empty() {
        page.line("empty", &format_text_list(marks.iter().map(String::as_str)), "stands where no amount or no day is");
    }
}

/// Texts that stand for nothing in columns of amounts and days.
fn empty_marks(parts: &Parts<'_>) -> std::collections::BTreeSet<String> {
    let roles = parts.roles;
    let used = [roles.credit, roles.debit, roles.amount, roles.balance, roles.fee, roles.cleared_date];
    let cells = used.into_iter().flatten().filter_map(|at| parts.columns.get(at)).flat_map(|column| &column.cells);
    cells.filter(|cell| amounts::is_empty_mark(cell)).map(|cell| cell.trimmed().to_owned()).collect()
}

/// A column in the rule language.
fn quote_rule_operand(name: &str) -> String {
    // Words of SQL, such as the DATE of a date.
    const RESERVED: [&str; 14] = [
        "date",
        "time",
        "timestamp",
        "interval",
        "type",
        "value",
        "values",
        "order",
        "group",
        "user",
        "in",
        "out",
        "no",
        "desc",
    ];
    let is_word = !name.is_empty() && name.chars().all(|character| character.is_ascii_alphabetic() || character == '_');
    if is_word && !RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}

/// Conditions of rows that are no records, and why.
fn left_out(parts: &Parts<'_>) -> (Vec<String>, Vec<String>) {
    let (mut conditions, mut why) = (Vec::new(), Vec::new());
    let reading = &parts.conclusion.reading;
    if let Some(column) = parts.roles.status.filter(|_| reading.skips) {
        let cells = parts.columns.get(column).map(|column| column.cells.as_slice()).unwrap_or_default();
        let states: std::collections::BTreeSet<&str> = cells.iter().map(|cell| cell.trimmed()).collect();
        let states: Vec<&str> = states.into_iter().filter(|state| words::is_done(state) == Some(false)).collect();
        let values: Vec<String> = states.iter().map(|state| format!("'{}'", state.replace('\'', "''"))).collect();
        conditions.push(format!("{} IN ({})", quote_rule_operand(name_of_column(parts, column)), values.join(", ")));
        let count = parts.facts.iter().filter(|fact| fact.is_left_out(reading)).count();
        let states: Vec<String> = states.iter().map(|state| plain_comment_text(state)).collect();
        why.push(format!("{} with the status {}: no money moved", count_rows_in_words(count), states.join(", ")));
    }
    let is_empty = |fact: &&Fact| fact.sides(reading.sense).is_none() && !fact.is_left_out(reading);
    let empty = parts.facts.iter().filter(is_empty).count();
    if empty > 0 {
        let columns = [parts.roles.credit, parts.roles.debit, parts.roles.amount].into_iter().flatten();
        let blank: Vec<String> =
            columns.map(|column| format!("{} IS NULL", quote_rule_operand(name_of_column(parts, column)))).collect();
        let blank = blank.join(" AND ");
        conditions.push(if conditions.is_empty() { blank } else { format!("({blank})") });
        why.push(format!("{} without an amount", count_rows_in_words(empty)));
    }
    describe_undated_lines(parts, &mut conditions, &mut why);
    (conditions, why)
}

/// Conditions of lines that have no day.
fn describe_undated_lines(parts: &Parts<'_>, conditions: &mut Vec<String>, why: &mut Vec<String>) {
    let date = parts.roles.trans_date;
    let texts = stray_texts(parts);
    let is_blank = |line: &&Line| line.cell(date).is_none_or(super::grid::FileCell::is_blank);
    let blank = parts.sources.iter().flat_map(|source| &source.table.strays).filter(is_blank).count();
    let totals =
        parts.sources.iter().flat_map(|source| &source.table.below).filter(|line| label_of_line_below(line).is_none());
    let totals = totals.filter(is_blank).count();
    if blank + totals > 0 {
        conditions.push(format!("{} IS NULL", quote_rule_operand(name_of_column(parts, date))));
        why.push(format!("{} without a day", count_rows_in_words(blank + totals)));
    }
    if !texts.is_empty() {
        let values: Vec<String> = texts.iter().map(|text| format!("'{}'", text.replace('\'', "''"))).collect();
        conditions.push(format!("{} IN ({})", quote_rule_operand(name_of_column(parts, date)), values.join(", ")));
        why.push("lines between the rows that are none".to_owned());
    }
}

fn stray_texts<'p>(parts: &Parts<'p>) -> std::collections::BTreeSet<&'p str> {
    let sources = parts.sources;
    sources.iter().flat_map(|source| source.table.stray_texts(parts.roles.trans_date)).collect()
}

/// What the first filled cell of a line below the table begins with, without digits that may differ next time.
fn label_of_line_below(line: &Line) -> Option<String> {
    let text = line.first_filled()?.trimmed();
    let end = text.find(|digit: char| digit.is_ascii_digit()).unwrap_or(text.len());
    let label = text.get(..end)?.trim_end();
    (label.chars().count() >= 3).then(|| label.chars().take(40).collect())
}

fn write_file_section(parts: &Parts<'_>, page: &mut ColumnsFileText) {
    let Some(first) = parts.sources.first() else { return };
    if matches!(first.container, Container::Json | Container::Parquet) {
        return;
    }
    let mut body = ColumnsFileText::default();
    if first.delimiter != ',' && !first.declares_delimiter {
        let delimiter = if first.delimiter == '\t' { "tab".to_owned() } else { first.delimiter.to_string() };
        body.line("delimiter", &quote_toml_text(&delimiter), "stands between the fields");
    }
    if let Some(encoding) = parts.sources.iter().find_map(|source| source.encoding) {
        body.line("encoding", &quote_toml_text(encoding), "the bytes are not UTF-8");
    }
    let above = parts.sources.iter().map(|source| source.table.above.len()).max().unwrap_or(0);
    if above > 0 {
        let used = [Some(parts.roles.trans_date), parts.roles.amount, parts.roles.debit, parts.roles.credit];
        let names = used.into_iter().flatten().map(|column| name_of_column(parts, column));
        body.line("header", &format_text_list(names), "the first line with these names; others stand above it");
    }
    if parts.sources.iter().any(|source| !source.table.comments.is_empty()) {
        body.line("comment", "\"#\"", "lines that begin so are no rows");
    }
    let strays = stray_texts(parts);
    let mut labels: Vec<String> = Vec::new();
    for source in parts.sources {
        // The first line below ends the table; those after it need no mark.
        let first =
            source.table.below.iter().filter_map(label_of_line_below).find(|label| !strays.contains(label.as_str()));
        labels.extend(first.filter(|label| !labels.contains(label)));
    }
    if !labels.is_empty() {
        body.line("footer", &format_text_list(labels.iter().map(String::as_str)), "begins the line below the last row");
    }
    if let Some(sheet) = &first.sheet {
        body.line("sheet", &quote_toml_text(sheet), "the sheet with the rows");
    }
    if !body.text.is_empty() {
        page.section("file");
        page.text.push_str(&body.text);
    }
}

/// What to know if nothing in the table names the customer.
pub(crate) fn customer_note(sources: &[SourceTable], roles: &Roles) -> Option<String> {
    let is_named = roles.customer.or(roles.account).is_some();
    let is_labelled = sources.first().is_some_and(|source| account_label(&source.table.above).is_some());
    (!is_named && !is_labelled).then(|| "no column names the customer: each file is a customer of its own".to_owned())
}

fn write_customer_section(parts: &Parts<'_>, page: &mut ColumnsFileText) {
    if parts.roles.customer.is_some() || parts.roles.account.is_some() {
        return;
    }
    page.section("customer");
    match parts.sources.first().and_then(|source| account_label(&source.table.above)) {
        Some(label) => {
            page.line("after", &quote_toml_text(&label), "the account's number above the table names the customer")
        }
        None => page.line(
            "from",
            "\"file_name\"",
            "no column names the customer, so EACH FILE IS A CUSTOMER OF ITS OWN; --customer NAME says otherwise",
        ),
    }
}

/// The cell above the table after which the account's number stands.
fn account_label(above: &[Line]) -> Option<String> {
    let is_number = |text: &str| text.chars().filter(char::is_ascii_digit).count() >= 5;
    above.iter().find_map(|line| {
        let mut cells = line.cells.iter().filter(|cell| !cell.is_blank()).peekable();
        while let Some(cell) = cells.next() {
            // `Account No: 0123456789` in one cell.
            if let Some((label, number)) = cell.trimmed().split_once(':')
                && words::labels_account(label)
                && is_number(number)
            {
                return Some(format!("{label}:"));
            }
            let next = cells.peek().is_some_and(|next| is_number(next.trimmed()));
            if next && words::labels_account(cell.trimmed()) {
                return Some(cell.trimmed().to_owned());
            }
        }
        None
    })
}

fn write_columns_section(parts: &Parts<'_>, page: &mut ColumnsFileText) {
    let roles = parts.roles;
    page.section("columns");
    let mut line = |key: &str, column: Option<usize>, comment: &str| {
        if let Some(column) = column {
            page.line(key, &quote_toml_text(name_of_column(parts, column)), comment);
        }
    };
    match roles.customer {
        Some(_) => {
            line("customer", roles.customer, "");
            line("account", roles.account, "");
        }
        None => line("customer", roles.account, "the account stands for the customer"),
    }
    line("id", roles.id, "another one on every row; rows with the same one are one record");
    line("trans_date", Some(roles.trans_date), "");
    line("cleared_date", roles.cleared_date.filter(|_| parts.conclusion.cleared_date.is_some()), "");
    line("amount", roles.amount, "");
    let by_type = parts.conclusion.reading.sense == Sense::Stated;
    line("type", roles.side.filter(|_| by_type), "says the side of the amount");
    line("credit", roles.credit, "money in");
    line("debit", roles.debit, "money out");
    let has_fees = parts.facts.iter().any(|fact| fact.fee.unwrap_or(0) != 0);
    let fee = if has_fees { "money out beside the amount" } else { "no row has one yet; money out beside the amount" };
    line("fee", roles.fee.filter(|_| parts.conclusion.reading.has_fee), fee);
    let follow = parts.conclusion.follow;
    line(
        "balance",
        roles.balance,
        &format!("follows in {} of {}", follow.followed, count_rows_in_words(follow.checked)),
    );
    line("currency", roles.currency, "");
    line("reference", roles.reference, "");
    line("code", roles.code, "");
    match roles.desc.as_slice() {
        [] => {}
        [one] => line("desc", Some(*one), "the narration"),
        several => {
            let names: Vec<&str> = several.iter().map(|column| name_of_column(parts, *column)).collect();
            page.line("desc", &format_text_list(names), "the narration, joined");
        }
    }
    if let Some(people) = roles.people {
        page.line("people", &quote_toml_text(name_of_column(parts, people)), "the counterparty");
    }
}

fn write_amount_section(parts: &Parts<'_>, page: &mut ColumnsFileText) {
    let notation = parts.notation;
    let mut body = ColumnsFileText::default();
    let reason = parts.conclusion.side_reason.as_str();
    match parts.conclusion.reading.sense {
        Sense::PositiveCredit => body.line("positive", "\"credit\"", reason),
        Sense::PositiveDebit => body.line("positive", "\"debit\"", reason),
        Sense::Swapping => body.line("negative", "\"swap_sides\"", reason),
        Sense::Columns if has_minus(parts) => body.line("negative", "\"same_side\"", "debits are written with a minus"),
        Sense::Stated if has_minus(parts) => body.line("negative", "\"same_side\"", "debits are written with a minus"),
        Sense::Columns | Sense::Stated => {}
    }
    if let Some(is_minor) = parts.is_minor {
        body.line("unit", if is_minor { "\"minor\"" } else { "\"major\"" }, "as --unit says");
    }
    match notation.decimal {
        Some(',') => body.line("decimal", "\",\"", "as in the amounts of this file"),
        // No amount has decimals, and the point between thousands cannot stand before them.
        None if notation.thousands.contains(&'.') => body.line("decimal", "\",\"", "no amount has decimals"),
        _ => {}
    }
    if !notation.thousands.is_empty() {
        let marks: Vec<String> = notation
            .thousands
            .iter()
            .map(|mark| if *mark == ' ' { "space".to_owned() } else { mark.to_string() })
            .collect();
        body.line("thousands", &format_text_list(marks.iter().map(String::as_str)), "stands between groups of digits");
    }
    if notation.lakh {
        body.line("grouping", "\"lakh\"", "as in 1,23,456.00");
    }
    let forms = [(notation.parentheses, "parentheses"), (notation.trailing, "trailing")];
    let forms: Vec<&str> = forms.iter().filter(|(has, _)| *has).map(|(_, form)| *form).collect();
    if !forms.is_empty() {
        body.line("minus", &format_text_list(forms), "other ways to write a minus");
    }
    if !notation.marks.is_empty() {
        body.line("marks", &format_text_list(notation.marks.iter().map(String::as_str)), "stands beside the digits");
    }
    write_suffix_keys(parts, &mut body);
    if parts.conclusion.reading.has_fee && parts.facts.iter().any(|fact| fact.fee < Some(0)) {
        body.line("fee", "\"negative\"", "fees are written with a minus");
    }
    if !body.text.is_empty() {
        page.section("amount");
        page.text.push_str(&body.text);
    }
}

/// What stands after the amounts of each side. An empty text means that a side has nothing.
fn write_suffix_keys(parts: &Parts<'_>, body: &mut ColumnsFileText) {
    let notation = parts.notation;
    let says_side = parts.conclusion.reading.sense == Sense::Stated && parts.roles.side.is_none();
    let implied = if says_side { facts::implied_side(parts.columns, parts.roles) } else { None };
    for (key, words, is_credit) in
        [("credit_suffix", &notation.credit_suffix, true), ("debit_suffix", &notation.debit_suffix, false)]
    {
        let bare = (implied == Some(is_credit)).then_some("");
        let words: Vec<&str> = words.iter().map(String::as_str).chain(bare).collect();
        let comment = match (bare.is_some(), is_credit) {
            (true, _) => "nothing stands after it",
            (false, true) => "stands after a credit",
            (false, false) => "stands after a debit",
        };
        if !words.is_empty() {
            body.line(key, &format_text_list(words), comment);
        }
    }
}

/// Whether an amount has a minus that says nothing about the side.
fn has_minus(parts: &Parts<'_>) -> bool {
    parts.facts.iter().any(|fact| fact.debit < Some(0) && fact.debit.is_some())
        || parts.facts.iter().any(|fact| fact.amount < Some(0) && fact.amount.is_some())
}

/// `[type]`: the values of each side.
fn write_type_section(parts: &Parts<'_>, page: &mut ColumnsFileText) {
    let Some(column) = parts.roles.side.filter(|_| parts.conclusion.reading.sense == Sense::Stated) else { return };
    let cells = parts.columns.get(column).map(|column| column.cells.as_slice()).unwrap_or_default();
    let values: std::collections::BTreeSet<&str> = cells.iter().map(|cell| cell.text.as_str()).collect();
    let of_side = |is_credit: bool| -> Vec<&str> {
        values.iter().copied().filter(|value| words::side_of_type_word(value) == Some(is_credit)).collect()
    };
    let (credits, debits) = (of_side(true), of_side(false));
    page.section("type");
    // Both sides must be listed, also where the export has one of them only.
    let opposite = |values: &[&str], is_credit: bool| -> String {
        if !values.is_empty() {
            return format_text_list(values.iter().copied());
        }
        let seen = credits.first().or(debits.first()).copied().unwrap_or_default();
        format_text_list([words::opposite_side_word(seen, is_credit).as_str()])
    };
    page.line("credit", &opposite(&credits, true), if credits.is_empty() { "none was seen" } else { "" });
    page.line("debit", &opposite(&debits, false), if debits.is_empty() { "none was seen" } else { "" });
}

fn write_date_section(parts: &Parts<'_>, page: &mut ColumnsFileText) {
    let conclusion = parts.conclusion;
    let both = [("trans_date", Some(&conclusion.trans_date)), ("cleared_date", conclusion.cleared_date.as_ref())];
    let patterned = |reading: &&DateReading| reading.pattern.is_some();
    let readings: Vec<(&str, &DateReading)> =
        both.into_iter().filter_map(|(key, reading)| Some((key, reading.filter(|r| patterned(r))?))).collect();
    if readings.is_empty() {
        return;
    }
    page.section("dates");
    for (key, reading) in &readings {
        let comment = match reading.pattern.as_deref() {
            Some("ISO day") => "timestamps at midnight: the day counts as written",
            Some("EXCEL" | "EXCEL 1904") => "serial days of a spreadsheet",
            _ if *key == "trans_date" && !conclusion.date_reason.is_empty() => conclusion.date_reason.as_str(),
            _ => "",
        };
        page.line(key, &quote_toml_text(reading.pattern.as_deref().unwrap_or_default()), comment);
    }
    if readings.iter().any(|(_, reading)| reading.two_digit_years) {
        page.line("pivot", &PIVOT.to_string(), "years of two digits: 70 to 99 are 19YY, the others 20YY");
    }
    if let Some(months) = readings.iter().find_map(|(_, reading)| reading.months)
        && let Some(language) = months.language
    {
        page.line("months", &format_text_list(months.each()), language);
    }
}
