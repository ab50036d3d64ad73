//! A PostgreSQL server of the tests' own: made in a temporary folder, started once per process, and ended with it
//! however it ends. Where there is no PostgreSQL, the tests say SKIPPED, unless `POSTGRES=required`.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use postgres::{Client, Config, NoTls};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

use crate::base::secret::Secret;

const USER: &str = "lendwright";

/// Starts the server, waits for the end of this process, and removes what is left. Whoever kills this process closes
/// the pipe that `read` waits for.
const WATCH: &str = r#"
trap '' HUP INT
folder=$1
shift
"$@" >"$folder/log" 2>&1 &
server=$!
read -r nothing
kill -QUIT "$server" 2>/dev/null
wait "$server"
rm -rf "$folder"
"#;

pub(super) struct Cluster {
    folder: PathBuf,
    port: u16,
    password: String,
    /// Its standard input stays open as long as this process lives.
    _watch: Child,
}

/// The server, or `None` where there is no PostgreSQL.
pub(super) fn cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Result<Cluster, String>>> = OnceLock::new();
    let started = CLUSTER.get_or_init(|| Some(Cluster::start(&programs()?)));
    match started {
        Some(started) => {
            let message = started.as_ref().err();
            assert!(message.is_none(), "PostgreSQL does not start: {message:?}");
            started.as_ref().ok()
        }
        None => {
            let is_required = std::env::var("POSTGRES").is_ok_and(|value| value == "required");
            assert!(!is_required, "POSTGRES=required, and there is no `initdb` with `postgres`");
            eprintln!("SKIPPED: there is no PostgreSQL (`initdb` and `postgres`); its store is NOT tested");
            None
        }
    }
}

/// The folder of `initdb` and `postgres`.
fn programs() -> Option<PathBuf> {
    let has_both = |folder: &PathBuf| folder.join("initdb").is_file() && folder.join("postgres").is_file();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&path).find(has_both);
    // Debian keeps them out of the PATH, by version.
    let versions = || fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    in_path.or_else(|| versions().map(|version| version.path().join("bin")).filter(has_both).max())
}

/// The user that runs the server: PostgreSQL refuses to be run by root.
struct Account {
    user: u32,
    group: u32,
}

impl Account {
    fn other_than_root(folder: &Path) -> Result<Option<Account>, String> {
        let mine = fs::metadata(folder).map_err(|error| error.to_string())?;
        if mine.uid() != 0 {
            return Ok(None);
        }
        let known = fs::read_to_string("/etc/passwd").map_err(|error| error.to_string())?;
        ["postgres:", "nobody:"]
            .iter()
            .find_map(|name| {
                let fields: Vec<&str> = known.lines().find(|line| line.starts_with(name))?.split(':').collect();
                Some(Account { user: fields.get(2)?.parse().ok()?, group: fields.get(3)?.parse().ok()? })
            })
            .map(Some)
            .ok_or_else(|| "root has neither `postgres` nor `nobody` to run it".to_string())
    }
}

fn command(program: PathBuf, account: Option<&Account>) -> Vec<String> {
    let program = program.display().to_string();
    match account {
        None => vec![program],
        Some(Account { user, group }) => {
            let (user, group) = (format!("--reuid={user}"), format!("--regid={group}"));
            vec!["setpriv".to_string(), user, group, "--clear-groups".to_string(), program]
        }
    }
}

impl Cluster {
    fn start(programs: &Path) -> Result<Cluster, String> {
        let folder = tempfile::Builder::new().prefix("lendwright-pg-").tempdir().map_err(|error| error.to_string())?;
        let folder = folder.keep();
        let account = Account::other_than_root(&folder)?;
        let password = format!("p'@:/%{:016x}", fastrand::u64(..));
        let port = initialize(programs, &folder, account.as_ref(), &password)?;
        let mut server = command(programs.join("postgres"), account.as_ref());
        let data = folder.join("data").display().to_string();
        server.extend(["-D".to_string(), data, "-k".to_string(), folder.display().to_string()]);
        server.extend(["-p".to_string(), port.to_string()]);
        for setting in ["listen_addresses=127.0.0.1", "ssl=on", "max_connections=300", "shared_buffers=16MB"] {
            server.extend(["-c".to_string(), setting.to_string()]);
        }
        let watch = Command::new("sh")
            .args(["-c", WATCH, "watch"])
            .arg(&folder)
            .args(server)
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // An interrupt from the keyboard must not end the watch before the server.
            .process_group(0)
            .spawn()
            .map_err(|error| error.to_string())?;
        let cluster = Cluster { folder, port, password, _watch: watch };
        cluster.wait()?;
        Ok(cluster)
    }

