//! What must never happen silently: doubled data, a part taken for the whole, other files removed, inputs ignored.

use std::fs;

use super::archives::{tar, zip};
use super::*;

use crate::fixtures::campaign;

const ROW: &str = "customer,trans_date,credit\nK1,2026-03-02,337\n";
const OTHER: &str = "customer,trans_date,credit\nK1,2026-03-03,100\n";

fn member(name: &str, text: &str) -> (String, Vec<u8>) {
    (name.to_owned(), text.as_bytes().to_vec())
}

/// The status, and the number of records decided for each customer.
fn counted(desk: &Desk, args: &[&str]) -> (i32, String) {
    let said = batch(desk, &[&["--restart", "--write", "metrics"][..], args].concat());
    if said.status == 1 {
        return (1, said.err);
    }
    let metrics = lines(&desk.read("out/metrics.ndjson"));
    let told = metrics.iter().map(|row| format!("{} {}", row["customer"].as_str().unwrap_or("-"), row["records"]));
    (said.status, told.collect::<Vec<_>>().join(", "))
}

fn write(desk: &Desk, name: &str, bytes: &[u8]) {
    let path = desk.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn packed(desk: &Desk, members: &[(String, Vec<u8>)]) -> Vec<&'static str> {
    let bytes = tar(members);
    write(desk, "t.tar", &bytes);
    write(desk, "t.tar.gz", &super::tables::gzip(&bytes));
    write(desk, "t.tar.zst", &zstd::encode_all(&bytes[..], 1).unwrap());
    write(desk, "t.zip", &zip(members));
    vec!["t.tar", "t.tar.gz", "t.tar.zst", "t.zip"]
}

/// The rules of folders apply to archives.
#[test]
fn archives_pass_over_what_folders_pass_over() {
    let desk = Desk::new();
    let members = [
        member("out/part-0000.csv", ROW),
        member("out/_temporary/0/task_1/part-0001.csv", ROW),
        member("./out/.hidden/x.csv", OTHER),
        member("__MACOSX/out/._part-0000.csv", "x"),
    ];
    for archive in packed(&desk, &members) {
        assert_eq!(counted(&desk, &[archive]), (0, "K1 1".into()), "{archive}");
        let manifest = desk.read("out/manifest.json");
        assert!(manifest.contains("_temporary/0/task_1") && manifest.contains("hidden, or begins with"), "{manifest}");
    }
    for (name, bytes) in &members {
        write(&desk, &format!("folder/{name}"), bytes);
    }
    for input in ["folder", "folder/**/*.csv", "folder/*"] {
        assert_eq!(counted(&desk, &[input]), (0, "K1 1".into()), "{input}");
    }
    assert_eq!(counted(&desk, &["folder/out/_temporary/0/*/*.csv"]), (0, "K1 1".into()));
}

#[test]
fn a_table_with_a_log_is_refused_by_name() {
    let desk = Desk::new();
    for (log, name) in [
        ("_delta_log/00000000000000000000.json", "a Delta table"),
        (".hoodie/hoodie.properties", "a Hudi table"),
        ("metadata/v1.metadata.json", "an Iceberg table"),
    ] {
        let members = [member("tb/k=1/p.csv", ROW), member(&format!("tb/{log}"), "{}")];
        for (name, bytes) in &members {
            write(&desk, &format!("lake/{name}"), bytes);
        }
        for input in ["lake/tb", "lake/tb/k=1", "lake/tb/k=1/p.csv", "lake/tb/../tb/k=1"] {
            let (status, said) = counted(&desk, &[input]);
            assert!(status == 1 && said.contains(name) && said.contains("Spark"), "{input}: {said}");
        }
        // Below a named folder it is a failure, and tables beside it are not decided in part.
        write(&desk, "lake/own.csv", OTHER.as_bytes());
        assert_eq!(counted(&desk, &["lake"]), (3, String::new()), "{name}");
        assert!(desk.read("out/failures.ndjson").contains(name), "{name}");
        for archive in packed(&desk, &members) {
            assert_eq!(counted(&desk, &[archive]), (3, String::new()), "{archive} {name}");
            assert!(desk.read("out/failures.ndjson").contains(name), "{archive} {name}");
        }
        for command in ["decide", "metrics", "explain"] {
            let said = desk.run(&[command, "--policy", "rules/small.toml", "lake/tb/k=1/p.csv"]);
            assert!(said.status == 1 && said.err.contains(name), "{command}: {}", said.err);
        }
        fs::remove_dir_all(desk.path().join("lake")).unwrap();
    }
}

