//! The four endpoints and their paths, which are settings. Knows nothing of what an endpoint does.

use crate::provider::wire::{LenderSettings, Method, match_template, path_segments, varying_segment};

/// An endpoint that the lender hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Endpoint {
    /// Get Offers.
    GetOffers,
    /// Accept Offers.
    AcceptOffer,
    /// E10.
    LoanStatus,
    /// E11.
    PaymentNotification,
}

impl Endpoint {
    /// All of them.
    pub const ALL: [Endpoint; 4] =
        [Endpoint::GetOffers, Endpoint::AcceptOffer, Endpoint::LoanStatus, Endpoint::PaymentNotification];

    /// Its name in metrics, logs and the OpenAPI document.
    pub fn name(self) -> &'static str {
        match self {
            Endpoint::GetOffers => "get_offers",
            Endpoint::AcceptOffer => "accept_offer",
            Endpoint::LoanStatus => "loan_status",
            Endpoint::PaymentNotification => "payment_notification",
        }
    }

    /// Its method.
    pub fn method(self) -> Method {
        match self {
            Endpoint::GetOffers | Endpoint::LoanStatus => Method::Get,
            Endpoint::AcceptOffer | Endpoint::PaymentNotification => Method::Post,
        }
    }

    /// The setting of its path, the path without slashes at its ends, and the varying segment that it may have.
    fn path(self, names: &LenderSettings) -> (&'static str, String, Option<&'static str>) {
        let trimmed = |path: &str| path.trim_matches('/').to_owned();
        match self {
            Endpoint::GetOffers => ("lender.get_offers_path", trimmed(&names.get_offers_path), None),
            Endpoint::AcceptOffer => ("lender.accept_offer_path", trimmed(&names.accept_offer_path), Some("offerId")),
            Endpoint::LoanStatus => {
                ("lender.loan_status_path", format!("{}/{{loanId}}", trimmed(&names.loan_status_path)), Some("loanId"))
            }
            Endpoint::PaymentNotification => {
                ("lender.payment_notification_path", trimmed(&names.payment_notification_path), None)
            }
        }
    }
}

/// The first segments of the paths that the service has for itself.
pub(super) const OWN_PATHS: [&str; 3] = ["health", "metrics", "openapi.json"];

/// The endpoints by their paths.
#[derive(Debug, Clone)]
pub struct Paths(Vec<(Endpoint, String)>);

impl Paths {
    /// Reads the paths from the settings.
    ///
    /// # Errors
    /// A setting that is no path, or the path of two endpoints or of the service itself.
    pub fn new(names: &LenderSettings) -> Result<Self, String> {
        let mut paths: Vec<(Endpoint, String)> = Vec::new();
        for endpoint in Endpoint::ALL {
            let (setting, template, varying) = endpoint.path(names);
            let wrong = |problem: &str| Err(format!("the setting `{setting}` {problem}"));
            let is_fit = |segment: &str| match varying_segment(segment) {
                Some((_, name, _)) => varying == Some(name),
                None => !segment.is_empty() && !segment.contains(['{', '}']) && !matches!(segment, "." | ".."),
            };
            if !template.split('/').all(is_fit) {
                let allowed = varying.map(|name| format!(", or a placeholder other than `{{{name}}}`"));
                return wrong(&format!("has an empty segment{}", allowed.unwrap_or(", or a placeholder".to_owned())));
            }
            if template.split('/').filter(|segment| varying_segment(segment).is_some()).count() > 1 {
                return wrong("has its placeholder twice");
            }
            if OWN_PATHS.iter().any(|own| template.split('/').next() == Some(own)) {
                return wrong("begins like a path of the service itself: `health`, `metrics` or `openapi.json`");
            }
            if paths.iter().any(|(other, known)| *known == template && other.method() == endpoint.method()) {
                return wrong("is the path of another endpoint");
            }
            paths.push((endpoint, template));
        }
        Ok(Paths(paths))
    }

    /// All endpoints with their paths, without the leading slash.
    pub fn all(&self) -> impl Iterator<Item = (Endpoint, &str)> {
        self.0.iter().map(|(endpoint, template)| (*endpoint, template.as_str()))
    }

    /// Finds the endpoint of a path, and the value of its varying segment. Where several have the path, the one with
    /// the method is preferred.
    pub(super) fn find(&self, method: &str, path: &str) -> Option<(Endpoint, Option<String>)> {
        let segments = path_segments(path)?;
        let found = self.0.iter().filter_map(|(endpoint, template)| {
            let value = match_template(template, &segments)?.pop().map(|(_, value)| value);
            Some((*endpoint, value))
        });
        let mut found: Vec<_> = found.collect();
        let at = found.iter().position(|(endpoint, _)| endpoint.method().as_str() == method).unwrap_or_default();
        (!found.is_empty()).then(|| found.swap_remove(at))
    }
}
