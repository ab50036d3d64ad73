//! Renames across files in other folders, and across files that cannot be read.

use std::collections::BTreeMap;

use serde_json::json;

use super::client::{Client, apply, position};

const LIB: &str = "[metric]\nn = \"COUNT(*)\"\n";

/// A policy that uses `file` and refers to the metric.
fn user(file: &str) -> String {
    format!(
        "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\nuse = [\"{file}\"]\n\n\
         [[require]]\nid = \"R1\"\nwhen = \"n > 3\"\nreason = \"few\"\n"
    )
}

/// The texts after the file's metric is renamed to `nn`, by path.
fn renamed(client: &mut Client, name: &str) -> Result<BTreeMap<String, String>, String> {
    renamed_at(client, name, "\n|n = ", "nn")
}

#[test]
fn users_in_other_folders_of_the_workspace_are_renamed_too() {
    let mut client = Client::in_workspace();
    client.write("main.toml", &user("lib/m.toml"));
    client.write("lib/m.toml", LIB);
    client.write("other/deep/own.toml", &user("../../lib/m.toml"));
    // Other owners' files, hidden folders and build output are not part of the workspace.
    client.write("target/copy.toml", &user("../lib/m.toml"));
    client.write(".old/copy.toml", &user("../lib/m.toml"));
    client.write("Cargo.toml", "[package]\nname = \"n\"\n");
    client.open("lib/m.toml");
    let texts = renamed(&mut client, "lib/m.toml").unwrap();
    assert_eq!(texts.keys().collect::<Vec<_>>(), ["lib/m.toml", "main.toml", "other/deep/own.toml"]);
    assert!(texts["main.toml"].contains("\"nn > 3\"") && texts["lib/m.toml"].contains("nn = "), "{texts:?}");
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn a_name_stays_while_a_file_that_may_use_it_is_no_toml() {
    let mut client = Client::in_workspace();
    client.write("lib/m.toml", LIB);
    client.open("lib/m.toml");
    let refused = |client: &mut Client| renamed(client, "lib/m.toml").unwrap_err();
    let broken = user("lib/m.toml").replace("reason = ", "reason ");
    client.write("main.toml", &broken);
    assert!(refused(&mut client).contains("main.toml` has mistakes; fix them first"));
    // It names the file, or it has the name; either is enough.
    client.write("main.toml", &broken.replace("n > 3", "record_count > 3"));
    assert!(refused(&mut client).contains("fix them first"));
    client.write("main.toml", &broken.replace("m.toml", "all.toml").replace("n > 3", "N > 3"));
    assert!(refused(&mut client).contains("fix them first"));
    // Open or not.
    client.open("main.toml");
    assert!(refused(&mut client).contains("fix them first"));
    // One that does neither does not matter.
    let stranger = broken.replace("m.toml", "all.toml").replace("n > 3", "number_of_n_s > 3");
    client.replace("main.toml", &stranger);
    assert_eq!(renamed(&mut client, "lib/m.toml").unwrap().len(), 1);
    assert_eq!(client.goodbye(), 0);
}

const OWN: &str = r#"[policy]
name = "own"
version = "1"
currency = "566"
time_zone = "UTC"
use = ["shared.toml"]

[metric]
records = "COUNT(*)"
few = "why(grade) = 'no_row_in_grade' OR why(grade) = 'many_rows_in_grade'"
other = "why(grade) = 'no_row_in_grades'"

[[require]]
id = "R01"
when = "records > 3 AND NOT few AND NOT other AND grade <> 'D'"
reason = "R01: too few"

[[property]]
increasing = "records"
of = "R01"
"#;

const SHARED: &str = "[request]\nage = \"count\"\n\n[table.grade]\nhit = \"first\"\ninputs = [\"request.age\"]\n\
    rows = [[\"< 5\", \"A\"], [\"> 7\", \"B\"]]\n\n[table.grade.outputs]\ngrade = \"text\"\n\n[[require]]\n\
    id = \"S01\"\nwhen = \"request.age > 3\"\nreason = \"S01\"\n";

const CASES: &str = "[[case]]\nname = \"R01\"\nexpect = { outcome = \"refer\", reasons = [\"S01\", \"R01\"] } # R01\n\n\
    [[case]]\nname = \"b\"\n[case.expect]\noutcome = \"decline\"\nreasons = ['R01']\n[case.expect.unknown]\n\
    grade = \"no_row_in_grade\"\n";

/// The texts after a rename at the `|`, by path.
fn renamed_at(client: &mut Client, name: &str, marked: &str, new: &str) -> Result<BTreeMap<String, String>, String> {
    let text = std::fs::read_to_string(client.path(name)).unwrap();
    let at = position(&text, marked);
    let params = json!({"textDocument": {"uri": client.uri(name)}, "position": at, "newName": new});
    let answer = client.try_ask("textDocument/rename", params)?;
    let root = client.uri("");
    let changes = answer["changes"].as_object().unwrap().iter();
    Ok(changes
        .map(|(uri, edits)| {
            let name = uri.strip_prefix(&root).unwrap().to_owned();
            let text = std::fs::read_to_string(client.path(&name)).unwrap();
            (name, apply(&text, edits))
        })
        .collect())
}

fn own_policy() -> Client {
    let mut client = Client::in_workspace();
    client.write("own.toml", OWN);
    client.write("shared.toml", SHARED);
    client.write("own.cases.toml", CASES);
    client.open("own.toml");
    client.open("shared.toml");
    assert!(client.codes("own.toml").iter().all(|code| code != "toml"));
    client
}

#[test]
fn ids_of_requirements_are_renamed_with_their_cases() {
    let mut client = own_policy();
    for marked in ["id = \"R|01\"", "of = \"|R01\""] {
        let texts = renamed_at(&mut client, "own.toml", marked, "FEW-1").unwrap();
        assert_eq!(texts.keys().collect::<Vec<_>>(), ["own.cases.toml", "own.toml"], "{marked}");
        // The reason and the names of cases are for people.
        let wanted = OWN.replace("\"R01\"", "\"FEW-1\"");
        assert_eq!(texts["own.toml"], wanted, "{marked}");
        let cases = CASES.replace("\"S01\", \"R01\"", "\"S01\", \"FEW-1\"").replace("['R01']", "['FEW-1']");
        assert_eq!(texts["own.cases.toml"], cases, "{marked}");
    }
    let texts = renamed_at(&mut client, "shared.toml", "id = \"S0|1\"", "S02").unwrap();
    assert_eq!(texts.keys().collect::<Vec<_>>(), ["own.cases.toml", "shared.toml"]);
    assert!(texts["own.cases.toml"].contains("[\"S02\", \"R01\"]"));
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn tables_are_renamed_with_their_reasons() {
    let mut client = own_policy();
    for marked in ["[table.gr|ade]", "[table.|grade.outputs]"] {
        let texts = renamed_at(&mut client, "shared.toml", marked, "rating").unwrap();
        assert_eq!(texts.keys().collect::<Vec<_>>(), ["own.cases.toml", "own.toml", "shared.toml"], "{marked}");
        assert_eq!(texts["shared.toml"], SHARED.replace("[table.grade", "[table.rating"));
        let own = OWN.replace("_in_grade'", "_in_rating'");
        assert_eq!(texts["own.toml"], own);
        assert_eq!(texts["own.cases.toml"], CASES.replace("no_row_in_grade", "no_row_in_rating"));
    }
    assert_eq!(client.goodbye(), 0);
}

#[test]
fn a_part_keeps_its_name_where_a_new_one_would_do_harm() {
    let mut client = own_policy();
    let refusal =
        |client: &mut Client, name: &str, marked: &str, new: &str| renamed_at(client, name, marked, new).unwrap_err();
    assert_eq!(refusal(&mut client, "own.toml", "id = \"R|01\"", "S01"), "`S01` is already taken");
    for new in ["", " a", "a\"b", "a\\b", "a\nb"] {
        assert!(refusal(&mut client, "own.toml", "id = \"R|01\"", new).contains("cannot be an id"), "{new}");
    }
    assert!(refusal(&mut client, "shared.toml", "[table.gr|ade]", "Rating").contains("cannot be a name"));
    let at = client.ask_at("textDocument/prepareRename", "own.toml", OWN, "id = \"R|01\"").unwrap();
    assert_eq!(super::client::slice(OWN, &at), "R01");
    client.write("own.cases.toml", "[[case]\n");
    let refused = refusal(&mut client, "own.toml", "id = \"R|01\"", "R02");
    assert!(refused.ends_with("own.cases.toml` has mistakes; fix them first, or a use could be missed"), "{refused}");
    assert_eq!(client.goodbye(), 0);
}

const LISTED: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\n\
    [list.blocked]\nfile = \"blocked.csv\"\n\n[request]\nphone = \"text\"\n\n\
    [metric]\na = \"in_list(blocked, request.phone)\"\nb = \"NOT in_list('blocked', request.phone)\"\n";

#[test]
fn lists_of_keys_are_completed_shown_and_renamed() {
    let mut client = Client::in_workspace();
    client.write("blocked.csv", "phone\n08031234567\n");
    client.write("listed.toml", LISTED);
    client.open("listed.toml");
    assert_eq!(client.codes("listed.toml"), [""; 0]);
    let items = client.ask_at("textDocument/completion", "listed.toml", LISTED, "in_list(|blocked").unwrap();
    let labels: Vec<&str> = items.as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["blocked"]);
    let hover = client.ask_at("textDocument/hover", "listed.toml", LISTED, "in_list(blo|cked").unwrap().to_string();
    assert!(hover.contains("a list of keys") && !hover.contains("0803"), "{hover}");
    let texts = renamed_at(&mut client, "listed.toml", "in_list(blo|cked", "refused").unwrap();
    let wanted = LISTED.replace("[list.blocked]", "[list.refused]").replace("in_list(blocked", "in_list(refused");
    assert_eq!(texts["listed.toml"], wanted.replace("'blocked'", "'refused'"));
    assert_eq!(client.goodbye(), 0);
}
