//! Judges precomputed metrics column by column: outcomes, the score and table outputs of millions of rows, without
//! records. Program and judgement are those for one row. Knows no statement.

use polars::prelude::{Column, DataFrame, DataType};
use rayon::prelude::*;

use super::plan::ReadyPlan;
use crate::base::date::Day;
use crate::base::digest::Digest;
use crate::engine::decision::case::{NoOffer, StatementCase, outcome_for};
use crate::engine::decision::error::{Error, wrong_metric};
use crate::engine::decision::record::Outcome;
use crate::engine::decision::request::{Inputs, Request};
use crate::engine::decision::request_values::typed;
use crate::engine::metrics::{CowColumn, Evaluated, Groups, StatementSlice, evaluate_columns, polars_convert};
use crate::rules::program::{Program, Value};
use crate::rules::{Effect, Policy, Repr, Type};
use crate::statement::Head;

/// Rows judged at once: their columns stay in the cache. Chunk boundaries never change the result.
pub(super) const ROWS: usize = 4_096;

/// The judgement of rows of precomputed metrics. Each column has one value per row, in order.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The outcome of each row.
    pub outcomes: Vec<Outcome>,
    /// `score`, if the policy has one, and the outputs of its tables by name. Money is in minor units, a time or a
    /// duration is text; an unknown is null.
    pub values: DataFrame,
    /// The number of each row's reason among `reasons`.
    decided_by: Vec<u32>,
    reasons: Vec<String>,
}

impl Judged {
    /// The id of the reason that no offer is made for a row, as in a decision: the first requirement with the gravest
    /// effect, or `NO_OFFER`, `OFFER_UNKNOWN`, `POLICY_DATES`, `INPUT_MISSING`. `None` if offers are made, and past the
    /// last row.
    pub fn decided_by(&self, row: usize) -> Option<&str> {
        let reason = self.decided_by.get(row)?;
        self.reasons.get(*reason as usize).map(String::as_str)
    }

    /// How many rows each reason decided, in the order of the policy, without reasons that decided none.
    pub fn reasons(&self) -> Vec<(&str, usize)> {
        let mut counts = vec![0; self.reasons.len()];
        for reason in &self.decided_by {
            // `OFFERED` is past the last reason.
            if let Some(count) = counts.get_mut(*reason as usize) {
                *count += 1;
            }
        }
        let reasons = self.reasons.iter().map(String::as_str).zip(counts);
        reasons.filter(|(_, count)| *count > 0).collect()
    }
}

/// The reason of rows with offers: none.
const OFFERED: u32 = u32::MAX;

/// Reasons that are not requirements; numbered after them, in this order.
const POLICY_DATES: usize = 0;
const INPUT_MISSING: usize = 1;
const NO_OFFER: usize = 2;

/// The judgement of a chunk of rows.
struct JudgedChunk {
    outcomes: Vec<Outcome>,
    decided_by: Vec<u32>,
    values: Vec<Column>,
}

