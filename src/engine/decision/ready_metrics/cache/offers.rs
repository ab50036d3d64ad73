//! The greatest offer of each statement that meets every requirement. A rule's offer is worked out once for a
//! statement, as long as nothing changes that it follows from. Knows no requirement.

use std::collections::HashMap;
use std::num::NonZeroI64;

use rayon::prelude::*;

use super::columns_equal::equal_rows;
use super::plan::Keyed;
use super::{CacheError, Chunks, MetricsCache};
use crate::base::rational::Rounding;
use crate::engine::decision::case::NoOffer;
use crate::engine::decision::error::Error;
use crate::engine::decision::offers::{if_priced, price_offer_terms};
use crate::engine::decision::request::Inputs;
use crate::engine::metrics::{Bits, CowColumn, Evaluated, RowIndices, StatementSlice, gather_rows};
use crate::rules::Policy;
use crate::rules::graph::{NodeId, Op};
use crate::rules::node_keys::{InputValues, NodeKey, key_of, node_keys_cut};
use crate::rules::program::{OfferRule, Value};

/// How many rules' offers are kept: those of a champion, a challenger, and some before.
const KEPT: usize = 24;

/// The best offer of a statement, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offered {
    /// The amount in minor units, and the tenure.
    Made(NonZeroI64, u32),
    /// None.
    Not(NoOffer),
}

/// What a rule offers a statement: an amount in minor units, or one of the constants below. Eight bytes, because there
/// is one for each customer and rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RuleResult(i64);

impl RuleResult {
    /// Nobody asked yet.
    const NOT_ASKED: RuleResult = RuleResult(i64::MIN);
    /// Nobody knows: an input is unknown.
    const UNKNOWN: RuleResult = RuleResult(-1);
    /// Nothing: its condition is not met, or nothing can be lent.
    const NOT_MADE: RuleResult = RuleResult(0);

    /// The amount offered.
    fn made(self) -> Option<NonZeroI64> {
        NonZeroI64::new(self.0).filter(|amount| amount.get() > 0)
    }
}

/// The offers of one rule, for the statements that some policy with this rule let pass.
pub(super) struct RuleOffers {
    /// Of everything that they follow from.
    key: NodeKey,
    /// Of the formula alone, whatever the score and the tables say.
    shape: NodeKey,
    /// What the score and the tables said.
    cuts: Vec<NodeKey>,
    /// By chunk and row.
    made: Vec<Vec<RuleResult>>,
}

/// For two columns the rows of each chunk that have equal values: several rules ask about the same two.
type SameRows = HashMap<(NodeKey, NodeKey), Vec<Bits>>;

/// A rule of a policy with its keys.
struct Rule<'p> {
    rule: &'p OfferRule,
    nodes: Vec<NodeId>,
    key: NodeKey,
    shape: NodeKey,
    cuts: Vec<NodeKey>,
}

impl MetricsCache {
    /// The best offer of each passing row, chunk by chunk, in order.
    pub(super) fn offers(
        &mut self,
        keyed: &Keyed,
        passing: &[Bits],
        inputs: &Inputs,
    ) -> Result<Vec<Vec<Offered>>, CacheError> {
        let rules = list_keyed_rules(keyed, inputs);
        let mut same = SameRows::new();
        let mut memos: Vec<RuleOffers> = rules.iter().map(|rule| self.take_offers(rule, passing, &mut same)).collect();
        let asked: Vec<Vec<Vec<u32>>> = memos.iter().map(|memo| not_asked(memo, passing)).collect();
        let mut done = vec![false; rules.len()];
        for at in 0..rules.len() {
            if done[at] || asked[at].iter().all(Vec::is_empty) {
                continue;
            }
            // Rules with the same rows to work out share what they have in common.
            let group: Vec<usize> = (at..rules.len()).filter(|other| asked[*other] == asked[at]).collect();
            group.iter().for_each(|member| done[*member] = true);
            self.make_offers((keyed, inputs), (&rules, &group), &asked[at], &mut memos)?;
        }
        let tenures = self.asked_tenures(keyed, inputs)?;
        let offered = (0..passing.len()).into_par_iter().map(|chunk| {
            let rows = &passing[chunk];
            let asked = tenures.as_ref().and_then(|tenures| tenures.get(chunk));
            let best = |row: usize| {
                let asked = asked.and_then(|column| whole_tenure(column.value(row).ok()?));
                choose_greatest_offer(&rules, &memos, chunk, row, asked)
            };
            rows.ones(0..rows.len()).map(best).collect()
        });
        let offered = offered.collect();
        self.offers.extend(memos);
        let surplus = self.offers.len().saturating_sub(KEPT);
        self.offers.drain(..surplus);
        Ok(offered)
    }

