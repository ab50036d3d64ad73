//! The pages about rule files against the rule language: every block compiles, every function is described and every
//! described one exists.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use lendwright::compile;
use lendwright::rules::{AGGREGATES, FUNCTIONS};

const HEADER: &str = "[policy]\nname = \"docs\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

/// The blocks of TOML on a page.
fn blocks(text: &str) -> Vec<String> {
    let parts = text.split("\n```toml\n").skip(1);
    parts.map(|part| part.split_once("\n```").expect("the end of a block").0.to_owned()).collect()
}

#[test]
fn the_readme_prints_what_it_says() {
    assert_eq!(follow("README.md"), 2);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("README.md")).unwrap();
    let snapshot = "tests/it/cli/snapshots/it__cli__demo__the_demo_shows_the_whole_path.snap";
    let demo = std::fs::read_to_string(root.join(snapshot)).unwrap();
    let block = page.split_once("<!-- what demo prints -->\n```text\n").unwrap().1.split_once("```").unwrap().0;
    assert!(demo.contains(block), "`demo` prints otherwise:\n{demo}");
}

/// The statement of the snippet, as the snippet prints it. A doctest compiles and runs the snippet.
#[test]
fn the_readme_shows_the_frame_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("README.md")).unwrap();
    let body = page.split_once("let body = br#\"").unwrap().1.split_once("\"#;").unwrap().0;
    let policy = lendwright::load_policy(root.join("rules/starter.toml"), &[]).unwrap();
    let statements = lendwright::read_json(body.as_bytes(), "reference 1", &lendwright::reading(&policy)).unwrap();
    let mut printed = String::new();
    for name in ["id", "trans_date", "credit", "desc"] {
        printed += &format!("{name:<12}{}\n", statements.frame().column(name).unwrap().get(0).unwrap());
    }
    let block = page.split_once("<!-- what the frame prints -->\n```text\n").unwrap().1.split_once("```").unwrap().0;
    assert_eq!(printed, block);
}

#[test]
fn every_block_of_rules_compiles() {
    let mut seen = 0;
    // The tutorial, the cookbook and the pages about policies, explanations and DMN are run, not only compiled.
    let pages = ["guides/cases.md", "guides/diff.md", "guides/editor.md", "reference/check.md", "reference/numbers.md"];
    for page in pages.into_iter().chain(["reference/rules.md", "explanation/robustness.md"]) {
        let path = folder().join(page);
        for block in blocks(&std::fs::read_to_string(&path).unwrap()) {
            let text = if block.contains("[policy]") { block } else { format!("{HEADER}\n{block}") };
            let mut read = |name: &str| {
                if name == "lists/blocked.csv" {
                    return Ok("phone,until\n08031234567,\n".to_owned());
                }
                let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules").join(name);
                std::fs::read_to_string(file).map_err(|wrong| wrong.to_string())
            };
            compile("block", &text, &mut read, &[])
                .unwrap_or_else(|refused| panic!("{}: {refused}\n{text}", path.display()));
            seen += 1;
        }
    }
    assert!(seen >= 5, "{seen} blocks");
}

#[test]
fn the_tutorial_prints_what_it_says() {
    assert!(follow("docs/tutorials/first-policy.md") > 10);
}

/// The tutorial is for Windows too, which has no `sed`, `grep` or `cut`, and whose shell does not expand `*`.
#[test]
fn the_tutorial_needs_no_program_but_lendwright() {
    let page = std::fs::read_to_string(folder().join("tutorials/first-policy.md")).unwrap();
    for command in page.lines().filter_map(|line| line.strip_prefix("$ ")) {
        assert!(command.starts_with("lendwright ") && !command.contains(['|', '>', '*', '\'']), "{command}");
    }
}

#[test]
fn the_page_about_policies_prints_what_it_says() {
    assert!(follow("docs/guides/policies.md") > 10);
}

#[test]
fn the_page_about_own_tables_prints_what_it_says() {
    assert!(follow("docs/guides/own-table.md") >= 5);
}

#[test]
fn the_page_about_backtests_prints_what_it_says() {
    assert!(follow("docs/guides/backtest.md") >= 6);
}

#[test]
fn the_page_about_explanations_prints_what_it_says() {
    assert!(follow("docs/guides/explain.md") > 3);
}

/// Follows a page as a reader would, in a folder that holds a copy of `rules/`. Gives how many commands there were.
/// - "Copy `A` to `B`" in the text copies a file.
/// - A block of TOML that begins with a file's name is that file; others go to the end of `rules/my.toml`.
/// - A `diff` block edits the file that its first line names.
/// - Commands run, and what they print is compared. A line `...` stands for any number of lines.
///
/// With `INSTA_UPDATE=always`, what they print is written into the page.
fn follow(page: &str) -> usize {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let page = std::fs::read_to_string(&file).unwrap();
    let mut parts: Vec<String> = page.split("\n```").map(str::to_owned).collect();
    let desk = tempfile::tempdir().unwrap();
    let rules = desk.path().join("rules");
    std::fs::create_dir(&rules).unwrap();
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("rules")).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_file() {
            std::fs::copy(entry.path(), rules.join(entry.file_name())).unwrap();
        }
    }
    for folder in ["words", "markets", "examples"] {
        std::fs::create_dir(rules.join(folder)).unwrap();
        for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("rules").join(folder)).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), rules.join(folder).join(entry.file_name())).unwrap();
        }
    }
    let mut commands = 0;
    for (index, part) in page.split("\n```").enumerate() {
        // Text and blocks take turns.
        if index % 2 == 0 {
            copy_files(part, desk.path());
            continue;
        }
        let (kind, block) = part.split_once('\n').unwrap();
        match kind {
            "toml" => write_rules(block, desk.path()),
            "diff" => edit(block, desk.path()),
            "console" => {
                let mut said = Vec::new();
                for command in block.lines().filter_map(|line| line.strip_prefix("$ ")) {
                    said.push(format!("$ {command}\n{}", run(command, desk.path())));
                    commands += 1;
                }
                let said = said.concat();
                if fits(block, said.trim_end()) {
                    continue;
                }
                assert!(std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always"), "{said}\npage:\n{block}");
                parts[index] = format!("console\n{}", said.trim_end());
            }
            _ => {}
        }
    }
    let updated = parts.join("\n```");
    if updated != page {
        std::fs::write(file, updated).unwrap();
    }
    commands
}

