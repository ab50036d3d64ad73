//! Random small tables of every hit policy and kind of cell against all the values that matter. Every reported gap,
//! overlap and unreachable row must be real, and every real one must be reported. Cells are evaluated here by the words
//! of the reference page alone.

use std::fmt::Write;

use lendwright::analysis::analyse;
use lendwright::base::diagnostic::Diagnostic;
use lendwright::compile;
use lendwright::rules::Policy;

use super::random_policies::Chance;

use crate::fixtures::campaign;

const HEADER: &str = "[policy]\nname = \"small\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\n\
                      [request]\nmoney = \"money\"\n\
                      date = \"date\"\ntext = \"text\"\nboolean = \"boolean\"\nnumber = \"number\"\n\n[metric]\n\
                      count = \"COUNT(*)\"\n\
                      narrow = \"LEAST(GREATEST(request.number, 2.3), 2.9)\"\nmean = \"AVG(credit)\"\n\n[table.said]\n\
                      hit = \"first\"\n\
                      inputs = [\"request.number\"]\noutputs = { grade = \"text\" }\n\
                      rows = [[\"< 1\", \"A\"], [\"< 2\", \"BB\"], [\"-\", \"C\"]]\n";

/// A value, ordered within its kind.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub enum Small {
    Number(f64),
    Text(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Count,
    Money,
    Number,
    Date,
    Text,
    Boolean,
    /// A number between two others.
    Narrow,
    /// Money that need not be whole.
    Mean,
    /// One of the texts that a table gives.
    Grade,
}

const KINDS: [Kind; 9] = [
    Kind::Count,
    Kind::Money,
    Kind::Number,
    Kind::Date,
    Kind::Text,
    Kind::Boolean,
    Kind::Narrow,
    Kind::Mean,
    Kind::Grade,
];

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Count => "count",
            Kind::Money => "request.money",
            Kind::Number => "request.number",
            Kind::Date => "request.date",
            Kind::Text => "request.text",
            Kind::Boolean => "request.boolean",
            Kind::Narrow => "narrow",
            Kind::Mean => "mean",
            Kind::Grade => "grade",
        }
    }

    /// A value for a cell: as written, and as it is.
    pub fn bound(self, chance: &mut Chance) -> (String, Small) {
        let at = chance.below(4);
        match self {
            Kind::Count => ((at + 1).to_string(), Small::Number(at as f64 + 1.0)),
            Kind::Money => (format!("{}.01", at + 1), Small::Number((100 * at + 101) as f64)),
            Kind::Number | Kind::Narrow => (format!("{at}.5"), Small::Number(at as f64 + 0.5)),
            Kind::Mean => (format!("1.0{at}"), Small::Number(100.0 + at as f64)),
            Kind::Grade => (["A", "B", "C", "C"][at].to_owned(), Small::Text(["A", "B", "C", "C"][at].to_owned())),
            Kind::Date => (format!("2026-02-{:02}", 26 + at.min(2)), Small::Number((at.min(2)) as f64)),
            Kind::Text => (["A", "B", "B!", "C"][at].to_owned(), Small::Text(["A", "B", "B!", "C"][at].to_owned())),
            Kind::Boolean => (["false", "true"][at % 2].to_owned(), Small::Number((at % 2) as f64)),
        }
    }

    /// One value from every interval that such bounds can make, and unknown.
    pub fn domain(self) -> Vec<Option<Small>> {
        let numbers = |all: Vec<f64>| all.into_iter().map(Small::Number).collect::<Vec<_>>();
        let known = match self {
            Kind::Count => numbers((0..=6).map(f64::from).collect()),
            Kind::Money => {
                numbers((0..=4).flat_map(|at| [100.0, 101.0, 102.0].map(|end| end + 100.0 * f64::from(at))).collect())
            }
            Kind::Number => numbers((-1..=9).map(|half| f64::from(half) * 0.5).collect()),
            Kind::Date => numbers((-1..=3).map(f64::from).collect()),
            Kind::Text => ["", "A", "A!", "B", "B ", "B!", "B!!", "C", "Z"]
                .iter()
                .map(|text| Small::Text((*text).to_owned()))
                .collect(),
            Kind::Boolean => numbers(vec![0.0, 1.0]),
            Kind::Narrow => numbers(vec![2.3, 2.4, 2.5, 2.7, 2.9]),
            Kind::Mean => numbers((198..=208).map(|half| f64::from(half) * 0.5).collect()),
            Kind::Grade => ["A", "BB", "C"].iter().map(|text| Small::Text((*text).to_owned())).collect(),
        };
        let unknown = (self != Kind::Count).then_some(None);
        known.into_iter().map(Some).chain(unknown).collect()
    }

    /// The same for cells, whatever the input's range.
    fn of_cells(self) -> Vec<Option<Small>> {
        match self {
            Kind::Narrow => Kind::Number.domain(),
            Kind::Grade => Kind::Text.domain(),
            Kind::Count => Kind::Count.domain().into_iter().chain([None]).collect(),
            _ => self.domain(),
        }
    }

    /// A value as shown in a finding.
    pub fn read(self, shown: &str) -> Option<Small> {
        if shown == "unknown" {
            return None;
        }
        Some(match self {
            Kind::Text | Kind::Grade => Small::Text(
                shown
                    .strip_prefix('\'')
                    .and_then(|rest| rest.strip_suffix('\''))
                    .unwrap_or_else(|| panic!("{shown}"))
                    .to_owned(),
            ),
            Kind::Boolean => Small::Number(f64::from(u8::from(shown == "true"))),
            Kind::Date => {
                let day = lendwright::base::date::Day::parse_iso(shown).unwrap_or_else(|| panic!("{shown}"));
                let first = lendwright::base::date::Day::from_ymd(2026, 2, 26).unwrap();
                Small::Number(f64::from(day.days() - first.days()))
            }
            Kind::Money | Kind::Mean => {
                let digits: String =
                    shown.chars().filter(|sign| sign.is_ascii_digit() || "-.".contains(*sign)).collect();
                Small::Number((digits.parse::<f64>().unwrap_or_else(|_| panic!("{shown}")) * 1e8).round() / 1e6)
            }
            Kind::Count | Kind::Number | Kind::Narrow => {
                Small::Number(shown.parse().unwrap_or_else(|_| panic!("{shown}")))
            }
        })
    }
}

