//! A proposal as text of a rule file, with comments for the analyst who edits it. `docs/reference/rules.md` has the
//! grammar.

use std::fmt::Write;

use super::binning::Holds;
use super::comparison::{BesidePresent, LaterTest};
use super::input::Needs;
use super::logistic::Penalty;
use super::points::PointsRow;
use super::proposal::{Item, Proposal};
use super::rule_cell::bin_as_rule_cell;
use super::screening::ScreeningResult;
use super::settings::BinShape;
use crate::base::date::format_month;
use crate::base::toml_text::quote_toml_text;

impl Proposal {
    /// The `[score]` of a rule file, with comments. It stands alone: copy it beside the definitions of its metrics.
    pub fn rule_text(&self) -> String {
        let mut text = String::new();
        for line in self.header() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "# {}", plain_rule_comment(&line));
        }
        let _ = writeln!(text, "[score]\nbase = {}\nreasons = 4", self.base);
        for item in &self.items {
            text.push('\n');
            let warning = self.screened.iter().find(|one| one.name == item.name).and_then(|one| one.warning.as_ref());
            if let Some(warning) = warning {
                let _ = writeln!(text, "# {}", plain_rule_comment(warning));
            }
            item_text(&mut text, item, self.settings.bins.shape);
        }
        let mut others = self.screened.iter().filter(|one| one.verdict != ScreeningResult::Kept).peekable();
        if others.peek().is_some() {
            let _ = writeln!(text, "\n# Not used, and why:");
        }
        for one in others {
            let _ = writeln!(
                text,
                "# - {}: {}; {}",
                plain_rule_comment(&one.name),
                one.verdict.words(),
                plain_rule_comment(&one.why)
            );
        }
        text
    }

    fn header(&self) -> Vec<String> {
        let mut lines = vec![
            "A proposal, never applied by itself: read it, edit it, and test it before it decides.".to_string(),
            format!("Learned from {} rows, {} of them bad{}.", self.rows, self.bads, self.span()),
            format!(
                "{} metrics were looked at, {}. {}.",
                self.screened.len(),
                if self.items.len() == 1 { "1 is an item".into() } else { format!("{} are items", self.items.len()) },
                self.needs()
            ),
        ];
        lines.extend(self.rows_counted());
        lines.extend(self.choices());
        match &self.validation {
            Some(found) => {
                let auc = &found.auc;
                let (auc_is, low, high) = (auc.auc, auc.low, auc.high);
                lines.push(format!("AUC on rows not seen: {auc_is:.3}, 95% interval {low:.3} to {high:.3}."));
                lines.push(format!("There Gini is {:.3}, KS {:.3}.", found.gini, found.ks));
                if found.without_items > 0 {
                    lines.push(format!(
                        "In {} of {} folds no metric was kept; their rows count with the bad rate alone.",
                        found.without_items, found.models
                    ));
                    lines.extend(found.why_without_items.iter().map(|why| format!("In the first of them: {why}.")));
                }
                lines.push(format!(
                    "By {} models, bins found anew in each; the mean of single folds is {:.3}.",
                    found.models, found.fold_mean
                ));
                if let Some(slope) = found.slope {
                    lines.push(format!("Log-odds of rows not seen should be stretched by {slope:.2}; 1 is right."));
                }
            }
            None => lines.push("Cross-validation found no model: do not use this.".into()),
        }
        lines.extend(self.validation.iter().filter_map(|found| Some(beside_present_line(found.beside_present?))));
        lines.push(self.time_checked());
        lines.extend(self.later.iter().flat_map(later_lines));
        if self.settings.bins.shape == BinShape::Evidence && self.settings.bins.smoothing > 0.0 {
            lines.push(format!(
                "Bins count with {} rows of the average kind added: few rows, as of unknown values, are near the mean.",
                self.settings.bins.smoothing
            ));
        }
        if self.settings.bins.shape == BinShape::Even {
            lines.push("Numbers count by rank; unknown values by the rank of like smoothed evidence.".into());
        }
        lines.push("That saw neither how the metrics were thought of nor how these settings were chosen.".into());
        let points = &self.settings.points;
        lines.push(self.held_back());
        lines.push(format!(
            "{} points mean odds of {} (good ones for each bad one); {} more double them.",
            points.points, points.odds, points.to_double
        ));
        lines
    }

    fn time_checked(&self) -> String {
        match self.screened.iter().any(|one| one.stability.is_some()) {
            true => "Stability was checked between the earlier and the later half of these months.".into(),
            false => "Stability over time was not checked: no two months are known.".into(),
        }
    }

    fn held_back(&self) -> String {
        match self.penalty {
            Penalty::None => "Weights by logistic regression, not held back.".into(),
            Penalty::L2(strength) => format!("Weights by logistic regression with L2 {strength:.4}."),
            Penalty::L1(strength) => format!("Weights by logistic regression with L1 {strength:.4}."),
        }
    }

    fn span(&self) -> String {
        self.months.map_or_else(String::new, |(first, last)| span_of_months(first, last))
    }

    fn needs(&self) -> String {
        let of = |needs: Needs| self.items.iter().filter(|item| item.needs == needs).count();
        let given = match of(Needs::Given) {
            0 => String::new(),
            given => format!("; {given} need what is given"),
        };
        match (of(Needs::Debits), of(Needs::Balances), of(Needs::Credits)) {
            (0, 0, 0) if !self.items.is_empty() => "All need what is given, and no statement".into(),
            (0, 0, _) => format!("Credits are enough{given}"),
            (debits, balances, _) => {
                format!("{balances} need balances, {debits} need debits: with credits alone they are unknown{given}")
            }
        }
    }

    /// How many customers the rows are of, if some have several, and whether rows count by weight.
    fn rows_counted(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.customers < self.rows {
            lines.push(format!(
                "The rows are loans of {} customers: folds never part a customer's, and intervals count customers.",
                self.customers
            ));
        }
        if self.is_weighted {
            lines.push(format!(
                "Rows count by their weights, in bins, fit, AUC, KS, PSI and rates: {:.1}% bad. Numbers of rows are \
                 not weighted.",
                self.bad_rate * 100.0
            ));
        }
        lines
    }

    /// What an analyst chose.
    fn choices(&self) -> Vec<String> {
        let mut lines: Vec<String> = self
            .settings
            .chosen
            .iter()
            .map(|(metric, choice)| format!("Chosen for {metric}: {}.", choice.words()))
            .collect();
        if !self.settings.screen.keep.is_empty() {
            lines.push(format!("Kept on purpose: {}.", self.settings.screen.keep.join(", ")));
        }
        let orders = self.settings.bins.orders.iter();
        lines.extend(orders.map(|(metric, texts)| format!("Order of {metric}: {}.", texts.join(", "))));
        lines
    }
}

