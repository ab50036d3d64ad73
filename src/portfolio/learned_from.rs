//! What a scorecard is learned from: the metrics of a policy for every customer with an outcome, with what each looks
//! at. Learns nothing itself.

use std::collections::HashSet;

use polars::prelude::{Column as Series, DataType};

use crate::authoring::analysis::{Entry, dictionary};
use crate::base::date::Day;
use crate::engine::decision::{CacheError, Request};
use crate::portfolio::backtest::{Portfolio, key_of_name};
use crate::portfolio::learning::{MetricColumn, Needs, Sample, Values};
use crate::portfolio::outcomes::LoanOutcome;
use crate::rules::graph::{Node, NodeId, Op};
use crate::rules::{Policy, Type, Unit};

/// How many columns are asked for at once.
const AT_ONCE: usize = 32;

/// Rows and columns, and the metrics that are none, with why.
pub struct LearnedFrom {
    /// The outcomes.
    pub sample: Sample,
    /// The metrics.
    pub columns: Vec<MetricColumn>,
    /// Metrics that nothing can be learned from: their names and why.
    pub left_out: Vec<(String, String)>,
    /// The day of each row: of the loan where loans have dates, else of the statement.
    pub days: Vec<Option<Day>>,
    /// The customer of each row.
    pub customers: Vec<String>,
    /// The loan of each row. Empty: rows are customers.
    pub loans: Vec<String>,
    /// Later loans of customers who have earlier ones: they are neither learned from nor tested on.
    pub left_out_of_test: usize,
    /// The place of each row among all customers of the portfolio.
    pub places: Vec<usize>,
}

impl LearnedFrom {
    /// Keeps the rows after a day for the test.
    ///
    /// # Errors
    /// If a row has no day, or none is left to learn from or to test on.
    pub fn keep_later_rows(&mut self, day: Day) -> Result<(), String> {
        let unknown = self.days.iter().filter(|day| day.is_none()).count();
        if unknown > 0 {
            return Err(format!(
                "{unknown} of {} loans have no date, so it is not known on which side they are; give each row of the \
                 outcomes a `loan_date`",
                self.days.len()
            ));
        }
        let is_later = |known: &Option<Day>| known.is_some_and(|known| known > day);
        // A model that has seen a loan of a customer seems to know the next.
        let earlier = self.days.iter().zip(&self.sample.key).filter(|(known, _)| !is_later(known));
        let seen: HashSet<u64> = earlier.map(|(_, key)| *key).collect();
        let keep: Vec<bool> = self
            .days
            .iter()
            .zip(&self.sample.key)
            .map(|(known, key)| !is_later(known) || !seen.contains(key))
            .collect();
        if keep.contains(&false) && !keep.iter().zip(&self.days).any(|(keep, known)| *keep && is_later(known)) {
            return Err(format!(
                "every loan after {day} is of a customer with an earlier loan, so there is nothing to test on"
            ));
        }
        self.left_out_of_test = keep.iter().filter(|keep| !**keep).count();
        if self.left_out_of_test > 0 {
            self.retain_rows(&keep);
        }
        let later: Vec<bool> = self.days.iter().map(is_later).collect();
        match later.iter().filter(|later| **later).count() {
            0 => Err(format!("no loan is after {day}, so there is nothing to test on")),
            count if count == later.len() => {
                Err(format!("all loans are after {day}, so there is nothing to learn from"))
            }
            _ => {
                self.sample.later = later;
                Ok(())
            }
        }
    }

    /// Keeps some rows, and forgets the others.
    fn retain_rows(&mut self, keep: &[bool]) {
        fn retain<T: Clone>(values: &mut Vec<T>, keep: &[bool]) {
            let kept = values.iter().zip(keep).filter(|(_, keep)| **keep).map(|(value, _)| value.clone());
            *values = kept.collect();
        }
        let sample = &mut self.sample;
        retain(&mut sample.bad, keep);
        sample.month.iter_mut().for_each(|months| retain(months, keep));
        retain(&mut sample.key, keep);
        retain(&mut sample.later, keep);
        retain(&mut sample.present, keep);
        retain(&mut sample.weights, keep);
        for column in &mut self.columns {
            match &mut column.values {
                Values::Number(values) => retain(values, keep),
                Values::Boolean(values) => retain(values, keep),
                Values::Text { codes, .. } => retain(codes, keep),
            }
        }
        retain(&mut self.days, keep);
        retain(&mut self.customers, keep);
        retain(&mut self.loans, keep);
        retain(&mut self.places, keep);
    }

