//! Policies in the shadow decide what was answered once more, and whatever they do harms no answer.

use super::kept::{desk_with_keys, on_book, start_with_book};
use super::{ApiService, application};
use crate::fixtures::desk::Desk;

fn statements() -> [String; 3] {
    [1, 2, 3].map(|number| format!("in/statement-{number:06}.json"))
}

fn ask_all(desk: &Desk, api: &ApiService) -> Vec<String> {
    statements().iter().map(|file| api.post_json("/v1/decisions", &application(desk, file)).text().to_owned()).collect()
}

/// The policy of the desk, which declines everybody.
fn write_strict(desk: &Desk) {
    let strict = "\n[[require]]\nid = \"S01\"\nwhen = \"1 > 2\"\nreason = \"none\"\n";
    desk.write("rules/strict.toml", &format!("{}{strict}", desk.read("rules/small.toml")));
}

#[test]
fn a_shadow_decides_too_and_changes_no_answer() {
    let desk = desk_with_keys();
    write_strict(&desk);
    let api = super::start(&desk);
    let alone = ask_all(&desk, &api);
    drop(api);
    let api = start_with_book(&desk, &["--shadow", "strict=rules/strict.toml", "--shadow", "same=rules/small.toml"]);
    assert_eq!(ask_all(&desk, &api), alone);
    assert_eq!(api.stop(), Some(0));
    let compared: serde_json::Value =
        serde_json::from_str(&on_book(&desk, &["decisions", "shadows", "--format", "json"])).unwrap();
    let [same, strict] = compared.as_array().unwrap().as_slice() else { panic!("{compared}") };
    assert_eq!((&same["shadow"], &strict["shadow"]), (&"same".into(), &"strict".into()));
    for (shadow, declined) in [(same, 0), (strict, 3)] {
        assert_eq!((&shadow["compared"], &shadow["failed"], &shadow["missed"]), (&3.into(), &0.into(), &0.into()));
        let by_strict: u64 = (0..3).map(|row| shadow["outcomes"][row][2].as_u64().unwrap()).sum();
        let answered: u64 = (0..3).map(|after| shadow["outcomes"][2][after].as_u64().unwrap()).sum();
        assert_eq!(by_strict, if declined == 0 { answered } else { declined });
    }
    assert_eq!(strict["reasons"]["S01"], serde_json::json!([0, 3]));
    let text = on_book(&desk, &["decisions", "shadows", "--shadow", "strict", "--report", "strict.html"]);
    assert!(text.starts_with("shadow strict: 3 applications\n") && text.contains("S01"), "{text}");
    let page = desk.read("strict.html");
    for part in ["<h1>Shadow strict</h1>", "id=\"outcomes\"", "id=\"reasons\"", "<code>S01</code>", "id=\"days\""] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn fields_of_one_policy_are_no_mistake_for_the_other() {
    let desk = desk_with_keys();
    let more =
        "\n[request]\nshop = \"text\"\n[[require]]\nid = \"S01\"\nwhen = \"request.shop == 'north'\"\nreason = \"s\"\n";
    let own = desk.read("rules/small.toml");
    assert!(own.contains("[request]"), "the policy of the desk has fields of its own: {own}");
    let merged = own.replace("[request]\n", "[request]\nshop = \"text\"\n");
    let requirement = more.split_once("\"text\"\n").unwrap().1;
    desk.write("rules/other.toml", &format!("{merged}\n{requirement}"));
    let api = start_with_book(&desk, &["--shadow", "other=rules/other.toml"]);
    let body = application(&desk, &statements()[0]);
    let with = |request: &str| format!("{}, \"request\": {request}}}", body.trim_end().strip_suffix('}').unwrap());
    let reply = api.post_json("/v1/decisions", &with(r#"{"shop": "north", "amount": 5000000}"#));
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(reply.json()["request"], serde_json::json!({ "amount": 5_000_000 }));
    // What no policy declares is still a mistake, and so is a field that comes twice.
    assert_eq!(api.post_json("/v1/decisions", &with(r#"{"shop2": "north"}"#)).code(), "invalid-request");
    let twice = with(r#"{"amount": 5000000, "amount": 5000000}"#);
    assert_eq!(api.post_json("/v1/decisions", &twice).code(), "invalid-request");
    assert_eq!(api.stop(), Some(0));
    let compared = on_book(&desk, &["decisions", "shadows", "--format", "json"]);
    let compared: serde_json::Value = serde_json::from_str(&compared).unwrap();
    assert_eq!((&compared[0]["compared"], &compared[0]["failed"]), (&1.into(), &0.into()));
    assert!(compared[0]["reasons"]["S01"].is_null(), "{compared}");
}

#[test]
fn a_batch_has_its_shadows_too() {
    let desk = desk_with_keys();
    write_strict(&desk);
    let api = start_with_book(&desk, &["--shadow", "strict=rules/strict.toml"]);
    let lines: Vec<String> = statements().iter().map(|file| application(&desk, file).replace('\n', " ")).collect();
    let headers = [("content-type", "application/x-ndjson")];
    let reply = api.ask("POST", "/v1/batches", &headers, lines.join("\n").as_bytes());
    assert_eq!(reply.text().lines().count(), 3);
    assert_eq!(api.stop(), Some(0));
    let text = on_book(&desk, &["decisions", "shadows"]);
    assert!(text.starts_with("shadow strict: 3 applications\n"), "{text}");
}
