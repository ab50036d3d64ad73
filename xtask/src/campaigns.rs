//! Long tests in full, of which `cargo test` tries a sample: thousands of people, every layout, kills, tables larger
//! than the memory. The tests read their size from `LENDWRIGHT_CAMPAIGN` (tests/it/fixtures/campaign.rs).

#[cfg(test)]
use std::path::Path;
use std::process::Command;

use crate::programs;

/// A campaign: its name, the tests that it runs, and what they try.
struct Campaign {
    name: &'static str,
    /// Beginnings of the names of tests, as `cargo test` takes them.
    tests: &'static [&'static str],
    about: &'static str,
}

const CAMPAIGNS: &[Campaign] = &[
    Campaign {
        name: "accuracy",
        tests: &["campaigns::accuracy", "campaigns::narration_layouts", "campaigns::collected_cases", "cli::records"],
        about: "what the shipped rules find in the records of a thousand people and in every layout",
    },
    Campaign {
        name: "policies",
        tests: &["campaigns::edited_policies", "rules::diagnostics"],
        about: "seeded edits of the shipped policies: each mistake is reported in its place",
    },
    Campaign {
        name: "reading",
        tests: &[
            "statement::formats::camt",
            "statement::merge::accounts",
            "statement::merge::generated_accounts",
            "statement::provider::record_templates",
            "statement::tables::parquet_parts",
        ],
        about: "statements that are damaged, read in parts, or spread over several accounts",
    },
    Campaign {
        name: "damage",
        tests: &["campaigns::damage", "run::batch::safety"],
        about: "columns files, customers and archives that are damaged",
    },
    Campaign {
        name: "analysis",
        tests: &[
            "campaigns::analysis_claims",
            "campaigns::same_records",
            "authoring::analysis::dictionary",
            "authoring::analysis::parameters",
            "engine::decision::exact_numbers",
            "engine::decision::invariance",
            "engine::decision::ready_metrics::columns",
            "engine::metrics::reference_evaluator",
        ],
        about: "claims about random policies, order, threads and ties, records written in other ways, columns and rows",
    },
    Campaign {
        name: "limits",
        tests: &["rules::limits", "campaigns::long_statements", "authoring::editor::typing"],
        about: "rule files beyond reason, a million records, a policy typed letter by letter",
    },
    Campaign {
        name: "commands",
        tests: &["cli::command_groups"],
        about: "every former name of a command, with every kind of line",
    },
    Campaign {
        name: "batch",
        tests: &["campaigns::batch_kills", "run::batch::large_parquet", "run::batch::bounds"],
        about: "batches that are killed at any moment, and tables larger than the memory",
    },
];

/// Runs the named campaigns, or all of them, as the gate does; with `--all` every case that there is.
pub fn run_campaigns(cargo: Command, arguments: &[String]) -> Result<(), String> {
    if arguments == ["--list"] {
        CAMPAIGNS.iter().for_each(|campaign| println!("{:<10} {}", campaign.name, campaign.about));
        return Ok(());
    }
    let (flags, names): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|argument| argument.starts_with('-'));
    let extent = match flags[..] {
        [] => "gate",
        [flag] if flag == "--all" => "all",
        _ => return Err("cargo xtask campaign [NAME...] [--all], or --list".to_owned()),
    };
    let mut tests: Vec<&str> = Vec::new();
    for name in &names {
        let campaign = CAMPAIGNS.iter().find(|campaign| campaign.name == *name);
        let known = || CAMPAIGNS.iter().map(|campaign| campaign.name).collect::<Vec<_>>().join(", ");
        tests.extend(campaign.ok_or_else(|| format!("there is no campaign `{name}`; there are {}", known()))?.tests);
    }
    if names.is_empty() {
        tests.extend(CAMPAIGNS.iter().flat_map(|campaign| campaign.tests));
    }
    let mut cargo = cargo;
    cargo.args(["test", "--locked", "--test", "it", "--", "--nocapture"]).args(tests);
    programs::succeed(cargo.env("LENDWRIGHT_CAMPAIGN", extent))
}

/// Modules of tests whose size a campaign sets, and that no campaign runs.
#[cfg(test)]
fn left_out(root: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    crate::tidy::walk(root, Path::new("tests/it"), &mut paths);
    let is_sized =
        |path: &String| std::fs::read_to_string(root.join(path)).is_ok_and(|text| text.contains("fixtures::campaign"));
    let module = |path: String| {
        let below = path.trim_start_matches("tests/it/").trim_end_matches(".rs").replace('/', "::");
        below.trim_end_matches("::mod").to_owned()
    };
    let runs =
        |module: &str| CAMPAIGNS.iter().flat_map(|campaign| campaign.tests).any(|tests| module.starts_with(tests));
    paths.into_iter().filter(is_sized).map(module).filter(|module| !runs(module)).collect()
}

#[test]
fn a_campaign_runs_every_test_that_cargo_test_samples() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    assert_eq!(left_out(root), [""; 0], "add the module to CAMPAIGNS");
    assert!(root.join("tests/it/fixtures/campaign.rs").is_file(), "the size of a campaign is set there");
}
