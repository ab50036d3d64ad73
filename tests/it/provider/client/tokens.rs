//! Access tokens: fetched once for many calls, renewed before they expire, requested again when refused.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lendwright::base::secret::Secret;
use lendwright::client::{Class, Client, Fetching, MoneyError, Token, TokenError, TokenSource, token_source};
use lendwright::wire::lending::TransactionId;
use lendwright::wire::{ClientAuthentication, SendOffers, Settings, TokenSettings};

use super::{STATEMENT, golden, offer, settings};
use crate::fixtures::scripted_server::{Server, answer, json};

/// Gives `token-1`, `token-2`, and so on.
#[derive(Clone, Default)]
struct Counting {
    fetched: Arc<AtomicUsize>,
    lifetime: Option<Duration>,
}

impl TokenSource for Counting {
    fn fetch(&self) -> Fetching<'_> {
        Box::pin(async {
            let number = self.fetched.fetch_add(1, Ordering::SeqCst) + 1;
            tokio::time::sleep(Duration::from_millis(5)).await;
            Ok(Token { secret: Secret::new(format!("token-{number}")), lifetime: self.lifetime })
        })
    }
}

impl Counting {
    fn count(&self) -> usize {
        self.fetched.load(Ordering::SeqCst)
    }
}

/// Accepts only this token.
fn takes(token: &'static str, body: &'static str) -> Server {
    Server::guarded(move |head| match head.contains(&format!("authorization: Bearer {token}\r\n")) {
        true => json(body),
        false => answer("401 Unauthorized", &[], ""),
    })
}

#[tokio::test]
async fn many_calls_share_one_fetch() {
    let server = Server::fixed(json(STATEMENT));
    let source = Counting::default();
    let client = Client::new(settings(&server.base_url), source.clone()).unwrap();
    let pulls = futures_util::future::join_all((0..20).map(|_| client.pull("REF-1"))).await;
    assert!(pulls.iter().all(Result::is_ok));
    assert_eq!(source.count(), 1);
    assert_eq!(client.counts()["get customer transaction records (E2)"].attempts, 20);
}

#[tokio::test]
async fn a_token_is_renewed_before_it_runs_out() {
    let server = Server::fixed(json(STATEMENT));
    let source = Counting { lifetime: Some(Duration::from_millis(200)), ..Counting::default() };
    let client = Client::new(settings(&server.base_url), source.clone()).unwrap();
    client.pull("REF-1").await.unwrap();
    // Nine tenths of its life.
    tokio::time::sleep(Duration::from_millis(185)).await;
    client.pull("REF-1").await.unwrap();
    assert_eq!(source.count(), 2);
}

