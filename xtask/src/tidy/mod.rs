//! The house rules that a compiler does not check, checked in the source: floors, import cycles, banned calls, panics,
//! dead files, lengths, names and sentences.
//!
//! Justified exceptions are listed in `tidy.allow` with the reason, and may only shrink. The checks read text; they
//! know nothing of types.

mod cycles;
mod floors;
mod ratchet;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use cycles::Imports;
use floors::Plan;
use source::Source;

const FILE_LINES: usize = 600;
const FUNCTION_LINES: usize = 70;

/// The largest import cycle allowed: a few files that a reader can keep in mind together.
const CYCLE_FILES: usize = 4;

/// Calls that are banned where docs/architecture.md allows no outside world (no file, clock, environment, network or
/// chance), and what to do instead.
const OUTSIDE: &[(&str, &str)] = &[
    ("SystemTime::now", "take the moment as an argument"),
    ("Instant::now", "measure in a bench or a face"),
    ("Utc::now", "take the day as an argument (`as_of`)"),
    ("Local::now", "take the day as an argument (`as_of`)"),
    ("env::var", "take a setting as an argument"),
    ("env::args", "take a setting as an argument"),
    ("env::current_dir", "take a path in `files` or `cli`"),
    ("fs::", "take bytes; `files` reads them"),
    ("File::open", "take bytes; `files` reads them"),
    ("File::create", "return bytes; `files` or `cli` writes them"),
    ("std::net", "leave sockets to `client` and `sandbox`"),
    ("std::process", "return an error; `cli` makes the exit status"),
    ("thread::sleep", "leave waiting to `client`"),
    ("io::stdin", "take bytes; `cli` reads them"),
    ("io::stdout", "return a value; `cli` prints it"),
    ("io::stderr", "return a value; `cli` prints it"),
    ("print!", "return a value; `cli` prints it"),
    ("println!", "return a value; `cli` prints it"),
    ("eprint!", "return a warning; `cli` prints it"),
    ("eprintln!", "return a warning; `cli` prints it"),
    ("dbg!", "remove it"),
    ("thread_rng", "take a seeded generator"),
    ("rand::rng", "take a seeded generator"),
    ("rand::random", "take a seeded generator"),
    ("from_os_rng", "take a seed"),
    ("from_entropy", "take a seed"),
];

/// What ends the program where an error should be returned. `expect("INVARIANT: ...")` is allowed, with a comment
/// saying why it holds.
const PANICS: &[&str] = &[".unwrap()", ".expect(", "panic!", "todo!", "unimplemented!", "unreachable!"];

#[test]
fn exceptions_are_listed_and_only_shrink() {
    let house = &*HOUSE;
    let mut found: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for file in &house.files {
        lengths(file, &mut found);
        if !file.path.starts_with("src/") {
            continue;
        }
        if house.plan.is_pure(&file.path) {
            outside_calls(file, &mut found);
        }
        if !file.path.starts_with("src/cli/") {
            let count: usize = PANICS.iter().map(|pattern| file.source.count(pattern)).sum();
            let count = count - stated_invariants(file);
            note(&mut found, format!("panic {}", file.path), count, "return an error instead of ending the program");
        }
    }
    import_cycles(house, &mut found);
    ratchet::count(house, &mut found);
    let listed = allowed(&fs::read_to_string(root().join("xtask/tidy.allow")).expect("xtask/tidy.allow"));
    none(compare(&found, &listed), "an exception needs a line in xtask/tidy.allow with its number and its reason");
}

/// For each folder the largest set of files that all import one another, directly or through others.
fn import_cycles(house: &House, found: &mut BTreeMap<String, (usize, String)>) {
    let imports = house.imports();
    for cycle in imports.cycles().into_iter().filter(|cycle| cycle.len() > CYCLE_FILES) {
        let folder = cycle[0].split('/').nth(1).unwrap_or_default();
        let arrows = imports.arrows(&cycle).join("\n    ");
        note(found, format!("cycle src/{folder}"), cycle.len(), &format!("cut one of these imports:\n    {arrows}"));
    }
}

