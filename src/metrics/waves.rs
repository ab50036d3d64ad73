//! A statement's nodes by several threads: of a large one in one wave all those whose inputs are there, of a smaller one those that need nobody's
//! name while names are found. The same columns come of it as of one node after the other. Knows no operation.

use rayon::prelude::*;

use super::Error;
use super::column::Column;
use super::evaluate::Run;
use super::groups::Groups;
use crate::rules::ir::{Column as Source, Grain, Group, Node, NodeId, Op};
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
    fn prepare(&self, schedule: &Schedule) -> Result<(), Error> {
        let asks_words = |node: &Node| matches!(node.op, Op::Mentions(_) | Op::Mentioned(_));
        let (words, groups) = rayon::join(
            || if live(self.groups, schedule).any(asks_words) { self.lists().map(|_| ()) } else { Ok(()) },
            || find_groups(self.groups, schedule, &Group::ALL),
        );
        words.and(groups)
    }

    /// Works out the nodes that need nobody's name while another thread finds the names, and the groups that are made by them. The other thread
    /// may have to be woken first, which takes as long as some hundred rows: this one does not wait for it to begin, and has `meanwhile` to do until
    /// the other ends.
    pub(super) fn beside_names(
        &mut self,
        schedule: &Schedule,
        nodes: &[NodeId],
        release: bool,
        meanwhile: &dyn Fn(),
    ) -> Result<(), Error> {
        let groups = self.groups;
        let mut found = Ok(());
        let worked = rayon::in_place_scope(|scope| {
            scope.spawn(|_| found = find_groups(groups, schedule, &[Group::Counterparty, Group::Stream]));
            let worked = self.in_order(schedule, nodes, release);
            meanwhile();
            worked
        });
        worked.and(found)
    }
}

/// The nodes that are needed.
fn live<'p>(groups: &Groups<'p>, schedule: &Schedule) -> impl Iterator<Item = &'p Node> {
    let nodes = groups.program.graph.nodes();
    schedule.order.iter().map(|node| &nodes[node.index()])
}

/// Finds those of the groups that some node needs, and the other sides of the records where one asks for them.
fn find_groups(groups: &Groups<'_>, schedule: &Schedule, wanted: &[Group]) -> Result<(), Error> {
    let asks_names = |node: &Node| matches!(node.op, Op::Named(_) | Op::Column(Source::Counterparty));
    if live(groups, schedule).any(asks_names) {
        groups.counterparties()?;
    }
    let is_asked = |group: &&Group| live(groups, schedule).any(|node| asks_group(node, **group));
    wanted.iter().filter(is_asked).try_for_each(|group| groups.group_of_rows(*group).map(|_| ()))
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
