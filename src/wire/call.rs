//! What every endpoint says about itself. Knows nothing of how a call is sent.

use super::body::Body;
use super::error::{Unsendable, Unusable};
use super::method::Method;
use super::parse::is_unseen;
use super::settings::{Authentication, Headers, Settings};
use super::skim::Skim;

/// What sending a call may set off; what may be repeated follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: it reads, and may be asked again.
    Reads,
    /// Something that would happen again each time it is sent.
    Acts,
    /// Money moves.
    MovesMoney,
}

impl Effect {
    /// Whether sending the same call again cannot make anything happen twice.
    pub const fn is_repeatable(self) -> bool {
        matches!(self, Effect::Reads)
    }
}

/// A host of the interface: where a group of calls goes, and with what credentials. The types that implement it have no
/// values: they keep the calls of one host from being sent to another.
pub trait Host: sealed::Sealed + Send + Sync + 'static {
    /// The setting that holds the address, for errors.
    const SETTING: &'static str;

    /// The address; a path in it stays in front of every call's path.
    fn base_url(settings: &Settings) -> &str;

    /// What goes with each call; nothing but a bearer token is known of.
    fn authentication(_settings: &Settings) -> Authentication {
        Authentication::Bearer
    }

    /// Headers that go with each call besides.
    fn headers(settings: &Settings) -> &Headers;
}

/// One call of an endpoint: a value that knows its request and how to read its answer.
///
/// Whether a call is retried follows from [`Call::EFFECT`], the call's own word, never from the transport. The calls are those
/// of the interface: nobody else can make one, so that nothing that moves money can pass for a read.
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
    /// The host it is sent to.
    type Host: Host;
    /// What a good answer becomes.
    type Reply: Send;
    /// What the call is called in errors, such as `send offers (E3)`.
    const NAME: &'static str;
    /// What sending it may set off.
    const EFFECT: Effect;

    /// The HTTP method.
    fn method(&self, settings: &Settings) -> Method;

    /// The path below the base address, segment by segment and not yet encoded.
    fn path(&self, settings: &Settings) -> Result<Vec<String>, Unsendable>;

    /// The same with what is personal in it masked.
    fn shown_path(&self, settings: &Settings) -> Result<Vec<String>, Unsendable> {
        self.path(settings)
    }

    /// The query parameters in the order they are sent, not yet encoded.
    fn query(&self, _settings: &Settings) -> Result<Vec<(String, String)>, Unsendable> {
        Ok(Vec::new())
    }

    /// The JSON body, where there is one.
    fn body(&self, _settings: &Settings) -> Result<Option<Body>, Unsendable> {
        Ok(None)
    }

    /// Headers beside those that every call has.
    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Whether the value of this query parameter is personal data: masked wherever a request is shown. A body knows its own.
    fn is_personal(&self, _parameter: &str) -> bool {
        false
    }

    /// Reads the body of an answer that came with a success status.
    fn reply(&self, settings: &Settings, body: &[u8]) -> Result<Self::Reply, Unusable>;

    /// What looks through the answer while it arrives, piece by piece. Nothing does for answers that are small.
    #[doc(hidden)]
    fn skim(&self) -> Skim {
        Skim::default()
    }

    /// [`Call::reply`], with what was seen in the same body.
    #[doc(hidden)]
    fn reply_skimmed(&self, settings: &Settings, body: &[u8], _skim: Skim) -> Result<Self::Reply, Unusable> {
        self.reply(settings, body)
    }

    /// Reads the body of an answer that came with a status of 4xx: a reply where one may come that way, nothing where what it says
    /// contradicts its status.
    fn refusal(&self, settings: &Settings, body: &[u8]) -> Result<Option<Self::Reply>, Unusable> {
        self.reply(settings, body).map(|_| None)
    }
}

/// Keeps [`Call`] and [`Host`] to this room.
pub(crate) mod sealed {
    pub trait Sealed {}
}

/// Splits a constant path and adds what varies.
pub(crate) fn segments(constant: &str, varying: &[&str]) -> Vec<String> {
    constant.split('/').chain(varying.iter().copied()).map(str::to_owned).collect()
}

/// A path that is a setting, such as `a/{transactionId}/b` or `a/{transactionId}.json`, with its placeholders filled. `setting` is
/// its name.
pub(crate) fn filled(setting: &str, template: &str, values: &[(&str, &str)]) -> Result<Vec<String>, Unsendable> {
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
            return Err(Unsendable::new(format!("the setting `{setting}` asks for `{{{name}}}`, which there is not")));
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

/// Refuses what would not be one path segment: nothing at all, dots that walk the path, control characters.
pub(crate) fn check_segment(what: &str, text: &str) -> Result<(), Unsendable> {
    if text.trim().is_empty() {
        return Err(Unsendable::new(format!("{what} is empty")));
    }
    if matches!(text, "." | "..") || text.chars().any(char::is_control) {
        return Err(Unsendable::new(format!("{what} cannot be part of a path")));
    }
    Ok(())
}

/// Refuses an id with a blank or an invisible character: it would be another id than the one it looks like.
pub(crate) fn check_id(what: &str, id: &str) -> Result<(), Unsendable> {
    let is_invisible =
        |letter: char| letter.is_whitespace() || is_unseen(letter) || matches!(letter, '\u{fe00}'..='\u{fe0f}');
    match id.chars().any(is_invisible) {
        true => Err(Unsendable::new(format!("{what} has a blank or an invisible character; give it without"))),
        false => Ok(()),
    }
}

/// Refuses fields without a text, by their names on the wire.
pub(crate) fn check_given(fields: &[(&str, &str)]) -> Result<(), Unsendable> {
    match fields.iter().find(|(_, value)| value.trim().is_empty()) {
        Some((name, _)) => Err(Unsendable::new(format!("`{name}` is empty"))),
        None => Ok(()),
    }
}

/// `Debug` with the named fields alone: requests hold personal data, and whoever prints one should see which it is and
/// nothing of whom.
macro_rules! shows_only {
    ($name:ident: $($field:ident),*) => {
        impl std::fmt::Debug for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.debug_struct(stringify!($name))$(.field(stringify!($field), &self.$field))*.finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use shows_only;
