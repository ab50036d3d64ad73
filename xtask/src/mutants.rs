//! Takes the guards of the lender's service out, one at a time, in a copy of the sources, and runs the service's tests,
//! which must fail. The guards are listed in `tests/mutants/list.txt`; knows nothing of what they guard.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{cargo, root, target_folder};

const LIST: &str = "tests/mutants/list.txt";

/// The tests that know the service, of the crate itself, without servers and browsers. The long ones run where the
/// short ones find nothing.
const SHORT: &[&str] = &[
    "lender::loan",
    "lender::store::",
    "lender::hosted::",
    "lender::process::",
    "lender::runner::",
    "lender::operations::act",
    "--skip",
    "lender::postgres::",
];
const LONG: &[&str] = &["lender::simulation::"];

/// A mutant may keep the tests from ending.
const TIME: Duration = Duration::from_secs(300);

/// A guard that is taken out.
struct Mutant {
    /// What is missing then.
    name: String,
    file: String,
    gone: String,
    put: String,
}

/// Tries those mutants whose names contain one of the arguments, or all.
pub fn mutants(names: &[String]) -> Result<(), String> {
    let list = listed()?;
    let is_asked = |mutant: &&Mutant| names.is_empty() || names.iter().any(|name| mutant.name.contains(name));
    let list: Vec<&Mutant> = list.iter().filter(is_asked).collect();
    if list.is_empty() {
        return Err(format!("{LIST} has none of these names"));
    }
    let tree = copied()?;
    if let Some(failed) = failed_test(&tree)? {
        return Err(format!("the tests fail without any change: {failed}"));
    }
    let mut alive = Vec::new();
    for mutant in &list {
        let path = tree.join(&mutant.file);
        let text = read(&path)?;
        write(&path, &text.replacen(&mutant.gone, &mutant.put, 1))?;
        let found = failed_test(&tree)?;
        write(&path, &text)?;
        println!("{}: {}", mutant.name, found.as_deref().unwrap_or("NOT CAUGHT"));
        if found.is_none() {
            alive.push(mutant.name.as_str());
        }
    }
    println!("{} of {} caught", list.len() - alive.len(), list.len());
    if alive.is_empty() { Ok(()) } else { Err(format!("no test fails when {}", alive.join("; when "))) }
}

/// The list, each of whose entries fits the sources.
fn listed() -> Result<Vec<Mutant>, String> {
    let list = parse(&read(&root().join(LIST))?)?;
    for mutant in &list {
        let count = read(&root().join(&mutant.file))?.matches(&mutant.gone).count();
        if count != 1 {
            return Err(format!("{LIST}, `{}`: its lines are {count} times in {}", mutant.name, mutant.file));
        }
    }
    Ok(list)
}

fn parse(text: &str) -> Result<Vec<Mutant>, String> {
    let mut list: Vec<Mutant> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix("== ") {
            let [file, gone, put] = [(); 3].map(|()| String::new());
            list.push(Mutant { name: name.to_owned(), file, gone, put });
            continue;
        }
        let mutant = list.last_mut().ok_or_else(|| format!("{LIST}: `{line}` comes before any `== `"))?;
        match (line.strip_prefix('-'), line.strip_prefix('+')) {
            (Some(gone), _) => mutant.gone += &format!("{gone}\n"),
            (None, Some(put)) => mutant.put += &format!("{put}\n"),
            (None, None) => line.clone_into(&mut mutant.file),
        }
    }
    match list.iter().find(|mutant| mutant.file.is_empty() || mutant.gone.is_empty() || mutant.gone == mutant.put) {
        Some(mutant) => Err(format!("{LIST}, `{}`: a file, and lines that go", mutant.name)),
        None => Ok(list),
    }
}

