//! Items over time: how far they moved, whether their bins keep their bad rates, and their weights their signs.

use super::ModelDocument;
use super::parts::{Part, table};
use crate::portfolio::learning::{RefittedWeight, bin_as_rule_cell};
use crate::portfolio::model_evidence::{
    BinInPeriod, ItemInPeriod, ItemOverPeriods, PeriodRows, RefittedPart, StabilityByPeriod,
};
use crate::report::portfolio::numbers::format_percent;

impl ModelDocument<'_> {
    pub(super) fn parts_over_time(&self, found: &StabilityByPeriod) -> Vec<Part> {
        let period = found.length.word();
        let mut parts = vec![
            Part::Heading(format!("Items by {period}")),
            Part::Paragraph(format!(
                "Against the rows learned from; loans that were kept for the test count in their {period}. The sign \
                 holds if the weight is above 0 on both halves of time and on every {period} with enough bad and good \
                 customers, and perhaps not if it is below by less than two standard errors."
            )),
            summary_of_items(found),
            Part::Heading("Weights fitted again".to_owned()),
            Part::Paragraph(
                "The same items with the same bins, on a part of the rows: the weight and its standard error. Parts \
                 with fewer than 20 bad or good customers, or 5 for each item, are not fitted."
                    .to_owned(),
            ),
            self.table_of_weights(found),
        ];
        for (item, over) in self.proposal.items.iter().zip(&found.items) {
            let cells: Vec<String> = item.rows.iter().map(|row| bin_as_rule_cell(&row.bin.holds)).collect();
            parts.push(Part::Heading(format!("{} by {period}: shares of bins", item.name)));
            parts.push(table_of_shares(&cells, &found.periods, over, [period, self.rows_head()]));
            parts.push(Part::Heading(format!("{} by {period}: bad rates with 95% intervals", item.name)));
            parts.push(table_of_rates(&cells, &found.periods, over, period));
        }
        parts
    }

    /// A row for each part, a column for each item.
    fn table_of_weights(&self, found: &StabilityByPeriod) -> Part {
        let mut head = vec!["part".to_owned(), self.rows_head().to_owned(), ">bad".to_owned()];
        head.extend(self.proposal.items.iter().map(|item| format!(">{} {}", item.code, item.name)));
        let weight = |one: &RefittedWeight| format!("{:.2} \u{b1} {:.2}", one.weight, one.standard_error);
        let items = self.proposal.items.len();
        let row = |part: &RefittedPart| {
            let mut row = vec![part.name.clone(), part.rows.to_string(), part.bads.to_string()];
            match &part.weights {
                Some(weights) => row.extend(weights.iter().map(weight)),
                None => row.extend(vec!["-".to_owned(); items]),
            }
            row
        };
        let all = self.proposal.items.iter().map(|item| {
            let error = item.certainty.map_or_else(|| "-".to_owned(), |sure| format!("{:.2}", sure.standard_error));
            format!("{:.2} \u{b1} {error}", item.weight)
        });
        let learned = ["learned from".to_owned(), self.proposal.rows.to_string(), self.proposal.bads.to_string()];
        let rows = std::iter::once(learned.into_iter().chain(all).collect()).chain(found.refitted.iter().map(row));
        table(&head.iter().map(String::as_str).collect::<Vec<&str>>(), rows.collect())
    }
}

fn summary_of_items(found: &StabilityByPeriod) -> Part {
    let row = |item: &ItemOverPeriods| {
        let largest = item.largest_psi(&found.periods);
        let largest =
            largest.map_or_else(|| "-".to_owned(), |(at, psi)| format!("{psi:.3} ({})", found.periods[at].name));
        let aucs = item.periods.iter().zip(&found.periods).filter_map(|(one, period)| Some((one.auc?.auc, period)));
        let worst = aucs.min_by(|a, b| a.0.total_cmp(&b.0));
        let worst = worst.map_or_else(|| "-".to_owned(), |(auc, period)| format!("{auc:.3} ({})", period.name));
        vec![item.metric.clone(), largest, worst, item.sign_holds.words().to_owned()]
    };
    table(&["item", ">largest PSI", ">lowest AUC", "sign holds"], found.items.iter().map(row).collect())
}

fn table_of_shares(
    cells: &[String],
    periods: &[PeriodRows],
    over: &ItemOverPeriods,
    [period, rows_head]: [&str; 2],
) -> Part {
    let row = |(rows, one): (&PeriodRows, &ItemInPeriod)| {
        let auc =
            one.auc.map_or_else(|| "-".to_owned(), |auc| format!("{:.3} ({:.3} to {:.3})", auc.auc, auc.low, auc.high));
        let head = [rows.name.clone(), rows.rows.to_string(), format!("{:.3}", one.psi), auc];
        head.into_iter().chain(one.bins.iter().map(|bin| format_percent(bin.share))).collect()
    };
    let head = [period.to_owned(), rows_head.to_owned(), ">PSI".to_owned(), ">AUC (95%)".to_owned()];
    table_of_periods(head.to_vec(), cells, periods.iter().zip(&over.periods).map(row).collect())
}

fn table_of_rates(cells: &[String], periods: &[PeriodRows], over: &ItemOverPeriods, period: &str) -> Part {
    let rate = |bin: &BinInPeriod| match (bin.bad_rate, bin.interval) {
        (Some(rate), Some([low, high])) => {
            format!("{} ({} to {})", format_percent(rate), format_percent(low), format_percent(high))
        }
        _ => "-".to_owned(),
    };
    let row = |(rows, one): (&PeriodRows, &ItemInPeriod)| {
        let head = [rows.name.clone(), rows.bads.to_string()];
        head.into_iter().chain(one.bins.iter().map(rate)).collect()
    };
    let head = vec![period.to_owned(), ">bad".to_owned()];
    table_of_periods(head, cells, periods.iter().zip(&over.periods).map(row).collect())
}

fn table_of_periods(mut head: Vec<String>, cells: &[String], rows: Vec<Vec<String>>) -> Part {
    // A cell such as `>= 5` begins as the title of a column of numbers does.
    head.extend(cells.iter().map(|cell| format!("> {cell}")));
    table(&head.iter().map(String::as_str).collect::<Vec<&str>>(), rows)
}
