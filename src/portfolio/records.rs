//! The records of a case in a short form, and the statement that they make.

use serde::Deserialize;
use serde_json::json;

use crate::base::date::Day;

/// One record (`on`), or a repeated one (`from`, `times`, `every`). Amounts are in major units, as text or number.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseRecord {
    /// The day of one record.
    pub on: Option<String>,
    /// The first day of several.
    pub from: Option<String>,
    /// The number of repetitions.
    pub times: Option<u32>,
    /// `month`, `week`, or a number of days.
    pub every: Option<Every>,
    /// Money in.
    pub credit: Option<Amount>,
    /// Money out.
    pub debit: Option<Amount>,
    /// The balance after the record.
    pub balance: Option<Amount>,
    /// The narration.
    pub desc: Option<String>,
    /// The notes' topics.
    #[serde(default)]
    pub topics: Vec<String>,
}

/// The interval of a repeated record.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Every {
    /// A number of days.
    Days(u32),
    /// `week` or `month`.
    Word(String),
}

/// An amount in major units.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Amount {
    /// A whole number in TOML.
    Whole(i64),
    /// A decimal in TOML, printed with the shortest digits that mean the number.
    Decimal(f64),
    /// Text, exact to the last digit.
    Text(String),
}

impl Amount {
    fn text(&self) -> String {
        match self {
            Amount::Whole(whole) => whole.to_string(),
            Amount::Decimal(decimal) => decimal.to_string(),
            Amount::Text(text) => text.clone(),
        }
    }
}

impl CaseRecord {
    /// The days of its records.
    fn days(&self) -> Result<Vec<Day>, String> {
        let day =
            |text: &str| Day::parse_iso(text).ok_or_else(|| format!("`{text}` is not a day; write it as 2026-06-30"));
        match (&self.on, &self.from, self.times, &self.every) {
            (Some(on), None, None, None) => Ok(vec![day(on)?]),
            (None, Some(from), Some(times), Some(every)) => {
                let first = day(from)?;
                (0..times).map(|time| every.after(first, time)).collect()
            }
            _ => Err("a record needs `on`, or `from`, `times` and `every`".to_owned()),
        }
    }
}

impl Every {
    /// The day of repetition `time`, counted from 0. Days past the end of a month become its last day.
    fn after(&self, first: Day, time: u32) -> Result<Day, String> {
        let days = match self {
            Every::Days(days) => Some(*days),
            Every::Word(word) if word == "week" => Some(7),
            Every::Word(word) if word == "month" => None,
            Every::Word(word) => return Err(format!("`every = \"{word}\"`: month, week or a number of days")),
        };
        let too_late = || "records go beyond the year 2200".to_owned();
        let Some(days) = days else {
            let (year, month, day) = first.ymd();
            let months = i64::from(month) - 1 + i64::from(time);
            let year = i32::try_from(i64::from(year) + months / 12).map_err(|_| too_late())?;
            let month = (months % 12) as u32 + 1;
            return (0..4).find_map(|less| Day::from_ymd(year, month, day.checked_sub(less)?)).ok_or_else(too_late);
        };
        let later = i64::from(first.days()) + i64::from(days) * i64::from(time);
        i32::try_from(later).ok().and_then(Day::checked_from_days).ok_or_else(too_late)
    }
}

/// Builds a statement of the customer `case` from these records, in the provider's JSON.
pub(crate) fn build_case_statement<'e>(entries: impl IntoIterator<Item = &'e CaseRecord>) -> Result<String, String> {
    let mut records = Vec::new();
    for entry in entries {
        for day in entry.days()? {
            let amount = |amount: &Option<Amount>| amount.as_ref().map(Amount::text);
            records.push(json!({
                "id": format!("r{:06}", records.len()),
                "customer": "case",
                "trans_date": day.to_string(),
                "credit": amount(&entry.credit),
                "debit": amount(&entry.debit),
                "balance": amount(&entry.balance),
                "notes": {"desc": entry.desc, "topics": entry.topics},
            }));
        }
    }
    Ok(json!({"status": "success", "data": {"transactions": records}}).to_string())
}
