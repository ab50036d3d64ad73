//! The table of all endpoints under given settings, one file per area. Knows nothing of what a call does.

mod base;
mod bill;
mod iqr;
mod lender;
mod lending;
mod money;

pub(crate) use lender::{LenderCall, lender_calls};

use super::field::ContractField;
use super::route::Route;
use crate::provider::wire::Settings;

/// Every endpoint, in the interface's order.
pub(crate) fn list_interface_routes(settings: &Settings) -> Vec<Route> {
    let mut routes = lending::lending_routes(settings);
    routes.extend(money::money_routes_of(settings));
    routes.extend(iqr::iqr_routes_of(settings));
    routes.extend(bill::pay_bill_routes(settings));
    routes.into_iter().map(|route| Route { reply: ContractField::inwards(route.reply), ..route }).collect()
}
