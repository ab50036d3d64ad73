//! Which files of `src` import which, and the import cycles. Reads text as `tidy` sees it and resolves paths as the
//! compiler does, but only for names: `use` lines and paths in code lead to the file that defines the item, through
//! re-exports. Knows neither types nor methods: a method call on a given value is not an import.

use std::collections::{BTreeMap, BTreeSet};

/// The files of a crate and their declarations.
pub struct Imports<'text> {
    files: BTreeMap<&'text str, Names<'text>>,
}

/// The names bound in a file's own scope, and the paths that its code uses.
#[derive(Default)]
struct Names<'text> {
    /// `mod a;` whose file is known: name and path.
    modules: BTreeMap<&'text str, &'text str>,
    items: BTreeSet<&'text str>,
    /// `use a::b as c`: the name `c` and the path `a::b`.
    imports: BTreeMap<&'text str, Vec<&'text str>>,
    globs: Vec<Vec<&'text str>>,
    paths: BTreeSet<Vec<&'text str>>,
}

/// Where a path leads.
enum Target<'text> {
    Module(&'text str),
    Item(&'text str),
}

impl<'text> Imports<'text> {
    /// From files as path and shipped code, for example (`src/a/b.rs`, ..).
    pub fn new(sources: &[(&'text str, &'text str)]) -> Imports<'text> {
        let known: BTreeSet<&'text str> = sources.iter().map(|(path, _)| *path).collect();
        let files = sources.iter().map(|(path, code)| (*path, Names::new(path, code, &known))).collect();
        Imports { files }
    }

    /// The files that each file imports from.
    pub fn edges(&self) -> BTreeMap<&'text str, BTreeSet<&'text str>> {
        let edges = |path: &'text str, names: &Names<'text>| {
            let mut found = BTreeSet::new();
            for wanted in &names.paths {
                if let Some(Target::Item(file)) = self.resolve(path, wanted, 0) {
                    found.insert(file);
                }
            }
            for glob in &names.globs {
                if let Some(Target::Module(file)) = self.resolve(path, glob, 0) {
                    found.insert(file);
                }
            }
            found.remove(path);
            found
        };
        self.files.iter().map(|(path, names)| (*path, edges(path, names))).collect()
    }

    /// Where `wanted` leads, read in the scope of the file `from`; `None` where it leaves the crate.
    fn resolve(&self, from: &'text str, wanted: &[&str], turns: usize) -> Option<Target<'text>> {
        if turns > 16 {
            return None;
        }
        let (mut at, mut rest) = match wanted.split_first()? {
            (&"crate", rest) => (self.file("src/lib.rs")?, rest),
            (&"self", rest) => (from, rest),
            _ => (from, wanted),
        };
        while let Some((name, after)) = rest.split_first() {
            if *name == "super" {
                (at, rest) = (self.file(&parent(at)?)?, after);
                continue;
            }
            match self.look_up(at, name, after.is_empty(), turns)? {
                Target::Module(file) => (at, rest) = (file, after),
                item @ Target::Item(_) => return Some(item),
            }
        }
        Some(Target::Module(at))
    }

    fn file(&self, path: &str) -> Option<&'text str> {
        self.files.get_key_value(path).map(|(path, _)| *path)
    }

    /// What `name` is in the file `at`: `last` prefers an item to a module of the same name.
    fn look_up(&self, at: &'text str, name: &str, last: bool, turns: usize) -> Option<Target<'text>> {
        let names = self.files.get(at)?;
        let module = names.modules.get(name).map(|file| Target::Module(file));
        let item = names.items.contains(name).then_some(Target::Item(at));
        let own = if last { item.or(module) } else { module.or(item) };
        let imported = || {
            let path = names.imports.get(name)?;
            // A name imported from itself, as in `use sql::sql`, would be looked up for ever.
            self.resolve(at, path, turns + 1)
        };
        let by_glob = || {
            names.globs.iter().find_map(|glob| match self.resolve(at, glob, turns + 1)? {
                Target::Module(file) if file != at => self.look_up(file, name, last, turns + 1),
                _ => None,
            })
        };
        own.or_else(imported).or_else(by_glob)
    }

    /// Sets of files each of which imports every other, directly or through others; sorted.
    pub fn cycles(&self) -> Vec<Vec<&'text str>> {
        let files: Vec<&str> = self.files.keys().copied().collect();
        let number = |file: &&str| files.binary_search(file).ok();
        let edges: Vec<Vec<usize>> = self.edges().values().map(|to| to.iter().filter_map(number).collect()).collect();
        let reached: Vec<Vec<bool>> = (0..files.len()).map(|from| reach(&edges, from)).collect();
        let mut cycles: Vec<Vec<&str>> = Vec::new();
        for from in (0..files.len()).filter(|from| reached[*from][*from]) {
            let together = (0..files.len()).filter(|to| reached[from][*to] && reached[*to][from]);
            let cycle: Vec<&str> = together.map(|file| files[file]).collect();
            if cycle[0] == files[from] {
                cycles.push(cycle);
            }
        }
        cycles
    }

    /// The arrows inside one cycle, for a message that shows where to cut.
    pub fn arrows(&self, cycle: &[&str]) -> Vec<String> {
        let edges = self.edges();
        let inside = |path: &str| edges[path].iter().filter(|to| cycle.contains(to)).copied().collect::<Vec<_>>();
        cycle.iter().map(|path| format!("{path} -> {}", inside(path).join(", "))).collect()
    }
}