/// A pattern or a link leads to the same files as the folder.
#[test]
fn no_pattern_and_no_link_leads_into_a_table_with_a_log() {
    let desk = Desk::new();
    for (log, name) in [
        ("_delta_log/00000000000000000000.json", "a Delta table"),
        (".hoodie/hoodie.properties", "a Hudi table"),
        ("metadata/v1.metadata.json", "an Iceberg table"),
        ("_spark_metadata/0", "a Spark streaming table"),
        ("base_0000001/bucket_00000", "a Hive ACID table"),
        ("month=1/delete_delta_0000003_0000003_0000/bucket_00000", "a Hive ACID table"),
    ] {
        write(&desk, "tb/month=1/p.csv", ROW.as_bytes());
        write(&desk, &format!("tb/{log}"), b"{}");
        write(&desk, "own/own.csv", OTHER.as_bytes());
        let mut inputs =
            vec!["tb", "t*", "tb/month=1", "tb/month=*", "tb/**/*.csv", "tb/month=1/*.csv", "tb/month=1/p.csv"];
        if name.contains("ACID") {
            // Files beside the folders of changes are not known by their own path.
            inputs = vec!["tb", "t*"];
        }
        #[cfg(unix)]
        if !name.contains("ACID") {
            std::os::unix::fs::symlink("../tb/month=1/p.csv", desk.path().join("own/l.csv")).unwrap();
            std::os::unix::fs::symlink("../tb/month=1", desk.path().join("own/folder")).unwrap();
            inputs.extend(["own", "own/l.csv", "own/*.csv"]);
        }
        for input in inputs {
            let (status, said) = counted(&desk, &[input]);
            assert!(matches!(status, 1 | 3) && !said.contains("K1"), "{name} {input}: {status} {said}");
            let listed = || desk.read("out/failures.ndjson");
            assert!(said.contains(name) || listed().contains(name), "{name} {input}: {said}");
        }
        fs::remove_dir_all(desk.path().join("tb")).unwrap();
        fs::remove_dir_all(desk.path().join("own")).unwrap();
    }
    for part in ["base_0000001", "delta_0000002_0000002_0000", "delete_delta_0000003_0000003_0000"] {
        write(&desk, &format!("tb/{part}/p.csv"), ROW.as_bytes());
        for input in [format!("tb/{part}/p.csv"), "tb/*/*.csv".into(), "tb/*".into(), "tb".into()] {
            let (status, said) = counted(&desk, &[&input]);
            assert!(matches!(status, 1 | 3) && !said.contains("K1"), "{input}: {status} {said}");
        }
        fs::remove_dir_all(desk.path().join("tb")).unwrap();
    }
}

/// A member missing from the directory of a zip is still in it.
#[test]
fn a_zip_whose_list_lacks_a_member_is_refused() {
    let desk = Desk::new();
    for lost in [0, 1, 2] {
        let members = [member("a.csv", ROW), member("b.csv", OTHER), member("c.csv", OTHER)];
        let mut bytes = super::archives::zip(&members);
        let marks = |bytes: &[u8], mark: &[u8]| {
            bytes.windows(4).enumerate().filter(|(_, four)| *four == mark).map(|(at, _)| at).collect::<Vec<_>>()
        };
        let end = marks(&bytes, b"PK\x05\x06")[0];
        let entries = [marks(&bytes, b"PK\x01\x02"), vec![end]].concat();
        let length = entries[lost + 1] - entries[lost];
        bytes.drain(entries[lost]..entries[lost + 1]);
        let end = end - length;
        for at in [8, 10] {
            bytes[end + at] -= 1;
        }
        let size = u32::from_le_bytes(bytes[end + 12..end + 16].try_into().unwrap()) - length as u32;
        bytes[end + 12..end + 16].copy_from_slice(&size.to_le_bytes());
        write(&desk, "z.zip", &bytes);
        assert_eq!(counted(&desk, &["z.zip"]), (3, String::new()), "{lost}");
        assert!(desk.read("out/failures.ndjson").contains("bytes outside its members"), "{lost}");
    }
    // With a member's entry between the directory and the end mark.
    let whole = super::archives::zip(&[member("a.csv", ROW)]);
    let end = whole.len() - 22;
    let more = [&whole[..end], &whole[..40], &whole[end..]].concat();
    write(&desk, "z.zip", &more);
    assert_eq!(counted(&desk, &["z.zip"]).0, 3);
}