/// The files of the repository, copied to a folder of their own.
fn copied() -> Result<PathBuf, String> {
    let tree = target_folder()?.join("mutants");
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .map_err(|error| format!("`git` did not start: {error}"))?;
    for file in String::from_utf8_lossy(&listed.stdout).split('\0').filter(|file| !file.is_empty()) {
        let (from, to) = (root().join(file), tree.join(file));
        // One that was removed and is still in the index.
        let Ok(bytes) = fs::read(&from) else { continue };
        // Unchanged files keep their time, and are not compiled again.
        if fs::read(&to).is_ok_and(|known| known == bytes) {
            continue;
        }
        let folder = to.parent().ok_or("a file has a folder")?;
        fs::create_dir_all(folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
        fs::write(&to, bytes).map_err(|error| format!("`{}`: {error}", to.display()))?;
    }
    Ok(tree)
}

/// The first test that fails in a copy, or why there was none to run; `None` if all pass.
fn failed_test(tree: &Path) -> Result<Option<String>, String> {
    let program = built(tree)?;
    match failed_of(tree, &program, SHORT)? {
        None => failed_of(tree, &program, LONG),
        found => Ok(found),
    }
}

/// The program of tests.
fn built(tree: &Path) -> Result<String, String> {
    let mut build = cargo();
    // The dependencies are those of the repository, and need not be compiled again.
    build.current_dir(tree).env("CARGO_TARGET_DIR", target_folder()?);
    build.args(["test", "--locked", "--lib", "--no-run", "--message-format", "json"]);
    let built = build.stderr(Stdio::piped()).output().map_err(|error| format!("`cargo` did not start: {error}"))?;
    if !built.status.success() {
        let text = String::from_utf8_lossy(&built.stdout);
        return Err(format!("a mutant does not compile:\n{}", text.lines().last().unwrap_or_default()));
    }
    let text = String::from_utf8_lossy(&built.stdout);
    let program = text.lines().filter_map(|line| crate::flat::text_of(line, "executable")).last();
    program.ok_or("`cargo` names no program of tests".to_owned())
}

fn failed_of(tree: &Path, program: &str, names: &[&str]) -> Result<Option<String>, String> {
    let log = tree.join("target-mutant.log");
    let out = fs::File::create(&log).map_err(|error| format!("`{}`: {error}", log.display()))?;
    let mut tests = Command::new(program)
        .args(names)
        .current_dir(tree)
        .stdout(out)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("the tests did not start: {error}"))?;
    let deadline = Instant::now() + TIME;
    loop {
        match tests.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() => return Ok(None),
            Some(_) => break,
            None if Instant::now() > deadline => {
                tests.kill().and_then(|()| tests.wait()).map_err(|error| error.to_string())?;
                return Ok(Some("the tests do not end".to_owned()));
            }
            None => std::thread::sleep(Duration::from_millis(100)),
        }
    }
    let text = read(&log)?;
    let failed: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED")).collect();
    match failed.split_first() {
        None => Ok(Some("the tests ended early".to_owned())),
        Some((first, [])) => Ok(Some((*first).to_owned())),
        Some((first, more)) => Ok(Some(format!("{first}, and {} more", more.len()))),
    }
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("`{}`: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("`{}`: {error}", path.display()))
}

#[test]
fn the_list_fits_the_sources() {
    let list = listed().unwrap();
    assert!(list.len() >= 20, "{}", list.len());
}

#[test]
fn a_mutant_is_a_name_a_file_and_lines() {
    let list = parse("# a remark\n\n== first\na.rs\n-x\n-y\n+z\n== second\nb.rs\n-x\n").unwrap();
    assert_eq!((list[0].file.as_str(), list[0].gone.as_str(), list[0].put.as_str()), ("a.rs", "x\ny\n", "z\n"));
    assert_eq!((list[1].name.as_str(), list[1].put.as_str()), ("second", ""));
    assert!(parse("a.rs\n").is_err() && parse("== a\nb.rs\n").is_err() && parse("== a\nb.rs\n-x\n+x\n").is_err());
}