/// For each file whether a path of at least one arrow leads to it.
fn reach(edges: &[Vec<usize>], from: usize) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut ahead = vec![from];
    while let Some(file) = ahead.pop() {
        for next in &edges[file] {
            if !std::mem::replace(&mut reached[*next], true) {
                ahead.push(*next);
            }
        }
    }
    reached
}

impl<'text> Names<'text> {
    fn new(path: &str, code: &'text str, known: &BTreeSet<&'text str>) -> Names<'text> {
        let mut names = Names::default();
        let tokens = tokens(code);
        let mut depth = 0;
        let mut at = 0;
        while at < tokens.len() {
            match tokens[at] {
                "{" => depth += 1,
                "}" => depth -= 1,
                // `impl Trait + use<'a>` imports nothing.
                "use" if tokens.get(at + 1) == Some(&"<") => {}
                "use" if at == 0 || tokens[at - 1] != "::" => {
                    let end = at + tokens[at..].iter().position(|token| *token == ";").unwrap_or(tokens.len() - at);
                    let public = at > 0 && (tokens[at - 1] == "pub" || tokens[at - 1] == ")");
                    names.import(&tokens[at + 1..end], &mut Vec::new(), public);
                    at = end;
                    continue;
                }
                "mod" if tokens.get(at + 2) == Some(&";") => {
                    let file =
                        module_files(path, tokens[at + 1]).iter().find_map(|file| known.get(file.as_str()).copied());
                    names.modules.extend(file.map(|file| (tokens[at + 1], file)));
                    at += 2;
                }
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union" if depth == 0 => {
                    names.items.extend(tokens.get(at + 1).filter(|name| **name != "fn"));
                }
                "macro_rules" => names.items.extend(tokens.get(at + 2)),
                // A visibility: `pub(in crate::a)` imports nothing.
                "in" if at > 1 && tokens[at - 1] == "(" && tokens[at - 2] == "pub" => {
                    at += tokens[at..].iter().position(|token| *token == ")").unwrap_or(0);
                }
                token if is_name(token) && (at == 0 || !["::", "."].contains(&tokens[at - 1])) => {
                    let mut wanted = vec![token];
                    while tokens.get(at + 1) == Some(&"::") && tokens.get(at + 2).is_some_and(|next| is_name(next)) {
                        wanted.push(tokens[at + 2]);
                        at += 2;
                    }
                    names.paths.insert(wanted);
                }
                _ => {}
            }
            at += 1;
        }
        names
    }

    /// The tree of one `use`. Names imported for the file itself are dependencies; re-exports are not.
    fn import(&mut self, tree: &[&'text str], before: &mut Vec<&'text str>, public: bool) {
        let length = before.len();
        let mut at = 0;
        while at < tree.len() {
            match tree[at] {
                "{" => {
                    let end = at + closing(&tree[at..]);
                    for part in split(&tree[at + 1..end]) {
                        self.import(part, before, public);
                    }
                    before.truncate(length);
                    return;
                }
                // Other globs import another crate's names, or an enum's.
                "*" if ["crate", "self", "super"].iter().any(|root| before.first() == Some(root)) => {
                    self.globs.push(before.clone());
                }
                "*" => {}
                "as" => {
                    self.bind(tree[at + 1], before, public);
                    before.truncate(length);
                    return;
                }
                "::" => {}
                // `use a::{self}` binds `a`; `use self::a` begins here.
                "self" if !before.is_empty() => {}
                name => before.push(name),
            }
            at += 1;
        }
        if let Some(name) = before.last().copied().filter(|_| tree.last() != Some(&"*")) {
            self.bind(name, before, public);
        }
        before.truncate(length);
    }

    fn bind(&mut self, name: &'text str, path: &[&'text str], public: bool) {
        self.imports.insert(name, path.to_vec());
        if !public {
            self.paths.insert(path.to_vec());
        }
    }
}

