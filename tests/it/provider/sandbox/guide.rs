//! `docs/guides/sandbox.md` and the walk that the command prints: the program does what they show.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use lendwright::sandbox::{Endpoint, Fault};

use crate::fixtures::sandbox::{Desk, client};

/// The words of a command line, as a shell would split them. Names after `$` are replaced.
fn words(line: &str, names: &[(&str, String)]) -> Vec<String> {
    let (mut words, mut word, mut quote, mut inside) = (Vec::new(), String::new(), None, false);
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), letter) if open == letter => quote = None,
            (Some(_), letter) => word.push(letter),
            (None, '\'' | '"') => (quote, inside) = (Some(letter), true),
            (None, ' ') => {
                if inside || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                inside = false;
            }
            (None, letter) => word.push(letter),
        }
    }
    words.push(word);
    let replaced =
        |word: String| names.iter().fold(word, |word, (name, value)| word.replace(&format!("${name}"), value));
    words.into_iter().map(replaced).collect()
}

/// What `curl -s` would print; a redirect is shown by where it leads.
async fn curl(words: &[String]) -> String {
    let (mut method, mut body, mut url, mut headers) = (None, None, String::new(), Vec::new());
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-s" => {}
            "-X" => method = rest.next().cloned(),
            "-H" => headers.extend(rest.next().and_then(|header| header.split_once(": "))),
            "-d" => body = rest.next().cloned(),
            "--data-binary" => body = rest.next().cloned(),
            _ => url.clone_from(word),
        }
    }
    let method = method.unwrap_or_else(|| if body.is_some() { "POST" } else { "GET" }.to_owned());
    let mut request = client().request(method.parse().unwrap(), url);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let reply = request.body(body.unwrap_or_default()).send().await.unwrap();
    let location = reply.headers().get("location").map(|location| location.to_str().unwrap().to_owned());
    let text = reply.text().await.unwrap();
    location.map_or(text, |location| format!("-> {location}"))
}

#[tokio::test]
async fn the_page_shows_what_the_sandbox_answers() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guides/sandbox.md");
    let page = std::fs::read_to_string(&file).unwrap();
    let desk = Desk::new().await;
    let base = desk.sandbox.base_url();
    let mut updated = page.clone();
    for block in page.split("\n```console\n").skip(1).map(|rest| rest.split_once("\n```").unwrap().0) {
        let mut said = Vec::new();
        for command in block.lines().filter_map(|line| line.strip_prefix("$ ")) {
            let state = desk.sandbox.state();
            let names = [
                ("BASE", base.clone()),
                ("AUTH", format!("Authorization: Bearer {}", desk.sandbox.token().expose())),
                ("JSON", "Content-Type: application/json".to_owned()),
                ("REF", state.requests().last().map(|request| request.reference.clone()).unwrap_or_default()),
                ("LOAN", state.loans().last().map(|loan| loan.loan_id.clone()).unwrap_or_default()),
                ("BILL", state.bills().last().map(|bill| bill.reference.clone()).unwrap_or_default()),
            ];
            let answer = curl(&words(command, &names)).await.replace(&base, "http://127.0.0.1:8080");
            said.push(format!("$ {command}\n{answer}"));
        }
        updated = updated.replacen(block, &said.join("\n"), 1);
    }
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        std::fs::write(&file, &updated).unwrap();
    } else {
        assert_eq!(updated, page, "docs/guides/sandbox.md");
    }
}

#[test]
fn the_page_names_every_endpoint_and_fault() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guides/sandbox.md")).unwrap();
    for endpoint in Endpoint::ALL {
        assert!(page.contains(&format!("`{}`", endpoint.name())), "{}", endpoint.name());
    }
    let shown = format!("{:?}", Fault::default());
    let names = shown.split_once('{').unwrap().1.split(", ").map(|field| field.trim().split(':').next().unwrap());
    for name in names {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}

