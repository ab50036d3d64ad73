//! Judges every statement of a cache by a policy: outcomes, reasons, the score, rows of tables, the greatest offer.
//! Only what the cache does not have is computed. Counts nothing.

use std::collections::HashSet;
use std::num::NonZeroI64;
use std::sync::{Arc, LazyLock};

use polars::prelude::{Column as Series, PolarsResult};
use rayon::prelude::*;

use super::offers::Offered;
use super::plan::{Keyed, Steps};
use super::{CacheError, Chunks, KeptJudgement, MetricsCache, ROWS};
use crate::base::date::Day;
use crate::engine::decision::case::NoOffer;
use crate::engine::decision::error::Error;
use crate::engine::decision::request::{Inputs, Request};
use crate::engine::metrics::{
    Bits, CowColumn, Evaluated, Groups, StatementSlice, ValueColumn, evaluate_columns, polars_convert,
};
use crate::rules::graph::NodeId;
use crate::rules::node_keys::NodeKey;
use crate::rules::{Effect, Input, Policy, Unit};
use crate::statement::Head;

/// How many judgements are kept: those of a champion, and of the latest challengers.
const JUDGEMENTS_KEPT: usize = 4;

/// What a policy decides on every statement of a cache.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The statements with each outcome: offer, refer, decline.
    pub(crate) outcomes: [Bits; 3],
    /// The greatest amount offered, in minor units.
    pub amounts: Arc<Vec<Option<NonZeroI64>>>,
    /// The tenure of that offer; 0 without one.
    pub tenures: Arc<Vec<u32>>,
    /// Reasons for no offer, in the policy's order; those that are no requirements last.
    pub reasons: Arc<Vec<ReasonBits>>,
    /// The score, if the policy has one.
    pub score: Option<NodeKey>,
    /// For each item of the score its input and its points.
    pub items: Vec<NodeKey>,
    /// For each table the row that hit.
    pub hits: Vec<NodeKey>,
    /// The metrics that the policy judges by.
    pub metrics: Vec<(String, NodeKey)>,
}

/// The statements with one reason.
#[derive(Clone, Debug)]
pub struct ReasonBits {
    /// The requirement's id, or that of another reason.
    pub id: String,
    /// The requirement's title.
    pub title: Option<String>,
    /// The statements that have it.
    pub(crate) rows: Bits,
    /// Of those, the ones whose condition is unknown.
    pub(crate) unknown: Bits,
}

/// What a chunk's requirements say, before offers.
struct Requirements {
    declined: Bits,
    referred: Bits,
    /// For each requirement the rows with the reason, and those of them whose condition is unknown.
    reasons: Vec<(Bits, Bits)>,
}

impl MetricsCache {
    /// Judges every statement by a policy. The result is that of deciding each statement with the same metrics.
    ///
    /// # Errors
    /// If the policy needs values that only records can give, or the source fails.
    pub fn judge(&mut self, policy: &Policy, request: &Request) -> Result<Arc<Judgement>, CacheError> {
        let key = NodeKey::combined(&format!("{} {} {request:?}", policy.digest, policy.parameters_digest), []);
        let kept = match self.judgements.iter().position(|kept| kept.key == key) {
            Some(at) => self.judgements.remove(at),
            None => {
                let (judgement, columns) = self.judge_anew(policy, request)?;
                KeptJudgement { key, judgement: Arc::new(judgement), columns }
            }
        };
        let judgement = kept.judgement.clone();
        self.judgements.push(kept);
        self.forget();
        Ok(judgement)
    }

    /// Forgets old judgements that nobody holds, and what was computed for them alone. A sweep over a thousand policies
    /// must not keep the columns of them all.
    fn forget(&mut self) {
        while self.judgements.len() > JUDGEMENTS_KEPT
            && let Some(at) = self.judgements.iter().position(|kept| Arc::strong_count(&kept.judgement) == 1)
        {
            self.judgements.remove(at);
        }
        let needed: HashSet<&NodeKey> = self.judgements.iter().flat_map(|kept| &kept.columns).collect();
        let is_stored = |key: &NodeKey| self.own_inputs.columns.contains_key(key) || self.source.has(*key);
        self.columns.retain(|key, _| needed.contains(key) || is_stored(key));
    }

