//! Evaluates a statement's nodes on several threads: nodes that need no names while names are found, and nodes that
//! need no streams while streams are found. A large statement is evaluated by dependency level. Results are the same as
//! one node after the other.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};

use rayon::prelude::*;

use super::evaluate::Run;
use crate::engine::metrics::Error;
use crate::engine::metrics::column::{CowColumn, ValueColumn};
use crate::engine::metrics::source::Groups;
use crate::rules::graph::{Grain, Group, Node, NodeId, Op};
use crate::rules::program::schedule::{Schedule, asks_names, asks_words};

impl Run<'_, '_> {
    /// Evaluates all needed nodes, level by level: those without names while names are found, and those without streams
    /// while streams are found. `release` drops finer values after the last level that needs them. `meanwhile` runs
    /// while streams are found, or while names are if there are no streams.
    pub(in crate::engine::metrics) fn by_level(
        &mut self,
        schedule: &Schedule,
        release: bool,
        meanwhile: &(dyn Fn() + Sync),
    ) -> Result<(), Error> {
        let (nameless, named, streamed) = split_into_phases(schedule);
        let mut levels = Levels::new(self.program.graph.nodes(), schedule);
        let ends = [nameless, named, streamed].map(|nodes| {
            levels.add(schedule, nodes);
            levels.all.len()
        });
        let released = if release { levels.released() } else { vec![Vec::new(); levels.all.len()] };
        let steps: Vec<(Vec<usize>, Vec<usize>)> = levels.all.into_iter().zip(released).collect();
        let groups = self.groups;
        find_narration_kinds(groups)?;
        // `meanwhile` fits best while streams are found, but there may be none.
        let finds_streams = !streamed.is_empty();
        let (evaluated, found) = rayon::join(
            || {
                self.prepare(schedule)?;
                self.level_by_level(schedule, &steps[..ends[0]])?;
                if !finds_streams {
                    meanwhile();
                }
                Ok(())
            },
            || find_names(groups, schedule),
        );
        evaluated.and(found)?;
        if needed_nodes(groups, schedule).any(|node| matches!(node.op, Op::Named(_))) {
            self.named_lists()?;
        }
        let (evaluated, found) = rayon::join(
            || {
                self.level_by_level(schedule, &steps[ends[0]..ends[1]])?;
                if finds_streams {
                    meanwhile();
                }
                Ok(())
            },
            || find_groups(groups, schedule, &[Group::Stream]),
        );
        evaluated.and(found)?;
        self.level_by_level(schedule, &steps[ends[1]..])
    }

    /// Evaluates one level after the other, and drops the values released after each.
    fn level_by_level(&mut self, schedule: &Schedule, steps: &[(Vec<usize>, Vec<usize>)]) -> Result<(), Error> {
        for (level, released) in steps {
            let columns: Vec<ValueColumn> =
                level.par_iter().map(|node| self.scheduled(schedule, *node)).collect::<Result<_, _>>()?;
            for (node, column) in level.iter().zip(columns) {
                self.columns.values[*node] = Some(CowColumn::Owned(column));
            }
            for node in released {
                self.columns.values[*node] = None;
            }
        }
        Ok(())
    }

    /// Computes what many nodes share before any of them asks, words beside groups. Two threads that ask at once would
    /// both compute it.
    fn prepare(&self, schedule: &Schedule) -> Result<(), Error> {
        let others: Vec<Group> = Group::ALL.into_iter().filter(|group| !group.is_by_name()).collect();
        let (words, groups) = rayon::join(
            || if needed_nodes(self.groups, schedule).any(asks_words) { self.lists().map(|_| ()) } else { Ok(()) },
            || find_groups(self.groups, schedule, &others),
        );
        words.and(groups)
    }

