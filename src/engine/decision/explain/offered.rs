//! Explains the offers of one decision, step by step. Computes nothing itself: each figure is one that the offer was
//! made from.

use super::explanation::{Due, Figure, Making, Named, OfferExplained, Step};
use super::numbers::Numbers;
use super::subexpressions;
use crate::base::date::Day;
use crate::base::pricing::{FeeMode, Method, Price};
use crate::engine::decision::Outcome;
use crate::engine::decision::format;
use crate::engine::decision::offers::{OfferResult, record_offer};
use crate::engine::decision::record::OfferRecord;
use crate::rules::graph::NodeId;
use crate::rules::names::Sort;
use crate::rules::program::{OfferRule, Value};
use crate::rules::references::{Expression, References};
use crate::rules::{AprRate, Type};

pub(super) fn explain_offers(numbers: &mut Numbers) -> Vec<OfferExplained> {
    let case = numbers.case;
    let making = if case.outcome() == Outcome::Offer { Making::Made } else { Making::WouldBeMade };
    let rules = case.policy.program.offers.iter();
    rules.zip(case.offers()).map(|(rule, result)| explain_offer(numbers, rule, result, making)).collect()
}

/// `making` is the state of an offer that has a price.
fn explain_offer(numbers: &mut Numbers, rule: &OfferRule, result: OfferResult, making: Making) -> OfferExplained {
    let case = numbers.case;
    let mut steps = amount_steps(numbers, rule);
    let mut schedule = Vec::new();
    let (making, summary) = match &result {
        OfferResult::Offer(offer, price) => {
            let record = record_offer(case.policy, rule, offer.as_ref().clone(), price, case.given_day());
            steps.extend(price_steps(numbers, rule, &record, price));
            steps.extend(annual_steps(numbers, rule, &record, price));
            schedule = due(price, record.due_dates.as_deref());
            let (amount, fee, payable) =
                (money(numbers, offer.amount_offered), money(numbers, offer.fee), money(numbers, offer.amount_payable));
            let method = rule.method.name();
            let header = case.policy.header();
            let apr = match header.apr_rate {
                AprRate::Nominal => record.apr,
                AprRate::Effective => record.effective_rate,
            };
            let name = &header.apr_name;
            let apr = apr.map_or_else(|| format!("no {name}"), |apr| format!("{name} {apr:.2} %"));
            let summary = format!(
                "{} at {} % {method}, fee {}, repay {}, {apr}",
                amount.text, offer.interest, fee.text, payable.text
            );
            (making, summary)
        }
        OfferResult::NotMade(why) => (Making::NotMade, format!("not made, {why}")),
        OfferResult::Unknown(what, reason) => {
            steps.extend(terms_steps(numbers, rule));
            let code = reason.code(&case.policy.program);
            (Making::Unknown, format!("not made, its {what} is unknown ({code})"))
        }
    };
    let (names, parameters) = named(numbers, rule);
    OfferExplained {
        id: rule.id.clone(),
        tenure: rule.tenure,
        tenure_unit: case.policy.header.tenure_unit.to_string(),
        making,
        summary,
        steps,
        schedule,
        numbers: names,
        parameters,
    }
}

