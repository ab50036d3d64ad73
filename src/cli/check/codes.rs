//! `check --explain CODE`: the page of a code, out of the documentation that is compiled in, so that there is one text of it.

use std::process::ExitCode;

use crate::cli::output::{self, Failure};
use crate::words::diagnostic::nearest;

const PAGE: &str = include_str!("../../../docs/reference/check.md");

/// More of a code that is none is not repeated.
const SHOWN_MAX: usize = 60;

/// Shows what the page says of a code.
pub(super) fn explain(code: &str) -> Result<ExitCode, Failure> {
    if code == "all" {
        let lines: String = sections().map(|(code, text)| format!("{code}: {}\n", first_line(text))).collect();
        return output::bytes(lines.as_bytes()).map(|()| ExitCode::SUCCESS);
    }
    let Some((_, text)) = sections().find(|(known, _)| *known == code) else {
        let help = match nearest(code, sections().map(|(known, _)| known)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`lendwright check --explain all` lists them".to_string(),
        };
        let code: String = code.chars().take(SHOWN_MAX).collect();
        return Err(Failure::said(format!("there is no code `{}`; {help}", code.escape_debug())));
    };
    let text = text.replace("```toml wrong", "Wrong:\n").replace("```toml right", "Right:\n").replace("```\n", "");
    output::line(format!("{code}\n\n{}", text.trim())).map(|()| ExitCode::SUCCESS)
}

/// The sections `### `CODE`` and what stands under each.
fn sections() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGE.split("\n### `").skip(1).filter_map(|section| {
        let (code, text) = section.split_once("`\n")?;
        Some((code, text.split("\n## ").next().unwrap_or(text)))
    })
}

fn first_line(text: &'static str) -> &'static str {
    text.trim().lines().next().unwrap_or_default()
}
