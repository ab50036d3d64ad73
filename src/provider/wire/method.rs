//! The HTTP method of a call. Knows nothing of any one call.

use serde::{Deserialize, Serialize};

/// The HTTP method of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Reads something.
    Get,
    /// Does something.
    Post,
}

impl Method {
    /// The method's name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
        }
    }
}
