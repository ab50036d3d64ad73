//! Finds and checks the parameter that sets the tolerance of recurring streams. Finds no streams.

use crate::base::diagnostic::{Diagnostic, Span};
use crate::base::rational::{Rational, Rounding};
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::parameter_list::Parameters;
use crate::rules::check::symbols::symbol::Tolerance;
use crate::rules::program::inputs::Parameter;
use crate::rules::syntax::file::{self, RuleFile};
use crate::rules::syntax::source::{Name, Text};
use crate::rules::types::Unit;

/// Its name, without a namespace.
const NAME: &str = "stream_tolerance";

const HELP: &str = "write one number above 0 and at most 1, such as stream_tolerance = 0.15";

/// Looks for the parameter among all that were declared.
pub(in crate::rules) fn declare_tolerance(
    known: &mut Parameters,
    mistakes: &mut Mistakes,
    files: &[RuleFile],
    parameters: &[Parameter],
) {
    let all = files.iter().flat_map(|file| &file.parameters);
    let mut first: Option<&Name> = None;
    for written in all.filter(|written| written.name.text.rsplit('.').next() == Some(NAME)) {
        let name = &written.name;
        match first {
            // A duplicate name was already reported.
            Some(first) if first.text == name.text => continue,
            Some(first) => {
                let message = format!("`{}` and `{}` both set the tolerance of streams", name.text, first.text);
                let help = "a policy has one stream tolerance: keep one of the two";
                let diagnostic = Diagnostic::error("parameter", name.span, message).help(help);
                mistakes.push(diagnostic.elsewhere(first.span));
                known.note_used(&name.text);
            }
            None => first = Some(name),
        }
        let declared = parameters.iter().find(|parameter| parameter.name == name.text);
        let found = declared.map(|declared| tolerance_in_thousandths(declared, written)).transpose();
        let thousandths = found.unwrap_or_else(|(span, message)| {
            let message = format!("parameter `{}`: {message}", name.text);
            mistakes.push(Diagnostic::error("parameter", span, message).help(HELP));
            None
        });
        known.set_tolerance(Tolerance { name: name.text.clone(), thousandths });
    }
}

/// The tolerance in thousandths, or what is wrong with it and where.
fn tolerance_in_thousandths(declared: &Parameter, written: &file::Parameter) -> Result<u32, (Span, String)> {
    let Some(always) = declared.on(None) else {
        let place = written.dated.first().map_or(written.name.span, |(from, _)| from.span);
        return Err((place, "a stream tolerance cannot have values by date".to_owned()));
    };
    let is_plain = matches!(declared.ty.unit, Unit::Number | Unit::Ratio | Unit::Count);
    let share = always.value.rational().filter(|share| is_plain && share.signum() > 0 && *share <= Rational::ONE);
    let place = written.value.as_ref().map_or(written.name.span, Text::span);
    let share = share.ok_or_else(|| (place, format!("{} is not a share of an amount", always.text)))?;
    // Values between 0 and 1 are at most 1,000 thousandths.
    let thousandths = share.times(&Rational::from(1_000)).and_then(|share| share.rounded_to_i64(Rounding::HalfAway));
    Ok(thousandths.and_then(|share| u32::try_from(share).ok()).map_or(1, |share| share.max(1)))
}
