//! A decision table or the scorecard of a compiled policy, as a sheet of columns and lines.

use std::path::PathBuf;

use super::cells::SheetValue;
use super::comments::{self, Between};
use super::row_positions::{self, Token, WrittenItem, WrittenRow, WrittenTable};
use crate::base::diagnostic::nearest_candidate;
use crate::rules::{Policy, Type, Unit, csv_lines, type_of_unit_word};

/// What the cells of a column are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// The number of the row, or the word `otherwise`.
    Row,
    /// Shown, and not to be edited here.
    Fixed,
    /// A condition on a value of this type.
    Test(Type),
    /// A value of this type.
    Given(Type),
    /// The comments of the row.
    Comment,
}

/// A column of a sheet.
#[derive(Clone, Debug)]
pub struct SheetColumn {
    /// What the first line says.
    pub title: String,
    /// What the second line says.
    pub unit: String,
    /// What its cells are for.
    pub kind: ColumnKind,
}

/// A line of a sheet, with a value for each column.
#[derive(Clone, Debug)]
pub struct SheetLine {
    /// The values.
    pub values: Vec<SheetValue>,
    /// The list and the row in it that this line is; `None` for `otherwise`.
    pub(super) origin: Option<(usize, usize)>,
}

/// A table as a sheet.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// Its section in the rule file: `table.grade`, or `score`.
    pub section: String,
    /// The columns.
    pub columns: Vec<SheetColumn>,
    /// The lines below the two of the header.
    pub lines: Vec<SheetLine>,
    pub(super) source: SheetSource,
}

/// The texts that the lines came from.
#[derive(Clone, Debug)]
pub(super) struct SheetSource {
    /// The rule file.
    pub file: PathBuf,
    pub text: String,
    pub lists: Vec<List>,
    /// The table's parts, unless this is the scorecard.
    pub table: Option<WrittenTable>,
    /// The items of the scorecard.
    pub items: Vec<WrittenItem>,
    /// The CSV file with the rows, if they are in one.
    pub rows_file: Option<(PathBuf, String)>,
}

/// One list of rows: those of a table, or the bins of an item.
#[derive(Clone, Debug)]
pub(super) struct List {
    pub rows: Vec<WrittenRow>,
    /// Empty for a file of rows, which has no comments.
    pub between: Between,
    /// The type that its cells test, if the lists of the sheet test different ones.
    pub tested: Option<Type>,
}

/// The word in the first column of the last line, whose outputs count if no row matches.
pub(super) const OTHERWISE: &str = "otherwise";
/// The word in the first column of the line of units.
pub(super) const UNIT: &str = "unit";
/// The title of the last column.
const COMMENT: &str = "comment";
/// The name of the scorecard.
const SCORE: &str = "score";

impl Sheet {
    /// The table `name` of a policy or of a file that it uses, or its scorecard, `score`.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn new(policy: &Policy, name: &str) -> Result<Sheet, String> {
        if name == SCORE {
            return sheet_of_scorecard(policy);
        }
        let asked = name.strip_prefix("table.").unwrap_or(name);
        let tables = &policy.program.tables;
        let Some(table) = tables.iter().find(|table| table.name == asked) else {
            return Err(unknown_table_message(policy, asked));
        };
        let inputs: Vec<Type> = table.written_inputs().map(|(_, node)| policy.type_of(*node)).collect();
        let no_source = || format!("the text of `{asked}` is not known");
        let (file, text) = source(policy, table.span.source).ok_or_else(no_source)?;
        // In a file that is used `as` something, the name has no prefix.
        let key = asked.rsplit('.').next().unwrap_or(asked);
        let written = row_positions::locate_table_rows(&text, key).ok_or_else(no_source)?;
        let (list, rows_file) = match &written.rows {
            Some(rows) => (
                List { rows: rows.rows.clone(), between: comments::read_between_rows(&text, rows), tested: None },
                None,
            ),
            None => {
                let of_rows = table.rows.first().map(|row| row.span.source);
                let (path, text) = of_rows
                    .and_then(|number| source(policy, number))
                    .ok_or_else(|| format!("the file with the rows of `{asked}` has none: write the first by hand"))?;
                (List { rows: rows_of_csv(&text), between: Between::default(), tested: None }, Some((path, text)))
            }
        };
        let columns = table_columns(policy, asked, &written, &inputs);
        let mut lines = lines(&columns, std::slice::from_ref(&list), &|_| Vec::new());
        lines.extend(written.otherwise.as_ref().map(|row| otherwise(&columns, &text, row)));
        let source = SheetSource { file, text, lists: vec![list], table: Some(written), items: Vec::new(), rows_file };
        Ok(Sheet { section: format!("table.{asked}"), columns, lines, source })
    }

    /// The name of its tab in a workbook, where names are short.
    pub fn tab(&self) -> String {
        const LETTERS_MAX: usize = 31;
        self.section.strip_prefix("table.").unwrap_or(&self.section).chars().take(LETTERS_MAX).collect()
    }

    /// What the cells of a column are for, in a row of a list.
    pub(super) fn kind(&self, column: usize, list: Option<usize>) -> ColumnKind {
        let tested = list.and_then(|list| self.source.lists.get(list)).and_then(|list| list.tested);
        match (self.columns[column].kind, tested) {
            (ColumnKind::Test(_), Some(ty)) => ColumnKind::Test(ty),
            (kind, _) => kind,
        }
    }

    /// How many columns stand before the first that may be edited.
    pub(super) fn fixed(&self) -> usize {
        self.columns.iter().take_while(|column| matches!(column.kind, ColumnKind::Row | ColumnKind::Fixed)).count()
    }
}

