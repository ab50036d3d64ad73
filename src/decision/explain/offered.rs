//! The offers of one decision, with their arithmetic step by step. Works out nothing itself: each figure is one that the offer was made
//! by.

use super::explanation::{Due, Figure, Making, OfferExplained, Step};
use super::inside;
use super::numbers::Numbers;
use crate::decision::offers::Made;
use crate::decision::say;
use crate::rules::Type;
use crate::rules::ir::NodeId;
use crate::rules::program::{OfferRule, Value};
use crate::wire::Offer;
use crate::words::pricing::{FeeMode, Method, Price};

pub(super) fn offers(numbers: &mut Numbers) -> Vec<OfferExplained> {
    let case = numbers.case;
    case.policy.program.offers.iter().zip(case.offers()).map(|(rule, made)| explained(numbers, rule, made)).collect()
}

fn explained(numbers: &mut Numbers, rule: &OfferRule, made: Made) -> OfferExplained {
    let mut steps = amount_steps(numbers, rule);
    let mut schedule = Vec::new();
    let (making, summary) = match &made {
        Made::Offer(offer, price) => {
            steps.extend(price_steps(numbers, rule, offer, price));
            schedule = due(price);
            let (amount, fee, payable) =
                (money(numbers, offer.amount_offered), money(numbers, offer.fee), money(numbers, offer.amount_payable));
            let method = rule.method.name();
            let said =
                format!("{} at {} % {method}, fee {}, repay {}", amount.text, offer.interest, fee.text, payable.text);
            (Making::Made, said)
        }
        Made::Not(why) => (Making::NotMade, format!("not made, {why}")),
        Made::Unknown(what, reason) => {
            let code = reason.code(&numbers.case.policy.program);
            (Making::Unknown, format!("not made, its {what} is unknown ({code})"))
        }
    };
    let (names, parameters) = named(numbers, rule);
    OfferExplained {
        id: rule.id.clone(),
        tenure: rule.tenure,
        tenure_unit: numbers.case.policy.header.tenure_unit.clone(),
        making,
        summary,
        steps,
        schedule,
        numbers: names,
        parameters,
    }
}

/// The numbers and parameters that an offer's own expressions name.
fn named(numbers: &mut Numbers, rule: &OfferRule) -> (Vec<String>, Vec<super::Named>) {
    let texts = &rule.texts;
    let mut all: Vec<(&str, NodeId)> = Vec::new();
    all.extend(texts.when.as_deref().zip(rule.when));
    all.extend(rule.limits.worked_out.map(|node| (texts.amount.as_str(), node)));
    all.extend(rule.limits.caps.iter().map(|(text, node)| (text.as_str(), *node)));
    all.push((&texts.interest, rule.interest));
    all.extend(texts.instalments.as_deref().map(|text| (text, rule.instalments)));
    let (mut names, mut parameters): (Vec<String>, Vec<super::Named>) = (Vec::new(), Vec::new());
    for (text, node) in all.iter().chain(&texts.fee.as_deref().zip(rule.fee)) {
        // The fee is worked out from the amount, whose numbers have been told.
        if !std::ptr::eq(*text, texts.fee.as_deref().unwrap_or_default()) {
            names.extend(numbers.of(text, *node).into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
        }
        let new = numbers.parameters(text);
        parameters.extend(
            new.into_iter().filter(|new| !parameters.iter().any(|known| known.name == new.name)).collect::<Vec<_>>(),
        );
    }
    (names, parameters)
}

/// How the amount comes about: what is worked out, its bounds, what was asked for, the step, the floor.
fn amount_steps(numbers: &Numbers, rule: &OfferRule) -> Vec<Step> {
    let limits = &rule.limits;
    let mut steps = Steps::new(numbers, rule);
    steps.node("when", rule.texts.when.as_deref().unwrap_or_default(), rule.when);
    steps.with_parts("amount", &rule.texts.amount, limits.worked_out);
    for (text, cap) in &limits.caps {
        steps.with_parts("no more than", text, Some(*cap));
    }
    steps.node("room under the exposure limit", "", limits.exposure);
    steps.node("asked for", "", limits.asked);
    steps.node("in steps of", "", limits.step);
    steps.node("no less than", "", limits.floor);
    let bounded = limits.asked.is_some() || limits.step.is_some() || limits.exposure.is_some();
    if bounded || !limits.caps.is_empty() {
        steps.node("so the amount is", "", Some(rule.amount));
    }
    steps.all
}

struct Steps<'n, 't, 'a> {
    numbers: &'n Numbers<'t, 'a>,
    /// What the offer itself gives a name.
    names: Vec<(NodeId, &'static str)>,
    all: Vec<Step>,
}

impl<'n, 't, 'a> Steps<'n, 't, 'a> {
    fn new(numbers: &'n Numbers<'t, 'a>, rule: &OfferRule) -> Self {
        let own = [(rule.instalments, "instalments"), (rule.amount, "amount"), (rule.interest, "interest")];
        let worked_out = |node: NodeId| !numbers.case.policy.program.graph.node(node).inputs.is_empty();
        let names = own.into_iter().filter(|(node, _)| worked_out(*node) && numbers.name(*node).is_none()).collect();
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

    /// What the expression is made of goes first.
    fn with_parts(&mut self, what: &str, how: &str, node: Option<NodeId>) {
        for (text, part) in node.map(|node| inside::parts(self.numbers, node, &self.names)).unwrap_or_default() {
            self.add("part", text, self.numbers.figure(part));
        }
        self.node(what, how, node);
    }
}

/// How the price comes about, in figures.
fn price_steps(numbers: &Numbers, rule: &OfferRule, offer: &Offer, price: &Price) -> Vec<Step> {
    let shown = |minor: i64| money(numbers, minor).text;
    let (terms, periods) = (price.terms(), price.terms().instalments);
    let (principal, rate) = (shown(terms.principal_minor), format!("{} %", terms.rate));
    let mut steps = Steps::new(numbers, rule);
    if let Some(text) = &rule.texts.instalments {
        steps.node("instalments", text, Some(rule.instalments));
    }
    let percent = Figure { value: offer.interest.into(), text: rate.clone() };
    steps.add("rate an instalment period", rule.texts.interest.clone(), percent);
    let how = match (rule.method, periods) {
        (_, 1) => format!("{principal} x {rate}"),
        (Method::Flat, _) => format!("{principal} x {rate} x {periods} periods"),
        (Method::Reducing, _) => format!("{rate} a period on what is still owed, over {periods} periods"),
        (Method::Bullet, _) => format!("{rate} a period, added to what is owed, over {periods} periods"),
    };
    steps.add("interest", how, money(numbers, price.interest_minor()));
    if let (Some(text), Some(_)) = (&rule.texts.fee, rule.fee) {
        steps.add("fee", text.clone(), money(numbers, terms.fee_minor));
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
    steps.add("open until", how, Figure { value: offer.expiry_date.clone().into(), text: expires.to_owned() });
    steps.all
}

fn due(price: &Price) -> Vec<Due> {
    let one = |due: crate::words::pricing::Instalment| Due {
        period: due.number,
        payment: due.payment_minor,
        interest: due.interest_minor,
        principal: due.principal_minor,
        balance: due.balance_minor,
    };
    price.schedule().map(one).collect()
}

fn money(numbers: &Numbers, minor: i64) -> Figure {
    let value = Ok(Value::Int(minor));
    Figure { value: minor.into(), text: say::words(numbers.case.policy, Type::MONEY, &value) }
}
