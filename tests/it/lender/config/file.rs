//! The configuration file: defaults, and all mistakes at once.

use lendwright::lender::config::{Answers, Config, PasswordSource};

/// A configuration with the keys that have no default.
pub(crate) const GOOD: &str = r#"
[store]
path = "lender.sqlite"
keys_file = "keys"
[policy]
path = "policy.toml"
[provider]
base_url = "https://provider.example"
channel_terminal_id = "TERM1"
[[credentials]]
username = "provider"
password = { env = "PROVIDER_PASSWORD" }
"#;

#[test]
fn a_short_file_is_enough() {
    let config = Config::read(GOOD).unwrap();
    assert_eq!(config.listen.address.to_string(), "127.0.0.1:8080");
    assert_eq!(config.operations.address.to_string(), "127.0.0.1:8081");
    assert_eq!(config.answers.offers, Answers::Later);
    let second = "[[credentials]]\nusername = \"provider\"\npassword = { command = [\"pass\", \"lender\"] }\n";
    let text = format!(
        "{GOOD}{second}[answers]\noffers = \"now\"\n[limits]\nbody_bytes_max = 5000\n[listen]\n\
                        address = \"0.0.0.0:80\"\nallow_other_machines = true\n"
    );
    let config = Config::read(&text).unwrap();
    assert_eq!((config.limits.body_bytes_max, config.limits.connections_max), (5_000, 1_024));
    assert_eq!(config.answers.offers, Answers::Now);
    let command = PasswordSource::Command(vec!["pass".to_owned(), "lender".to_owned()]);
    assert_eq!(config.credentials[1].password, Some(command));
}

#[test]
fn all_mistakes_are_listed_with_their_keys_and_without_their_values() {
    let texts = [
        "",
        "[listen",
        "listen = 5\ncredentials = 7\n",
        "[limits]\nbody_bytes_max = \"secret\"\nin_flight_max = 0\nrequests_burst = -1\nno_such = 1\n[nothing]\na = 1\n\
         [listen]\naddress = \"0.0.0.0:80\"\n[operations]\naddress = \"nowhere\"\n[answers]\noffers = \"soon\"\n\
         deadline_ms = 30000\n[[credentials]]\nusername = \"a b \"\npassword = \"secret\"\n[[credentials]]\n\
         [[credentials]]\npassword = { vault = \"secret\" }\n",
        "[operations]\naddress = \"127.0.0.1:8080\"\n[[credentials]]\nusername = \"p\"\npassword = { env = \"P\" }\n",
    ];
    let shown = texts.map(|text| {
        let mistakes = Config::read(text).unwrap_err();
        let lines: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        assert!(!lines.join(" ").contains("secret"), "{lines:?}");
        lines.join("\n")
    });
    insta::assert_snapshot!(shown.join("\n\n"));
}

#[tokio::test]
async fn a_password_comes_from_a_file_a_variable_or_a_program() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, "open sesame\n").unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let variable = |name: &str| (name == "SET").then(|| " open sesame ".to_owned());
    let sources = [
        PasswordSource::File(file),
        PasswordSource::Env("SET".to_owned()),
        PasswordSource::Command(vec!["echo".to_owned(), "open sesame".to_owned()]),
    ];
    for source in sources {
        assert!(source.read(variable).await.unwrap().matches("open sesame"), "{source:?}");
    }
    let wrong = [
        PasswordSource::File(folder.path().join("none")),
        PasswordSource::Env("UNSET".to_owned()),
        PasswordSource::Command(Vec::new()),
        PasswordSource::Command(vec!["false".to_owned()]),
    ];
    for source in wrong {
        assert!(source.read(variable).await.is_err(), "{source:?}");
    }
}
