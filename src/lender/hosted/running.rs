//! The endpoints on their addresses, from start to stop. Knows nothing of requests.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use prometheus_client::registry::Registry;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::metrics::HttpMetrics;
use super::operations::{operations_router, with_operations};
use super::pipeline::Hosted;
use super::server::serve_connections;
use crate::lender::config::{Config, LimitSettings};

/// How many connections the address of operations takes: a few probes and a collector of metrics.
const OPERATIONS_CONNECTIONS_MAX: usize = 64;

/// The running endpoints. Dropping this ends them at once.
pub struct Running {
    hosted: Hosted,
    endpoints: Server,
    operations: Option<Server>,
}

/// What is served besides the endpoints.
#[derive(Debug, Default)]
pub struct ExtraRoutes {
    /// The route of webhooks, at `pay_bill.webhook_path`.
    pub webhooks: Option<Router>,
    /// Pages for people, next to health and metrics. They need no password, so they are served on a loopback address of
    /// their own only.
    pub pages: Router,
}

/// An address cannot be listened on.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on `{address}`: {source}")]
pub struct BindError {
    /// The address.
    pub address: SocketAddr,
    /// The system's error.
    pub source: io::Error,
}

struct Server {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Server {
    async fn stop(&mut self) {
        self.stop.send_replace(true);
        // It ends by itself, after its deadline at the latest.
        let _ = (&mut self.task).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Running {
    /// Listens on the addresses of a configuration. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// An address that cannot be listened on. Then nothing listens.
    pub async fn start(
        config: &Config,
        hosted: Hosted,
        metrics: HttpMetrics,
        registry: Arc<Registry>,
    ) -> Result<Running, BindError> {
        Running::start_with(config, hosted, metrics, registry, ExtraRoutes::default()).await
    }

    /// [`Running::start`], with what is served extra.
    ///
    /// # Errors
    /// As [`Running::start`].
    pub async fn start_with(
        config: &Config,
        hosted: Hosted,
        metrics: HttpMetrics,
        registry: Arc<Registry>,
        extra: ExtraRoutes,
    ) -> Result<Running, BindError> {
        let (listener, address) = bind_tcp_listener(config.listen.address).await?;
        let (stop, stopped) = watch::channel(false);
        let (router, operations) = match config.operations.on_listen_address {
            true => (with_operations(&hosted, registry), None),
            false => {
                let (listener, address) = bind_tcp_listener(config.operations.address).await?;
                let (stop, stopped) = watch::channel(false);
                let limits = LimitSettings { connections_max: OPERATIONS_CONNECTIONS_MAX, ..config.limits.clone() };
                let router = match address.ip().is_loopback() {
                    true => operations_router(&hosted, registry).merge(extra.pages),
                    false => operations_router(&hosted, registry),
                };
                let task = tokio::spawn(serve_connections(listener, router, limits, metrics.clone(), stopped));
                (hosted.router(), Some(Server { address, stop, task }))
            }
        };
        let router = match extra.webhooks {
            Some(webhooks) => Router::new().nest(&config.pay_bill.webhook_path, webhooks).fallback_service(router),
            None => router,
        };
        let task = tokio::spawn(serve_connections(listener, router, config.limits.clone(), metrics, stopped));
        Ok(Running { hosted, endpoints: Server { address, stop, task }, operations })
    }

    /// Where the provider reaches the endpoints.
    pub fn address(&self) -> SocketAddr {
        self.endpoints.address
    }

    /// Where health, metrics and the OpenAPI document are.
    pub fn operations_address(&self) -> SocketAddr {
        self.operations.as_ref().unwrap_or(&self.endpoints).address
    }

    /// Stops: the service is not ready from now on, takes no connections, and lets running requests end until
    /// `limits.shutdown_timeout_ms`. Operations are served until then.
    pub async fn shutdown(mut self) {
        self.hosted.stop();
        self.endpoints.stop().await;
        if let Some(operations) = &mut self.operations {
            operations.stop().await;
        }
    }
}

async fn bind_tcp_listener(address: SocketAddr) -> Result<(TcpListener, SocketAddr), BindError> {
    let failed = |source| BindError { address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    Ok((listener, bound))
}
