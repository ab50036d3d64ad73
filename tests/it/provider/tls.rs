//! A provider with TLS certificates made by the test, speaking HTTP/2: for the cases of the matrix and for its own
//! tests.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use h2::Reason;
use h2::server::SendResponse;
use lendwright::client::{Class, MoneyError};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::client::failure_matrix::{Case, LOST, Outcome, RECEIPT, Trouble, case, fund, right};
use super::client::{STATEMENT, client, settings};

/// An authority known only to those who have its certificate.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    file: tempfile::TempDir,
}

static AUTHORITY: LazyLock<Authority> = LazyLock::new(|| {
    let mut parameters = CertificateParams::new(Vec::new()).unwrap();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let file = tempfile::tempdir().unwrap();
    std::fs::write(file.path().join("root.pem"), parameters.self_signed(&key).unwrap().pem()).unwrap();
    Authority { issuer: Issuer::new(parameters, key), file }
});

pub(crate) fn root() -> Option<PathBuf> {
    Some(AUTHORITY.file.path().join("root.pem"))
}

/// The name the server claims.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Identity {
    Itself,
    Another,
    RunOut,
}

/// What it does with a request.
#[derive(Clone, Copy)]
pub(crate) enum Manner {
    /// Answers.
    Well,
    /// Says that it has not processed it, and that it may be sent again.
    Refusing,
    /// Ends the request in the middle of its answer.
    BreakingOff,
    /// Announces the end of the connection, and ends it.
    Leaving,
    /// Ends the connection without notice.
    Dropping,
    /// Answers, and ends the connection with its next request unread.
    Forgetting,
}

/// A provider, for as long as the process lives.
pub(crate) struct Provider {
    pub(crate) base_url: String,
    pub(crate) requests: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
}

impl Provider {
    pub(crate) fn start(identity: Identity, manner: Manner, body: &'static str) -> Provider {
        let acceptor = TlsAcceptor::from(Arc::new(configured(identity, &[b"h2"])));
        let (requests, connections): (Arc<AtomicUsize>, Arc<AtomicUsize>) = Default::default();
        let counted = (requests.clone(), connections.clone());
        let address = serve(move |stream| {
            let (acceptor, (requests, connections)) = (acceptor.clone(), counted.clone());
            async move {
                let Ok(stream) = acceptor.accept(stream).await else { return };
                connections.fetch_add(1, Ordering::SeqCst);
                let Ok(mut connection) = h2::server::handshake(stream).await else { return };
                while let Some(Ok((request, respond))) = connection.accept().await {
                    requests.fetch_add(1, Ordering::SeqCst);
                    drop(request);
                    match manner {
                        Manner::Dropping => return,
                        Manner::Leaving => connection.abrupt_shutdown(Reason::NO_ERROR),
                        _ => answered(respond, manner, body),
                    }
                    if matches!(manner, Manner::Forgetting) {
                        // Pending answers are sent, and nothing more is read.
                        let _ = tokio::time::timeout(Duration::from_millis(50), connection.accept()).await;
                        return;
                    }
                }
            }
        });
        Provider { base_url: format!("https://{address}"), requests, connections }
    }

    fn into_trouble(self) -> Trouble {
        let requests = self.requests.clone();
        let trouble = Trouble::counted(self.base_url, move || requests.load(Ordering::SeqCst));
        trouble.with(|settings| settings.root_certificates = root())
    }
}

fn configured(identity: Identity, protocols: &[&[u8]]) -> ServerConfig {
    let name = if identity == Identity::Another { "another.example" } else { "127.0.0.1" };
    let mut parameters = CertificateParams::new(vec![name.to_owned()]).unwrap();
    if identity == Identity::RunOut {
        parameters.not_after = rcgen::date_time_ymd(2020, 1, 1);
    }
    let key = KeyPair::generate().unwrap();
    let certificate = parameters.signed_by(&key, &AUTHORITY.issuer).unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    config
}

/// On a thread of its own, so that the server's log is not taken for the client's.
fn serve<F: Future<Output = ()> + Send + 'static>(handle: impl Fn(TcpStream) -> F + Send + 'static) -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener).unwrap();
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(handle(stream));
            }
        });
    });
    address
}

fn answered(mut respond: SendResponse<Bytes>, manner: Manner, body: &'static str) {
    if let Manner::Refusing = manner {
        return respond.send_reset(Reason::REFUSED_STREAM);
    }
    let head = ::reqwest::header::HeaderValue::from_static("application/json");
    let mut response = h2_response();
    response.headers_mut().insert("content-type", head);
    let mut stream = respond.send_response(response, false).unwrap();
    if let Manner::BreakingOff = manner {
        let _ = stream.send_data(Bytes::from_static(&body.as_bytes()[..40]), false);
        tokio::spawn(async move {
            // The parts of the answer are sent before its end.
            tokio::time::sleep(Duration::from_millis(30)).await;
            stream.send_reset(Reason::INTERNAL_ERROR);
        });
        return;
    }
    let _ = stream.send_data(Bytes::from_static(body.as_bytes()), true);
}