#[test]
fn archives_put_together_are_read_whole_or_refused() {
    let desk = Desk::new();
    let (first, second) = (tar(&[member("a.csv", ROW)]), tar(&[member("b.csv", OTHER)]));
    let both = [first.clone(), second.clone()].concat();
    write(&desk, "t.tar", &both);
    write(&desk, "t.tar.gz", &super::tables::gzip(&both));
    write(&desk, "u.tar.gz", &[super::tables::gzip(&first), super::tables::gzip(&second)].concat());
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 1).unwrap();
    write(&desk, "u.tar.zst", &[zstd(&first), zstd(&second)].concat());
    for archive in ["t.tar", "t.tar.gz", "u.tar.gz", "u.tar.zst"] {
        assert_eq!(counted(&desk, &[archive]), (0, "K1 2".into()), "{archive}");
    }
    let (first, second) = (zip(&[member("a.csv", ROW)]), zip(&[member("b.csv", OTHER)]));
    write(&desk, "t.zip", &[first.clone(), second].concat());
    write(&desk, "u.zip", &[first.clone(), b"more".to_vec()].concat());
    write(&desk, "t.tar", &[tar(&[member("a.csv", ROW)]), b"more".to_vec()].concat());
    for archive in ["t.zip", "u.zip", "t.tar"] {
        assert_eq!(counted(&desk, &[archive]), (3, String::new()), "{archive}");
    }
    // The same member twice, under spellings of one name.
    write(&desk, "t.tar", &tar(&[member("d/a.csv", ROW), member("./d/../d/a.csv", OTHER)]));
    assert_eq!(counted(&desk, &["t.tar"]), (3, String::new()));
    assert!(desk.read("out/failures.ndjson").contains("twice"));
}

/// Whatever is cut off or flipped in an archive: a result equals that of the whole, or there is none.
#[test]
fn damage_to_an_archive_decides_nobody_on_a_part() {
    let desk = Desk::new();
    let members = [member("a.csv", ROW), member("d/b.csv", OTHER)];
    let whole = "K1 2";
    for archive in packed(&desk, &members) {
        let bytes = fs::read(desk.path().join(archive)).unwrap();
        let meaning = if archive == "t.tar" { 2_560 } else { bytes.len() };
        let cuts: Vec<usize> = (0..12)
            .step_by(campaign::size(4, 1))
            .map(|at| meaning * at / 12 / 512 * if archive == "t.tar" { 512 } else { 1 })
            .collect();
        let cuts = cuts.into_iter().chain((1..6).map(|at| meaning * at / 6));
        for cut in cuts.filter(|cut| *cut < meaning) {
            write(&desk, archive, &bytes[..cut]);
            let (status, told) = counted(&desk, &[archive]);
            assert!(status != 0 && (status == 1 || told.is_empty()), "{archive} cut at {cut}: {status} {told}");
        }
        // In a tar without a content checksum, only names and lengths are protected.
        for at in (0..24)
            .step_by(campaign::size(6, 1))
            .map(|step| bytes.len().min(512) * step / 24)
            .filter(|_| archive != "t.zip")
        {
            let mut turned = bytes.clone();
            turned[at] ^= 1 << (at % 8);
            write(&desk, archive, &turned);
            let (status, told) = counted(&desk, &[archive]);
            assert!(status == 1 || told.is_empty() || told == whole, "{archive} turned at {at}: {status} {told}");
        }
    }
}

#[cfg(unix)]
#[test]
fn one_file_under_several_names_is_taken_once() {
    let desk = Desk::new();
    write(&desk, "in/t.csv", ROW.as_bytes());
    std::os::unix::fs::symlink("t.csv", desk.path().join("in/link.csv")).unwrap();
    fs::hard_link(desk.path().join("in/t.csv"), desk.path().join("in/hard.csv")).unwrap();
    let absolute = desk.path().join("in/t.csv").to_string_lossy().into_owned();
    let spellings = ["in/t.csv", "./in/t.csv", "in/../in/t.csv", &absolute, "in/link.csv", "in/hard.csv"];
    assert_eq!(counted(&desk, &spellings), (0, "K1 1".into()));
    assert_eq!(counted(&desk, &["in/*.csv", "in/t.csv"]), (0, "K1 1".into()));
    for command in ["decide", "metrics"] {
        let said = desk.run(&[&[command, "--policy", "rules/small.toml"][..], &spellings].concat());
        assert_eq!((said.status, said.out.lines().count()), (0, 1), "{command}: {}", said.out);
        assert!(said.err.contains("the same file as in/t.csv"), "{}", said.err);
    }
    // A link under which the folder names say something else.
    write(&desk, "lake/customer=K1/t.csv", b"trans_date,credit\n2026-03-02,337\n");
    fs::create_dir_all(desk.path().join("lake/customer=K2")).unwrap();
    std::os::unix::fs::symlink("../customer=K1/t.csv", desk.path().join("lake/customer=K2/t.csv")).unwrap();
    assert_eq!(counted(&desk, &["lake"]).0, 3);
}

