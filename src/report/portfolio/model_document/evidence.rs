//! Correlation, discrimination, calibration and stability.

use super::ModelDocument;
use super::parts::{Part, ReliabilityCurve, ReliabilityPoint, Section, SharePicture, count_words, table};
use crate::base::date::format_month;
use crate::portfolio::learning::{BesidePresent, LaterTest};
use crate::portfolio::model_evidence::MonthMeasured;
use crate::portfolio::statistics::calibration::{Calibration, CalibrationBin, LogisticFit};
use crate::portfolio::statistics::discrimination::GainBand;
use crate::report::portfolio::numbers::format_percent;

/// PSI of a month with fewer customers is mostly chance.
const LEAST_ROWS_OF_MONTH: u64 = 100;

const NO_HELD_OUT: &str = "Cross-validation found no model: do not use this.";

impl ModelDocument<'_> {
    pub(super) fn correlation(&self) -> Section {
        let items = &self.proposal.items;
        let mut head = vec!["item"];
        let codes: Vec<String> = items.iter().map(|item| format!(">{}", item.code)).collect();
        head.extend(codes.iter().map(String::as_str));
        let row = |(at, item): (usize, &crate::portfolio::learning::Item)| {
            let cells = self.evidence.correlations[at].iter().map(|value| format!("{value:.2}"));
            std::iter::once(format!("{} {}", item.code, item.name)).chain(cells).collect()
        };
        let parts = vec![
            Part::Paragraph(format!(
                "Pearson's correlation of the items as they count. A metric that correlates by {} or more with a \
                 better one is left out.",
                self.proposal.settings.screen.redundant
            )),
            table(&head, items.iter().enumerate().map(row).collect()),
        ];
        Section { title: "Correlation", topic: "Testing", parts }
    }

    pub(super) fn discrimination(&self) -> Section {
        let mut parts = Vec::new();
        match (&self.proposal.validation, &self.evidence.held_out) {
            (Some(found), Some(held_out)) => {
                let auc = &found.auc;
                let mut rows = vec![
                    vec!["AUC".to_owned(), format!("{:.4} (95%: {:.4} to {:.4})", auc.auc, auc.low, auc.high)],
                    vec!["Gini".to_owned(), format!("{:.4}", found.gini)],
                    vec!["KS".to_owned(), format!("{:.4}", found.ks)],
                    vec!["mean AUC of single folds".to_owned(), format!("{:.4}", found.fold_mean)],
                    vec!["models".to_owned(), found.models.to_string()],
                    vec!["models without an item".to_owned(), found.without_items.to_string()],
                ];
                let own = self.proposal.auc_on_own_rows;
                rows.extend(own.map(|own| {
                    vec![
                        "AUC of points on the rows learned from: no measure of quality".to_owned(),
                        format!("{:.4}", own.auc),
                    ]
                }));
                parts.push(Part::Paragraph("All figures but the last are of customers that no model saw.".to_owned()));
                parts.extend(self.repeats_paragraph());
                parts.push(table(&["figure", ">value"], rows));
                parts.push(Part::Heading("AUC by fold".to_owned()));
                parts.push(table_of_folds(&found.by_fold));
                parts.push(Part::Heading("ROC curve".to_owned()));
                parts.push(Part::Line(SharePicture {
                    title: "The share of bad customers at or below a score, by the share of good ones",
                    along: "good customers",
                    up: "bad customers",
                    points: held_out.roc.clone(),
                    elsewhere: "The page has its picture, and the JSON its points under `evidence.held_out.roc`.",
                }));
                parts.push(Part::Heading("Gains, from the worst scores".to_owned()));
                parts.push(Part::Line(SharePicture {
                    title: "The share of bad customers among the worst scores, by the share of all customers",
                    along: "customers, from the worst scores",
                    up: "bad customers",
                    points: points_of_gains(&held_out.gains),
                    elsewhere: "The page has a picture of these gains:",
                }));
                parts.push(table_of_gains(&held_out.gains, self.rows_head()));
                parts.extend(found.beside_present.map(present_paragraph));
            }
            _ => parts.push(Part::Paragraph(NO_HELD_OUT.to_owned())),
        }
        Section { title: "Discrimination", topic: "Outcomes analysis", parts }
    }

    pub(super) fn calibration(&self) -> Section {
        let found = self.evidence.held_out.as_ref().and_then(|held_out| held_out.calibration.as_ref());
        let mut parts = Vec::new();
        match found {
            Some(found) => {
                parts.extend(self.repeats_paragraph());
                parts.extend(calibration_parts(found, self.rows_head()));
            }
            None => parts.push(Part::Paragraph(NO_HELD_OUT.to_owned())),
        }
        Section { title: "Calibration", topic: "Outcomes analysis", parts }
    }

    /// Which figures are of which repeats, if there are several.
    pub(super) fn repeats_paragraph(&self) -> Option<Part> {
        let held_out = self.evidence.held_out.as_ref().filter(|held_out| held_out.repeats > 1)?;
        Some(Part::Paragraph(format!(
            "AUC, Gini and KS of the section on discrimination are of all {} repeats. Gains, calibration, months and \
             groups are of repeat {} only.",
            held_out.repeats, held_out.figures_of_repeat
        )))
    }

    pub(super) fn stability(&self) -> Section {
        let mut parts = Vec::new();
        let months = self.evidence.held_out.iter().flat_map(|held_out| &held_out.months).collect::<Vec<_>>();
        let has_time = self.proposal.screened.iter().any(|one| one.stability.is_some());
        match has_time {
            false => parts.push(Part::Paragraph("Stability was not checked: no two months are known.".to_owned())),
            true => {
                parts.push(Part::Heading("Held-out scores by month".to_owned()));
                let head = ["month", self.rows_head(), ">bad", ">bad rate", ">expected", ">AUC", ">95%"];
                parts.push(table(&head, months.into_iter().map(row_of_month).collect()));
                parts.push(Part::Heading("Items between the halves of time".to_owned()));
                parts.push(self.items_over_time());
                parts.extend(self.small_months_paragraph());
                parts.extend(self.evidence.over_time.iter().flat_map(|found| self.parts_over_time(found)));
            }
        }
        match &self.proposal.later {
            Some(later) => parts.extend(later_parts(later)),
            None => {
                parts.push(Part::Paragraph("No later loans were kept for a test; `--test-after` does that.".to_owned()))
            }
        }
        Section { title: "Stability over time", topic: "Sensitivity and outcomes over time", parts }
    }

    fn items_over_time(&self) -> Part {
        let months = &self.evidence.months;
        let is_large = |month: i32| months.iter().any(|one| one.month == month && one.rows >= LEAST_ROWS_OF_MONTH);
        let one = |item: &crate::portfolio::learning::Item| {
            let over = self.proposal.screened.iter().find(|one| one.name == item.name)?.stability.as_ref()?;
            let large = over.psi_by_month.iter().filter(|one| is_large(one.0));
            let worst = large.max_by(|a, b| a.1.total_cmp(&b.1));
            let worst =
                worst.map_or_else(|| "-".to_owned(), |(month, psi)| format!("{} {psi:.3}", format_month(*month)));
            let [early, late] = over.auc_by_half.map(|auc| format!("{auc:.3}"));
            Some(vec![item.name.clone(), format!("{:.3}", over.psi), early, late, worst])
        };
        let head = ["item", ">PSI", ">AUC earlier", ">AUC later", ">largest PSI of a month"];
        table(&head, self.proposal.items.iter().filter_map(one).collect())
    }

    /// The months that are too small for the largest PSI.
    fn small_months_paragraph(&self) -> Option<Part> {
        let months = self.evidence.months.iter().filter(|one| (1..LEAST_ROWS_OF_MONTH).contains(&one.rows));
        let small: Vec<String> = months.map(|one| format!("{} ({})", format_month(one.month), one.rows)).collect();
        (!small.is_empty()).then(|| {
            Part::Paragraph(format!(
                "For the largest PSI, months with fewer than {LEAST_ROWS_OF_MONTH} customers do not count. Here that \
                 leaves out {}, with their customers: {}.",
                count_words(small.len() as u64, "month"),
                small.join(", ")
            ))
        })
    }
}

