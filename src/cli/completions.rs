//! `completions` and `man`: shell completions and manual pages. Knows nothing of what commands do.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use super::output::{self, Failure};

/// The command line of `completions`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright completions bash > ~/.local/share/bash-completion/completions/lendwright
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
pub fn completions(args: &CompletionsArgs, mut command: Command) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "lendwright", &mut script);
    output::bytes(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the first page of the manual, or writes all pages.
pub fn man(args: &ManArgs, command: Command) -> Result<ExitCode, Failure> {
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page).map_err(Failure::message)?;
        output::bytes(&page)?;
        return Ok(ExitCode::SUCCESS);
    };
    let cannot = |error: std::io::Error| Failure::Message(format!("cannot write to `{}`: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(cannot)?;
    clap_mangen::generate_to(command.disable_help_subcommand(true), folder).map_err(cannot)?;
    output::remark(format!("the pages are in {}\n", folder.display()));
    Ok(ExitCode::SUCCESS)
}
