//! The `lendwright` program: parse the command line, run it, turn the result into an exit status.

fn main() -> std::process::ExitCode {
    lendwright::cli::run()
}
