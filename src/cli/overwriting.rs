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
    let read = paths(&|id| !WRITTEN.contains(&id));
    for (place, (id, out)) in written.iter().enumerate() {
        if let Some((_, input)) = read.iter().find(|(_, input)| is_same_file(input, out)) {
            return Err(refuse(id, out, &format!("overwrite the input `{}`", input.display())));
        }
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
    match inputs.iter().find(|input| is_same_file(input, out)) {
        Some(input) => Err(refuse("out", out, &format!("overwrite the input `{}`", input.display()))),
        None => Ok(()),
    }
}

/// Whether both are one file that exists, under whatever names.
fn is_same_file(one: &Path, other: &Path) -> bool {
    let file = |path: &Path| path.is_file().then(|| path.canonicalize().ok()).flatten();
    file(one).is_some_and(|one| file(other) == Some(one))
}
