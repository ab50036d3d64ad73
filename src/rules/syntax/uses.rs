//! Resolves `use`: reads each file that a policy uses once, and gives the namespace of its names. Reads no file itself:
//! the caller supplies the texts.

use std::collections::HashMap;
use std::path::Path;

use crate::base::diagnostic::{Diagnostic, Sources, Span};
use crate::base::digest::Digest;
use crate::rules::syntax::file::{self, RuleFile, Use};
use crate::rules::syntax::identifier::is_name;
use crate::rules::syntax::judgement::TableRowsSource;

/// Most files of a policy.
const FILES_MAX: usize = 100;

/// A file that was read for a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedFile {
    /// Its path from the policy's folder.
    pub path: String,
    /// The digest of its bytes, which `use` may require.
    pub digest: Digest,
}

/// Returns the text of a file by its path from the policy's folder, or why it cannot be read.
pub(in crate::rules) type Read<'r> = &'r mut dyn FnMut(&str) -> Result<String, String>;

/// The files of a policy.
pub(in crate::rules) struct Brought {
    /// Every file, after those it uses. The policy itself is the last.
    pub files: Vec<RuleFile>,
    /// The namespace of each source's names, unless it is the common one.
    pub spaces: HashMap<u32, String>,
    pub listed: Vec<UsedFile>,
}

/// A file found from the policy.
struct ResolvedFile {
    path: String,
    space: String,
    file: RuleFile,
    /// The first file that uses it.
    by: Option<usize>,
    /// The files that it uses, with the place of each `use`.
    uses: Vec<(usize, Span)>,
}

/// Reads the files that `main`, at `path` from the policy's folder, uses. Files are shown beside `name`.
pub(in crate::rules) fn bring_in(
    mut main: RuleFile,
    path: &str,
    name: &str,
    read: Read,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Brought {
    let folder = Path::new(name).parent().unwrap_or(Path::new("")).to_owned();
    table_files(&mut main, path, &folder, read, sources, diagnostics);
    locate_list_files(&mut main, path, diagnostics);
    let first = ResolvedFile { path: path.to_owned(), space: String::new(), file: main, by: None, uses: Vec::new() };
    let mut bringer = Bringer { folder: &folder, read, sources, diagnostics, found: vec![first] };
    let (mut spaces, mut listed) = (HashMap::new(), Vec::new());
    // Breadth first: the use nearest to the policy decides the namespace of a file that several use.
    let mut next = 0;
    while next < bringer.found.len() {
        bringer.uses_of(next, &mut spaces, &mut listed);
        next += 1;
    }
    let order = bringer.order();
    let mut found: Vec<Option<ResolvedFile>> = bringer.found.into_iter().map(Some).collect();
    let files = order.into_iter().filter_map(|index| found.get_mut(index)?.take()).map(|found| found.file).collect();
    Brought { files, spaces, listed }
}

/// The path of `written`, used in the file `by`, from the folder that all paths start at.
pub(in crate::rules) fn path_from(by: &str, written: &str) -> Result<String, &'static str> {
    if written.starts_with(['/', '\\', '~']) || written.contains(':') {
        return Err(
            "write a path relative to this file, so that the policy reads the same files wherever it is copied",
        );
    }
    let mut parts: Vec<&str> = by.split('/').collect();
    parts.pop();
    for part in written.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

struct Bringer<'b> {
    folder: &'b Path,
    read: Read<'b>,
    sources: &'b mut Sources,
    diagnostics: &'b mut Vec<Diagnostic>,
    found: Vec<ResolvedFile>,
}

