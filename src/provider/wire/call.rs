//! What every call declares: its host, its request, how to read its answer. Knows nothing of how a call is sent.

use super::body::Body;
use super::error::{Unsendable, Unusable};
use super::method::Method;
use super::settings::{Authentication, Headers, Settings};
use super::skim::Skim;
use crate::base::text::is_invisible;

/// What sending a call may cause. This decides whether it may be retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: it only reads, and may be sent again.
    Reads,
    /// An effect that would happen again each time.
    Acts,
    /// Money moves.
    MovesMoney,
}

impl Effect {
    /// Whether sending the same call again cannot cause anything twice.
    pub const fn is_repeatable(self) -> bool {
        matches!(self, Effect::Reads)
    }
}

/// A host of the interface: where a group of calls goes, and with which credentials. The types that implement it have
/// no values. They keep a call of one host from being sent to another.
pub trait Host: sealed::Sealed + Send + Sync + 'static {
    /// The setting that holds the address, for errors.
    const SETTING: &'static str;

    /// The address. A path in it is put before every call's path.
    fn base_url(settings: &Settings) -> &str;

    /// How each call authenticates itself: by a bearer token, or not at all.
    fn authentication(_settings: &Settings) -> Authentication {
        Authentication::Bearer
    }

    /// Further headers of each call.
    fn headers(settings: &Settings) -> &Headers;
}

/// One call of an endpoint: a value that knows its request and how to read its answer.
///
/// Whether a call is retried depends on [`Call::EFFECT`], which the call itself declares, never on the transport. Only
/// this crate can define calls, so that nothing that moves money can pass for a read.
///
/// ```compile_fail,E0277
/// use lendwright::wire::{Call, Effect, Method, Settings, Unsendable, Unusable, lending::Lending};
///
/// struct Mine;
/// impl Call for Mine {
///     type Host = Lending;
///     type Reply = ();
///     const NAME: &'static str = "mine";
///     const EFFECT: Effect = Effect::Reads;
///     fn method(&self, _: &Settings) -> Method {
///         Method::Post
///     }
///     fn path(&self, _: &Settings) -> Result<Vec<String>, Unsendable> {
///         Ok(vec!["lending-service".to_owned()])
///     }
///     fn reply(&self, _: &Settings, _: &[u8]) -> Result<(), Unusable> {
///         Ok(())
///     }
/// }
/// ```
pub trait Call: sealed::Sealed + Send + Sync {
    /// The host that it is sent to.
    type Host: Host;
    /// A successful answer.
    type Reply: Send;
    /// The call's name in errors, such as `send offers (E3)`.
    const NAME: &'static str;
    /// What sending it may cause.
    const EFFECT: Effect;

    /// The HTTP method.
    fn method(&self, settings: &Settings) -> Method;

    /// The path below the base address, segment by segment and not yet encoded.
    fn path(&self, settings: &Settings) -> Result<Vec<String>, Unsendable>;

    /// The path with personal data redacted.
    fn shown_path(&self, settings: &Settings) -> Result<Vec<String>, Unsendable> {
        self.path(settings)
    }

    /// The query parameters in the order in which they are sent, not yet encoded.
    fn query(&self, _settings: &Settings) -> Result<Vec<(String, String)>, Unsendable> {
        Ok(Vec::new())
    }

    /// The JSON body, if any.
    fn body(&self, _settings: &Settings) -> Result<Option<Body>, Unsendable> {
        Ok(None)
    }

    /// Headers of this call, apart from those that every call has.
    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Whether this query parameter is personal data, which is redacted wherever a request is shown. A body knows its
    /// own personal data.
    fn is_personal(&self, _parameter: &str) -> bool {
        false
    }

    /// Reads the body of an answer with a success status.
    fn reply(&self, settings: &Settings, body: &[u8]) -> Result<Self::Reply, Unusable>;

    /// Skims the answer while it arrives, piece by piece. By default it does nothing, which is right for small answers.
    #[doc(hidden)]
    fn skim(&self) -> Skim {
        Skim::default()
    }

