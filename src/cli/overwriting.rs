//! Refuses to write a result over an input, for every command at once: it looks at the arguments alone.

use std::path::{Path, PathBuf};

use clap::ArgMatches;

use super::output::Failure;

/// The arguments that name a file to write; every other path is read.
const WRITTEN: [&str; 6] = ["document", "flips", "html", "lcov", "out", "report"];

/// Refuses a file to write that is also read, or written twice.
pub(super) fn refuse_overwriting(matches: &ArgMatches) -> Result<(), Failure> {
    let mut command = matches;
    while let Some((_, within)) = command.subcommand() {
        command = within;
    }
    let paths = |is_wanted: &dyn Fn(&str) -> bool| -> Vec<(String, PathBuf)> {
        let named = |id: &str| {
            let found = command.try_get_many::<PathBuf>(id).ok().flatten();
            found.into_iter().flatten().map(|path| (id.to_owned(), path.clone())).collect::<Vec<_>>()
        };
        command.ids().map(clap::Id::as_str).filter(|id| is_wanted(id)).flat_map(named).collect()
    };
    let written = paths(&|id| WRITTEN.contains(&id));
    let read: Vec<PathBuf> = paths(&|id| !WRITTEN.contains(&id)).into_iter().map(|(_, input)| input).collect();
    for (place, (id, out)) in written.iter().enumerate() {
        refuse_overwriting_any(id, out, &read)?;
        if let Some((other, _)) = written[..place].iter().find(|(_, other)| other == out) {
            return Err(refuse(id, out, &format!("overwrite what `--{other}` writes")));
        }
    }
    Ok(())
}

fn refuse(id: &str, out: &Path, does: &str) -> Failure {
    let out = out.display();
    Failure::Message(format!("`--{id} {out}` would {does}; nothing was done: name another file"))
}

/// Results must not overwrite an input.
pub(super) fn refuse_overwriting_input(inputs: &[PathBuf], out: &Path) -> Result<(), Failure> {
    refuse_overwriting_any("out", out, inputs)
}

/// Files are compared as they are on the disk, under whatever names. One that is not there yet replaces none.
fn refuse_overwriting_any(id: &str, out: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    let file = |path: &Path| path.is_file().then(|| path.canonicalize().ok()).flatten();
    let Some(written) = file(out) else { return Ok(()) };
    match inputs.iter().find(|input| file(input).as_ref() == Some(&written)) {
        Some(input) => Err(refuse(id, out, &format!("overwrite the input `{}`", input.display()))),
        None => Ok(()),
    }
}
