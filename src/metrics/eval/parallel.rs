//! A statement's nodes by several threads: those that need nobody's name while names are found, and those that need no stream while streams are; of a
//! large one in one wave all those whose inputs are there. The same columns come of it as of one node after the other. Knows no operation.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};

use rayon::prelude::*;

use super::evaluate::Run;
use crate::metrics::Error;
use crate::metrics::column::Column;
use crate::metrics::source::Groups;
use crate::rules::graph::{Grain, Group, Node, NodeId, Op};
use crate::rules::program::schedule::{Schedule, asks_names, asks_words};

impl Run<'_, '_> {
    /// Works out every node that is needed, those that need nobody's name while names are found, and those that need no stream while streams are;
    /// `release` lets finer values go once the last wave that needs them is through. `meanwhile` may be done until streams are there.
    pub(in crate::metrics) fn in_waves(
        &mut self,
        schedule: &Schedule,
        release: bool,
        meanwhile: &(dyn Fn() + Sync),
    ) -> Result<(), Error> {
        let (nameless, named, streamed) = in_turn(schedule);
        let mut waves = Waves::new(self.program.graph.nodes(), schedule);
        let ends = [nameless, named, streamed].map(|nodes| {
            waves.add(schedule, nodes);
            waves.all.len()
        });
        let released = if release { waves.released() } else { vec![Vec::new(); waves.all.len()] };
        let steps: Vec<(Vec<usize>, Vec<usize>)> = waves.all.into_iter().zip(released).collect();
        let groups = self.groups;
        find_alike(groups)?;
        // While streams are found there is less else to do; but there may be none.
        let finds_streams = !streamed.is_empty();
        let (worked, found) = rayon::join(
            || {
                self.prepare(schedule)?;
                self.wave_by_wave(schedule, &steps[..ends[0]])?;
                if !finds_streams {
                    meanwhile();
                }
                Ok(())
            },
            || find_names(groups, schedule),
        );
        worked.and(found)?;
        if live(groups, schedule).any(|node| matches!(node.op, Op::Named(_))) {
            self.named_lists()?;
        }
        let (worked, found) = rayon::join(
            || {
                self.wave_by_wave(schedule, &steps[ends[0]..ends[1]])?;
                if finds_streams {
                    meanwhile();
                }
                Ok(())
            },
            || find_groups(groups, schedule, &[Group::Stream]),
        );
        worked.and(found)?;
        self.wave_by_wave(schedule, &steps[ends[1]..])
    }

    /// Works out wave after wave, and lets go what goes after each.
    fn wave_by_wave(&mut self, schedule: &Schedule, steps: &[(Vec<usize>, Vec<usize>)]) -> Result<(), Error> {
        for (wave, released) in steps {
            let columns: Vec<Column> =
                wave.par_iter().map(|node| self.scheduled(schedule, *node)).collect::<Result<_, _>>()?;
            for (node, column) in wave.iter().zip(columns) {
                self.columns.values[*node] = Some(column);
            }
            for node in released {
                self.columns.values[*node] = None;
            }
        }
        Ok(())
    }

    /// What many nodes share is there before any of them asks, words beside groups: two threads that ask at once would both work it out.
    fn prepare(&self, schedule: &Schedule) -> Result<(), Error> {
        let others: Vec<Group> = Group::ALL.into_iter().filter(|group| !group.is_by_name()).collect();
        let (words, groups) = rayon::join(
            || if live(self.groups, schedule).any(asks_words) { self.lists().map(|_| ()) } else { Ok(()) },
            || find_groups(self.groups, schedule, &others),
        );
        words.and(groups)
    }

