//! Explanations as trees of text, for a terminal. Must not know colours and widths.

mod numbers;
mod problems;

use std::collections::{BTreeMap, BTreeSet};

use crate::base::date::Day;
use crate::base::money::Currency;
use crate::base::text::escape_terminal;
use crate::engine::decision::{
    Counted, Decision, Evidence, Explanation, Member, Named, Number, OfferExplained, Outcome, Record,
    RequirementExplained, ScoreExplained, State, TableExplained,
};
use crate::report::has_own_place;
use crate::statement::OwnTransfer;

/// Most characters shown of a narration; most narrations are far shorter.
const NARRATION_CHARS_MAX: usize = 160;

/// Deepest nesting of numbers; `--metric` shows what is below.
const DEPTH_MAX: usize = 12;

/// How many records to list behind each number. The last ones win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// This many behind numbers of unmet or unknown requirements; elsewhere only their count.
    Problems(usize),
    /// This many behind every number.
    Everything(usize),
}

/// Renders how a decision came about.
pub fn render_explanation_text(explanation: &Explanation, listing: Listing) -> String {
    let Explanation { decision, requirements, score, tables, offers, .. } = explanation;
    let mut tree = Tree::new(explanation.currency, &explanation.numbers, &explanation.records, listing);
    tree.problems = problems::find_problem_numbers(explanation);
    let outcome = decision.outcome.word();
    let customer = decision.customer.as_deref().unwrap_or(&decision.statement);
    let arm = decision.arm.map(|arm| format!(", {}", format!("{arm:?}").to_lowercase())).unwrap_or_default();
    let policy = format!("{} {}", decision.policy.name, decision.policy.version);
    tree.line(0, &format!("{customer}: {outcome} (as of {}, {policy}{arm})", day(decision.as_of)));
    let is_requirement = |id: &String| requirements.iter().any(|requirement| requirement.id == *id);
    for reason in decision.reasons.iter().filter(|reason| !is_requirement(&reason.id)) {
        let effect = format!("{:?}", reason.effect).to_uppercase();
        let name = super::name_with_title(&reason.id, reason.title.as_deref());
        tree.line(0, &format!("{effect}  {name}: {}", reason.text));
    }
    if let Some(counter) = &decision.counter_offer {
        tree.line(0, &super::counter_offer(counter, explanation));
    }
    tree.line(0, &super::balances::describe_balances(&decision.quality, &explanation.currency));
    decision.quality.warnings.iter().for_each(|warning| tree.line(0, &format!("warning: {warning}")));
    tree.excluded_transfers(&explanation.own_transfers);
    tree.requirements(requirements);
    tree.score(score.as_ref(), decision);
    tables.iter().for_each(|table| tree.table(table));
    if !offers.is_empty() {
        tree.line(0, if decision.outcome == Outcome::Offer { "offers" } else { "offers, if approved" });
    }
    offers.iter().for_each(|offer| tree.offer(offer));
    tree.finish()
}

/// Renders where a number comes from. Lists the last `listed` records or groups of each number.
pub fn render_evidence_text(evidence: &Evidence, listed: usize) -> String {
    let Evidence { customer, statement, policy: (name, version), metric, .. } = evidence;
    let mut tree = Tree::new(evidence.currency, &evidence.numbers, &evidence.records, Listing::Everything(listed));
    tree.line(0, &format!("{} (as of {})", customer.as_ref().unwrap_or(statement), day(evidence.as_of)));
    tree.excluded_transfers(&evidence.own_transfers);
    match evidence.numbers.is_empty() {
        true => tree.line(0, &format!("{name} {version} has no metric {metric}")),
        false => tree.number(metric, 0, listed),
    }
    tree.finish()
}

fn day(day: Option<Day>) -> String {
    day.map_or_else(|| "no day".to_owned(), |day| day.to_string())
}

struct Tree<'t> {
    currency: Currency,
    numbers: BTreeMap<&'t str, &'t Number>,
    records: BTreeMap<usize, &'t Record>,
    listing: Listing,
    /// The numbers behind unmet and unknown requirements.
    problems: BTreeSet<&'t str>,
    /// Numbers already shown in full.
    shown: BTreeSet<&'t str>,
    /// Lists already shown.
    shown_lists: Vec<&'t Counted>,
    lines: Vec<String>,
}

