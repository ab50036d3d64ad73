//! Tests of `src/report`: explanations as text. Pages in a browser are in `campaigns/browser`.

pub(crate) mod explain;
