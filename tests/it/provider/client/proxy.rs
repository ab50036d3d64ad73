//! Calls by way of a proxy: what it sees, and what it must not.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use lendwright::base::secret::Secret;
use lendwright::client::{Class, Client};
use lendwright::wire::Settings;

use super::{STATEMENT, TOKEN, client, settings};
use crate::fixtures::scripted_server::{Server, answer, json, nobody};
use crate::provider::tls::{Identity, Manner, Provider, root};

/// A proxy that opens tunnels, and keeps the heads of what it was asked for.
fn tunnelling() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let heads: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = heads.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
                head.push(byte[0]);
            }
            let head = String::from_utf8_lossy(&head).into_owned();
            let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
            kept.lock().unwrap().push(head);
            let Ok(other) = TcpStream::connect(target) else { continue };
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            pass(stream.try_clone().unwrap(), other.try_clone().unwrap());
            pass(other, stream);
        }
    });
    (format!("http://user:hunter2@{address}"), heads)
}

fn pass(mut from: TcpStream, mut to: TcpStream) {
    std::thread::spawn(move || std::io::copy(&mut from, &mut to));
}

fn by(proxy: &str, base_url: &str, change: impl FnOnce(&mut Settings)) -> Settings {
    let mut settings = settings(base_url);
    settings.proxy = Some(Secret::new(proxy));
    change(&mut settings);
    settings
}

#[tokio::test]
async fn behind_tls_a_proxy_sees_the_host_and_its_own_password_alone() {
    let provider = Provider::start(Identity::Itself, Manner::Well, STATEMENT);
    let (proxy, heads) = tunnelling();
    let client = client(by(&proxy, &provider.base_url, |settings| settings.root_certificates = root()));
    client.pull("REF-1").await.unwrap();
    client.pull("REF-1").await.unwrap();
    assert_eq!(provider.requests.load(Ordering::SeqCst), 2);
    let heads = heads.lock().unwrap();
    let host = provider.base_url.trim_start_matches("https://");
    assert_eq!(heads.len(), 1, "the tunnel is kept");
    assert!(heads[0].starts_with(&format!("CONNECT {host} HTTP/1.1")), "{}", heads[0]);
    assert!(heads[0].to_lowercase().contains("proxy-authorization: basic dxnlcjpodw50zxiy"), "{}", heads[0]);
    assert!(!heads[0].contains(TOKEN) && !heads[0].contains("REF-1"), "{}", heads[0]);
}

#[tokio::test]
async fn without_tls_calls_go_to_the_proxy_with_who_sends_them() {
    let proxy = Server::fixed(json(STATEMENT));
    let client = client(by(&proxy.base_url, "http://127.0.0.1:1", |_| {}));
    client.pull("REF-1").await.unwrap();
    let head = &proxy.heads()[0];
    assert!(head.starts_with("GET http://127.0.0.1:1/lending-service-data-service/"), "{head}");
    assert!(head.contains(concat!("user-agent: lendwright/", env!("CARGO_PKG_VERSION"), "\r\n")), "{head}");
}

#[tokio::test]
async fn a_proxy_that_does_not_let_through_is_told_as_the_proxy() {
    let (_kept, gone) = nobody();
    let error = client(by(&gone, "https://provider.example", |_| {})).pull("REF-1").await.unwrap_err();
    assert_eq!(error.class(), Class::NotSent);
    assert!(error.to_string().contains("by way of the proxy"), "{error}");

    let asking = Server::fixed(answer("407 Proxy Authentication Required", &[], ""));
    let error = client(by(&asking.base_url, "http://127.0.0.1:1", |_| {})).pull("REF-1").await.unwrap_err();
    assert_eq!(error.class(), Class::Configuration);
    assert!(error.to_string().contains("`proxy`"), "{error}");
}

#[test]
fn a_proxy_that_cannot_be_used_is_refused_before_anything_is_sent() {
    let refused = |proxy: &str, base_url: &str| {
        let made = Client::new(by(proxy, base_url, |_| {}), Secret::new(TOKEN));
        let error = made.expect_err(proxy);
        assert_eq!(error.class(), Class::Configuration);
        assert!(!error.to_string().contains("hunter2"), "{error}");
        error.to_string()
    };
    for proxy in ["socks5://127.0.0.1:1", "127.0.0.1:3128", "http://", "proxy.example", "http://user:hunter2@", ""] {
        assert!(refused(proxy, "https://provider.example").contains("`proxy`"));
    }
    // The provider is this machine, the proxy is not: the token would cross the network readable.
    let readable = refused("http://user:hunter2@proxy.example:3128", "http://127.0.0.1:8080");
    assert!(readable.contains("unencrypted"), "{readable}");
    let allowed = by("http://proxy.example:3128", "http://127.0.0.1:8080", |settings| settings.allow_plain_http = true);
    Client::new(allowed, Secret::new(TOKEN)).unwrap();
}