impl Bringer<'_> {
    fn wrong(&mut self, span: Span, message: String, help: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error("use", span, message).help(help));
    }

    fn uses_of(&mut self, index: usize, spaces: &mut HashMap<u32, String>, listed: &mut Vec<UsedFile>) {
        let uses = self.found[index].file.uses.clone();
        for (at, used) in uses.iter().enumerate() {
            let span = used.file.span();
            let path = match path_from(&self.found[index].path, used.file.value()) {
                Ok(path) => path,
                Err(help) => {
                    self.wrong(span, format!("`{}` is not a path from this file", used.file.value()), help);
                    continue;
                }
            };
            if path == self.found[index].path {
                let help = "name the file that holds what several policies share";
                self.wrong(span, "a policy cannot use itself".into(), help);
                continue;
            }
            if uses[..at].iter().any(|before| before.file.value() == used.file.value()) {
                self.wrong(span, format!("`{}` is already used", used.file.value()), "remove one of the two");
                continue;
            }
            let Some(space) = self.space_of(index, used) else { continue };
            if let Some(known) = self.found.iter().position(|found| found.path == path) {
                if self.fits(known, index, used, &space) {
                    self.found[index].uses.push((known, span));
                }
                continue;
            }
            let Some((source, file)) = self.file(used, &path, listed) else { continue };
            let at = self.found.len();
            let file = match space.is_empty() {
                true => file,
                false => self.named(file, &space, used, spaces),
            };
            if !space.is_empty() {
                spaces.insert(source, space.clone());
            }
            self.found.push(ResolvedFile { path, space, file, by: Some(index), uses: Vec::new() });
            self.found[index].uses.push((at, span));
        }
    }

    /// The namespace of a file's names; `None` if a mistake was reported.
    fn space_of(&mut self, by: usize, used: &Use) -> Option<String> {
        let outer = self.found[by].space.clone();
        let Some(space) = &used.space else { return Some(outer) };
        let name = space.value();
        if !is_name(name) || name == "request" {
            let message = format!("`{name}` cannot be the `as` name of a file");
            self.wrong(space.span(), message, "use lower case letters, digits and _; `request` is reserved");
            return None;
        }
        Some(if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") })
    }

    /// Whether a file that was already found is in the namespace that this use gives it.
    fn fits(&mut self, known: usize, by: usize, used: &Use, space: &str) -> bool {
        let there = &self.found[known].space;
        let around = there.is_empty() || space == there || space.starts_with(&format!("{there}."));
        let fits = if used.space.is_some() { space == there } else { around };
        if known == 0 || fits {
            return true;
        }
        let (one, other) = (self.chain(known), format!("{} > {}", self.chain(by), self.found[known].path));
        let message =
            format!("`{}` is used in two ways, which give its definitions different names", self.found[known].path);
        let help = format!(
            "{one} and {other}: let the policy use it without `as`, so that every file sees its names, or use it in \
             one place only"
        );
        self.wrong(used.file.span(), message, help);
        false
    }

    fn chain(&self, index: usize) -> String {
        let mut names = vec![self.found[index].path.as_str()];
        let mut at = index;
        while let Some(by) = self.found[at].by {
            names.push(&self.found[by].path);
            at = by;
        }
        names.reverse();
        names.join(" > ")
    }

    /// Reads one file; `None` if a mistake was reported.
    fn file(&mut self, used: &Use, path: &str, listed: &mut Vec<UsedFile>) -> Option<(u32, RuleFile)> {
        let span = used.file.span();
        if self.found.len() > FILES_MAX {
            self.wrong(span, format!("more than {FILES_MAX} files"), "combine files");
            return None;
        }
        let text = match read_written_file(self.read, path) {
            Ok(text) => text,
            Err(why) => {
                let message = format!("`{}` cannot be read: {why}", used.file.value());
                self.wrong(span, message, "the path is relative to this file");
                return None;
            }
        };
        let digest = Digest::compute(text.as_bytes());
        listed.push(UsedFile { path: path.to_owned(), digest });
        if let Some(locked) = &used.digest {
            match locked.value().parse::<Digest>() {
                Ok(wanted) if wanted == digest => {}
                Ok(wanted) => {
                    let message = format!("`{path}` is not the file that was locked");
                    let help = format!(
                        "the locked digest is {wanted}, the file has {digest}: check what has changed in it first"
                    );
                    let wrong = Diagnostic::error("digest", locked.span(), message).help(help);
                    self.diagnostics.push(wrong.label("not the file's digest"));
                }
                Err(message) => {
                    let help = "`lendwright check --digests` prints what to write here";
                    self.diagnostics.push(Diagnostic::error("digest", locked.span(), message).help(help));
                }
            }
        }
        let shown = self.folder.join(path);
        let source = self.sources.add(shown.to_string_lossy(), text.clone());
        let mut file = file::read_rule_file(source, &text, self.diagnostics);
        if let Some(header) = &file.header {
            let message = "a used file must not have a [policy] section";
            let help = "put what both need into a file without [policy], and let both use that";
            self.diagnostics.push(Diagnostic::error("shadowing", header.span, message).help(help));
        }
        table_files(&mut file, path, self.folder, self.read, self.sources, self.diagnostics);
        locate_list_files(&mut file, path, self.diagnostics);
        Some((source, file))
    }

    /// The file with its names qualified as the whole policy uses them.
    fn named(&mut self, mut file: RuleFile, space: &str, used: &Use, spaces: &HashMap<u32, String>) -> RuleFile {
        if let Some(name) = &used.space
            && spaces.values().any(|known| known == space)
        {
            self.wrong(
                name.span(),
                format!("`{}` is already the `as` name of another file", name.value()),
                "choose another name",
            );
        }
        let parameters = file.parameters.iter_mut().map(|parameter| &mut parameter.name);
        let words = file.words.iter_mut().map(|list| &mut list.name);
        let lists = file.lists.iter_mut().map(|list| &mut list.name);
        let kinds = file.kinds.iter_mut().map(|kind| &mut kind.name);
        let definitions = file.definitions.iter_mut().map(|definition| &mut definition.name);
        let mut names: Vec<_> = parameters.chain(words).chain(lists).chain(kinds).chain(definitions).collect();
        for table in &mut file.tables {
            names.push(&mut table.name);
            names.extend(table.outputs.iter_mut().map(|output| &mut output.name));
        }
        for name in names {
            name.text = format!("{space}.{}", name.text);
        }
        file
    }

    /// Sorts each file after those it uses. Reports a cycle.
    fn order(&mut self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut circles = Vec::new();
        self.visit(0, &mut Vec::new(), &mut order, &mut circles);
        for (chain, span) in circles {
            let names: Vec<&str> = chain.iter().map(|index: &usize| self.found[*index].path.as_str()).collect();
            let help = format!("{}: put what both need into a file of its own", names.join(" > "));
            self.wrong(span, "these files use each other in a cycle".into(), help);
        }
        order
    }

    fn visit(
        &self,
        index: usize,
        open: &mut Vec<usize>,
        order: &mut Vec<usize>,
        circles: &mut Vec<(Vec<usize>, Span)>,
    ) {
        open.push(index);
        for (used, span) in &self.found[index].uses {
            if let Some(from) = open.iter().position(|open| open == used) {
                circles.push((open[from..].iter().copied().chain([*used]).collect(), *span));
            } else if !order.contains(used) {
                self.visit(*used, open, order, circles);
            }
        }
        open.pop();
        order.push(index);
    }
}

