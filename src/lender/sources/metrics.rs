//! Counts and times of sources, for Prometheus. Labels are words of this program and names of sources.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;

use crate::lender::hosted::Registry;

/// Upper bounds of the histogram's classes, in seconds.
const SECONDS: [f64; 10] = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 30.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AnswerLabels {
    source: String,
    result: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SourceLabels {
    source: String,
}

/// The metrics of all sources. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct SourceMetrics {
    answers: Family<AnswerLabels, Counter>,
    seconds: Family<SourceLabels, Histogram, fn() -> Histogram>,
    paused: Family<SourceLabels, Gauge>,
}

impl SourceMetrics {
    pub(super) fn new() -> SourceMetrics {
        SourceMetrics {
            answers: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)),
            paused: Family::default(),
        }
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        let about = "Questions to sources by their result; `remembered` needed no question";
        registry.register("lendwright_source_answers", about, self.answers.clone());
        registry.register("lendwright_source_seconds", "How long sources took to answer", self.seconds.clone());
        let about = "Whether a source is not queried for a while, because it kept failing";
        registry.register("lendwright_source_paused", about, self.paused.clone());
    }

    pub(super) fn count(&self, source: &str, result: &'static str) {
        self.answers.get_or_create(&AnswerLabels { source: source.to_owned(), result }).inc();
    }

    pub(super) fn time(&self, source: &str, took: Duration) {
        self.seconds.get_or_create(&SourceLabels { source: source.to_owned() }).observe(took.as_secs_f64());
    }

    pub(super) fn show_pause(&self, source: &str, is_paused: bool) {
        self.paused.get_or_create(&SourceLabels { source: source.to_owned() }).set(i64::from(is_paused));
    }
}