fn table_of_folds(by_fold: &[Vec<Option<f64>>]) -> Part {
    let folds = by_fold.first().map_or(0, Vec::len);
    let mut head = vec!["repeat".to_owned()];
    head.extend((1..=folds).map(|fold| format!(">fold {fold}")));
    let row = |(at, folds): (usize, &Vec<Option<f64>>)| {
        let cells = folds.iter().map(|auc| auc.map_or_else(|| "-".to_owned(), |auc| format!("{auc:.4}")));
        std::iter::once((at + 1).to_string()).chain(cells).collect()
    };
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    table(&head, by_fold.iter().enumerate().map(row).collect())
}

/// The shares of customers and of bad ones after each tenth. The cumulative lift is the second divided by the first.
fn points_of_gains(gains: &[GainBand]) -> Vec<[f64; 2]> {
    let point = |band: &GainBand| {
        let (bads, lift) = (band.cumulative_bad_share?, band.cumulative_lift?);
        (lift > 0.0).then(|| [bads / lift, bads])
    };
    std::iter::once([0.0, 0.0]).chain(gains.iter().filter_map(point)).collect()
}

fn table_of_gains(gains: &[GainBand], rows_head: &str) -> Part {
    let or_none = |value: Option<f64>, show: fn(f64) -> String| value.map_or_else(|| "-".to_owned(), show);
    let row = |band: &GainBand| {
        vec![
            band.band.to_string(),
            band.n.to_string(),
            band.bad.to_string(),
            format_percent(band.bad_rate),
            or_none(band.cumulative_bad_share, format_percent),
            or_none(band.lift, |lift| format!("{lift:.2}")),
            or_none(band.ks, |ks| format!("{ks:.3}")),
        ]
    };
    let head = [">tenth", rows_head, ">bad", ">bad rate", ">bad so far", ">lift", ">KS"];
    table(&head, gains.iter().map(row).collect())
}

