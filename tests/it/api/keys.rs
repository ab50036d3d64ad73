//! Keys and their scopes, from the making to the refusal.

use super::ApiService;
use crate::fixtures::desk::Desk;

/// Makes a key with these scopes, adds its line to the file, and returns the key.
fn make_key(desk: &Desk, name: &str, scopes: &str) -> String {
    let said = desk.run(&["api", "--new-key", name, "--scopes", scopes]);
    assert_eq!(said.status, 0, "{}", said.err);
    let key = said.err.trim().rsplit(' ').next().unwrap().to_owned();
    assert!(key.starts_with("lw_") && !said.out.contains(&key));
    let before = std::fs::read_to_string(desk.path().join("keys.txt")).unwrap_or_default();
    desk.write("keys.txt", &format!("{before}{}", said.out));
    key
}

#[test]
fn each_key_opens_what_its_scopes_say() {
    let desk = Desk::new();
    let keys = [("till", "decide"), ("desk", "explain,decide"), ("watch", "read")];
    let keys = keys.map(|(name, scopes)| (scopes, format!("Bearer {}", make_key(&desk, name, scopes))));
    let api = ApiService::start(desk.path(), &["--policy", "rules/small.toml", "--keys", "keys.txt"]);
    let paths = [
        ("POST", "/v1/decisions", "decide"),
        ("POST", "/v1/batches", "decide"),
        ("POST", "/v1/explanations", "explain"),
        ("POST", "/v1/metrics", "explain"),
        ("POST", "/v1/records", "explain"),
        ("GET", "/v1/policies", "read"),
        ("GET", "/metrics", "read"),
        ("GET", "/v1/openapi.json", "read"),
    ];
    for (method, path, needed) in paths {
        // A content type that is refused, so that a key which is admitted is seen by 415.
        let kind = ("content-type", "text/plain");
        for (scopes, key) in &keys {
            let reply = api.ask(method, path, &[kind, ("authorization", key)], b"");
            match scopes.split(',').any(|scope| scope == needed) {
                true => assert!([200, 415].contains(&reply.status), "{path} {scopes}: {}", reply.text()),
                false => assert_eq!((reply.status, reply.code().as_str()), (403, "key-scope"), "{path} {scopes}"),
            }
        }
        let without = api.ask(method, path, &[kind], b"");
        assert_eq!((without.status, without.code().as_str()), (401, "key-missing"), "{path}");
        assert_eq!(without.header("www-authenticate"), Some("Bearer"));
        let wrong = api.ask(method, path, &[kind, ("authorization", "Bearer lw_00")], b"");
        assert_eq!((wrong.status, wrong.code().as_str()), (401, "key-unknown"), "{path}");
        let double = [kind, ("authorization", keys[0].1.as_str()), ("authorization", keys[1].1.as_str())];
        assert_eq!(api.ask(method, path, &double, b"").status, 401, "{path}");
    }
    assert_eq!(api.get("/v1/health").status, 200);
    // With keys it is for others too, under any name.
    assert_eq!(api.ask("GET", "/v1/health", &[("host", "api.example")], b"").status, 200);
    let log = desk.read("api.log");
    assert!(!log.contains("lw_"), "{log}");
}

#[test]
fn a_wrong_file_of_keys_is_refused_by_its_line() {
    let desk = Desk::new();
    desk.write("keys.txt", "# mine\ntill decide,pay 00\n");
    let said = desk.run(&["api", "--policy", "rules/small.toml", "--keys", "keys.txt", "--listen", "127.0.0.1:0"]);
    assert_eq!(said.status, 1);
    assert!(said.err.contains("keys.txt: line 2: scopes"), "{}", said.err);
}
