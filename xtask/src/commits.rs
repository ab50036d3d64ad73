//! Checks that commits read as CONTRIBUTING.md says: `area: what changes`, a blank line, and why. Runs git; knows
//! nothing of what the commits change.

use std::path::Path;
use std::process::Command;

/// This commit and all before it are older than the rule. They are published, so their messages stay as they are.
const LAST_COMMIT_BEFORE_THE_RULE: &str = "0e280beba46b3e6aa68615cb373b0677d3c7352d";

/// How many commits are checked as long as there is no release.
const COMMITS_WITHOUT_RELEASE: usize = 50;

const RELEASE_TAGS: &str = "v[0-9]*.[0-9]*.[0-9]*";
const SUBJECT_COLUMNS: usize = 72;
const BODY_COLUMNS: usize = 100;

/// Checks the commits since the last release, or says why they cannot be checked: an unpacked archive has none.
pub fn check_commits(root: &Path) -> Result<(), String> {
    if let Some(reason) = find_obstacle(root) {
        eprintln!("SKIPPED: {reason}; messages of commits are NOT checked");
        return Ok(());
    }
    println!("{}", judge_history(root, LAST_COMMIT_BEFORE_THE_RULE)?);
    Ok(())
}

fn find_obstacle(root: &Path) -> Option<&'static str> {
    // A repository further up is another project's.
    if !root.join(".git").exists() {
        return Some("this folder is not a repository");
    }
    run_git(root, &["--version"]).is_err().then_some("there is no git")
}

/// The commits that are checked, and how they were chosen.
struct History {
    hashes: Vec<String>,
    choice: String,
    is_shallow: bool,
}

fn judge_history(root: &Path, last_before_rule: &str) -> Result<String, String> {
    let history = list_commits(root, last_before_rule)?;
    let (mut merges, mut faulty) = (0, Vec::new());
    for hash in &history.hashes {
        // Unlike the log, the object names all parents of a merge in a shallow clone, too.
        let object = run_git(root, &["cat-file", "commit", hash])?;
        let (header, message) = object.split_once("\n\n").unwrap_or((&object, ""));
        if header.lines().filter(|line| line.starts_with("parent ")).count() > 1 {
            merges += 1;
            continue;
        }
        let faults = find_faults(message);
        if !faults.is_empty() {
            let subject = message.lines().next().unwrap_or_default();
            faulty.push(format!("  {} {subject}\n    - {}", short(hash), faults.join("\n    - ")));
        }
    }
    let checked = history.hashes.len() - merges;
    if faulty.is_empty() {
        let shallow = if history.is_shallow { "; this clone is shallow, older commits are NOT checked" } else { "" };
        return Ok(format!("commits checked: {checked} ({}), merges skipped: {merges}{shallow}", history.choice));
    }
    Err(format!(
        "commits to reword: {} of {checked} ({}), see \"Commits\" in CONTRIBUTING.md\n{}\n\
         `git rebase --interactive` rewords commits that are not pushed yet",
        faulty.len(),
        history.choice,
        faulty.join("\n")
    ))
}

/// The commits since the last release, or the last ones if there is no release, without those older than the rule.
fn list_commits(root: &Path, last_before_rule: &str) -> Result<History, String> {
    let release = run_git(root, &["describe", "--tags", "--abbrev=0", "--match", RELEASE_TAGS]).ok();
    let release = release.map(|tag| tag.trim().to_owned());
    let (range, choice) = match &release {
        Some(tag) => (format!("{tag}..HEAD"), format!("since {tag}")),
        None => ("HEAD".to_owned(), format!("the last {COMMITS_WITHOUT_RELEASE} at most")),
    };
    let most = format!("--max-count={COMMITS_WITHOUT_RELEASE}");
    let without_old = format!("^{last_before_rule}");
    let mut arguments = vec!["rev-list", &range];
    if release.is_none() {
        arguments.push(&most);
    }
    // A shallow clone may not have it.
    if run_git(root, &["cat-file", "-e", &format!("{last_before_rule}^{{commit}}")]).is_ok() {
        arguments.push(&without_old);
    }
    let hashes = run_git(root, &arguments)?.lines().map(str::to_owned).collect();
    let is_shallow = run_git(root, &["rev-parse", "--is-shallow-repository"])?.trim() == "true";
    Ok(History { hashes, choice, is_shallow })
}

