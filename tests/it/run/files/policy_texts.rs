//! A policy as texts, which is how Python workers and Spark get it: lists of keys travel with it, and no key is shown.

use std::fs;

use lendwright::decision::{Application, Request, decide_one};
use lendwright::files::PolicyTexts;
use lendwright::rules::PolicySet;
use polars::prelude::{ParquetWriter, df};

use crate::run::{digests, rules, statement};

#[test]
fn lists_of_keys_travel_with_a_policy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.toml");
    let lists = "[list.blocked]\nfile = \"blocked.csv\"\n[list.known]\nfile = \"known.parquet\"\n\
                 [request]\nphone = \"text\"\n[metric]\n\
                 listed = \"in_list(blocked, request.phone) AND in_list(known, request.phone)\"\n";
    fs::write(&file, rules("1").replace("[metric]\n", lists)).unwrap();
    fs::write(folder.path().join("blocked.csv"), "phone\n08031234567\n").unwrap();
    let parquet = fs::File::create(folder.path().join("known.parquet")).unwrap();
    ParquetWriter::new(parquet).finish(&mut df!("phone" => ["08031234567", "0900"]).unwrap()).unwrap();
    let (texts, policies) = PolicyTexts::load(&file, &[]).unwrap();
    assert!(!format!("{texts:?} {policies:?}").contains("0803"), "Debug shows a key");
    // Elsewhere there are no files.
    folder.close().unwrap();
    let elsewhere = texts.compile(&[]).unwrap();
    assert_eq!(digests(&policies), digests(&elsewhere));
    assert_eq!(policies.latest().list_digests(), elsewhere.latest().list_digests());
    let body = statement(1, 5);
    for (phone, listed) in [("08031234567", true), ("0900", false)] {
        let request = Request::from_json(&elsewhere, format!("{{\"phone\": \"{phone}\"}}").as_bytes()).unwrap();
        let application = Application { label: "one", body: &body, request: &request };
        let decision = decide_one(&elsewhere, &application).unwrap();
        assert_eq!(decision.metrics["listed"], listed, "{phone}");
    }
}
