//! Counts and times of requests, for Prometheus. Labels are words of this program: nothing of a request is in them.
//! Knows nothing of how a request is answered.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Upper bounds of the histogram's classes, in seconds.
const SECONDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    endpoint: &'static str,
    status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct EndpointLabels {
    endpoint: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReasonLabels {
    reason: &'static str,
}

/// The metrics of the hosted endpoints. Clones share them.
#[derive(Debug, Clone)]
pub struct HttpMetrics {
    requests: Family<RequestLabels, Counter>,
    seconds: Family<EndpointLabels, Histogram, fn() -> Histogram>,
    refused: Family<ReasonLabels, Counter>,
    in_flight: Gauge,
    connections: Gauge,
}

impl HttpMetrics {
    /// Makes the metrics, and adds them to a registry that others share.
    pub fn register(registry: &mut Registry) -> Self {
        let metrics = HttpMetrics {
            requests: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            refused: Family::default(),
            in_flight: Gauge::default(),
            connections: Gauge::default(),
        };
        let names = [
            ("lendwright_http_requests", "Requests by endpoint and class of the status"),
            ("lendwright_http_request_seconds", "From the headers of a request to its answer"),
            ("lendwright_http_refused", "Requests and connections that were refused, by reason"),
            ("lendwright_http_in_flight", "Requests that are being worked on"),
            ("lendwright_http_connections", "Open connections"),
        ];
        let [requests, seconds, refused, in_flight, connections] = names;
        registry.register(requests.0, requests.1, metrics.requests.clone());
        registry.register(seconds.0, seconds.1, metrics.seconds.clone());
        registry.register(refused.0, refused.1, metrics.refused.clone());
        registry.register(in_flight.0, in_flight.1, metrics.in_flight.clone());
        registry.register(connections.0, connections.1, metrics.connections.clone());
        metrics
    }

    pub(crate) fn count_answer(&self, endpoint: &'static str, status: u16, took: Duration) {
        let status = match status {
            100..200 => "1xx",
            200..300 => "2xx",
            300..400 => "3xx",
            400..500 => "4xx",
            _ => "5xx",
        };
        self.count_end(endpoint, status, took);
    }

    /// The provider went away before the answer.
    pub(crate) fn count_abandoned(&self, endpoint: &'static str, took: Duration) {
        self.count_end(endpoint, "none", took);
    }

    fn count_end(&self, endpoint: &'static str, status: &'static str, took: Duration) {
        self.requests.get_or_create(&RequestLabels { endpoint, status }).inc();
        self.seconds.get_or_create(&EndpointLabels { endpoint }).observe(took.as_secs_f64());
    }

    pub(crate) fn count_refusal(&self, reason: &'static str) {
        self.refused.get_or_create(&ReasonLabels { reason }).inc();
    }

    pub(crate) fn work_begins(&self) -> GaugeGuard {
        GaugeGuard::up(&self.in_flight)
    }

    pub(super) fn connection_opens(&self) -> GaugeGuard {
        GaugeGuard::up(&self.connections)
    }
}

/// One more in a gauge, until it is dropped.
pub(crate) struct GaugeGuard(Gauge);

impl GaugeGuard {
    fn up(gauge: &Gauge) -> Self {
        gauge.inc();
        GaugeGuard(gauge.clone())
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}
