//! Renames what expressions name, in every file that uses it: a value, a parameter, a word list or a request field. The
//! result is checked as a whole first; a rename that would cause a mistake is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::described;
use super::find::{Location, Origin, find_name_places};
use super::under::{CursorTarget, find_under_cursor};
use super::workspace::{Analysis, Disk, Workspace, analyse_open_file, is_rules};
use crate::rules::{self, names::Sort};

/// Why a name cannot be renamed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenameError {
    /// There is no name at that place.
    #[error("there is no name here that can be renamed")]
    NoName,
    /// The name is built in.
    #[error("`{0}` is built in and keeps its name")]
    BuiltIn(String),
    /// The new name is no valid name.
    #[error("`{0}` cannot be a name: use lower case letters, digits and _, beginning with a letter")]
    BadName(String),
    /// The new id cannot be written.
    #[error("`{0}` cannot be an id: it has no quotes or backslashes, and no blanks at its ends")]
    BadId(String),
    /// The new name is already defined.
    #[error("`{0}` is already taken")]
    Taken(String),
    /// A file with mistakes may use the name unnoticed.
    #[error("`{0}` has mistakes; fix them first, or a use could be missed")]
    Mistakes(String),
    /// A use of the name is not written literally.
    #[error("`{0}` uses the name in text with escapes, where it cannot be changed")]
    NotPlain(String),
    /// The rename would cause a mistake.
    #[error("the new name would cause a mistake: {0}")]
    WouldBreak(String),
}

/// The bytes to replace and their new text, by file.
pub type Edits = BTreeMap<String, Vec<(Range<usize>, String)>>;

impl Workspace {
    /// The range of the name at a byte, if it can be renamed.
    pub fn renameable(&self, path: &str, at: usize) -> Result<Range<usize>, RenameError> {
        if let Some((_, range)) = self.part_at(path, at) {
            return Ok(range);
        }
        let found = self.text(path).and_then(|text| find_under_cursor(path, text, at)).ok_or(RenameError::NoName)?;
        let CursorTarget::Name(sort, name) = found.target else { return Err(RenameError::NoName) };
        let named = self.known(path).and_then(|known| known.resolve(path, sort, &name)).ok_or(RenameError::NoName)?;
        named.span.map(|_| found.range).ok_or(RenameError::BuiltIn(name))
    }

    /// The edits that rename the name at a byte to `new`. `beside` are files that are not open and may use the name.
    ///
    /// # Errors
    /// If there is no name, the new one is taken, or a policy has mistakes before or after the rename.
    pub fn rename(
        &self,
        path: &str,
        at: usize,
        new: &str,
        beside: &[String],
        disk: Disk,
    ) -> Result<Edits, RenameError> {
        self.renameable(path, at)?;
        if let Some((part, _)) = self.part_at(path, at) {
            return self.rename_part(path, &part, new, beside, disk);
        }
        let found = self.text(path).and_then(|text| find_under_cursor(path, text, at)).ok_or(RenameError::NoName)?;
        let CursorTarget::Name(sort, name) = found.target else { return Err(RenameError::NoName) };
        if !may_be_named(new) {
            return Err(RenameError::BadName(new.to_owned()));
        }
        let known = self.known(path).ok_or(RenameError::NoName)?;
        let named = known.resolve(path, sort, &name).ok_or(RenameError::NoName)?;
        let origin = Origin::for_name(known, named);
        let Origin::Defined(sort, home, _) = &origin else { return Err(RenameError::BuiltIn(name)) };
        if *sort == Sort::Value && described::of_offer(new).is_some() {
            return Err(RenameError::Taken(new.to_owned()));
        }
        let last = named.name.rsplit('.').next().unwrap_or(&named.name);
        let readers = self.readers(home, last, beside, disk)?;
        let mut found = BTreeSet::new();
        let mut wanted = Vec::new();
        for (file, analysis) in readers.iter().map(|(file, analysis)| (file, analysis.get())) {
            let named = origin.named_in(&analysis.known);
            // If no name is known at all, reading stopped before them.
            let may_use = named.is_some() || analysis.known.names.defined.is_empty();
            if may_use && analysis.errors().next().is_some() {
                return Err(RenameError::Mistakes(file.clone()));
            }
            let Some(named) = named else { continue };
            let whole = named.name.rsplit_once('.').map_or(new.to_owned(), |(space, _)| format!("{space}.{new}"));
            if analysis.known.find(*sort, &whole).is_some() {
                return Err(RenameError::Taken(new.to_owned()));
            }
            found.extend(find_name_places(&analysis.known, named).into_iter().map(|(place, _)| place));
            wanted.push((file, meanings_of_uses(analysis, Some((&named.name, *sort, &whole)))));
        }
        let edits = self.edits(&found, last, new, disk)?;
        self.try_out(&edits, &wanted, disk)?;
        Ok(edits)
    }

