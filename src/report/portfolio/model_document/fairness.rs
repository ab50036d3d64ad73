//! Groups, limits, and what to watch.

use super::ModelDocument;
use super::parts::{Part, Section, count_words, table};
use crate::portfolio::learning::BinShape;
use crate::portfolio::model_evidence::{GroupMeasured, GroupsOfColumn};
use crate::report::portfolio::numbers::{format_percent, percent_or_none};

/// With fewer people, figures of a group are mostly chance.
const SMALL_GROUP: u64 = 30;

/// So many groups of a column are shown at most.
const MOST_GROUPS: usize = 30;

impl ModelDocument<'_> {
    pub(super) fn fairness(&self) -> Section {
        let mut parts = Vec::new();
        if self.evidence.groups.is_empty() {
            parts.push(Part::Paragraph(
                "Not measured: no protected column was named. `--attributes FILE --protected COLUMN` does that."
                    .to_owned(),
            ));
        }
        if !self.evidence.groups.is_empty() {
            parts.extend(self.repeats_paragraph());
        }
        self.evidence.groups.iter().for_each(|column| parts.extend(parts_of_column(column, self.rows_head())));
        Section { title: "Fairness", topic: "Bias and equal treatment; Regulation B, 12 CFR 1002.6", parts }
    }

    pub(super) fn limits(&self) -> Section {
        let proposal = self.proposal;
        let mut limits = vec![
            "It was learned from customers who got a loan. How the declined would have repaid is not known.".to_owned(),
            "It does not know how the metrics were thought of. If they were chosen by these outcomes, every figure is \
             too good."
                .to_owned(),
            self.limit_of_choices(),
        ];
        if proposal.bads < 100 {
            let bads = count_words(proposal.bads, "bad customer");
            limits.push(format!("It was learned from only {bads}: the intervals are wide."));
        }
        if proposal.settings.bins.shape == BinShape::Even {
            limits.push(
                "Points follow ranks and not the bad rates of single bins, which would be mostly chance.".to_owned(),
            );
        }
        if proposal.screened.iter().all(|one| one.stability.is_none()) {
            limits.push("Stability over time was not checked.".to_owned());
        }
        if proposal.later.is_none() {
            limits.push("It was not tested on later loans.".to_owned());
        }
        if self.evidence.groups.is_empty() {
            limits.push("No group of people was looked at.".to_owned());
        }
        for one in proposal.screened.iter().filter(|one| proposal.items.iter().any(|item| item.name == one.name)) {
            limits.extend(one.warning.as_ref().map(|warning| format!("{}: {warning}.", one.name)));
        }
        Section { title: "Limits", topic: "Limitations", parts: vec![Part::List(limits)] }
    }

    pub(super) fn monitoring(&self) -> Section {
        let screen = &self.proposal.settings.screen;
        let steps = vec![
            format!("PSI of the score and of each item by month; {} and more needs a look.", screen.unstable_psi),
            "AUC of new loans when their outcomes are known, against the interval in this document.".to_owned(),
            "The bad rate by tenth of the score, against the calibration in this document.".to_owned(),
            "Approvals and errors by group, where a protected column is known.".to_owned(),
            "Overrides by people, with their reasons.".to_owned(),
            "The JSON of this document has every held-out score with its fold, and the score of every later loan, so \
             all figures can be computed again."
                .to_owned(),
        ];
        Section {
            title: "Monitoring, and how to redo the figures",
            topic: "Ongoing monitoring",
            parts: vec![Part::List(steps)],
        }
    }
}