    /// How many bad rows there are that are not kept for the test.
    pub fn bads_to_learn_from(&self) -> usize {
        let is_later = |row: usize| self.sample.later.get(row).copied().unwrap_or(false);
        self.sample.bad.iter().enumerate().filter(|(row, bad)| **bad && !is_later(*row)).count()
    }
}

/// Which metrics are asked for.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only these; all without any.
    pub only: Vec<String>,
    /// None of these.
    pub without: Vec<String>,
    /// Only those that are known for statements without debits and balances.
    pub credits_alone: bool,
}

/// Collects the metrics of customers with an outcome.
///
/// # Errors
/// If the portfolio does not have a metric.
pub fn learned_from(
    portfolio: &mut Portfolio,
    policy: &Policy,
    request: &Request,
    outcomes: &[Option<LoanOutcome>],
    wanted: &Wanted,
) -> Result<LearnedFrom, CacheError> {
    let mut found = rows_with_outcome(portfolio, policy, request, outcomes);
    let rows = found.places.clone();
    let told = dictionary(policy);
    let mut requested = Vec::new();
    for metric in &policy.program.metrics {
        let name = &metric.name;
        let is_wanted = wanted.only.is_empty() || wanted.only.contains(name);
        if !is_wanted || wanted.without.contains(name) {
            continue;
        }
        let needs = match told.entry(name).map_or(Needs::Credits, needs_of_entry) {
            Needs::Credits if reads_outside(policy, metric.node) => Needs::Given,
            needs => needs,
        };
        if follows_from_score(policy, metric.node) {
            found.left_out.push((name.clone(), "it follows from the score or a table".to_owned()));
        } else if wanted.credits_alone && [Needs::Debits, Needs::Balances].contains(&needs) {
            found.left_out.push((name.clone(), needs.words().to_owned()));
        } else {
            requested.push((name.as_str(), policy.type_of(metric.node), needs));
        }
    }
    let exponent = policy.header().currency.exponent();
    // Some at a time: the columns are of all customers, and only those with an outcome stay.
    for some in requested.chunks(AT_ONCE) {
        let names: Vec<&str> = some.iter().map(|(name, ..)| *name).collect();
        let columns = portfolio.cache.series(policy, request, &names)?;
        for ((name, ty, needs), series) in some.iter().zip(columns) {
            let Some(series) = series else { continue };
            let (name, unit) = ((*name).to_owned(), ty.unit.word());
            match rule_values_of_rows(&series, *ty, &rows, exponent) {
                Some(values) => found.columns.push(MetricColumn { name, unit: unit.to_owned(), needs: *needs, values }),
                None => found.left_out.push((name, format!("it is {unit}, which no points can be given for"))),
            }
        }
    }
    Ok(found)
}

/// Every customer or loan with an outcome, without metrics.
fn rows_with_outcome(
    portfolio: &mut Portfolio,
    policy: &Policy,
    request: &Request,
    outcomes: &[Option<LoanOutcome>],
) -> LearnedFrom {
    let rows: Vec<usize> = outcomes.iter().enumerate().filter_map(|(row, known)| known.as_ref().map(|_| row)).collect();
    let days = portfolio.cache.days();
    // Where loans have dates, they decide: all statements may have been decided on one day.
    let loan_date = |row: usize| outcomes[row].as_ref().and_then(|outcome| outcome.loan_date);
    let by_loan_date = rows.iter().any(|row| loan_date(*row).is_some());
    let days: Vec<Option<Day>> =
        rows.iter().map(|row| if by_loan_date { loan_date(*row) } else { days[*row] }).collect();
    // A day that was given for all says nothing of when their loans were.
    let is_dated = by_loan_date || days.windows(2).any(|pair| pair[0] != pair[1]);
    let month = |day: &Option<Day>| {
        day.map(|day| {
            let (year, month, _) = day.ymd();
            year * 12 + month as i32 - 1
        })
    };
    let key = |row: &usize| key_of_name(portfolio.borrower(*row));
    let sample = Sample {
        bad: rows.iter().map(|row| outcomes[*row].as_ref().is_some_and(|outcome| outcome.bad)).collect(),
        month: is_dated.then(|| days.iter().map(month).collect()),
        key: rows.iter().map(key).collect(),
        later: Vec::new(),
        present: present_scores(portfolio, policy, request, &rows),
        weights: Vec::new(),
    };
    let names = |of: &dyn Fn(usize) -> String| rows.iter().map(|row| of(*row)).collect::<Vec<String>>();
    let are_loans = !portfolio.borrowers.is_empty();
    LearnedFrom {
        sample,
        columns: Vec::new(),
        left_out: Vec::new(),
        days,
        customers: names(&|row| portfolio.borrower(row).to_owned()),
        loans: if are_loans { names(&|row| portfolio.customers[row].clone()) } else { Vec::new() },
        places: rows.clone(),
        left_out_of_test: 0,
    }
}

