//! A live comparison of two policies, as text for a terminal.

use super::numbers::{format_count, format_p, format_percent, p_in_words, percent_or_none};
use crate::portfolio::arms::{ArmsSummary, ComparedRate};
use crate::report::aligned::format_aligned_table;

/// Both arms, whether they differ, and what their sizes can show.
pub fn render_arms_text(found: &ArmsSummary) -> String {
    let rate = |(hits, n): (u64, u64)| {
        format!(
            "{} of {} ({})",
            format_count(hits),
            format_count(n),
            percent_or_none((n > 0).then(|| hits as f64 / n as f64))
        )
    };
    let row = |name: &str, one: &ComparedRate| {
        let difference = one.difference.map_or("-".to_owned(), |(difference, low, high)| {
            format!("{} ({} to {})", in_points(difference), in_points(low), in_points(high))
        });
        let p = one.p.map_or("-".to_owned(), format_p);
        vec![name.to_owned(), rate(one.champion), rate(one.challenger), difference, p]
    };
    let rows = [row("offers", &found.offers), row("bad loans", &found.bad)];
    let has_loans = found.bad.champion.1 + found.bad.challenger.1 > 0;
    let titles = ["", ">champion", ">challenger", ">difference in points (95%)", ">p"];
    let mut text = format_aligned_table(&titles, &rows[..if has_loans { 2 } else { 1 }]);
    let about = |name: &str, one: &ComparedRate| {
        one.smallest_shown.map_or(String::new(), |least| {
            format!(
                "A difference in {name} below {} points is missed more than once in five times.\n",
                format_points(least)
            )
        })
    };
    text += &format!("\n{}", about("offers", &found.offers));
    if has_loans {
        text += &about("bad loans", &found.bad);
    }
    if let Some((share, p)) = found.split {
        let seen = found.customers.1 as f64 / (found.customers.0 + found.customers.1) as f64;
        text += &format!(
            "The challenger has {} of the customers, and {} was meant ({}).\n",
            format_percent(seen),
            format_percent(share),
            p_in_words(p)
        );
        if p < 0.001 {
            text += "The split went wrong, so that the arms are no fair comparison.\n";
        }
    }
    if let Some((detect, size)) = found.needed {
        text += &format!(
            "To show a difference of {} points in bad loans, each arm needs {} loans with an outcome.\n",
            format_points(detect),
            format_count(size)
        );
    }
    text
}

fn in_points(share: f64) -> String {
    format!("{:+.1}", share * 100.0)
}

fn format_points(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}
