//! Checks `[[offer]]` with `[exposure]` and `[ask]`, and makes the nodes that compute an offer's amount. Prices
//! nothing.

use crate::base::diagnostic::{Diagnostic, Span};
use crate::base::pricing::{Method, TenureUnit};
use crate::base::rational::{Rational, Rounding};
use crate::rules::check::checker::Checker;
use crate::rules::check::operands::align::{adapt, add, same_repr, to_rational, warn_of_approximate_money};
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::nodes::Nodes;
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Reported, Typed};
use crate::rules::graph::{Grain, NodeId, Op};
use crate::rules::program::{AmountSteps, AmountTexts, Asking, OfferRule, OfferTexts};
use crate::rules::references::Expression;
use crate::rules::syntax::ast;
use crate::rules::syntax::file::RuleFile;
use crate::rules::syntax::judgement::{Ask, Exposure, Offer};
use crate::rules::syntax::source::Text;
use crate::rules::types::{Repr, Type, Unit};
use crate::rules::value::Value;

/// What all offers of a policy share.
#[derive(Default)]
struct SharedTerms {
    /// The headroom under the exposure limit.
    headroom: Option<Headroom>,
    asked: Option<(Typed, Expression)>,
}

/// The amount that may still be lent, and the texts that it comes from.
struct Headroom {
    left: Typed,
    limit: Expression,
    existing: Option<Expression>,
}

/// Checks every offer, and what they share.
pub(in crate::rules) fn check_all_offers(
    checker: &mut Checker,
    files: &[RuleFile],
) -> Checked<(Vec<OfferRule>, Asking)> {
    let shared_terms = shared_terms(checker, files);
    let mut failed = shared_terms.is_err();
    let (shared_terms, asking) = shared_terms.unwrap_or_default();
    let mut offers: Vec<OfferRule> = Vec::new();
    for written in files.iter().flat_map(|file| &file.offers) {
        checker.spaces.enter(written.span);
        for tenure in &written.tenures {
            let Ok(offer) = check_offer_at_tenure(checker, written, tenure, &shared_terms) else {
                failed = true;
                continue;
            };
            if offers.iter().any(|known| (&known.id, known.tenure) == (&offer.id, offer.tenure)) {
                let message = format!("the offer `{}` for tenure {} is already defined", offer.id, offer.tenure);
                let diagnostic = Diagnostic::error("shadowing", tenure.span(), message);
                checker.mistakes.push(diagnostic.help("id and tenure together identify an offer: change one of them"));
                failed = true;
            }
            offers.push(offer);
        }
    }
    if failed { Err(Reported) } else { Ok((offers, asking)) }
}

/// Checks `[exposure]` and `[ask]`, which a policy may have once each.
fn shared_terms(checker: &mut Checker, files: &[RuleFile]) -> Checked<(SharedTerms, Asking)> {
    let exposure =
        only_one(&mut checker.mistakes, files.iter().filter_map(|file| file.exposure.as_ref()), |at| at.limit.span());
    let ask = only_one(&mut checker.mistakes, files.iter().filter_map(|file| file.ask.as_ref()), |at| at.span);
    let headroom = exposure.map(|exposure| {
        checker.spaces.enter(exposure.limit.span());
        check_exposure_headroom(checker, exposure)
    });
    let asked = ask.map(|ask| {
        checker.spaces.enter(ask.span);
        check_requested_terms(checker, ask)
    });
    let (headroom, asked) = (headroom.transpose(), asked.transpose());
    let (headroom, asked) = (headroom?, asked?);
    let (amount, tenure) = asked.unwrap_or_default();
    let asking = Asking { amount: amount.as_ref().map(|(amount, _)| amount.node), tenure };
    Ok((SharedTerms { headroom, asked: amount }, asking))
}

/// The first of several. Reports the others.
fn only_one<'f, T>(
    mistakes: &mut Mistakes,
    mut all: impl Iterator<Item = &'f T>,
    place: impl Fn(&T) -> Span,
) -> Option<&'f T> {
    let first = all.next();
    for other in all {
        let message = "there is already one in another file";
        mistakes.push(Diagnostic::error("shadowing", place(other), message).help("keep one of them"));
    }
    first
}

/// The amount that may still be lent to a customer who owes `existing`.
fn check_exposure_headroom(checker: &mut Checker, written: &Exposure) -> Checked<Headroom> {
    checker.spaces.enter(written.limit.span());
    let limit = written_money(checker, &written.limit, ExpressionContext::STATEMENT);
    let existing =
        written.existing.as_ref().map(|text| written_money(checker, text, ExpressionContext::STATEMENT)).transpose();
    let ((limit, limit_text), existing) = (limit?, existing?);
    let Some((owed, existing_text)) = existing else {
        return Ok(Headroom { left: limit, limit: limit_text, existing: None });
    };
    let (limit, owed) = same_repr(&mut checker.nodes, limit, owed);
    let ty = limit.ty;
    let left = add(&mut checker.nodes, Op::Arithmetic(ast::Binary::Subtract), &[limit, owed], ty);
    Ok(Headroom { left, limit: limit_text, existing: Some(existing_text) })
}