    /// [`Call::reply`], with what was skimmed of the same body.
    #[doc(hidden)]
    fn reply_skimmed(&self, settings: &Settings, body: &[u8], _skim: Skim) -> Result<Self::Reply, Unusable> {
        self.reply(settings, body)
    }

    /// Reads the body of an answer with a status of 4xx. Returns a reply if this call may be answered so, and `None` if
    /// the body contradicts the status.
    fn refusal(&self, settings: &Settings, body: &[u8]) -> Result<Option<Self::Reply>, Unusable> {
        self.reply(settings, body).map(|_| None)
    }
}

/// Keeps [`Call`] and [`Host`] to this module.
pub(crate) mod sealed {
    pub trait Sealed {}
}

/// Splits a constant path into segments and appends the varying ones.
pub(crate) fn join_path_segments(constant: &str, varying: &[&str]) -> Vec<String> {
    constant.split('/').chain(varying.iter().copied()).map(str::to_owned).collect()
}

/// Fills the placeholders of a path from the settings, such as `a/{transactionId}/b` or `a/{transactionId}.json`.
/// `setting` is the name of the setting.
pub(crate) fn fill_path_template(
    setting: &str,
    template: &str,
    values: &[(&str, &str)],
) -> Result<Vec<String>, Unsendable> {
    let segments = template.trim_matches('/').split('/');
    segments.map(|segment| filled_segment(setting, segment, values)).collect()
}

fn filled_segment(setting: &str, segment: &str, values: &[(&str, &str)]) -> Result<String, Unsendable> {
    let (mut filled, mut rest) = (String::new(), segment);
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after
            .split_once('}')
            .ok_or_else(|| Unsendable::new(format!("the setting `{setting}` has a `{{` without its `}}`")))?;
        let Some((_, value)) = values.iter().find(|(known, _)| *known == name) else {
            return Err(Unsendable::new(format!(
                "the setting `{setting}` contains `{{{name}}}`, which is not a placeholder here"
            )));
        };
        check_segment(&format!("`{name}`"), value)?;
        filled.push_str(before);
        filled.push_str(value);
        rest = behind;
    }
    if segment.matches('{').count() != segment.matches('}').count() {
        return Err(Unsendable::new(format!("the setting `{setting}` has a `}}` without its `{{`")));
    }
    filled.push_str(rest);
    check_segment(&format!("a part of the setting `{setting}`"), &filled)?;
    Ok(filled)
}

/// Refuses a text that cannot be a path segment: empty, `.`, `..`, or with control characters.
pub(crate) fn check_segment(what: &str, text: &str) -> Result<(), Unsendable> {
    if text.trim().is_empty() {
        return Err(Unsendable::new(format!("{what} is empty")));
    }
    if matches!(text, "." | "..") || text.chars().any(char::is_control) {
        return Err(Unsendable::new(format!("{what} cannot be part of a path")));
    }
    Ok(())
}

/// Refuses an id with a blank or an invisible character, because it would differ from the id that it looks like.
pub(crate) fn check_id(what: &str, id: &str) -> Result<(), Unsendable> {
    let is_unseen = |letter: char| letter.is_whitespace() || letter.is_control() || is_invisible(letter);
    match id.chars().any(is_unseen) {
        true => Err(Unsendable::new(format!("{what} has a blank or an invisible character; give it without"))),
        false => Ok(()),
    }
}

/// Refuses empty fields. Each has its name on the wire.
pub(crate) fn check_given(fields: &[(&str, &str)]) -> Result<(), Unsendable> {
    match fields.iter().find(|(_, value)| value.trim().is_empty()) {
        Some((name, _)) => Err(Unsendable::new(format!("`{name}` is empty"))),
        None => Ok(()),
    }
}

/// Implements `Debug` with the named fields only. Requests hold personal data, so `Debug` shows which request it is,
/// and nothing about the person.
macro_rules! shows_only {
    ($name:ident: $($field:ident),*) => {
        impl std::fmt::Debug for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter
                    .debug_struct(stringify!($name))
                    $(.field(stringify!($field), &self.$field))*
                    .finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use shows_only;
