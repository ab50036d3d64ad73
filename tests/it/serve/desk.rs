//! A sandbox and a service that call each other, and what tests ask them.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use chrono::{Days, Utc};
use lendwright::base::secret::Secret;
use lendwright::sandbox::{Config, Lender, Person};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::sandbox::desk::{Desk, client};

pub const PASSWORD: &str = "canary-password-of-the-provider";

pub const POLICY: &str = r#"
[policy]
name = "small"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"

[[require]]
id = "R1"
when = "records >= 3"
reason = "Only {records} records"

[metric]
records = "COUNT(*)"

[[offer]]
id = "30d"
tenure = 30
amount = "50000"
interest = 4
valid_for_days = 7
"#;

/// What is owed of the policy's offer, in minor units.
pub const PAYABLE: i64 = 5_200_000;

/// A few records up to today.
pub fn statement(person: &Person) -> Vec<u8> {
    let record = |number: u64| {
        let day = Utc::now().date_naive().checked_sub_days(Days::new(number)).unwrap();
        json!({
            "id": format!("{}-{number}", person.customer_id),
            "credit": 1_000.5,
            "trans_date": format!("{day}T09:00:00Z"),
            "notes": { "desc": "CANARY NARRATION" },
        })
    };
    let records: Vec<Value> = (1..=5).map(record).collect();
    json!({ "_id": "x", "status": "success", "message": "ok", "data": { "transactions": records } })
        .to_string()
        .into_bytes()
}

/// A sandbox that forwards to a service, and the folder of that service.
pub struct Bench {
    pub folder: TempDir,
    pub sandbox: Desk,
    pub port: u16,
    operations: u16,
}

/// A free port, for this test alone. It is below those that systems give to connections and to listeners that leave the
/// choice to them.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 10_000 + u16::try_from(std::process::id() % 200).unwrap() * 100;
    let is_free = |port: &u16| std::net::TcpListener::bind(("127.0.0.1", *port)).is_ok();
    let mut ports = std::iter::repeat_with(|| first + NEXT.fetch_add(1, Ordering::Relaxed));
    ports.find(is_free).unwrap()
}

impl Bench {
    /// `more` is added to the configuration, `change` changes the sandbox.
    pub async fn with(more: &str, change: impl FnOnce(&mut Config)) -> Bench {
        let (port, operations) = (free_port(), free_port());
        let sandbox = Desk::with(|config| {
            config.clock = Arc::new(Utc::now);
            config.statements = Arc::new(statement);
            config.behaviour.forwards_to_lender = true;
            let url = format!("http://127.0.0.1:{port}");
            config.lender = Some(Lender { url, username: "provider".to_owned(), password: Secret::new(PASSWORD) });
            change(config);
        })
        .await;
        let folder = tempfile::tempdir().unwrap();
        let bench = Bench { folder, sandbox, port, operations };
        bench.write("policy.toml", POLICY);
        bench.write("token", bench.sandbox.sandbox.token().expose());
        bench.write("password", PASSWORD);
        bench.write("keys", &format!("1:{}\nlookup:{}\n", "ab".repeat(32), "cd".repeat(32)));
        bench.configure(more);
        bench
    }

    pub async fn new(more: &str) -> Bench {
        Bench::with(more, |_| {}).await
    }

    /// Writes the configuration anew, with further sections.
    pub fn configure(&self, more: &str) {
        let base = self.sandbox.sandbox.base_url();
        let text = format!(
            "[store]\npath = \"lender.sqlite\"\nkeys_file = \"keys\"\n\
             [policy]\npath = \"policy.toml\"\nreload_ms = 100\n\
             [provider]\nbase_url = \"{base}\"\nprovider_code = \"SANDBOX\"\ntoken = {{ file = \"token\" }}\n\
             channel_terminal_id = \"TERM1\"\n\
             [[credentials]]\nusername = \"provider\"\npassword = {{ file = \"password\" }}\n\
             [listen]\naddress = \"127.0.0.1:{}\"\n[operations]\naddress = \"127.0.0.1:{}\"\n\
             [money]\nrequery_first_ms = 20\nrequery_longest_ms = 50\n\
             [calls]\nlook_every_ms = 20\nfirst_wait_ms = 20\nlongest_wait_ms = 50\n{more}",
            self.port, self.operations
        );
        self.write("lender.toml", &text);
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts the service, and waits until it serves.
    pub fn serve(&self) -> Service {
        self.serve_with(&[])
    }

    pub fn serve_with(&self, arguments: &[&str]) -> Service {
        let log = self.path("log");
        let errors = std::fs::OpenOptions::new().append(true).create(true).open(&log).unwrap();
        let mut command = command(self.folder.path());
        command.args(arguments).stdout(Stdio::piped()).stderr(errors);
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let lines: Vec<String> = out.take_while(|line| !line.starts_with("ctrl-c")).collect();
        let served = lines.iter().any(|line| line.starts_with("endpoints"));
        assert!(served, "{lines:?} {}", std::fs::read_to_string(&log).unwrap());
        Service { child, lines }
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.path("log")).unwrap()
    }

