//! Commands in groups: the help, the names from before the groups, and what is printed without a command.

use crate::fixtures::campaign;
use crate::fixtures::desk::{Desk, Said};

/// Every command that moved into a group, with the subcommands below it.
const MOVED: [(&str, &[&str]); 2] = [
    (
        "provider",
        &[
            "offers",
            "pull",
            "send",
            "accept",
            "verify-account",
            "fund",
            "sms",
            "debit",
            "requery",
            "iqr",
            "iqr validate",
            "iqr request",
            "iqr bulk",
            "iqr link",
            "iqr reference",
            "bill",
            "bill create",
            "bill confirm",
        ],
    ),
    (
        "service",
        &[
            "loans",
            "loans list",
            "loans show",
            "loans review",
            "loans resolve",
            "loans payments",
            "loans post",
            "loans dismiss",
            "loans restored",
            "loans erase",
            "loans retain",
            "loans reseal",
            "reconcile",
            "audit",
            "audit verify",
            "backup",
            "export",
        ],
    ),
];

fn moved() -> impl Iterator<Item = (&'static str, &'static str)> {
    MOVED.iter().flat_map(|(group, names)| names.iter().map(|name| (*group, *name)))
}

fn run_line(desk: &Desk, line: &str) -> Said {
    desk.run(&line.split_whitespace().collect::<Vec<_>>())
}

fn parts(said: Said) -> (i32, String, String) {
    (said.status, said.out, said.err)
}

#[test]
fn help_lists_each_group_under_its_heading() {
    let desk = Desk::new();
    for line in ["--help", "-h", "help"] {
        let help = run_line(&desk, line);
        assert_eq!((help.status, help.err.as_str()), (0, ""), "{line}");
        let list = help.out.split_once("\nDecide:\n").unwrap().1.split_once("\nOptions:\n").unwrap().0;
        let list = format!("Decide:\n{list}");
        let groups: Vec<String> = list
            .split("\n\n")
            .map(|group| {
                let (heading, commands) = group.split_once('\n').unwrap();
                let names = commands.lines().map(|line| line.split_whitespace().next().unwrap());
                format!("{heading} {}", names.collect::<Vec<_>>().join(" "))
            })
            .collect();
        let expected = [
            "Decide: demo decide batch explain records corrections metrics columns",
            "Write policies: check test diff fmt table import schema lsp",
            "Evidence: backtest sweep nearest performance arms learn replay",
            "Provider: provider sandbox",
            "Lender's service: serve api decisions service",
            "Tools: generate completions man",
        ];
        assert_eq!(groups, expected, "{line}: {}", help.out);
        let wide: Vec<&str> = list.lines().filter(|line| line.chars().count() > 80).collect();
        assert_eq!(wide, [""; 0], "{line}");
    }
}

#[test]
fn a_group_lists_its_commands() {
    let desk = Desk::new();
    for (group, names) in MOVED {
        let help = run_line(&desk, &format!("{group} --help")).out;
        let list = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
        let listed: Vec<&str> = list.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
        let expected = names.iter().filter(|name| !name.contains(' ')).copied().chain(["help"]);
        assert_eq!(listed, expected.collect::<Vec<_>>());
    }
}

#[test]
fn a_former_name_prints_the_help_of_the_new_one() {
    let desk = Desk::new();
    for (group, name) in moved().step_by(campaign::size(4, 1)) {
        let help = run_line(&desk, &format!("{group} {name} --help"));
        assert_eq!((help.status, help.err.as_str()), (0, ""), "{name}");
        assert!(help.out.contains(&format!("Usage: lendwright {group} {name} ")), "{name}: {}", help.out);
        let former = [format!("{name} --help"), format!("--quiet {name} --help"), format!("help {name}")];
        for line in former {
            assert_eq!(run_line(&desk, &line).out, help.out, "{line}");
        }
        let short = run_line(&desk, &format!("{group} {name} -h")).out;
        assert_eq!(run_line(&desk, &format!("{name} -h")).out, short, "{name}");
    }
}

#[test]
fn a_former_name_has_the_same_status_and_messages() {
    let desk = Desk::new();
    let lines = ["", "--bogus", "one two three four five", "--config none.toml", "--settings none.toml"];
    for (index, (group, name)) in moved().enumerate() {
        // Each name with one line, or with all of them.
        for rest in lines.iter().skip(campaign::size(index % lines.len(), 0)).take(campaign::size(1, lines.len())) {
            let line = format!("{name} {rest}");
            let new = parts(run_line(&desk, &format!("{group} {line}")));
            assert_ne!(new.0, 0, "{line}");
            assert_eq!(parts(run_line(&desk, &line)), new, "{line}");
        }
    }
}

