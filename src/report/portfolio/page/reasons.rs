//! Why customers get no offer, reason by reason.

use maud::html;

use super::charts::{Bar, Bars, ChartBar};
use super::document::PageSection;
use super::figure::{Figure, Look, role_keys};
use super::table::{PageCell, PageTable};
use super::view::View;
use crate::portfolio::summary::{PolicySummary, ReasonRow};
use crate::report::page::visible_text;
use crate::report::portfolio::numbers::format_count;

/// How many reasons are drawn; the table has all.
const DRAWN: usize = 25;

/// What is counted of a reason.
type ReasonCount = (&'static str, &'static str, fn(&ReasonRow) -> u64);

const COUNTED: [ReasonCount; 3] = [
    ("Customers with the reason", "Alone or among others.", |row| row.any),
    ("Customers whose first reason it is", "The first that the policy gives.", |row| row.first),
    ("Customers with no other reason", "It alone decides.", |row| row.only),
];

impl View<'_> {
    pub(super) fn reasons(&self) -> Option<PageSection> {
        let ids = self.reason_ids();
        if ids.is_empty() {
            return None;
        }
        let body = html! {
            div.figures { @for counted in &COUNTED { (self.reason_bars(&ids, counted)) } }
        };
        Some(PageSection::new("reasons", "Reasons for no offer", body))
    }

    /// Every reason of any policy, in the order of the first policy that has it.
    fn reason_ids(&self) -> Vec<&ReasonRow> {
        let mut all: Vec<&ReasonRow> = Vec::new();
        for row in self.summary.policies.iter().flat_map(|policy| &policy.reasons) {
            if !all.iter().any(|other| other.id == row.id) {
                all.push(row);
            }
        }
        all
    }

    fn reason_bars(&self, ids: &[&ReasonRow], (title, note, number): &ReasonCount) -> maud::Markup {
        // A reason that no customer of a policy has, has no row there.
        let of = |policy: &PolicySummary, id: &str, number: fn(&ReasonRow) -> u64| {
            policy.reasons.iter().find(|row| row.id == id).map_or(0, number)
        };
        let name = |row: &ReasonRow| visible_text(&crate::report::name_with_title(&row.id, row.title.as_deref()));
        let mut data = PageTable::new(title, self.columns(&["reason"], &["{}", "{}: condition unknown"])).sortable();
        for row in ids {
            let mut cells = vec![PageCell::text(&name(row))];
            for policy in &self.summary.policies {
                cells.extend([*number, |row| row.unknown].map(|number| PageCell::count(of(policy, &row.id, number))));
            }
            data.row(cells);
        }
        let value = |policy: &PolicySummary, id: &str| ChartBar {
            look: Look::of_role(&policy.role),
            value: of(policy, id, *number) as f64,
            interval: None,
            text: format_count(of(policy, id, *number)),
        };
        let bar = |row: &&ReasonRow| Bar {
            name: name(row),
            values: self.summary.policies.iter().map(|policy| value(policy, &row.id)).collect(),
        };
        let bars = Bars { bars: ids.iter().take(DRAWN).map(bar).collect(), marked: Vec::new() };
        let mut note = (*note).to_owned();
        if ids.len() > DRAWN {
            note += &format!(" Drawn: the first {DRAWN} of {}.", ids.len());
        }
        let legend = if self.two().is_some() { role_keys(self.roles()) } else { Vec::new() };
        Figure { title: (*title).to_owned(), note, legend, draw: &|width| bars.draw(width), data }.show()
    }
}
