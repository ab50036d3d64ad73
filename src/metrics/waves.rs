//! A large statement's nodes by several threads: in one wave all those whose inputs are there. The same columns come of it as of one node after
//! the other. Knows no operation.

use rayon::prelude::*;

use super::Error;
use super::column::Column;
use super::evaluate::Run;
use crate::rules::ir::{Column as Source, Grain, Group, Node, Op};
use crate::rules::schedule::Schedule;

impl Run<'_, '_> {
    /// Works out every node that is needed; `release` lets finer values go once the last wave that needs them is through.
    pub(super) fn in_waves(&mut self, schedule: &Schedule, release: bool) -> Result<(), Error> {
        self.prepare(schedule)?;
        let nodes = self.program.graph.nodes();
        let (waves, last) = waves(nodes, schedule);
        let mut released: Vec<Vec<usize>> = vec![Vec::new(); waves.len()];
        let is_finer = |node: &usize| schedule.live[*node] && nodes[*node].grain > Grain::Statement;
        for node in (0..nodes.len()).filter(|node| release && is_finer(node)) {
            released[last[node]].push(node);
        }
        for (wave, released) in waves.iter().zip(released) {
            let columns: Vec<Column> =
                wave.par_iter().map(|node| self.scheduled(schedule, *node)).collect::<Result<_, _>>()?;
            for (node, column) in wave.iter().zip(columns) {
                self.columns.values[*node] = Some(column);
            }
            for node in released {
                self.columns.values[node] = None;
            }
        }
        Ok(())
    }

    /// What many nodes share is there before any of them asks, words beside groups: two threads that ask at once would both work it out.
    pub(super) fn prepare(&self, schedule: &Schedule) -> Result<(), Error> {
        let nodes = self.program.graph.nodes().iter().zip(&schedule.live);
        let live: Vec<&Node> = nodes.filter(|(_, live)| **live).map(|(node, _)| node).collect();
        let asks_words = live.iter().any(|node| matches!(node.op, Op::Mentions(_) | Op::Mentioned(_)));
        let asks_names = live.iter().any(|node| matches!(node.op, Op::Named(_) | Op::Column(Source::Counterparty)));
        let groups = Group::ALL.into_iter().filter(|group| live.iter().any(|node| asks_group(node, *group)));
        let groups: Vec<Group> = groups.collect();
        let (words, others) = rayon::join(
            || if asks_words { self.lists().map(|_| ()) } else { Ok(()) },
            || {
                if asks_names {
                    self.groups.counterparties()?;
                }
                groups.iter().try_for_each(|group| self.groups.group_of_rows(*group).map(|_| ()))
            },
        );
        words.and(others)
    }
}

fn asks_group(node: &Node, group: Group) -> bool {
    node.grain == Grain::Group(group) || (node.op == Op::Mirrored && group == Group::Counterparty)
}

/// The nodes of each wave, and for each node the last wave that needs it: its own where none does.
fn waves(nodes: &[Node], schedule: &Schedule) -> (Vec<Vec<usize>>, Vec<usize>) {
    let mut wave_of = vec![0; nodes.len()];
    let mut last = vec![0; nodes.len()];
    let mut waves: Vec<Vec<usize>> = Vec::new();
    for (index, node) in nodes.iter().enumerate().filter(|(index, _)| schedule.live[*index]) {
        let any = &schedule.any_like[index];
        let inputs = any.as_ref().map_or(node.inputs.as_slice(), |any| std::slice::from_ref(&any.text));
        let needed = || inputs.iter().chain(&node.spreads).map(|input| input.index());
        let wave = needed().map(|input| wave_of[input] + 1).max().unwrap_or(0);
        (wave_of[index], last[index]) = (wave, wave);
        needed().for_each(|input| last[input] = last[input].max(wave));
        waves.resize_with(waves.len().max(wave + 1), Vec::new);
        waves[wave].push(index);
    }
    (waves, last)
}