    /// Works out the nodes while another thread finds the names and the groups that are made by them: first those that need nobody's, then, if names are
    /// there, those that need no stream. The other thread may have to be woken first, which takes as long as some hundred rows: this one waits for
    /// neither its beginning nor for names, and has `meanwhile` to do until the other ends.
    pub(in crate::metrics) fn beside_names(
        &mut self,
        schedule: &Schedule,
        release: bool,
        meanwhile: &(dyn Fn() + Sync),
    ) -> Result<(), Error> {
        let groups = self.groups;
        find_alike(groups)?;
        let (nameless, named, streamed) = in_turn(schedule);
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

/// The nodes that need nobody's name, those that need no stream, and all others.
fn in_turn(schedule: &Schedule) -> (&[NodeId], &[NodeId], &[NodeId]) {
    let (streamless, streamed) = schedule.order.split_at(schedule.streamless);
    let (nameless, named) = streamless.split_at(schedule.nameless);
    (nameless, named, streamed)
}

/// The nodes that are needed.
fn live<'p>(groups: &Groups<'p>, schedule: &Schedule) -> impl Iterator<Item = &'p Node> {
    let nodes = groups.program.graph.nodes();
    schedule.order.iter().map(|node| &nodes[node.index()])
}

/// Finds which narrations are alike, where that is asked for: before two threads ask at once.
fn find_alike(groups: &Groups<'_>) -> Result<(), Error> {
    if groups.program.quick.finds_alike {
        groups.alike()?;
    }
    Ok(())
}

/// Finds the other sides of the records, and the groups that are made by them, where some node asks for them. Streams come after.
fn find_names(groups: &Groups<'_>, schedule: &Schedule) -> Result<(), Error> {
    if live(groups, schedule).any(asks_names) {
        groups.counterparties()?;
    }
    find_groups(groups, schedule, &[Group::Counterparty])
}

/// Finds those of the groups that some node needs.
fn find_groups(groups: &Groups<'_>, schedule: &Schedule, wanted: &[Group]) -> Result<(), Error> {
    let is_asked = |group: &&Group| live(groups, schedule).any(|node| asks_group(node, **group));
    wanted.iter().filter(is_asked).try_for_each(|group| groups.group_of_rows(*group).map(|_| ()))
}

fn asks_group(node: &Node, group: Group) -> bool {
    node.grain == Grain::Group(group) || (node.op == Op::Mirrored && group == Group::Counterparty)
}

/// Nodes that can be worked out at once, one wave after the other.
struct Waves<'n> {
    nodes: &'n [Node],
    all: Vec<Vec<usize>>,
    /// For each node its wave, and the last wave that needs it: its own where none does.
    wave_of: Vec<usize>,
    last: Vec<usize>,
}

impl<'n> Waves<'n> {
    fn new(nodes: &'n [Node], schedule: &Schedule) -> Self {
        let live = schedule.live.len();
        Self { nodes, all: Vec::new(), wave_of: vec![0; live], last: vec![0; live] }
    }

    /// Adds nodes in their order, behind all waves that there are.
    fn add(&mut self, schedule: &Schedule, nodes: &[NodeId]) {
        let from = self.all.len();
        for index in nodes.iter().map(|node| node.index()) {
            let any = &schedule.any_like[index];
            let node = &self.nodes[index];
            let inputs = any.as_ref().map_or(node.inputs.as_slice(), |any| std::slice::from_ref(&any.text));
            let needed = || inputs.iter().chain(&node.spreads).map(|input| input.index());
            let wave = needed().map(|input| self.wave_of[input] + 1).max().unwrap_or(0).max(from);
            needed().for_each(|input| self.last[input] = self.last[input].max(wave));
            (self.wave_of[index], self.last[index]) = (wave, wave);
            self.all.resize_with(self.all.len().max(wave + 1), Vec::new);
            self.all[wave].push(index);
        }
    }

    /// For each wave the finer values that nobody needs after it.
    fn released(&self) -> Vec<Vec<usize>> {
        let mut released = vec![Vec::new(); self.all.len()];
        for node in self.all.iter().flatten().filter(|node| self.nodes[**node].grain > Grain::Statement) {
            released[self.last[*node]].push(*node);
        }
        released
    }
}
