//! `docs/guides/api.md`: the quickstart works as it is written.

use std::process::Command;

use super::ApiService;
use crate::fixtures::desk::Desk;

/// The fenced block after a mark.
fn block<'p>(page: &'p str, mark: &str) -> &'p str {
    let rest = page.split_once(&format!("<!-- {mark} -->\n```sh\n")).unwrap().1;
    rest.split_once("```").unwrap().0
}

#[test]
fn the_quickstart_decides_in_four_lines() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/guides/api.md")).unwrap();
    let desk = Desk::new();
    for line in block(&page, "start").lines() {
        let args: Vec<&str> = line.split_whitespace().skip(1).collect();
        match args[0] {
            "api" => assert_eq!(args, ["api", "--policy", "starter"]),
            _ => assert_eq!(desk.run(&args).status, 0, "{line}"),
        }
    }
    let api = ApiService::start(desk.path(), &["--policy", "starter"]);
    let script = block(&page, "quickstart");
    assert_eq!(script.lines().count(), 4);
    let script = script.replace("localhost:8080", &api.address.to_string());
    let mut command = Command::new("sh");
    let said = command.args(["-euc", &script]).current_dir(desk.path()).env("no_proxy", "*").output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let lines: Vec<serde_json::Value> =
        String::from_utf8(said.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[..2].iter().all(|decision| decision["outcome"].is_string() && decision["offers"].is_array()));
    assert!(lines[2]["requirements"].is_array(), "{}", lines[2]);
}

#[test]
fn the_guide_names_every_code() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/guides/api.md")).unwrap();
    let desk = Desk::new();
    let api = super::start(&desk);
    let document = api.get("/v1/openapi.json").json();
    let codes = document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"].as_array().unwrap();
    let is_of_a_family = |code: &str| code.starts_with("statement-") || code == "not-a-statement";
    for code in codes.iter().map(|code| code.as_str().unwrap()).filter(|code| !is_of_a_family(code)) {
        assert!(page.contains(&format!("`{code}`")), "{code}");
    }
}
