//! `docs/guides/service.md`: a reader who follows it has lent and collected.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::fixtures::lender_service::free_port;

/// A program in the background, ended with the test.
struct Background(Child);

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The shell in the reader's folder.
struct Terminal<'a> {
    folder: &'a Path,
    path: String,
}

impl Terminal<'_> {
    fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-euc", script]).current_dir(self.folder).env("PATH", &self.path).env("no_proxy", "*");
        command.env_remove("LENDWRIGHT_TOKEN");
        command
    }

    fn run(&self, script: &str) -> String {
        let said = self.shell(script).output().unwrap();
        let (out, err) = (String::from_utf8(said.stdout).unwrap(), String::from_utf8(said.stderr).unwrap());
        assert!(said.status.success(), "{script}\n{out}{err}");
        out
    }

    /// Starts a server, and waits until its port answers.
    fn start(&self, command: &str, port: u16) -> Background {
        let mut shell = self.shell(&format!("exec env {command}"));
        let child = Background(shell.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        let from = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(from.elapsed() < Duration::from_secs(20), "nothing listens: {command}");
            std::thread::sleep(Duration::from_millis(10));
        }
        child
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

#[test]
fn the_page_leads_from_nothing_to_a_loan_that_was_paid_back() {
    let tools = Command::new("sh").args(["-c", "command -v curl && command -v openssl"]).output();
    if !tools.is_ok_and(|said| said.status.success()) {
        eprintln!("SKIPPED: no curl or openssl");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/guides/service.md")).unwrap();
    // What a policy may read of the book is no step of the way.
    let (page, _) = page.split_once("\n## What the book knows of a customer\n").unwrap();
    let (port, operations, provider) = (free_port(), free_port(), free_port());
    let page = page.replace("127.0.0.1:8080", &format!("127.0.0.1:{port}"));
    let page = page.replace("127.0.0.1:8090", &format!("127.0.0.1:{provider}"));
    let blocks: Vec<(&str, &str)> =
        page.split("\n```").skip(1).step_by(2).map(|part| part.split_once('\n').unwrap()).collect();
    let kinds: Vec<&str> = blocks.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, ["sh", "toml", "sh", "sh", "sh", "sh", "sh", "toml", "sh"]);
    let block = |index: usize| blocks[index].1;

    let folder = tempfile::tempdir().unwrap();
    copy(&root.join("rules"), &folder.path().join("rules"));
    let program = Path::new(env!("CARGO_BIN_EXE_lendwright")).parent().unwrap().display();
    let terminal = Terminal { folder: folder.path(), path: format!("{program}:{}", std::env::var("PATH").unwrap()) };
    terminal.run(block(0));
    // The page uses the default ports.
    let addresses =
        format!("\n[listen]\naddress = \"127.0.0.1:{port}\"\n[operations]\naddress = \"127.0.0.1:{operations}\"\n");
    let configuration = folder.path().join("lender.toml");
    std::fs::write(&configuration, format!("{}{addresses}", block(1))).unwrap();
    let _sandbox = terminal.start(block(2), provider);
    let [init, check, serve] = block(3).trim().lines().collect::<Vec<_>>().try_into().unwrap();
    assert!(terminal.run(init).starts_with("made SQLite, "));
    assert!(terminal.run(check).contains("starter"));
    let mut service = terminal.start(serve, port);

    let variables = block(4).lines().next().unwrap();
    let lent = terminal.run(&format!("{}\n{}\n{}", block(4), block(5), block(6)));
    assert!(lent.contains("The offer has been accepted") && lent.contains("\"status\":\"OPEN\""), "{lent}");

    assert!(terminal.run(&format!("kill {}", service.0.id())).is_empty());
    assert!(service.0.wait().unwrap().success());
    std::fs::write(&configuration, format!("{}{addresses}{}", block(1), block(7))).unwrap();
    let _service = terminal.start(serve, port);
    let closed = terminal.run(&format!("{variables}\n{}", block(8)));
    assert!(closed.contains("\"state\":\"CLOSED\"") && closed.contains("\"remaining\":0"), "{closed}");
    for kind in ["funded", "repaid", "debited"] {
        assert!(closed.contains(&format!("\"kind\":\"{kind}\"")), "{kind}: {closed}");
    }
}
