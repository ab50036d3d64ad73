//! Commands that moved into a group keep working under the name they had before: `lendwright pull` is
//! `lendwright provider pull`. The arguments are completed before they are parsed, so both names are one command, with
//! one help and one exit status.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Command, Error, value_parser};

use super::logging::LogArgs;
use crate::base::diagnostic::nearest_candidate;

/// The groups, and the commands that were at top level before they moved there.
const MOVED: [(&str, &[&str]); 2] = [
    (
        "provider",
        &["offers", "pull", "send", "accept", "verify-account", "fund", "sms", "debit", "requery", "iqr", "bill"],
    ),
    ("service", &["loans", "reconcile", "audit", "backup", "export"]),
];

/// Inserts the group before a command that is named as before it moved. Other arguments stay unchanged.
pub(super) fn insert_group(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if let Some((at, name)) = find_command(&arguments)
        && let Some(group) = find_group(name)
    {
        arguments.insert(at, OsString::from(group));
    }
    arguments
}

/// Did you mean: adds to an error about an unknown command the name that is nearest to it, if that is one in a group.
/// clap knows only the names at top level.
pub(super) fn suggest_moved(mut error: Error, arguments: &[OsString], program: &Command) -> Error {
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some((_, written)) = find_command(arguments)
        && program.find_subcommand(written).is_none()
        && let Some(name) = nearest_candidate(written, known_names(program))
        && let Some(group) = find_group(name)
    {
        let suggestion = ContextValue::Strings(vec![format!("{group} {name}")]);
        error.insert(ContextKind::SuggestedSubcommand, suggestion);
    }
    error
}

fn known_names(program: &Command) -> impl Iterator<Item = &str> {
    let moved = MOVED.iter().flat_map(|(_, names)| names.iter().copied());
    program.get_subcommands().map(Command::get_name).chain(moved)
}

fn find_group(name: &str) -> Option<&'static str> {
    MOVED.iter().find(|(_, names)| names.contains(&name)).map(|(group, _)| *group)
}

/// Where the command is, and its name: after the program's name and the options of every command, and after `help`.
fn find_command(arguments: &[OsString]) -> Option<(usize, &str)> {
    // Only the parser knows which options take a value.
    let options = LogArgs::augment_args(Command::new("lendwright"))
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .allow_external_subcommands(true)
        .external_subcommand_value_parser(value_parser!(OsString));
    let matches = options.try_get_matches_from(arguments).ok()?;
    let (command, rest) = matches.subcommand()?;
    let after = rest.get_many::<OsString>("").map_or(0, Iterator::count);
    let is_help = command == "help" && after > 0;
    let at = arguments.len().checked_sub(if is_help { after } else { after + 1 })?;
    Some((at, arguments.get(at)?.to_str()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inserted(line: &str) -> String {
        let arguments = insert_group(line.split(' ').map(OsString::from).collect());
        arguments.iter().map(|argument| argument.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_group_goes_before_the_command() {
        for (written, meant) in [
            ("lendwright pull R", "lendwright provider pull R"),
            ("lendwright pull pull", "lendwright provider pull pull"),
            ("lendwright pull", "lendwright provider pull"),
            ("lendwright loans list --quiet", "lendwright service loans list --quiet"),
            ("lendwright -vv --log-format json pull -- -R", "lendwright -vv --log-format json provider pull -- -R"),
            ("lendwright --log-format=json audit verify", "lendwright --log-format=json service audit verify"),
            ("lendwright help iqr bulk", "lendwright help provider iqr bulk"),
            ("lendwright pull --help", "lendwright provider pull --help"),
        ] {
            assert_eq!(inserted(written), meant);
        }
    }

    #[test]
    fn other_arguments_stay_unchanged() {
        for line in [
            "lendwright",
            "lendwright help",
            "lendwright --help",
            "lendwright --help pull",
            "lendwright --bogus pull",
            "lendwright --log-format pull",
            "lendwright provider pull R",
            "lendwright provider provider",
            "lendwright service pull",
            "lendwright explain pull",
            "lendwright help demo pull",
            "lendwright list",
        ] {
            assert_eq!(inserted(line), line);
        }
    }

    /// A whole command line of each moved command.
    const LINES: [&str; 16] = [
        "offers --customer C --born 1990-02-28 --amount-minor 500 --dry-run",
        "pull R-1 --out -",
        "send decision.json --reference R-1 --offer O-1",
        "accept O-1 --customer C --account 1 --bank 058 --loan-reference R --customer-token-file t",
        "verify-account 1 --bank 058 --customer C",
        "fund L-1 --customer C --amount-minor 5 --transaction T --terminal X --loan-reference R --ledger l",
        "sms --customer C --to 234 --loan L-1 text",
        "debit L-1 --customer C --amount-minor 5 --transaction T --ledger l",
        "requery T --ledger l --release",
        "iqr bulk --ref R --quantity 3",
        "bill confirm bill.json",
        "loans review 7 --decline --note n --config c.toml",
        "reconcile --from 2026-10-01 --to 2026-10-31 --format json --config c.toml",
        "audit verify --expect 4f1c --config c.toml",
        "backup b.db --config c.toml",
        "export --out o --personal --config c.toml",
    ];

    #[test]
    fn both_names_parse_to_the_same_command() {
        let parsed = |line: &str| {
            let parsed = super::super::parse(line.split(' ').map(OsString::from).collect());
            format!("{:?}", parsed.unwrap_or_else(|error| panic!("{line}: {error}")).0)
        };
        let names = MOVED.iter().flat_map(|(group, names)| names.iter().map(move |name| (group, name)));
        for ((group, name), line) in names.zip(LINES) {
            assert!(line.starts_with(&format!("{name} ")), "{line}");
            let new = parsed(&format!("lendwright -v {group} {line}"));
            assert_eq!(parsed(&format!("lendwright -v {line}")), new);
            assert_eq!(parsed(&format!("lendwright {line} -v")), new);
        }
        assert_eq!(MOVED.iter().map(|(_, names)| names.len()).sum::<usize>(), LINES.len());
    }

    #[test]
    fn each_moved_command_is_in_its_group() {
        let program = super::super::program();
        for (group, names) in MOVED {
            let commands = program.find_subcommand(group).expect("the group");
            for name in names {
                assert!(commands.find_subcommand(name).is_some(), "{group} {name}");
                assert!(program.find_subcommand(name).is_none(), "{name} is at top level");
            }
        }
    }
}
