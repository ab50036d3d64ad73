//! What an analyst chose for single metrics: bins, special values, the direction of points, and whether it must be an
//! item. Checks that the choices fit the columns.

use std::collections::BTreeMap;

use serde::Serialize;

use super::input::{MetricColumn, Values};
use super::mistake::LearnError;
use super::settings::{BinSettings, Settings};

/// What an analyst chose for a metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MetricChoice {
    /// Its bins. Without them, bins are found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bins: Option<ChosenBins>,
    /// Numbers that mean something else than a quantity, as -1 for "never": each is a bin of its own, and takes
    /// part in no edge and in no trend.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub special: Vec<f64>,
    /// The direction in which points go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sign: Option<Sign>,
    /// Whether it is an item whatever the selection says. A leak is none all the same.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
    /// Why, for those who read the proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl MetricChoice {
    /// What was chosen, in words: `bins 25, 40, 60; points rise`.
    pub fn words(&self) -> String {
        let numbers = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<String>>().join(", ");
        let mut words = Vec::new();
        match &self.bins {
            Some(ChosenBins::Cuts(cuts)) => words.push(format!("cut at {}", numbers(cuts))),
            Some(ChosenBins::Groups(groups)) => {
                let groups: Vec<String> = groups.iter().map(|group| group.join(", ")).collect();
                words.push(format!("bins {}", groups.join(" / ")));
            }
            None => {}
        }
        if !self.special.is_empty() {
            words.push(format!("special values {}", numbers(&self.special)));
        }
        words.extend(self.sign.map(|sign| match sign {
            Sign::Rising => "points rise".to_owned(),
            Sign::Falling => "points fall".to_owned(),
            Sign::Any => "points may turn".to_owned(),
        }));
        if self.force {
            words.push("forced".to_owned());
        }
        let why = self.why.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
        format!("{}{why}", words.join("; "))
    }
}

/// Bins that were chosen.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ChosenBins {
    /// Of a number: where it is cut, ascending. A bin has the numbers from one cut to below the next.
    Cuts(Vec<f64>),
    /// Of a text: which texts share a bin, in order.
    Groups(Vec<Vec<String>>),
}

/// The direction of points along the values of a metric: numbers, texts in order, or false and true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// More is better.
    Rising,
    /// More is worse.
    Falling,
    /// Points may turn.
    Any,
}

impl Sign {
    /// Whether more must be better; `None` if points may turn.
    pub(super) fn more_is_better(self) -> Option<bool> {
        match self {
            Sign::Rising => Some(true),
            Sign::Falling => Some(false),
            Sign::Any => None,
        }
    }

    /// In a word, as in a file of choices.
    pub fn word(self) -> &'static str {
        match self {
            Sign::Rising => "rising",
            Sign::Falling => "falling",
            Sign::Any => "any",
        }
    }
}

/// So many bins may be chosen for a metric.
const MOST_BINS: usize = 100;

/// # Errors
/// If an order or a choice does not fit its column.
pub(super) fn check_all_choices(columns: &[MetricColumn], settings: &Settings) -> Result<(), LearnError> {
    check_declared_orders(columns, &settings.bins)?;
    for (metric, choice) in &settings.chosen {
        let wrong = |what: String| LearnError::Choice { metric: metric.clone(), what };
        let column = columns.iter().find(|column| column.name == *metric);
        let column = column.ok_or_else(|| wrong("no metric of this name is looked at".into()))?;
        let has_order = settings.bins.orders.contains_key(metric);
        check_one_choice(&column.values, choice, has_order).map_err(wrong)?;
    }
    Ok(())
}

