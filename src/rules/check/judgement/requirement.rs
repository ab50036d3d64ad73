//! Checks `[[require]]`: conditions and blocks of them, each lowered to one truth value. Decides nothing.

use crate::base::diagnostic::Diagnostic;
use crate::rules::check::checker::Checker;
use crate::rules::check::judgement::template::{check_template, note_compared};
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext};
use crate::rules::graph::{Grain, NodeId, Op};
use crate::rules::program::{Asked, Condition, Effect, Quota, Requirement};
use crate::rules::syntax::judgement::{Block, Condition as Written, Member, Quota as WrittenQuota, Require};
use crate::rules::types::Type;
use crate::rules::value::Value;

/// Deepest nesting of blocks.
const DEPTH_MAX: usize = 8;

/// Checks one requirement.
pub(in crate::rules) fn check_requirement(
    checker: &mut Checker,
    written: &Require,
    before: &[Requirement],
) -> Checked<Requirement> {
    if let Some(first) = before.iter().find(|requirement| requirement.id == written.id.value()) {
        let message = format!("the requirement `{}` is already defined", written.id.value());
        let diagnostic = Diagnostic::error("shadowing", written.id.span(), message).elsewhere(first.span);
        checker.mistakes.push(diagnostic.help("give it another id: a reason names its requirement by id"));
    }
    let (asked, references) = checker.collecting_references(|checker| check_condition(checker, &written.condition, 0));
    let effects = [("decline", Effect::Decline), ("refer", Effect::Refer)];
    let otherwise = checker.mistakes.read_word(written.otherwise.as_ref(), &effects, Effect::Decline);
    let effects = [("decline", Effect::Decline), ("refer", Effect::Refer), ("pass", Effect::Pass)];
    let unknown = checker.mistakes.read_word(written.unknown.as_ref(), &effects, Effect::Refer);
    let reason = check_template(checker, &written.reason);
    let (asked, mut reason) = (asked?, reason?);
    note_compared(&mut reason, checker.nodes.graph(), asked.node);
    Ok(Requirement {
        id: written.id.value().to_string(),
        title: written.title.as_ref().map(|title| title.value().trim().to_owned()),
        text: asked.to_string(),
        references,
        when: asked.node,
        asked,
        otherwise,
        unknown,
        reason,
        span: written.id.span(),
    })
}

fn check_condition(checker: &mut Checker, written: &Written, depth: usize) -> Checked<Asked> {
    match written {
        Written::When(text) => {
            let node = checker.condition(text, ExpressionContext::STATEMENT)?;
            Ok(Asked { what: Condition::When(text.value().to_string()), alone: node, node })
        }
        Written::Block(written) => check_condition_block(checker, written, depth),
    }
}

fn check_condition_block(checker: &mut Checker, written: &Block, depth: usize) -> Checked<Asked> {
    if depth > DEPTH_MAX {
        let message = format!("blocks are nested more than {DEPTH_MAX} deep");
        return checker.mistakes.report(Diagnostic::error("too-deep", written.span, message));
    }
    if written.members.is_empty() {
        let message = "a block without conditions tests nothing";
        return checker.mistakes.report(Diagnostic::error("shape", written.span, message).help("add a condition"));
    }
    let members: Vec<Checked<Asked>> =
        written.members.iter().map(|member| self::check_block_member(checker, member, depth)).collect();
    let quota = check_block_quota(&mut checker.mistakes, written);
    let members = members.into_iter().collect::<Checked<Vec<Asked>>>()?;
    let quota = quota?;
    let nodes: Vec<NodeId> = members.iter().map(|member| member.node).collect();
    let least = match quota {
        Quota::All => nodes.len(),
        Quota::Any => 1,
        Quota::AtLeast(least) => least,
    };
    let node = checker.nodes.add(Op::AtLeast(least), nodes, Type::BOOLEAN, Grain::Statement);
    Ok(Asked { what: Condition::Block(quota, members), alone: node, node })
}

fn check_block_quota(mistakes: &mut Mistakes, written: &Block) -> Checked<Quota> {
    let text = match &written.quota {
        WrittenQuota::All => return Ok(Quota::All),
        WrittenQuota::Any => return Ok(Quota::Any),
        WrittenQuota::AtLeast(text) => text,
    };
    let members = written.members.len();
    match text.value().parse::<usize>() {
        Ok(least) if (1..=members).contains(&least) => Ok(Quota::AtLeast(least)),
        _ => {
            let message =
                format!("`at_least` must be a whole number from 1 to {members}, the number of conditions listed");
            mistakes.report(Diagnostic::error("shape", text.span(), message))
        }
    }
}

/// Applies a member's `unknown`, which makes an unknown condition hold or fail.
fn check_block_member(checker: &mut Checker, written: &Member, depth: usize) -> Checked<Asked> {
    let says = written.unknown.as_ref();
    let taken = checker.mistakes.read_word(says, &[("holds", Some(true)), ("fails", Some(false))], None);
    let asked = check_condition(checker, &written.condition, depth + 1)?;
    let Some(taken) = taken else { return Ok(asked) };
    let literal = checker.nodes.literal(Value::Boolean(taken), Type::BOOLEAN).node;
    let node = checker.nodes.add(Op::Coalesce, vec![asked.node, literal], Type::BOOLEAN, Grain::Statement);
    Ok(Asked { node, ..asked })
}
