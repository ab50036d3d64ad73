//! The files of a policy: which of them defines what, and how another refers to it. Computes no values.

use super::model::Policy;

/// A file of a policy; the first is the policy itself.
#[derive(Clone, Debug)]
pub struct File {
    /// The path from the policy's folder.
    pub path: String,
    /// The file that uses it.
    pub by: usize,
    /// The name after `as`.
    pub space: Option<&'static str>,
    /// Other files that use it under the same names.
    pub also: Vec<usize>,
    /// Used with its digest.
    pub locked: bool,
}

/// A part with a name of the policy's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Parameter,
    Metric,
    /// With its outputs.
    Table,
}

/// The file index of everything in a policy.
#[derive(Clone, Debug, Default)]
pub struct Homes {
    pub inputs: Vec<usize>,
    pub parameters: Vec<usize>,
    pub metrics: Vec<usize>,
    pub requirements: Vec<usize>,
    pub score: usize,
    pub tables: Vec<usize>,
    pub exposure: usize,
    pub ask: usize,
    pub offers: Vec<usize>,
}

impl Homes {
    fn of(&self, sort: Sort) -> &[usize] {
        match sort {
            Sort::Parameter => &self.parameters,
            Sort::Metric => &self.metrics,
            Sort::Table => &self.tables,
        }
    }
}

/// The name of everything within its own file.
#[derive(Clone, Debug, Default)]
pub struct Names {
    own: [Vec<String>; 3],
}

const SORTS: [(Sort, char); 3] = [(Sort::Parameter, 'p'), (Sort::Metric, 'm'), (Sort::Table, 't')];

impl Policy {
    /// Whether a file is another, or uses it directly or indirectly.
    pub fn reaches(&self, file: usize, other: usize) -> bool {
        file == other || self.used_by(file).into_iter().any(|used| self.reaches(used, other))
    }

    /// The name space of a file: the names of the files around it.
    pub fn space(&self, file: usize) -> Vec<&'static str> {
        let File { by, space, .. } = &self.files[file];
        let mut path = if file == 0 { Vec::new() } else { self.space(*by) };
        path.extend(*space);
        path
    }

    /// The full name, as used outside and in decisions.
    pub fn whole_name(&self, sort: Sort, at: usize) -> String {
        let space = self.space(self.homes.of(sort)[at]);
        let own = self.names.own[sort as usize][at].as_str();
        space.into_iter().chain([own]).collect::<Vec<_>>().join(".")
    }

    /// The name as used in a file: without the spaces that both share.
    pub fn said_name(&self, from: usize, sort: Sort, at: usize) -> String {
        let (here, there) = (self.space(from), self.space(self.homes.of(sort)[at]));
        let both = here.iter().zip(&there).take_while(|(one, other)| one == other).count();
        // The full name works from the policy's own space too, because lookups go outward.
        let both = if (at + from) % 3 == 2 && there.len() > both { 0 } else { both };
        let own = self.names.own[sort as usize][at].as_str();
        there[both..].iter().copied().chain([own]).collect::<Vec<_>>().join(".")
    }

    /// The name in its own file.
    pub fn own_name(&self, sort: Sort, at: usize) -> &str {
        &self.names.own[sort as usize][at]
    }

    /// Used files before their users, and the policy itself last: the order in which parts are checked.
    pub fn order(&self) -> Vec<usize> {
        let mut order = Vec::new();
        self.visit(0, &mut order);
        order
    }

    /// The parts of one kind in checking order: file by file, in each as written.
    pub fn in_order(&self, homes: &[usize]) -> Vec<usize> {
        let order = self.order();
        let mut parts: Vec<usize> = (0..homes.len()).collect();
        parts.sort_by_key(|at| order.iter().position(|file| *file == homes[*at]));
        parts
    }

    fn visit(&self, file: usize, order: &mut Vec<usize>) {
        for used in self.used_by(file) {
            if !order.contains(&used) {
                self.visit(used, order);
            }
        }
        order.push(file);
    }

    /// The files that a file uses, in the order of its list.
    pub fn used_by(&self, file: usize) -> Vec<usize> {
        let numbered = self.files.iter().enumerate().skip(1);
        let (first, then): (Vec<_>, Vec<_>) =
            numbered.filter(|(_, one)| one.by == file || one.also.contains(&file)).partition(|(_, one)| one.by == file);
        first.into_iter().chain(then).map(|(at, _)| at).collect()
    }

    /// Gives everything a name. Files may share names, as long as no reference would find another one first.
    pub fn name_everything(&mut self) {
        for (sort, letter) in SORTS {
            let homes = self.homes.of(sort).to_vec();
            let spaces: Vec<Vec<&str>> = homes.iter().map(|home| self.space(*home)).collect();
            let number = |at: usize| spaces[..at].iter().filter(|space| **space == spaces[at]).count();
            self.names.own[sort as usize] = (0..homes.len()).map(|at| format!("{letter}{}", number(at))).collect();
        }
        for (from, sort, at) in super::walk::names_said(self) {
            let (here, there) = (self.space(from), self.space(self.homes.of(sort)[at]));
            let own = &self.names.own[sort as usize];
            let hides = |other: usize| {
                let space = self.space(self.homes.of(sort)[other]);
                other != at && own[other] == own[at] && here.starts_with(&space) && space.len() > there.len()
            };
            if here.starts_with(&there) && (0..own.len()).any(hides) {
                self.names.own[sort as usize][at] = format!("{}{at}_own", SORTS[sort as usize].1);
            }
        }
    }
}
