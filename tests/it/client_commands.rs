//! The commands `pull` and `send` against a sandbox.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use lendwright::base::secret::Secret;
use lendwright::cli::connection::ConnectionArgs;
use lendwright::cli::{pull, send};
use lendwright::client::Client;
use lendwright::sandbox::{Config, Fault, Person, Sandbox};
use lendwright::wire::{GetOffers, Settings};
use tempfile::TempDir;
use tokio::runtime::Runtime;

const OFFER: &str = r#"{"offerId":"a","amountOffered":5000000,"interest":3.0,"amountPayable":5200000,"fee":50000,
  "tenure":30,"terms":"Single repayment","expiryDate":"2026-07-07T00:00:00Z","currency":"566",
  "isPartPaymentAllowed":true}"#;

fn statement(_: &Person) -> Vec<u8> {
    br#"{"_id":"x","status":"success","message":"ok","data":{"transactions":[{"id":"1"},{"id":"2"},{"id":"3"}]}}"#
        .to_vec()
}

/// A sandbox with one offer request, and a folder with its token in a file.
struct Scene {
    // Before the runtime, which it needs in order to stop.
    sandbox: Sandbox,
    runtime: Runtime,
    folder: TempDir,
    reference: String,
}

impl Scene {
    fn new(change: impl FnOnce(&mut Config)) -> Scene {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let mut config = Config::new(1, Arc::new(statement));
        change(&mut config);
        let sandbox = runtime.block_on(Sandbox::start(config)).unwrap();
        let settings =
            Settings { base_url: sandbox.base_url(), provider_code: "SANDBOX".to_owned(), ..Settings::default() };
        let person = &sandbox.people()[0];
        let request = GetOffers {
            customer_id: person.customer_id.clone(),
            channel_code: "WEB".to_owned(),
            amount: 1,
            service_type: "LOAN".to_owned(),
            date_of_birth: person.date_of_birth.clone(),
        };
        let client = Client::new(settings, sandbox.token().clone()).unwrap();
        runtime.block_on(client.offers(&request)).unwrap();
        let reference = sandbox.requests()[0].reference.clone();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("token"), format!("{}\n", sandbox.token().expose())).unwrap();
        Scene { sandbox, runtime, folder, reference }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn connection(&self) -> ConnectionArgs {
        ConnectionArgs {
            base_url: Some(self.sandbox.base_url()),
            provider_code: Some("SANDBOX".to_owned()),
            token_file: Some(self.path("token")),
            settings: None,
        }
    }

    fn pull(&self, out: &Path) -> Result<ExitCode, String> {
        let reference = self.reference.clone();
        said(pull::run(pull::PullArgs {
            reference,
            out: Some(out.to_owned()),
            dry_run: false,
            connection: self.connection(),
        }))
    }

    fn send(&self, decision: &str, chosen: &[&str], dry_run: bool) -> Result<ExitCode, String> {
        let path = self.path("decision.json");
        fs::write(&path, decision).unwrap();
        let offers = chosen.iter().map(|id| (*id).to_owned()).collect();
        let reference = Some(self.reference.clone());
        said(send::run(send::SendArgs { decision: path, reference, offers, dry_run, connection: self.connection() }))
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

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

#[test]
fn send_answers_with_the_decisions_offers() {
    let scene = Scene::new(|_| {});
    let second = OFFER.replace(r#""offerId":"a""#, r#""offerId":"b""#);
    let decision = format!(r#"{{"customer":"c","outcome":"offer","score":455,"offers":[{OFFER},{second}]}}"#);
    scene.send(&decision, &[], true).unwrap();
    assert!(scene.sandbox.received().is_empty(), "a dry run sends nothing");
    scene.send(&decision, &[], false).unwrap();
    scene.send(&decision, &["b"], false).unwrap();
    scene.send(r#"{"outcome":"decline","offers":[]}"#, &[], false).unwrap();
    let sent: Vec<Vec<String>> = scene
        .sandbox
        .received()
        .into_iter()
        .map(|received| received.answer.offers.into_iter().map(|offer| offer.offer_id).collect())
        .collect();
    assert_eq!(sent, [vec!["a".to_owned(), "b".to_owned()], vec!["b".to_owned()], vec![]]);
}

#[test]
fn what_is_no_answer_is_not_sent() {
    let scene = Scene::new(|_| {});
    let cases = [
        (r#"{"outcome":"refer","offers":[]}"#.to_owned(), "refers the case to a person"),
        (r#"{"outcome":"offer","offers":[]}"#.to_owned(), "says `offer` but holds none"),
        (format!(r#"{{"outcome":"decline","offers":[{OFFER}]}}"#), "says `decline` but holds offers"),
        (
            r#"{"outcome":"offer","offers":[{"offerId":"secret-id"}]}"#.to_owned(),
            "not a decision with `outcome` and whole `offers`",
        ),
        (format!("{0}\n{0}", r#"{"outcome":"decline","offers":[]}"#), "send takes one decision"),
        ("".to_owned(), "not a single JSON object"),
    ];
    for (decision, expected) in cases {
        let problem = scene.send(&decision, &[], false).unwrap_err();
        assert!(problem.contains(expected) && !problem.contains("secret-id"), "{problem}");
    }
    let decision = format!(r#"{{"outcome":"offer","offers":[{OFFER}]}}"#);
    assert!(scene.send(&decision, &["z"], false).unwrap_err().contains("has no offer `z`"));
    assert!(scene.sandbox.received().is_empty());
}

#[test]
fn connections_are_explained_when_something_is_missing() {
    let scene = Scene::new(|_| {});
    let client = |change: &dyn Fn(&mut ConnectionArgs)| {
        let mut connection = scene.connection();
        change(&mut connection);
        connection.client().map(|_| ()).unwrap_err()
    };
    assert!(client(&|connection| connection.base_url = None).contains("give `--base-url URL`"));
    fs::write(scene.path("empty"), " \n").unwrap();
    assert!(client(&|connection| connection.token_file = Some(scene.path("empty"))).contains("is empty"));
    assert!(client(&|connection| connection.token_file = Some(scene.path("none"))).contains("cannot read"));
    fs::write(scene.path("settings.toml"), "base_url = \"https://x\"\n[limits]\nretries = 3 # hunter2\n").unwrap();
    let problem = client(&|connection| connection.settings = Some(scene.path("settings.toml")));
    assert!(
        problem.contains("settings.toml:3:1: unknown field `retries`") && !problem.contains("hunter2"),
        "{problem}"
    );
}

#[test]
fn settings_of_a_file_give_way_to_options() {
    let scene = Scene::new(|_| {});
    fs::write(
        scene.path("settings.toml"),
        "base_url = \"https://x\"\nprovider_code = \"FILE\"\n[records]\npages_max = 3\n",
    )
    .unwrap();
    let connection =
        ConnectionArgs { provider_code: None, settings: Some(scene.path("settings.toml")), ..scene.connection() };
    let settings = connection.settings().unwrap();
    assert_eq!(settings.base_url, scene.sandbox.base_url());
    assert_eq!((settings.provider_code.as_str(), settings.records.pages_max), ("FILE", 3));
    let wrong = Client::new(settings, Secret::new("wrong")).unwrap();
    assert!(scene.runtime.block_on(wrong.pull(&scene.reference)).unwrap_err().is_authentication());
}

/// The message of a command that stops early.
fn said<T>(result: Result<T, impl std::fmt::Display>) -> Result<T, String> {
    result.map_err(|failure| failure.to_string())
}
