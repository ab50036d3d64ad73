//! The table of all endpoints under given settings, one file per area. Knows nothing of what a call does.

mod base;
mod bill;
mod iqr;
mod lender;
mod lending;
mod money;

pub(crate) use lender::{LenderCall, lender_calls};

use super::field::Field;
use super::route::Route;
use crate::provider::wire::Settings;

/// Every endpoint, in the interface's order.
pub(crate) fn routes(settings: &Settings) -> Vec<Route> {
    let mut routes = lending::routes(settings);
    routes.extend(money::routes(settings));
    routes.extend(iqr::routes(settings));
    routes.extend(bill::routes(settings));
    routes.into_iter().map(|route| Route { reply: Field::inwards(route.reply), ..route }).collect()
}