    fn judge_anew(&mut self, policy: &Policy, request: &Request) -> Result<(Judgement, Vec<NodeKey>), CacheError> {
        let inputs = request.given_to(policy);
        let keyed = Keyed::new(policy, &inputs.values, self);
        let program = &policy.program;
        let roots = list_kept_nodes(policy);
        self.compute(&keyed, &roots, &inputs)?;
        let required: Vec<Requirements> = self
            .ranges()
            .enumerate()
            .map(|(chunk, rows)| self.requirements(&keyed, chunk, rows.len()))
            .collect::<Result<_, Error>>()?;
        let cannot = self.cannot_decide(&keyed, &inputs)?;
        let passing: Vec<Bits> = required
            .iter()
            .zip(&cannot)
            .map(|(chunk, cannot)| chunk.declined.or(&chunk.referred).or(&cannot.any()).not())
            .collect();
        let offered = self.offers(&keyed, &passing, &inputs)?;
        let mut judgement = assemble_judgement(policy, &required, &cannot, &passing, &offered);
        judgement.score = program.score.as_ref().map(|score| keyed.key(score.node));
        judgement.items = program.score_items.iter().map(|item| keyed.key(item.node)).collect();
        judgement.hits = program.tables.iter().map(|table| keyed.key(table.node)).collect();
        let named = |name: &str| program.metrics.iter().find(|metric| metric.name == name);
        let metrics = program.judged_by().into_iter().filter_map(named);
        judgement.metrics = metrics.map(|metric| (metric.name.clone(), keyed.key(metric.node))).collect();
        Ok((judgement, roots.into_iter().map(|root| keyed.key(root)).collect()))
    }

    /// Named values of a policy for every statement, as columns: metrics, the score, outputs of tables. `None` where
    /// the policy has no such value.
    ///
    /// # Errors
    /// As [`MetricsCache::judge`].
    pub fn series(
        &mut self,
        policy: &Policy,
        request: &Request,
        names: &[&str],
    ) -> Result<Vec<Option<Series>>, CacheError> {
        let nodes: Vec<Option<NodeId>> = names.iter().map(|name| find_named_node(policy, name)).collect();
        let roots: Vec<NodeId> = nodes.iter().copied().flatten().collect();
        let inputs = request.given_to(policy);
        let keyed = Keyed::new(policy, &inputs.values, self);
        self.compute(&keyed, &roots, &inputs)?;
        let series = |(name, node): (&&str, Option<NodeId>)| {
            let Some(node) = node else { return Ok(None) };
            let chunks = self.columns.get(&keyed.key(node)).map(Vec::as_slice).unwrap_or_default();
            let mut whole: Option<Series> = None;
            for (chunk, column) in chunks.iter().enumerate() {
                let rows = ROWS.min(self.days.len() - chunk * ROWS);
                let part = polars_convert::to_series(name, policy.type_of(node), column, rows)?;
                match &mut whole {
                    None => whole = Some(part),
                    Some(whole) => {
                        whole.append_owned(part)?;
                    }
                }
            }
            Ok(whole)
        };
        let all: PolarsResult<_> = names.iter().zip(nodes).map(series).collect();
        all.map_err(|error| CacheError::Engine(crate::engine::metrics::Error::from(error).into()))
    }

