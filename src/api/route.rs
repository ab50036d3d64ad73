//! The paths, and what each needs: one list, which the router and the OpenAPI document read.

use super::keys::Scope;

/// What a path is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    Decisions,
    Explanations,
    Metrics,
    Records,
    Batches,
    KeptDecision,
    Outcomes,
    Policies,
    Health,
    Counters,
    OpenApi,
}

impl Route {
    pub(super) const ALL: [Route; 11] = [
        Route::Decisions,
        Route::Explanations,
        Route::Metrics,
        Route::Records,
        Route::Batches,
        Route::KeptDecision,
        Route::Outcomes,
        Route::Policies,
        Route::Health,
        Route::Counters,
        Route::OpenApi,
    ];

    pub(super) const fn path(self) -> &'static str {
        match self {
            Route::Decisions => "/v1/decisions",
            Route::Explanations => "/v1/explanations",
            Route::Metrics => "/v1/metrics",
            Route::Records => "/v1/records",
            Route::Batches => "/v1/batches",
            Route::KeptDecision => "/v1/decisions/{id}",
            Route::Outcomes => "/v1/outcomes",
            Route::Policies => "/v1/policies",
            Route::Health => "/v1/health",
            Route::Counters => "/metrics",
            Route::OpenApi => "/v1/openapi.json",
        }
    }

    /// The word for it in counters and in the log.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Route::Decisions => "decisions",
            Route::Explanations => "explanations",
            Route::Metrics => "metrics",
            Route::Records => "records",
            Route::Batches => "batches",
            Route::KeptDecision => "kept_decision",
            Route::Outcomes => "outcomes",
            Route::Policies => "policies",
            Route::Health => "health",
            Route::Counters => "counters",
            Route::OpenApi => "openapi",
        }
    }

    pub(super) const fn method(self) -> &'static str {
        match self {
            Route::Decisions | Route::Explanations | Route::Metrics | Route::Records | Route::Batches => "POST",
            Route::Outcomes => "POST",
            Route::KeptDecision | Route::Policies | Route::Health | Route::Counters | Route::OpenApi => "GET",
        }
    }

    /// The scope that a key needs. Whether the service lives is open to everybody. The description has examples that
    /// tell what the policy says.
    pub(super) const fn scope(self) -> Option<Scope> {
        match self {
            Route::Decisions | Route::Batches | Route::Outcomes => Some(Scope::Decide),
            Route::Explanations | Route::Metrics | Route::Records | Route::KeptDecision => Some(Scope::Explain),
            Route::Policies | Route::Counters | Route::OpenApi => Some(Scope::Read),
            Route::Health => None,
        }
    }

    pub(super) fn find(path: &str) -> Option<Route> {
        let exact = Route::ALL.into_iter().find(|route| route.path() == path);
        exact.or_else(|| decision_id(path).map(|_| Route::KeptDecision))
    }

    /// Whether the path needs a book of decisions.
    pub(super) const fn needs_book(self) -> bool {
        matches!(self, Route::KeptDecision | Route::Outcomes)
    }
}

/// The id in the path of a decision.
pub(super) fn decision_id(path: &str) -> Option<&str> {
    path.strip_prefix("/v1/decisions/").filter(|id| !id.is_empty() && !id.contains('/'))
}