/// How often shipped code relies on a stated invariant: `expect("INVARIANT: ...")`. A broken one must be loud.
fn stated_invariants(file: &File) -> usize {
    const EXPECT: &str = ".expect(";
    let shipped = file.source.shipped.match_indices(EXPECT);
    // Literals are blanked in shipped code, which has the same length as the text.
    shipped.filter(|(at, _)| file.text[at + EXPECT.len()..].trim_start().starts_with("\"INVARIANT: ")).count()
}

fn lengths(file: &File, found: &mut BTreeMap<String, (usize, String)>) {
    let lines = file.source.shipped_lines(&file.text);
    if lines > FILE_LINES {
        note(found, format!("lines {}", file.path), lines, "split the file by what its parts know");
    }
    for (name, lines) in file.source.functions() {
        if lines > FUNCTION_LINES {
            note(found, format!("function {}::{name}", file.path), lines, "a function fits a screen");
        }
    }
}

fn outside_calls(file: &File, found: &mut BTreeMap<String, (usize, String)>) {
    for (call, instead) in OUTSIDE {
        note(found, format!("call {}::{call}", file.path), file.source.count(call), instead);
    }
}

fn note(found: &mut BTreeMap<String, (usize, String)>, key: String, number: usize, instead: &str) {
    if number > 0 {
        let entry = found.entry(key).or_insert((0, String::new()));
        if number > entry.0 {
            *entry = (number, instead.to_string());
        }
    }
}

/// One exception per line: `KIND PLACE NUMBER REASON`.
fn allowed(text: &str) -> BTreeMap<String, usize> {
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let entry = |line: &str| {
        let mut parts = line.splitn(4, ' ');
        let (kind, place) = (parts.next()?, parts.next()?);
        let number = parts.next()?.parse().ok()?;
        parts.next().filter(|reason| reason.trim().len() > 10)?;
        Some((format!("{kind} {place}"), number))
    };
    lines
        .map(|line| entry(line).unwrap_or_else(|| panic!("tidy.allow: `{line}` is not KIND PLACE NUMBER REASON")))
        .collect()
}

fn compare(found: &BTreeMap<String, (usize, String)>, listed: &BTreeMap<String, usize>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (key, (number, instead)) in found {
        let limit = listed.get(key).copied().unwrap_or(0);
        if *number > limit {
            wrong.push(format!("{key} {number}: {instead}"));
        }
    }
    for (key, limit) in listed {
        let number = found.get(key).map_or(0, |(number, _)| *number);
        let slack = if key.starts_with("count ") { ratchet::STEP } else { 1 };
        if number + slack <= *limit {
            wrong.push(format!(
                "{key} {limit}: it is {number} by now; the list may only shrink, so lower or remove the line"
            ));
        }
    }
    wrong
}

#[test]
fn the_list_of_exceptions_only_shrinks() {
    let found = BTreeMap::from([
        ("lines a.rs".to_string(), (700, String::new())),
        ("panic b.rs".to_string(), (2, String::new())),
    ]);
    let listed = |text: &str| compare(&found, &allowed(text)).len();
    assert_eq!(listed("lines a.rs 700 generated from the standard\npanic b.rs 2 a lock that is never poisoned"), 0);
    assert_eq!(listed("lines a.rs 699 generated from the standard\npanic b.rs 2 a lock that is never poisoned"), 1);
    assert_eq!(listed("lines a.rs 701 generated from the standard\npanic b.rs 2 a lock that is never poisoned"), 1);
    assert_eq!(listed("# nothing"), 2);
    assert_eq!(
        listed(
            "lines a.rs 700 generated from the standard\npanic b.rs 2 a lock that is never poisoned\n\
             panic c.rs 1 gone for a while"
        ),
        1
    );
}