    /// Computes the roots that the cache does not have, and keeps them.
    pub(super) fn compute(&mut self, keyed: &Keyed, roots: &[NodeId], inputs: &Inputs) -> Result<(), CacheError> {
        let mut new: Vec<NodeId> = roots.to_vec();
        new.sort_unstable();
        new.dedup();
        let is_missing = |cache: &Self, node: &NodeId| !cache.columns.contains_key(&keyed.key(*node));
        // A plan of every root would copy the columns of those that are here already.
        new.retain(|node| is_missing(self, node));
        let mut steps = keyed.steps(&new, self)?;
        // Planning loads what the source has; those roots need no computing.
        let planned = new.len();
        new.retain(|node| is_missing(self, node));
        if new.is_empty() {
            return Ok(());
        }
        if new.len() < planned {
            steps = keyed.steps(&new, self)?;
        }
        let computed: Vec<Vec<Arc<ValueColumn<'static>>>> = self
            .ranges()
            .enumerate()
            .map(|(chunk, rows)| {
                let given = steps.given.iter().map(|key| CowColumn::Borrowed(&self.columns[key][chunk])).collect();
                let days = self.days[rows].to_vec();
                self.evaluate((keyed.policy, &steps, inputs), days, given, |evaluated, _| {
                    let column = |node: NodeId| {
                        let missing =
                            crate::engine::metrics::Error::Internal("a value of a judgement was not computed");
                        let column = evaluated.column(node).ok_or(missing)?;
                        Ok(Arc::new(column.clone().into_owned()))
                    };
                    new.iter().map(|node| column(*node)).collect::<Result<Vec<_>, crate::engine::metrics::Error>>()
                })
            })
            .collect::<Result<_, Error>>()?;
        let mut columns: Vec<Chunks> = new.iter().map(|_| Vec::with_capacity(computed.len())).collect();
        for chunk in computed {
            columns.iter_mut().zip(chunk).for_each(|(column, part)| column.push(part));
        }
        self.columns.extend(new.into_iter().map(|node| keyed.key(node)).zip(columns));
        Ok(())
    }

    /// Evaluates a plan for statements on these days; `given` are the values that it takes, in its order.
    pub(super) fn evaluate<T>(
        &self,
        (policy, steps, inputs): (&Policy, &Steps, &Inputs),
        days: Vec<Option<Day>>,
        given: Vec<CowColumn>,
        work: impl FnOnce(&Evaluated, &StatementSlice) -> Result<T, crate::engine::metrics::Error>,
    ) -> Result<T, Error> {
        // There may be more rows than statements: those of one statement, changed.
        static HEADS: LazyLock<Vec<Head>> = LazyLock::new(|| vec![Head::without_records(None, ""); ROWS]);
        let slice = StatementSlice::without_records(&HEADS[..days.len()], None);
        let slice = StatementSlice { as_of: days, is_last_day: !self.days_are_given, ..slice };
        let groups = Groups::new(&policy.program, &slice);
        let evaluated = evaluate_columns(&groups, &steps.plan, given, &inputs.values)?;
        Ok(work(&evaluated, &slice)?)
    }

    /// What the requirements of a chunk say.
    fn requirements(&self, keyed: &Keyed, chunk: usize, rows: usize) -> Result<Requirements, Error> {
        let none = || Bits::all(rows, false);
        let mut found = Requirements { declined: none(), referred: none(), reasons: Vec::new() };
        for requirement in &keyed.policy.program.requirements {
            let columns = self.columns.get(&keyed.key(requirement.when));
            let Some(column) = columns.and_then(|chunks| chunks.get(chunk)) else {
                // Skipping it would count as met.
                return Err(crate::engine::metrics::Error::Internal("a requirement was not computed").into());
            };
            let unmet = column.holds(rows).not();
            let known = match &column.valid {
                None => Bits::all(rows, true),
                Some(valid) => valid.spread(rows).into_owned(),
            };
            let (failed, unknown) = (unmet.and(&known), unmet.without(&known));
            let mut reason = none();
            for (rows, effect) in [(&failed, requirement.otherwise), (&unknown, requirement.unknown)] {
                match effect {
                    Effect::Pass => continue,
                    Effect::Refer => found.referred = found.referred.or(rows),
                    Effect::Decline => found.declined = found.declined.or(rows),
                }
                reason = reason.or(rows);
            }
            let unknown = unknown.and(&reason);
            found.reasons.push((reason, unknown));
        }
        Ok(found)
    }

