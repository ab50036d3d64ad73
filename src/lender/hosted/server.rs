//! Accepts connections up to a bound, and serves them until it is stopped. Knows nothing of what is served.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use axum::http::{StatusCode, Version, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use super::connection::{Connection, Patience, Peer};
use super::metrics::HttpMetrics;
use crate::lender::config::LimitSettings;

/// How long the loop rests after the system refused a connection, for instance for want of file handles.
const REST: Duration = Duration::from_millis(100);
/// How long a connection's last request may take after its time is up, beyond the time for its body and answer.
const GRACE: Duration = Duration::from_secs(5);

/// Serves a router on a listener until `stop` is true. Then no connection is accepted, idle ones are closed, and
/// running requests have `limits.shutdown_timeout_ms` to end.
pub async fn serve_connections(
    listener: TcpListener,
    router: Router,
    limits: LimitSettings,
    metrics: HttpMetrics,
    mut stop: watch::Receiver<bool>,
) {
    let slots = Arc::new(Semaphore::new(limits.connections_max));
    let mut running = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            // An error means that the sender is gone, which counts as a stop.
            _ = stop.wait_for(|is_stopping| *is_stopping) => break,
            Some(_) = running.join_next(), if !running.is_empty() => continue,
            accepted = listener.accept() => accepted,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(_) => {
                metrics.count_refusal("accept_failed");
                tokio::time::sleep(REST).await;
                continue;
            }
        };
        let Ok(slot) = slots.clone().try_acquire_owned() else {
            metrics.count_refusal("connections");
            continue;
        };
        let counted = metrics.connection_opens();
        let peer = Peer::new(address.ip());
        let served = serve_one_connection(stream, peer, router.clone(), limits.clone(), metrics.clone(), stop.clone());
        running.spawn(async move {
            served.await;
            drop((slot, counted));
        });
    }
    drop(listener);
    let ended = async { while running.join_next().await.is_some() {} };
    // What still runs after that is dropped with the set.
    let _ = tokio::time::timeout(Duration::from_millis(limits.shutdown_timeout_ms), ended).await;
}

/// HTTP/1.1 asks for one `Host`, and for 400 otherwise (RFC 9112, 3.2): without that, a proxy and this service might
/// take a request for one to different hosts.
async fn refuse_without_host(request: Request, next: Next, metrics: HttpMetrics) -> Response {
    let count = request.headers().get_all(header::HOST).iter().count();
    if request.version() == Version::HTTP_11 && count != 1 {
        metrics.count_refusal("host");
        return (StatusCode::BAD_REQUEST, "a request of HTTP/1.1 has one `Host`\n").into_response();
    }
    next.run(request).await
}

async fn serve_one_connection(
    stream: TcpStream,
    peer: Peer,
    router: Router,
    limits: LimitSettings,
    metrics: HttpMetrics,
    mut stop: watch::Receiver<bool>,
) {
    // Answers are short and complete; without this the system may wait for more. A failure costs only time.
    let _ = stream.set_nodelay(true);
    let time = Duration::from_millis;
    let patience = Patience { idle: time(limits.idle_timeout_ms), headers: time(limits.header_timeout_ms) };
    let router = router.layer(from_fn(move |request, next| refuse_without_host(request, next, metrics.clone())));
    let service = TowerToHyperService::new(router.layer(Extension(peer.clone())));
    let mut builder = http1::Builder::new();
    builder.max_buf_size(limits.header_bytes_max);
    let io = TokioIo::new(Connection::new(stream, peer, patience));
    let mut connection = pin!(builder.serve_connection(io, service));
    // A failed connection concerns the peer alone, and its requests are counted where they are answered.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = tokio::time::sleep(time(limits.connection_time_ms)) => {}
        _ = stop.wait_for(|is_stopping| *is_stopping) => {}
    }
    connection.as_mut().graceful_shutdown();
    let last = time(limits.body_timeout_ms) + time(limits.answer_timeout_ms) + GRACE;
    let _ = tokio::time::timeout(last, connection).await;
}
