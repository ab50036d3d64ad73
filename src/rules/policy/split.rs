//! Champion and challenger: which of two policies decides on a customer. For a salt, a customer is always on the same
//! side, whatever else is in the batch.

use serde::{Deserialize, Serialize};

use crate::base::diagnostic::Diagnostic;
use crate::base::digest::Hasher;
use crate::rules::check::symbols::symbol::{Checked, Reported};
use crate::rules::syntax::front::Challenger as Written;

/// Which of two policies decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arm {
    /// The policy itself.
    Champion,
    /// The one on trial.
    Challenger,
}

/// How customers are split.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    share: f64,
    salt: String,
}

impl Split {
    pub(in crate::rules) fn new(written: &Written, diagnostics: &mut Vec<Diagnostic>) -> Checked<Split> {
        let share = written.share.value().parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
        let Some(share) = share else {
            let message = format!("`{}` is not a share of the customers", written.share.value());
            let wrong = Diagnostic::error("policy", written.share.span(), message);
            diagnostics.push(wrong.help("write a number from 0 (none) to 1 (all), such as 0.10"));
            return Err(Reported);
        };
        if written.salt.value().is_empty() {
            let wrong = Diagnostic::error("policy", written.salt.span(), "the salt is empty");
            diagnostics.push(
                wrong.help("use a new word for each trial, such as \"2026-q4\", so that each draws its own customers"),
            );
            return Err(Reported);
        }
        Ok(Split { share, salt: written.salt.value().to_owned() })
    }

    /// The share of customers that the challenger decides on, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// The side of a customer. Without a customer the side could not be stable, so the champion decides.
    pub fn arm(&self, customer: Option<&str>) -> Arm {
        match customer {
            Some(customer) if self.place(customer) < self.share => Arm::Challenger,
            _ => Arm::Champion,
        }
    }

    /// The place of a customer, evenly distributed from 0 to below 1. Raising the share moves nobody back to the
    /// champion.
    fn place(&self, customer: &str) -> f64 {
        let mut hasher = Hasher::new();
        hasher.update(b"challenger\n").update(&(self.salt.len() as u64).to_le_bytes());
        let digest = hasher.update(self.salt.as_bytes()).update(customer.as_bytes()).finish();
        let [a, b, c, d, e, f, g, h, ..] = *digest.as_bytes();
        // A float holds 53 bits.
        (u64::from_le_bytes([a, b, c, d, e, f, g, h]) >> 11) as f64 / (1u64 << 53) as f64
    }
}