    /// Evaluates nodes while another thread finds names, and then streams. Nodes that need no names come first; then,
    /// if names are there, nodes that need no streams. Waking the other thread may take as long as some hundred rows.
    /// So this thread waits neither for its start nor for names, and runs `meanwhile` first.
    pub(in crate::engine::metrics) fn while_names_are_found(
        &mut self,
        schedule: &Schedule,
        release: bool,
        meanwhile: &(dyn Fn() + Sync),
    ) -> Result<(), Error> {
        let groups = self.groups;
        find_narration_kinds(groups)?;
        let (nameless, named, streamed) = split_into_phases(schedule);
        let are_there = AtomicBool::new(false);
        let mut found = Ok(());
        let is_named = rayon::in_place_scope(|scope| {
            scope.spawn(|_| {
                let names = find_names(groups, schedule);
                are_there.store(true, Release);
                found = names.and_then(|()| find_groups(groups, schedule, &[Group::Stream]));
            });
            self.in_order(schedule, nameless, release)?;
            meanwhile();
            let is_named = are_there.load(Acquire);
            if is_named {
                self.in_order(schedule, named, release)?;
            }
            Ok(is_named)
        });
        let is_named = found.and(is_named)?;
        if !is_named {
            self.in_order(schedule, named, release)?;
        }
        self.in_order(schedule, streamed, release)
    }
}

/// Nodes that need no names, nodes that need no streams, and all others.
fn split_into_phases(schedule: &Schedule) -> (&[NodeId], &[NodeId], &[NodeId]) {
    let (streamless, streamed) = schedule.order.split_at(schedule.streamless);
    let (nameless, named) = streamless.split_at(schedule.nameless);
    (nameless, named, streamed)
}

/// The needed nodes.
fn needed_nodes<'p>(groups: &Groups<'p>, schedule: &Schedule) -> impl Iterator<Item = &'p Node> {
    let nodes = groups.program.graph.nodes();
    schedule.order.iter().map(|node| &nodes[node.index()])
}

/// Finds the kinds of narrations, if the schedule asks for them, before two threads do.
fn find_narration_kinds(groups: &Groups<'_>) -> Result<(), Error> {
    if groups.program.quick.finds_alike {
        groups.narration_kinds()?;
    }
    Ok(())
}

/// Finds counterparties and their groups, if some node needs them. Streams come later.
fn find_names(groups: &Groups<'_>, schedule: &Schedule) -> Result<(), Error> {
    if needed_nodes(groups, schedule).any(asks_names) {
        groups.counterparties()?;
    }
    find_groups(groups, schedule, &[Group::Counterparty])
}

/// Finds the groups that some node needs.
fn find_groups(groups: &Groups<'_>, schedule: &Schedule, wanted: &[Group]) -> Result<(), Error> {
    let is_asked = |group: &&Group| needed_nodes(groups, schedule).any(|node| asks_group(node, **group));
    wanted.iter().filter(is_asked).try_for_each(|group| groups.group_of_rows(*group).map(|_| ()))
}

fn asks_group(node: &Node, group: Group) -> bool {
    node.grain == Grain::Group(group) || (node.op == Op::Mirrored && group == Group::Counterparty)
}

/// Nodes by dependency level: those of one level can be evaluated at once.
struct Levels<'n> {
    nodes: &'n [Node],
    all: Vec<Vec<usize>>,
    /// For each node its level, and the last level that needs it; its own if none does.
    level_of: Vec<usize>,
    last: Vec<usize>,
}

impl<'n> Levels<'n> {
    fn new(nodes: &'n [Node], schedule: &Schedule) -> Self {
        let live = schedule.live.len();
        Self { nodes, all: Vec::new(), level_of: vec![0; live], last: vec![0; live] }
    }

    /// Adds nodes in their order, after all existing levels.
    fn add(&mut self, schedule: &Schedule, nodes: &[NodeId]) {
        let from = self.all.len();
        for index in nodes.iter().map(|node| node.index()) {
            let any = &schedule.any_like[index];
            let node = &self.nodes[index];
            let inputs = any.as_ref().map_or(node.inputs.as_slice(), |any| std::slice::from_ref(&any.text));
            let needed = || inputs.iter().chain(&node.spreads).map(|input| input.index());
            let level = needed().map(|input| self.level_of[input] + 1).max().unwrap_or(0).max(from);
            needed().for_each(|input| self.last[input] = self.last[input].max(level));
            (self.level_of[index], self.last[index]) = (level, level);
            self.all.resize_with(self.all.len().max(level + 1), Vec::new);
            self.all[level].push(index);
        }
    }

    /// For each level the finer values that no later level needs.
    fn released(&self) -> Vec<Vec<usize>> {
        let mut released = vec![Vec::new(); self.all.len()];
        for node in self.all.iter().flatten().filter(|node| self.nodes[**node].grain > Grain::Statement) {
            released[self.last[*node]].push(*node);
        }
        released
    }
}