/// A cell, in the words of the reference page.
#[derive(Clone, Debug)]
enum Cell {
    Anything,
    Unknown,
    Equal(Small),
    Below(Small, bool),
    Above(Small, bool),
    Between(Small, bool, Small, bool),
    OneOf(Vec<Cell>),
    Not(Box<Cell>),
}

impl Cell {
    /// Whether a known value matches.
    fn fits_known(&self, value: &Small) -> bool {
        match self {
            Cell::Anything => true,
            Cell::Unknown => false,
            Cell::Equal(expected) => value == expected,
            Cell::Below(bound, closed) => value < bound || (*closed && value == bound),
            Cell::Above(bound, closed) => value > bound || (*closed && value == bound),
            Cell::Between(low, low_closed, high, high_closed) => {
                Cell::Above(low.clone(), *low_closed).fits_known(value)
                    && Cell::Below(high.clone(), *high_closed).fits_known(value)
            }
            Cell::OneOf(cells) => cells.iter().any(|cell| cell.fits_known(value)),
            Cell::Not(cell) => !cell.fits_known(value),
        }
    }

    fn speaks_of_unknown(&self) -> bool {
        match self {
            Cell::Unknown => true,
            Cell::OneOf(cells) => cells.iter().any(Cell::speaks_of_unknown),
            Cell::Not(cell) => cell.speaks_of_unknown(),
            _ => false,
        }
    }

    /// The same for any value; `None` if an unknown leaves it open.
    fn fits(&self, value: Option<&Small>) -> Option<bool> {
        match (self, value) {
            (_, Some(value)) => Some(self.fits_known(value)),
            (Cell::Anything | Cell::Unknown, None) => Some(true),
            (Cell::OneOf(cells), None) => match cells.iter().any(|cell| cell.fits(None) == Some(true)) {
                true => Some(true),
                false => cells.iter().all(|cell| cell.fits(None).is_some()).then_some(false),
            },
            (Cell::Not(cell), None) => cell.fits(None).map(|fits| !fits),
            (_, None) => None,
        }
    }
}

