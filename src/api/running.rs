//! The service on its address, from start to stop, and the policy's files watched meanwhile.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::loan_outcomes::{LoanReports, report_loans};
use super::pipeline::Api;
use crate::lender::hosted::{BindError, serve_connections};
use crate::run::live_policy::{LivePolicy, Reloaded};

/// How long applications that were answered wait for their shadows when the service stops.
const SHADOWS_PATIENCE: Duration = Duration::from_secs(10);

/// The running service. Dropping this ends it at once.
pub(crate) struct RunningApi {
    api: Api,
    address: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl RunningApi {
    /// Listens. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// An address that cannot be listened on.
    pub(crate) async fn start(address: SocketAddr, api: Api) -> Result<RunningApi, String> {
        let failed = |source| BindError { address, source }.to_string();
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (stop, stopped) = watch::channel(false);
        let (limits, metrics) = (api.limits().clone(), api.http_metrics().clone());
        let task = tokio::spawn(serve_connections(listener, api.router(), limits, metrics, stopped));
        Ok(RunningApi { api, address, stop, task })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes no more connections, lets running requests end, and returns then.
    pub(crate) async fn stop(mut self) {
        self.stop.send_replace(true);
        // It ends by itself, after its deadline at the latest.
        let _ = (&mut self.task).await;
        self.api.close().await;
    }
}

impl Api {
    /// Lets what waits for the threads and for the shadows end.
    pub(crate) async fn close(&self) {
        self.workers().close().await;
        let api = self.clone();
        let closing = tokio::task::spawn_blocking(move || {
            api.shadows().inspect(|shadows| shadows.close(SHADOWS_PATIENCE)).is_some()
        });
        let _ = closing.await;
    }

    /// Reports to the book what becomes of the loans of a lender's service, all the time. Without a book it ends.
    pub(crate) async fn report_loans(self, reports: LoanReports, every: Duration) {
        if let Some(kept) = self.kept_decisions() {
            report_loans(reports, kept.clone(), every).await;
        }
    }
}

impl Drop for RunningApi {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Compares the files of the policy with the one in force, all the time. A policy with mistakes changes nothing.
pub(crate) async fn reload_policy(live: Arc<LivePolicy>, every: Duration) {
    loop {
        tokio::time::sleep(every).await;
        let looked = Arc::clone(&live);
        let Ok(reloaded) = tokio::task::spawn_blocking(move || looked.reload_if_changed()).await else {
            tracing::error!("the reload of the policy panicked, which is a bug; the policy stays in force");
            continue;
        };
        match reloaded {
            Ok(Reloaded::Unchanged | Reloaded::Changing) => {}
            Ok(Reloaded::Swapped { .. }) => {
                for policy in live.in_force() {
                    tracing::info!(version = policy.version, digest = %policy.digest, "another policy is in force");
                }
            }
            Err(error) => {
                tracing::error!("the edited policy is refused, and the last good one stays in force: {error}");
            }
        }
    }
}
