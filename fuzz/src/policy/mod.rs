//! Whole policies against an evaluator of their own: generated, written out, decided by both, compared.

pub mod campaign;
pub mod evaluate;
mod expressions;
pub mod generate;
mod judge;
pub mod model;
mod offers;
pub mod text;