fn cell(chance: &mut Chance, kind: Kind, depth: u8) -> (String, Cell) {
    let (text, value) = kind.bound(chance);
    let ordered = kind != Kind::Boolean;
    match chance.below(12) {
        0 | 1 => ("-".into(), Cell::Anything),
        2 if depth == 0 => ("unknown".into(), Cell::Unknown),
        3 if ordered => (format!("< {text}"), Cell::Below(value, false)),
        4 if ordered => (format!("<= {text}"), Cell::Below(value, true)),
        5 if ordered => (format!("> {text}"), Cell::Above(value, false)),
        6 if ordered => (format!(">= {text}"), Cell::Above(value, true)),
        7 | 8 if ordered && kind != Kind::Text && kind != Kind::Grade => {
            let (other_text, other) = kind.bound(chance);
            let ((low_text, low), (high_text, high)) = if value <= other {
                ((text, value), (other_text, other))
            } else {
                ((other_text, other), (text, value))
            };
            if low == high {
                return (format!("[{low_text}..{high_text}]"), Cell::Between(low, true, high, true));
            }
            let (from, low_closed) = [("", true), ("[", true), ("(", false)][chance.below(3)];
            let (to, high_closed) = [("", false), ("]", true), (")", false)][chance.below(3)];
            (format!("{from}{low_text}..{high_text}{to}"), Cell::Between(low, low_closed, high, high_closed))
        }
        9 if depth < 2 => {
            let parts: Vec<(String, Cell)> =
                (0..2).map(|_| kind.bound(chance)).map(|(text, value)| (text, Cell::Equal(value))).collect();
            let text = parts.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(", ");
            (text, Cell::OneOf(parts.into_iter().map(|(_, cell)| cell).collect()))
        }
        10 if depth < 2 => {
            let (text, inner) = cell(chance, kind, depth + 1);
            if text == "-" { (text, inner) } else { (format!("not({text})"), Cell::Not(Box::new(inner))) }
        }
        11 => (format!("!= {text}"), Cell::Not(Box::new(Cell::Equal(value)))),
        _ => (text, Cell::Equal(value)),
    }
}

struct Table {
    text: String,
    hit: &'static str,
    columns: Vec<Kind>,
    rows: Vec<Vec<Cell>>,
    values: Vec<usize>,
    has_otherwise: bool,
}

const HITS: [&str; 10] = [
    "first",
    "unique",
    "any",
    "priority",
    "rule_order",
    "output_order",
    "collect",
    "collect_sum",
    "collect_min",
    "collect_count",
];

fn table(chance: &mut Chance) -> Table {
    let mut columns: Vec<Kind> = (0..1 + chance.below(2)).map(|_| KINDS[chance.below(KINDS.len())]).collect();
    columns.dedup();
    let hit = if chance.below(3) == 0 { HITS[chance.below(HITS.len())] } else { HITS[chance.below(3)] };
    let (mut rows, mut values, mut lines) = (Vec::new(), Vec::new(), String::new());
    for _ in 0..1 + chance.below(4) {
        let (texts, cells): (Vec<String>, Vec<Cell>) = columns.iter().map(|kind| cell(chance, *kind, 0)).unzip();
        let texts: String = texts.iter().map(|text| format!("\"{text}\", ")).collect();
        let value = 1 + chance.below(2);
        writeln!(lines, "  [{texts}{value}],").unwrap();
        rows.push(cells);
        values.push(value);
    }
    let inputs: Vec<String> = columns.iter().map(|kind| format!("\"{}\"", kind.name())).collect();
    let has_otherwise = chance.below(5) == 0;
    let otherwise = if has_otherwise { "otherwise = [1]\n" } else { "" };
    let text = format!(
        "{HEADER}\n[table.t]\nhit = \"{hit}\"\ninputs = [{}]\n\
         outputs = {{ out = {{ type = \"number\", values = [1, 2] }} }}\nrows = [\n{lines}]\n{otherwise}",
        inputs.join(", ")
    );
    Table { text, hit, columns, rows, values, has_otherwise }
}

