//! `completions` and `man`: shell completions and manual pages. Knows nothing of what commands do.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use super::command_groups::group_commands;
use super::output::{self, Failure};
use crate::run::whole_file::{Access, WholeFile, write_whole};

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
    let mut built = command.disable_help_subcommand(true);
    built.build();
    write_pages_below(&built, folder).map_err(cannot)?;
    write_whole(&folder.join("lendwright.1"), Access::Usual, &first).map_err(cannot)?;
    output::print_stderr_remark(format!("the pages are in {}\n", folder.display()));
    Ok(ExitCode::SUCCESS)
}

/// Writes the pages of the commands below one.
fn write_pages_below(command: &Command, folder: &Path) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_pages_below(below, folder)?;
        let page = Man::new(below.clone());
        let mut file = WholeFile::begin(&folder.join(page.get_filename()), Access::Usual)?;
        page.render(&mut file)?;
        file.finish_unsynced()?;
    }
    Ok(())
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
