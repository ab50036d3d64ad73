//! How much is offered, and for how long.

use maud::{Markup, html};

use super::charts::{Bar, Bars, ChartBar};
use super::document::PageSection;
use super::figure::{Figure, Look, role_keys};
use super::table::{PageCell, PageTable};
use super::view::View;
use crate::portfolio::summary::{Amounts, PolicySummary};
use crate::report::portfolio::numbers::format_count;

impl View<'_> {
    pub(super) fn offers(&self) -> Option<PageSection> {
        if !self.summary.policies.iter().any(|policy| policy.amounts.count > 0) {
            return None;
        }
        let body = html! {
            div.figures {
                (self.quartiles())
                @if self.summary.policies.iter().any(|policy| !policy.tenures.is_empty()) { (self.tenures()) }
            }
        };
        Some(PageSection::new("offers", "Amounts and tenures", body))
    }

    fn role_legend(&self) -> Vec<super::figure::Key> {
        if self.two().is_some() { role_keys(self.roles()) } else { Vec::new() }
    }

    fn quartiles(&self) -> Markup {
        let quartile = |amounts: &Amounts, at: usize| amounts.quartiles.and_then(|all| all.get(at).copied());
        let of = |amounts: &Amounts, at: usize| match at {
            0 => amounts.least,
            4 => amounts.greatest,
            middle => quartile(amounts, middle - 1),
        };
        let names = ["least", "first quartile", "median", "third quartile", "greatest"];
        let title = "Greatest offer to each customer".to_owned();
        let mut data = PageTable::new(&title, self.columns(&["amount"], &["{}"]));
        for (at, name) in names.iter().enumerate() {
            let amount = |policy: &PolicySummary| {
                of(&policy.amounts, at)
                    .map_or_else(PageCell::none, |minor| PageCell::number(&self.money(minor.into()), minor as f64))
            };
            data.row([PageCell::text(name)].into_iter().chain(self.summary.policies.iter().map(amount)).collect());
        }
        let offers = |policy: &PolicySummary| PageCell::count(policy.amounts.count);
        data.row([PageCell::text("offers")].into_iter().chain(self.summary.policies.iter().map(offers)).collect());
        let value = |policy: &PolicySummary, at: usize| {
            of(&policy.amounts, at).map(|minor| ChartBar {
                look: Look::of_role(&policy.role),
                value: minor as f64,
                interval: None,
                text: self.money(minor.into()),
            })
        };
        let bar = |(at, name): (usize, &&str)| Bar {
            name: (*name).to_owned(),
            values: self.summary.policies.iter().filter_map(|policy| value(policy, at)).collect(),
        };
        let bars = Bars { bars: names.iter().enumerate().map(bar).collect(), marked: Vec::new() };
        let note = "A quarter of the offers are below the first quartile, and a quarter above the third.".to_owned();
        Figure { title, note, legend: self.role_legend(), draw: &|width| bars.draw(width), data }.show()
    }

    fn tenures(&self) -> Markup {
        let all = self.summary.policies.iter().flat_map(|policy| &policy.tenures).map(|row| row.tenure);
        let tenures: std::collections::BTreeSet<u32> = all.collect();
        let of = |policy: &PolicySummary, tenure: u32| {
            let row = policy.tenures.iter().find(|row| row.tenure == tenure);
            row.map_or((0, 0), |row| (row.customers, row.amount))
        };
        let title = "Tenure of that offer".to_owned();
        let mut data = PageTable::new(&title, self.columns(&["tenure"], &["{}", "{}: amount"]));
        for tenure in &tenures {
            let mut cells = vec![PageCell::number(&tenure.to_string(), f64::from(*tenure))];
            for policy in &self.summary.policies {
                let (customers, amount) = of(policy, *tenure);
                cells.extend([PageCell::count(customers), PageCell::number(&self.money(amount), amount as f64)]);
            }
            data.row(cells);
        }
        let value = |policy: &PolicySummary, tenure: u32| ChartBar {
            look: Look::of_role(&policy.role),
            value: of(policy, tenure).0 as f64,
            interval: None,
            text: format_count(of(policy, tenure).0),
        };
        let bar = |tenure: &u32| Bar {
            name: format!("tenure {tenure}"),
            values: self.summary.policies.iter().map(|policy| value(policy, *tenure)).collect(),
        };
        let bars = Bars { bars: tenures.iter().map(bar).collect(), marked: Vec::new() };
        let note = "Customers by tenure, in the policy's unit.".to_owned();
        Figure { title, note, legend: self.role_legend(), draw: &|width| bars.draw(width), data }.show()
    }
}