fn span_of_months(first: i32, last: i32) -> String {
    match first == last {
        true => format!(", of {}", format_month(first)),
        false => format!(", {} to {}", format_month(first), format_month(last)),
    }
}

fn beside_present_line(both: BesidePresent) -> String {
    let (difference, low, high) = (both.difference, both.low, both.high);
    format!(
        "The present score on the {} of these rows where it is known: AUC {:.3}; the proposal {:.3}, \
         {difference:+.3} (95%: {low:+.3} to {high:+.3}).",
        both.rows, both.present, both.proposal
    )
}

fn later_lines(later: &LaterTest) -> Vec<String> {
    let span = later.months.map_or_else(String::new, |(first, last)| span_of_months(first, last));
    let (rows, bads) = (later.rows, later.bads);
    let mut lines =
        vec![format!("Tested on {rows} later rows that nothing was learned from, {bads} of them bad{span}.")];
    match (&later.auc, later.ks) {
        (Some(auc), Some(ks)) => lines.push(format!(
            "There AUC is {:.3}, 95% interval {:.3} to {:.3}; Gini {:.3}, KS {ks:.3}, PSI of scores {:.3}.",
            auc.auc,
            auc.low,
            auc.high,
            2.0 * auc.auc - 1.0,
            later.psi
        )),
        _ => lines.push("There is only one outcome among them, so AUC is not known.".into()),
    }
    let (said, is) = (later.said_bad_rate * 100.0, later.bad_rate * 100.0);
    lines.push(format!("The weights say {said:.1}% bad there, and {is:.1}% are."));
    lines.extend(later.beside_present.map(beside_present_line));
    lines
}

fn item_text(text: &mut String, item: &Item, shape: BinShape) {
    let certainty = item.certainty.map_or_else(String::new, |sure| format!(" \u{b1} {:.3}", sure.standard_error));
    let chosen = item.chosen.map_or_else(String::new, |share| format!(", in {:.0}% of models", share * 100.0));
    let _ = writeln!(
        text,
        "# {} ({}, {}): IV {:.3}, weight {:.3}{certainty}, VIF {:.1}{chosen}",
        plain_rule_comment(&item.name),
        plain_rule_comment(&item.unit),
        item.needs.words(),
        item.iv,
        item.weight,
        item.inflation
    );
    for row in &item.rows {
        let (bin, cell) = (&row.bin, bin_as_rule_cell(&row.bin.holds));
        let (rows, rate) = (bin.count.rows(), bin.count.rate() * 100.0);
        // With even steps the weight of evidence of a bin does not count.
        let woe = if shape == BinShape::Evidence { format!(", WoE {:.2}", bin.woe) } else { String::new() };
        let _ = writeln!(text, "#   {}: {rows} rows, {rate:.1}% bad{woe}", plain_rule_comment(&cell));
    }
    let points: Vec<String> = in_order(&item.rows).map(row_text).collect();
    let reason = format!("{} is {{{}}}", item.name, item.name);
    let _ =
        writeln!(text, "[[score.item]]\non = {}\ncode = {}", quote_toml_text(&item.name), quote_toml_text(&item.code));
    let _ = writeln!(text, "reason = {}\npoints = [{}]", quote_toml_text(&reason), points.join(", "));
}

/// The rows as they must stand, as the first that matches counts: special values before the ranges that they lie in,
/// and what matches everything last.
fn in_order(rows: &[PointsRow]) -> impl Iterator<Item = &PointsRow> {
    let place = |row: &PointsRow| match row.bin.holds {
        Holds::Special(_) => 0,
        Holds::Other => 2,
        _ => 1,
    };
    (0..=2).flat_map(move |wanted| rows.iter().filter(move |row| place(row) == wanted))
}

fn row_text(row: &PointsRow) -> String {
    format!("[{}, {}]", quote_toml_text(&bin_as_rule_cell(&row.bin.holds)), row.points)
}

/// Text for a comment: one line, without signs that TOML forbids there.
fn plain_rule_comment(text: &str) -> String {
    text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect()
}
