//! `--version`, completions for shells, and pages of the manual.

use std::path::Path;
use std::process::Command;

use super::private_statement::{desk, lendwright, text};

#[test]
fn the_version_begins_with_the_number() {
    let said = text(&lendwright(&["--version"], Path::new(".")).stdout);
    assert!(said.starts_with(concat!("lendwright ", env!("CARGO_PKG_VERSION"))), "{said}");
}

#[test]
fn the_version_names_the_release_of_the_time_zones() {
    let said = text(&lendwright(&["--version"], Path::new(".")).stdout);
    let lines: Vec<&str> = said.lines().collect();
    // Scripts read the words of the first line.
    assert_eq!(lines[0].split(' ').nth(1), Some(env!("CARGO_PKG_VERSION")), "{said}");
    let release = lines[1].strip_prefix("time zones ").unwrap_or_default();
    assert!(release.len() == 5 && release.starts_with("20") && lines.len() == 2, "{said}");
    let short = text(&lendwright(&["-V"], Path::new(".")).stdout);
    assert_eq!(short.trim_end(), lines[0]);
}

#[test]
fn completions_are_scripts_that_their_shell_reads() {
    let desk = desk();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let said = lendwright(&["completions", shell], desk.path());
        let script = text(&said.stdout);
        assert!(said.status.success() && script.contains("requery"), "{shell}");
        std::fs::write(desk.path().join(shell), script).unwrap();
        if !matches!(shell, "bash" | "zsh" | "fish") {
            continue;
        }
        match Command::new(shell).arg("-n").arg(desk.path().join(shell)).output() {
            Ok(read) => assert!(read.status.success(), "{shell}: {}", text(&read.stderr)),
            Err(_) => println!("SKIPPED: there is no {shell} to read its script"),
        }
    }
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    let desk = desk();
    assert!(lendwright(&["man", "--out", "pages"], desk.path()).status.success());
    let help = text(&lendwright(&["--help"], desk.path()).stdout);
    let commands = help.split_once("\nDecide:\n").unwrap().1.split_once("\nOptions:\n").unwrap().0;
    let named: Vec<&str> = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    assert!(named.len() > 20 && named.contains(&"decide") && named.contains(&"man"), "{named:?}");
    for name in named.into_iter().filter(|name| !name.is_empty() && *name != "help") {
        let page = desk.path().join(format!("pages/lendwright-{name}.1"));
        let page = std::fs::read_to_string(&page).unwrap_or_else(|_| panic!("no page of {name}"));
        assert!(page.contains(".SH") && page.contains("DESCRIPTION"), "{name}");
    }
    let first = text(&lendwright(&["man"], desk.path()).stdout);
    assert!(first.contains(".TH lendwright 1"), "{first}");
}
