//! Explanations as trees of text, for a terminal. Knows nothing of colours and widths.

use std::collections::{BTreeMap, BTreeSet};

use crate::decision::{
    Counted, CountedMonth, CountedRecord, Evidence, Explanation, Making, Member, Number, NumberKind, OfferExplained,
    Outcome, Record, RequirementExplained, ScoreExplained, State, TableExplained,
};
use crate::words::date::Day;
use crate::words::money::Currency;
use crate::words::text::escape_terminal;

/// Letters shown of a narration; most are far shorter.
const NARRATION: usize = 160;

/// Numbers made of numbers made of numbers: deeper than this, another look helps more.
const DEPTH: usize = 12;

/// Records listed behind each number; of more, the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// So many behind what is not met or not known; elsewhere how many there are.
    Problems(usize),
    /// So many behind everything.
    Everything(usize),
}

/// How a decision came about.
pub fn explanation(told: &Explanation, listing: Listing) -> String {
    let decision = &told.decision;
    let mut tree = Tree::new(told.currency, &told.numbers, &told.records);
    let outcome = format!("{:?}", decision.outcome).to_lowercase();
    let customer = decision.customer.as_deref().unwrap_or(&decision.statement);
    let arm = decision.arm.map(|arm| format!(", {}", format!("{arm:?}").to_lowercase())).unwrap_or_default();
    let policy = format!("{} {}", decision.policy.name, decision.policy.version);
    tree.line(0, &format!("{customer}: {outcome} (as of {}, {policy}{arm})", day(decision.as_of)));
    let ids = |id: &String| told.requirements.iter().any(|requirement| requirement.id == *id);
    for reason in decision.reasons.iter().filter(|reason| !ids(&reason.id)) {
        let effect = format!("{:?}", reason.effect).to_uppercase();
        tree.line(0, &format!("{effect}  {}: {}", reason.id, reason.text));
    }
    tree.requirements(&told.requirements, listing);
    tree.score(told.score.as_ref());
    told.tables.iter().for_each(|table| tree.table(table));
    if !told.offers.is_empty() {
        tree.line(0, if decision.outcome == Outcome::Offer { "offers" } else { "offers, if it came to them" });
    }
    told.offers.iter().for_each(|offer| tree.offer(offer));
    tree.done()
}

/// Where a number comes from; `listed` records or months of each, and of more the last.
pub fn evidence(told: &Evidence, listed: usize) -> String {
    let mut tree = Tree::new(told.currency, &told.numbers, &told.records);
    tree.line(0, &format!("{} (as of {})", told.customer.as_deref().unwrap_or(&told.statement), day(told.as_of)));
    match told.numbers.is_empty() {
        true => tree.line(0, &format!("{} {} has no metric {}", told.policy.0, told.policy.1, told.metric)),
        false => tree.number(&told.metric, 0, listed),
    }
    tree.done()
}

fn day(day: Option<Day>) -> String {
    day.map_or_else(|| "no day".to_owned(), |day| day.to_string())
}

struct Tree<'t> {
    currency: Currency,
    numbers: BTreeMap<&'t str, &'t Number>,
    records: BTreeMap<usize, &'t Record>,
    /// Numbers that have been told of.
    told: BTreeSet<&'t str>,
    /// Lists that have been shown.
    listed: Vec<&'t Counted>,
    lines: Vec<String>,
}

