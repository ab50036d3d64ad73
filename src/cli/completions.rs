//! `completions` and `man`: shell completions and manual pages. Knows nothing of what commands do.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use super::command_groups::group_commands;
use super::output::{self, Failure};

/// The command line of `completions`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright completions bash \\
      > ~/.local/share/bash-completion/completions/lendwright
  lendwright completions zsh > ~/.zfunc/_lendwright
      with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc
  lendwright completions fish > ~/.config/fish/completions/lendwright.fish")]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// The command line of `man`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright man --out ~/.local/share/man/man1
      writes lendwright.1, lendwright-decide.1 and so on
  lendwright man | man -l -
      shows the first page")]
pub struct ManArgs {
    /// The folder for all pages; without it, the first page is printed
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Prints the completions of a shell.
pub fn print_completions(args: &CompletionsArgs, mut command: Command) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "lendwright", &mut script);
    output::write_stdout_bytes(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the first page of the manual, or writes all pages.
pub fn write_manual_pages(args: &ManArgs, command: Command) -> Result<ExitCode, Failure> {
    let first = render_first_page(&command).map_err(Failure::message)?;
    let Some(folder) = &args.out else {
        output::write_stdout_bytes(&first)?;
        return Ok(ExitCode::SUCCESS);
    };
    let cannot = |error: io::Error| Failure::Message(format!("cannot write to `{}`: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(cannot)?;
    clap_mangen::generate_to(command.disable_help_subcommand(true), folder).map_err(cannot)?;
    std::fs::write(folder.join("lendwright.1"), first).map_err(cannot)?;
    output::print_stderr_remark(format!("the pages are in {}\n", folder.display()));
    Ok(ExitCode::SUCCESS)
}

/// The page of the program itself: as the others, with the commands in groups.
fn render_first_page(program: &Command) -> io::Result<Vec<u8>> {
    let mut built = program.clone().disable_help_subcommand(true);
    built.build();
    let page = Man::new(built.clone());
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    text.extend_from_slice(b".SH COMMANDS\n");
    for group in group_commands(&built) {
        let commands = group.commands.into_iter().cloned();
        let part = Command::new("lendwright").disable_help_subcommand(true).subcommands(commands);
        let part = part.subcommand_help_heading(group.heading);
        let mut section = Vec::new();
        Man::new(part).render_subcommands_section(&mut section)?;
        // A section of the page becomes a part of the section of all commands.
        text.extend_from_slice(String::from_utf8_lossy(&section).replacen(".SH", ".SS", 1).as_bytes());
    }
    page.render_extra_section(&mut text)?;
    page.render_version_section(&mut text)?;
    Ok(text)
}
