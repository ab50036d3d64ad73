//! Wrong usage and `--help`: the status, and what every command explains.

use crate::fixtures::desk::Desk;

#[test]
fn wrong_usage_is_status_2_and_said_on_standard_error() {
    let desk = Desk::new();
    let wrong: [&[&str]; 6] = [
        &["--quiet"],
        &["decied"],
        &["decide", "in/statement-000001.json"],
        &["decide", "--policy", "rules/small.toml"],
        &["decide", "--policy", "rules/small.toml", "--as-of", "2026-13-01", "in/statement-000001.json"],
        &["decide", "--policy", "rules/small.toml", "--param", "min_records", "in/statement-000001.json"],
    ];
    for args in wrong {
        let said = desk.run(args);
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{args:?}");
        assert!(!said.err.is_empty(), "{args:?}");
    }
}

#[test]
fn every_command_has_help_with_examples() {
    let desk = Desk::new();
    for command in [
        "demo",
        "decide",
        "batch",
        "columns",
        "metrics",
        "backtest",
        "sweep",
        "learn",
        "nearest",
        "performance",
        "arms",
        "explain",
        "check",
        "fmt",
        "schema",
        "lsp",
        "test",
        "replay",
        "provider pull",
        "provider send",
        "sandbox",
        "generate",
        "api",
        "service loans",
        "service reconcile",
        "service audit",
        "service backup",
        "service export",
    ] {
        let said = desk.run(&command.split(' ').chain(["--help"]).collect::<Vec<_>>());
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{command}");
        let examples = said.out.split_once("Examples:\n").map_or("", |(_, examples)| examples);
        assert!(examples.contains(&format!("  lendwright {command}")), "{command}: {}", said.out);
    }
}
