//! The bound of temporary disk: a run that needs more stops before it takes it, says how much it needs, and continues
//! once the bound allows it.

use super::*;

/// The size that the message recommends.
fn advised(said: &str) -> &str {
    let (_, advised) = said.split_once("give at least --temp-max ").expect(said);
    advised.split_once(',').unwrap().0
}

#[test]
fn a_run_that_needs_more_temporary_disk_ends_and_goes_on_with_more() {
    let desk = Desk::new();
    desk.write("t.csv", &csv(&shuffled(&rows(12_000, 4), 5)));
    let inputs = ["in", "t.csv"];
    assert_eq!(batch(&desk, &inputs).status, 0);
    let whole = results(&desk.path().join("out"));
    fs::remove_dir_all(desk.path().join("out")).unwrap();
    for temp in [&[][..], &["--temp", "elsewhere"]] {
        fs::create_dir_all(desk.path().join("elsewhere")).unwrap();
        let bounded = |most: &str| batch(&desk, &[temp, &["--temp-max", most], &inputs].concat());
        let said = bounded("1MiB");
        assert_eq!((said.status, said.out.as_str()), (1, ""), "{}", said.err);
        assert!(said.err.contains("--temp-max allows 1 MiB") && said.err.contains("to resume"), "{}", said.err);
        // Its temporary files are gone.
        for folder in ["out/work/runs", "elsewhere"] {
            let left = fs::read_dir(desk.path().join(folder)).map_or(0, |left| left.count());
            assert!(left <= usize::from(folder == "elsewhere"), "{folder}: {left}");
        }
        let most = advised(&said.err).to_owned();
        let said = bounded(&most);
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{most}");
        assert_eq!(results(&desk.path().join("out")), whole);
        fs::remove_dir_all(desk.path().join("out")).unwrap();
    }
    // Tables in order need no temporary disk.
    desk.write("t.csv", &csv(&rows(12_000, 4)));
    let said = batch(&desk, &["--temp-max", "1", "in", "t.csv"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
}

#[test]
fn a_run_begins_anew_with_a_temporary_folder() {
    let desk = Desk::new();
    desk.write("t.csv", &csv(&shuffled(&rows(2_000, 4), 5)));
    for _ in 0..2 {
        let said = batch(&desk, &["--temp", "elsewhere", "--restart", "t.csv"]);
        assert_eq!((said.status, said.err.as_str()), (0, ""));
        assert!(said.out.starts_with("decided 2,000 statements"), "{}", said.out);
    }
}

#[test]
fn members_that_are_laid_down_count() {
    let desk = Desk::new();
    let path = desk.path().join("t.parquet");
    super::large_parquet::write_table(&path, 4_000, 1 << 16, <[String]>::to_vec);
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.len() > 2 << 20);
    fs::write(desk.path().join("book.tar"), super::archives::tar(&[("t.parquet".to_owned(), bytes)])).unwrap();
    let said = batch(&desk, &["--temp-max", "1MiB", "book.tar"]);
    assert_eq!((said.status, said.out.as_str()), (1, ""), "{}", said.err);
    let most = advised(&said.err).to_owned();
    let said = batch(&desk, &["--temp-max", &most, "book.tar"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{most}");
    assert!(said.out.starts_with("decided 4,000 statements"), "{}", said.out);
}

/// The folders of temporary files below `elsewhere`.
#[cfg(unix)]
fn temporary_folders(desk: &Desk) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(desk.path().join("elsewhere")).map(|entries| entries.map(|entry| entry.unwrap().path()));
    entries.map_or_else(|_| Vec::new(), Iterator::collect)
}

/// Statements lie there for as long as a run takes, in a folder that many may use.
#[cfg(unix)]
#[test]
fn a_temporary_folder_is_its_owners_and_has_no_name_that_can_be_computed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let desk = Desk::new();
    desk.write("t.csv", &csv(&shuffled(&rows(12_000, 4), 5)));
    fs::create_dir(desk.path().join("elsewhere")).unwrap();
    let bounded = ["--temp", "elsewhere", "--temp-max", "1MiB", "t.csv"];
    let mut names = Vec::new();
    for _ in 0..2 {
        assert_eq!(batch(&desk, &bounded).status, 1);
        let made = temporary_folders(&desk);
        assert_eq!(made.len(), 1, "{made:?}");
        assert_eq!(fs::metadata(&made[0]).unwrap().permissions().mode() & 0o777, 0o700);
        // The same command goes on in the same folder.
        assert_eq!(batch(&desk, &bounded).status, 1);
        assert_eq!(temporary_folders(&desk), made);
        // Begun anew, a run has a new one, and the old one is gone.
        assert_eq!(batch(&desk, &[&["--restart"][..], &bounded].concat()).status, 1);
        let anew = temporary_folders(&desk);
        assert!(anew.len() == 1 && anew != made, "{anew:?}");
        names.extend([made, anew].concat());
        // In another place the rest of the first is removed, too.
        let said = batch(&desk, &["t.csv"]);
        assert_eq!((said.status, said.err.as_str()), (0, ""));
        assert_eq!(temporary_folders(&desk), [""; 0].map(std::path::PathBuf::from));
        fs::remove_dir_all(desk.path().join("out")).unwrap();
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 4, "{names:?}");
    // What somebody put in its place is not used.
    assert_eq!(batch(&desk, &bounded).status, 1);
    let made = temporary_folders(&desk).remove(0);
    fs::create_dir(desk.path().join("foreign")).unwrap();
    fs::remove_dir_all(&made).unwrap();
    symlink(desk.path().join("foreign"), &made).unwrap();
    assert_eq!(batch(&desk, &["--temp", "elsewhere", "t.csv"]).status, 0);
    assert_eq!(fs::read_dir(desk.path().join("foreign")).unwrap().count(), 0);
    fs::remove_dir_all(desk.path().join("out")).unwrap();
    fs::remove_file(&made).unwrap();
    assert_eq!(batch(&desk, &bounded).status, 1);
    let made = temporary_folders(&desk).remove(0);
    fs::set_permissions(&made, fs::Permissions::from_mode(0o755)).unwrap();
    let said = batch(&desk, &["--temp", "elsewhere", "t.csv"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert_eq!(temporary_folders(&desk), [made], "one that others can read is left alone");
}