/// What is wrong with a message, in the order of its lines.
fn find_faults(message: &str) -> Vec<String> {
    let mut lines = message.trim_end().lines();
    let subject = lines.next().unwrap_or_default();
    let mut faults = Vec::new();
    if !subject.split_once(": ").is_some_and(|(area, what)| is_area(area) && !what.trim().is_empty()) {
        faults.push("the subject is not `area: what changes`, with an area such as `docs` or `rules/check`".to_owned());
    }
    let columns = subject.chars().count();
    if columns > SUBJECT_COLUMNS {
        faults.push(format!("the subject has {columns} columns, at most {SUBJECT_COLUMNS} are allowed"));
    }
    if lines.next().is_some_and(|second| !second.is_empty()) {
        faults.push("the second line is not blank".to_owned());
    }
    let body: Vec<&str> = lines.collect();
    if !body.iter().any(|line| is_reason(line)) {
        faults.push("the body is missing: say why".to_owned());
    }
    // An address cannot be broken.
    let is_long = |line: &&&str| line.chars().count() > BODY_COLUMNS && line.trim().contains(' ');
    faults.extend(body.iter().filter(is_long).map(|line| {
        let start: String = line.chars().take(30).collect();
        format!("a line of the body has more than {BODY_COLUMNS} columns: `{start}...`")
    }));
    faults
}

/// Words or paths in lower case, separated by commas: `docs`, `rules/check`, `.ci`, `cli, editor`.
fn is_area(text: &str) -> bool {
    let is_sign = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || "._/-".contains(sign);
    text.split(", ").all(|area| area.chars().all(is_sign) && area.chars().any(|sign| sign.is_ascii_lowercase()))
}

/// Whether a line of the body says anything, unlike a blank one and a trailer such as `Signed-off-by: ...`.
fn is_reason(line: &str) -> bool {
    let is_trailer = line.split_once(": ").is_some_and(|(name, _)| name.contains('-') && !name.contains(' '));
    !line.trim().is_empty() && !is_trailer
}

fn short(hash: &str) -> &str {
    hash.get(..9).unwrap_or(hash)
}