#[test]
fn every_file_is_reached_and_says_what_it_is_for() {
    let house = &*HOUSE;
    let mut wrong = Vec::new();
    let starts_of_tests = ["tests/it/main.rs", "tests/features/lib.rs"];
    for (folder, starts) in [("src", ["src/lib.rs", "src/main.rs"]), ("tests", starts_of_tests)] {
        let mut reached = BTreeSet::new();
        for start in starts {
            reach(&house.root, start, &mut reached);
        }
        let dead = house.files(folder).filter(|file| !reached.contains(&file.path));
        wrong.extend(dead.map(|file| format!("{}: no `mod` leads to it", file.path)));
    }
    for file in &house.files {
        if !file.text.starts_with("//!") {
            wrong.push(format!("{}: begin with `//!`, what it is for", file.path));
        }
        if file.path.starts_with("src/")
            && !file.path.ends_with("mod.rs")
            && header(&file.text).contains("Must not know")
        {
            wrong.push(format!("{}: what a folder must not know is said once, in its mod.rs", file.path));
        }
        let wide = file.text.lines().enumerate().filter(|(_, line)| line.chars().count() > 120);
        wrong.extend(wide.map(|(at, _)| format!("{}:{}: more than 120 columns", file.path, at + 1)));
        let stem = Path::new(&file.path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if ["util", "utils", "helper", "helpers", "common", "manager", "misc"].contains(&stem) {
            wrong.push(format!("{}: name it after what it holds", file.path));
        }
    }
    none(wrong, "every file earns its place");
}

/// The lines of `//!` that a file opens with.
fn header(text: &str) -> String {
    text.lines().take_while(|line| line.starts_with("//!")).collect()
}

/// Follows `mod` lines from `path`, as the compiler does.
fn reach(root: &Path, path: &str, reached: &mut BTreeSet<String>) {
    let Ok(text) = fs::read_to_string(root.join(path)) else { return };
    reached.insert(path.to_string());
    let (folder, name) = path.rsplit_once('/').expect("a path with a folder");
    let inside = if ["lib.rs", "main.rs", "mod.rs"].contains(&name) {
        folder.to_string()
    } else {
        path.trim_end_matches(".rs").to_string()
    };
    for module in Source::new(&text).modules() {
        for candidate in [format!("{inside}/{module}.rs"), format!("{inside}/{module}/mod.rs")] {
            if root.join(&candidate).is_file() {
                reach(root, &candidate, reached);
            }
        }
    }
}

#[test]
fn features_gate_whole_rooms_in_few_places() {
    let house = &*HOUSE;
    let folders = house.plan.floors.keys().map(|folder| format!("src/{folder}/mod.rs"));
    let gates: BTreeSet<String> = folders.chain(["src/lib.rs".to_string()]).collect();
    let asking = house.files("src").filter(|file| !gates.contains(&file.path) && file.source.asks_for_features());
    none(
        asking.map(|file| format!("{}: asks for a feature", file.path)).collect(),
        "features are gated on the `mod` lines of src/lib.rs and of its folders' mod.rs alone",
    );
}

#[test]
fn nothing_names_the_machine_it_was_written_on() {
    let machine = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];
    let mut wrong = Vec::new();
    for path in tracked(&root()) {
        let Ok(text) = fs::read_to_string(root().join(&path)) else { continue };
        for (number, line) in text.lines().enumerate() {
            if let Some(place) = machine.into_iter().find(|place| has_path(line, place)) {
                wrong.push(format!("{path}:{}: `{place}`", number + 1));
            }
        }
    }
    none(wrong, "a path must mean something on every machine");
}

/// Whether `place` occurs as the beginning of a path, not as a folder inside one or a part of an address.
fn has_path(line: &str, place: &str) -> bool {
    let inside = |letter: char| letter.is_alphanumeric() || "-_.}".contains(letter);
    line.match_indices(place).any(|(at, _)| !line[..at].ends_with(inside))
}

#[test]
fn every_dependency_is_accounted_for() {
    let file = root().join("docs/explanation/dependencies.md");
    let page = fs::read_to_string(file).expect("docs/explanation/dependencies.md");
    let mut names = dependencies(&fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml"));
    assert!(names.contains("serde"), "dependencies are read out of Cargo.toml");
    // The benches, what they are compared with, the fuzz targets and the Python package are packages of their own.
    for package in ["benches", "benches/guard", "benches/peers/zen", "fuzz", "python"] {
        let manifest = root().join(package).join("Cargo.toml");
        names.extend(dependencies(&fs::read_to_string(manifest).unwrap_or_default()));
    }
    names.retain(|name| !name.starts_with("lendwright"));
    let row = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_string());
    let rows: BTreeSet<String> = page.lines().filter_map(row).collect();
    let missing = names.difference(&rows).map(|name| format!("`{name}` has no row"));
    let gone = rows.difference(&names).map(|name| format!("`{name}` has a row and is no longer used"));
    none(missing.chain(gone).collect(), "docs/explanation/dependencies.md says why each dependency is here");
}

