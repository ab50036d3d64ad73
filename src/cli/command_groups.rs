//! The commands in groups, each with a heading, as `--help` and the manual show them. clap has one heading for all
//! subcommands, so [`GROUPS`] says which commands belong together. What each command does is in its own description.

use std::fmt::Write;

use clap::Command;

/// The groups, and the commands of each in the order of the help.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Decide", &["demo", "decide", "batch", "explain", "records", "corrections", "metrics", "columns"]),
    ("Write policies", &["check", "test", "diff", "fmt", "table", "import", "schema", "lsp"]),
    ("Evidence", &["backtest", "sweep", "nearest", "performance", "arms", "learn", "replay"]),
    ("Provider", &["provider", "sandbox"]),
    ("Lender's service", &["serve", "api", "decisions", "service"]),
    ("Tools", &["generate", "completions", "man"]),
];

/// A heading, and the subcommands under it.
pub(super) struct CommandGroup<'a> {
    pub(super) heading: &'static str,
    pub(super) commands: Vec<&'a Command>,
}

/// The subcommands of the program by group.
pub(super) fn group_commands(program: &Command) -> Vec<CommandGroup<'_>> {
    let find_all = |names: &[&str]| names.iter().filter_map(|name| program.find_subcommand(name)).collect();
    GROUPS.iter().map(|(heading, names)| CommandGroup { heading, commands: find_all(names) }).collect()
}

/// The program, with a help that lists its commands in groups.
pub(super) fn with_grouped_help(program: Command) -> Command {
    let header = program.get_styles().get_header();
    let list = list_groups(&program);
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}\n\
         {header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    program.help_template(template)
}

/// One line per command, and a heading per group. All descriptions begin in the same column.
fn list_groups(program: &Command) -> String {
    let (header, literal) = (program.get_styles().get_header(), program.get_styles().get_literal());
    let groups = group_commands(program);
    let names = groups.iter().flat_map(|group| &group.commands).map(|command| command.get_name());
    let width = names.map(str::len).max().unwrap_or_default();
    let mut list = String::new();
    for (at, group) in groups.iter().enumerate() {
        let gap = if at == 0 { "" } else { "\n" };
        let _ = writeln!(list, "{gap}{header}{}:{header:#}", group.heading);
        for command in &group.commands {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(list, "  {literal}{:width$}{literal:#}  {about}", command.get_name());
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_exactly_one_group() {
        let program = super::super::program();
        let commands: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        // The order is the same too: completions and pages of the manual follow the declaration.
        assert_eq!(commands, grouped);
    }

    #[test]
    fn the_list_fits_a_terminal_of_80_columns() {
        let program = super::super::program().styles(clap::builder::Styles::plain());
        let list = list_groups(&program);
        let wide: Vec<&str> = list.lines().filter(|line| line.chars().count() > 80).collect();
        assert_eq!(wide, [""; 0]);
        assert_eq!(list.lines().filter(|line| line.starts_with("  ")).count(), program.get_subcommands().count());
    }
}