#[test]
fn the_same_content_is_taken_once_and_said() {
    let desk = Desk::new();
    write(&desk, "twice/statement.csv", ROW.as_bytes());
    write(&desk, "twice/statement (1).csv", ROW.as_bytes());
    write(&desk, "twice/statement.csv.gz", &super::tables::gzip(ROW.as_bytes()));
    write(&desk, "t.tar", &tar(&[member("x/y.csv", ROW)]));
    for inputs in [&["twice"][..], &["twice", "t.tar"], &["t.tar", "twice/statement.csv"]] {
        assert_eq!(counted(&desk, inputs), (0, "K1 1".into()), "{inputs:?}");
        assert!(desk.read("out/manifest.json").contains("the same content as"), "{inputs:?}");
    }
    // In no order, so that rows are sorted.
    let mixed = "customer,trans_date,credit\nK2,2026-03-02,1\nK1,2026-03-02,337\n";
    for name in ["mixed/a.csv", "mixed/b.csv"] {
        write(&desk, name, mixed.as_bytes());
    }
    assert_eq!(counted(&desk, &["mixed"]), (0, "K1 1, K2 1".into()));
    for command in ["decide", "metrics"] {
        let said =
            desk.run(&[command, "--policy", "rules/small.toml", "twice/statement.csv", "twice/statement (1).csv"]);
        assert_eq!((said.status, said.out.lines().count()), (0, 1), "{command}: {}", said.out);
        assert!(said.err.contains("the same content as"), "{}", said.err);
    }
    // Folders make different rows of the same bytes, and files without rows are not copies.
    for customer in ["K1", "K2"] {
        write(&desk, &format!("lake/customer={customer}/t.csv"), b"trans_date,credit\n2026-03-02,337\n");
        write(&desk, &format!("lake/customer={customer}/empty.csv"), b"trans_date,credit\n");
    }
    assert_eq!(counted(&desk, &["lake"]), (0, "K1 1, K2 1".into()));
    assert!(!desk.read("out/manifest.json").contains("the same content"));
}

#[test]
fn a_part_of_no_bytes_is_one_failure_and_stops_nobody() {
    let desk = Desk::new();
    let line = "{\"customer\":\"K1\",\"trans_date\":\"2026-03-02\",\"credit\":5}\n";
    for (ending, text) in [("csv", ROW), ("ndjson", line)] {
        write(&desk, &format!("{ending}/part-0.{ending}"), text.as_bytes());
        write(&desk, &format!("{ending}/part-1.{ending}"), b"");
        write(&desk, &format!("{ending}/part-2.{ending}.gz"), &super::tables::gzip(b""));
        assert_eq!(counted(&desk, &[ending]), (3, "K1 1".into()), "{ending}");
        let failures = desk.read("out/failures.ndjson");
        for part in [format!("part-1.{ending}"), format!("part-2.{ending}.gz")] {
            assert!(failures.contains(&part) && failures.contains("--allow-empty"), "{failures}");
        }
        assert_eq!(failures.lines().count(), 2, "{failures}");
        assert_eq!(counted(&desk, &["--allow-empty", ending]), (0, "K1 1".into()), "{ending}");
    }
}