/// What the score of the policy gives each row; empty if it has none, or the portfolio does not have what it needs.
fn present_scores(portfolio: &mut Portfolio, policy: &Policy, request: &Request, rows: &[usize]) -> Vec<Option<f64>> {
    if policy.program.score.is_none() {
        return Vec::new();
    }
    let series = portfolio.cache.series(policy, request, &["score"]).ok().and_then(|mut found| found.pop().flatten());
    let numbers = series.and_then(|series| series.cast(&DataType::Float64).ok());
    let numbers = numbers.as_ref().and_then(|numbers| numbers.f64().ok());
    numbers.map_or_else(Vec::new, |numbers| rows.iter().map(|row| numbers.get(*row)).collect())
}

/// Which part of a statement a value cannot do without. Narrations do not count: those of credits are credits.
fn needs_of_entry(entry: &Entry) -> Needs {
    match (entry.needs.contains(&"balance"), entry.needs.contains(&"debit")) {
        (true, _) => Needs::Balances,
        (false, true) => Needs::Debits,
        (false, false) => Needs::Credits,
    }
}

/// Whether something from outside the statement is behind a value.
fn reads_outside(policy: &Policy, node: NodeId) -> bool {
    let graph = &policy.program.graph;
    let is_outside = |node: &Node| matches!(node.op, Op::Input(_) | Op::Entry(..));
    graph.nodes().iter().zip(graph.behind(&[node])).any(|(node, is_behind)| is_behind && is_outside(node))
}

/// Whether the score or a table is behind a value.
fn follows_from_score(policy: &Policy, node: NodeId) -> bool {
    let graph = &policy.program.graph;
    let scores = |node: &Node| matches!(node.op, Op::Score | Op::Points(_) | Op::Hit(_) | Op::Output(..));
    graph.nodes().iter().zip(graph.behind(&[node])).any(|(node, is_behind)| is_behind && scores(node))
}

/// The values of some rows, as rule files write them; `None` for dates, times and lists.
fn rule_values_of_rows(series: &Series, ty: Type, rows: &[usize], exponent: u32) -> Option<Values> {
    if ty.unit.is_iso() {
        return None;
    }
    match series.dtype() {
        DataType::Boolean => {
            let truths = series.bool().ok()?;
            Some(Values::Boolean(rows.iter().map(|row| truths.get(*row)).collect()))
        }
        DataType::String if ty.repr == crate::rules::Repr::Text => {
            let texts = series.str().ok()?;
            let mut words: Vec<String> = texts.iter().flatten().map(str::to_owned).collect();
            words.sort();
            words.dedup();
            let code = |row: &usize| {
                let text = texts.get(*row)?;
                words.binary_search_by(|word| word.as_str().cmp(text)).ok().map(|code| code as u32)
            };
            Some(Values::Text { codes: rows.iter().map(code).collect(), words })
        }
        dtype if dtype.is_primitive_numeric() => {
            let numbers = series.cast(&DataType::Float64).ok()?;
            let numbers = numbers.f64().ok()?;
            // Money is in minor units in tables, and in major units in rule files.
            let scale = if ty.unit == Unit::Money { 10_f64.powi(exponent as i32) } else { 1.0 };
            Some(Values::Number(rows.iter().map(|row| numbers.get(*row).map(|value| value / scale)).collect()))
        }
        _ => None,
    }
}