/// The numbers and parameters that an offer's expressions use.
fn named(numbers: &mut Numbers, rule: &OfferRule) -> (Vec<String>, Vec<Named>) {
    let (mut names, mut references) = (Vec::new(), References::default());
    for expression in rule.texts.all() {
        expression.references.parameters.iter().for_each(|name| references.note(Sort::Parameter, name));
        // The fee is computed from the amount, whose numbers are already added.
        if rule.texts.fee.as_ref().is_some_and(|fee| std::ptr::eq(fee, expression)) {
            continue;
        }
        for name in numbers.add_used_by(&expression.references, expression.node) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    (names, numbers.parameters(&references))
}

/// The steps to the amount: the computed amount, its bounds, the requested amount, the step, the floor.
fn amount_steps(numbers: &Numbers, rule: &OfferRule) -> Vec<Step> {
    let (texts, amounts) = (&rule.texts.amount, &rule.amount_steps);
    let mut steps = Steps::new(numbers, rule);
    steps.written("when", rule.texts.when.as_ref());
    steps.with_parts("amount", &texts.amount);
    texts.caps.iter().for_each(|cap| steps.with_parts("no more than", cap));
    if let Some(limit) = &texts.limit {
        steps.with_parts("exposure limit", limit);
        texts.existing.iter().for_each(|existing| steps.with_parts("owed already", existing));
        steps.node("room under the exposure limit", "", amounts.exposure);
    }
    texts.asked.iter().for_each(|asked| steps.with_parts("asked for", asked));
    steps.written("in steps of", texts.step.as_ref());
    steps.written("no less than", texts.floor.as_ref());
    let figure = |node: NodeId| numbers.case.value(node).ok().and_then(|value| value.rational());
    let (amount, lendable) = (figure(rule.amount), figure(amounts.lendable.unwrap_or(rule.amount)));
    if amounts.asked.is_some() || amount != figure(texts.amount.node) {
        let is_rounded = amounts.asked.is_none() && lendable != amount;
        steps.node(
            "resulting amount",
            if is_rounded { "rounded down to the smallest coin" } else { "" },
            Some(rule.amount),
        );
    }
    steps.all
}

/// The terms that a price would need, if there is none.
fn terms_steps(numbers: &Numbers, rule: &OfferRule) -> Vec<Step> {
    let mut steps = Steps::new(numbers, rule);
    steps.written("instalments", rule.texts.instalments.as_ref());
    let mut percent = numbers.figure(rule.interest);
    if !percent.value.is_null() {
        percent.text += " %";
    }
    steps.add("rate per instalment period", rule.texts.interest.text.clone(), percent);
    steps.written("fee", rule.texts.fee.as_ref());
    steps.all
}

struct Steps<'n, 't, 'a> {
    numbers: &'n Numbers<'t, 'a>,
    /// The names that the offer itself gives to its expressions.
    names: Vec<(NodeId, &'static str)>,
    all: Vec<Step>,
}

impl<'n, 't, 'a> Steps<'n, 't, 'a> {
    fn new(numbers: &'n Numbers<'t, 'a>, rule: &OfferRule) -> Self {
        let own = [(rule.instalments, "instalments"), (rule.amount, "amount"), (rule.interest, "interest")];
        let is_computed = |node: NodeId| !numbers.case.policy.program.graph.node(node).inputs.is_empty();
        let nothing = References::default();
        let names =
            own.into_iter().filter(|(node, _)| is_computed(*node) && numbers.name(*node, &nothing).is_none()).collect();
        Self { numbers, names, all: Vec::new() }
    }

    fn add(&mut self, what: &str, how: String, figure: Figure) {
        self.all.push(Step { what: what.to_owned(), how, figure });
    }

    fn node(&mut self, what: &str, how: &str, node: Option<NodeId>) {
        if let Some(node) = node {
            self.add(what, how.to_owned(), self.numbers.figure(node));
        }
    }

    fn written(&mut self, what: &str, expression: Option<&Expression>) {
        if let Some(expression) = expression {
            self.node(what, &expression.text, Some(expression.node));
        }
    }

    /// Adds the parts of the expression first.
    fn with_parts(&mut self, what: &str, whole: &Expression) {
        for (text, part) in subexpressions::find_subexpressions(self.numbers, whole, &self.names) {
            self.add("part", text, self.numbers.figure(part));
        }
        self.written(what, Some(whole));
    }
}

/// The steps to the price, in figures.
fn price_steps(numbers: &Numbers, rule: &OfferRule, offer: &OfferRecord, price: &Price) -> Vec<Step> {
    let shown = |minor: i64| money(numbers, minor).text;
    let (terms, periods) = (price.terms(), price.terms().instalments);
    let (principal, rate) = (shown(terms.principal_minor), format!("{} %", terms.rate));
    let mut steps = Steps::new(numbers, rule);
    steps.written("instalments", rule.texts.instalments.as_ref());
    let percent = Figure::exact(offer.interest, rate.clone());
    steps.add("rate per instalment period", rule.texts.interest.text.clone(), percent);
    let how = match (rule.method, periods) {
        (_, 1) => format!("{principal} x {rate}"),
        (Method::Flat, _) => format!("{principal} x {rate} x {periods} periods"),
        (Method::Reducing, _) => format!("{rate} per period on what is still owed, over {periods} periods"),
        (Method::Bullet, _) => format!("{rate} per period, added to what is owed, over {periods} periods"),
    };
    steps.add("interest", how, money(numbers, price.interest_minor()));
    if let Some(fee) = &rule.texts.fee {
        steps.add("fee", fee.text.clone(), money(numbers, terms.fee_minor));
    }
    let (interest, fee) = (shown(price.interest_minor()), shown(terms.fee_minor));
    let (how, paid_out) = match terms.fee_mode {
        FeeMode::Added => (format!("{principal} + {interest} + {fee}"), "the whole amount".to_owned()),
        FeeMode::Deducted => {
            (format!("{principal} + {interest}; the fee is taken off what is paid out"), format!("{principal} - {fee}"))
        }
    };
    steps.add("repay", how, money(numbers, price.amount_payable_minor()));
    steps.add("paid out", paid_out, money(numbers, price.disbursed_minor()));
    let payments = price.schedule().count();
    let how = match payments {
        1 => "one payment".to_owned(),
        many => format!("the largest of {many} payments, without the fee"),
    };
    steps.add("instalment", how, money(numbers, price.instalment_minor()));
    let expires = offer.expiry_date.get(..10).unwrap_or(&offer.expiry_date);
    let how = format!("as_of + {} days", rule.valid_for_days);
    steps.add("open until", how, Figure::exact(offer.expiry_date.clone(), expires.to_owned()));
    steps.all
}

/// The steps from the payments to the rates of a year.
fn annual_steps(numbers: &Numbers, rule: &OfferRule, offer: &OfferRecord, price: &Price) -> Vec<Step> {
    let header = &numbers.case.policy.header;
    let mut steps = Steps::new(numbers, rule);
    let tenure = price.tenure(rule.tenure, header.tenure_unit);
    let (how, figure) = match offer.due_dates.as_deref() {
        Some([first, .., last]) => (
            format!("{} payments, one per {}", offer.instalments, tenure.period_in_words()),
            format!("{first} to {last}"),
        ),
        Some([only]) => (format!("as_of + {} {}", rule.tenure, header.tenure_unit), only.to_string()),
        _ if numbers.case.given_day().is_none() => {
            (String::new(), "unknown, because the decision has no given day".to_owned())
        }
        _ => (String::new(), format!("unknown, because {} have no calendar day", tenure.period_in_words())),
    };
    // Null if unknown, like every other figure.
    let days = offer.due_dates.as_ref().map(|days| days.iter().map(Day::to_string).collect::<Vec<_>>());
    steps.add("due", how, Figure::exact(days, figure));
    // The name that the law gives is that of one of the two.
    let (nominal, effective) = match header.apr_rate {
        AprRate::Nominal => (header.apr_name.as_str(), "effective rate"),
        AprRate::Effective => ("nominal rate", header.apr_name.as_str()),
    };
    match price.annual_cost(rule.tenure, header.tenure_unit) {
        Ok(cost) => {
            let percent = |percent: f64| Figure::exact(percent, format!("{percent:.2} %"));
            let paid_with = match price.terms() {
                terms if terms.fee_minor > 0 && terms.fee_mode == FeeMode::Added => " (the fee with the first)",
                _ => "",
            };
            steps.add(
                nominal,
                format!("12 x the monthly rate at which the payments{paid_with} are worth what is paid out"),
                percent(cost.apr()),
            );
            steps.add(effective, "the same with interest on interest".to_owned(), percent(cost.effective()));
        }
        Err(why) => {
            steps.add(&header.apr_name, why.to_string(), Figure::exact(serde_json::Value::Null, "none".to_owned()))
        }
    }
    steps.all
}

fn due(price: &Price, days: Option<&[Day]>) -> Vec<Due> {
    let one = |(at, due): (usize, crate::base::pricing::Instalment)| Due {
        period: due.number,
        day: days.and_then(|days| days.get(at).copied()),
        payment: due.payment_minor,
        interest: due.interest_minor,
        principal: due.principal_minor,
        balance: due.balance_minor,
    };
    price.schedule().enumerate().map(one).collect()
}

fn money(numbers: &Numbers, minor: i64) -> Figure {
    let value = Ok(Value::Int(minor));
    Figure::exact(minor, format::for_people(numbers.case.policy, Type::MONEY, &value))
}
