//! The greatest offer of each statement that meets every requirement. An offer is worked out once for a statement, as
//! long as nothing changes that it follows from. Knows no requirement.

use std::num::NonZeroI64;

use rayon::prelude::*;

use super::plan::Keyed;
use super::{CacheError, MetricsCache};
use crate::decision::case::{NoOffer, StatementCase};
use crate::decision::error::Error;
use crate::decision::request::{Inputs, Request};
use crate::metrics::{Bits, Groups, RowIndices, evaluate_columns, gather};
use crate::rules::Policy;
use crate::rules::graph::NodeId;
use crate::rules::node_keys::NodeKey;
use crate::words::digest::Digest;

/// How many policies' offers are kept: a champion's, a challenger's, and two before.
const KEPT: usize = 4;

/// The best offer of a statement, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offered {
    /// The amount in minor units, and the tenure.
    Made(NonZeroI64, u32),
    /// None.
    Not(NoOffer),
}

/// The offers of one policy, for the statements that some policy with the same offers let pass.
pub(super) struct OffersMade {
    key: NodeKey,
    /// By chunk and row; `None` where nobody asked yet.
    made: Vec<Vec<Option<Offered>>>,
}

impl MetricsCache {
    /// The best offer of each passing row, chunk by chunk, in order.
    pub(super) fn offers(
        &mut self,
        keyed: &Keyed,
        passing: &[Bits],
        inputs: &Inputs,
    ) -> Result<Vec<Vec<Offered>>, CacheError> {
        let key = key(keyed);
        let mut made = match self.offers.iter().position(|offers| offers.key == key) {
            Some(at) => self.offers.remove(at),
            None => OffersMade { key, made: passing.iter().map(|rows| vec![None; rows.len()]).collect() },
        };
        let asked: Vec<Vec<u32>> = passing
            .iter()
            .zip(&made.made)
            .map(|(rows, made)| rows.ones(0..rows.len()).filter(|row| made[*row].is_none()).map(|row| row as u32))
            .map(Iterator::collect)
            .collect();
        if asked.iter().any(|rows| !rows.is_empty()) {
            self.make_offers(keyed, &asked, inputs, &mut made.made)?;
        }
        let offered = passing.iter().zip(&made.made).map(|(rows, made)| {
            let offered = |row: usize| made[row].expect("INVARIANT: every passing row was asked about just now");
            rows.ones(0..rows.len()).map(offered).collect()
        });
        let offered = offered.collect();
        if self.offers.len() >= KEPT {
            self.offers.remove(0);
        }
        self.offers.push(made);
        Ok(offered)
    }

    fn make_offers(
        &mut self,
        keyed: &Keyed,
        asked: &[Vec<u32>],
        inputs: &Inputs,
        made: &mut [Vec<Option<Offered>>],
    ) -> Result<(), CacheError> {
        let steps = keyed.steps(&nodes(keyed.policy), self)?;
        let cache = &*self;
        let starts: Vec<usize> = cache.ranges().map(|rows| rows.start).collect();
        made.par_iter_mut().zip(asked).zip(&starts).enumerate().try_for_each(|(chunk, ((made, rows), start))| {
            if rows.is_empty() {
                return Ok(());
            }
            let days = rows.iter().map(|row| cache.days[start + *row as usize]).collect();
            let slice = cache.slice(days);
            let groups = Groups::new(&keyed.policy.program, &slice);
            let indices = RowIndices::new(rows.clone());
            let given = steps.given.iter().map(|key| {
                let column = &cache.columns[key][chunk];
                if column.len() == 1 { (**column).clone() } else { gather(column, &indices) }
            });
            let evaluated = evaluate_columns(&groups, &steps.plan, given.collect(), &inputs.values)?;
            let request = Request::default();
            // The digest only goes into ids of offers, which are not made here.
            let digest = Digest::compute(&[]);
            for (statement, row) in rows.iter().enumerate() {
                let case = StatementCase {
                    policy: keyed.policy,
                    arm: None,
                    slice: &slice,
                    evaluated: &evaluated,
                    request: &request,
                    inputs,
                    plan: Some(&steps.plan),
                    statement,
                    digest,
                };
                made[*row as usize] = Some(match case.greatest_offer() {
                    Ok((amount, tenure)) => Offered::Made(amount, tenure),
                    Err(why) => Offered::Not(why),
                });
            }
            Ok::<(), Error>(())
        })?;
        Ok(())
    }
}

/// The values that offers follow from.
fn nodes(policy: &Policy) -> Vec<NodeId> {
    let program = &policy.program;
    let mut nodes = Vec::new();
    for offer in &program.offers {
        nodes.extend(offer.when);
        nodes.extend([offer.amount, offer.interest, offer.instalments]);
        nodes.extend(offer.fee);
        nodes.extend(offer.amount_steps.nodes());
    }
    nodes.extend(program.asking.tenure);
    nodes
}

/// Everything that the offers of a policy follow from.
fn key(keyed: &Keyed) -> NodeKey {
    let policy = keyed.policy;
    let offers = policy.program.offers.iter();
    let about = offers.map(|offer| {
        format!("{} {:?} {} {:?};", offer.tenure, offer.method, offer.valid_for_days, offer.when.is_some())
    });
    let about = format!("{:?} {}", policy.header.fee_mode, about.collect::<String>());
    NodeKey::combined(&about, nodes(policy).into_iter().map(|node| keyed.key(node)))
}