    /// The text of `/metrics`.
    pub async fn metrics(&self) -> String {
        let url = format!("http://127.0.0.1:{}/metrics", self.operations);
        client().get(url).send().await.unwrap().text().await.unwrap()
    }

    /// A page of operations.
    pub async fn page(&self, path: &str) -> String {
        let url = format!("http://127.0.0.1:{}/{path}", self.operations);
        client().get(url).send().await.unwrap().text().await.unwrap()
    }

    /// Calls an endpoint of the service directly, as the provider does.
    pub async fn call(&self, path: &str, body: Option<&Value>) -> (u16, Value) {
        let url = format!("http://127.0.0.1:{}/{path}", self.port);
        let client = client();
        let request = match body {
            Some(body) => client.post(url).header("content-type", "application/json").body(body.to_string()),
            None => client.get(url),
        };
        let request = request.header("username", "provider").header("password", PASSWORD);
        let reply = request.header("accept", "application/json").send().await.unwrap();
        let status = reply.status().as_u16();
        (status, serde_json::from_str(&reply.text().await.unwrap()).unwrap())
    }

    /// E10.
    pub async fn status(&self, loan: &str, customer: &str) -> (u16, Value) {
        let query = format!("customerId={customer}&loanId={loan}&providerCode=SANDBOX&channelCode=WEB");
        self.call(&format!("loan-status/{loan}?{query}"), None).await
    }

    /// The first person's offer, answered at once.
    pub async fn offer(&self) -> String {
        let answer = self.sandbox.asked(&self.sandbox.person(), "WEB").await;
        answer["offers"][0]["offerId"].as_str().unwrap_or_else(|| panic!("{answer}\n{}", self.log())).to_owned()
    }

    /// The first person accepts through the provider. Returns the loan's id.
    pub async fn accept(&self, offer: &str) -> String {
        let (status, body) = self.sandbox.accept(offer, self.sandbox.accept_body(offer)).await;
        assert_eq!(status, 200, "{body}\n{}", self.log());
        body["loanId"].as_str().unwrap().to_owned()
    }

    /// Starts the service, and lends to the first person. Returns the loan's id.
    pub async fn lend(&self) -> (Service, String) {
        let service = self.serve();
        let loan = self.accept(&self.offer().await).await;
        self.until_status(&loan, "OPEN").await;
        (service, loan)
    }

    /// Writes the configuration anew, with further sections and a clock that is ahead.
    pub fn move_clock(&self, more: &str, ahead: &str) {
        self.configure(&format!("{more}[testing]\nclock_ahead = \"{ahead}\"\n"));
    }

    /// The amounts that were collected from customers.
    pub fn debits(&self) -> Vec<i64> {
        let all = self.sandbox.sandbox.state().transactions();
        let debits = all.iter().filter(|transaction| transaction.transaction_id.starts_with("LW-DEBIT-"));
        debits.filter_map(|transaction| transaction.amount).collect()
    }

    /// How often money was sent to customers.
    pub fn payouts(&self) -> usize {
        let all = self.sandbox.sandbox.state().transactions();
        all.iter().filter(|transaction| transaction.transaction_id.starts_with("LW-FUND-")).count()
    }

    /// Waits until the service says this of a loan.
    pub async fn until_status(&self, loan: &str, status: &str) -> Value {
        let customer = self.sandbox.person().customer_id;
        let from = Instant::now();
        loop {
            let (_, body) = self.status(loan, &customer).await;
            if body["loan"]["status"] == status {
                return body["loan"].clone();
            }
            assert!(from.elapsed() < PATIENCE, "{body} is not {status}\n{}", self.log());
            tokio::time::sleep(PAUSE).await;
        }
    }
}

const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(10);

/// Waits until something is so.
pub async fn until(what: &str, is_so: impl Fn() -> bool) {
    let from = Instant::now();
    while !is_so() {
        assert!(from.elapsed() < PATIENCE, "never: {what}");
        tokio::time::sleep(PAUSE).await;
    }
}

/// `serve` with the configuration in this folder.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
    command.args(["serve", "--config", "lender.toml"]).current_dir(folder);
    command
}

/// A running service, killed with the test.
pub struct Service {
    pub child: Child,
    pub lines: Vec<String>,
}

impl Service {
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends a signal, and waits for the end. Returns the exit status.
    pub fn stop(mut self, signal: &str) -> Option<i32> {
        self.signal(signal);
        self.wait()
    }

    pub fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success());
    }

    pub fn wait(&mut self) -> Option<i32> {
        let from = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(from.elapsed() < PATIENCE, "the service does not end");
            std::thread::sleep(PAUSE);
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