    /// What is known of a rule's offers: all of it, or where the score and the tables say the same as before.
    fn take_offers(&mut self, rule: &Rule, passing: &[Bits], same: &mut SameRows) -> RuleOffers {
        if let Some(at) = self.offers.iter().position(|offers| offers.key == rule.key) {
            return self.offers.remove(at);
        }
        let similar = self.offers.iter().rev().find(|offers| {
            offers.shape == rule.shape
                && offers.cuts.iter().zip(&rule.cuts).all(|(before, now)| {
                    before == now || (self.columns.contains_key(before) && self.columns.contains_key(now))
                })
        });
        let made = match similar {
            None => passing.iter().map(|rows| vec![RuleResult::NOT_ASKED; rows.len()]).collect(),
            Some(before) => {
                let changed: Vec<(NodeKey, NodeKey)> = before
                    .cuts
                    .iter()
                    .copied()
                    .zip(rule.cuts.iter().copied())
                    .filter(|(before, now)| before != now)
                    .collect();
                for pair in &changed {
                    same.entry(*pair).or_insert_with(|| self.same_rows(*pair));
                }
                let kept = |(chunk, made): (usize, &Vec<RuleResult>)| {
                    let all = Bits::all(made.len(), true);
                    let same = changed.iter().fold(all, |all, pair| all.and(&same[pair][chunk]));
                    let same = same.reader();
                    let keep =
                        |(row, made): (usize, &RuleResult)| if same(row) { *made } else { RuleResult::NOT_ASKED };
                    made.iter().enumerate().map(keep).collect()
                };
                before.made.par_iter().enumerate().map(kept).collect()
            }
        };
        RuleOffers { key: rule.key, shape: rule.shape, cuts: rule.cuts.clone(), made }
    }

    /// The rows of each chunk that have equal values in both columns.
    fn same_rows(&self, (before, now): (NodeKey, NodeKey)) -> Vec<Bits> {
        let (before, now) = (&self.columns[&before], &self.columns[&now]);
        let same = |(chunk, rows): (usize, std::ops::Range<usize>)| equal_rows(&before[chunk], &now[chunk], rows.len());
        self.ranges().enumerate().map(same).collect()
    }

    /// Works out the offers of some rules for some rows of each chunk.
    fn make_offers(
        &mut self,
        (keyed, inputs): (&Keyed, &Inputs),
        (rules, group): (&[Rule], &[usize]),
        asked: &[Vec<u32>],
        memos: &mut [RuleOffers],
    ) -> Result<(), CacheError> {
        let roots: Vec<NodeId> = group.iter().flat_map(|at| &rules[*at].nodes).copied().collect();
        let steps = keyed.steps(&roots, self)?;
        let cache = &*self;
        let starts: Vec<usize> = cache.ranges().map(|rows| rows.start).collect();
        let made: Vec<Vec<Vec<RuleResult>>> = asked
            .par_iter()
            .enumerate()
            .map(|(chunk, rows)| {
                if rows.is_empty() {
                    return Ok(vec![Vec::new(); group.len()]);
                }
                let days = rows.iter().map(|row| cache.days[starts[chunk] + *row as usize]).collect();
                let indices = RowIndices::new(rows.clone());
                let given =
                    steps.given.iter().map(|key| CowColumn::Owned(gather_rows(&cache.columns[key][chunk], &indices)));
                cache.evaluate((keyed.policy, &steps, inputs), days, given.collect(), |evaluated, slice| {
                    let of_rule = |at: &usize| -> Vec<RuleResult> {
                        (0..rows.len())
                            .map(|row| compute_rule_offer(keyed.policy, rules[*at].rule, evaluated, slice, row))
                            .collect()
                    };
                    Ok(group.iter().map(of_rule).collect())
                })
            })
            .collect::<Result<_, Error>>()?;
        for (chunk, made) in made.into_iter().enumerate() {
            for (at, made) in group.iter().zip(made) {
                let memo = &mut memos[*at].made[chunk];
                asked[chunk].iter().zip(made).for_each(|(row, made)| memo[*row as usize] = made);
            }
        }
        Ok(())
    }

    /// The tenure that each statement's request asks for, if the policy knows of such a thing.
    fn asked_tenures(&mut self, keyed: &Keyed, inputs: &Inputs) -> Result<Option<Chunks>, CacheError> {
        let Some(node) = keyed.policy.program.asking.tenure else { return Ok(None) };
        self.compute(keyed, &[node], inputs)?;
        Ok(self.columns.get(&keyed.key(node)).cloned())
    }
}

