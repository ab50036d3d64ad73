//! Files that commands write: whole, in the place of the one before, with its rights, and nothing half next to them.

use std::fs;
use std::path::Path;

use crate::fixtures::desk::Desk;

const EXPORT: &str = "Transaction Date,Narration,Debit,Credit,Balance\n\
    2026-01-05,PAY JANUARY,,500.00,1500.00\n2026-01-15,RENT,200.00,,1300.00\n2026-02-05,PAY FEBRUARY,,500.00,1800.00\n\
    2026-02-25,RENT,200.00,,1600.00\n";

const CASES: &str = "[[case]]\nname = \"few\"\nas_of = \"2026-03-01\"\nmetrics = { records = 2, inflow = 50_000, \
    largest_debit = 0 }\nexpect = {}\n";

const STATEMENT: &str = "in/statement-000001.json";

/// The commands that write a file that is named, with the name.
const COMMANDS: [(&[&str], &str); 12] = [
    (&["explain", "--policy", "rules/small.toml", STATEMENT, "--html", "new.html"], "new.html"),
    (&["columns", "bank.csv", "--force", "--out", "bank.toml"], "bank.toml"),
    (&["import", "dmn", "loan.dmn", "--force", "--out", "loan.toml"], "loan.toml"),
    (&["test", "rules/cased.toml", "--lcov", "coverage.info"], "coverage.info"),
    (&["test", "rules/cased.toml", "--update"], "rules/cased.cases.toml"),
    (&["fmt", "loose.toml"], "loose.toml"),
    (&["table", "import", "sheet/loan.toml", "region", "sheet/edited.csv"], "sheet/region.csv"),
    (&["table", "export", "sheet/loan.toml", "grade", "grade.csv", "--force"], "grade.csv"),
    (&["metrics", "--policy", "rules/small.toml", STATEMENT, "--out", "metrics.csv"], "metrics.csv"),
    (&["metrics", "--policy", "rules/small.toml", STATEMENT, "--out", "metrics.parquet"], "metrics.parquet"),
    (&["generate", "--statements", "1", "--records", "20", "--out", "made"], "made/statement-000001.json"),
    (&["man", "--out", "pages"], "pages/lendwright.1"),
];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("bank.csv", EXPORT);
    desk.write("loan.dmn", include_str!("../../../../testdata/dmn/loan.dmn"));
    desk.write("rules/cased.toml", &desk.read("rules/small.toml"));
    desk.write("rules/cased.cases.toml", CASES);
    let said = desk.run(&["test", "rules/cased.toml", "--update"]);
    assert_eq!(said.status, 0, "{}", said.err);
    desk.write("loose.toml", "a=1\n");
    desk.write("sheet/loan.toml", include_str!("../../../../testdata/sheets/loan.toml"));
    desk.write("sheet/region.csv", include_str!("../../../../testdata/sheets/region.csv"));
    let said = desk.run(&["table", "export", "sheet/loan.toml", "region", "sheet/edited.csv"]);
    assert_eq!(said.status, 0, "{}", said.err);
    desk.write("sheet/edited.csv", &desk.read("sheet/edited.csv").replace("2000", "2100"));
    desk
}

/// Puts a file of the same use in the place that a command writes.
fn put_old(desk: &Desk, file: &str) -> String {
    let old = match file {
        "rules/cased.cases.toml" => CASES.to_owned(),
        "loose.toml" | "sheet/region.csv" => desk.read(file),
        _ => "the old content\n".to_owned(),
    };
    desk.write(file, &old);
    old
}

/// The names below a folder that are new.
fn added(folder: &Path, before: &[String]) -> Vec<String> {
    names(folder).into_iter().filter(|name| !before.contains(name)).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.path().is_dir() {
            true => all.extend(names(&entry.path())),
            false => all.push(entry.path().display().to_string()),
        }
    }
    all.sort();
    all
}

/// Somebody who has the old file open reads the old file, to its end.
#[cfg(unix)]
#[test]
fn a_file_is_replaced_whole_and_keeps_its_rights() {
    use std::os::unix::fs::PermissionsExt;
    for (command, file) in COMMANDS {
        let desk = desk();
        let old = put_old(&desk, file);
        let path = desk.path().join(file);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o604)).unwrap();
        fs::hard_link(&path, desk.path().join("opened")).unwrap();
        let before = names(desk.path());
        let said = desk.run(command);
        assert_eq!(said.status, 0, "{command:?}: {}", said.err);
        assert_ne!(fs::read(&path).unwrap(), old.as_bytes(), "{command:?}");
        assert_eq!(desk.read("opened"), old, "{command:?} writes in place");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o604, "{command:?}");
        let beside = added(desk.path(), &before).into_iter().filter(|name| !name.contains("/pages/"));
        assert_eq!(beside.collect::<Vec<_>>(), [""; 0], "{command:?}");
    }
}

/// A new file has the rights that any program's would have.
#[cfg(unix)]
#[test]
fn a_new_file_has_the_rights_of_the_system() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for (command, file) in COMMANDS {
        let desk = desk();
        if ["loose.toml", "sheet/region.csv", "rules/cased.cases.toml"].contains(&file) {
            continue;
        }
        desk.write("usual", "");
        let said = desk.run(command);
        assert_eq!(said.status, 0, "{command:?}: {}", said.err);
        assert_eq!(mode(&desk.path().join(file)), mode(&desk.path().join("usual")), "{command:?}");
    }
}

#[test]
fn a_file_that_cannot_be_written_leaves_nothing_beside_it() {
    for (command, file) in COMMANDS {
        let desk = desk();
        if ["loose.toml", "sheet/region.csv", "rules/cased.cases.toml"].contains(&file) {
            continue;
        }
        desk.write(&format!("{file}/in the way"), "");
        let before = names(desk.path());
        let said = desk.run(command);
        assert_eq!(said.status, 1, "{command:?}: {}", said.out);
        let named = file.split('/').next().unwrap();
        assert!(said.err.contains(named), "{command:?}: {}", said.err);
        let beside = added(desk.path(), &before).into_iter().filter(|name| !name.contains("/pages/"));
        assert_eq!(beside.collect::<Vec<_>>(), [""; 0], "{command:?}");
    }
}

/// A link stays one, and what it leads to is replaced.
#[cfg(unix)]
#[test]
fn a_link_is_followed() {
    for (command, file) in COMMANDS {
        let desk = desk();
        let old = put_old(&desk, file);
        let (path, target) = (desk.path().join(file), desk.path().join("elsewhere.file"));
        fs::rename(&path, &target).unwrap();
        std::os::unix::fs::symlink(&target, &path).unwrap();
        let said = desk.run(command);
        assert_eq!(said.status, 0, "{command:?}: {}", said.err);
        assert!(fs::symlink_metadata(&path).unwrap().is_symlink(), "{command:?}");
        assert_ne!(fs::read(&target).unwrap(), old.as_bytes(), "{command:?}");
    }
}

/// A device, such as standard output, is written to.
#[cfg(target_os = "linux")]
#[test]
fn a_device_is_written_to() {
    let desk = desk();
    for (command, file) in &COMMANDS[..2] {
        let to: Vec<&str> = command.iter().map(|word| if word == file { "/dev/stdout" } else { word }).collect();
        let said = desk.run(&to);
        assert_eq!(said.status, 0, "{command:?}: {}", said.err);
        assert!(said.out.contains("<html") || said.out.contains("[columns]"), "{command:?}: {}", said.out);
    }
    assert!(Path::new("/dev/stdout").exists());
}
