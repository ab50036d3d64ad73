//! Tests that the container and the published package have every file that a build reads. Reads packaging/Dockerfile,
//! Cargo.toml and the sources as text; knows nothing of their code.

use std::fs;
use std::path::{Component, Path};

use crate::scratch::Scratch;

/// A `COPY` of the Dockerfile: a path below the root of the repository, and the path where the container has it.
#[derive(Debug, PartialEq)]
struct Copied {
    from: String,
    to: String,
}

/// What the build stage copies from the repository.
fn read_copied(dockerfile: &str) -> Vec<Copied> {
    let text = format!("\n{dockerfile}").replace("\\\n", " ");
    let build_stage = text.split("\nFROM ").nth(1).unwrap_or_default();
    let copies = build_stage.lines().filter_map(|line| line.strip_prefix("COPY ")).map(str::split_whitespace);
    let mut copied = Vec::new();
    for words in copies {
        let words: Vec<&str> = words.filter(|word| !word.starts_with("--")).collect();
        let Some((target, sources)) = words.split_last() else { continue };
        copied.extend(sources.iter().map(|from| Copied {
            from: (*from).to_owned(),
            to: if *target == "./" { (*from).to_owned() } else { (*target).to_owned() },
        }));
    }
    copied
}

/// Copies what cargo looks at to describe a workspace: manifests, the lock file, and Rust files, which are targets.
fn copy_rust_files(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).expect("a folder");
        let entries = fs::read_dir(from).expect("a folder's entries").map(|entry| entry.expect("an entry").file_name());
        for name in entries.filter(|name| name != "target") {
            copy_rust_files(&from.join(&name), &to.join(&name));
        }
    } else if from.extension().is_some_and(|ending| ["lock", "rs", "toml"].iter().any(|known| ending == *known)) {
        fs::create_dir_all(to.parent().expect("a parent")).expect("a folder");
        fs::copy(from, to).expect("a copy");
    }
}

/// Runs `cargo metadata` in a folder of exactly what the build stage copies.
fn describe_workspace(dockerfile: &str, folder: &Path) -> Result<(), String> {
    for Copied { from, to } in read_copied(dockerfile) {
        copy_rust_files(&crate::root().join(from), &folder.join(to));
    }
    let described = crate::cargo()
        .args(["metadata", "--locked", "--offline", "--no-deps", "--format-version", "1"])
        .current_dir(folder)
        .output()
        .map_err(|error| error.to_string())?;
    if described.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&described.stderr).replace(&format!("{}/", folder.display()), ""))
}

/// The texts in quotes of a list in a `Cargo.toml`, such as `members`.
fn read_list(manifest: &str, key: &str) -> Vec<String> {
    let list = manifest.split_once(&format!("\n{key} = [")).and_then(|(_, rest)| rest.split_once(']'));
    list.map_or_else(Vec::new, |(list, _)| list.split('"').skip(1).step_by(2).map(str::to_owned).collect())
}

/// The paths that a build of the program reads: manifests of the workspace, and files that sources include.
fn list_needed_paths() -> Vec<String> {
    let manifest = read_below_root("Cargo.toml");
    let mut needed = ["Cargo.toml", "Cargo.lock", "build.rs", "src"].map(str::to_owned).to_vec();
    needed.extend(read_list(&manifest, "members"));
    needed.extend(list_included_files());
    needed
}

/// The files, by their paths below the root, that shipped sources have in `include_str!` and the like.
fn list_included_files() -> Vec<String> {
    let mut paths = Vec::new();
    crate::tidy::walk(&crate::root(), Path::new("src"), &mut paths);
    let mut included = Vec::new();
    for path in paths.iter().filter(|path| path.ends_with(".rs") && !crate::tidy::is_test_module(path)) {
        let folder = Path::new(path).parent().unwrap_or(Path::new(""));
        included.extend(find_included(&read_below_root(path)).iter().map(|target| resolve(folder, target)));
    }
    assert!(included.len() > 10, "the scan finds only {included:?}");
    included
}

