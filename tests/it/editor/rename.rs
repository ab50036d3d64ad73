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
    let text = std::fs::read_to_string(client.path(name)).unwrap();
    let at = position(&text, "\n|n = ");
    let params = json!({"textDocument": {"uri": client.uri(name)}, "position": at, "newName": "nn"});
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
