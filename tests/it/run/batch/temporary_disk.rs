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
