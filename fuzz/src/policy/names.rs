//! The files of a policy: which of them defines what, and how it is said in another. Works nothing out.

use super::model::Policy;

/// A file of a policy; the first is the policy itself.
#[derive(Clone, Debug)]
pub struct File {
    /// From the policy's folder.
    pub path: String,
    /// The file that uses it.
    pub by: usize,
    /// What it is used `as`.
    pub space: Option<&'static str>,
    /// Others that use it, for whom it says its names in the same way.
    pub also: Vec<usize>,
    /// Used by its digest.
    pub locked: bool,
}

/// What has a name of the policy's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Parameter,
    Metric,
    /// With its outputs.
    Table,
}

/// For everything in a policy the number of its file.
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

/// What everything is called within its own file.
#[derive(Clone, Debug, Default)]
pub struct Names {
    own: [Vec<String>; 3],
}

const SORTS: [(Sort, char); 3] = [(Sort::Parameter, 'p'), (Sort::Metric, 'm'), (Sort::Table, 't')];

impl Policy {
    /// Whether a file is another, or uses it on some way.
    pub fn reaches(&self, file: usize, other: usize) -> bool {
        file == other || self.used_by(file).into_iter().any(|used| self.reaches(used, other))
    }

    /// Where a file's names are: the names of the files around them.
    pub fn space(&self, file: usize) -> Vec<&'static str> {
        let File { by, space, .. } = &self.files[file];
        let mut path = if file == 0 { Vec::new() } else { self.space(*by) };
        path.extend(*space);
        path
    }

    /// As everybody outside says it, and decisions too.
    pub fn whole_name(&self, sort: Sort, at: usize) -> String {
        let space = self.space(self.homes.of(sort)[at]);
        let own = self.names.own[sort as usize][at].as_str();
        space.into_iter().chain([own]).collect::<Vec<_>>().join(".")
    }

    /// As it is said in a file: without the spaces that both stand in.
    pub fn said_name(&self, from: usize, sort: Sort, at: usize) -> String {
        let (here, there) = (self.space(from), self.space(self.homes.of(sort)[at]));
        let both = here.iter().zip(&there).take_while(|(one, other)| one == other).count();
        // From the policy's own space it may be said too, for whoever looks outward finds it there.
        let both = if (at + from) % 3 == 2 && there.len() > both { 0 } else { both };
        let own = self.names.own[sort as usize][at].as_str();
        there[both..].iter().copied().chain([own]).collect::<Vec<_>>().join(".")
    }

    /// What it is called in its own file.
    pub fn own_name(&self, sort: Sort, at: usize) -> &str {
        &self.names.own[sort as usize][at]
    }

    /// What is used before what uses it, and the policy itself last: the order in which its parts are looked at.
    pub fn order(&self) -> Vec<usize> {
        let mut order = Vec::new();
        self.visit(0, &mut order);
        order
    }

    /// The parts of one kind as they are looked at: file by file, in each as they are written.
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

    /// The files that a file says it uses, in the order it says them.
    pub fn used_by(&self, file: usize) -> Vec<usize> {
        let numbered = self.files.iter().enumerate().skip(1);
        let (first, then): (Vec<_>, Vec<_>) =
            numbered.filter(|(_, one)| one.by == file || one.also.contains(&file)).partition(|(_, one)| one.by == file);
        first.into_iter().chain(then).map(|(at, _)| at).collect()
    }

    /// Gives everything a name. Names are the same in many files, as far as nobody who speaks of one would find another before it.
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
