//! What is read from each object of a document: the paths as one tree for each list on the way. Must not read.

use crate::base::text::escape_terminal;
use crate::base::text_search::suggest::suggest_near_name;
use crate::statement::formats::Fault;
use crate::statement::formats::json_paths::RequestedPath;
use crate::statement::formats::json_paths::path::{ListStep, Path, PathTarget, push_key};

/// How many names of unread keys are kept for an error, and of how many objects.
const UNREAD_NAMES: usize = 64;
const UNREAD_OBJECTS: u64 = 100;

/// What is read from the document, or from an item of a list.
#[derive(Debug, Default)]
pub(crate) struct Level {
    /// What is read from it if it is an object.
    pub(crate) node: PlanNode,
    /// Whether it is itself the list of the next level.
    pub(crate) is_list: bool,
    /// The columns that are read here, not within an inner list.
    pub(crate) columns: Vec<usize>,
    /// The columns of the key of the list that the item is in.
    pub(crate) list_keys: Vec<usize>,
    /// The way to the next level's list. None at the level of the rows.
    pub(crate) step: Option<ListStep>,
    /// The lists on the way here, as they are written.
    path: String,
    /// The same, and the list of the next level.
    pub(crate) lists_text: String,
}

/// What is read from an object.
#[derive(Debug, Default)]
pub(crate) struct PlanNode {
    pub(crate) fields: Vec<PlannedField>,
    /// Some keys that are not read.
    unread: Vec<String>,
    /// How many objects were read.
    pub(crate) objects: u64,
}

/// What is read from the value under a key.
#[derive(Debug, Default)]
pub(crate) struct PlannedField {
    pub(crate) key: String,
    /// The path to it.
    pub(crate) path: String,
    /// The columns that are the value.
    pub(crate) values: Vec<usize>,
    /// The columns that are the items of the list, joined.
    pub(crate) joined: Vec<usize>,
    /// What is read within the value.
    pub(crate) inner: Option<Box<PlanNode>>,
    /// Whether it is a list of the next level.
    pub(crate) is_list: bool,
    pub(crate) is_seen: bool,
}

