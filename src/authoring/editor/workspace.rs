//! The open rule files, with the mistakes and names of each, as `check` finds them. Reads no file itself: the caller
//! supplies the text of files that are not open.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crate::base::diagnostic::{Diagnostic, Severity, Sources, Span};
use crate::rules::names::{NamedSymbol, Names, Sort};
use crate::rules::{Inspected, allowed, inspect_rule_file, inspect_shared, is_for_use};

/// Returns the text of a file that is not open.
pub type Disk<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// The files that are open.
#[derive(Default)]
pub struct Workspace {
    pub(super) texts: BTreeMap<String, String>,
    pub(super) analyses: BTreeMap<String, Analysis>,
    changed: BTreeSet<String>,
}

/// The analysis of an open file and the files it uses.
pub(super) struct Analysis {
    diagnostics: Vec<Diagnostic>,
    sources: Sources,
    /// The names in the last text that could be parsed far enough.
    pub known: KnownNames,
    /// The file has no `[policy]`, so it is for use by policies.
    is_shared: bool,
    /// The files it read, or tried to.
    reads: BTreeSet<String>,
}

/// Names, and the texts they are in.
#[derive(Default)]
pub(super) struct KnownNames {
    pub names: Names,
    pub sources: Sources,
}

/// A mistake in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileMistake {
    /// What is wrong.
    pub diagnostic: Diagnostic,
    /// A related place: its file and its bytes.
    pub elsewhere: Option<(String, std::ops::Range<usize>)>,
}

impl KnownNames {
    /// Resolves a name as a file writes it: in the file's own namespace first, then in the enclosing ones. A parameter
    /// may be written without its `$`.
    pub fn resolve(&self, path: &str, sort: Sort, name: &str) -> Option<&NamedSymbol> {
        let spaces = &self.names.spaces;
        let own = self.sources.iter().position(|source| normalize_path(&source.name) == path);
        let mut space = own.and_then(|own| spaces.get(&(own as u32))).map_or("", String::as_str);
        loop {
            let whole = if space.is_empty() { name.to_owned() } else { format!("{space}.{name}") };
            let found = self.find(sort, &whole);
            let found = found.or_else(|| self.find(Sort::Parameter, &whole).filter(|_| sort == Sort::Value));
            if found.is_some() || space.is_empty() {
                return found;
            }
            space = space.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
    }

    pub fn find(&self, sort: Sort, name: &str) -> Option<&NamedSymbol> {
        self.names.defined.iter().find(|named| named.sort == sort && named.name == name)
    }

    /// The file of a span.
    pub fn file(&self, span: Span) -> Option<&str> {
        self.sources.get(span).map(|source| source.name.as_str())
    }
}

impl Workspace {
    /// Opens a file, or replaces its text.
    pub fn set(&mut self, path: &str, text: String) {
        self.texts.insert(path.to_owned(), text);
        self.changed.insert(path.to_owned());
    }

    /// Closes a file.
    pub fn close(&mut self, path: &str) {
        self.texts.remove(path);
        self.analyses.remove(path);
        self.changed.insert(path.to_owned());
    }

    /// Marks a file as changed on disk.
    pub fn touch(&mut self, path: &str) {
        self.changed.insert(path.to_owned());
    }

    /// The text of an open file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }

    /// Analyses again every open file that changed, or that uses one that did.
    pub fn refresh(&mut self, disk: Disk) {
        let changed = std::mem::take(&mut self.changed);
        if changed.is_empty() {
            return;
        }
        let stale =
            |path: &String| self.analyses.get(path).is_none_or(|analysis| !analysis.reads.is_disjoint(&changed));
        let paths: Vec<String> = self.texts.keys().filter(|path| is_rules(path) && stale(path)).cloned().collect();
        for path in paths {
            let Some(text) = self.texts.get(&path) else { continue };
            let mut analysis = analyse_open_file(&path, text, &self.texts, disk);
            if let Some(before) = self.analyses.remove(&path)
                && (analysis.known.names.defined.is_empty() || !analysis.is_well_formed())
            {
                analysis.known = before.known;
            }
            // An incomplete text that was never analysed before: take the names of the saved file.
            if !analysis.is_well_formed()
                && analysis.known.names.defined.is_empty()
                && let Some(saved) = disk(&path).ok().filter(|saved| saved != text)
            {
                analysis.known = analyse_open_file(&path, &saved, &self.texts, disk).known;
            }
            self.analyses.insert(path, analysis);
        }
    }