    /// The policies that read a file, open or beside it. Fails if a file that is not valid TOML might read it.
    pub(super) fn readers<'s>(
        &'s self,
        home: &str,
        name: &str,
        beside: &[String],
        disk: Disk,
    ) -> Result<Vec<(String, Held<'s>)>, RenameError> {
        let mut readers: Vec<(String, Held<'s>)> = Vec::new();
        let mut look = |file: &String, text: &str, held: Held<'s>| {
            if !held.get().is_well_formed() && may_use(text, home, name) {
                return Err(RenameError::Mistakes(file.clone()));
            }
            if held.get().reads(home) {
                readers.push((file.clone(), held));
            }
            Ok(())
        };
        for (file, analysis) in &self.analyses {
            look(file, self.text(file).unwrap_or(""), Held::Open(analysis))?;
        }
        for file in beside.iter().filter(|file| is_rules(file) && !self.texts.contains_key(*file)) {
            let Ok(text) = disk(file) else { continue };
            // Most files use no other, so do not compile them.
            if file != home && !text.contains("use") && rules::toml_mistakes(&text).is_empty() {
                continue;
            }
            let analysis = analyse_open_file(file, &text, &self.texts, disk);
            look(file, &text, Held::Beside(Box::new(analysis)))?;
        }
        // A used file is checked with the policy, because it may need the policy's names.
        let is_used = |file: &str| {
            let mut policies = readers.iter().map(|(_, held)| held.get()).filter(|analysis| !analysis.is_shared());
            policies.any(|policy| policy.reads(file))
        };
        let used: Vec<bool> = readers.iter().map(|(file, held)| held.get().is_shared() && is_used(file)).collect();
        let kept = readers.into_iter().zip(used).filter(|(_, used)| !used);
        Ok(kept.map(|(reader, _)| reader).collect())
    }

    pub(super) fn edits(
        &self,
        places: &BTreeSet<Location>,
        name: &str,
        new: &str,
        disk: Disk,
    ) -> Result<Edits, RenameError> {
        let mut edits = Edits::new();
        for place in places {
            let not_plain = || RenameError::NotPlain(place.path.clone());
            let text = self.current(&place.path, disk).ok_or_else(not_plain)?;
            let (start, end) = place.range;
            let written = text.get(start..end).ok_or_else(not_plain)?;
            // `$name` and `request.name` end with the name.
            let from = written.len().checked_sub(name.len()).ok_or_else(not_plain)?;
            if !written.get(from..).is_some_and(|end| end.eq_ignore_ascii_case(name)) {
                return Err(not_plain());
            }
            edits.entry(place.path.clone()).or_default().push((start + from..end, new.to_owned()));
        }
        Ok(edits)
    }

    pub(super) fn current(&self, path: &str, disk: Disk) -> Option<String> {
        self.texts.get(path).cloned().or_else(|| disk(path).ok())
    }

    /// Checks every policy with the edits applied.
    pub(super) fn try_out(
        &self,
        edits: &Edits,
        wanted: &[(&String, Vec<(Sort, String)>)],
        disk: Disk,
    ) -> Result<(), RenameError> {
        let mut texts = self.texts.clone();
        for (path, changes) in edits {
            let Some(mut text) = self.current(path, disk) else { continue };
            for (range, new) in changes.iter().rev() {
                text.replace_range(range.clone(), new);
            }
            texts.insert(path.clone(), text);
        }
        for (file, wanted) in wanted {
            let text = texts.get(*file).cloned().or_else(|| disk(file).ok()).unwrap_or_default();
            let after = analyse_open_file(file, &text, &texts, disk);
            if let Some(wrong) = after.errors().next() {
                return Err(RenameError::WouldBreak(wrong.message.clone()));
            }
            if meanings_of_uses(&after, None) != *wanted {
                return Err(RenameError::WouldBreak("another name would come to mean something else".to_owned()));
            }
        }
        Ok(())
    }
}

/// Whether a text that cannot be parsed mentions the file or the name.
fn may_use(text: &str, home: &str, name: &str) -> bool {
    let file = home.rsplit(['/', '\\']).next().unwrap_or(home);
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    text.contains(file) || words.any(|word| word.eq_ignore_ascii_case(name))
}

/// The meaning of each use of a name in a policy, in order, optionally as after a rename.
pub(super) fn meanings_of_uses(analysis: &Analysis, renamed: Option<(&str, Sort, &str)>) -> Vec<(Sort, String)> {
    let name = |used: &rules::names::Use| match renamed {
        Some((old, sort, new)) if used.sort == sort && used.name == old => new.to_owned(),
        _ => used.name.clone(),
    };
    analysis.known.names.uses.iter().map(|used| (used.sort, name(used))).collect()
}

/// An analysis of an open file, or one made for a file beside.
pub(super) enum Held<'a> {
    Open(&'a Analysis),
    Beside(Box<Analysis>),
}

impl Held<'_> {
    pub(super) fn get(&self) -> &Analysis {
        match self {
            Held::Open(analysis) => analysis,
            Held::Beside(analysis) => analysis,
        }
    }
}

/// Keywords of SQL, which would never be read as names.
const KEYWORDS: [&str; 15] =
    ["and", "or", "not", "case", "when", "then", "else", "end", "null", "true", "false", "in", "is", "like", "between"];

pub(super) fn may_be_named(text: &str) -> bool {
    rules::is_name(text) && !KEYWORDS.contains(&text)
}
