//! The connection of `pull` and `send`: options, settings of a file, and what is missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use lendwright::base::secret::Secret;
use lendwright::cli::connection::ConnectionArgs;
use lendwright::cli::{pull, send};
use lendwright::client::Client;
use lendwright::sandbox::{Config, Person, Sandbox};
use lendwright::wire::{GetOffers, Settings};
use tempfile::TempDir;
use tokio::runtime::Runtime;

pub(crate) fn statement(_: &Person) -> Vec<u8> {
    br#"{"_id":"x","status":"success","message":"ok","data":{"transactions":[{"id":"1"},{"id":"2"},{"id":"3"}]}}"#
        .to_vec()
}

/// A sandbox with one offer request, and a folder with its token in a file.
pub(crate) struct Scene {
    // Before the runtime, which it needs in order to stop.
    pub(crate) sandbox: Sandbox,
    pub(crate) runtime: Runtime,
    pub(crate) folder: TempDir,
    pub(crate) reference: String,
}

impl Scene {
    pub(crate) fn new(change: impl FnOnce(&mut Config)) -> Scene {
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

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn connection(&self) -> ConnectionArgs {
        ConnectionArgs {
            base_url: Some(self.sandbox.base_url()),
            provider_code: Some("SANDBOX".to_owned()),
            token_file: Some(self.path("token")),
            settings: None,
        }
    }

    pub(crate) fn pull(&self, out: &Path) -> Result<ExitCode, String> {
        let reference = self.reference.clone();
        said(pull::run(pull::PullArgs {
            reference,
            out: Some(out.to_owned()),
            dry_run: false,
            connection: self.connection(),
        }))
    }

    pub(crate) fn send(&self, decision: &str, chosen: &[&str], dry_run: bool) -> Result<ExitCode, String> {
        let path = self.path("decision.json");
        fs::write(&path, decision).unwrap();
        let offers = chosen.iter().map(|id| (*id).to_owned()).collect();
        let reference = Some(self.reference.clone());
        said(send::run(send::SendArgs { decision: path, reference, offers, dry_run, connection: self.connection() }))
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
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
