//! All that `check` says of a policy: its findings, the compiler's warnings, and what the file itself allows left out.

use super::analyse;
use super::offers::without_offers;
use super::parameter_bounds::analyse_bounds;
use crate::base::diagnostic::Diagnostic;
use crate::rules::{Policy, allowed};

/// What is odd about a policy, or about a file for policies to use. With `bounds`, also at all values of its
/// parameters.
pub fn all_findings(policy: &Policy, is_shared: bool, bounds: bool) -> Vec<Diagnostic> {
    let mut found = if bounds { analyse_bounds(policy) } else { analyse(policy) };
    found.extend(policy.warnings().iter().cloned());
    // A file for policies to use makes no offers by itself.
    if !is_shared {
        found.extend(without_offers(policy));
    }
    // A file for policies to use stands behind an invented one.
    let own = u32::from(is_shared);
    // What only other values of the parameters show is not idle.
    let at_bounds = || [analyse_bounds(policy), policy.warnings().to_vec()].concat();
    allowed::remove_allowed_warnings(&mut found, policy.sources(), Some((own, &at_bounds)));
    found.sort_by_key(|wrong| (wrong.severity, wrong.span.source, wrong.span.start));
    found
}