/// The names in the tables of dependencies of a `Cargo.toml`.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]");
        } else if let Some((name, _)) = line.split_once(" = ").filter(|_| inside) {
            names.insert(name.to_string());
        }
    }
    names
}

/// A source file below the root.
struct File {
    path: String,
    /// How many modules it lies below the crate's root.
    depth: usize,
    text: String,
    source: Source,
}

struct House {
    root: PathBuf,
    plan: Plan,
    files: Vec<File>,
}

/// Reading the house takes seconds in a program that is not optimized.
static HOUSE: LazyLock<House> = LazyLock::new(House::read);

impl House {
    fn read() -> House {
        let page = fs::read_to_string(root().join("docs/architecture.md")).expect("docs/architecture.md");
        let mut paths = Vec::new();
        for folder in ["src", "tests", "xtask", "benches", "fuzz", "python", "examples"] {
            walk(&root(), Path::new(folder), &mut paths);
        }
        paths.retain(|path| path.ends_with(".rs"));
        House { root: root(), plan: Plan::read(&page), files: paths.into_iter().map(File::read).collect() }
    }

    /// The modules of a folder, sorted: files without their ending, and folders.
    fn children(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.root.join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
        let names = entries.filter_map(Result::ok).filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() { Some(name) } else { name.strip_suffix(".rs").map(str::to_string) }
        });
        let names: BTreeSet<String> = names.filter(|name| name != "mod" && name != "snapshots").collect();
        names.into_iter().collect()
    }

    fn imports(&self) -> Imports<'_> {
        let sources: Vec<_> =
            self.files("src").map(|file| (file.path.as_str(), file.source.shipped.as_str())).collect();
        Imports::new(&sources)
    }

    /// The Rust files of a folder of the root.
    fn files(&self, folder: &'static str) -> impl Iterator<Item = &File> {
        self.files.iter().filter(move |file| file.path.split('/').next() == Some(folder))
    }
}

impl File {
    fn read(path: String) -> File {
        let text = fs::read_to_string(root().join(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let below = path.split_once('/').map_or(path.as_str(), |(_, below)| below).trim_end_matches(".rs");
        let within = below.trim_end_matches("/mod");
        let depth = if within == "lib" || within == "main" { 0 } else { within.split('/').count() };
        let source = if is_test_module(&path) { Source::of_tests(&text) } else { Source::new(&text) };
        File { depth, source, text, path }
    }
}

/// A module of unit tests in a file of its own, which its parent declares under `#[cfg(test)]`.
pub fn is_test_module(path: &str) -> bool {
    path.starts_with("src/") && (path.ends_with("/tests.rs") || path.contains("/tests/"))
}

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Paths of files below `folder`, with `/`, sorted; without build output and files hidden from version control.
pub fn walk(root: &Path, folder: &Path, paths: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(root.join(folder)) else { return };
    let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
    entries.sort_by_key(|entry| entry.file_name());
    for entry in entries {
        let path = folder.join(entry.file_name());
        if [".git", "target", "out"].iter().any(|skipped| entry.file_name() == *skipped) {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(root, &path, paths);
        } else {
            paths.push(path.to_string_lossy().replace('\\', "/"));
        }
    }
}

/// The files that version control has or would take; all files without version control.
fn tracked(root: &Path) -> Vec<String> {
    let listing =
        Command::new("git").args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(root).output();
    match listing {
        Ok(listing) if listing.status.success() => {
            String::from_utf8_lossy(&listing.stdout).lines().map(str::to_string).collect()
        }
        _ => {
            let mut paths = Vec::new();
            walk(root, Path::new(""), &mut paths);
            paths
        }
    }
}

fn none(wrong: Vec<String>, advice: &str) {
    assert!(wrong.is_empty(), "\n  {}\n{advice}\n", wrong.join("\n  "));
}
