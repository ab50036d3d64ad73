//! What `cargo xtask fuzz` and `cargo xtask differential` start: the targets for a time, the campaigns for so many cases.

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
lendwright-fuzz metrics [--cases 10000] [--seed 1]
    random metrics over random statements, worked out by lendwright and by the reference, and compared
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
            Some("metrics") => metrics(number("--cases", 10_000)?, number("--seed", 1)?),
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

/// The campaign over metrics, up to the first difference, which is made as small as it gets.
fn metrics(cases: u64, seed: u64) -> Result<(), String> {
    let fails = |numbers: &[u32]| lendwright_fuzz::metrics::compare(numbers).err();
    let mut known = 0;
    for number in seed..seed + cases {
        let source = &mut Source::seeded(number);
        let mut numbers: Vec<u32> = (0..40 + source.below(400)).map(|_| source.draw() as u32).collect();
        let mut told = match lendwright_fuzz::metrics::compare(&numbers) {
            Ok(values) => {
                known += values;
                continue;
            }
            Err(told) => told,
        };
        let mut at = numbers.len();
        while let Some(before) = at.checked_sub(1) {
            at = before;
            let zero = |value: &u32| [0, value % 12].into_iter().filter(|less| less < value).collect::<Vec<_>>();
            for less in numbers.get(at).map(zero).unwrap_or_default() {
                let mut smaller = numbers.clone();
                smaller[at] = less;
                if let Some(still) = fails(&smaller) {
                    (numbers, told) = (smaller, still);
                    break;
                }
            }
        }
        return Err(format!("==== seed {number}\n{told}"));
    }
    println!("{cases} cases with {known} known values, none of them different");
    Ok(())
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