type Point = Vec<Option<Small>>;

impl Table {
    /// Every combination of the values that matter. Overlaps are searched by cells alone, even where the input never
    /// has such values.
    fn points(&self, of_cells: bool) -> Vec<Point> {
        self.columns.iter().fold(vec![Vec::new()], |points, kind| {
            let domain = if of_cells { kind.of_cells() } else { kind.domain() };
            points
                .iter()
                .flat_map(|point| domain.iter().map(|value| [point.as_slice(), std::slice::from_ref(value)].concat()))
                .collect()
        })
    }

    /// Whether the row matches; an unknown matches only a cell that expects it.
    fn fits(&self, row: usize, point: &Point) -> bool {
        self.rows[row].iter().zip(point).all(|(cell, value)| cell.fits(value.as_ref()) == Some(true))
    }

    /// Whether the row matches, or is left open by an unknown in a column where no cell says what that means.
    fn stops(&self, row: usize, point: &Point) -> bool {
        let speaks = |column: usize| self.rows.iter().any(|row| row[column].speaks_of_unknown());
        self.rows[row].iter().zip(point).enumerate().all(|(column, (cell, value))| {
            let fits = cell.fits(value.as_ref());
            fits == Some(true) || (fits.is_none() && !speaks(column))
        })
    }

    fn is_gap(&self, point: &Point) -> bool {
        (0..self.rows.len()).all(|row| !self.fits(row, point))
    }

    fn is_known(point: &Point) -> bool {
        point.iter().all(Option::is_some)
    }

