//! Everything logged while a call is made, by us and by the libraries below, as one text.
//!
//! One subscriber for the whole process, which keeps what the listening thread logs: a subscriber of one thread may
//! miss a callsite that another thread registered first.

use std::cell::RefCell;
use std::fmt::{Debug, Write};
use std::sync::Once;

use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};

thread_local! {
    static HEARD: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Listens to this thread until asked for the text.
pub struct Listening(());

impl Listening {
    pub fn begin() -> Listening {
        static EARS: Once = Once::new();
        EARS.call_once(|| tracing::subscriber::set_global_default(Ears).expect("no other subscriber"));
        HEARD.set(Some(String::new()));
        Listening(())
    }

    pub fn end(self) -> String {
        HEARD.take().unwrap_or_default()
    }
}

struct Ears;

impl Ears {
    fn note(&self, metadata: Option<&Metadata<'_>>, record: impl FnOnce(&mut Line)) {
        HEARD.with_borrow_mut(|heard| {
            let Some(text) = heard else { return };
            let mut line = Line(String::new());
            if let Some(metadata) = metadata {
                let _ = write!(line.0, "{} {} ", metadata.target(), metadata.name());
            }
            record(&mut line);
            text.push_str(&line.0);
            text.push('\n');
        });
    }
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, "{}={value:?} ", field.name());
    }
}

impl Subscriber for Ears {
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
