//! One source: its question, its answer, and how patient it is with both.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use tokio::sync::Semaphore;
use tokio::time::timeout_at;

use super::answer::{FoundField, MappedField, SourceAnswer, SourceNote};
use super::asker::{Asker, RawAnswer, SourceFault};
use super::http::HttpAsker;
use super::json::read_exact_json;
use super::memory::{Answers, Failures, Remembered};
use super::metrics::SourceMetrics;
use super::question::{Question, QuestionTemplate, Subject, Template};
use super::table::TableAsker;
use crate::base::digest::Digest;
use crate::base::time::Timestamp;
use crate::engine::metrics::InputGap;
use crate::lender::config::{ConfigMistake, SourceSettings};
use crate::rules::{Input, InputSource};

/// The pause before a question is queried again.
const PAUSE: Duration = Duration::from_millis(50);

/// A source.
pub(super) struct Source {
    name: String,
    settings: SourceSettings,
    template: QuestionTemplate,
    fields: Arc<[MappedField]>,
    asker: Asker,
    permits: Semaphore,
    answers: Mutex<Answers>,
    failures: Mutex<Failures>,
    metrics: SourceMetrics,
    now: fn() -> Timestamp,
}

/// What is known, and whether it is of an earlier question.
struct Known {
    fields: Arc<[FoundField]>,
    at: Timestamp,
    is_remembered: bool,
}

/// Why nothing is known, and the word for it.
struct NotKnown {
    gap: InputGap,
    result: &'static str,
}

impl From<InputGap> for NotKnown {
    fn from(gap: InputGap) -> NotKnown {
        NotKnown { gap, result: gap.word() }
    }
}