    /// The points that agree with the values in a message: `name = value` for some of the columns.
    fn told<'p>(&self, said: &str, points: &'p [Point]) -> (Vec<(usize, Option<Small>)>, Vec<&'p Point>) {
        let mut given: Vec<(usize, Option<Small>)> = Vec::new();
        for (column, kind) in self.columns.iter().enumerate() {
            let Some(start) = said.find(&format!("{} = ", kind.name())) else { continue };
            let rest = &said[start + kind.name().len() + 3..];
            let names = KINDS.map(|kind| format!(", {} = ", kind.name()));
            let end = names.iter().filter_map(|name| rest.find(name.as_str())).min().unwrap_or(rest.len());
            given.push((column, kind.read(&rest[..end])));
        }
        let agrees = |point: &&Point| given.iter().all(|(column, value)| point[*column] == *value);
        let agreeing = points.iter().filter(agrees).collect();
        (given, agreeing)
    }

    fn errors(&self, found: &[Diagnostic], points: &[Point]) -> usize {
        let text = &self.text;
        let overlaps = |first: usize, second: usize| {
            points.iter().any(|point| self.fits(first, point) && self.fits(second, point))
                && (self.hit == "unique" || self.values[first] != self.values[second])
        };
        let judged = self.hit == "unique" || self.hit == "any";
        for second in 1..self.rows.len() {
            let expected = judged && (0..second).any(|first| overlaps(first, second));
            let said = found
                .iter()
                .filter(|wrong| wrong.code == "overlap")
                .find(|wrong| wrong.message.contains(&format!(" and {} of", second + 1)));
            assert_eq!(said.is_some(), expected, "row {}: {said:?}\n{text}", second + 1);
            let Some(said) = said else { continue };
            let first: usize = said.message["rows ".len()..].split(' ').next().unwrap().parse().unwrap();
            let (given, agreeing) = self.told(&said.message, points);
            for (column, value) in &given {
                for row in [first - 1, second] {
                    assert_eq!(self.rows[row][*column].fits(value.as_ref()), Some(true), "{}\n{text}", said.message);
                }
            }
            if !agreeing.is_empty() {
                let both = agreeing.iter().any(|point| self.fits(first - 1, point) && self.fits(second, point));
                assert!(both, "{}\n{text}", said.message);
            }
        }
        found.iter().filter(|wrong| wrong.code == "overlap").count()
    }

    fn findings(&self, policy: &Policy, points: &[Point]) -> (usize, usize) {
        let text = &self.text;
        let found = [analyse(policy), policy.warnings().to_vec()].concat();
        let single = ["first", "unique", "any", "priority"].contains(&self.hit);
        let gap = found.iter().find(|finding| finding.code == "gap" && finding.message.contains("`t`"));
        let is_gap = points.iter().any(|point| Table::is_known(point) && self.is_gap(point));
        if is_gap && single && !self.has_otherwise {
            assert!(gap.is_some(), "a gap is not told\n{text}");
        }
        if let Some(gap) = gap {
            assert!(single && !self.has_otherwise, "{gap:?}\n{text}");
            let (given, agreeing) = self.told(&gap.message, points);
            // Columns that are not named do not matter: their cells match everything.
            let none_fits =
                |row: &Vec<Cell>| given.iter().any(|(column, value)| row[*column].fits(value.as_ref()) != Some(true));
            assert!(self.rows.iter().all(none_fits) && !given.is_empty(), "{}\n{text}", gap.message);
            assert!(agreeing.iter().all(|point| self.is_gap(point)), "{}\n{text}", gap.message);
            for (column, value) in &given {
                let may_be = match (self.columns[*column], value) {
                    (Kind::Narrow, Some(Small::Number(value))) => (2.3..=2.9).contains(value),
                    (Kind::Grade, Some(value)) => Kind::Grade.domain().contains(&Some(value.clone())),
                    (Kind::Count | Kind::Mean, Some(Small::Number(value))) => *value >= 0.0,
                    _ => true,
                };
                assert!(may_be, "{}\n{text}", gap.message);
            }
            if is_gap {
                assert!(given.iter().all(|(_, value)| value.is_some()), "{}\n{text}", gap.message);
            }
        }
        let mut unreachable = 0;
        for row in 0..self.rows.len() {
            let said = found.iter().any(|finding| {
                finding.code == "unreachable" && finding.message.starts_with(&format!("row {} of `t`", row + 1))
            });
            let fits = |point: &&Point| self.fits(row, point);
            let is_reached = match self.hit {
                "first" => points.iter().filter(fits).any(|point| (0..row).all(|earlier| !self.stops(earlier, point))),
                "priority" => points.iter().filter(fits).any(|point| {
                    let before = |other: &usize| (self.values[*other], *other) < (self.values[row], row);
                    (0..self.rows.len()).filter(before).all(|other| !self.fits(other, point))
                }),
                _ => points.iter().any(|point| self.fits(row, point)),
            };
            assert_eq!(said, !is_reached, "row {}: {found:?}\n{text}", row + 1);
            unreachable += usize::from(said);
        }
        (usize::from(gap.is_some()), unreachable)
    }
}

#[test]
fn what_is_told_of_small_tables_is_so_and_what_is_so_is_told() {
    let mut chance = Chance(31);
    let (mut overlaps, mut gaps, mut unreachable, mut clean) = (0, 0, 0, 0);
    let tables = campaign::size(300, 3_000);
    for _ in 0..tables {
        let table = table(&mut chance);
        let (points, all) = (table.points(false), table.points(true));
        match compile("small", &table.text, &mut |_| Err("no files".into()), &[]) {
            Err(refused) => {
                assert!(
                    refused.diagnostics.iter().all(|wrong| ["overlap", "hardly-ever"].contains(&wrong.code)),
                    "{refused}\n{}",
                    table.text
                );
                overlaps += table.errors(&refused.diagnostics, &all);
            }
            Ok(policy) => {
                table.errors(policy.warnings(), &all);
                let (gap, rows) = table.findings(&policy, &points);
                gaps += gap;
                unreachable += rows;
                clean += usize::from(gap + rows == 0);
            }
        }
    }
    assert!(
        overlaps > tables / 15 && gaps > tables / 10 && unreachable > tables / 30 && clean > tables / 15,
        "{overlaps} {gaps} {unreachable} {clean}"
    );
}
