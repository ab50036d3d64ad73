//! The numbers at the top of the page, the champion's beside the challenger's.

use maud::{Markup, html};

use super::document::PageSection;
use super::format::{bad_rate, in_words, p_value_or_none, points_in_words};
use super::table::{PageCell, PageTable};
use super::view::View;
use crate::portfolio::summary::{Aim, Discrimination, GroupNumbers, Interval, PolicySummary};
use crate::report::page::visible_text;
use crate::report::portfolio::numbers::{format_count, format_percent, rate_with_range};

/// One number of each policy.
struct Tile {
    name: &'static str,
    /// What each policy has, and what is to be known about it.
    values: Vec<(String, String)>,
    change: Option<String>,
}

impl View<'_> {
    pub(super) fn headline(&self) -> Option<PageSection> {
        if self.summary.policies.is_empty() {
            return None;
        }
        let names = ["Offered", "Referred", "Declined"];
        let mut tiles: Vec<Tile> = names.iter().enumerate().map(|(at, name)| self.share(name, at)).collect();
        tiles.extend([self.amount(), self.mean()]);
        tiles.extend(self.bad_rate());
        tiles.extend(self.auc());
        let body = html! {
            dl.headline { @for tile in &tiles { (self.tile(tile)) } }
            @if let Some(aim) = &self.summary.aim { (aim_in_words(aim)) }
            @if !self.summary.contenders.is_empty() { (self.contenders()) }
        };
        Some(PageSection::new("headline", "Headline numbers", body))
    }

    fn tile(&self, tile: &Tile) -> Markup {
        let is_alone = self.two().is_none();
        html! {
            div {
                dt { (tile.name) }
                @for ((value, about), role) in tile.values.iter().zip(self.roles()) {
                    dd {
                        @if !is_alone { span.role { span.key.(super::figure::Look::of_role(role).class()) {} (role) } }
                        b { (value) } @if !about.is_empty() { " " span.note { (about) } }
                    }
                }
                @if let Some(change) = &tile.change { dd.change { (change) } }
            }
        }
    }

    /// One number of every policy, and the change between two.
    fn each<T>(
        &self,
        name: &'static str,
        value: impl Fn(&PolicySummary) -> Option<T>,
        show: impl Fn(&T) -> (String, String),
        change: impl Fn(&T, &T) -> String,
    ) -> Tile {
        let values: Vec<Option<T>> = self.summary.policies.iter().map(value).collect();
        let shown = values.iter().map(|value| value.as_ref().map_or(("none".to_owned(), String::new()), &show));
        let change = match values.as_slice() {
            [Some(before), Some(after), ..] => Some(change(before, after)),
            _ => None,
        };
        Tile { name, values: shown.collect(), change }
    }

    fn share(&self, name: &'static str, at: usize) -> Tile {
        let value = |policy: &PolicySummary| {
            policy.outcomes.get(at).and_then(|row| Some((row.group.share?, row.group.customers)))
        };
        self.each(
            name,
            value,
            |(share, customers)| (format_percent(*share), format_count(*customers)),
            |(before, _), (after, _)| points_in_words(*before, *after),
        )
    }

    fn amount(&self) -> Tile {
        let change = |before: &i128, after: &i128| {
            in_words((after - before) as f64, 1.0, &|_| self.money((after - before).abs()))
        };
        self.each("Amount offered", |policy| Some(policy.amounts.sum), |sum| (self.money(*sum), String::new()), change)
    }

    fn mean(&self) -> Tile {
        let change = |before: &i64, after: &i64| {
            let difference = i128::from(*after) - i128::from(*before);
            in_words(difference as f64, 1.0, &|_| self.money(difference.abs()))
        };
        let show = |mean: &i64| (self.money(i128::from(*mean)), String::new());
        self.each("Mean offer", |policy| policy.amounts.mean, show, change)
    }

    fn bad_rate(&self) -> Option<Tile> {
        self.summary.outcomes.as_ref()?;
        let offers = |policy: &PolicySummary| policy.outcomes.first().map(|row| row.group);
        let show = |group: &GroupNumbers| {
            let rate = group.bad_rate.map_or("unknown".to_owned(), format_percent);
            let between = |(low, high)| format!("between {} and {}", format_percent(low), format_percent(high));
            (rate, group.bad_rate_bounds.map(between).unwrap_or_default())
        };
        let change = |before: &GroupNumbers, after: &GroupNumbers| match (before.bad_rate, after.bad_rate) {
            (Some(rate), Some(other)) => {
                let is_all = [before, after].iter().all(|group| group.known == group.customers);
                let of_whom = if is_all { "" } else { " of those with an outcome" };
                points_in_words(rate, other) + of_whom
            }
            _ => "cannot be compared".to_owned(),
        };
        Some(self.each("Bad among offers", offers, show, change))
    }

    /// Several policies, compared with the champion.
    fn contenders(&self) -> Markup {
        let mut titles = vec!["policy", "offers", "share", "amount", "gained", "lost"];
        let has_outcomes = self.summary.outcomes.is_some();
        titles.extend(["known", "bad rate", "AUC"].into_iter().filter(|_| has_outcomes));
        let mut table = PageTable::new("All policies side by side", titles).sortable();
        for one in &self.summary.contenders {
            let mut cells = vec![
                PageCell::text(&one.role),
                PageCell::count(one.offered.customers),
                PageCell::percent(one.offered.share),
                PageCell::number(&self.money(one.offered.amount), one.offered.amount as f64),
                PageCell::count(one.gained.customers),
                PageCell::count(one.lost.customers),
            ];
            if has_outcomes {
                let auc = |auc: Interval| {
                    PageCell::number(&format!("{:.3} ({:.3} to {:.3})", auc.value, auc.low, auc.high), auc.value)
                };
                cells.extend([PageCell::count(one.offered.known), bad_rate(&one.offered)]);
                cells.push(one.auc.map_or_else(PageCell::none, auc));
            }
            table.row(cells);
        }
        html! {
            h3 { "All policies side by side" }
            p.note { "Offers gained and lost compared with the champion." }
            (table.draw())
        }
    }

    fn auc(&self) -> Option<Tile> {
        let outcomes = self.summary.outcomes.as_ref()?;
        let of = |policy: &PolicySummary| {
            outcomes.discrimination.iter().find(|one| one.role == policy.role).and_then(|one: &Discrimination| one.auc)
        };
        if !self.summary.policies.iter().any(|policy| of(policy).is_some()) {
            return None;
        }
        let show = |auc: &crate::portfolio::summary::Interval| {
            (format!("{:.3}", auc.value), format!("{:.3} to {:.3}", auc.low, auc.high))
        };
        let change = |before: &crate::portfolio::summary::Interval, after: &crate::portfolio::summary::Interval| {
            let words = in_words(after.value - before.value, 0.0005, &|size| format!("{size:.3}"));
            let p = outcomes.auc_difference.map(|difference| format!(", {}", p_value_or_none(difference.p)));
            words + &p.unwrap_or_default()
        };
        Some(self.each("AUC of the score", of, show, change))
    }
}

fn aim_in_words(aim: &Aim) -> Markup {
    let what = match aim.aim.as_str() {
        "same-approvals" => "For the same approvals",
        "same-bad-rate" => "For the same bad rate",
        other => other,
    };
    html! {
        p.aim {
            (visible_text(what)) ", " code { (visible_text(&aim.parameter)) } " is " b { (visible_text(&aim.to)) }
            " instead of "
            (visible_text(&aim.from)) ": the challenger reaches "
            (rate_with_range(Some(aim.reached.1), aim.reached_bounds.map(|bounds| bounds.1))) ", and the champion "
            (rate_with_range(Some(aim.reached.0), aim.reached_bounds.map(|bounds| bounds.0))) "."
            @if let Some(other) = &aim.by_known_outcomes {
                " Customers with an outcome alone would allow " (visible_text(other))
                "; with the others it may be worse."
            }
        }
    }
}
