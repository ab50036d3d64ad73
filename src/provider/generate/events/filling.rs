//! Chooses a form of a narration, as the bank of the statement writes, and fills its gaps.

use std::borrow::Cow;

use super::scene::Scene;
use crate::provider::generate::calendar::month_name;
use crate::provider::generate::market::{Names, NarrationForm, Worded};

/// What the gaps of a form are filled with. What a form does not mention stays empty.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Words<'a> {
    /// The other side: a person, a firm, a shop, a lender.
    pub(crate) party: &'a str,
    /// The code of the other side's bank.
    pub(crate) bank: &'a str,
    /// What is written on it.
    pub(crate) remark: &'a str,
    /// A city, or how a card's narration ends.
    pub(crate) place: &'a str,
    pub(crate) telco: &'a str,
    /// Digits that were drawn before the form.
    pub(crate) digits: &'a str,
    /// A month by its index.
    pub(crate) month: i32,
    /// In kobo; printed in whole units of the market.
    pub(crate) amount: i64,
    /// The number of a loan, and of an instalment.
    pub(crate) number: i64,
    pub(crate) part: i32,
}

impl Scene<'_> {
    /// The narration by one of the forms; empty if the bank has none.
    pub(crate) fn narrate(&mut self, forms: &'static [NarrationForm], words: &Words<'_>) -> String {
        self.choose_form(forms, words.party, 0).map(|form| self.fill_form(form.text, words)).unwrap_or_default()
    }

    /// Whether the bank has a form in a list.
    pub(crate) fn has_form<T: Worded>(&self, list: &'static [T]) -> bool {
        self.closest_forms(list, "").any(|one| one.form().weight > 0)
    }

    /// One of a list that is meant for the bank and the party, by weight. `None` by the weight `others`, or if the
    /// list has none. Nothing is drawn where only one is possible.
    pub(crate) fn choose_form<T: Worded>(
        &mut self,
        list: &'static [T],
        party: &str,
        others: u32,
    ) -> Option<&'static T> {
        let (count, total) = self
            .closest_forms(list, party)
            .fold((0, 0), |(count, total), one| (count + 1, total + u64::from(one.form().weight)));
        if others == 0 && count < 2 {
            return self.closest_forms(list, party).next();
        }
        let left = self.draw.below(total + u64::from(others));
        self.form_at_weight(list, party, left)
    }

    /// The one of a list at a place among the summed weights.
    pub(crate) fn form_at_weight<T: Worded>(
        &self,
        list: &'static [T],
        party: &str,
        mut left: u64,
    ) -> Option<&'static T> {
        self.closest_forms(list, party).find(|one| {
            let weight = u64::from(one.form().weight);
            let is_here = left < weight;
            left = left.saturating_sub(weight);
            is_here
        })
    }

    /// Those of a list that are meant most closely for the bank of the statement and the party.
    pub(crate) fn closest_forms<T: Worded>(&self, list: &'static [T], party: &str) -> impl Iterator<Item = &'static T> {
        let home = self.home_bank().code;
        let closest = list.iter().map(|one| one.form().closeness(home, party)).max().unwrap_or(0);
        list.iter().filter(move |one| closest > 0 && one.form().closeness(home, party) == closest)
    }

    /// Fills the gaps of a form.
    pub(crate) fn fill_form(&mut self, form: &str, words: &Words<'_>) -> String {
        let mut text = String::with_capacity(form.len() + 40);
        let mut parts = form.split('{');
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let (gap, plain) = part.split_once('}').unwrap_or((part, ""));
            self.fill_gap(&mut text, gap, words);
            text.push_str(plain);
        }
        text
    }

    fn fill_gap(&mut self, text: &mut String, gap: &str, words: &Words<'_>) {
        if let Some(count) = gap.strip_prefix('#') {
            text.push_str(&self.draw.digits(count.parse().unwrap_or(0)));
            return;
        }
        let mut parts = gap.split(':');
        let mut value = self.value_of_gap(parts.next().unwrap_or_default(), words);
        for how in parts {
            value = Cow::Owned(reshape_value(&value, how, &self.facts().names));
        }
        text.push_str(&value);
    }

    fn value_of_gap<'w>(&mut self, name: &str, words: &Words<'w>) -> Cow<'w, str>
    where
        Self: 'w,
    {
        let facts = self.facts();
        let bank = || facts.banks.iter().find(|bank| bank.code == words.bank);
        let text: &str = match name {
            "party" => words.party,
            "bank" => words.bank,
            "remark" => words.remark,
            "place" => words.place,
            "telco" => words.telco,
            "digits" => words.digits,
            "bank_words" => bank().map_or(words.bank, |bank| bank.words),
            "home" => self.home_bank().words,
            "month" => month_name(words.month),
            "city" => self.draw.pick(facts.cities),
            "shop" => self.draw.pick(facts.firms.shops),
            _ => return Cow::Owned(self.made_value_of_gap(name, words)),
        };
        Cow::Borrowed(text)
    }

    fn made_value_of_gap(&mut self, name: &str, words: &Words<'_>) -> String {
        match name {
            "me" => self.person.name.clone(),
            "mark" => {
                let bank = self.facts().banks.iter().find(|bank| bank.code == words.bank);
                bank.map(|bank| self.fill_form(bank.mark, words)).unwrap_or_default()
            }
            "code" => format!("{:06}", 100_000 + sum_of_letters(words.party) % 900_000),
            "year" => words.month.div_euclid(12).to_string(),
            "m" => (words.month.rem_euclid(12) + 1).to_string(),
            "mm" => format!("{:02}", words.month.rem_euclid(12) + 1),
            "yy" => format!("{:02}", words.month.div_euclid(12) % 100),
            "amount" => (self.facts().scale.minor_of(words.amount) / 100).to_string(),
            "number" => format!("{:04}", words.number),
            "part" => words.part.to_string(),
            // A test finds it in the narration.
            unknown => format!("{{{unknown}}}"),
        }
    }
}