impl<'t> Tree<'t> {
    fn new(currency: Currency, numbers: &'t [Number], records: &'t [Record], listing: Listing) -> Self {
        Self {
            currency,
            numbers: numbers.iter().map(|number| (number.name.as_str(), number)).collect(),
            records: records.iter().map(|record| (record.row, record)).collect(),
            listing,
            problems: BTreeSet::new(),
            shown: BTreeSet::new(),
            shown_lists: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// The text. Names and narrations come from the statement, so a terminal must not read them as control sequences.
    fn finish(self) -> String {
        self.lines.iter().map(|line| escape_terminal(line.trim_end())).collect::<Vec<_>>().join("\n")
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.lines.push(format!("{}{text}", "  ".repeat(depth)));
    }

    fn excluded_transfers(&mut self, transfers: &[OwnTransfer]) {
        if let Some(sentence) = super::excluded_transfers(transfers, &self.currency) {
            self.line(0, &sentence);
        }
    }

    fn requirements(&mut self, all: &[RequirementExplained]) {
        if !all.is_empty() {
            self.line(0, "requirements");
        }
        for requirement in all {
            let effect = format!("{:?}", requirement.effect).to_lowercase();
            let mark = match requirement.state {
                State::Met => "met    ".to_owned(),
                State::NotMet => format!("NOT MET ({effect})"),
                State::Unknown => format!("UNKNOWN ({effect})"),
                State::NotAsked => "not asked".to_owned(),
            };
            let why = requirement.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
            let doubles = if requirement.approximate { "  (approximate: compared as doubles)" } else { "" };
            let name = super::name_with_title(&requirement.id, requirement.title.as_deref());
            self.line(1, &format!("{mark} {name}  {}{doubles}{why}", requirement.asks));
            self.members(&requirement.members, 6);
            self.parameters(&requirement.parameters, 6);
            requirement.numbers.iter().for_each(|name| self.number_or_brief(name, 6));
        }
    }

    fn parameters(&mut self, all: &[Named], depth: usize) {
        all.iter().for_each(|named| self.line(depth, &format!("{} = {}", named.name, named.figure.text)));
    }

    /// A number in full if it is behind a problem or everything was asked for, else on one line.
    fn number_or_brief(&mut self, name: &str, depth: usize) {
        match self.listing {
            Listing::Everything(listed) => self.number(name, depth, listed),
            Listing::Problems(listed) if self.problems.contains(name) => self.number(name, depth, listed),
            Listing::Problems(_) => self.brief(name, depth),
        }
    }

    /// The numbers behind a value already printed as `text`. Skips a number that would only repeat that line.
    fn behind(&mut self, text: &str, names: &[String], depth: usize) {
        for name in names {
            let Some(number) = self.numbers.get(name.as_str()).copied() else { continue };
            let in_full = matches!(self.listing, Listing::Everything(_)) || self.problems.contains(name.as_str());
            let known = has_own_place(number) || self.shown.contains(name.as_str());
            if if in_full { !known } else { name != text } {
                self.number_or_brief(name, depth);
            }
        }
    }

    fn members(&mut self, members: &[Member], depth: usize) {
        for member in members {
            let mark = match (&member.unknown, member.state) {
                (Some(why), State::Met) => format!("unknown, taken as holding ({why})"),
                (Some(why), _) => format!("unknown, taken as failing ({why})"),
                (_, State::Met) => "holds  ".to_owned(),
                (_, State::NotMet | State::NotAsked) => "fails  ".to_owned(),
                (_, State::Unknown) => "unknown".to_owned(),
            };
            self.line(depth, &format!("{mark} {}", member.asks));
            self.members(&member.members, depth + 4);
        }
    }

    fn score(&mut self, score: Option<&ScoreExplained>, decision: &Decision) {
        let Some(score) = score else { return };
        self.line(0, &format!("score {} = base {}", score.figure.text, super::format_points(score.base)));
        for item in &score.items {
            let bin = item.bin.as_ref().map(|bin| format!(", bin {bin}")).unwrap_or_default();
            let lost = item.lost.filter(|lost| *lost > 0.0).map(|lost| {
                let code = item.code.as_ref().map(|code| format!(": {code}")).unwrap_or_default();
                let reason = item.reason.as_ref().map(|reason| format!(", {reason}")).unwrap_or_default();
                format!(" ({} lost{code}{reason})", super::format_points(lost))
            });
            let (gained, on, value) = (&item.points.text, &item.on, &item.figure.text);
            let best = super::format_points(item.best);
            self.line(1, &format!("{gained:>5} of {best:<4} {on} = {value}{bin}{}", lost.unwrap_or_default()));
            self.parameters(&item.parameters, 6);
            self.behind(&item.on, &item.numbers, 6);
        }
        if !decision.points_lost.is_empty() {
            let codes: Vec<&str> = decision.points_lost.iter().map(|lost| lost.id.as_str()).collect();
            self.line(1, &format!("reported as reasons: {}", codes.join(", ")));
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
        self.line(0, &format!("table {}: {rows}", super::name_with_title(&table.name, table.title.as_deref())));
        let tests = |input: usize| match table.rows.as_slice() {
            [one] => one.tests.get(input).filter(|test| *test != "-").map(|test| format!("  fits {test}")),
            _ => None,
        };
        for (at, input) in table.inputs.iter().enumerate() {
            self.line(1, &format!("{} = {}{}", input.name, input.figure.text, tests(at).unwrap_or_default()));
        }
        self.parameters(&table.parameters, 1);
        let inputs: Vec<&str> = table.inputs.iter().map(|input| input.name.as_str()).collect();
        for name in &table.numbers {
            let shown = inputs.iter().find(|input| *input == name).copied().unwrap_or_default();
            self.behind(shown, std::slice::from_ref(name), 3);
        }
        for output in &table.outputs {
            let formula = match table.rows.as_slice() {
                [one] => one.formulas.get(&output.name).map(|formula| format!("  = {formula}")),
                _ => None,
            };
            self.line(1, &format!("-> {} = {}{}", output.name, output.figure.text, formula.unwrap_or_default()));
        }
        for near in &table.near {
            self.line(
                1,
                &format!("row {} failed only on {} = {}, not {}", near.row, near.input, near.figure.text, near.test),
            );
        }
    }

    fn offer(&mut self, offer: &OfferExplained) {
        self.line(1, &format!("{} over {} {}: {}", offer.id, offer.tenure, offer.tenure_unit, offer.summary));
        self.parameters(&offer.parameters, 3);
        offer.numbers.iter().for_each(|name| self.number_or_brief(name, 3));
        for step in &offer.steps {
            self.line(
                3,
                &match step.how.as_str() {
                    "" => format!("{}: {}", step.what, step.figure.text),
                    how => format!("{}: {how} = {}", step.what, step.figure.text),
                },
            );
        }
        if offer.schedule.len() > 1 {
            for due in &offer.schedule {
                let (payment, left) = (self.money(due.payment), self.money(due.balance));
                let day = due.day.map_or(String::new(), |day| format!("{day}  "));
                self.line(4, &format!("{:>3}  {day}{payment:>18}, {left} still owed", due.period));
            }
        }
    }
}