/// Does what "Copy `A` to `B`" in a text says.
fn copy_files(text: &str, desk: &Path) {
    for rest in text.split("opy `").skip(1) {
        let [from, between, to, ..] = rest.split('`').collect::<Vec<_>>()[..] else { continue };
        if between.trim() == "to" {
            std::fs::copy(desk.join(from), desk.join(to)).unwrap_or_else(|wrong| panic!("{from} to {to}: {wrong}"));
        }
    }
}

fn write_rules(block: &str, desk: &Path) {
    if let Some(name) = block.lines().next().and_then(|line| line.strip_prefix("# rules/")) {
        let file = desk.join("rules").join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, format!("{block}\n")).unwrap();
        return;
    }
    let file = desk.join("rules/my.toml");
    std::fs::write(&file, format!("{}\n{block}\n", std::fs::read_to_string(&file).unwrap())).unwrap();
}

/// Edits a file as a `diff` block says, whose first line is `--- FILE`.
fn edit(block: &str, desk: &Path) {
    let (name, lines) = block.split_once('\n').unwrap();
    let file = desk.join(name.strip_prefix("--- ").expect("the file's name"));
    let side = |marks: [char; 2]| {
        lines.lines().filter_map(|line| line.strip_prefix(marks)).fold(String::new(), |side, line| side + line + "\n")
    };
    let text = std::fs::read_to_string(&file).unwrap();
    let (before, after) = (side([' ', '-']), side([' ', '+']));
    assert_eq!(text.matches(&before).count(), 1, "{name} has once:\n{before}");
    std::fs::write(&file, text.replacen(&before, &after, 1)).unwrap();
}

/// Whether a block of a page equals the output; a line `...` of the page stands for any number of lines.
fn fits(block: &str, said: &str) -> bool {
    let mut rest = format!("{said}\n");
    for (index, part) in format!("{}\n", block.trim_end()).split("\n...\n").enumerate() {
        match rest.find(part) {
            Some(at) if index > 0 || at == 0 => rest = rest.split_off(at + part.len()),
            _ => return false,
        }
    }
    rest.is_empty() || block.trim_end().ends_with("\n...")
}

/// Runs a command line. Omits the line with a batch's duration.
fn run(command: &str, folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_lendwright")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let output =
        Command::new("sh").args(["-c", &format!("{command} 2>&1")]).current_dir(folder).env("PATH", path).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    text.lines().filter(|line| !line.starts_with("took ")).fold(String::new(), |text, line| text + line + "\n")
}

/// The last cells of the tables below a heading, where they hold an expression.
fn examples(page: &str, heading: &str) -> Vec<String> {
    let section = page.split_once(&format!("\n## {heading}\n")).expect("the heading").1;
    let section = section.split("\n## ").next().unwrap();
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix("` |")?.rsplit_once(" | `"));
    cells.map(|(_, example)| example.to_owned()).collect()
}

#[test]
fn every_example_of_a_function_compiles() {
    let page = std::fs::read_to_string(folder().join("reference/rules.md")).unwrap();
    for (heading, count) in [("Functions", 47), ("Aggregates", 12)] {
        let examples = examples(&page, heading);
        assert_eq!(examples.len(), count, "{heading}: {examples:?}");
        for example in examples {
            let text = format!(
                "{HEADER}[words]\nsalary = [\"salary\"]\n[month]\ninflow = \"SUM(credit)\"\n[counterparty]\n\
                 paid = \"SUM(credit)\"\n[metric]\nexample = \"{example}\"\n"
            );
            compile("example", &text, &mut |_| Err("no files".into()), &[])
                .unwrap_or_else(|refused| panic!("{example}: {refused}"));
        }
    }
}

/// The names before a bracket in the first column of the tables below a heading.
fn described(page: &str, heading: &str) -> BTreeSet<String> {
    let section = page.split_once(&format!("\n## {heading}\n")).expect("the heading").1;
    let section = section.split("\n## ").next().unwrap();
    let cells = section.lines().filter_map(|line| line.strip_prefix("| `")).filter_map(|line| line.split_once(" | "));
    let names = cells.flat_map(|(cell, _)| cell.split('`')).filter_map(|part| part.split_once('('));
    names.map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn the_reference_describes_every_function_and_no_other() {
    let page = std::fs::read_to_string(folder().join("reference/rules.md")).unwrap();
    for (heading, known) in [("Functions", FUNCTIONS), ("Aggregates", AGGREGATES)] {
        let known: BTreeSet<String> = known.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(described(&page, heading), known, "{heading}");
    }
}