fn h2_response() -> ::http::Response<()> {
    ::http::Response::new(())
}

fn trouble(identity: Identity, manner: Manner, body: &'static str) -> Trouble {
    Provider::start(identity, manner, body).into_trouble()
}

/// The cases of the matrix for TLS and HTTP/2.
pub(crate) fn cases() -> Vec<Case> {
    use Identity::{Another, Itself, RunOut};
    use Outcome::{Done, NotDone, Read as Reads};
    let not_sent = ((Reads(Class::NotSent), 4), NotDone(Class::NotSent), (0, 0));
    let unavailable = ((Reads(Class::Unavailable), 4), LOST, (4, 1));
    let of = |name, trouble, (read, money, reach)| case(name, trouble, read, money, reach);
    vec![
        of("HTTP/2", |body| trouble(Itself, Manner::Well, body), ((Done, 1), Done, (1, 1))),
        of(
            "a certificate of nobody known",
            |body| trouble(Itself, Manner::Well, body).with(|settings| settings.root_certificates = None),
            not_sent,
        ),
        of("a certificate of another host", |body| trouble(Another, Manner::Well, body), not_sent),
        of("a certificate that has run out", |body| trouble(RunOut, Manner::Well, body), not_sent),
        of("HTTP/2: the request is refused", |body| trouble(Itself, Manner::Refusing, body), unavailable),
        of(
            "HTTP/2: the answer is reset",
            |body| trouble(Itself, Manner::BreakingOff, body),
            ((Reads(Class::Malformed), 2), LOST, (2, 1)),
        ),
        of("HTTP/2: the connection is given up", |body| trouble(Itself, Manner::Leaving, body), unavailable),
        of("HTTP/2: the connection is lost", |body| trouble(Itself, Manner::Dropping, body), unavailable),
    ]
}

#[tokio::test]
async fn calls_share_one_connection() {
    let provider = Provider::start(Identity::Itself, Manner::Well, STATEMENT);
    let mut settings = settings(&provider.base_url);
    settings.root_certificates = root();
    let client = client(settings);
    client.pull("REF-1").await.unwrap();
    let together = futures_util::future::join_all((0..40).map(|_| client.pull("REF-1"))).await;
    assert!(together.iter().all(Result::is_ok), "{together:?}");
    assert_eq!(provider.requests.load(Ordering::SeqCst), 41);
    assert_eq!(provider.connections.load(Ordering::SeqCst), 1);
}

/// HTTP/2 allows a library to resend what was not processed; money is not sent again even so.
#[tokio::test]
async fn a_kept_connection_that_is_lost_carries_no_money_twice() {
    for _ in 0..10 {
        let provider = Provider::start(Identity::Itself, Manner::Forgetting, RECEIPT);
        let mut settings = settings(&provider.base_url);
        settings.root_certificates = root();
        let client = client(settings);
        client.fund(&fund(), right()).await.unwrap();
        match client.fund(&fund(), right()).await {
            Ok(_) | Err(MoneyError::Uncertain { .. }) => {}
            Err(other) => panic!("{other:?}"),
        }
        assert!(provider.requests.load(Ordering::SeqCst) <= 2, "sent again");
    }
}

/// A provider without HTTP/2.
#[tokio::test]
async fn http_1_behind_tls() {
    let acceptor = TlsAcceptor::from(Arc::new(configured(Identity::Itself, &[b"http/1.1"])));
    let address = serve(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            let mut head = [0; 4096];
            let read = stream.read(&mut head).await.unwrap_or_default();
            assert!(head[..read].starts_with(b"GET "));
            let answer = crate::fixtures::scripted_server::json(STATEMENT);
            let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, &answer).await;
            let _ = tokio::io::AsyncWriteExt::shutdown(&mut stream).await;
        }
    });
    let mut settings = settings(&format!("https://{address}"));
    settings.root_certificates = root();
    client(settings).pull("REF-1").await.unwrap();
}

#[test]
fn certificates_that_are_none_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let say = |name: &str, content: Option<&str>| {
        let path = folder.path().join(name);
        if let Some(content) = content {
            std::fs::write(&path, content).unwrap();
        }
        let mut settings = settings("https://provider.example");
        settings.root_certificates = Some(path);
        let error = lendwright::Client::new(settings, lendwright::Secret::new("token")).unwrap_err();
        assert_eq!(error.class(), Class::Configuration);
        error.to_string().replace(&folder.path().display().to_string(), "FOLDER")
    };
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let said = [
        say("none.pem", None),
        say("empty.pem", Some("")),
        say("words.pem", Some("trust me")),
        say("cut.pem", Some("-----BEGIN CERTIFICATE-----\nAAAA\n")),
        say("broken.pem", Some(broken)),
    ];
    insta::assert_snapshot!(said.join("\n"));
}
