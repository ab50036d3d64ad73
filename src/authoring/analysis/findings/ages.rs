//! Finds ages that are computed the wrong way round, or in days: `years_between(as_of, request.born) >= 18`.

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::findings::shares::{constant_at, find_compared};
use crate::base::diagnostic::Diagnostic;
use crate::rules::graph::{Elapsed, Fact, NodeId, Op};
use crate::rules::{Binary, Policy};

/// Parts of the names of days of birth.
const BIRTH_NAMES: [&str; 3] = ["born", "birth", "dob"];

/// No person is so many years old. As a number of days, it is a baby.
const YEARS_MAX: f64 = 130.0;

pub(in crate::authoring::analysis) fn find_odd_ages(policy: &Policy, eval: &AbstractEval, found: &mut Vec<Diagnostic>) {
    let program = &policy.program;
    let graph = &program.graph;
    let is_today = |node: NodeId| matches!(graph.node(graph.carried(node)).op, Op::Fact(Fact::AsOf));
    let birth = |node: NodeId| {
        let Op::Input(input) = graph.node(graph.carried(node)).op else { return None };
        let path = program.inputs.get(input)?.path();
        BIRTH_NAMES.iter().any(|part| path.contains(part)).then_some(path)
    };
    for requirement in &program.requirements {
        let odd = find_compared(graph, requirement.when, |value, bound, _| {
            let at = graph.node(graph.carried(value));
            let [first, second] = at.inputs.as_slice() else { return None };
            match at.op {
                Op::Elapsed(Elapsed::Years) if is_today(*first) => {
                    let birth = birth(*second)?;
                    let message =
                        format!("`years_between(as_of, {birth})` is 0 or less: the earlier date is the first");
                    Some((message, format!("write years_between({birth}, as_of)")))
                }
                Op::Arithmetic(Binary::Subtract) if is_today(*first) => {
                    let birth = birth(*second)?;
                    let days = constant_at(eval, bound).filter(|days| *days > 0.0 && *days <= YEARS_MAX)?;
                    let message = format!("`as_of - {birth}` is a number of days, and {days} is perhaps one of years");
                    Some((message, format!("write years_between({birth}, as_of)")))
                }
                _ => None,
            }
        });
        let Some((message, help)) = odd else { continue };
        found.push(Diagnostic::warning("age", requirement.span, message).label("which age?").help(help));
    }
}