fn check_one_choice(values: &Values, choice: &MetricChoice, has_order: bool) -> Result<(), String> {
    match (&choice.bins, values) {
        (None, _) => {}
        (Some(ChosenBins::Cuts(cuts)), Values::Number(_)) => check_cuts(cuts)?,
        (Some(ChosenBins::Groups(_)), Values::Text { .. }) if has_order => {
            return Err("it has both bins and an order; leave one out".into());
        }
        (Some(ChosenBins::Groups(groups)), Values::Text { words, .. }) => check_groups(groups, words)?,
        (Some(ChosenBins::Groups(_)), Values::Number(_)) => {
            return Err("its values are numbers: bins are the numbers where it is cut, as in [25, 40, 60]".into());
        }
        (Some(ChosenBins::Cuts(_)), Values::Text { .. }) => {
            return Err("its values are texts: bins are lists of texts, as in [[\"A\"], [\"B\", \"C\"]]".into());
        }
        (Some(_), Values::Boolean(_)) => return Err("it is true or false, which are its bins already".into()),
    }
    if !choice.special.is_empty() && !matches!(values, Values::Number(_)) {
        return Err("only numbers have special values; a text or a truth value is a bin already".into());
    }
    if let Some(wrong) = choice.special.iter().find(|one| !one.is_finite()) {
        return Err(format!("the special value {wrong} is not a number"));
    }
    if let Some((_, twice)) = choice.special.iter().enumerate().find(|(at, one)| choice.special[..*at].contains(one)) {
        return Err(format!("the special value {twice} is named twice"));
    }
    let has_no_order = matches!(values, Values::Text { .. }) && !has_order && choice.bins.is_none();
    if choice.sign.is_some() && has_no_order {
        return Err("its texts have no order that a sign could follow; give its bins, or an order".into());
    }
    Ok(())
}

fn check_cuts(cuts: &[f64]) -> Result<(), String> {
    if cuts.is_empty() || cuts.len() >= MOST_BINS {
        return Err(format!("bins need from 1 to {} cuts", MOST_BINS - 1));
    }
    if cuts.iter().any(|cut| !cut.is_finite()) {
        return Err("a cut is not a number".into());
    }
    match cuts.windows(2).find(|pair| pair[0] >= pair[1]) {
        Some(pair) => Err(format!("the cuts must ascend, and {} is not above {}", pair[1], pair[0])),
        None => Ok(()),
    }
}

fn check_groups(groups: &[Vec<String>], words: &[String]) -> Result<(), String> {
    if groups.len() < 2 || groups.len() > MOST_BINS || groups.iter().any(Vec::is_empty) {
        return Err(format!("bins need from 2 to {MOST_BINS} lists with a text each at least"));
    }
    let named: Vec<&String> = groups.iter().flatten().collect();
    if let Some((_, twice)) = named.iter().enumerate().find(|(at, text)| named[..*at].contains(text)) {
        return Err(format!("`{twice}` is in two places"));
    }
    let missing: Vec<&String> = words.iter().filter(|word| !named.contains(word)).collect();
    match missing.first() {
        Some(first) => {
            Err(format!("{} texts occur that its bins do not name, as `{first}`; name all of them", missing.len()))
        }
        None => Ok(()),
    }
}

/// # Errors
/// If an order is of no text metric, names a text twice, or leaves out one that occurs: its place is not known.
fn check_declared_orders(columns: &[MetricColumn], settings: &BinSettings) -> Result<(), LearnError> {
    for (metric, order) in &settings.orders {
        let wrong = |what: String| Err(LearnError::Order { metric: metric.clone(), what });
        let Some(column) = columns.iter().find(|column| column.name == *metric) else {
            return wrong("no metric of this name is looked at".into());
        };
        let Values::Text { words, .. } = &column.values else {
            return wrong("its values are not texts, and have an order already".into());
        };
        if let Some(twice) = order.iter().enumerate().find(|(at, text)| order[..*at].contains(text)) {
            return wrong(format!("`{}` is named twice", twice.1));
        }
        let missing: Vec<&String> = words.iter().filter(|word| !order.contains(word)).collect();
        if let Some(first) = missing.first() {
            let count = missing.len();
            return wrong(format!("{count} texts occur that it does not name, as `{first}`; name all of them"));
        }
    }
    Ok(())
}

/// What was chosen for a metric, or nothing.
pub(super) fn choice_of<'c>(chosen: &'c BTreeMap<String, MetricChoice>, metric: &str) -> &'c MetricChoice {
    const NOTHING: &MetricChoice =
        &MetricChoice { bins: None, special: Vec::new(), sign: None, force: false, why: None };
    chosen.get(metric).unwrap_or(NOTHING)
}