impl Source {
    pub(super) fn new(
        name: &str,
        settings: &SourceSettings,
        metrics: SourceMetrics,
        now: fn() -> Timestamp,
    ) -> Result<Source, Vec<ConfigMistake>> {
        let mut mistakes = Vec::new();
        let mut wrong = |key: String, problem: String| {
            mistakes.push(ConfigMistake::new(format!("source.{name}.{key}"), problem));
        };
        let mut template = |key: String, text: &str| match Template::parse(text) {
            Ok(template) => Some(template),
            Err(problem) => {
                wrong(key, problem);
                None
            }
        };
        let url = template("url".to_owned(), &settings.url);
        let send = settings.send.iter();
        let send: Vec<_> = send.map(|(key, text)| (key.clone(), template(format!("send.{key}"), text))).collect();
        let is_table = settings.url.is_empty() && settings.command.is_empty();
        let mut fields = Vec::new();
        for (path, setting) in &settings.fields {
            match MappedField::parse(path, setting, is_table) {
                Ok(field) => fields.push(field),
                Err(problem) => wrong(format!("fields.\"{path}\""), problem),
            }
        }
        let asker = match make_asker(settings, &fields) {
            Ok(asker) => Some(asker),
            Err((key, problem)) => {
                wrong(key.to_owned(), problem);
                None
            }
        };
        let send: Option<Vec<_>> = send.into_iter().map(|(key, template)| Some((key, template?))).collect();
        let (Some(url), Some(send), Some(asker), true) = (url, send, asker, mistakes.is_empty()) else {
            return Err(mistakes);
        };
        metrics.show_pause(name, false);
        Ok(Source {
            name: name.to_owned(),
            settings: settings.clone(),
            template: QuestionTemplate { url, send },
            fields: fields.into(),
            asker,
            permits: Semaphore::new(settings.at_once_max),
            answers: Mutex::default(),
            failures: Mutex::default(),
            metrics,
            now,
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The inputs that it gives.
    pub(super) fn paths(&self) -> impl Iterator<Item = String> {
        self.fields.iter().map(MappedField::path)
    }

    pub(super) fn gives(&self, kind: InputSource) -> bool {
        self.fields.iter().any(|field| field.kind == kind)
    }

    pub(super) fn gives_any(&self, is_wanted: &dyn Fn(InputSource, &str) -> bool) -> bool {
        self.fields.iter().any(|field| is_wanted(field.kind, &field.name))
    }

    pub(super) fn queried_by(&self) -> impl Iterator<Item = &str> {
        self.template.request_fields()
    }

    /// What does not fit these inputs.
    pub(super) fn check(&self, inputs: &[&Input]) -> Vec<ConfigMistake> {
        let mut mistakes = Vec::new();
        for field in &*self.fields {
            let mut declared =
                inputs.iter().filter(|input| input.source == field.kind && input.name == field.name).peekable();
            let problem = match declared.peek() {
                None => Some("is an input that no policy declares".to_owned()),
                Some(_) => declared.find_map(|input| field.misfit(input, self.settings.money)),
            };
            let path = format!("source.{}.fields.\"{}\"", self.name, field.path());
            mistakes.extend(problem.map(|problem| ConfigMistake::new(path, problem)));
        }
        mistakes
    }

    /// Asks, and returns at the deadline at the latest.
    pub(super) async fn ask(&self, subject: &Subject) -> SourceAnswer {
        let began = Instant::now();
        let known = self.find_answer(subject).await;
        let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (result, at) = match &known {
            Ok(Known { at, is_remembered: true, .. }) => ("remembered", *at),
            Ok(Known { at, .. }) => ("answered", *at),
            Err(NotKnown { result, .. }) => (*result, (self.now)()),
        };
        self.metrics.count(&self.name, result);
        let unknown = |gap: InputGap| {
            let field = |field: &MappedField| FoundField { value: Err(gap), ..field.without_value() };
            self.fields.iter().map(field).collect()
        };
        let fields = match known {
            Ok(known) => known.fields,
            Err(not_known) => unknown(not_known.gap),
        };
        SourceAnswer {
            note: SourceNote { source: self.name.clone(), result: result.to_owned(), at: at.to_string(), took_ms },
            money: self.settings.money,
            fields,
        }
    }

    async fn find_answer(&self, subject: &Subject) -> Result<Known, NotKnown> {
        let question = self.template.fill(subject).ok_or(InputGap::NotQueried)?;
        let key = Digest::compute(question.key().as_bytes());
        if let Some(known) = self.recall(&key) {
            return Ok(known);
        }
        let until = tokio::time::Instant::now() + Duration::from_millis(self.settings.deadline_ms);
        // The source did not fail if no place is free in time.
        let _permit = timeout_at(until, self.permits.acquire()).await.map_err(|_| InputGap::Late)?;
        // The same question may have been answered meanwhile.
        if let Some(known) = self.recall(&key) {
            return Ok(known);
        }
        let pause = Duration::from_millis(self.settings.pause_ms);
        if !lock(&self.failures).admits(pause) {
            return Err(NotKnown { gap: InputGap::Unavailable, result: "paused" });
        }
        let began = Instant::now();
        let late = |_| Err(SourceFault::failure(InputGap::Late, "did not answer in time"));
        let found = timeout_at(until, self.ask_repeatedly(&question)).await.unwrap_or_else(late);
        self.metrics.time(&self.name, began.elapsed());
        self.note_result(&found, pause);
        let (fields, at) = (found.map_err(|fault| fault.gap)?, (self.now)());
        if !self.lifetime().is_zero() {
            lock(&self.answers).keep(key, &fields, at, self.lifetime());
        }
        Ok(Known { fields, at, is_remembered: false })
    }

    /// What is remembered of a question.
    fn recall(&self, question: &Digest) -> Option<Known> {
        let Remembered { fields, at, .. } = lock(&self.answers).find(question, self.lifetime())?;
        Some(Known { fields, at, is_remembered: true })
    }

    fn lifetime(&self) -> Duration {
        Duration::from_secs(self.settings.remember_s)
    }

    async fn ask_repeatedly(&self, question: &Question) -> Result<Arc<[FoundField]>, SourceFault> {
        let mut attempt = 1;
        let answer = loop {
            match self.asker.ask(question).await {
                Err(fault) if fault.is_transient && attempt < self.settings.attempts => {
                    attempt += 1;
                    tokio::time::sleep(PAUSE).await;
                }
                answer => break answer?,
            }
        };
        // A long answer takes a while to be read.
        let fields = Arc::clone(&self.fields);
        let found = tokio::task::spawn_blocking(move || find_fields(answer, &fields)).await;
        found.unwrap_or_else(|_| Err(SourceFault::failure(InputGap::Malformed, "gave an answer that cannot be read")))
    }

    fn note_result(&self, found: &Result<Arc<[FoundField]>, SourceFault>, pause: Duration) {
        let failure = found.as_ref().err().filter(|fault| fault.is_failure);
        let most = self.settings.pause_after_failures;
        let mut failures = lock(&self.failures);
        let begins_pause = failures.note(failure.is_some(), most, pause);
        self.metrics.show_pause(&self.name, failures.is_paused());
        drop(failures);
        let Some(fault) = failure else { return };
        let (source, problem) = (&self.name, &fault.problem);
        match begins_pause {
            true => tracing::error!(source, problem, failures = most, "a source is paused, because it keeps failing"),
            false => tracing::warn!(source, problem, "a source gave no answer"),
        }
    }
}

/// The inputs in an answer. Nothing, and `null`, say that the source knows nothing of the customer.
fn find_fields(answer: RawAnswer, fields: &[MappedField]) -> Result<Arc<[FoundField]>, SourceFault> {
    let answer = match answer {
        RawAnswer::Row(row) => row,
        RawAnswer::Bytes(bytes) if bytes.trim_ascii().is_empty() => Json::Null,
        RawAnswer::Bytes(bytes) => {
            let malformed = |place: String| {
                SourceFault::failure(
                    InputGap::Malformed,
                    format!("answered what is not JSON with each key once, {place}"),
                )
            };
            let text = std::str::from_utf8(&bytes).map_err(|_| malformed("in UTF-8".to_owned()))?;
            read_exact_json(text).map_err(malformed)?
        }
    };
    if answer.is_null() {
        return Err(SourceFault::not_found());
    }
    Ok(fields.iter().map(|field| FoundField { value: field.find(&answer), ..field.without_value() }).collect())
}

/// Each change under these locks is whole, so a panic elsewhere does no harm.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn make_asker(settings: &SourceSettings, fields: &[MappedField]) -> Result<Asker, (&'static str, String)> {
    if !settings.url.is_empty() {
        return HttpAsker::new(settings).map(Asker::Http);
    }
    if !settings.command.is_empty() {
        return Ok(Asker::Command(settings.command.clone()));
    }
    let key = settings.send.keys().next().map(String::as_str).unwrap_or_default();
    let columns = fields.iter().filter_map(MappedField::column).map(str::to_owned).collect();
    TableAsker::new(&settings.file, key, columns).map(Asker::Table).map_err(|problem| ("file", problem))
}