    /// The mistakes of every file that is open, or used by an open one.
    pub fn mistakes(&self) -> BTreeMap<String, Vec<FileMistake>> {
        let mut found: BTreeMap<String, Vec<FileMistake>> =
            self.texts.keys().map(|path| (path.clone(), Vec::new())).collect();
        let used: BTreeSet<&String> = self
            .analyses
            .values()
            .filter(|analysis| !analysis.is_shared)
            .flat_map(|analysis| &analysis.reads)
            .collect();
        for (path, analysis) in &self.analyses {
            // A shared file may need its users' names, so their mistakes count instead.
            if analysis.is_shared && used.contains(path) {
                continue;
            }
            for diagnostic in &analysis.diagnostics {
                let file = analysis.file(diagnostic.span).filter(|file| !analysis.is_shared || !is_invented(file));
                let mistakes = found.entry(file.map_or(path.clone(), normalize_path)).or_default();
                let elsewhere = diagnostic.elsewhere.and_then(|span| {
                    Some((normalize_path(analysis.file(span)?), span.start as usize..span.end as usize))
                });
                let mistake = FileMistake { diagnostic: diagnostic.clone(), elsewhere };
                if !mistakes.iter().any(|known| same(known, &mistake)) {
                    mistakes.push(mistake);
                }
            }
        }
        for path in self.texts.keys().filter(|path| !is_rules(path)) {
            let mistakes = crate::rules::toml_mistakes(&self.texts[path]);
            let mistakes = mistakes.into_iter().map(|diagnostic| FileMistake { diagnostic, elsewhere: None });
            found.entry(path.clone()).or_default().extend(mistakes);
        }
        found
    }

    /// The mistakes in a file that have a replacement, where they touch a range, with the bytes to replace and the new
    /// text.
    pub fn fixes(
        &self,
        path: &str,
        range: std::ops::Range<usize>,
    ) -> Vec<(FileMistake, std::ops::Range<usize>, String)> {
        let Some(text) = self.text(path) else { return Vec::new() };
        let fix = |mistake: FileMistake| {
            let found = &mistake.diagnostic;
            let replacement = found.replacement.as_ref().filter(|_| touches(found.span, &range))?;
            let place = replacement.span.start as usize..replacement.span.end as usize;
            // A string with escapes holds something else there.
            let written = text.get(place.clone())?;
            if !written.eq_ignore_ascii_case(&replacement.old) {
                return None;
            }
            // Functions may be written in capitals.
            let is_shouted = written != replacement.old && written == written.to_uppercase();
            let new = if is_shouted { replacement.new.to_uppercase() } else { replacement.new.clone() };
            Some((mistake, place, new))
        };
        self.mistakes().remove(path).unwrap_or_default().into_iter().filter_map(fix).collect()
    }

    /// The names that a file may use: its own, or those of a policy that uses it.
    pub(super) fn known(&self, path: &str) -> Option<&KnownNames> {
        let own = self.analyses.get(path);
        let by_user = || {
            let mut users = self.analyses.values().filter(|analysis| !analysis.is_shared);
            users.find(|analysis| analysis.reads.contains(path))
        };
        own.filter(|analysis| !analysis.is_shared).or_else(by_user).or(own).map(|analysis| &analysis.known)
    }
}

/// Whether a file is the policy that is invented around a file without `[policy]`.
fn is_invented(file: &str) -> bool {
    Path::new(file).file_name().is_some_and(|name| name == "user")
}

fn touches(span: Span, range: &std::ops::Range<usize>) -> bool {
    span.start as usize <= range.end && range.start <= span.end as usize
}

fn same(one: &FileMistake, other: &FileMistake) -> bool {
    let (one, other) = (&one.diagnostic, &other.diagnostic);
    (one.code, one.span.start, one.span.end, &one.message)
        == (other.code, other.span.start, other.span.end, &other.message)
}

/// Whether a path is a rule file. Cases files beside them are not.
pub(super) fn is_rules(path: &str) -> bool {
    !path.ends_with(".cases.toml")
}

/// A path without `.` and `..`, without looking at the disk.
pub(super) fn normalize_path(path: &str) -> String {
    let mut parts = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if parts.file_name().is_some() => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.to_string_lossy().into_owned()
}

impl Analysis {
    fn file(&self, span: Span) -> Option<&str> {
        self.sources.get(span).map(|source| source.name.as_str())
    }

    pub fn is_well_formed(&self) -> bool {
        !self.diagnostics.iter().any(|diagnostic| diagnostic.code == "toml")
    }

    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error)
    }

    pub fn reads(&self, path: &str) -> bool {
        self.reads.contains(path)
    }

    pub fn is_shared(&self) -> bool {
        self.is_shared
    }
}

/// Analyses a file as `check` does.
pub(super) fn analyse_open_file(path: &str, text: &str, open: &BTreeMap<String, String>, disk: Disk) -> Analysis {
    let folder = Path::new(path).parent().unwrap_or(Path::new("")).to_owned();
    let mut reads = BTreeSet::from([path.to_owned()]);
    let mut read = |name: &str| {
        let full = normalize_path(&folder.join(name).to_string_lossy());
        reads.insert(full.clone());
        open.get(&full).map_or_else(|| disk(&full), |text| Ok(text.clone()))
    };
    let mut inspected = inspect_rule_file(path, text, &mut read, &[]);
    let mut is_shared = false;
    if inspected.diagnostics.iter().any(|diagnostic| diagnostic.code == "missing-policy") {
        let shared = inspect_shared(Path::new(path), text, &mut read);
        if shared.policy.is_none() || is_for_use(text) {
            inspected = shared;
            is_shared = true;
        }
    }
    let Inspected { mut diagnostics, sources, names, .. } = inspected;
    allowed::remove_allowed_warnings(&mut diagnostics, &sources, None);
    let known = KnownNames { names: names.unwrap_or_default(), sources: sources.clone() };
    Analysis { diagnostics, sources, known, is_shared, reads }
}