impl ReadyPlan<'_> {
    /// Judges every row of `metrics`, which has a column for each metric of the plan, by name; other columns are
    /// ignored. Columns are as [`metrics::table`](crate::engine::metrics::table) writes them: money in minor units,
    /// dates as dates, times and durations as text, null where unknown. The day is the request's, or each row's own in
    /// the column `as_of`. All threads of the current pool judge rows.
    ///
    /// The result of a row is that of [`ReadyPlan::decide`], which also gives reasons as text, offers and prices.
    ///
    /// # Errors
    /// If a column is missing, or is not of its metric's type.
    ///
    /// ```
    /// # use lendwright::{Outcome, Request, compile, decision::ReadyPlan};
    /// use polars::prelude::df;
    ///
    /// # let rules = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
    /// #     [metric]\nincome = \"SUM(credit)\"\n\
    /// #     [[require]]\nid = \"INCOME\"\nwhen = \"income >= 50000\"\nunknown = \"refer\"\nreason = \"too little\"\n\
    /// #     [[offer]]\nid = \"o\"\ntenure = 30\namount = \"income / 2\"\ninterest = 5\n\
    /// #     [table.grade]\nhit = \"first\"\ninputs = [\"income\"]\n\
    /// #     outputs = { grade = \"text\" }\nrows = [[\">= 100000\", \"A\"], [\"-\", \"B\"]]\n";
    /// let policy = compile("rules.toml", rules, &mut |_| Err("none".into()), &[])?;
    /// let plan = ReadyPlan::new(&policy, &["income"])?;
    /// let metrics = df!("income" => [Some(20_000_000_i64), Some(1_000), None])?;
    /// let judged = plan.judge(&metrics, &Request::on("2026-06-30".parse()?))?;
    /// assert_eq!(judged.outcomes, [Outcome::Offer, Outcome::Decline, Outcome::Refer]);
    /// assert_eq!(judged.decided_by(1), Some("INCOME"));
    /// assert_eq!(judged.values.column("grade")?.str()?.get(0), Some("A"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn judge(&self, metrics: &DataFrame, request: &Request) -> Result<Judged, Error> {
        let columns = self.plan_columns(metrics, request)?;
        let rows = columns.height();
        let inputs = request.given_to(self.policy);
        let heads = vec![Head::without_records(None, ""); rows.min(ROWS)];
        let chunks: Vec<Result<JudgedChunk, Error>> = (0..rows.div_ceil(ROWS).max(1))
            .into_par_iter()
            .map(|index| {
                let chunk = columns.slice((index * ROWS) as i64, ROWS);
                self.judge_chunk(&chunk, &heads[..chunk.height()], request, &inputs)
            })
            .collect();
        let (mut outcomes, mut decided_by) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        let mut values: Vec<Column> = Vec::new();
        for chunk in chunks {
            // The error of the first chunk, whichever thread was faster.
            let chunk = chunk?;
            outcomes.extend(chunk.outcomes);
            decided_by.extend(chunk.decided_by);
            if values.is_empty() {
                values = chunk.values;
                continue;
            }
            for (value, more) in values.iter_mut().zip(chunk.values) {
                value.append_owned(more).map_err(crate::engine::metrics::Error::from)?;
            }
        }
        let values = values.iter().map(Column::rechunk).collect();
        let values = DataFrame::new(rows, values).map_err(crate::engine::metrics::Error::from)?;
        Ok(Judged { outcomes, values, decided_by, reasons: list_deciding_reasons(&self.policy.program) })
    }

    /// The columns that the plan needs, each in one chunk.
    fn plan_columns(&self, metrics: &DataFrame, request: &Request) -> Result<DataFrame, Error> {
        let mut columns = Vec::with_capacity(self.given.len() + 1);
        for (name, _) in self.given.iter() {
            let Ok(column) = metrics.column(name) else {
                return Ok(wrong_metric(name, "the frame has no column of this name")?);
            };
            columns.push(column.rechunk());
        }
        if request.as_of.is_none() {
            columns.extend(metrics.column(AS_OF).ok().map(Column::rechunk));
        }
        Ok(DataFrame::new(metrics.height(), columns).map_err(crate::engine::metrics::Error::from)?)
    }

    fn judge_chunk(
        &self,
        chunk: &DataFrame,
        heads: &[Head],
        request: &Request,
        inputs: &Inputs,
    ) -> Result<JudgedChunk, Error> {
        let program = &self.policy.program;
        let slice = StatementSlice {
            as_of: read_decision_days(chunk, request)?,
            ..StatementSlice::without_records(heads, None)
        };
        let groups = Groups::new(program, &slice);
        let mut given = Vec::with_capacity(self.given.len());
        for ((name, ty), column) in self.given.iter().zip(chunk.columns()) {
            match polars_convert::from_series(column, *ty, &|text| parse_typed_text(*ty, text)) {
                Some(column) => given.push(CowColumn::Owned(column)),
                None => return Ok(wrong_metric(name, format!("its column does not hold {}", ty.unit.word()))?),
            }
        }
        let evaluated = evaluate_columns(&groups, &self.plan, given, &inputs.values)?;
        // The digest only goes into ids of offers, which are not returned.
        let digest = Digest::compute(&[]);
        let case = |statement| StatementCase {
            policy: self.policy,
            arm: None,
            slice: &slice,
            evaluated: &evaluated,
            request,
            inputs,
            plan: Some(&self.plan),
            statement,
            digest,
        };
        let (outcomes, decided_by) = judge_row_outcomes(self.policy, heads.len(), &evaluated, case)?;
        let score = program.score.iter().map(|score| ("score", score.node));
        let outputs = program.tables.iter().flat_map(|table| &table.outputs);
        let mut values = Vec::new();
        for (name, node) in score.chain(outputs.map(|output| (output.name.as_str(), output.node))) {
            let Some(column) = evaluated.column(node) else {
                return Err(crate::engine::metrics::Error::Internal("a table's value was not computed").into());
            };
            let series = polars_convert::to_series(name, self.policy.type_of(node), column, heads.len());
            values.push(series.map_err(crate::engine::metrics::Error::from)?);
        }
        Ok(JudgedChunk { outcomes, decided_by, values })
    }
}