fn present_paragraph(both: BesidePresent) -> Part {
    Part::Paragraph(format!(
        "The score in force, on the {} customers where it is known, has AUC {:.4}, and the proposal {:.4}: a \
         difference of {:+.4} (95% by DeLong: {:+.4} to {:+.4}). If the score in force was made from these loans, its \
         figure is too good.",
        both.rows, both.present, both.proposal, both.difference, both.low, both.high
    ))
}

fn calibration_parts(found: &Calibration, rows_head: &str) -> Vec<Part> {
    let mut rows = vec![
        vec!["expected bad rate".to_owned(), format_percent(found.mean_predicted)],
        vec!["bad rate".to_owned(), format_percent(found.bad_rate)],
        vec!["Brier score".to_owned(), format!("{:.5}", found.brier)],
        vec!["expected calibration error".to_owned(), format!("{:.4}", found.expected_calibration_error)],
    ];
    if let Some(test) = &found.hosmer_lemeshow {
        let (degrees, p) = (test.degrees_of_freedom, test.p);
        rows.push(vec![
            "Hosmer-Lemeshow".to_owned(),
            format!("{:.2} with {degrees} degrees of freedom, p {p:.4}", test.statistic),
        ]);
    }
    if let LogisticFit::Fitted(fit) = &found.logistic {
        rows.push(vec![
            "calibration slope and intercept".to_owned(),
            format!("{:.3}, {:.3}", fit.slope, fit.intercept),
        ]);
    }
    let point = |bin: &CalibrationBin| ReliabilityPoint {
        said: bin.mean_predicted,
        came: bin.observed,
        low: bin.interval.low,
        high: bin.interval.high,
    };
    let row = |bin: &CalibrationBin| {
        let interval = format!("{} to {}", format_percent(bin.interval.low), format_percent(bin.interval.high));
        vec![
            bin.bin.to_string(),
            bin.n.to_string(),
            format_percent(bin.mean_predicted),
            format_percent(bin.observed),
            interval,
        ]
    };
    vec![
        Part::Paragraph("Chances of customers that no model saw, in tenths, and what came of them.".to_owned()),
        table(&["figure", ">value"], rows),
        Part::Curve(ReliabilityCurve { points: found.bins.iter().map(point).collect() }),
        table(&[">tenth", rows_head, ">expected", ">bad rate", ">95%"], found.bins.iter().map(row).collect()),
    ]
}

fn row_of_month(one: &MonthMeasured) -> Vec<String> {
    let (auc, interval) = one.auc.map_or_else(
        || ("-".to_owned(), "-".to_owned()),
        |auc| (format!("{:.3}", auc.auc), format!("{:.3} to {:.3}", auc.low, auc.high)),
    );
    let (rows, bads) = (one.rows.to_string(), one.bads.to_string());
    vec![
        format_month(one.month),
        rows,
        bads,
        format_percent(one.bad_rate),
        format_percent(one.said_bad_rate),
        auc,
        interval,
    ]
}

fn later_parts(later: &LaterTest) -> Vec<Part> {
    let auc = later.auc.map_or_else(
        || "not known: there is one outcome only".to_owned(),
        |auc| format!("{:.4} (95%: {:.4} to {:.4})", auc.auc, auc.low, auc.high),
    );
    let ks = later.ks.map_or_else(|| "-".to_owned(), |ks| format!("{ks:.4}"));
    let rows = [
        ("customers", later.rows.to_string()),
        ("bad", later.bads.to_string()),
        ("bad rate", format_percent(later.bad_rate)),
        ("expected bad rate", format_percent(later.said_bad_rate)),
        ("AUC of points", auc),
        ("KS", ks),
        ("PSI of scores against those learned from", format!("{:.4}", later.psi)),
    ];
    let rows = rows.map(|(what, value)| vec![what.to_owned(), value]).to_vec();
    let mut parts =
        vec![Part::Heading("Later loans, kept for the test".to_owned()), table(&["figure", ">value"], rows)];
    parts.extend(later.beside_present.map(present_paragraph));
    parts
}