/// Makes the levels of these paths, outermost first. The last is that of the rows.
pub(crate) fn plan_list_levels(paths: &[Path], asked: &[RequestedPath<'_>]) -> Result<Vec<Level>, Fault> {
    let none: &[ListStep] = &[];
    let deepest = paths.iter().max_by_key(|path| path.lists.len());
    let lists = deepest.map_or(none, |path| &path.lists);
    let mut levels: Vec<Level> = (0..=lists.len()).map(|_| Level::default()).collect();
    for (at, level) in levels.iter_mut().enumerate() {
        level.path = Path::lists_text(lists.get(..at).unwrap_or_default());
        let Some(list) = lists.get(at) else { continue };
        level.lists_text = Path::lists_text(lists.get(..=at).unwrap_or_default());
        level.is_list = list.last.is_empty();
        for last in &list.last {
            let keys = list.keys.iter().chain([last]);
            if let Some(field) = level.node.field(&level.path, keys) {
                field.is_list = true;
            }
        }
        level.step = Some(list.clone());
    }
    for (column, (path, asked)) in paths.iter().zip(asked).enumerate() {
        if !lists.starts_with(&path.lists) {
            let deepest = deepest.map_or("", |path| path.text.as_str());
            return Err(Fault::new(format!(
                "`{}` is not on the way of `{}`: rows are the items of one list, and other values stand in that list's \
                 items or around them",
                escape_terminal(&path.text),
                escape_terminal(deepest)
            )));
        }
        if asked.is_of_row && path.lists.len() < lists.len() {
            return Err(Fault::new(format!(
                "`{}` would count once for each item of `{}`, whose items are the rows: name an amount of the \
                 items, or leave out the columns of the inner list",
                escape_terminal(&path.text),
                escape_terminal(&Path::lists_text(lists))
            )));
        }
        // A path has no more lists than the deepest one.
        let Some(level) = levels.get_mut(path.lists.len()) else { continue };
        level.columns.push(column);
        level.add(path, column)?;
    }
    Ok(levels)
}

impl Level {
    fn add(&mut self, path: &Path, column: usize) -> Result<(), Fault> {
        let (keys, is_joined) = match &path.target {
            PathTarget::ListKey => {
                self.list_keys.push(column);
                return Ok(());
            }
            PathTarget::Value(keys) => (keys, false),
            PathTarget::Joined(keys) => (keys, true),
        };
        let refused = |what: &str| Err(Fault::new(format!("`{}` {what}", escape_terminal(&path.text))));
        if self.is_list {
            return refused("is read from an object that other paths read as a list");
        }
        match self.node.field(&self.path, keys.iter()) {
            None => refused("is within the list of the rows; write `[]` after that list's key"),
            Some(field) if field.is_list => refused("is a list of the rows; name a value of its items"),
            Some(field) if is_joined => {
                field.joined.push(column);
                Ok(())
            }
            Some(field) => {
                field.values.push(column);
                Ok(())
            }
        }
    }

    /// Why a path that must be there is not, after rows were read. The path was read at this level.
    pub(crate) fn absence(&self, path: &Path) -> Option<String> {
        let (PathTarget::Value(keys) | PathTarget::Joined(keys)) = &path.target else { return None };
        let mut node = &self.node;
        let mut before = self.path.clone();
        for key in keys {
            // Null stood in place of the object.
            if node.objects == 0 {
                return None;
            }
            let field = node.fields.iter().find(|field| field.key == *key)?;
            if !field.is_seen {
                return Some(node.help(&before, key));
            }
            before.clone_from(&field.path);
            match &field.inner {
                Some(inner) => node = inner,
                None => return None,
            }
        }
        None
    }

    /// What stands where the list of the next level should be.
    pub(crate) fn help_with_list(&self) -> String {
        let Some(step) = &self.step else { return String::new() };
        let mut node = &self.node;
        let mut before = self.path.clone();
        for key in step.keys.iter().chain(step.last.first()) {
            match node.fields.iter().find(|field| field.key == *key) {
                Some(PlannedField { inner: Some(inner), path, .. }) if inner.objects > 0 => {
                    before.clone_from(path);
                    node = inner;
                }
                _ => return node.help(&before, key),
            }
        }
        String::new()
    }
}

impl PlanNode {
    /// The field under these keys, which is made if need be. None if a list of the next level is on the way.
    fn field<'k>(&mut self, before: &str, keys: impl Iterator<Item = &'k String>) -> Option<&mut PlannedField> {
        let mut node = self;
        let mut path = before.to_owned();
        let mut keys = keys.peekable();
        while let Some(key) = keys.next() {
            push_key(&mut path, key);
            let at = node.fields.iter().position(|field| field.key == *key).unwrap_or_else(|| {
                node.fields.push(PlannedField { key: key.clone(), path: path.clone(), ..PlannedField::default() });
                node.fields.len() - 1
            });
            let field = node.fields.get_mut(at)?;
            if keys.peek().is_none() {
                return Some(field);
            }
            if field.is_list {
                return None;
            }
            node = field.inner.get_or_insert_default();
        }
        None
    }

    /// The list with about the name of this unread key, if the key may be a slip or damage.
    pub(crate) fn near_list(&self, key: &str) -> Option<&str> {
        suggest_near_name(key, self.fields.iter().filter(|field| field.is_list).map(|field| field.key.as_str()))
    }

    /// Remembers a key that is not read.
    pub(crate) fn note_unread(&mut self, key: &str) {
        let is_asked = self.objects <= UNREAD_OBJECTS && self.unread.len() < UNREAD_NAMES && key.len() <= 100;
        if is_asked && !self.unread.iter().any(|known| known == key) {
            self.unread.push(key.to_owned());
        }
    }

    /// The key that was probably meant, or the keys that are there.
    fn help(&self, before: &str, key: &str) -> String {
        let full = |name: &str| {
            let mut path = before.to_owned();
            push_key(&mut path, name);
            escape_terminal(&path).into_owned()
        };
        let near = suggest_near_name(key, self.unread.iter().map(String::as_str));
        if let Some(near) = near {
            return format!("; did you mean `{}`?", full(near));
        }
        let shown: Vec<String> = self.unread.iter().take(8).map(|name| format!("`{}`", full(name))).collect();
        match shown.is_empty() {
            true => String::new(),
            false => format!("; there is {}{}", shown.join(", "), if self.unread.len() > 8 { " and more" } else { "" }),
        }
    }
}