const AS_OF: &str = "as_of";

/// The day of each row.
fn read_decision_days(chunk: &DataFrame, request: &Request) -> Result<Vec<Option<Day>>, Error> {
    let column = chunk.column(AS_OF).ok().filter(|_| request.as_of.is_none());
    let Some(column) = column.filter(|column| *column.dtype() != DataType::Null) else {
        return Ok(vec![request.as_of; chunk.height()]);
    };
    if *column.dtype() != DataType::Date {
        return Ok(wrong_metric(AS_OF, "its column does not hold dates")?);
    }
    let days = column.to_physical_repr();
    let days = days.i32().map_err(crate::engine::metrics::Error::from)?;
    // An invalid day must not count as a missing day, which every policy's dates admit.
    let checked = |day: i32| match Day::checked_from_days(day) {
        Some(day) => Ok(Some(day)),
        None => Ok(wrong_metric(AS_OF, "it has a day outside the supported years")?),
    };
    days.iter().map(|day| day.map_or(Ok(None), checked)).collect()
}

/// Parses the text of a value that is not text.
pub(super) fn parse_typed_text(ty: Type, text: &str) -> Option<Value> {
    match ty.repr {
        Repr::List => typed(ty, &serde_json::from_str(text).ok()?),
        _ => typed(ty, &text.into()),
    }
}

/// Everything that can decide: the requirements, then the other reasons.
fn list_deciding_reasons(program: &Program) -> Vec<String> {
    let no_offer = [NoOffer::InputUnknown, NoOffer::NoneFits].map(|why| why.id_and_effect().0);
    let others = ["POLICY_DATES", "INPUT_MISSING"].into_iter().chain(no_offer);
    program.requirements.iter().map(|requirement| requirement.id.clone()).chain(others.map(str::to_owned)).collect()
}

/// The outcome of each row, and the reason that decided.
fn judge_row_outcomes<'c, 'a: 'c>(
    policy: &Policy,
    rows: usize,
    evaluated: &Evaluated,
    case: impl Fn(usize) -> StatementCase<'c, 'a>,
) -> Result<(Vec<Outcome>, Vec<u32>), Error> {
    let requirements = &policy.program.requirements;
    let (mut worst, mut by) = (vec![Effect::Pass; rows], vec![OFFERED; rows]);
    for (number, requirement) in requirements.iter().enumerate() {
        let Some(column) = evaluated.column(requirement.when) else {
            // Skipping it would count as met.
            return Err(crate::engine::metrics::Error::Internal("a requirement was not computed").into());
        };
        for row in column.holds(rows).not().ones(0..rows) {
            let effect = if column.is_known(row) { requirement.otherwise } else { requirement.unknown };
            if effect > worst[row] {
                (worst[row], by[row]) = (effect, number as u32);
            }
        }
    }
    // Rows differ only in their days.
    let has_dates = policy.header.valid_from.is_some() || policy.header.valid_to.is_some();
    let has_dates = has_dates || policy.header.requires_as_of;
    let is_asked = has_dates || (rows > 0 && !case(0).cannot_decide().is_empty());
    for row in 0..rows {
        let missing = if is_asked { case(row).cannot_decide().pop() } else { None };
        if let Some(missing) = missing {
            let other = if missing.id == "POLICY_DATES" { POLICY_DATES } else { INPUT_MISSING };
            (worst[row], by[row]) = (missing.effect, (requirements.len() + other) as u32);
        } else if worst[row] == Effect::Pass
            && let Err(why) = case(row).is_offered()
        {
            (worst[row], by[row]) = (why.id_and_effect().1, (requirements.len() + NO_OFFER + why as usize) as u32);
        }
    }
    Ok((worst.into_iter().map(outcome_for).collect(), by))
}