    /// The rows of each chunk on which nothing can be decided, whatever the requirements say.
    fn cannot_decide(&mut self, keyed: &Keyed, inputs: &Inputs) -> Result<Vec<Cannot>, CacheError> {
        let header = &keyed.policy.header;
        let own: Vec<_> = keyed.inputs_by_customer().into_iter().filter(|(input, _)| input.required).collect();
        self.load(&own.iter().map(|(input, key)| (*key, input.ty)).collect::<Vec<_>>())?;
        let mut shared = keyed.policy.inputs().iter().filter(|input| input.required).map(Input::path);
        let lacks_input = shared.any(|path| !keyed.is_by_customer(&path) && !inputs.values.contains_key(&path));
        let asks_day = header.requires_as_of && !self.days_are_given;
        let is_out = |day: &Option<Day>| {
            day.is_some_and(|day| {
                header.valid_from.is_some_and(|from| day < from) || header.valid_to.is_some_and(|to| day > to)
            })
        };
        let cannot = |(chunk, rows): (usize, std::ops::Range<usize>)| {
            let days = &self.days[rows];
            let dates = Bits::from_fn(days.len(), |row| is_out(&days[row]));
            let no_day = |row: usize| header.requires_as_of && days[row].is_none();
            let lacks_own = |row: usize| own.iter().any(|(_, key)| !self.columns[key][chunk].is_known(row));
            let input = Bits::from_fn(days.len(), |row| lacks_input || asks_day || no_day(row) || lacks_own(row));
            Cannot { input: input.without(&dates), dates }
        };
        Ok(self.ranges().enumerate().map(cannot).collect())
    }
}

/// Rows on which nothing can be decided.
struct Cannot {
    /// The policy is not in force on their day.
    dates: Bits,
    /// Something required was not given.
    input: Bits,
}

impl Cannot {
    fn any(&self) -> Bits {
        self.dates.or(&self.input)
    }
}

/// The value of this name.
fn find_named_node(policy: &Policy, name: &str) -> Option<NodeId> {
    let program = &policy.program;
    let metric = program.metrics.iter().find(|metric| metric.name == name).map(|metric| metric.node);
    let score = program.score.as_ref().filter(|_| name == "score").map(|score| score.node);
    let outputs = program.tables.iter().flat_map(|table| &table.outputs);
    metric.or(score).or(outputs.into_iter().find(|output| output.name == name).map(|output| output.node))
}

/// How many minor units make one of the unit that rule files write a value in: 100 for money in cents, 1 for anything
/// but money.
pub(crate) fn minor_units_of_value(policy: &Policy, name: &str) -> f64 {
    let is_money = find_named_node(policy, name).is_some_and(|node| policy.type_of(node).unit == Unit::Money);
    if is_money { 10_f64.powi(policy.header().currency.exponent() as i32) } else { 1.0 }
}

/// The values that are kept for later policies, besides those of offers.
fn list_kept_nodes(policy: &Policy) -> Vec<NodeId> {
    let program = &policy.program;
    let mut roots: Vec<NodeId> = program.requirements.iter().map(|requirement| requirement.when).collect();
    roots.extend(program.score_items.iter().map(|item| item.node));
    roots.extend(program.score.iter().map(|score| score.node));
    roots.extend(program.tables.iter().map(|table| table.node));
    roots.extend(program.tables.iter().flat_map(|table| &table.outputs).map(|output| output.node));
    let judged_by: HashSet<&str> = program.judged_by().into_iter().collect();
    let judged = program.metrics.iter().filter(|metric| judged_by.contains(metric.name.as_str()));
    roots.extend(judged.map(|metric| metric.node));
    roots
}

/// The decisions of a chunk.
struct ChunkDecisions {
    outcomes: [Bits; 3],
    /// Passing rows without an offer: because none fits, and because an input is unknown.
    without: [Bits; 2],
}

