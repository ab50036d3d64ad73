//! The command `pull` against a sandbox.

use std::fs;

use lendwright::sandbox::Fault;

use super::connection::{Scene, statement};

#[test]
fn pull_stores_one_page_with_its_reference_and_several_as_one_document() {
    let person = lendwright::sandbox::people(1).remove(0);
    let scene = Scene::new(|_| {});
    let out = scene.path("statement.json");
    scene.pull(&out).unwrap();
    let saved = String::from_utf8(fs::read(&out).unwrap()).unwrap();
    let (mark, rest) = saved.split_once(',').unwrap();
    assert_eq!(mark, format!("{{\"offerRequestReference\":\"{}\"", scene.reference));
    assert_eq!(format!("{{{rest}").as_bytes(), statement(&person), "the rest is as it came");

    let scene = Scene::new(|config| config.page_records = Some(2));
    let out = scene.path("statement.json");
    scene.pull(&out).unwrap();
    let value: serde_json::Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
    assert_eq!(value["data"]["transactions"].as_array().unwrap().len(), 3);
    assert!(value["data"]["pagination"]["nextPage"].is_null());
}

#[test]
fn a_pull_that_fails_stores_nothing_and_keeps_what_was_there() {
    let scene = Scene::new(|config| {
        config.faults.transaction_records = Some(Fault { truncate_at: Some(30), ..Fault::default() });
    });
    let out = scene.path("statement.json");
    let problem = scene.pull(&out).unwrap_err();
    assert!(problem.contains("(at byte 30)"), "{problem}");
    assert_eq!(scene.names(), ["token"]);
    fs::write(&out, "earlier").unwrap();
    scene.pull(&out).unwrap_err();
    assert_eq!(fs::read_to_string(&out).unwrap(), "earlier");
    assert_eq!(scene.names(), ["statement.json", "token"]);
}