/// The output of git, or its complaint.
fn run_git(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let output =
        git(root).args(arguments).output().map_err(|error| format!("`git {}`: {error}", arguments.join(" ")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("`git {}`: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim()))
}

fn git(root: &Path) -> Command {
    let mut command = Command::new("git");
    // A hook of git sets these for the repository that it runs in.
    command.current_dir(root).env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    command
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::Stdio;

    use super::*;
    use crate::scratch::Scratch;

    const GOOD: &str = "docs: say what a commit looks like\n\nReaders of the log did not find what changed.\n";
    const UNKNOWN: &str = "0123456789012345678901234567890123456789";

    /// A new repository, or nothing where there is no git.
    fn begin_repository(name: &str) -> Option<Scratch> {
        let folder = Scratch::new(name);
        if run_git(folder.path(), &["init", "--quiet"]).is_err() {
            eprintln!("SKIPPED: there is no git; the check of commits is NOT tested on a repository");
            return None;
        }
        Some(folder)
    }

    /// Commits, with further arguments, and returns the new commit's hash.
    fn commit(root: &Path, message: &str, command: &[&str]) -> String {
        let mut commit = git(root);
        commit.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        commit.args(["-c", "user.name=A", "-c", "user.email=a@example.com"]).args(command).stdin(Stdio::piped());
        let mut running = commit.spawn().expect("git");
        running.stdin.take().expect("a pipe").write_all(message.as_bytes()).expect("written");
        assert!(running.wait().expect("git ends").success(), "{message}");
        run_git(root, &["rev-parse", "HEAD"]).expect("a hash").trim().to_owned()
    }

    fn commit_empty(root: &Path, message: &str) -> String {
        commit(root, message, &["commit", "--quiet", "--allow-empty", "--file", "-"])
    }

    fn fault(message: &str) -> String {
        find_faults(message).join("; ")
    }

    #[test]
    fn good_messages_have_no_faults() {
        for subject in ["docs: x", "lender/loan_book: x", ".ci/run: x", "cli, editor: move: rename files"] {
            assert_eq!(fault(&format!("{subject}\n\nWhy.\n")), "", "{subject}");
        }
        let wide = format!("docs: {}\n\n{}\n{}\n", "é".repeat(66), "é".repeat(100), "https://".repeat(20));
        assert_eq!(fault(&wide), "");
    }

    #[test]
    fn each_fault_is_named() {
        for subject in ["Say what it is", "Docs: x", "docs:x", "docs: ", ": x", "two words: x", "docs,: x"] {
            assert!(fault(&format!("{subject}\n\nWhy.")).contains("`area: what changes`"), "{subject}");
        }
        let long = format!("docs: {}\n\nWhy.", "x".repeat(67));
        assert_eq!(fault(&long), "the subject has 73 columns, at most 72 are allowed");
        assert_eq!(fault("docs: x\nWhy.\nMore."), "the second line is not blank");
        for body in ["", "\n\n", "\n\nSigned-off-by: A <a@example.com>"] {
            assert_eq!(fault(&format!("docs: x{body}")), "the body is missing: say why", "{body:?}");
        }
        let wide = format!("docs: x\n\nWhy.\nabc {}", "x".repeat(97));
        assert_eq!(fault(&wide), format!("a line of the body has more than 100 columns: `abc {}...`", "x".repeat(26)));
        assert_eq!(find_faults("").len(), 2);
    }

    #[test]
    fn commits_after_the_last_release_are_checked() {
        let Some(folder) = begin_repository("releases") else { return };
        let root = folder.path();
        commit_empty(root, "An old one");
        let problem = judge_history(root, UNKNOWN).expect_err("the subject has no area");
        assert!(
            problem.contains("commits to reword: 1 of 1 (the last 50 at most)") && problem.contains(" An old one\n"),
            "{problem}"
        );
        run_git(root, &["tag", "v0.1.0"]).expect("a tag");
        commit_empty(root, GOOD);
        run_git(root, &["tag", "video"]).expect("a tag that is not a release");
        commit_empty(root, GOOD);
        assert_eq!(judge_history(root, UNKNOWN), Ok("commits checked: 2 (since v0.1.0), merges skipped: 0".to_owned()));
        let hash = commit_empty(root, "Wrong again");
        let problem = judge_history(root, UNKNOWN).expect_err("the subject has no area");
        assert!(problem.contains("commits to reword: 1 of 3") && problem.contains(short(&hash)), "{problem}");
    }

    #[test]
    fn commits_older_than_the_rule_are_not_checked() {
        let Some(folder) = begin_repository("older") else { return };
        let root = folder.path();
        commit_empty(root, "An old one");
        let last = commit_empty(root, "Another old one");
        assert_eq!(
            judge_history(root, &last).as_deref(),
            Ok("commits checked: 0 (the last 50 at most), merges skipped: 0")
        );
        commit_empty(root, GOOD);
        assert_eq!(
            judge_history(root, &last).as_deref(),
            Ok("commits checked: 1 (the last 50 at most), merges skipped: 0")
        );
    }

    #[test]
    fn merges_are_skipped_in_a_shallow_clone_too() {
        let Some(folder) = begin_repository("merges") else { return };
        let root = folder.path().join("whole");
        std::fs::create_dir(&root).expect("a folder");
        run_git(&root, &["init", "--quiet"]).expect("a repository");
        let first = commit_empty(&root, GOOD);
        commit_empty(&root, GOOD);
        run_git(&root, &["checkout", "--quiet", "-b", "other", &first]).expect("a branch");
        // Not the same message: in the same second it would be the same commit.
        commit_empty(&root, &GOOD.replace("docs", "tests"));
        commit(&root, "", &["merge", "--quiet", "--message", "Merge", "-"]);
        assert_eq!(
            judge_history(&root, UNKNOWN).as_deref(),
            Ok("commits checked: 3 (the last 50 at most), merges skipped: 1")
        );
        let from = format!("file://{}", root.display());
        run_git(folder.path(), &["clone", "--quiet", "--depth", "1", &from, "shallow"]).expect("a clone");
        assert_eq!(
            judge_history(&folder.path().join("shallow"), UNKNOWN).as_deref(),
            Ok("commits checked: 0 (the last 50 at most), merges skipped: 1; \
                this clone is shallow, older commits are NOT checked")
        );
    }

    #[test]
    fn an_unpacked_archive_is_skipped() {
        let folder = Scratch::new("archive");
        assert_eq!(find_obstacle(folder.path()), Some("this folder is not a repository"));
        assert_eq!(check_commits(folder.path()), Ok(()));
    }
}
