//! The checker: resolves names and checks the grain, type and unit of every expression, declaration and judgement.
//! Collects all mistakes; evaluates nothing and reads no file.
//!
//! The folders run one way, and each knows only those before it:
//!
//! 1. `symbols`: what is known and made, in parts that keep their fields to themselves;
//! 2. `operands`: values brought to one grain, unit and representation;
//! 3. `checker`: the parts together;
//! 4. `functions`: calls, of which each function checks its own arguments;
//! 5. `expressions`: names, operators, definitions;
//! 6. `declarations`: parameters, word lists, inputs;
//! 7. `judgement`: requirements, the score, tables, offers, properties.

pub(super) mod checker;
pub(super) mod declarations;
pub(super) mod expressions;
pub(super) mod functions;
pub(super) mod judgement;
mod operands;
pub(super) mod symbols;
