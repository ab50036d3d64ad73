//! How well flags agree with labels, as text. Knows nothing of how scores are made.

use crate::base::money::{Currency, Money};
use crate::base::text::{escape_terminal, group_thousands};
use crate::portfolio::{Example, FlagScore, Scores};

const HEADINGS: [&str; 9] =
    ["flag", "true", "flagged", "right", "unknown", "precision", "recall", "precision (money)", "recall (money)"];

/// A table of the flags, then their first mistakes.
pub(super) fn format_flag_scores(scores: &Scores, currency: &Currency) -> String {
    let count = |count: usize| group_thousands(&count.to_string(), ',');
    let mut text = format!(
        "{} of {} records have a label; money is {}\n\n",
        count(scores.labelled),
        count(scores.records),
        currency.alphabetic()
    );
    let rows: Vec<[String; 9]> = std::iter::once(HEADINGS.map(str::to_owned))
        .chain(scores.flags.iter().map(|flag| {
            let counts = [flag.truth, flag.flagged, flag.right, flag.unknown].map(count);
            let shares =
                [flag.precision, flag.recall, flag.money.precision, flag.money.recall].map(format_share_or_dash);
            let [one, two, three, four] = counts;
            let [five, six, seven, eight] = shares;
            [flag.flag.clone(), one, two, three, four, five, six, seven, eight]
        }))
        .collect();
    let widths: [usize; 9] = std::array::from_fn(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0));
    for row in &rows {
        let mut line = format!("{:<width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(widths).skip(1) {
            line += &format!("  {cell:>width$}");
        }
        text += &format!("{line}\n");
    }
    for flag in &scores.flags {
        let (wrong, missed) = (flag.flagged - flag.right, flag.truth - flag.right);
        text += &format_flag_mistakes(flag, "flagged, and should not be", wrong, &flag.wrong, currency);
        text += &format_flag_mistakes(flag, "not flagged, and should be", missed, &flag.missed, currency);
    }
    text
}

fn format_share_or_dash(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}"))
}

fn format_flag_mistakes(flag: &FlagScore, what: &str, count: usize, shown: &[Example], currency: &Currency) -> String {
    if shown.is_empty() {
        return String::new();
    }
    let of_labels = escape_terminal(&flag.labels);
    let mut text = format!("\n{} ({of_labels}): {count} {what}\n", flag.flag);
    for example in shown {
        let shown = |text: &Option<String>| escape_terminal(text.as_deref().unwrap_or("-")).into_owned();
        let amount = |minor: Option<i64>, side: &str| {
            let minor = minor.filter(|minor| *minor != 0)?;
            Some(format!("{} {side}", Money::from_minor(minor).display(currency)))
        };
        let amount = amount(example.credit, "in").or(amount(example.debit, "out")).unwrap_or_default();
        let day = example.trans_date.map(|day| day.to_string()).unwrap_or_default();
        let whose = format!("{} {}", shown(&example.customer), shown(&example.id));
        text += &format!("  {day}  {amount:>18}  {}  {whose}\n", shown(&example.desc));
        text +=
            &format!("      label {}; policy: {}\n", escape_terminal(&example.label), escape_terminal(&example.why));
    }
    text
}