/// Ends the program when the test is over, however it ends.
struct Running(std::process::Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_walk_that_the_command_prints_works() {
    let has_curl =
        Command::new("sh").args(["-c", "command -v curl sed"]).output().is_ok_and(|said| said.status.success());
    let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
    command.args(["sandbox", "--seed", "3"]).env_remove("LENDWRIGHT_TOKEN").stdout(Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    let lines = BufReader::new(running.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    let said: Vec<String> = lines.take_while(|line| line != "ctrl-c stops it").collect();
    assert!(said.iter().any(|line| line.starts_with("pages    http://127.0.0.1:")), "{said:?}");
    if !has_curl {
        eprintln!("SKIPPED: no curl");
        return;
    }
    let from = said.iter().position(|line| line.starts_with("a walkthrough by hand")).unwrap();
    let steps = said[from..].iter().filter(|line| line.starts_with("  ") && !line.contains("lendwright provider pull"));
    let script: Vec<String> =
        steps.map(|line| line.trim().replace("curl ", "curl --noproxy '*' -sS -w '\\n' ")).collect();
    let walked = Command::new("sh").args(["-euc", &script.join("\n")]).output().unwrap();
    let text = String::from_utf8(walked.stdout).unwrap();
    assert!(walked.status.success(), "{text}{}", String::from_utf8_lossy(&walked.stderr));
    let good = text.matches("\"responseCode\":\"00\"").count();
    assert_eq!(good, 6, "offers, send, accept, fund, debit, status: {text}");
    assert!(text.contains("\"amount\":150000,") && text.contains("\"code\":\"200\""), "{text}");
}

/// The block of the page that begins so, without its fence.
fn block<'a>(page: &'a str, start: &str) -> &'a str {
    let from = page.find(start).unwrap_or_else(|| panic!("no block `{start}`")) + start.find('\n').unwrap() + 1;
    page[from..].split_once("```").unwrap().0
}

#[test]
fn the_commands_of_the_page_work_with_its_settings() {
    let tools = Command::new("sh").args(["-c", "command -v curl && command -v sed"]).output();
    if !tools.is_ok_and(|said| said.status.success()) {
        eprintln!("SKIPPED: no curl");
        return;
    }
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guides/sandbox.md")).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_lendwright"));
    let mut command = Command::new(program);
    command.args(["sandbox", "--seed", "7"]).env_remove("LENDWRIGHT_TOKEN").stdout(Stdio::piped());
    let mut running = Running(command.spawn().unwrap());
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    let base = lines.find_map(|line| line.strip_prefix("sandbox  ").map(str::to_owned)).unwrap();
    // Read to its end, so that the program does not write into a closed pipe.
    std::thread::spawn(move || lines.for_each(drop));

    let folder = tempfile::tempdir().unwrap();
    let settings = block(&page, "```toml\n# provider.toml\n").replace("http://127.0.0.1:8080", &base);
    std::fs::write(folder.path().join("provider.toml"), settings).unwrap();
    std::fs::write(folder.path().join("decision.json"), block(&page, "```json\n{\"outcome\"")).unwrap();
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let script = block(&page, "```sh\necho sandbox-token-7");
    let said = Command::new("sh")
        .args(["-euxc", script])
        .current_dir(folder.path())
        .envs([("PATH", path.as_str()), ("BASE", &base), ("no_proxy", "*")])
        .env_remove("LENDWRIGHT_TOKEN")
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8(said.stdout).unwrap(), String::from_utf8(said.stderr).unwrap());
    assert!(said.status.success(), "{out}{err}");
    assert!(err.contains("x-offer-request-reference") && err.contains(&format!("{base}/sandbox/requests")), "{err}");
    assert!(out.contains("\"accountName\":\"Chidi Uche\"") && out.contains("\"paid\":true"), "{out}");
}

#[tokio::test]
async fn statements_end_on_the_day_that_was_asked_for() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lendwright"));
    command.args(["sandbox", "--seed", "7", "--last-day", "2026-03-31"]);
    let mut running = Running(command.env("LENDWRIGHT_TOKEN", "given").stdout(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    let base = lines.find_map(|line| line.strip_prefix("sandbox  ").map(str::to_owned)).unwrap();
    std::thread::spawn(move || lines.for_each(drop));
    let get = async |path: String| {
        let request = client().get(format!("{base}/lending-service{path}")).bearer_auth("given");
        request.header("accept", "application/json").send().await.unwrap()
    };
    let person = &lendwright::sandbox::people(7)[0];
    let (id, born) = (&person.customer_id, &person.date_of_birth);
    let asked = format!(
        "/api/v3/offers?customerId={id}&channelCode=WEB&amount=5000000&serviceType=LOAN&dateOfBirth={born}\
         &providerCode=SANDBOX"
    );
    let offers = get(asked).await;
    let reference = offers.headers()[lendwright::sandbox::REFERENCE_HEADER].to_str().unwrap();
    let records =
        format!("-data-service/api/v1/customer-details/transactions/{reference}?offerRequestReference={reference}");
    let statement: serde_json::Value = serde_json::from_str(&get(records).await.text().await.unwrap()).unwrap();
    let records = statement["data"]["transactions"].as_array().unwrap();
    let last = records.iter().filter_map(|record| record["trans_date"].as_str()).max().unwrap();
    assert!(("2026-03-25".."2026-04-01").contains(&last), "{last}");
}

#[test]
fn wrong_options_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.toml");
    std::fs::write(&file, "[notifications]\ncopies = \"two\"\n").unwrap();
    let file = file.to_str().unwrap();
    let cases = [
        (
            ["--lender-url", "127.0.0.1:9000"],
            "the address of `--lender-url` is not an address that begins with `http://` or `https://` and a host",
        ),
        (
            ["--lender-url", "http://lender.example/"],
            "the address of `--lender-url` is plain `http` to another machine",
        ),
        (["--webhook-url", "javascript:x"], "the address of `--webhook-url` is not an address that begins with"),
        (["--behaviour", file], "wrong.toml:2:10: expected u32"),
        (["--faults", file], "wrong.toml:1:2: unknown field `notifications`"),
        (["--listen", "0.0.0.0:0"], "`0.0.0.0:0` is not a loopback address"),
        (["--last-day", "today"], "`today` is not a date"),
    ];
    for (options, words) in cases {
        let said = Command::new(env!("CARGO_BIN_EXE_lendwright")).arg("sandbox").args(options).output().unwrap();
        let text = String::from_utf8(said.stderr).unwrap();
        assert!(matches!(said.status.code(), Some(1 | 2)) && text.contains(words), "{options:?}: {text}");
    }
}