#[test]
fn what_is_not_taken_is_named_or_a_failure() {
    let desk = Desk::new();
    write(&desk, "mixed/jan.csv", ROW.as_bytes());
    write(&desk, "mixed/may.txt", b"x");
    assert_eq!(counted(&desk, &["mixed"]), (0, "K1 1".into()));
    let said = batch(&desk, &["--write", "metrics", "mixed"]);
    assert!(said.out.contains("mixed/may.txt: a text that does not begin as MT940 does"), "{}", said.out);
    let read_by_nobody = "feb.csv.bz2 mar.csv.xz p.parquet.gz book.tar.xz x.orc 000000_0 part-00000.gz a.xlsb \
                          a.pq a.parq a.jsonlines a.tzst a.gz a.zst";
    for name in read_by_nobody.split_whitespace() {
        write(&desk, &format!("mixed/{name}"), b"BZh9");
        assert_eq!(counted(&desk, &["mixed"]), (3, String::new()), "{name}");
        assert!(desk.read("out/failures.ndjson").contains(&format!("mixed/{name}")), "{name}");
        let (status, said) = counted(&desk, &[&format!("mixed/{name}")]);
        assert!(status == 1 && said.contains(name), "{name}: {said}");
        fs::remove_file(desk.path().join("mixed").join(name)).unwrap();
    }
    // Files without an extension are recognized by their first bytes.
    let line = "{\"customer\":\"K2\",\"trans_date\":\"2026-03-02\",\"credit\":5}\n";
    write(&desk, "mixed/000000_0", line.as_bytes());
    assert_eq!(counted(&desk, &["mixed"]), (0, "K1 1, K2 1".into()));
    write(&desk, "t.tar", &tar(&[member("000000_0", line), member("README", "read me")]));
    assert_eq!(counted(&desk, &["t.tar"]), (0, "K2 1".into()));
}