/// The paths that a source includes, as they are written. Pages that are tests alone do not count.
fn find_included(source: &str) -> Vec<&str> {
    let shipped = source.split("#[cfg(all(doctest").next().unwrap_or_default();
    let calls = ["include_str!(\"", "include_bytes!(\"", "include!(\""];
    let paths = calls.iter().flat_map(|call| shipped.split(call).skip(1));
    paths.filter_map(|rest| rest.split('"').next()).collect()
}

fn resolve(folder: &Path, target: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let path = folder.join(target);
    for part in path.components() {
        match part {
            Component::ParentDir => drop(parts.pop()),
            part => parts.push(part.as_os_str().to_str().expect("a path of text")),
        }
    }
    parts.join("/")
}

/// The needed paths that are neither listed nor in a listed folder.
fn find_missing(needed: &[String], listed: &[String]) -> Vec<String> {
    let is_in = |path: &String, entry: &String| {
        path.strip_prefix(entry).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    needed.iter().filter(|path| !listed.iter().any(|entry| is_in(path, entry))).cloned().collect()
}

fn find_missing_copies(dockerfile: &str) -> Vec<String> {
    let copied: Vec<String> = read_copied(dockerfile).into_iter().map(|copied| copied.to).collect();
    let missing = find_missing(&list_needed_paths(), &copied);
    missing.iter().map(|path| format!("COPY {path} {path}")).collect()
}

fn read_below_root(path: &str) -> String {
    fs::read_to_string(crate::root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn the_container_copies_what_a_build_reads() {
    let dockerfile = read_below_root("packaging/Dockerfile");
    let missing = find_missing_copies(&dockerfile);
    assert!(missing.is_empty(), "packaging/Dockerfile: add to the build stage\n{}", missing.join("\n"));
    let folder = Scratch::new("container");
    if let Err(problem) = describe_workspace(&dockerfile, folder.path()) {
        panic!("packaging/Dockerfile: add a `COPY` to the build stage for what cargo does not find\n{problem}");
    }
}

#[test]
fn a_forgotten_member_of_the_workspace_is_named() {
    let without = read_below_root("packaging/Dockerfile").replace("COPY python python\n", "");
    assert_eq!(find_missing_copies(&without), ["COPY python python"]);
    let folder = Scratch::new("forgotten");
    let problem = describe_workspace(&without, folder.path()).expect_err("a member is missing");
    assert!(problem.contains("python/Cargo.toml"), "{problem}");
}

#[test]
fn the_package_has_what_sources_include() {
    let listed = read_list(&read_below_root("Cargo.toml"), "include");
    let listed: Vec<String> = listed.iter().map(|entry| entry.trim_start_matches('/').to_owned()).collect();
    let missing = find_missing(&list_included_files(), &listed);
    assert!(missing.is_empty(), "Cargo.toml: `include` lacks what sources include: {missing:?}");
}

#[test]
fn only_the_build_stage_counts() {
    let dockerfile = "# The service.\nFROM rust AS build\nCOPY Cargo.toml \\\n  build.rs ./\n\
        COPY --chown=1 src source\nFROM debian\nCOPY --from=build /lendwright /bin\n";
    let copied = |from: &str, to: &str| Copied { from: from.to_owned(), to: to.to_owned() };
    let expected = [copied("Cargo.toml", "Cargo.toml"), copied("build.rs", "build.rs"), copied("src", "source")];
    assert_eq!(read_copied(dockerfile), expected);
}

#[test]
fn includes_are_found_below_the_root() {
    let source =
        "const A: &str = include_str!(\"../../rules/a.toml\");\n#[cfg(all(doctest, x))]\ninclude_str!(\"b.md\")";
    assert_eq!(find_included(source), ["../../rules/a.toml"]);
    assert_eq!(resolve(Path::new("src/cli"), "../../rules/a.toml"), "rules/a.toml");
    let needed = ["rules/a.toml", "rules.toml"].map(str::to_owned);
    assert_eq!(find_missing(&needed, &["rules".to_owned()]), ["rules.toml"]);
}
