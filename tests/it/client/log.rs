//! All that is logged while a call is made, by us and by the libraries below, as one text.

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};

/// Keeps every span and event of the thread it is set on.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<String>>);

impl Log {
    /// Listens on this thread until the guard is dropped.
    pub fn listen(&self) -> tracing::subscriber::DefaultGuard {
        tracing::subscriber::set_default(self.clone())
    }

    pub fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }

    fn note(&self, metadata: Option<&Metadata<'_>>, record: impl FnOnce(&mut Line)) {
        let mut line = Line(String::new());
        if let Some(metadata) = metadata {
            let _ = write!(line.0, "{} {} ", metadata.target(), metadata.name());
        }
        record(&mut line);
        let mut text = self.0.lock().unwrap();
        text.push_str(&line.0);
        text.push('\n');
    }
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, "{}={value:?} ", field.name());
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &span::Attributes<'_>) -> span::Id {
        self.note(Some(span.metadata()), |line| span.record(line));
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        self.note(None, |line| values.record(line));
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        self.note(Some(event.metadata()), |line| event.record(line));
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}
