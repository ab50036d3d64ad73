//! The shares as tables, with the interval of each.

use std::fmt::Write as _;

use super::{Share, Shares};

/// The interval of a share in 95 of 100 draws (Wilson, 1927).
fn interval(share: Share) -> (f64, f64) {
    let (all, z) = (share.all as f64, 1.959_963_984_540_054_f64);
    let p = share.right as f64 / all;
    let middle = p + z * z / (2.0 * all);
    let half = z * (p * (1.0 - p) / all + z * z / (4.0 * all * all)).sqrt();
    ((middle - half) / (1.0 + z * z / all), (middle + half) / (1.0 + z * z / all))
}

fn row(name: &str, share: Share) -> String {
    let (low, high) = interval(share);
    let right = share.right as f64 / share.all as f64;
    format!("| {name} | {} | {right:.2} | {low:.2} to {high:.2} |\n", share.all)
}

/// All tables, in the order of the page.
pub(super) fn of(shares: &Shares) -> String {
    let mut text = String::new();
    for (question, head) in [
        ("all", "all markets"),
        ("income", "credits"),
        ("market", "market, right"),
        ("safe", "market, decision-safe"),
        ("class", "class"),
    ] {
        write!(text, "| {head} | narrations | share | 95% interval |\n|---|---|---|---|\n").expect("text");
        for ((_, name), share) in shares.iter().filter(|((of, _), _)| *of == question) {
            text.push_str(&row(name, *share));
        }
        text.push('\n');
    }
    text
}
