//! Which data the figures are of, what is bad there, and what was chosen by hand.

use super::ModelDocument;
use super::parts::{Part, count_words, table};
use crate::portfolio::learning::{MetricChoice, Settings};
use crate::portfolio::model_evidence::DocumentInput;

impl ModelDocument<'_> {
    /// The data, their period, and how bad is defined.
    pub(super) fn data_parts(&self) -> Vec<Part> {
        let source = &self.evidence.source;
        let digest = |input: &DocumentInput| match input.digest.is_empty() {
            true => "not digested".to_owned(),
            false => input.digest.clone(),
        };
        let row = |input: &DocumentInput| vec![input.role.clone(), input.name.clone(), digest(input)];
        let period = |days: &Option<[String; 2]>| match days {
            Some([first, last]) => format!("{first} to {last}"),
            None => "not known".to_owned(),
        };
        vec![
            table(&["data", "name", "digest"], source.inputs.iter().map(row).collect()),
            Part::Paragraph(format!(
                "First and last day of a loan with an outcome: {}. Observed up to: {}.",
                period(&source.loan_dates),
                period(&source.observed_until)
            )),
            Part::Paragraph(format!(
                "Bad is what {} of the outcomes says. How long after a loan that was found out, and from which \
                 arrears on a loan is bad, must be stated by those who made that table.",
                bad_column_words(&source.bad_column)
            )),
        ]
    }

    /// How many customers the rows are of, and how rows count.
    pub(super) fn rows_counted(&self) -> Option<String> {
        let proposal = self.proposal;
        let mut words = Vec::new();
        if proposal.customers < proposal.rows {
            words.push(format!(
                "The {} rows learned from are loans of {}. Folds never part the loans of a customer, and intervals \
                 count customers.",
                proposal.rows,
                count_words(proposal.customers, "customer")
            ));
        }
        if let Some(column) = &self.evidence.source.weight_column {
            words.push(format!(
                "Rows count by the column `{column}` of the outcomes, divided by its mean: in bins, weights, AUC, KS, \
                 PSI, correlations, gains, calibration, months and groups. Numbers of rows are not weighted, and the \
                 test of Hosmer and Lemeshow, which counts rows, is left out. Standard errors of weights are those of \
                 the sandwich."
            ));
        }
        (!words.is_empty()).then(|| words.join(" "))
    }

    /// What the analyst chose for single metrics.
    pub(super) fn chosen_parts(&self) -> Vec<Part> {
        let chosen = &self.proposal.settings.chosen;
        if chosen.is_empty() {
            return Vec::new();
        }
        let row = |(metric, choice): (&String, &MetricChoice)| {
            let why = choice.why.clone().unwrap_or_else(|| "not stated".to_owned());
            let what = MetricChoice { why: None, ..choice.clone() }.words();
            let one = self.proposal.screened.iter().find(|one| one.name == *metric);
            let became = one.map_or("-", |one| one.verdict.words());
            vec![metric.clone(), what, why, became.to_owned()]
        };
        vec![
            Part::Heading("What the analyst chose".to_owned()),
            table(&["metric", "choice", "reason", "verdict"], chosen.iter().map(row).collect()),
        ]
    }

    /// What was named by hand, for the table of settings.
    pub(super) fn rows_of_choices(&self) -> Vec<Vec<String>> {
        let source = &self.evidence.source;
        let chosen = &source.chosen;
        let names = |names: &[String]| if names.is_empty() { "-".to_owned() } else { names.join(", ") };
        let alone = if chosen.credits_alone { "yes" } else { "no" };
        let rows = [
            ("--only", names(&chosen.only)),
            ("--without", names(&chosen.without)),
            ("--keep", names(&chosen.keep)),
            ("metrics left out by --only and --without", chosen.left_out.to_string()),
            ("--credits-alone", alone.to_owned()),
            ("--weight-column", source.weight_column.clone().unwrap_or_else(|| "-".to_owned())),
            ("--test-after", source.test_after.clone().unwrap_or_else(|| "-".to_owned())),
        ];
        rows.map(|(what, value)| vec![what.to_owned(), value]).to_vec()
    }

    /// Which metrics were looked at.
    pub(super) fn choices_paragraph(&self) -> Part {
        let chosen = &self.evidence.source.chosen;
        let mut words = Vec::new();
        for (flag, names) in [("--only", &chosen.only), ("--without", &chosen.without), ("--keep", &chosen.keep)] {
            if !names.is_empty() {
                words.push(format!("`{flag}` names {}.", names.join(", ")));
            }
        }
        match words.is_empty() {
            true => words.push("No metric was named by `--only`, `--without` or `--keep`.".to_owned()),
            false => words.push(format!("That leaves {} out.", count_words(chosen.left_out, "metric"))),
        }
        if chosen.credits_alone {
            words.push("`--credits-alone` left out what needs debits or balances.".to_owned());
        }
        Part::Paragraph(words.join(" "))
    }

    /// What the choice of settings and metrics means for the figures.
    pub(super) fn limit_of_choices(&self) -> String {
        let (settings, usual) = (&self.proposal.settings, Settings::suited_to(self.proposal.bads as usize));
        let mut fit = settings.fit.clone();
        // More repeats are a better measure of the same model, and points are only a scale.
        fit.repeats = usual.fit.repeats;
        let is_usual = (&settings.bins, &settings.screen, &fit) == (&usual.bins, &usual.screen, &usual.fit);
        if self.evidence.source.chosen.is_by_hand() || !is_usual || !settings.chosen.is_empty() {
            return "Settings or metrics were chosen by hand; the sections on the method and on what was tried list \
                    them. What else was tried on these outcomes is not known here. If this is the best of several, its \
                    figures are too good: test it on later loans."
                .to_owned();
        }
        let but = if self.proposal.tried.is_empty() { "" } else { ", but for the penalty, which folds chose" };
        format!("Settings were not varied here{but}. Who tries several and takes the best must test on later loans.")
    }
}

/// The column of outcomes, or the column and its value that means bad, as `--bad-column` has it.
fn bad_column_words(named: &str) -> String {
    if named.contains('=') { format!("`--bad-column {named}`") } else { format!("the column `{named}`") }
}