fn parts_of_column(column: &GroupsOfColumn, rows_head: &str) -> Vec<Part> {
    let shown = largest_groups(&column.groups);
    let calibration = |group: &&GroupMeasured| {
        let auc = group.auc.map_or_else(|| "-".to_owned(), |auc| format!("{auc:.3}"));
        let (rows, bads) = (group.rows.to_string(), group.bads.to_string());
        let rate = format_percent(group.bad_rate);
        vec![name_of_group(group), rows, bads, rate, format_percent(group.said_bad_rate), auc]
    };
    let proxies = column.proxies.iter().map(|one| vec![one.metric.clone(), format!("{:.3}", one.association)]);
    vec![
        Part::Heading(format!("Groups of {}", column.column)),
        Part::Paragraph(what_reads_column(column)),
        Part::Paragraph(which_groups_are_shown(column, shown.len())),
        table(&["group", rows_head, ">bad", ">bad rate", ">expected", ">AUC"], shown.iter().map(calibration).collect()),
        Part::Paragraph(
            "If the best share of everybody were approved. The ratio is to the reference: of the groups with at least \
             2% of the customers, the one with the highest share of approvals. Below 0.8 the four-fifths rule (29 CFR \
             1607.4) asks for a reason; where the interval reaches 0.8, it may be chance."
                .to_owned(),
        ),
        table_of_approvals(&shown),
        Part::Paragraph(
            "How well each item tells the group (Cramer's V, from 0 to 1): a strong one may be a proxy.".to_owned(),
        ),
        table(&["item", ">association"], proxies.collect()),
    ]
}

/// The groups with the most customers, by name.
fn largest_groups(groups: &[GroupMeasured]) -> Vec<&GroupMeasured> {
    let mut shown: Vec<&GroupMeasured> = groups.iter().collect();
    let is_reference = |group: &GroupMeasured| group.approvals.iter().any(|approval| approval.is_reference);
    shown.sort_by_key(|group| (!is_reference(group), std::cmp::Reverse(group.rows)));
    shown.truncate(MOST_GROUPS);
    shown.sort_by(|a, b| a.group.cmp(&b.group));
    shown
}

fn name_of_group(group: &GroupMeasured) -> String {
    format!("{}{}", group.group, if group.rows < SMALL_GROUP { " (small)" } else { "" })
}

fn what_reads_column(column: &GroupsOfColumn) -> String {
    let name = &column.column;
    match column.read_by.as_slice() {
        [] => format!("No item of the scorecard reads a metric, an input or a column that is named `{name}`."),
        items => format!(
            "The scorecard reads it: of its items, {} {} computed from a metric, an input or a column that is named \
             `{name}`.",
            items.join(", "),
            if items.len() == 1 { "is" } else { "are" }
        ),
    }
}

fn which_groups_are_shown(column: &GroupsOfColumn, shown: usize) -> String {
    let has = if column.unknown == 1 { "has" } else { "have" };
    let mut words = format!(
        "By scores held out. {} {has} no group. Values with fewer than {SMALL_GROUP} customers are one group.",
        count_words(column.unknown, "customer")
    );
    if shown < column.groups.len() {
        words += &format!(" The {shown} largest of {} groups are shown; the JSON has all.", column.groups.len());
    }
    words
}

fn table_of_approvals(groups: &[&GroupMeasured]) -> Part {
    let mut approvals = Vec::new();
    for group in groups {
        for approval in &group.approvals {
            let flag = if approval.ratio < 0.8 && group.rows >= SMALL_GROUP { ", below 0.8" } else { "" };
            let interval = approval.ratio_interval;
            let interval = interval.map_or(String::new(), |[low, high]| format!(" ({low:.2} to {high:.2})"));
            let ratio = match approval.is_reference {
                true => "reference".to_owned(),
                false => format!("{:.3}{interval}{flag}", approval.ratio),
            };
            approvals.push(vec![
                format_percent(approval.approved_of_all),
                name_of_group(group),
                format_percent(approval.approved),
                ratio,
                percent_or_none(approval.goods_declined),
                percent_or_none(approval.bads_approved),
            ]);
        }
    }
    approvals.sort_by(|a, b| a[0].cmp(&b[0]));
    table(&[">approved of all", "group", ">approved", ">ratio", ">good declined", ">bad approved"], approvals)
}