fn unknown_table_message(policy: &Policy, asked: &str) -> String {
    let mut names: Vec<&str> = policy.program.tables.iter().map(|table| table.name.as_str()).collect();
    names.extend(policy.program.score.as_ref().map(|_| SCORE));
    let help = match (nearest_candidate(asked, names.iter().copied()), names.is_empty()) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, false) => format!("there are {}", names.join(", ")),
        (None, true) => "the policy has no tables and no scorecard".to_owned(),
    };
    format!("no table is called `{asked}`; {help}")
}

/// The path and the text of a source.
fn source(policy: &Policy, number: u32) -> Option<(PathBuf, String)> {
    let source = policy.sources().iter().nth(number as usize)?;
    Some((PathBuf::from(&source.name), source.text.clone()))
}

/// The rows of a file of rows, without the line of titles.
pub(super) fn rows_of_csv(text: &str) -> Vec<WrittenRow> {
    let token = |cell: &crate::rules::Text| {
        let span = cell.span();
        let range = span.start as usize..span.end as usize;
        Token { range, value: cell.value().to_owned(), is_text: false }
    };
    let is_blank = |cells: &[crate::rules::Text]| cells.len() == 1 && cells[0].value().trim().is_empty();
    let lines = csv_lines(0, text).unwrap_or_default().into_iter().filter(|(cells, _)| !is_blank(cells));
    // The first has the titles.
    lines
        .skip(1)
        .map(|(cells, span)| WrittenRow {
            range: span.start as usize..span.end as usize,
            tokens: cells.iter().map(token).collect(),
        })
        .collect()
}

fn sheet_of_scorecard(policy: &Policy) -> Result<Sheet, String> {
    let items = &policy.program.score_items;
    let Some(first) = items.first() else { return Err(unknown_table_message(policy, SCORE)) };
    let no_source = || "the text of the scorecard is not known".to_owned();
    let (file, text) = source(policy, first.span.source).ok_or_else(no_source)?;
    let written = row_positions::locate_score_items(&text)
        .filter(|written| written.len() == items.len())
        .ok_or_else(no_source)?;
    let types: Vec<Type> = items.iter().map(|item| policy.type_of(item.on)).collect();
    let lists: Vec<List> = written
        .iter()
        .zip(&types)
        .map(|(item, ty)| List {
            rows: item.bins.rows.clone(),
            between: comments::read_between_rows(&text, &item.bins),
            tested: Some(*ty),
        })
        .collect();
    let column = |title: &str, unit: &str, kind| SheetColumn { title: title.to_owned(), unit: unit.to_owned(), kind };
    // The bins of different items test values of different types: the column `unit` says which.
    let columns = vec![
        column(SCORE, UNIT, ColumnKind::Row),
        column("item", "", ColumnKind::Fixed),
        column(UNIT, "", ColumnKind::Fixed),
        column("weight", "", ColumnKind::Fixed),
        column("code", "", ColumnKind::Fixed),
        column("reason", "", ColumnKind::Fixed),
        column("bin", "a condition on the item", ColumnKind::Test(Type::TEXT)),
        column("points", "number", ColumnKind::Given(Type::NUMBER)),
        column(COMMENT, "", ColumnKind::Comment),
    ];
    let fixed = |list: usize| {
        let (item, ty) = (&written[list], types[list]);
        let unit = describe_column_unit(policy, ty, &[]);
        [fold_whitespace(&item.on), unit, item.weight.clone(), item.code.clone(), fold_whitespace(&item.reason)]
            .into_iter()
            .map(|text| if text.is_empty() { SheetValue::Empty } else { SheetValue::Text(text) })
            .collect()
    };
    let mut lines = lines(&columns, &lists, &fixed);
    // A weight is a number, also for the spreadsheet.
    for line in &mut lines {
        if let Some(SheetValue::Text(weight)) = line.values.get(3) {
            line.values[3] = SheetValue::number(weight).unwrap_or_else(|| SheetValue::Text(weight.clone()));
        }
    }
    let source = SheetSource { file, text, lists, table: None, items: written.clone(), rows_file: None };
    Ok(Sheet { section: SCORE.to_owned(), columns, lines, source })
}

