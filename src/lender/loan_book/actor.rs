//! Who changes the book: the service, the provider, or a person with a name and a reason. The audit keeps both.

/// Who makes a change, as the audit names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Actor {
    /// The service by itself.
    Service,
    /// The provider, by a call.
    Provider,
    /// A person.
    Person(Person),
}

/// A person who decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Person {
    /// The name.
    pub(crate) name: String,
    /// Why they decide so.
    pub(crate) note: String,
}

impl Actor {
    pub(super) fn name(&self) -> &str {
        match self {
            Actor::Service => "service",
            Actor::Provider => "provider",
            Actor::Person(person) => &person.name,
        }
    }

    /// Why, if it is a person.
    pub(super) fn note(&self) -> Option<&str> {
        match self {
            Actor::Service | Actor::Provider => None,
            Actor::Person(person) => Some(&person.note),
        }
    }
}
