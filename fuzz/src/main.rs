//! What `cargo xtask fuzz` and `cargo xtask differential` start: the targets for a time, the campaign for so many cases.

mod corpus;
mod fuzz;

use std::process::ExitCode;

use lendwright_fuzz::policy::campaign::{self, Tally};
use lendwright_fuzz::random::Source;

const HELP: &str = "\
lendwright-fuzz fuzz [--seconds 60] [--seed 1] [--target NAME]
    tries every target, or one, on inputs made out of fuzz/corpus; what fails is written to fuzz/artifacts
lendwright-fuzz differential [--policies 1000] [--people 50] [--seed 1]
    random policies and people, decided by lendwright and by the reference, and compared
lendwright-fuzz corpus [--cases 2000] [--seed 1]
    prints a small corpus of such cases that reaches every shape, for testdata/differential";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let text = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).map(String::as_str)
    };
    let number = |name: &str, otherwise: u64| match text(name) {
        None => Ok(otherwise),
        Some(text) => text.parse().map_err(|_| format!("`{name}` takes a whole number, not `{text}`")),
    };
    let run = || -> Result<(), String> {
        match arguments.first().map(String::as_str) {
            Some("fuzz") => fuzz::run(number("--seconds", 60)?, number("--seed", 1)?, text("--target")),
            Some("differential") => {
                differential(number("--policies", 1_000)?, number("--people", 50)?, number("--seed", 1)?)
            }
            Some("corpus") => corpus::print(number("--cases", 2_000)? as usize, number("--seed", 1)?),
            _ => Err(HELP.to_owned()),
        }
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// What a campaign has been through, in lines.
fn report(tally: &Tally) -> String {
    let mut report = format!("{} policies, {} cases\n", tally.policies, tally.cases);
    let tables = [
        ("refused", &tally.refused),
        ("outcome", &tally.outcomes),
        ("decided by", &tally.arms),
        ("unknown", &tally.unknown),
        ("policies with", &tally.constructs),
    ];
    for (what, counted) in tables {
        counted.iter().for_each(|(name, count)| report.push_str(&format!("{what} {name}: {count}\n")));
    }
    report + &format!("customers dealt out: {}", tally.places.len())
}

/// The campaign over policies. Every difference is told; of many the first ten.
fn differential(policies: u64, people: u64, seed: u64) -> Result<(), String> {
    let mut tally = Tally::default();
    let mut different = Vec::new();
    for number in seed..seed + policies {
        if let Err(told) = campaign::one(&mut Source::seeded(number), people as usize, &mut tally) {
            different.push(format!("==== seed {number}\n{told}"));
            if different.len() == 10 {
                break;
            }
        }
    }
    println!("{}", report(&tally));
    if different.is_empty() { Ok(()) } else { Err(different.join("\n")) }
}