#[tokio::test]
async fn a_refused_token_is_renewed_once_for_calls_that_move_no_money() {
    let server = takes("token-2", STATEMENT);
    let source = Counting::default();
    let client = Client::new(settings(&server.base_url), source.clone()).unwrap();
    client.pull("REF-1").await.unwrap();
    assert_eq!((source.count(), server.count()), (2, 2));
    client.pull("REF-1").await.unwrap();
    assert_eq!((source.count(), server.count()), (2, 3), "the new one is kept");

    let server = takes("token-2", r#"{"responseCode":"00","responseMessage":"ok"}"#);
    let client = Client::new(settings(&server.base_url), Counting::default()).unwrap();
    client.send(&SendOffers::new("REF-1", vec![offer("a")])).await.unwrap();

    let server = takes("token-9", STATEMENT);
    let client = Client::new(settings(&server.base_url), Counting::default()).unwrap();
    assert!(client.pull("REF-1").await.unwrap_err().is_authentication());
    assert_eq!(server.count(), 2, "once, and no more");
}

#[tokio::test]
async fn money_is_not_sent_again_with_a_fresh_token_but_may_be() {
    let server = takes("token-2", r#"{"responseCode":"00","transactionRef":"A","transactionId":"T-1"}"#);
    let mut guaranteed = settings(&server.base_url);
    guaranteed.money.not_done_statuses = vec![401];
    let client = Client::new(guaranteed, Counting::default()).unwrap();
    let right = TransactionId::new("T-1").unwrap().persist(|_| Ok::<(), ()>(())).unwrap();
    let Err(MoneyError::NotDone { error, right }) = client.fund(&golden::fund(), right).await else {
        panic!("the right to send comes back");
    };
    assert!(error.is_authentication());
    assert_eq!(server.count(), 1);
    client.fund(&golden::fund(), right).await.unwrap();
    assert_eq!(server.count(), 2);

    // Without the provider's guarantee a 401 leaves the outcome open; the token is renewed anyway.
    let client = Client::new(settings(&server.base_url), Counting::default()).unwrap();
    let right = || TransactionId::new("T-1").unwrap().persist(|_| Ok::<(), ()>(())).unwrap();
    assert!(matches!(client.fund(&golden::fund(), right()).await, Err(MoneyError::Uncertain { .. })));
    client.fund(&golden::fund(), right()).await.unwrap();
    assert_eq!(server.count(), 4);
}

#[tokio::test]
async fn a_source_that_fails_says_so_and_nothing_is_sent() {
    struct Failing(bool, AtomicUsize);
    impl TokenSource for Failing {
        fn fetch(&self) -> Fetching<'_> {
            self.1.fetch_add(1, Ordering::SeqCst);
            let error = if self.0 { TokenError::transient("it is busy") } else { TokenError::lasting("it is gone") };
            Box::pin(async { Err(error) })
        }
    }
    for (is_transient, class, attempts) in [(true, Class::NotSent, 4), (false, Class::Authentication, 1)] {
        let server = Server::fixed(json(STATEMENT));
        let source = Arc::new(Failing(is_transient, AtomicUsize::new(0)));
        let client = Client::new(settings(&server.base_url), source.clone()).unwrap();
        let error = client.pull("REF-1").await.unwrap_err();
        assert_eq!((error.class(), error.attempts()), (class, attempts), "{error}");
        // A recent failure is not repeated at once.
        assert_eq!((server.count(), source.1.load(Ordering::SeqCst)), (0, 1));
        assert!(error.to_string().contains("cannot get the access token: it is"), "{error}");
    }
}

fn source(token: TokenSettings) -> Box<dyn TokenSource> {
    let settings = Settings { token: Some(token), ..Settings::default() };
    token_source(&settings).unwrap().unwrap()
}

#[tokio::test]
async fn a_file_is_read_again_when_its_token_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    std::fs::write(&path, "old\n").unwrap();
    let server = takes("new", STATEMENT);
    let client = Client::new(settings(&server.base_url), source(TokenSettings::File { path: path.clone() })).unwrap();
    assert!(client.pull("REF-1").await.unwrap_err().is_authentication());
    std::fs::write(&path, " new \n").unwrap();
    client.pull("REF-1").await.unwrap();
    std::fs::write(&path, "\n").unwrap();
    let empty = Client::new(settings(&server.base_url), source(TokenSettings::File { path: path.clone() })).unwrap();
    let error = empty.pull("REF-1").await.unwrap_err();
    assert!(error.is_authentication() && error.to_string().contains("is empty"), "{error}");
    // The beginning of a long file is no token, even if the provider would take it.
    std::fs::write(&path, format!("new{}", " ".repeat(65_534))).unwrap();
    let error = source(TokenSettings::File { path }).fetch().await.unwrap_err();
    assert!(error.to_string().contains("` has more than 64 KiB"), "{error}");
}

