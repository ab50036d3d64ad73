//! What `cargo xtask fuzz`, `differential`, `ties`, `simulate` and `deaths` start: the targets for a time, the
//! campaigns for a number of cases.

mod campaigns;
mod corpus;
mod fuzz;

use std::process::ExitCode;

use lendwright::lender::simulation::{SimulationOptions, Strides};

const HELP: &str = "\
lendwright-fuzz fuzz [--seconds 60] [--seed 1] [--target NAME]
    tries every target, or one, on inputs made out of fuzz/corpus; what fails is written to fuzz/artifacts
lendwright-fuzz differential [--policies 1000] [--people 50] [--seed 1]
    random policies and people, decided by lendwright and by the reference, and compared
lendwright-fuzz metrics [--cases 10000] [--seed 1]
    random metrics over random statements, worked out by lendwright and by the reference, and compared
lendwright-fuzz ties [--cases 100000] [--people 400] [--seed 1] [--threads 1]
    policies and statements whose values meet their limits exactly, or miss them by one unit, by both, and compared
lendwright-fuzz simulate [--loans 1000000] [--each 20] [--seed 1] [--threads 1]
    the lender's servicing in worlds of chance: no money may be sent twice, lost or made
lendwright-fuzz deaths [--fates 1] [--seconds 1]
    one loan, and a death at every transaction, and a second one at every later one
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
                campaigns::differential(number("--policies", 1_000)?, number("--people", 50)?, number("--seed", 1)?)
            }
            Some("metrics") => campaigns::metrics(number("--cases", 10_000)?, number("--seed", 1)?),
            Some("ties") => {
                let options = campaigns::TiesOptions {
                    cases: number("--cases", 100_000)?,
                    people: number("--people", 400)? as usize,
                    seed: number("--seed", 1)?,
                    threads: number("--threads", 1)? as usize,
                };
                campaigns::ties(&options)
            }
            #[cfg(feature = "shared")]
            Some("simulate") => {
                let options = SimulationOptions {
                    seed: number("--seed", 1)?,
                    loans: number("--loans", 1_000_000)?,
                    each: number("--each", 20)?,
                    threads: number("--threads", 1)? as usize,
                };
                campaigns::simulate(&options)
            }
            #[cfg(feature = "shared")]
            Some("deaths") => {
                let strides = Strides { fates: number("--fates", 1)? as usize, seconds: number("--seconds", 1)? };
                campaigns::deaths(strides)
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