impl<'t> Tree<'t> {
    fn new(currency: Currency, numbers: &'t [Number], records: &'t [Record]) -> Self {
        Self {
            currency,
            numbers: numbers.iter().map(|number| (number.name.as_str(), number)).collect(),
            records: records.iter().map(|record| (record.row, record)).collect(),
            told: BTreeSet::new(),
            listed: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// Names and narrations come from the statement: a terminal must not take them for orders.
    fn done(self) -> String {
        self.lines.iter().map(|line| escape_terminal(line.trim_end())).collect::<Vec<_>>().join("\n")
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.lines.push(format!("{}{text}", "  ".repeat(depth)));
    }

    fn requirements(&mut self, all: &[RequirementExplained], listing: Listing) {
        if !all.is_empty() {
            self.line(0, "requirements");
        }
        for requirement in all {
            let mark = match requirement.state {
                State::Met => "met    ".to_owned(),
                State::NotMet => {
                    format!("NOT MET ({:?})", requirement.effect).to_lowercase().replacen("not met", "NOT MET", 1)
                }
                State::Unknown => {
                    format!("UNKNOWN ({:?})", requirement.effect).to_lowercase().replacen("unknown", "UNKNOWN", 1)
                }
            };
            let why = requirement.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
            self.line(1, &format!("{mark} {}  {}{why}", requirement.id, requirement.asks));
            self.members(&requirement.members, 6);
            for parameter in &requirement.parameters {
                self.line(6, &format!("{} = {}", parameter.name, parameter.figure.text));
            }
            for name in &requirement.numbers {
                match listing {
                    Listing::Everything(listed) => self.number(name, 6, listed),
                    Listing::Problems(listed) if requirement.state != State::Met => self.number(name, 6, listed),
                    Listing::Problems(_) => self.brief(name, 6),
                }
            }
        }
    }

    fn members(&mut self, members: &[Member], depth: usize) {
        for member in members {
            let mark = match member.state {
                State::Met => "holds  ",
                State::NotMet => "fails  ",
                State::Unknown => "unknown",
            };
            self.line(depth, &format!("{mark} {}", member.asks));
            self.members(&member.members, depth + 4);
        }
    }

    fn score(&mut self, score: Option<&ScoreExplained>) {
        let Some(score) = score else { return };
        self.line(0, &format!("score {} = base {}", score.figure.text, super::points(score.base)));
        for item in &score.items {
            let bin = item.bin.as_ref().map(|bin| format!(", bin {bin}")).unwrap_or_default();
            let lost = item.lost.filter(|lost| *lost > 0.0).map(|lost| format!(" ({} lost)", super::points(lost)));
            let (gained, on, value) = (&item.points.text, &item.on, &item.figure.text);
            let best = super::points(item.best);
            self.line(1, &format!("{gained:>5} of {best:<4} {on} = {value}{bin}{}", lost.unwrap_or_default()));
        }
    }

    fn table(&mut self, table: &TableExplained) {
        let rows = match (&table.unknown, table.rows.as_slice()) {
            (Some(code), _) => format!("unknown ({code})"),
            (_, []) => "no row".to_owned(),
            (_, [one]) => one.row.map_or_else(|| "otherwise".to_owned(), |row| format!("row {row}")),
            (_, many) => {
                let each = many.iter().map(|row| row.row.map_or("otherwise".to_owned(), |row| row.to_string()));
                format!("rows {}", each.collect::<Vec<_>>().join(", "))
            }
        };
        self.line(0, &format!("table {}: {rows}", table.name));
        let tests = |input: usize| match table.rows.as_slice() {
            [one] => one.tests.get(input).filter(|test| *test != "-").map(|test| format!("  fits {test}")),
            _ => None,
        };
        for (at, input) in table.inputs.iter().enumerate() {
            self.line(1, &format!("{} = {}{}", input.name, input.figure.text, tests(at).unwrap_or_default()));
        }
        for output in &table.outputs {
            self.line(1, &format!("-> {} = {}", output.name, output.figure.text));
        }
        for near in &table.near {
            self.line(1, &format!("nearly row {}: {} = {}, not {}", near.row, near.input, near.figure.text, near.test));
        }
    }

    fn offer(&mut self, offer: &OfferExplained) {
        self.line(1, &format!("{} over {} {}: {}", offer.id, offer.tenure, offer.tenure_unit, offer.summary));
        offer.parameters.iter().for_each(|named| self.line(3, &format!("{} = {}", named.name, named.figure.text)));
        offer.numbers.iter().for_each(|name| self.brief(name, 3));
        for step in &offer.steps {
            self.line(
                3,
                &match step.how.as_str() {
                    "" => format!("{}: {}", step.what, step.figure.text),
                    how => format!("{}: {how} = {}", step.what, step.figure.text),
                },
            );
        }
        if offer.making == Making::Made && offer.schedule.len() > 1 {
            for due in &offer.schedule {
                let (payment, left) = (self.money(due.payment), self.money(due.balance));
                self.line(4, &format!("{:>3}  {payment:>18}, {left} still owed", due.period));
            }
        }
    }

    /// A number on one line.
    fn brief(&mut self, name: &str, depth: usize) {
        let Some(number) = self.numbers.get(name).copied() else { return };
        let counted = match number.counted.as_slice() {
            [] => String::new(),
            [Counted::Records(records)] => {
                format!("  ({})", self.span(records.len(), records.iter().map(|one| one.row)))
            }
            [Counted::Months(months)] => format!("  ({})", of_months(months)),
            many => format!("  ({} counts)", many.len()),
        };
        let formula = match number.kind {
            NumberKind::Metric if number.counted.is_empty() => format!("  = {}", number.formula),
            _ => String::new(),
        };
        self.line(depth, &format!("{} = {}{formula}{counted}", number.name, number.figure.text));
    }

    /// How many records, and of which days.
    fn span(&self, count: usize, mut rows: impl DoubleEndedIterator<Item = usize>) -> String {
        let day = |row: Option<usize>| row.and_then(|row| self.records.get(&row)?.day);
        let first = day(rows.next());
        match (count, first, day(rows.next_back()).or(first)) {
            (0, ..) => "no records".to_owned(),
            (1, Some(first), _) => format!("1 record, {first}"),
            (_, Some(first), Some(last)) => format!("{count} records, {first} to {last}"),
            _ => format!("{count} records"),
        }
    }

    /// A number with what it is made of and what was counted.
    fn number(&mut self, name: &str, depth: usize, listed: usize) {
        self.number_within(name, depth, depth + DEPTH, listed);
    }

    fn number_within(&mut self, name: &str, depth: usize, deepest: usize, listed: usize) {
        let Some((name, number)) = self.numbers.get_key_value(name).map(|(name, number)| (*name, *number)) else {
            return;
        };
        self.line(depth, &format!("{} = {}", number.name, number.figure.text));
        // The score and the tables have their own places, what is given is given.
        let told_there =
            matches!(number.kind, NumberKind::Score | NumberKind::Output | NumberKind::Input | NumberKind::Fact);
        if told_there {
            return;
        }
        if !self.told.insert(name) {
            return self.line(depth + 1, "as above");
        }
        if number.kind == NumberKind::Metric {
            self.line(depth + 1, &format!("= {}", number.formula));
        }
        if depth >= deepest {
            return self.line(depth + 1, &format!("... --metric {} goes on from here", number.name));
        }
        for counted in &number.counted {
            self.counted(counted, depth + 1, listed);
        }
        for part in &number.made_of {
            self.number_within(part, depth + 1, deepest, listed);
        }
    }

    /// Says how many there are, and gives those to list: none of a list that stands above already.
    fn counted(&mut self, counted: &'t Counted, depth: usize, listed: usize) {
        let (count, what) = match counted {
            Counted::Records(records) => (records.len(), "record"),
            Counted::Months(months) => (months.len(), "month"),
        };
        let same = self.listed.contains(&counted);
        let text = match count {
            0 => format!("no {what}s"),
            1 if same => format!("the same {what}"),
            count if same => format!("the same {count} {what}s"),
            1 if listed > 0 => format!("1 {what}:"),
            count if count > listed && listed > 0 => format!("{count} {what}s, the last {listed} of them:"),
            count if listed > 0 => format!("{count} {what}s:"),
            count => format!("{count} {what}{}", if count == 1 { "" } else { "s" }),
        };
        self.line(depth, &text);
        if same || count == 0 {
            return;
        }
        self.listed.push(counted);
        let lines: Vec<String> = match counted {
            Counted::Records(records) => last(records, listed).iter().map(|one| self.counted_record(one)).collect(),
            Counted::Months(months) => last(months, listed).iter().map(month).collect(),
        };
        lines.iter().for_each(|line| self.line(depth + 1, line));
    }

    fn counted_record(&self, one: &CountedRecord) -> String {
        let counts = one.counts.as_ref().map(|counts| format!("  -> {}", counts.text)).unwrap_or_default();
        format!("{}{counts}", self.record(one.row))
    }

    fn record(&self, row: usize) -> String {
        let Some(record) = self.records.get(&row) else { return String::new() };
        let mut amounts = Vec::new();
        amounts.extend(record.credit.map(|minor| format!("{} in", self.money(minor))));
        amounts.extend(record.debit.map(|minor| format!("{} out", self.money(minor))));
        let narration = record.narration.as_deref().unwrap_or("no narration");
        let shown: String = narration.chars().take(NARRATION).collect();
        let more = if shown.len() < narration.len() { "..." } else { "" };
        let id = record.id.as_deref().map(|id| format!(" ({id})")).unwrap_or_default();
        let day = record.day.map(|day| day.to_string()).unwrap_or_default();
        format!("{day}  {:>20}  {shown}{more}{id}", amounts.join(", "))
    }

    fn money(&self, minor: i64) -> String {
        super::money(&self.currency, minor)
    }
}

fn last<T>(all: &[T], count: usize) -> &[T] {
    &all[all.len().saturating_sub(count)..]
}

fn month(month: &CountedMonth) -> String {
    let counts = month.counts.as_ref().map(|counts| counts.text.as_str()).unwrap_or_default();
    let records = match month.rows.len() {
        0 => String::new(),
        1 => "1 record".to_owned(),
        count => format!("{count} records"),
    };
    format!("{}  {counts:>18}  {records}", month.month).trim_end().to_owned()
}

fn of_months(months: &[CountedMonth]) -> String {
    match months {
        [] => "no months".to_owned(),
        [one] => format!("1 month, {}", one.month),
        [first, .., last] => format!("{} months, {} to {}", months.len(), first.month, last.month),
    }
}
