//! The program that is measured: `lendwright serve` as a process of its own, in a folder of its own. Knows nothing of
//! what it is asked.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Everyone has an offer, by one metric: what is measured is the service around decisions, not decisions.
const POLICY: &str = r#"[policy]
name = "load"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"

[metric]
income = "SUM(credit)"

[[offer]]
id = "short"
tenure = 30
amount = "0.10 * income"
interest = 3
valid_for_days = 200
"#;

/// A service that runs until this is dropped.
pub struct Lender {
    process: Child,
    folder: PathBuf,
    /// Where the provider calls it.
    pub address: SocketAddr,
    operations: SocketAddr,
}

impl Lender {
    /// Starts it on a store, `path = "lender.sqlite"` or `url = "postgresql://…"`, and waits until it is ready.
    pub fn start(program: &Path, store: &str, provider: SocketAddr) -> Self {
        let folder = std::env::temp_dir().join(format!("lendwright-service-{}", std::process::id()));
        // Left by a run that was ended.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let [address, operations] = [free_address(), free_address()];
        let config = format!(
            "[store]\n{store}\nkeys_file = \"keys\"\n[policy]\npath = \"policy.toml\"\nwaiting_max = 4096\n[provider]\n\
             base_url = \"http://{provider}\"\nprovider_code = \"LENDER\"\ntoken = {{ file = \"token\" }}\n\
             channel_terminal_id = \"TERM1\"\n[[credentials]]\nusername = \"provider\"\n\
             password = {{ file = \"password\" }}\n[listen]\naddress = \"{address}\"\n[operations]\n\
             address = \"{operations}\"\n[answers]\noffers = \"now\"\n[limits]\nrequests_per_second = 1000000\n\
             requests_burst = 1000000\n"
        );
        let keys = format!("1:{}\nlookup:{}\n", "0b".repeat(32), "0c".repeat(32));
        for (name, text) in [
            ("serve.toml", config.as_str()),
            ("policy.toml", POLICY),
            ("keys", &keys),
            ("token", "a-token"),
            ("password", "a-password"),
        ] {
            private(&folder.join(name), text);
        }
        let log = fs::File::create(folder.join("log")).expect("a file");
        let serve = || {
            let mut command = Command::new(program);
            command.args(["serve", "--config"]).arg(folder.join("serve.toml"));
            command
        };
        // On a server, an earlier run may have made it. If it is missing, the start says so.
        serve().arg("--init").output().expect("the program");
        let process = serve().stdout(Stdio::null()).stderr(log).spawn().expect("the program");
        let mut lender = Self { process, folder, address, operations };
        lender.wait_until_ready();
        lender
    }

    fn wait_until_ready(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !self.operations("/health/ready").starts_with("HTTP/1.1 200") {
            let ended = self.process.try_wait().expect("a process");
            assert!(ended.is_none() && Instant::now() < deadline, "the service does not start:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn operations(&self, path: &str) -> String {
        let mut answer = String::new();
        if let Ok(mut stream) = TcpStream::connect(self.operations) {
            let request = format!("GET {path} HTTP/1.1\r\nhost: lender\r\nconnection: close\r\n\r\n");
            // Without an answer it is not ready.
            let _ = stream.write_all(request.as_bytes()).and_then(|()| stream.read_to_string(&mut answer));
        }
        answer
    }

    /// How many loans are in a state, by the service's own metrics.
    pub fn loans(&self, state: &str) -> u64 {
        let label = format!("state=\"{state}\"");
        let metrics = self.operations("/metrics");
        let line = metrics.lines().find(|line| line.contains("loans") && line.contains(&label));
        line.and_then(|line| line.rsplit(' ').next()).and_then(|count| count.parse().ok()).unwrap_or(0)
    }

    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }
}

impl Drop for Lender {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port")
}

fn private(path: &Path, text: &str) {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).and_then(|mut file| file.write_all(text.as_bytes())).expect("a file");
}