const WITHOUT: [NoOffer; 2] = [NoOffer::NoneFits, NoOffer::InputUnknown];

fn assemble_judgement(
    policy: &Policy,
    required: &[Requirements],
    cannot: &[Cannot],
    passing: &[Bits],
    offered: &[Vec<Offered>],
) -> Judgement {
    let rows = passing.iter().map(Bits::len).sum();
    let (mut amounts, mut tenures) = (vec![None; rows], vec![0; rows]);
    let parts: Vec<ChunkDecisions> = amounts
        .par_chunks_mut(ROWS)
        .zip(tenures.par_chunks_mut(ROWS))
        .enumerate()
        .map(|(chunk, (amounts, tenures))| {
            let (required, cannot) = (&required[chunk], cannot[chunk].any());
            let mut part = ChunkDecisions {
                outcomes: [
                    Bits::all(amounts.len(), false),
                    required.referred.without(&required.declined).or(&cannot),
                    required.declined.without(&cannot),
                ],
                without: [Bits::all(amounts.len(), false), Bits::all(amounts.len(), false)],
            };
            let rows = passing[chunk].ones(0..amounts.len());
            for (row, offered) in rows.zip(&offered[chunk]) {
                match offered {
                    Offered::Made(amount, tenure) => {
                        (amounts[row], tenures[row]) = (Some(*amount), *tenure);
                        part.outcomes[0].set(row);
                    }
                    Offered::Not(why) => {
                        let at = usize::from(*why == NoOffer::InputUnknown);
                        part.without[at].set(row);
                        let outcome = crate::engine::decision::case::outcome_for(why.id_and_effect().1);
                        part.outcomes[outcome as usize].set(row);
                    }
                }
            }
            part
        })
        .collect();
    let mut reasons = collect_reason_bits(policy, required, cannot);
    for (at, why) in WITHOUT.iter().enumerate() {
        let rows = whole(parts.iter().map(|part| part.without[at].clone()));
        let unknown = Bits::all(rows.len(), false);
        reasons.push(ReasonBits { id: why.id_and_effect().0.to_owned(), title: None, rows, unknown });
    }
    Judgement {
        outcomes: [0, 1, 2].map(|at| whole(parts.iter().map(|part| part.outcomes[at].clone()))),
        amounts: amounts.into(),
        tenures: tenures.into(),
        reasons: reasons.into(),
        score: None,
        items: Vec::new(),
        hits: Vec::new(),
        metrics: Vec::new(),
    }
}

/// The bits of all chunks.
fn whole(parts: impl Iterator<Item = Bits>) -> Bits {
    let mut all = Bits::all(0, false);
    parts.for_each(|part| all.append(part));
    all
}

/// The reasons of requirements, and of rows on which nothing can be decided.
fn collect_reason_bits(policy: &Policy, required: &[Requirements], cannot: &[Cannot]) -> Vec<ReasonBits> {
    let of_requirement = |number: usize| {
        let mut rows =
            required.iter().zip(cannot).map(|(chunk, cannot)| chunk.reasons[number].0.without(&cannot.any()));
        let rows = whole(&mut rows);
        let mut unknown =
            required.iter().zip(cannot).map(|(chunk, cannot)| chunk.reasons[number].1.without(&cannot.any()));
        (rows, whole(&mut unknown))
    };
    let mut reasons = Vec::new();
    for (number, requirement) in policy.program.requirements.iter().enumerate() {
        let (rows, unknown) = of_requirement(number);
        reasons.push(ReasonBits { id: requirement.id.clone(), title: requirement.title.clone(), rows, unknown });
    }
    let dates = whole(cannot.iter().map(|cannot| cannot.dates.clone()));
    let input = whole(cannot.iter().map(|cannot| cannot.input.clone()));
    for (id, rows) in [("POLICY_DATES", dates), ("INPUT_MISSING", input)] {
        let unknown = Bits::all(rows.len(), false);
        reasons.push(ReasonBits { id: id.to_owned(), title: None, rows, unknown });
    }
    reasons
}