#[test]
fn nothing_to_decide_is_an_error_unless_allowed() {
    let desk = Desk::new();
    fs::create_dir(desk.path().join("none")).unwrap();
    write(&desk, "notes/a.txt", b"x");
    write(&desk, "header/a.csv", b"customer,trans_date,credit\n");
    for input in ["none", "notes", "header"] {
        let (status, said) = counted(&desk, &[input]);
        assert!(status == 1 && said.contains("--allow-empty"), "{input}: {said}");
        assert_eq!(counted(&desk, &["--allow-empty", input]), (0, String::new()), "{input}");
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_and_pipes_are_one_failure_each() {
    use std::os::unix::fs::symlink;
    let desk = Desk::new();
    let decided = |desk: &Desk| {
        let said = batch(desk, &["--restart", "in"]);
        assert_eq!(said.status, 3, "{}{}", said.out, said.err);
        (lines(&desk.read("out/decisions.ndjson")).len(), lines(&desk.read("out/failures.ndjson")).len())
    };
    symlink("gone.json", desk.path().join("in/a.json")).unwrap();
    symlink("b.json", desk.path().join("in/b.json")).unwrap();
    symlink("..", desk.path().join("in/loop")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(desk.path().join("in/c.json")).unwrap();
    assert_eq!(decided(&desk), (3, 4));
    // A folder that leads back into itself lacks nothing; a missing table may.
    fs::create_dir(desk.path().join("t")).unwrap();
    write(&desk, "t/t.csv", ROW.as_bytes());
    symlink(".", desk.path().join("t/back")).unwrap();
    assert_eq!(counted(&desk, &["t"]), (3, "K1 1".into()));
    symlink("gone", desk.path().join("t/gone.csv")).unwrap();
    assert_eq!(counted(&desk, &["t"]), (3, String::new()));
    assert_eq!(counted(&desk, &["--apart", "t"]), (3, "K1 1".into()));
}

/// Only files that a run made are removed, and existing files are never overwritten.
#[test]
fn folders_of_others_are_left_alone() {
    for (file, restart) in [
        ("out/work/thesis.txt", false),
        ("out/work/thesis.txt", true),
        ("out/offers.csv", true),
        ("out/notes.md", false),
    ] {
        let desk = Desk::new();
        desk.write(file, "mine");
        let said = batch(&desk, &[if restart { "--restart" } else { "--apart" }, "in"]);
        assert_eq!((said.status, desk.read(file).as_str()), (1, "mine"), "{file}: {}", said.err);
        assert!(said.err.contains("no batch made") || said.err.contains("no checkpoint"), "{}", said.err);
        assert!(!desk.path().join("out/work/lock").exists(), "{file}");
    }
    // Next to its own results, too.
    let desk = Desk::new();
    assert_eq!(batch(&desk, &["in"]).status, 0);
    for file in ["out/offers.csv", "out/work/mine.txt", "out/work/runs/mine"] {
        desk.write(file, "mine");
    }
    let said = batch(&desk, &["--restart", "in"]);
    assert_eq!(said.status, 1, "{}", said.out);
    fs::remove_file(desk.path().join("out/work/mine.txt")).unwrap();
    let said = batch(&desk, &["--restart", "in"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!((desk.read("out/offers.csv").as_str(), desk.read("out/work/runs/mine").as_str()), ("mine", "mine"));
}

#[cfg(unix)]
#[test]
fn links_in_place_of_folders_of_results_are_refused() {
    use std::os::unix::fs::symlink;
    let desk = Desk::new();
    desk.write("mine/runs/run-0", "mine");
    desk.write("mine/tables.json", "mine");
    fs::create_dir(desk.path().join("out")).unwrap();
    symlink(desk.path().join("mine"), desk.path().join("out/work")).unwrap();
    symlink(desk.path().join("mine"), desk.path().join("link")).unwrap();
    for args in [&["in"][..], &["--restart", "in"], &["--out", "link", "in"], &["--out", "link/", "in"]] {
        let args = if args.contains(&"--out") { args.to_vec() } else { [&["--out", "out"][..], args].concat() };
        let said = desk.run(&[&["batch", "--policy", "rules/small.toml"][..], &args].concat());
        assert!(said.status == 1 && said.err.contains("it is a link"), "{args:?}: {}{}", said.out, said.err);
    }
    assert_eq!(desk.read("mine/runs/run-0"), "mine");
}

#[test]
fn shards_do_not_depend_on_spelling() {
    let desk = Desk::new();
    let absolute = desk.path().join("in").to_string_lossy().into_owned();
    let file = |input: &str, number: u32| {
        let said = batch(&desk, &["--restart", "--allow-empty", "--shard", &format!("{number}/4"), input]);
        assert_eq!(said.status, 0, "{}", said.err);
        let decided = lines(&desk.read(&format!("out/shard-{number}-of-4/decisions.ndjson")));
        let name = |line: &Value| line["statement"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        decided.iter().map(name).collect::<Vec<_>>()
    };
    let mut all = 0;
    for number in 1..=4 {
        let first = file("in", number);
        for input in ["./in", "in/../in", &absolute, "in/*.json"] {
            assert_eq!(file(input, number), first, "{input}");
        }
        all += first.len();
    }
    assert_eq!(all, 3);
}

#[test]
fn what_is_sorted_goes_where_asked_and_is_gone_at_the_end() {
    let desk = Desk::new();
    desk.write("t.csv", &csv(&shuffled(&rows(50, 4), 3)));
    desk.write("tmp/mine.txt", "mine");
    let usual = (batch(&desk, &["t.csv"]).status, desk.read("out/decisions.ndjson"));
    let said = batch(&desk, &["--restart", "--temp", "tmp", "t.csv"]);
    assert_eq!((said.status, desk.read("out/decisions.ndjson")), usual, "{}", said.err);
    let left: Vec<_> = fs::read_dir(desk.path().join("tmp")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["mine.txt"]);
}

/// Folder names mean the same to all commands.
#[test]
fn folders_name_the_customer_for_all_commands() {
    let desk = Desk::new();
    write(&desk, "customer=K1/t.csv", b"Day,In\n2026-03-02,5\n2026-03-03,7\n");
    write(&desk, "customer=K1/t.ndjson", b"{\"Day\":\"2026-03-02\",\"In\":5}\n{\"Day\":\"2026-03-03\",\"In\":7}\n");
    desk.write("one.toml", "[columns]\ncustomer = \"customer\"\ntrans_date = \"Day\"\ncredit = \"In\"\n");
    for file in ["customer=K1/t.csv", "customer=K1/t.ndjson"] {
        let said = batch(&desk, &["--restart", "--columns", "one.toml", file]);
        assert_eq!(said.status, 0, "{}", desk.read("out/failures.ndjson"));
        let decided = desk.run(&["decide", "--policy", "rules/small.toml", "--columns", "one.toml", file]);
        assert_eq!((decided.status, decided.out), (0, desk.read("out/decisions.ndjson")), "{}", decided.err);
        for command in ["metrics", "explain"] {
            let said = desk.run(&[command, "--policy", "rules/small.toml", "--columns", "one.toml", file]);
            assert!(said.status == 0 && said.out.contains("K1"), "{command}: {}{}", said.out, said.err);
        }
    }
    // A file that names another customer itself is refused.
    write(&desk, "customer=K2/t.csv", ROW.as_bytes());
    let said = desk.run(&["metrics", "--policy", "rules/small.toml", "customer=K2/t.csv"]);
    assert!(said.status == 1 && said.err.contains("folder or name says customer `K2`"), "{}{}", said.out, said.err);
}
