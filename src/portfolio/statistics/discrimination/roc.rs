//! The points of the ROC curve.

use serde::Serialize;

use crate::portfolio::statistics::ties::{Tie, thin_evenly};

/// A cut-off and what a rule "decline at this score or lower" catches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RocPoint {
    /// The highest score declined; `None` declines nobody.
    pub score: Option<f64>,
    /// The share of good rows declined: the false positive rate, on the horizontal axis.
    pub good_declined: f64,
    /// The share of bad rows declined: the true positive rate, on the vertical axis.
    pub bad_declined: f64,
}

/// At most `most` points from (0, 0) to (1, 1); `None` unless there are both classes.
pub(super) fn build_roc_curve(ties: &[Tie], (bad, good): (u64, u64), most: usize) -> Option<Vec<RocPoint>> {
    if bad == 0 || good == 0 {
        return None;
    }
    let mut wanted = thin_evenly(ties.len() + 1, most).peekable();
    let mut points = Vec::with_capacity(most.min(ties.len() + 1));
    let (mut bad_below, mut good_below) = (0, 0);
    let scores = std::iter::once(None).chain(ties.iter().map(Some));
    for (place, tie) in scores.enumerate() {
        bad_below += tie.map_or(0, |tie| tie.bad);
        good_below += tie.map_or(0, |tie| tie.good);
        if wanted.next_if_eq(&place).is_some() {
            points.push(RocPoint {
                score: tie.map(|tie| tie.value),
                good_declined: good_below as f64 / good as f64,
                bad_declined: bad_below as f64 / bad as f64,
            });
        }
    }
    Some(points)
}