type RequestedTerms = (Option<(Typed, Expression)>, Option<NodeId>);

fn check_requested_terms(checker: &mut Checker, written: &Ask) -> Checked<RequestedTerms> {
    checker.spaces.enter(written.span);
    if written.amount.is_none() && written.tenure.is_none() {
        let help = "such as amount = \"request.amount\"";
        return checker
            .mistakes
            .report(Diagnostic::error("missing-key", written.span, "`[ask]` asks for nothing").help(help));
    }
    let amount =
        written.amount.as_ref().map(|text| written_money(checker, text, ExpressionContext::STATEMENT)).transpose();
    let tenure = written.tenure.as_ref().map(|text| {
        let typed = checker.expression(text, ExpressionContext::STATEMENT)?;
        let unit = checker.terms.tenure_unit();
        let fits = match typed.ty.unit {
            Unit::Days => true,
            Unit::Months => unit == TenureUnit::Months,
            unit => unit.is_plain(),
        };
        if !typed.ty.is_numeric() || !fits {
            let found = crate::rules::types::describe_type(typed.ty);
            let message = format!("a tenure is a number of {}, but this is {found}", unit.name());
            let help = format!(
                "the policy counts tenures in {0}, so declare the field as \"count\", or change `tenure_unit`",
                unit.name()
            );
            return checker.mistakes.report(Diagnostic::error("type", text.span(), message).help(help));
        }
        if typed.ty.unit == Unit::Days && unit != TenureUnit::Days {
            let message = format!("days are requested here, and the policy counts tenures in {}", unit.name());
            let help = "declare the field as \"count\", in the unit of the policy, or change `tenure_unit`";
            let warning = Diagnostic::warning("tenure", text.span(), message).label("days").help(help);
            checker.mistakes.push(warning);
        }
        Ok(checker.nodes.at_least(typed, Grain::Statement))
    });
    Ok((amount?, tenure.transpose()?))
}

/// An expression that must give money, one value per statement.
fn check_money_expression(checker: &mut Checker, text: &Text, context: ExpressionContext) -> Checked<Typed> {
    let typed = checker.expression(text, context)?;
    let typed = adapt(&mut checker.operands(), typed, Unit::Money, text.span())?;
    if typed.ty.unit != Unit::Money || !typed.ty.is_numeric() {
        let message = format!("this must be money, but it is {}", crate::rules::types::describe_type(typed.ty));
        return checker.mistakes.report(Diagnostic::error("type", text.span(), message));
    }
    let node = checker.nodes.at_least(typed, Grain::Statement);
    Ok(checker.nodes.typed(node))
}

/// As [`check_money_expression`], and keeps the text.
fn written_money(checker: &mut Checker, text: &Text, context: ExpressionContext) -> Checked<(Typed, Expression)> {
    let exact_money = |checker: &mut Checker, text: &Text| {
        let typed = check_money_expression(checker, text, context)?;
        warn_of_approximate_money(&mut checker.mistakes, typed.ty, text.span());
        Ok(to_exact(&mut checker.nodes, typed))
    };
    checker.written(text, exact_money, |typed| typed.node)
}

