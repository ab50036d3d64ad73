//! Operands: brings values to one grain, one unit and one representation, and reads constants. Must not know
//! functions or expressions, nor check an expression by itself.

pub(in crate::rules) mod align;
pub(in crate::rules) mod arithmetic;
pub(in crate::rules) mod calendar;
pub(in crate::rules) mod constant;
pub(in crate::rules) mod iso_literals;
pub(in crate::rules) mod letter_case;
pub(in crate::rules) mod record_texts;
pub(in crate::rules) mod usual;

use crate::base::money::Currency;
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::nodes::Nodes;

/// The parts that bring operands together.
pub(in crate::rules) struct Operands<'o, 'a> {
    pub nodes: &'o mut Nodes,
    pub mistakes: &'o mut Mistakes<'a>,
    pub currency: Currency,
}
