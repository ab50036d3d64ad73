//! `check --explain CODE`: the section of a code from the documentation, which is compiled in, so that there is one
//! text.

use std::process::ExitCode;

use crate::base::diagnostic::nearest_candidate;
use crate::cli::output::{self, Failure};

const PAGE: &str = include_str!("../../../docs/reference/check.md");

/// How much of an unknown code the error message repeats, in characters.
const SHOWN_MAX: usize = 60;

/// Prints the section of a code.
pub(super) fn print_code_section(code: &str) -> Result<ExitCode, Failure> {
    if code == "all" {
        let lines: String = sections_of_codes().map(|(code, text)| format!("{code}: {}\n", first_line(text))).collect();
        return output::write_stdout_bytes(lines.as_bytes()).map(|()| ExitCode::SUCCESS);
    }
    let code = find_known_code(code).map_err(Failure::message)?;
    let (_, text) =
        sections_of_codes().find(|(known, _)| *known == code).expect("INVARIANT: a known code has a section");
    let text = text.replace("```toml wrong", "Wrong:\n").replace("```toml right", "Right:\n").replace("```\n", "");
    output::write_stdout_line(format!("{code}\n\n{}", text.trim())).map(|()| ExitCode::SUCCESS)
}

/// The code of this name, or what to write instead.
pub(super) fn find_known_code(code: &str) -> Result<&'static str, String> {
    sections_of_codes().map(|(known, _)| known).find(|known| *known == code).ok_or_else(|| {
        let help = match nearest_candidate(code, sections_of_codes().map(|(known, _)| known)) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "`lendwright check --explain all` lists them".to_string(),
        };
        let code: String = code.chars().take(SHOWN_MAX).collect();
        format!("there is no code `{}`; {help}", code.escape_debug())
    })
}

/// The codes (headings `### `CODE``) and the text of each section.
fn sections_of_codes() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGE.split("\n### `").skip(1).filter_map(|section| {
        let (code, text) = section.split_once("`\n")?;
        Some((code, text.split("\n## ").next().unwrap_or(text)))
    })
}

fn first_line(text: &'static str) -> &'static str {
    text.trim().lines().next().unwrap_or_default()
}
