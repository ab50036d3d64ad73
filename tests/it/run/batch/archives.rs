//! Archives of statements, compressed files and standard input.

use std::fs;
use std::io::Write;

use super::*;

fn statements(desk: &Desk) -> Vec<(String, Vec<u8>)> {
    let statement = |number: u32| fs::read(desk.path().join(format!("in/statement-00000{number}.json"))).unwrap();
    vec![
        ("book/2.json".to_owned(), statement(2)),
        ("book/readme.txt".to_owned(), b"no statement".to_vec()),
        ("book/1.json.gz".to_owned(), super::tables::gzip(&statement(1))),
        ("../outside/3.json".to_owned(), statement(3)),
        ("book/table.csv".to_owned(), csv(&rows(20, 3)).into_bytes()),
        ("book/broken.json".to_owned(), b"{\"status\"".to_vec()),
    ]
}

pub(crate) fn tar(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut out = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        // Written raw: a path that leads outside is an ordinary name.
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        out.append(&header, &bytes[..]).unwrap();
    }
    out.into_inner().unwrap()
}

pub(crate) fn zip(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut out = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        out.start_file(name.as_str(), zip::write::SimpleFileOptions::default()).unwrap();
        out.write_all(bytes).unwrap();
    }
    out.finish().unwrap().into_inner()
}

#[test]
fn members_of_archives_are_decided_in_their_order() {
    let desk = Desk::new();
    let members = statements(&desk);
    let packed = tar(&members);
    fs::write(desk.path().join("book.tar"), &packed).unwrap();
    fs::write(desk.path().join("book.tar.gz"), super::tables::gzip(&packed)).unwrap();
    fs::write(desk.path().join("book.tar.zst"), zstd::encode_all(&packed[..], 1).unwrap()).unwrap();
    fs::write(desk.path().join("book.zip"), zip(&members)).unwrap();
    let mut first: Option<String> = None;
    for archive in ["book.tar", "book.tar.gz", "book.tar.zst", "book.zip"] {
        let said = batch(&desk, &["--restart", archive]);
        assert_eq!((said.status, said.err.as_str()), (3, ""), "{archive}");
        let decided = desk.read("out/decisions.ndjson").replace(archive, "book");
        let labels: Vec<String> = lines(&decided).iter().take(3).map(|line| line["statement"].to_string()).collect();
        assert_eq!(
            labels,
            ["\"book!book/2.json\"", "\"book!book/1.json.gz\"", "\"book!../outside/3.json\""],
            "{archive}"
        );
        assert_eq!(lines(&decided).len(), 23, "{archive}");
        assert_eq!(lines(&desk.read("out/failures.ndjson"))[0]["source"], format!("{archive}!book/broken.json"));
        assert_eq!(first.get_or_insert(decided.clone()), &decided, "{archive}");
        assert!(!desk.path().join("outside").exists() && !desk.path().join("book").exists());
    }
}

#[test]
fn an_archive_that_ends_too_early_is_listed() {
    let desk = Desk::new();
    let members: Vec<_> = statements(&desk).into_iter().filter(|(name, _)| !name.ends_with("csv")).collect();
    let packed = super::tables::gzip(&tar(&members));
    fs::write(desk.path().join("book.tgz"), &packed[..packed.len() * 2 / 3]).unwrap();
    let said = batch(&desk, &["book.tgz", "in/statement-000001.json"]);
    assert_eq!(said.status, 3, "{}{}", said.out, said.err);
    assert!(desk.read("out/failures.ndjson").contains("the archive cannot be read to its end"));
    assert!(desk.read("out/decisions.ndjson").contains("\"statement\":\"in/statement-000001.json\""));
    // There might be a table in it, because there is one beside it in the archive.
    let packed = super::tables::gzip(&tar(&[statements(&desk), statements(&desk)].concat()));
    fs::write(desk.path().join("book.tgz"), &packed[..packed.len() * 2 / 3]).unwrap();
    desk.write("t.csv", &csv(&rows(2, 2)));
    let said = batch(&desk, &["--restart", "book.tgz", "t.csv"]);
    assert_eq!(said.status, 3, "{}{}", said.out, said.err);
    assert!(desk.read("out/failures.ndjson").contains("{\"source\":\"t.csv\",\"customer\":null"), "{}", said.out);
    assert!(!desk.read("out/decisions.ndjson").contains("c00000"));
}

#[test]
fn standard_input_is_told_by_its_first_bytes() {
    let desk = Desk::new();
    let all = rows(4, 2);
    let cases = [
        (desk.read("in/statement-000001.json"), 1),
        ("[{\"id\": 1, \"trans_date\": \"2026-01-01\", \"credit\": 5}]".to_owned(), 1),
        (csv(&all), 4),
        (super::tables::ndjson(&all), 4),
    ];
    for (text, statements) in cases {
        let args = [&BATCH[..], &["--restart", "-"]].concat();
        let said = desk.run_with(&args, &text);
        assert_eq!(said.status, 0, "{}{}", said.out, said.err);
        let decided = lines(&desk.read("out/decisions.ndjson"));
        assert_eq!((decided.len(), decided[0]["statement"].as_str()), (statements, Some("-")));
        let again = desk.run_with(&[&BATCH[..], &["-"]].concat(), &text);
        assert!(again.out.contains("nothing left to do"), "{}", again.out);
        assert_eq!(desk.run_with(&[&BATCH[..], &["-"]].concat(), &format!("{text} ")).status, 1, "another input");
    }
}