/// Checks one offer at one tenure.
fn check_offer_at_tenure(
    checker: &mut Checker,
    written: &Offer,
    tenure: &Text,
    shared_terms: &SharedTerms,
) -> Checked<OfferRule> {
    let tenure_value = tenure.value().parse::<u32>().ok().filter(|tenure| (1..=36_500).contains(tenure));
    if tenure_value.is_none() {
        let message = "a tenure is a whole number from 1 to 36,500";
        let help = "it is in the policy's `tenure_unit`: three months are 90 in days or 3 in months";
        checker.mistakes.push(Diagnostic::error("offer", tenure.span(), message).help(help));
    }
    let methods = [("flat", Method::Flat), ("reducing", Method::Reducing), ("bullet", Method::Bullet)];
    let method = checker.mistakes.read_word(written.method.as_ref(), &methods, Method::Flat);
    let context = ExpressionContext { method: Some(method), ..ExpressionContext::STATEMENT };
    let tenure_node =
        checker.nodes.literal(Value::Int(i64::from(tenure_value.unwrap_or(1))), checker.terms.tenure()).node;
    let mut scope = OfferScope { checker, names: Vec::new() };
    scope.name("tenure", tenure_node);
    let counted = written.instalments.as_ref().map(|text| scope.number(text, context, "instalments")).transpose();
    let instalments = match &counted {
        Ok(Some(counted)) => Ok(counted.node),
        Ok(None) => Ok(scope.checker.nodes.literal(Value::Int(1), Type::COUNT).node),
        Err(Reported) => Err(Reported),
    };
    scope.name_or("instalments", &instalments, Type::COUNT);
    let when = written
        .when
        .as_ref()
        .map(|when| scope.checker.written(when, |checker, when| checker.condition(when, context), |node| *node));
    let limited = limited_amount(scope.checker, written, context, shared_terms);
    scope.name_or("amount", &limited.as_ref().map(|(amount, ..)| *amount).map_err(|_| Reported), Type::MONEY);
    let interest = scope.number(&written.interest, context, "interest");
    scope.name_or("interest", &interest.as_ref().map(|of| of.node).map_err(|_| Reported), Type::NUMBER.with(Repr::Int));
    let fee = written.fee.as_ref().map(|fee| written_money(scope.checker, fee, context)).transpose();
    scope.close();
    let valid = written.valid_for_days.as_ref().map_or(Some(7), |days| days.value().parse::<u32>().ok());
    // An offer valid for no days expires when it is sent.
    let Some(valid_for_days) = valid.filter(|days| (1..=3_650).contains(days)) else {
        let span = written.valid_for_days.as_ref().map_or(written.span, Text::span);
        let message = "valid_for_days is a whole number of days, from 1 to 3,650";
        return checker.mistakes.report(Diagnostic::error("offer", span, message));
    };
    let (amount, amount_steps, amount_texts) = limited?;
    let (when, fee, interest) = (when.transpose()?.map(|(_, when)| when), fee?.map(|(_, fee)| fee), interest?);
    Ok(OfferRule {
        id: written.id.value().to_string(),
        tenure: tenure_value.ok_or(Reported)?,
        when: when.as_ref().map(|when| when.node),
        amount,
        amount_steps,
        interest: interest.node,
        instalments: instalments?,
        fee: fee.as_ref().map(|fee| fee.node),
        method,
        valid_for_days,
        part_payment: written.part_payment.unwrap_or(false),
        terms: written.terms.as_ref().map(|terms| terms.value().to_string()).unwrap_or_default(),
        texts: OfferTexts { when, amount: amount_texts, interest, instalments: counted?, fee },
        span: tenure.span(),
        interest_span: written.interest.span(),
    })
}

/// The amount, and the steps to it.
type LimitedAmount = (NodeId, AmountSteps, AmountTexts);

/// The amount: the policy's expression, limited by each cap and the exposure limit, rounded down to a step, and limited
/// by the requested amount. `decision/offers.rs` compares the result with the floor.
fn limited_amount(
    checker: &mut Checker,
    written: &Offer,
    context: ExpressionContext,
    shared_terms: &SharedTerms,
) -> Checked<LimitedAmount> {
    let checked_money = |checker: &mut Checker, text: &Text| written_money(checker, text, context);
    let uncapped = checked_money(checker, &written.amount);
    let caps: Vec<_> = written.caps.iter().map(|cap| checked_money(checker, cap)).collect();
    let step = written.step.as_ref().map(|step| (checked_money(checker, step), step.span()));
    let floor = written.floor.as_ref().map(|floor| checked_money(checker, floor)).transpose();
    let (mut lendable, amount) = uncapped?;
    let mut steps = AmountSteps { uncapped: Some(lendable.node), ..AmountSteps::default() };
    let caps = caps.into_iter().collect::<Checked<Vec<_>>>()?;
    let mut texts =
        AmountTexts { amount, caps: Vec::new(), limit: None, existing: None, asked: None, step: None, floor: None };
    for (cap, text) in caps {
        steps.caps.push(cap.node);
        texts.caps.push(text);
        lendable = add_least_node(&mut checker.nodes, lendable, cap);
    }
    if let Some(headroom) = &shared_terms.headroom {
        steps.exposure = Some(headroom.left.node);
        (texts.limit, texts.existing) = (Some(headroom.limit.clone()), headroom.existing.clone());
        lendable = add_least_node(&mut checker.nodes, lendable, headroom.left.clone());
    }
    let mut step_value = None;
    if let Some((step, span)) = step {
        let (step, text) = step?;
        steps.step = Some(step.node);
        (step_value, texts.step) =
            (Some(check_positive(&checker.nodes, &mut checker.mistakes, step, span)?), Some(text));
    }
    let unstepped = lendable.clone();
    lendable = rounded_to_step(&mut checker.nodes, lendable, step_value.as_ref());
    steps.lendable = Some(lendable.node);
    if let Some((floor, text)) = floor? {
        (steps.floor, texts.floor) = (Some(floor.node), Some(text));
    }
    let Some((asked, text)) = &shared_terms.asked else {
        return Ok((rounded_to_minor(&mut checker.nodes, lendable), steps, texts));
    };
    (steps.asked, texts.asked) = (Some(asked.node), Some(text.clone()));
    // Without a requested amount, as much as can be lent.
    let (asked, otherwise) = same_repr(&mut checker.nodes, asked.clone(), unstepped.clone());
    let ty = asked.ty;
    let wanted = add(&mut checker.nodes, Op::Coalesce, &[asked, otherwise], ty);
    let amount = add_least_node(&mut checker.nodes, unstepped, wanted);
    let amount = rounded_to_step(&mut checker.nodes, amount, step_value.as_ref());
    Ok((rounded_to_minor(&mut checker.nodes, amount), steps, texts))
}

