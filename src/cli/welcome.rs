//! What `lendwright` prints without arguments: what to do first.

use std::io::Write;
use std::process::ExitCode;

/// The first commands to run.
pub(super) const FIRST_STEPS: &str = "\
Begin here:
  lendwright demo
      the whole path on this machine: a request, a statement, a decision, offers
  lendwright generate --out people
  lendwright check rules/starter.toml
  lendwright decide --policy rules/starter.toml --as-of 2026-10-31 people/*.json
      makes realistic statements, checks a policy, and decides each statement
  lendwright serve --config lender.toml
      runs a lender's service; docs/guides/service.md explains its settings
";

/// Prints the first steps, and where to read on. It is wrong usage all the same: a script that lost its arguments must
/// not go on.
pub(super) fn run() -> ExitCode {
    // If standard error is closed, nobody can be informed.
    let _ = write!(
        std::io::stderr().lock(),
        "Bank statements in, loan offers out.\n\n{FIRST_STEPS}\n\
         All commands:  lendwright --help\n\
         One command:   lendwright help decide\n\
         Documentation: docs/README.md in the source code\n"
    );
    ExitCode::from(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_first_step_is_a_command_line_that_parses() {
        let steps =
            FIRST_STEPS.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
        let mut count = 0;
        for step in steps {
            let parsed = super::super::parse(step.split(' ').map(Into::into).collect());
            assert!(parsed.is_ok(), "{step}: {parsed:?}");
            count += 1;
        }
        assert_eq!(count, 5);
    }
}
