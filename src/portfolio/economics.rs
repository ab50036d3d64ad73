//! What lending earns and costs, as people declare it: `lgd=0.6,margin=0.12`. Nothing of it is estimated.

use crate::base::money::{AmountUnit, Currency, parse_amount};
use crate::portfolio::statistics::profit::{Economics, Income};

/// Declared economics.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// As formulas take it.
    pub economics: Economics,
    /// How long a loan is funded.
    pub years: f64,
    /// Which amount is lent.
    pub amount: LentAmount,
    /// As declared.
    written: Vec<(String, String)>,
}

/// The amount that profit is counted on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LentAmount {
    /// The greatest offer of the policy; the amount of the outcome for customers without an offer.
    #[default]
    Offered,
    /// The `amount` of the outcome, whatever the policy offers.
    Lent,
}

impl LentAmount {
    /// The amount for a customer, in minor units, if one is known.
    pub fn choose(self, offered: Option<i64>, lent: Option<i64>) -> Option<i64> {
        match self {
            LentAmount::Offered => offered.or(lent),
            LentAmount::Lent => lent,
        }
    }
}

/// The names that may be declared, with what they are.
const NAMES: [(&str, &str); 7] = [
    ("lgd", "the share of the amount that a bad loan loses"),
    ("margin", "what a good loan earns, as a share of the amount"),
    ("funding", "what money costs a year, as a share of the amount"),
    ("years", "for how many years a loan is funded"),
    ("application", "what each application costs, in major units"),
    ("loan", "what each loan costs, in major units"),
    ("amount", "`offered`, the policy's greatest offer, or `lent`, the amount of the outcome"),
];

impl Declared {
    /// Reads `name=value` pairs, separated by commas.
    ///
    /// # Errors
    /// In words, if a name or a value is wrong, or `lgd` or `margin` is missing.
    pub fn parse(text: &str, currency: &Currency) -> Result<Declared, String> {
        let mut written: Vec<(String, String)> = Vec::new();
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').ok_or_else(|| format!("`{pair}` is no NAME=VALUE"))?;
            let (name, value) = (name.trim(), value.trim());
            if !NAMES.iter().any(|(known, _)| *known == name) {
                let known: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
                return Err(format!("there is no `{name}`; declare some of {}", known.join(", ")));
            }
            if written.iter().any(|(known, _)| known == name) {
                return Err(format!("`{name}` is declared twice"));
            }
            written.push((name.to_owned(), value.to_owned()));
        }
        let of = |name: &str| written.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let number = |name: &str| match of(name) {
            None => Ok(None),
            Some(value) => match value.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Some(number)),
                _ => Err(format!("`{name}={value}` is no number")),
            },
        };
        let asked = |name: &str| {
            let what = NAMES.iter().find(|(known, _)| *known == name).map_or("", |(_, what)| what);
            number(name)?.ok_or_else(|| format!("`{name}` is missing: {what}"))
        };
        let amount = |name: &str| match of(name) {
            None => Ok(0),
            Some(value) => parse_amount(value.as_bytes(), AmountUnit::Major, currency.exponent())
                .map_err(|_| format!("`{name}={value}` is no amount of money")),
        };
        let economics = Economics {
            loss_given_default: asked("lgd")?,
            income: Income::Margin(asked("margin")?),
            funding_rate: number("funding")?.unwrap_or(0.0),
            cost_per_application: amount("application")?,
            cost_per_loan: amount("loan")?,
        };
        economics.check().map_err(|error| error.to_string())?;
        let years = number("years")?.unwrap_or(1.0);
        if !(0.0..=100.0).contains(&years) {
            return Err(format!("`years={years}` is not between 0 and 100"));
        }
        let amount = match of("amount") {
            None | Some("offered") => LentAmount::Offered,
            Some("lent") => LentAmount::Lent,
            Some(other) => return Err(format!("`amount={other}` is neither `offered` nor `lent`")),
        };
        Ok(Declared { economics, years, amount, written })
    }

    /// Whether the amount was declared.
    pub fn says_amount(&self) -> bool {
        self.written.iter().any(|(name, _)| name == "amount")
    }

    /// Every figure, also those that were not declared.
    pub fn in_words(&self) -> Vec<(String, String)> {
        let default = |name: &str| if name == "years" { "1" } else { "0" };
        let value = |name: &str| {
            let written = self.written.iter().find(|(known, _)| known == name);
            written.map_or(default(name).to_owned(), |(_, value)| value.clone())
        };
        let figures = NAMES.iter().filter(|(name, _)| *name != "amount");
        figures.map(|(name, _)| ((*name).to_owned(), value(name))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Declared, String> {
        Declared::parse(text, &Currency::from_numeric("566").expect("the naira"))
    }

    #[test]
    fn economics_are_declared_by_name() {
        let declared = parse("lgd=0.6, margin=0.12,loan=150.50").expect("economics");
        assert_eq!((declared.economics.loss_given_default, declared.economics.cost_per_loan), (0.6, 15_050));
        assert_eq!(declared.in_words()[3], ("years".to_owned(), "1".to_owned()));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, wrong) in [
            ("lgd=0.6", "`margin` is missing: what a good loan earns, as a share of the amount"),
            ("lgd=60,margin=0.1", "loss_given_default"),
            ("lgd=0.6,margin=x", "`margin=x` is no number"),
            ("lgd=0.6,lgd=0.7,margin=0.1", "`lgd` is declared twice"),
            ("rate=1", "there is no `rate`; declare some of lgd, margin, funding, years, application, loan, amount"),
            ("lgd", "`lgd` is no NAME=VALUE"),
            ("lgd=0.6,margin=0.1,loan=1.234", "`loan=1.234` is no amount of money"),
            ("lgd=0.6,margin=0.1,amount=wanted", "`amount=wanted` is neither `offered` nor `lent`"),
            ("lgd=0.6,margin=0.1,years=-1", "`years=-1` is not between 0 and 100"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains(wrong), "{text}: {error}");
        }
    }
}
