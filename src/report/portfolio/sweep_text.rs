//! A sweep as text for a terminal.

use super::numbers::{format_percent, format_portfolio_money, rate_with_range};
use crate::portfolio::summary::{BestPoint, SweepPoint, SweepSummary, TornadoRow};
use crate::report::aligned::format_aligned_table;

/// A sweep over parameters.
pub fn render_sweep_text(summary: &SweepSummary, currency: &(String, u32)) -> String {
    let text_of = SweepText { summary, currency };
    let mut text = format!("{}: {} places tried ({})\n", summary.policy, summary.points.len(), summary.search);
    if !summary.points.is_empty() {
        text += &format!("\n{}", text_of.places());
        text += "* no other place has more approvals at the same or a better rate\n";
        if summary.present.is_some() {
            text += "> the file's own values\n";
        }
        if summary.points.iter().any(|point| point.known < point.offers && point.bad_rate_bounds.is_some()) {
            text += "! as *, if everybody without an outcome is bad\n\
                     Bad rates and profits are of customers with an outcome; in brackets, if all others are\n\
                     good, and if all are bad.\n";
        }
        text += &summary.best.as_ref().map_or(String::new(), |best| text_of.best_point(best));
    }
    if !summary.tornado.is_empty() {
        text += &format!("\n{}", text_of.tornado());
    }
    if !summary.left_out.is_empty() {
        let names = summary.left_out.join(", ");
        text += &format!("not tried, because values over records depend on them: {names}\n");
    }
    text
}

/// A sweep, and the currency of its amounts.
struct SweepText<'t> {
    summary: &'t SweepSummary,
    currency: &'t (String, u32),
}

impl SweepText<'_> {
    fn best_point(&self, best: &BestPoint) -> String {
        let Some(point) = self.summary.points.get(best.point) else { return String::new() };
        let named = self.summary.parameters.iter().zip(&point.values);
        let values: Vec<String> = named.map(|((name, _), value)| format!("${name} = {value}")).collect();
        let money = |amount: f64| format_portfolio_money(self.currency, amount.round() as i128);
        if best.gain <= 0.0 {
            return "No other place earns more than the file's own values.\n".to_owned();
        }
        format!(
            "Most profitable: {}, {} more than the file's own values.\n\
             The best of {} is best by chance too: chosen on four fifths of the customers and counted on the\n\
             fifth, it gains {}, and gains in {} of {} fifths.\n",
            values.join(", "),
            money(best.gain),
            self.summary.points.len(),
            money(best.held_out_gain),
            best.parts.1,
            best.parts.0
        )
    }

    fn places(&self) -> String {
        let has_bad = self.summary.points.iter().any(|point| point.bad_rate.is_some());
        let has_profit = self.summary.points.iter().any(|point| point.profit.is_some());
        let has_range =
            self.summary.points.iter().any(|point| point.bad_rate_bounds.is_some_and(|(low, high)| low < high));
        let row = |(at, point): (usize, &SweepPoint)| {
            let own = if self.summary.present == Some(at) { ">" } else { "" };
            let best = if self.summary.frontier.contains(&at) { "*" } else { "" };
            let certain = if has_range && self.summary.worst_case_frontier.contains(&at) { "!" } else { "" };
            let mut cells = vec![format!("{own}{best}{certain}")];
            cells.extend(point.values.iter().map(f64::to_string));
            cells.extend([format_percent(point.approval_rate), format_portfolio_money(self.currency, point.amount)]);
            if has_bad {
                cells.push(rate_with_range(point.bad_rate, point.bad_rate_bounds));
            }
            if has_profit {
                cells.push(self.profit_with_range(point.profit, point.profit_bounds));
            }
            cells
        };
        let rows: Vec<_> = self.summary.points.iter().enumerate().map(row).collect();
        let mut titles = vec![String::new()];
        titles.extend(self.summary.parameters.iter().map(|(name, _)| format!(">{name}")));
        titles.extend([">offers".to_owned(), ">amount".to_owned()]);
        titles.extend(has_bad.then(|| ">bad rate".to_owned()));
        titles.extend(has_profit.then(|| ">profit".to_owned()));
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        format_aligned_table(&titles, &rows)
    }

    fn tornado(&self) -> String {
        let has_profit = self.summary.tornado.iter().any(|row| row.profit.0.is_some());
        let row = |row: &TornadoRow| {
            let mut cells = vec![
                row.parameter.clone(),
                format!("{}..{}", row.range.0, row.range.1),
                format!("{} to {}", format_percent(row.approval_rate.0), format_percent(row.approval_rate.1)),
                format!(
                    "{} to {}",
                    rate_with_range(row.bad_rate.0, row.bad_rate_bounds.0),
                    rate_with_range(row.bad_rate.1, row.bad_rate_bounds.1)
                ),
            ];
            if has_profit {
                // Their ranges have no room here; the page and JSON have them.
                let profit = |profit: Option<f64>| self.profit_with_range(profit, None);
                cells.push(format!("{} to {}", profit(row.profit.0), profit(row.profit.1)));
            }
            cells
        };
        let rows: Vec<_> = self.summary.tornado.iter().map(row).collect();
        let titles = ["parameter alone", "range", "offers", "bad rate", "profit"];
        format_aligned_table(&titles[..if has_profit { 5 } else { 4 }], &rows)
    }

    /// A profit of customers with an outcome, and in brackets what it may be of all.
    fn profit_with_range(&self, profit: Option<f64>, bounds: Option<(f64, f64)>) -> String {
        let money = |amount: f64| format_portfolio_money(self.currency, amount.round() as i128);
        let range = bounds.filter(|(low, high)| low < high);
        let range = range.map_or(String::new(), |(low, high)| format!(" ({} to {})", money(low), money(high)));
        profit.map_or("-".to_owned(), money) + &range
    }
}