/// The passing rows that nobody asked about, chunk by chunk.
fn not_asked(memo: &RuleOffers, passing: &[Bits]) -> Vec<Vec<u32>> {
    let missing = |(made, rows): (&Vec<RuleResult>, &Bits)| {
        rows.ones(0..rows.len()).filter(|row| made[*row] == RuleResult::NOT_ASKED).map(|row| row as u32).collect()
    };
    memo.made.par_iter().zip(passing).map(missing).collect()
}

/// What a rule offers one statement.
fn compute_rule_offer(
    policy: &Policy,
    rule: &OfferRule,
    evaluated: &Evaluated,
    slice: &StatementSlice,
    row: usize,
) -> RuleResult {
    match price_offer_terms(policy, rule, slice.as_of[row], &|node| evaluated.value(node, row), if_priced) {
        Ok(Ok(priced)) => RuleResult(priced.amount()),
        Ok(Err(_)) => RuleResult::NOT_MADE,
        Err(_) => RuleResult::UNKNOWN,
    }
}

/// The greatest offer of a statement, the first of equals. Where one has the requested tenure, the others are not made.
fn choose_greatest_offer(
    rules: &[Rule],
    memos: &[RuleOffers],
    chunk: usize,
    row: usize,
    asked: Option<i64>,
) -> Offered {
    let (mut best, mut best_asked) = (None::<(NonZeroI64, u32)>, None);
    let mut why = NoOffer::NoneFits;
    for (rule, memo) in rules.iter().zip(memos) {
        let result = memo.made[chunk][row];
        let Some(amount) = result.made() else {
            assert_ne!(result, RuleResult::NOT_ASKED, "INVARIANT: every passing row was asked about just now");
            if result == RuleResult::UNKNOWN {
                why = NoOffer::InputUnknown;
            }
            continue;
        };
        let tenure = rule.rule.tenure;
        let greater =
            |best: Option<(NonZeroI64, u32)>| best.filter(|(best, _)| *best >= amount).or(Some((amount, tenure)));
        best = greater(best);
        if asked == Some(i64::from(tenure)) {
            best_asked = greater(best_asked);
        }
    }
    best_asked.or(best).map_or(Offered::Not(why), |(amount, tenure)| Offered::Made(amount, tenure))
}

fn whole_tenure(value: Value) -> Option<i64> {
    crate::engine::decision::offers::round_to_minor_units(&value, Rounding::Down)
}

/// The rules of a policy with their keys.
fn list_keyed_rules<'p>(keyed: &Keyed<'p>, inputs: &Inputs) -> Vec<Rule<'p>> {
    let policy = keyed.policy;
    let program = &policy.program;
    // The score and the outputs of tables: an edit of these changes few rows, and no formula of an offer.
    let is_cut = |node: NodeId| matches!(program.graph.node(node).op, Op::Score | Op::Output(..));
    let is_by_customer = |path: &str| keyed.is_by_customer(path);
    let given = InputValues { shared: inputs.values.values(), is_by_customer: &is_by_customer };
    let shapes = node_keys_cut(policy, given, &is_cut);
    let rule = |rule: &'p OfferRule| {
        let mut nodes: Vec<NodeId> = vec![rule.amount, rule.interest, rule.instalments];
        nodes.extend(rule.when);
        nodes.extend(rule.fee);
        nodes.extend(rule.amount_steps.nodes());
        let about = format!(
            "{} {:?} {} {} {} {:?}",
            rule.tenure,
            rule.method,
            rule.valid_for_days,
            rule.when.is_some(),
            rule.fee.is_some(),
            policy.header.fee_mode
        );
        let key = NodeKey::combined(&about, nodes.iter().map(|node| keyed.key(*node)));
        let shape = NodeKey::combined(&about, nodes.iter().map(|node| key_of(&shapes, *node)));
        let cuts = find_cut_nodes(policy, &nodes, &is_cut).into_iter().map(|node| keyed.key(node)).collect();
        Rule { rule, nodes, key, shape, cuts }
    };
    program.offers.iter().map(rule).collect()
}

/// The cut nodes that some nodes follow from, in the order of the first visit.
fn find_cut_nodes(policy: &Policy, nodes: &[NodeId], is_cut: &dyn Fn(NodeId) -> bool) -> Vec<NodeId> {
    let graph = &policy.program.graph;
    let mut seen = vec![false; graph.nodes().len()];
    let mut stack: Vec<NodeId> = nodes.iter().rev().copied().collect();
    let mut cuts = Vec::new();
    while let Some(node) = stack.pop() {
        if std::mem::replace(&mut seen[node.index()], true) {
            continue;
        }
        match is_cut(node) {
            true => cuts.push(node),
            false => stack.extend(graph.node(node).inputs.iter().rev()),
        }
    }
    cuts
}
