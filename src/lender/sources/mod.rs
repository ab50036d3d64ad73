//! Inputs that neither the statement nor the request has, such as a bureau's report: fetched from services, programs
//! and files while a decision waits, but never longer than a source's deadline. What is late, broken or not there is
//! unknown with its reason.
//!
//! A [`Question`](question::Question) goes through `memory`, which knows earlier answers and pauses a source that keeps
//! failing, to an `asker`; `answer` finds the inputs in what comes back. Knows nothing of decisions.

mod answer;
mod asker;
mod http;
mod json;
mod memory;
mod metrics;
mod question;
mod source;
mod table;

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::join_all;

pub(crate) use self::answer::{FoundInputs, SourceNote};
pub(crate) use self::json::read_exact_json;
use self::metrics::SourceMetrics;
pub(crate) use self::question::Subject;
use self::source::Source;
use crate::base::time::Timestamp;
use crate::lender::config::{ConfigMistake, SourceSettings};
use crate::lender::hosted::Registry;
use crate::rules::{InputSource, Policies, PolicySet};

/// The sources of a service. Clones share their answers and counters.
#[derive(Clone)]
pub(crate) struct Sources {
    all: Arc<[Source]>,
    /// The fields of the request that they are queried by.
    queried_by: Arc<[String]>,
    metrics: SourceMetrics,
}

impl Sources {
    /// Prepares the sources, without querying any.
    ///
    /// # Errors
    /// All mistakes: a path that is none, a file that cannot be read, an input that two sources give.
    pub(crate) fn new(
        settings: &BTreeMap<String, SourceSettings>,
        now: fn() -> Timestamp,
    ) -> Result<Sources, Vec<ConfigMistake>> {
        let metrics = SourceMetrics::new();
        let (mut sources, mut mistakes) = (Vec::new(), Vec::new());
        for (name, one) in settings {
            match Source::new(name, one, metrics.clone(), now) {
                Ok(source) => sources.push(source),
                Err(wrong) => mistakes.extend(wrong),
            }
        }
        let mut owners: BTreeMap<String, &str> = BTreeMap::new();
        for source in &sources {
            for path in source.paths() {
                if let Some(other) = owners.insert(path.clone(), source.name()) {
                    let problem = format!("gives `{path}`, which `source.{other}` gives too");
                    mistakes.push(ConfigMistake::new(format!("source.{}.fields", source.name()), problem));
                }
            }
        }
        let queried_by = sources.iter().flat_map(Source::queried_by).map(str::to_owned).collect();
        if mistakes.is_empty() { Ok(Sources { queried_by, metrics, all: sources.into() }) } else { Err(mistakes) }
    }

    /// Adds the metrics to a registry that others share.
    pub(crate) fn register(&self, registry: &mut Registry) {
        self.metrics.register(registry);
    }

    /// Refuses what no policy declares, and money without its unit.
    ///
    /// # Errors
    /// All mistakes.
    pub(crate) fn check(&self, policies: &[Arc<Policies>]) -> Result<(), Vec<ConfigMistake>> {
        let all = policies.iter().flat_map(|policies| policies.policies());
        let inputs: Vec<_> = all.flat_map(|policy| policy.inputs()).collect();
        let mistakes: Vec<ConfigMistake> = self.all.iter().flat_map(|source| source.check(&inputs)).collect();
        if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
    }

    /// Whether a source gives inputs of this kind.
    pub(crate) fn give(&self, kind: InputSource) -> bool {
        self.all.iter().any(|source| source.gives(kind))
    }

    /// What is found before any source is queried.
    pub(crate) fn nothing(&self) -> FoundInputs {
        FoundInputs { answers: Arc::default(), queried_by: Arc::clone(&self.queried_by) }
    }

    /// Queries all sources, side by side, that give what a policy declares and the request lacks, and that are not
    /// among those found before.
    pub(crate) async fn ask(&self, subject: &Subject, policies: &[Arc<Policies>], before: &FoundInputs) -> FoundInputs {
        let is_wanted = |kind: InputSource, name: &str| {
            let all = policies.iter().flat_map(|policies| policies.policies());
            let mut inputs = all.flat_map(|policy| policy.inputs());
            inputs.any(|input| input.source == kind && input.name == name) && !subject.has(kind, name)
        };
        let is_new = |source: &&Source| before.answers.iter().all(|answer| answer.note.source != source.name());
        let queried = self.all.iter().filter(is_new).filter(|source| source.gives_any(&is_wanted));
        let answers = join_all(queried.map(|source| source.ask(subject))).await;
        let answers = before.answers.iter().cloned().chain(answers).collect();
        FoundInputs { answers, queried_by: Arc::clone(&self.queried_by) }
    }
}
