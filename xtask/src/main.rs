//! Chores, as `cargo xtask NAME`. Starts other programs and reads their results; knows nothing of the crate's code.

mod bench;
#[cfg(test)]
mod build_inputs;
mod campaigns;
mod commits;
mod criterion;
mod embedded;
mod flat;
mod guard;
mod memory;
mod mutants;
mod programs;
#[cfg(test)]
mod scratch;
mod served;
mod surface;
mod targets;
#[cfg(test)]
mod tidy;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

const HELP: &str = "\
cargo xtask ci           runs everything that must pass (.ci/run)
cargo xtask commits      checks how the commits since the last release read, or the last 50 (CONTRIBUTING.md)
cargo xtask bench [PART...] [--quick] [--built] [--show]
                         measures lendwright and its yardsticks in turn and prints the table of
                         docs/reference/performance.md. Parts: large, small, files, parquet, rules, threads, growth,
                         start, load, service, and memory, which is long and runs only when named. --built uses the
                         programs as they are, --show prints the last measurements
cargo xtask guard [--update]
                         compares allocations and instructions of the hot path with benches/guard/baseline.txt,
                         or writes it
cargo xtask criterion [ARG]
                         runs the Criterion benches, then prints their table; ARG is a name to filter by
cargo xtask table        prints the table of the last Criterion benches
cargo xtask fuzz [ARG]   tries the fuzz targets on mutations of their corpus; --seconds 60, --seed 1, --target NAME
cargo xtask differential [ARG]
                         random policies and people, by lendwright and by the reference;
                         --policies 1000, --people 50, --seed 1
cargo xtask ties [ARG]   policies and statements whose values meet their limits exactly, by both;
                         --cases 100000, --people 400, --seed 1, --threads 1
cargo xtask simulate [ARG]
                         the lender's servicing in worlds of chance; --loans 1000000, --each 20, --seed 1, --threads 1
cargo xtask deaths [ARG] one loan, and the process dies at every transaction, twice; --fates 1, --seconds 1
cargo xtask mutants [NAME...]
                         takes each guard of the lender's service out, in a copy, and says which test fails
cargo xtask campaign [NAME...] [--all]
                         runs long tests in full, of which `cargo test` tries a sample; without a name what the gate
                         runs. --all tries every case that there is. `cargo xtask campaign --list` lists the names
cargo xtask tidy         checks the house rules that the compiler does not check, listed in CONTRIBUTING.md
cargo xtask surface [--update]
                         holds the public items, as rustdoc shows them, to tests/surface.txt, or writes it
cargo xtask memory       peak memory of `decide` on one statement of 10,000, 100,000 and 1,000,000 records (Linux)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let name = arguments.first().map(String::as_str);
    let result = match name {
        Some("ci") => run(&mut Command::new(root().join(".ci/run"))),
        Some("commits") => commits::check_commits(&root()),
        Some("bench") => bench::Asked::new(&arguments[1..]).and_then(|asked| bench::bench(&asked)),
        Some("guard") => guard::guard(&arguments[1..]),
        Some("criterion") => run(&mut benches(&arguments[1..])).and_then(|()| table()),
        Some("table") => table(),
        Some(name @ ("fuzz" | "differential" | "ties" | "simulate" | "deaths")) => {
            run(&mut campaign(name, &arguments[1..]))
        }
        Some("mutants") => mutants::mutants(&arguments[1..]),
        Some("campaign") => campaigns::run_campaigns(cargo(), &arguments[1..]),
        Some("memory") => memory(),
        Some("surface") => documented().and_then(|pages| surface::surface(&root(), &pages, &arguments[1..])),
        Some("tidy") => run(cargo().args(["test", "--quiet", "--manifest-path", "xtask/Cargo.toml", "tidy"])),
        Some("help" | "--help" | "-h") => {
            println!("{HELP}");
            Ok(())
        }
        _ => {
            eprintln!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// The repository. The path that was compiled in is another checkout's if both share a target folder, because cargo
/// then takes the program for up to date.
fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    package.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR"))).join("..")
}

fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    // The variables that cargo set for this program would make build scripts run again, and rebuild everything that
    // depends on them.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

fn benches(arguments: &[String]) -> Command {
    let mut command = cargo();
    command.args(["bench", "--manifest-path", "benches/Cargo.toml", "--benches", "--"]).args(arguments);
    command
}

/// The package `fuzz/`, built with the features of the program, so that both share one compiled Polars.
fn campaign(name: &str, arguments: &[String]) -> Command {
    let mut command = cargo();
    command.args([
        "run",
        "--quiet",
        "--locked",
        "--package",
        "lendwright-fuzz",
        "--bin",
        "lendwright-fuzz",
        "--",
        name,
    ]);
    command.args(arguments);
    command
}

/// The pages of the crate, written again; where they are.
fn documented() -> Result<PathBuf, String> {
    run(cargo().args(["doc", "--quiet", "--locked", "--no-deps", "--lib"]))?;
    Ok(target_folder()?.join("doc/lendwright"))
}

fn run(command: &mut Command) -> Result<(), String> {
    programs::succeed(command)
}

fn table() -> Result<(), String> {
    let folder = target_folder()?.join("criterion");
    let measured = criterion::read(&folder)?;
    print!("{}", criterion::table(&measured));
    Ok(())
}

fn memory() -> Result<(), String> {
    let mut build = cargo();
    run(build.args(["build", "--release"]))?;
    let program = target_folder()?.join("release/lendwright");
    let folder = target_folder()?.join("memory");
    println!("| records | file | peak memory | x file | MB/s, whole process |\n|---|---|---|---|---|");
    for records in ["10000", "100000", "1000000"] {
        let out = folder.join(records);
        let mut generate = Command::new(&program);
        generate.args(["generate", "--statements", "1", "--seed", "42", "--records", records, "--out"]).arg(&out);
        run(&mut generate)?;
        let file = out.join("statement-000001.json");
        let size = std::fs::metadata(&file).map_err(|error| error.to_string())?.len();
        let mut decide = Command::new(&program);
        decide.args(["decide", "--policy", "rules/starter.toml"]).arg(&file).current_dir(root());
        let took = memory::measure(&mut decide)?;
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        println!(
            "| {records} | {:.1} MB | {:.1} MB | {:.2} | {:.0} |",
            megabytes(size),
            megabytes(took.peak_bytes),
            took.peak_bytes as f64 / size as f64,
            megabytes(size) / took.time.as_secs_f64(),
        );
    }
    std::fs::remove_dir_all(&folder).map_err(|error| error.to_string())
}

/// cargo's build folder, however it is configured.
fn target_folder() -> Result<PathBuf, String> {
    let output = cargo()
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .output()
        .map_err(|error| format!("`cargo metadata` did not start: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let folder = flat::text_of(&text, "target_directory").ok_or("`cargo metadata` names no target directory")?;
    Ok(PathBuf::from(folder))
}