/// Rounds to the smallest coin, because interest and fee are computed from the offered amount.
fn rounded_to_minor(nodes: &mut Nodes, amount: Typed) -> NodeId {
    if amount.ty == Type::MONEY {
        return amount.node;
    }
    let amount = to_rational(nodes, amount);
    let coin = nodes.literal(Value::Rational(Rational::ONE), amount.ty);
    add(nodes, Op::Round(Rounding::Down), &[amount, coin], Type::MONEY).node
}

/// As [`to_rational`], but whole money stays whole.
fn to_exact(nodes: &mut Nodes, amount: Typed) -> Typed {
    if amount.ty.repr == Repr::Float { to_rational(nodes, amount) } else { amount }
}

fn add_least_node(nodes: &mut Nodes, left: Typed, right: Typed) -> Typed {
    let (left, right) = same_repr(nodes, left, right);
    let ty = left.ty;
    add(nodes, Op::Least, &[left, right], ty)
}

fn rounded_to_step(nodes: &mut Nodes, amount: Typed, step: Option<&Typed>) -> Typed {
    let Some(step) = step else { return amount };
    let (amount, step) = (to_exact(nodes, amount), to_exact(nodes, step.clone()));
    let (amount, step) = same_repr(nodes, amount, step);
    add(nodes, Op::Round(Rounding::Down), &[amount, step], Type::MONEY)
}

/// A step written as a number must be above 0.
fn check_positive(nodes: &Nodes, mistakes: &mut Mistakes, step: Typed, span: Span) -> Checked<Typed> {
    let value = match nodes.node(step.node).op {
        Op::Spread => nodes.node(nodes.node(step.node).inputs[0]).op.clone(),
        ref op => op.clone(),
    };
    match value {
        Op::Int(minor) if minor <= 0 => {
            mistakes.report(Diagnostic::error("offer", span, "a step must be more than 0").help("such as step = 500"))
        }
        _ => Ok(step),
    }
}

/// The names that only an offer knows, removed afterwards.
struct OfferScope<'c, 'd> {
    checker: &'c mut Checker<'d>,
    names: Vec<&'static str>,
}

impl OfferScope<'_, '_> {
    fn name(&mut self, name: &'static str, node: NodeId) {
        self.checker.symbols.declare_for_offer(name, node);
        self.names.push(name);
    }

    /// Declares a name. If its value has a mistake, declares a placeholder of its type, so that only one is reported.
    fn name_or(&mut self, name: &'static str, node: &Checked<NodeId>, ty: Type) {
        let stand_in = |nodes: &mut Nodes| nodes.literal(Value::Int(1), ty).node;
        let node = node.as_ref().map_or_else(|_| stand_in(&mut self.checker.nodes), |node| *node);
        self.name(name, node);
    }

    fn close(self) {
        for name in self.names {
            self.checker.symbols.forget(name);
        }
    }

    fn number(&mut self, text: &Text, context: ExpressionContext, what: &str) -> Checked<Expression> {
        let number = |checker: &mut Checker, text: &Text| {
            let typed = checker.expression(text, context)?;
            if !typed.ty.is_numeric() || !(typed.ty.unit.is_plain()) {
                let message =
                    format!("`{what}` must be a number, but this is {}", crate::rules::types::describe_type(typed.ty));
                let wrong = Diagnostic::error("type", text.span(), message);
                let help = "write how many payments there are: instalments = 3, or \"CASE WHEN tenure <= 30 THEN 1 \
                            ELSE 3 END\"";
                let is_time = matches!(typed.ty.unit, Unit::Days | Unit::Months) && what == "instalments";
                return checker.mistakes.report(if is_time { wrong.help(help) } else { wrong });
            }
            Ok(checker.nodes.at_least(typed, Grain::Statement))
        };
        Ok(self.checker.written(text, number, |node| *node)?.1)
    }
}