/// A file that people write by hand is never larger.
const WRITTEN_BYTES_MAX: usize = 4 << 20;

/// The text of a file that people write by hand.
pub(in crate::rules) fn read_written_file(read: Read, path: &str) -> Result<String, String> {
    let text = read(path)?;
    match text.len() > WRITTEN_BYTES_MAX {
        true => Err("the file is larger than 4 MB, which no rule file is".to_owned()),
        false => Ok(text),
    }
}

/// Finds where the lists of the rule file `by` are. Reads none of them.
fn locate_list_files(file: &mut RuleFile, by: &str, diagnostics: &mut Vec<Diagnostic>) {
    for list in &mut file.lists {
        let Some(file) = &list.file else { continue };
        match path_from(by, file.value()) {
            Ok(path) => list.path = Some(path),
            Err(help) => {
                let message = format!("`{}` is not a path from this file", file.value());
                diagnostics.push(Diagnostic::error("list", file.span(), message).help(help));
            }
        }
    }
}

/// Reads the rows of tables from their own files, whose paths are relative to the rule file `by`.
pub(in crate::rules) fn table_files(
    file: &mut RuleFile,
    by: &str,
    folder: &Path,
    read: Read,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for table in &mut file.tables {
        let TableRowsSource::File(named) = &table.rows else { continue };
        let (span, shown) = (named.span(), named.value());
        let text = match path_from(by, shown) {
            Ok(path) => read_written_file(read, &path).map(|text| (path, text)).map_err(|why| {
                let is_no_text = why.contains("UTF-8");
                let help = if is_no_text { "save it as UTF-8" } else { "the path is relative to this file" };
                (format!("`{shown}` cannot be read: {why}"), help)
            }),
            Err(help) => Err((format!("`{shown}` is not a path from this file"), help)),
        };
        match text {
            Ok((path, text)) => {
                let source = sources.add(folder.join(path).to_string_lossy(), text.clone());
                table.rows = crate::rules::syntax::csv::read_csv_table(source, &text, table, diagnostics);
            }
            Err((message, help)) => {
                diagnostics.push(Diagnostic::error("use", span, message).help(help));
                table.rows = TableRowsSource::Here(Vec::new());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::path_from;

    #[test]
    fn paths_are_seen_from_the_policys_folder() {
        assert_eq!(path_from("a.toml", "b.toml"), Ok("b.toml".to_owned()));
        assert_eq!(path_from("x/a.toml", "./b.toml"), Ok("x/b.toml".to_owned()));
        assert_eq!(path_from("x/a.toml", "../b.toml"), Ok("b.toml".to_owned()));
        assert_eq!(path_from("a.toml", "../b.toml"), Ok("../b.toml".to_owned()));
        assert_eq!(path_from("../a.toml", "../b.toml"), Ok("../../b.toml".to_owned()));
        for absolute in ["/etc/b.toml", "C:/b.toml", "~/b.toml", "\\\\server\\b.toml"] {
            assert!(path_from("a.toml", absolute).is_err(), "{absolute}");
        }
    }
}