fn table_columns(policy: &Policy, name: &str, written: &WrittenTable, inputs: &[Type]) -> Vec<SheetColumn> {
    let mut columns =
        vec![SheetColumn { title: format!("table.{name}"), unit: UNIT.to_owned(), kind: ColumnKind::Row }];
    columns.extend(written.inputs.iter().zip(inputs).map(|(input, ty)| SheetColumn {
        title: fold_whitespace(input),
        unit: describe_column_unit(policy, *ty, &[]),
        kind: ColumnKind::Test(*ty),
    }));
    columns.extend(written.outputs.iter().map(|output| {
        let ty = type_of_unit_word(&output.unit);
        // An interest is a plain number to the rules.
        let is_interest = policy.program.offers.iter().any(|offer| offer.texts.interest.text.trim() == output.name);
        let unit = match ty.unit {
            Unit::Number if is_interest => "percent per instalment period".to_owned(),
            _ => describe_column_unit(policy, ty, &output.values),
        };
        SheetColumn { title: output.name.clone(), unit, kind: ColumnKind::Given(ty) }
    }));
    columns.push(SheetColumn { title: COMMENT.to_owned(), unit: String::new(), kind: ColumnKind::Comment });
    columns
}

/// The unit of a column, in words.
fn describe_column_unit(policy: &Policy, ty: Type, values: &[String]) -> String {
    let word = match ty.unit {
        Unit::Money => format!("money, {}", policy.header().currency.alphabetic()),
        Unit::Ratio => "ratio: 0.05 is 5 %".to_owned(),
        Unit::Boolean => "true or false".to_owned(),
        unit @ (Unit::Date | Unit::Time | Unit::Timestamp | Unit::Duration) => {
            format!("{}, such as {}", unit.word(), unit.example())
        }
        unit => unit.word().to_owned(),
    };
    if values.is_empty() { word } else { format!("{word}: {}", values.join(", ")) }
}

/// An expression on one line.
pub(super) fn fold_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn lines(columns: &[SheetColumn], lists: &[List], fixed: &dyn Fn(usize) -> Vec<SheetValue>) -> Vec<SheetLine> {
    let mut lines = Vec::new();
    for (number, list) in lists.iter().enumerate() {
        for (at, row) in list.rows.iter().enumerate() {
            let mut values = vec![SheetValue::Number((lines.len() + 1).to_string())];
            values.extend(fixed(number));
            let of_cells = columns.iter().skip(values.len());
            values.extend(row.tokens.iter().zip(of_cells).map(|(token, column)| export_cell_value(token, column.kind)));
            let comment = list.between.rows.get(at).map(comments::Around::text).unwrap_or_default();
            values.push(if comment.is_empty() { SheetValue::Empty } else { SheetValue::Text(comment) });
            lines.push(SheetLine { values, origin: Some((number, at)) });
        }
    }
    lines
}

fn otherwise(columns: &[SheetColumn], text: &str, row: &WrittenRow) -> SheetLine {
    let mut tokens = row.tokens.iter();
    let values = columns.iter().map(|column| match column.kind {
        ColumnKind::Row => SheetValue::Text(OTHERWISE.to_owned()),
        ColumnKind::Given(_) => tokens.next().map_or(SheetValue::Empty, |token| export_cell_value(token, column.kind)),
        ColumnKind::Comment => comment_after(text, row.range.end)
            .map_or(SheetValue::Empty, |comment| SheetValue::Text(comments::strip_comment_sign(&text[comment]))),
        ColumnKind::Test(_) | ColumnKind::Fixed => SheetValue::Empty,
    });
    SheetLine { values: values.collect(), origin: None }
}

/// The comment on the rest of a line.
pub(super) fn comment_after(text: &str, at: usize) -> Option<std::ops::Range<usize>> {
    let rest = text.get(at..)?;
    let line = rest.split('\n').next().unwrap_or_default();
    let blanks = line.len() - line.trim_start().len();
    line.trim_start().starts_with('#').then(|| at + blanks..at + line.trim_end().len())
}

/// The value of a cell in a sheet.
pub(super) fn export_cell_value(token: &Token, kind: ColumnKind) -> SheetValue {
    let text = || SheetValue::Text(token.value.clone());
    match kind {
        ColumnKind::Given(ty) if ty.is_numeric() && !token.is_text => {
            SheetValue::number(&token.value).unwrap_or_else(text)
        }
        ColumnKind::Given(Type::BOOLEAN) if !token.is_text => match token.value.as_str() {
            "true" => SheetValue::Truth(true),
            "false" => SheetValue::Truth(false),
            _ => text(),
        },
        _ => text(),
    }
}
