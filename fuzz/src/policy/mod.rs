//! Whole policies against an evaluator of their own: generated, written, decided by both, compared.

pub mod book;
mod calendar;
pub mod campaign;
pub mod compare;
pub mod coverage;
pub mod doubles;
pub mod entries;
pub mod evaluate;
mod expressions;
mod functions;
pub mod generate;
mod judge;
pub mod listed;
pub mod model;
pub mod names;
pub mod numbers;
mod offers;
pub mod people;
pub mod places;
mod pricing;
mod rows;
pub mod sql;
pub mod text;
pub mod values;
pub mod walk;
mod why;