    fn wait(&self) -> Result<(), String> {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            match self.config("postgres").connect(NoTls) {
                Ok(_) => return Ok(()),
                Err(_) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(50)),
                Err(error) => {
                    let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
                    return Err(format!("{error}: {log}"));
                }
            }
        }
    }

    fn config(&self, database: &str) -> Config {
        let mut config = Config::new();
        config.host_path(&self.folder).port(self.port).user(USER).password(&self.password).dbname(database);
        config
    }

    /// A connection of the tests' own.
    pub(super) fn client(&self, database: &str) -> Result<Client, postgres::Error> {
        self.config(database).connect(NoTls)
    }

    /// Makes a database and returns its name.
    pub(super) fn database(&self) -> Result<String, postgres::Error> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        self.client("postgres")?.batch_execute(&format!("CREATE DATABASE {name}"))?;
        Ok(name)
    }

    /// The URL of a database, through the socket in the folder.
    pub(super) fn url(&self, database: &str) -> Secret {
        let host = self.folder.display().to_string().replace('/', "%2F");
        self.url_at(&host, self.port, database)
    }

    pub(super) fn url_at(&self, host: &str, port: u16, database: &str) -> Secret {
        let password: String = form_urlencoded::byte_serialize(self.password.as_bytes()).collect();
        Secret::new(format!("postgresql://{USER}:{password}@{host}:{port}/{database}"))
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn password(&self) -> &str {
        &self.password
    }

    /// The authority that signed the server's certificate, which is for `localhost`.
    pub(super) fn authority(&self) -> PathBuf {
        self.folder.join("authority.pem")
    }
}

/// Makes the data folder with a password and a certificate. Returns a port that is free now.
fn initialize(programs: &Path, folder: &Path, account: Option<&Account>, password: &str) -> Result<u16, String> {
    let message = |error: std::io::Error| error.to_string();
    let own = |path: &Path| account.map_or(Ok(()), |to| chown(path, Some(to.user), Some(to.group)).map_err(message));
    own(folder)?;
    let secret = folder.join("password");
    fs::write(&secret, password).map_err(message)?;
    own(&secret)?;
    let mut initdb = command(programs.join("initdb"), account);
    let (data, pwfile) = (folder.join("data"), format!("--pwfile={}", secret.display()));
    initdb.extend([data.display().to_string(), "-U".to_string(), USER.to_string(), pwfile]);
    for option in ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"] {
        initdb.push(option.to_string());
    }
    let (program, arguments) = initdb.split_first().ok_or("no program")?;
    let output = Command::new(program).args(arguments).current_dir(folder).output().map_err(message)?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    for (name, text) in certificates().map_err(|error| error.to_string())? {
        let path = if name == "authority.pem" { folder.join(name) } else { data.join(name) };
        fs::write(&path, text).map_err(message)?;
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).map_err(message)?;
        own(&path)?;
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").map_err(message)?;
    Ok(listener.local_addr().map_err(message)?.port())
}

fn certificates() -> Result<[(&'static str, String); 3], rcgen::Error> {
    let mut parameters = CertificateParams::new(Vec::new())?;
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate()?;
    let authority = parameters.self_signed(&key)?.pem();
    let issuer = Issuer::new(parameters, key);
    let key = KeyPair::generate()?;
    let server = CertificateParams::new(vec!["localhost".to_owned()])?.signed_by(&key, &issuer)?;
    Ok([("authority.pem", authority), ("server.crt", server.pem()), ("server.key", key.serialize_pem())])
}