#[tokio::test]
async fn a_program_prints_a_token() {
    let run = async |words: &[&str]| {
        let command = words.iter().map(|word| (*word).to_owned()).collect();
        source(TokenSettings::Command { command, lifetime_s: Some(9) }).fetch().await
    };
    let token = run(&["sh", "-c", "echo ' printed '; echo secret >&2"]).await.unwrap();
    assert_eq!((token.secret.expose(), token.lifetime), ("printed", Some(Duration::from_secs(9))));
    for (words, problem) in [
        (vec!["sh", "-c", "echo hunter2; exit 3"], "`sh` failed: exit status: 3"),
        (vec!["sh", "-c", "printf 'hunter2\\377'"], "`sh` printed what is not text"),
        (vec!["true"], "printed nothing"),
        (vec!["no-such-program-here"], "`no-such-program-here` cannot be run: "),
    ] {
        let error = run(&words).await.unwrap_err().to_string();
        assert!(error.contains(problem) && !error.contains("hunter2"), "{error}");
    }
    let settings = Settings {
        token: Some(TokenSettings::Command { command: Vec::new(), lifetime_s: None }),
        ..Settings::default()
    };
    assert!(token_source(&settings).is_err());
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_that_leaves_a_child_behind_has_printed_its_token() {
    let folder = tempfile::tempdir().unwrap();
    let (going, path) = (folder.path().join("going"), folder.path().display().to_string());
    std::fs::write(&going, "").unwrap();
    // The child holds the program's output open until this test is over.
    let script = format!("(while [ -e '{path}/going' ]; do sleep 0.1; done) & echo printed");
    let command = vec!["sh".to_owned(), "-c".to_owned(), script];
    let token = source(TokenSettings::Command { command, lifetime_s: None });
    let fetched = tokio::time::timeout(Duration::from_secs(300), token.fetch()).await.expect("it does not hang");
    std::fs::remove_file(&going).unwrap();
    assert_eq!(fetched.unwrap().secret.expose(), "printed");
}

#[tokio::test]
async fn a_program_may_print_in_pieces_and_not_without_end() {
    let run = async |script: &str| {
        let command = vec!["sh".to_owned(), "-c".to_owned(), script.to_owned()];
        source(TokenSettings::Command { command, lifetime_s: None }).fetch().await
    };
    let long =
        run("printf start; sleep 0.1; head -c 60000 /dev/zero | tr '\\0' x; sleep 0.1; printf end").await.unwrap();
    assert_eq!(long.secret.expose(), format!("start{}end", "x".repeat(60_000)));
    let endless = run("yes").await.unwrap_err().to_string();
    assert!(endless.contains("`sh` printed more than 64 KiB"), "{endless}");
}

/// Reads a whole request with its body, and answers it.
fn endpoint(answer: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Server {
    Server::accepting(move |mut stream| {
        let mut request = Vec::new();
        let mut buffer = [0; 4096];
        while !String::from_utf8_lossy(&request).contains("grant_type=client_credentials&scope=loans+read") {
            match stream.read(&mut buffer) {
                Ok(read) if read > 0 => request.extend_from_slice(&buffer[..read]),
                _ => return,
            }
        }
        let _ = stream.write_all(&answer(&String::from_utf8_lossy(&request)));
    })
}

#[tokio::test]
async fn client_credentials_are_exchanged_for_a_token() {
    let credentials = |server: &Server| TokenSettings::ClientCredentials {
        url: format!("{}/oauth/token", server.base_url),
        client_id: "id 1".to_owned(),
        client_secret: Secret::new("hunter2:ä"),
        scope: Some("loans read".to_owned()),
        authentication: ClientAuthentication::ClientSecretBasic,
        parameters: BTreeMap::new(),
    };
    let issuer = endpoint(|request| {
        assert!(request.starts_with("POST /oauth/token HTTP/1.1\r\n"), "{request}");
        // `id+1:hunter2%3A%C3%A4` in base 64: each part is encoded first.
        assert!(request.contains("authorization: Basic aWQrMTpodW50ZXIyJTNBJUMzJUE0\r\n"), "{request}");
        json(r#"{"access_token":"fresh","token_type":"Bearer","expires_in":3600}"#)
    });
    let server = takes("fresh", STATEMENT);
    let client = Client::new(settings(&server.base_url), source(credentials(&issuer))).unwrap();
    client.pull("REF-1").await.unwrap();
    client.pull("REF-1").await.unwrap();

    for (status, class) in [("401 Unauthorized", Class::Authentication), ("503 Busy", Class::NotSent)] {
        let issuer = endpoint(move |_| answer(status, &[], r#"{"error":"invalid_client hunter2"}"#));
        let client = Client::new(settings(&server.base_url), source(credentials(&issuer))).unwrap();
        let error = client.pull("REF-1").await.unwrap_err();
        assert_eq!(error.class(), class, "{error}");
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    }
}

#[tokio::test]
async fn credentials_may_go_in_the_body_with_further_fields() {
    let issuer = endpoint(|request| {
        assert!(!request.to_ascii_lowercase().contains("authorization:"), "{request}");
        let fields = "audience=https%3A%2F%2Flending.example&client_id=id+1&client_secret=hunter2%3A%C3%A4";
        assert!(request.ends_with(&format!("grant_type=client_credentials&scope=loans+read&{fields}")), "{request}");
        json(r#"{"access_token":"fresh","token_type":"Bearer","expires_in":3600}"#)
    });
    let text = format!(
        "[client_credentials]\nurl = \"{}/oauth/token\"\nclient_id = \"id 1\"\nclient_secret = \"hunter2:ä\"\n\
         scope = \"loans read\"\n\
         authentication = \"client_secret_post\"\nparameters = {{ audience = \"https://lending.example\" }}\n",
        issuer.base_url
    );
    let server = takes("fresh", STATEMENT);
    let client = Client::new(settings(&server.base_url), source(toml::from_str(&text).unwrap())).unwrap();
    client.pull("REF-1").await.unwrap();
}

#[tokio::test]
async fn headers_of_the_settings_go_with_each_call_and_are_never_shown() {
    let server = Server::guarded(|head| match head.contains("x-api-key: k-123\r\n") {
        true => json(STATEMENT),
        false => answer("403 Forbidden", &[], ""),
    });
    let with = |name: &str, value: &str| {
        let mut settings = settings(&server.base_url);
        settings.headers.insert(name.to_owned(), Secret::new(value));
        Client::new(settings, Secret::new("t"))
    };
    let client = with("X-Api-Key", "k-123").unwrap();
    client.pull("REF-1").await.unwrap();
    for (name, value, what) in [
        ("Authorization", "Basic x", "each call sends the access token by that header already"),
        ("content-type", "text/plain", "which the client sends itself"),
        ("two words", "x", "which cannot name a header"),
        ("x-key", "a\nb", "whose value has characters that a header cannot contain"),
    ] {
        let error = with(name, value).unwrap_err().to_string();
        assert!(error.contains(what) && !error.contains("Basic"), "{error}");
    }
}
