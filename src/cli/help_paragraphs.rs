//! The text under the options of a help, at the width of the terminal. In the source its paragraphs are broken into
//! lines; clap breaks long lines and keeps their indentation, but does not join short ones.

use clap::Command;

/// How far a remark about an example is indented.
const REMARK: usize = 6;

/// Joins the lines of each paragraph under the options, in every command, so that clap breaks them at the width of the
/// terminal. Examples stay as they are.
pub(super) fn join_paragraph_lines(command: Command) -> Command {
    let command = match command.get_after_help().map(ToString::to_string) {
        Some(text) => command.after_help(join_lines(&text)),
        None => command,
    };
    command.mut_subcommands(join_paragraph_lines)
}

fn join_lines(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    // The indentation of the paragraph that the next line may continue.
    let mut paragraph = None;
    let mut is_example = false;
    for line in text.lines() {
        let indentation = line.len() - line.trim_start().len();
        let continues_example = is_example && joined.ends_with('\\');
        let is_prose = !line.is_empty() && !continues_example && matches!(indentation, 0 | REMARK);
        if is_prose && paragraph == Some(indentation) {
            joined.push(' ');
            joined.push_str(line.trim_start());
        } else {
            joined.push_str(if joined.is_empty() { "" } else { "\n" });
            joined.push_str(line);
        }
        is_example = !is_prose;
        // A heading such as `Examples:` is a line of its own.
        paragraph = (is_prose && !line.ends_with(':')).then_some(indentation);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_become_one_line_and_examples_stay() {
        let text = "\
Examples:
  lendwright pull \\
      --out FILE
      shows
      more
  lendwright demo
      where the file is:
          times = 1
          status = 2
      and
      so on

One
two.
Three:
  four
five
six";
        let joined = "\
Examples:
  lendwright pull \\
      --out FILE
      shows more
  lendwright demo
      where the file is:
          times = 1
          status = 2
      and so on

One two. Three:
  four
five six";
        assert_eq!(join_lines(text), joined);
    }

    /// The width of every terminal. Examples are not broken, since a person copies them.
    #[test]
    fn examples_fit_80_columns() {
        let mut wide = Vec::new();
        collect_wide_examples(&super::super::program(), &mut wide);
        assert_eq!(wide, [""; 0]);
    }

    fn collect_wide_examples(command: &Command, wide: &mut Vec<String>) {
        let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let mut is_example = false;
        for line in text.lines() {
            is_example = line.starts_with("  lendwright ") || (is_example && line.starts_with("      --"));
            if is_example && line.chars().count() > 80 {
                wide.push(line.to_owned());
            }
        }
        command.get_subcommands().for_each(|command| collect_wide_examples(command, wide));
    }
}