#[test]
fn a_former_name_does_the_same() {
    let desk = Desk::new();
    for (group, line) in [
        (
            "provider",
            "offers --customer C --born 1990-02-28 --amount-minor 500 --base-url https://p.example --provider-code L",
        ),
        ("provider", "pull R-1 --base-url https://p.example"),
        ("provider", "verify-account 0123456789 --bank 058 --customer C --base-url https://p.example"),
        (
            "provider",
            "sms --customer C --to 2348012345678 --loan L-1 Paid --base-url https://p.example --provider-code L",
        ),
    ] {
        let new = parts(run_line(&desk, &format!("{group} {line} --dry-run")));
        assert_eq!(new.0, 0, "{line}: {}", new.2);
        assert!(new.1.contains("p.example"), "{line}: {}", new.1);
        assert_eq!(parts(run_line(&desk, &format!("{line} --dry-run"))), new, "{line}");
        assert_eq!(parts(run_line(&desk, &format!("-v {line} --dry-run"))).1, new.1, "{line}");
    }
}

#[test]
fn without_arguments_the_first_steps_are_shown() {
    let desk = Desk::new();
    let said = desk.run(&[]);
    assert_eq!((said.status, said.out.as_str()), (2, ""));
    for step in [
        "lendwright demo",
        "lendwright check",
        "lendwright decide",
        "lendwright serve",
        "lendwright --help",
        "docs/README.md",
    ] {
        assert!(said.err.contains(step), "{step}: {}", said.err);
    }
    assert!(said.err.lines().count() < 24 && said.err.lines().all(|line| line.chars().count() <= 80), "{}", said.err);
    for page in said.err.split_whitespace().filter(|word| word.starts_with("docs/") || word.starts_with("rules/")) {
        assert!(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(page).exists(), "{page}");
    }
}

#[test]
fn a_slip_in_a_moved_name_suggests_the_new_one() {
    let desk = Desk::new();
    for (line, suggestion) in [
        ("pul REF-1", Some("'provider pull'")),
        ("loan list", Some("'service loans'")),
        ("help verify-acount", Some("'provider verify-account'")),
        ("decied", Some("'decide'")),
        ("provider pul", Some("'pull'")),
        ("table exprt", Some("'export'")),
        ("qqqqqqqq", None),
    ] {
        let said = run_line(&desk, line);
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{line}");
        let tip = said.err.lines().find(|line| line.contains("tip:"));
        match suggestion {
            Some(name) => assert!(tip.is_some_and(|tip| tip.contains(name)), "{line}: {}", said.err),
            None => assert_eq!(tip, None, "{line}"),
        }
    }
}

#[test]
fn the_manual_has_the_groups_and_the_new_names() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["man", "--out", "pages"]).status, 0);
    let first = desk.read("pages/lendwright.1");
    assert_eq!(first, desk.run(&["man"]).out);
    for heading in ["Decide", "\"Write policies\"", "Evidence", "Provider", "\"Lender's service\"", "Tools"] {
        assert!(first.contains(&format!("\n.SS {heading}\n")), "{heading}: {first}");
    }
    for (group, name) in moved() {
        let page = |name: &str| desk.path().join(format!("pages/lendwright-{}.1", name.replace(' ', "-")));
        assert!(page(&format!("{group} {name}")).exists(), "{group} {name}");
        assert!(!page(name).exists(), "{name}");
    }
}

#[test]
fn completions_offer_the_new_names_only() {
    let desk = Desk::new();
    let script = desk.run(&["completions", "bash"]).out;
    let offered = |function: &str| {
        let case = script.split_once(&format!("\n        {function})\n")).unwrap().1;
        let words = case.split_once("opts=\"").unwrap().1.split_once('"').unwrap().0;
        words.split(' ').map(str::to_owned).collect::<Vec<_>>()
    };
    let program = offered("lendwright");
    assert!(program.contains(&"decide".to_owned()) && program.contains(&"provider".to_owned()), "{program:?}");
    for (group, name) in moved().filter(|(_, name)| !name.contains(' ')) {
        assert!(!program.contains(&name.to_owned()), "{name}");
        assert!(offered(&format!("lendwright__subcmd__{group}")).contains(&name.to_owned()), "{group} {name}");
    }
}