/// A value as a gap wants it.
fn reshape_value(value: &str, how: &str, names: &Names) -> String {
    match how {
        "title" => to_title_case(value),
        "lower" => value.to_lowercase(),
        "upper" => value.to_uppercase(),
        "glued" => value.replace(' ', ""),
        "short" => initial_and_family_name(value, names),
        "handle" => payment_handle(value),
        count => value.chars().take(count.parse().unwrap_or(usize::MAX)).collect(),
    }
}

/// `MARCH` as `March`.
fn to_title_case(words: &str) -> String {
    words
        .split(' ')
        .map(|part| part.chars().take(1).chain(part.chars().skip(1).flat_map(char::to_lowercase)).collect::<String>())
        .collect::<Vec<_>>()
        .join(" ")
}

/// `T OKONJO` of `TIMI OKONJO`. Other names stay as they are.
fn initial_and_family_name(name: &str, names: &Names) -> String {
    let words: Vec<&str> = name.split(' ').collect();
    match words[..] {
        [given, .., family] if names.given.contains(&given) || names.trap_given.contains(&given) => {
            format!("{} {family}", given.get(..1).unwrap_or(given))
        }
        _ => name.to_owned(),
    }
}

/// `timi.o` of `TIMI OKONJO`.
fn payment_handle(name: &str) -> String {
    let lower = name.to_lowercase();
    match lower.split_once(' ') {
        Some((first, rest)) => format!("{first}.{}", rest.get(..1).unwrap_or_default()),
        None => lower,
    }
}

/// The same for a name for ever, as a till's number is.
fn sum_of_letters(name: &str) -> u64 {
    name.bytes().fold(11_u64, |sum, byte| sum.wrapping_mul(131).wrapping_add(u64::from(byte)))
}
