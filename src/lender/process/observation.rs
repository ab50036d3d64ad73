//! Everything by which operators see what the service does: the registry of metrics with the parts that fill it, and
//! the conditions. Knows nothing of what is observed.

use std::sync::Arc;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;

use super::clock::system_now;
use super::observed_database::ObservedDatabase;
use crate::lender::hosted::{Conditions, HttpMetrics, Registry};
use crate::lender::runner::{ProviderCalls, ServicingMetrics};
use crate::lender::sources::Sources;
use crate::lender::store::database::Database;

/// The metrics and conditions of a service.
pub(super) struct Observation {
    pub(super) registry: Registry,
    pub(super) conditions: Conditions,
    pub(super) http: HttpMetrics,
    pub(super) servicing: ServicingMetrics,
    pub(super) calls: ProviderCalls,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BuildLabels {
    version: &'static str,
}

impl Observation {
    /// Nothing has been observed.
    pub(super) fn new(sources: Option<&Sources>) -> Observation {
        let mut registry = Registry::default();
        let build: Family<BuildLabels, Gauge> = Family::default();
        build.get_or_create(&BuildLabels { version: env!("LENDWRIGHT_VERSION") }).set(1);
        registry.register("lendwright_build_info", "1, with the version, and in releases the commit", build);
        let conditions = Conditions::register(&mut registry);
        let http = HttpMetrics::register(&mut registry);
        let servicing = ServicingMetrics::register(&mut registry);
        let calls = ProviderCalls::register(&mut registry, conditions.clone(), Arc::new(system_now));
        sources.into_iter().for_each(|sources| sources.register(&mut registry));
        Observation { registry, conditions, http, servicing, calls }
    }

    /// The database, of which failed writes are observed.
    pub(super) fn observe_database(&mut self, database: Arc<dyn Database>) -> Arc<dyn Database> {
        Arc::new(ObservedDatabase::register(database, self.conditions.clone(), &mut self.registry))
    }
}
