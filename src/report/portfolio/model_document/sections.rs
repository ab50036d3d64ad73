//! Purpose, population, method, what was tried, and the items.

use super::ModelDocument;
use super::parts::{Part, Section, count_words, percent_of, table, table_with_bars};
use crate::base::date::format_month;
use crate::portfolio::learning::{Bin, BinShape, Item, Needs, Penalty, bin_as_rule_cell};
use crate::report::portfolio::numbers::format_percent;

impl ModelDocument<'_> {
    pub(super) fn purpose(&self) -> Section {
        let source = &self.evidence.source;
        let parts = vec![
            Part::Paragraph(
                "This scorecard ranks applicants by their chance to repay. It is a proposal: it decides nothing until \
                 a person puts it into a policy, tests it and approves it. Cut-offs, limits and prices are the \
                 policy's and are not part of it."
                    .to_owned(),
            ),
            table(
                &["what", "value"],
                [
                    ("policy with the metrics", format!("{} {}", source.policy, source.version)),
                    ("digest of the policy", source.digest.clone()),
                    ("made by", source.engine.clone()),
                    ("score without points", self.proposal.base.to_string()),
                    ("items", self.proposal.items.len().to_string()),
                ]
                .map(|(what, value)| vec![what.to_owned(), value])
                .to_vec(),
            ),
        ];
        Section { title: "Purpose and use", topic: "Purpose and intended use", parts }
    }

    pub(super) fn population(&self) -> Section {
        let (proposal, evidence) = (self.proposal, self.evidence);
        let customers = evidence.source.customers;
        let later = proposal.later.as_ref().map_or(0, |later| later.rows);
        let counts = [
            ("in the portfolio", customers.to_string()),
            ("without an outcome, excluded", (customers - evidence.with_outcome.min(customers)).to_string()),
            ("with an outcome", evidence.with_outcome.to_string()),
            ("later, kept for the test", later.to_string()),
            ("later, of customers with earlier loans, left out", evidence.left_out_of_test.to_string()),
            ("learned from", proposal.rows.to_string()),
            ("bad among them", format!("{} ({})", proposal.bads, format_percent(proposal.bad_rate))),
        ];
        let mut parts = self.data_parts();
        parts.extend(self.rows_counted().map(Part::Paragraph));
        parts.push(table(
            &["population", self.rows_head()],
            counts.map(|(what, count)| vec![what.to_owned(), count]).to_vec(),
        ));
        match evidence.months.is_empty() {
            true => parts.push(Part::Paragraph("No months are known.".to_owned())),
            false => {
                let row = |one: &crate::portfolio::model_evidence::MonthCount| {
                    let (rows, bads) = (one.rows.to_string(), one.bads.to_string());
                    let rate = if one.rows == 0 { "-".to_owned() } else { format_percent(one.bad_rate) };
                    vec![format_month(one.month), rows, bads, rate, one.later.to_string()]
                };
                let head = ["month", ">learned from", ">bad", ">bad rate", ">kept for the test"];
                parts.push(table(&head, evidence.months.iter().map(row).collect()));
            }
        }
        parts.push(Part::Paragraph(
            "A customer without an outcome was declined, or the loan is not old enough. They are not represented: the \
             scorecard knows only those who got a loan."
                .to_owned(),
        ));
        if !evidence.left_out.is_empty() {
            parts.push(Part::Heading("Metrics that nothing can be learned from".to_owned()));
            let rows = evidence.left_out.iter().map(|(name, why)| vec![name.clone(), why.clone()]).collect();
            parts.push(table(&["metric", "why"], rows));
        }
        Section { title: "Population and exclusions", topic: "Data", parts }
    }

    pub(super) fn method(&self) -> Section {
        let settings = &self.proposal.settings;
        let bins = match settings.bins.shape {
            BinShape::Evidence => {
                "bins of the highest information value along a trend, each with its weight of evidence"
            }
            BinShape::Even => "bins at fixed percentiles, each with the middle rank of its rows, for few bad customers",
        };
        let held = match self.proposal.penalty {
            Penalty::None => "not held back".to_owned(),
            Penalty::L2(strength) => format!("held back by L2 {strength:.4}"),
            Penalty::L1(strength) => format!("held back by L1 {strength:.4}"),
        };
        let (points, fit) = (&settings.points, &settings.fit);
        let steps = vec![
            format!("Bins: {bins}; smoothed by {} rows of the average kind.", settings.bins.smoothing),
            "Screening: a metric that is rarely known, has no trend, leaks, is unstable or repeats a better one is \
             left out, with the reason in the section on what was tried."
                .to_owned(),
            format!("Weights: logistic regression, {held}; an item with the wrong sign is taken out."),
            format!(
                "Points: {} mean odds of {} (good for each bad), and {} more double them; the least of an item is 0.",
                points.points, points.odds, points.to_double
            ),
            format!(
                "Validation: {} folds, {}, seed {}; bins, screening, items and the penalty are found anew in \
                 each.",
                fit.folds,
                count_words(fit.repeats as u64, "repeat"),
                fit.seed
            ),
        ];
        let mut rows = Vec::new();
        for (part, value) in serde_json::to_value(settings).iter().flat_map(|all| all.as_object().cloned()).flatten() {
            for (name, value) in value.as_object().into_iter().flatten() {
                rows.push(vec![format!("{part}.{name}"), value.to_string()]);
            }
        }
        rows.extend(self.rows_of_choices());
        let mut parts = vec![Part::List(steps)];
        parts.extend(self.chosen_parts());
        parts.extend([Part::Heading("All settings".to_owned()), table(&["setting", "value"], rows)]);
        Section { title: "Method and assumptions", topic: "Design, theory and assumptions", parts }
    }

    pub(super) fn tried(&self) -> Section {
        let row = |one: &crate::portfolio::learning::Screened| {
            let psi = one.stability.as_ref().map_or_else(|| "-".to_owned(), |over| format!("{:.3}", over.psi));
            let why = one.warning.as_ref().map_or(one.why.clone(), |warning| format!("{}; {warning}", one.why));
            let (iv, auc) = (format!("{:.3}", one.binning.iv), format!("{:.3}", one.auc));
            vec![one.name.clone(), one.verdict.words().to_owned(), format_percent(one.share_unknown), iv, auc, psi, why]
        };
        let head = ["metric", "verdict", ">unknown", ">IV", ">AUC alone", ">PSI", "why"];
        let mut parts = vec![self.choices_paragraph()];
        parts.push(table(&head, self.proposal.screened.iter().map(row).collect()));
        if !self.proposal.tried.is_empty() {
            parts.push(Part::Heading("Penalties that were tried".to_owned()));
            let row = |one: &crate::portfolio::learning::Tried| {
                let strength = format!("{:.4}", one.strength);
                vec![strength, format!("{:.5}", one.deviance), format!("{:.5}", one.standard_error)]
            };
            let head = [">strength", ">deviance held out", ">standard error"];
            parts.push(table(&head, self.proposal.tried.iter().map(row).collect()));
        }
        Section { title: "What was tried", topic: "Alternatives", parts }
    }

    pub(super) fn items(&self) -> Section {
        let mut parts = vec![Part::Paragraph(
            "Points of the row that a value is in are added to the score without points. Bars show the weight of \
             evidence: to the right better than the average, to the left worse."
                .to_owned(),
        )];
        for item in &self.proposal.items {
            parts.push(Part::Heading(format!("{} ({})", item.name, item.code)));
            parts.push(Part::Paragraph(facts_of_item(item)));
            parts.push(self.bins_of_table(item));
        }
        Section { title: "Items, bins and points", topic: "Design: variables and their treatment", parts }
    }

    fn bins_of_table(&self, item: &Item) -> Part {
        let all: u64 = item.rows.iter().map(|row| row.bin.count.rows()).sum();
        let most = item.rows.iter().map(|row| row.bin.woe.abs()).fold(0.0, f64::max);
        let row = |row: &crate::portfolio::learning::PointsRow| {
            let Bin { holds, count, woe, .. } = &row.bin;
            let rate = if count.rows() == 0 { "-".to_owned() } else { format_percent(count.rate()) };
            let share = percent_of(count.rows(), all);
            let (rows, bads) = (count.rows().to_string(), count.bads.to_string());
            vec![bin_as_rule_cell(holds), rows, share, bads, rate, row.points.to_string(), format!("{woe:.3}")]
        };
        let bar = |row: &crate::portfolio::learning::PointsRow| if most > 0.0 { row.bin.woe / most } else { 0.0 };
        let head = ["value", self.rows_head(), ">share", ">bad", ">bad rate", ">points", ">WoE", "evidence"];
        table_with_bars(&head, item.rows.iter().map(row).collect(), item.rows.iter().map(bar).collect())
    }
}

fn facts_of_item(item: &Item) -> String {
    let sure = item
        .certainty
        .map_or_else(String::new, |sure| format!(", standard error {:.3}, p {:.2e}", sure.standard_error, sure.p));
    let chosen =
        item.chosen.map_or_else(String::new, |share| format!(", an item in {} of the models", format_percent(share)));
    let known = if item.needs == Needs::Credits { " Known from credits alone." } else { "" };
    format!(
        "Unit: {}.{known} Information value {:.3}, weight {:.3}{sure}, variance inflation {:.2}{chosen}.",
        item.unit, item.iv, item.weight, item.inflation
    )
}