/// Names, `::` and single signs; everything between them is dropped.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(letter) = code[at..].chars().next() {
        let rest = &code[at..];
        let length = if letter.is_alphanumeric() || letter == '_' {
            rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            letter.len_utf8()
        };
        if !letter.is_whitespace() {
            tokens.push(&rest[..length]);
        }
        at += length;
    }
    tokens
}

fn is_name(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

/// The index of the bracket that closes the one at the beginning.
fn closing(tokens: &[&str]) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        depth += i32::from(*token == "{") - i32::from(*token == "}");
        if depth == 0 {
            return at;
        }
    }
    tokens.len()
}

/// Splits at the commas outside brackets.
fn split<'a, 'text>(tokens: &'a [&'text str]) -> Vec<&'a [&'text str]> {
    let mut depth = 0;
    let parts = tokens.split(|token| {
        depth += i32::from(*token == "{") - i32::from(*token == "}");
        *token == "," && depth == 0
    });
    parts.filter(|part| !part.is_empty()).collect()
}

/// Where the file of `mod name;` in the file `path` may be.
fn module_files(path: &str, name: &str) -> [String; 2] {
    let inside = folder(path);
    [format!("{inside}/{name}.rs"), format!("{inside}/{name}/mod.rs")]
}

/// The folder that holds the modules of a file.
fn folder(path: &str) -> &str {
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    if ["lib.rs", "main.rs", "mod.rs"].contains(&name) { above } else { path.trim_end_matches(".rs") }
}

/// The file of the module above the one of `path`: `src/a/mod.rs` for `src/a/b.rs`.
fn parent(path: &str) -> Option<String> {
    let above = folder(path).rsplit_once('/')?.0;
    Some(if above == "src" { "src/lib.rs".to_string() } else { format!("{above}/mod.rs") })
}

#[test]
fn imports_lead_to_the_file_that_defines_an_item() {
    let sources = [
        ("src/lib.rs", "pub mod a; mod e;"),
        ("src/a/mod.rs", "mod b; mod c; pub mod d; pub use self::b::{Bee, be as is}; pub(crate) use c::sea;"),
        ("src/a/b.rs", "use super::sea; pub struct Bee; pub(in crate::a) fn be() { super::d::dee() }"),
        ("src/a/c.rs", "use crate::a::{Bee, d}; pub fn sea() { d::dee(); } impl Bee { fn own() {} }"),
        ("src/a/d.rs", "pub fn a<'t>() -> impl Sized + use<'t> {} pub fn dee() { let x = y.sea(); }"),
        ("src/e.rs", "use crate::a; use std::fmt; fn f() { a::is(); fmt::b(); } "),
    ];
    let imports = Imports::new(&sources);
    let edges = imports.edges();
    let to = |path: &str| edges[path].iter().copied().collect::<Vec<_>>();
    assert_eq!(to("src/a/mod.rs"), [""; 0]);
    assert_eq!(to("src/a/b.rs"), ["src/a/c.rs", "src/a/d.rs"]);
    assert_eq!(to("src/a/c.rs"), ["src/a/b.rs", "src/a/d.rs"]);
    assert_eq!(to("src/a/d.rs"), [""; 0]);
    assert_eq!(to("src/e.rs"), ["src/a/b.rs"]);
    assert_eq!(imports.cycles(), [["src/a/b.rs", "src/a/c.rs"]]);
}
