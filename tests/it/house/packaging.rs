//! The container and the unit of systemd: their paths exist, and the command line in them is one of the program.

use std::path::Path;
use std::process::Command;

fn read(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// Whether the program takes these arguments: it then complains about the file, and not about its usage.
fn is_usage(arguments: &[&str]) -> bool {
    let said = Command::new(env!("CARGO_BIN_EXE_lendwright")).args(arguments).arg("--check").output().unwrap();
    let text = String::from_utf8(said.stderr).unwrap();
    said.status.code() == Some(1) && text.contains("cannot read `/etc/lendwright/lender.toml`")
}

#[test]
fn the_dockerfile_copies_what_exists_and_runs_the_program() {
    let text = read("packaging/Dockerfile");
    let mut copied = 0;
    for line in text.lines().filter_map(|line| line.strip_prefix("COPY ")).filter(|line| !line.contains("--from=")) {
        let names: Vec<&str> = line.split_whitespace().collect();
        for name in &names[..names.len() - 1] {
            assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(name).exists(), "{name}");
            copied += 1;
        }
    }
    assert!(copied >= 5, "{copied}");
    let array = |start: &str| -> Vec<String> {
        let line = text.lines().find_map(|line| line.strip_prefix(start)).unwrap_or_else(|| panic!("no {start}"));
        serde_json::from_str(line).unwrap()
    };
    let (entry, arguments) = (array("ENTRYPOINT "), array("CMD "));
    assert_eq!(entry, ["/usr/local/bin/lendwright"]);
    assert!(is_usage(&arguments.iter().map(String::as_str).collect::<Vec<_>>()), "{arguments:?}");
    assert!(text.contains("\nUSER ") && text.contains("--locked"));
}

#[test]
fn the_units_run_the_program_and_are_well_formed() {
    for name in ["lendwright.service", "lendwright-init.service"] {
        let text = read(&format!("packaging/{name}"));
        let line = text.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/lendwright ")).unwrap();
        let arguments: Vec<&str> = line.split(' ').filter(|argument| *argument != "--init").collect();
        assert_eq!(arguments.len() < line.split(' ').count(), name.contains("init"), "only one makes a database");
        assert!(is_usage(&arguments), "{line}");
        assert!(text.lines().any(|line| line == "LimitCORE=0"), "a core of {name} would hold secrets");
        let keys: Vec<&str> = text.lines().filter_map(|line| line.split_once('=').map(|(key, _)| key)).collect();
        for key in ["NoNewPrivileges", "ProtectSystem", "StateDirectory", "CapabilityBoundingSet"] {
            assert!(keys.contains(&key), "{name}: {key}");
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging").join(name);
        match Command::new("systemd-analyze").arg("verify").arg(path).output() {
            // It also looks for the program, which is not installed here.
            Ok(said) => {
                let said = String::from_utf8(said.stderr).unwrap();
                let others: Vec<&str> = said.lines().filter(|line| !line.contains("is not executable")).collect();
                assert!(!others.iter().any(|line| line.contains(name)), "{others:?}");
            }
            Err(_) => eprintln!("SKIPPED: no systemd-analyze"),
        }
    }
    assert!(read("packaging/lendwright.service").contains("\nRestart=on-failure\n"));
}
