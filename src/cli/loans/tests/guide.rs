//! The guide's examples: what `docs/guides/loans.md` shows is what the commands print on the filled book.

use super::{Desk, filled, parsed};
use crate::cli::loans::list::{self, ListArgs};
use crate::cli::loans::review::{self, ReviewArgs};
use crate::cli::loans::show::{self, ShowArgs};

const GUIDE: &str = include_str!("../../../../docs/guides/loans.md");

/// The words of a command line, as a shell reads them.
fn split_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('"').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

/// What a command of the guide prints; `None` for those that need a provider or files.
fn print_command(desk: &Desk, line: &str) -> Option<String> {
    let words = split_words(line.strip_prefix("lendwright service loans ")?);
    let end = words.iter().position(|word| word == "--config")?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (verb, rest) = (words[0], &words[1..end]);
    Some(match verb {
        "list" => list::format_loan_list(&parsed::<ListArgs>(rest), desk).unwrap().0,
        "show" => show::format_loan_details(&parsed::<ShowArgs>(rest), desk).unwrap(),
        "review" => review::decide_reviewed_loan(&parsed::<ReviewArgs>(rest), desk).unwrap(),
        _ => return None,
    })
}

/// Each command of the guide, with the lines that it prints. `...` replaces lines that the guide leaves out.
fn list_examples() -> Vec<(String, Vec<String>)> {
    let blocks = GUIDE.split("```console\n").skip(1).map(|block| block.split("```").next().unwrap());
    let mut examples: Vec<(String, Vec<String>)> = Vec::new();
    for line in blocks.flat_map(str::lines) {
        match (line.strip_prefix("$ "), examples.last_mut()) {
            (Some(command), _) => examples.push((command.to_owned(), Vec::new())),
            (None, Some((_, shown))) => shown.push(line.to_owned()),
            (None, None) => panic!("{line}"),
        }
    }
    examples
}

#[test]
fn the_guide_shows_what_the_commands_print() {
    let (_, desk) = filled();
    let mut verbs = Vec::new();
    for (command, shown) in list_examples() {
        let Some(printed) = print_command(&desk, &command) else { continue };
        verbs.push(command.split(' ').nth(3).unwrap().to_owned());
        let printed: Vec<&str> = printed.lines().collect();
        // Lines in their order; between two groups some may be missing where the guide says so.
        let (mut at, mut may_skip) = (0, false);
        for line in &shown {
            if line == "..." {
                may_skip = true;
                continue;
            }
            let found = printed[at..].iter().position(|other| other == line);
            let found = found.unwrap_or_else(|| panic!("{command}\n{line}\nis not in\n{}", printed[at..].join("\n")));
            assert!(found == 0 || may_skip, "{command}\n{line}\ncomes after\n{}", printed[at..at + found].join("\n"));
            (at, may_skip) = (at + found + 1, false);
        }
        assert!(at == printed.len() || may_skip, "{command}: more is printed:\n{}", printed[at..].join("\n"));
    }
    assert_eq!(verbs, ["list", "show", "review", "review", "list"]);
}
