//! A statement as a chart in SVG: inflow, outflow, balance, and the records that counted.

use maud::{Markup, html};

use super::axis::{Scale, abbreviate_amount, round_px};
use super::format_report_money;
use crate::base::date::Day;
use crate::base::money::Currency;
use crate::engine::decision::{DayTotals, Record};
use crate::statement::{BalanceDiscrepancy, Quality};

/// How wide the chart is drawn for a screen, and for a phone: letters keep their size, so there are fewer of them.
const WIDE: f64 = 960.0;
const NARROW: f64 = 400.0;
/// Room for the amounts beside the axis.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 12.0;
/// About how wide a bold letter is.
const LETTER: f64 = 6.8;
/// Room for the name of a month.
const LABEL: f64 = 52.0;
/// How wide a month must be drawn for words along it.
const GAP_LABEL: f64 = 14.0;
/// The bars: from here down to `BARS_END`.
const BARS: f64 = 12.0;
const BARS_END: f64 = 190.0;
/// The strip of the marks.
const MARKS: f64 = 208.0;
/// The balance: from here down to `BALANCE_END`.
const BALANCE: f64 = 232.0;
const BALANCE_END: f64 = 332.0;
const HEIGHT: f64 = 360.0;

/// The balances to draw, a day each.
pub(super) struct Balances {
    points: Vec<(Day, i64)>,
    /// Whether they follow from the records and a stated balance, because the records have none.
    pub(super) is_computed: bool,
}

impl Balances {
    pub(super) fn new(days: &[DayTotals], quality: &Quality) -> Balances {
        let points: Vec<(Day, i64)> = days.iter().filter_map(|day| Some((day.day, day.balance?))).collect();
        // A stated balance after all records of one account: those before it follow from what each day moved.
        let closing = quality.balance_discrepancy.as_ref().filter(|found| {
            let is_last = days.last().is_some_and(|last| found.day >= last.day);
            found.record.is_none() && quality.merged.is_none() && is_last
        });
        let Some(closing) = closing.filter(|_| points.is_empty()) else {
            return Balances { points, is_computed: false };
        };
        let mut after = closing.expected;
        let mut computed: Vec<(Day, i64)> = Vec::new();
        for day in days.iter().rev() {
            computed.push((day.day, after));
            after = after.saturating_sub(day.inflow).saturating_add(day.outflow);
        }
        computed.reverse();
        Balances { points: computed, is_computed: true }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}

/// What the chart shows.
pub(super) struct Timeline<'t> {
    pub(super) days: &'t [DayTotals],
    pub(super) balances: &'t Balances,
    /// The first days of the months without records.
    pub(super) gaps: &'t [Day],
    /// The first balance that does not follow, whose day is marked.
    pub(super) discrepancy: Option<&'t BalanceDiscrepancy>,
    /// The records that can be marked.
    pub(super) marked: &'t [&'t Record],
    pub(super) currency: &'t Currency,
}

impl Timeline<'_> {
    /// Draws the days, once for a screen and once for a phone. `shown` says which records are marked at first.
    pub(super) fn draw(&self, shown: impl Fn(usize) -> bool) -> Markup {
        html! { (self.svg(WIDE, &shown)) @if !self.days.is_empty() { (self.svg(NARROW, &shown)) } }
    }

    fn svg(&self, width: f64, shown: &impl Fn(usize) -> bool) -> Markup {
        let (days, currency) = (self.days, self.currency);
        let (Some(first), Some(last)) = (days.first(), days.last()) else {
            return html! { p.note { "The statement has no records." } };
        };
        let odd = self.discrepancy.map(|found| found.day);
        let (from, to) = (odd.unwrap_or(first.day).min(first.day), odd.unwrap_or(last.day).max(last.day));
        let time = Time { first: from, days: f64::from(to.days() - from.days()).max(1.0), width };
        let buckets = bucket_day_totals(days);
        let most_in = buckets.iter().map(|bucket| bucket.inflow).max().unwrap_or(0);
        let most_out = buckets.iter().map(|bucket| bucket.outflow).max().unwrap_or(0);
        let scale = Scale::new(-(most_out as f64), most_in as f64, BARS, BARS_END);
        let height = if self.balances.is_empty() { MARKS + 42.0 } else { HEIGHT };
        let label = "What came in and went out, what was left, and the records that counted";
        let class = if width == NARROW { "timeline narrow" } else { "timeline wide" };
        html! {
            svg class=(class) viewBox=(format!("0 0 {width} {height}")) role="img" aria-label=(label) {
                @for month in self.gaps { (month_gap_markup(*month, &time)) }
                (axis_ticks_markup(&scale, &time, currency))
                @for bucket in &buckets {
                    (bar(bucket, &time, &scale, currency))
                }
                line.axis x1=(LEFT) x2=(time.right()) y1=(round_px(scale.place(0.0))) y2=(round_px(scale.place(0.0))) {}
                @if !self.balances.is_empty() { (self.balance(&time)) }
                @for label in time.labels() {
                    line.grid x1=(round_px(label.line)) x2=(round_px(label.line)) y1=(BARS) y2=(height - 20.0) {}
                    @if let Some((x, anchor)) = label.name {
                        text.tick x=(round_px(x)) y=(height - 8.0) text-anchor=[anchor] { (label.text) }
                    }
                }
                @if let Some(found) = self.discrepancy { (discrepancy_markup(found, &time, height - 20.0, currency)) }
                g.marks {
                    @for record in self.marked {
                        @if let Some(day) = record.day {
                            (mark(record, time.x(day), shown(record.row), currency))
                        }
                    }
                }
            }
        }
    }

    /// Draws the balance as steps: each one holds until the next.
    fn balance(&self, time: &Time) -> Markup {
        let Balances { points, is_computed } = self.balances;
        let of_discrepancy = self.discrepancy.into_iter().flat_map(|found| [found.found, found.expected]);
        let values = || points.iter().map(|(_, balance)| *balance).chain(of_discrepancy.clone());
        let (least, most) = (values().min().unwrap_or(0).min(0), values().max().unwrap_or(0).max(0));
        let scale = Scale::new(least as f64, most as f64, BALANCE, BALANCE_END);
        let mut path = String::new();
        for (at_first, (day, balance)) in points.iter().enumerate() {
            let (x, y) = (round_px(time.x(*day)), round_px(scale.place(*balance as f64)));
            path += &if at_first == 0 { format!("M{x} {y}") } else { format!("H{x}V{y}") };
        }
        path += &format!("H{}", round_px(time.right()));
        let last = points
            .last()
            .map(|(day, balance)| format!("{}: {} left", day, format_report_money(self.currency, *balance)));
        html! {
            (axis_ticks_markup(&scale, time, self.currency))
            path.balance.computed[*is_computed] d=(path) { title { "Balance; " (last.unwrap_or_default()) } }
            @if let Some(found) = self.discrepancy {
                @for balance in [found.expected, found.found] {
                    circle.odd cx=(round_px(time.x(found.day))) cy=(round_px(scale.place(balance as f64))) r="3.5" {}
                }
            }
        }
    }
}

/// Marks a month without records.
fn month_gap_markup(first: Day, time: &Time) -> Markup {
    let next = Day::from_days(first.days() + 31).month_start();
    let (left, right) = (time.x(first), time.x(next).min(time.right()));
    let (x, y) = (round_px((left + right) / 2.0 + 4.0), round_px(BARS_END - 6.0));
    html! {
        rect.gap x=(round_px(left)) width=(round_px(right - left)) y=(BARS) height=(BARS_END - BARS) {
            title { (first) " to " (Day::from_days(next.days() - 1)) ": no records" }
        }
        @if right - left >= GAP_LABEL {
            text.tick x=(x) y=(y) transform={ "rotate(-90 " (x) " " (y) ")" } { "no records" }
        }
    }
}

/// The amounts beside an axis.
fn axis_ticks_markup(scale: &Scale, time: &Time, currency: &Currency) -> Markup {
    html! {
        @for tick in scale.ticks() {
            line.grid x1=(LEFT) x2=(time.right()) y1=(round_px(scale.place(tick))) y2=(round_px(scale.place(tick))) {}
            text.tick x=(LEFT - 6.0) y=(round_px(scale.place(tick) + 4.0)) text-anchor="end" {
                (abbreviate_amount(tick, currency.exponent()))
            }
        }
    }
}

/// Marks the day of the first balance that does not follow.
fn discrepancy_markup(found: &BalanceDiscrepancy, time: &Time, bottom: f64, currency: &Currency) -> Markup {
    let x = time.x(found.day);
    let off = format!("off by {}", format_report_money(currency, found.difference.saturating_abs()));
    // The narrow chart has no room for the day, which the text above it tells.
    let text = if time.width == NARROW { off } else { format!("{}: {off}", found.day) };
    let is_right = x + 4.0 + text.len() as f64 * LETTER <= time.width;
    let (text_x, anchor) = if is_right { (x + 4.0, "start") } else { (x - 4.0, "end") };
    let tooltip = super::balances::describe_discrepancy(found, currency);
    html! {
        line.off x1=(round_px(x)) x2=(round_px(x)) y1=(BARS) y2=(bottom) { title { (tooltip) } }
        text.off x=(round_px(text_x)) y=(MARKS + 18.0) text-anchor=(anchor) { (text) }
    }
}

fn mark(record: &Record, x: f64, on: bool, currency: &Currency) -> Markup {
    let mut tooltip = record.day.map(|day| day.to_string()).unwrap_or_default();
    tooltip += &record.credit.map(|minor| format!(", {} in", format_report_money(currency, minor))).unwrap_or_default();
    tooltip += &record.debit.map(|minor| format!(", {} out", format_report_money(currency, minor))).unwrap_or_default();
    tooltip += &record.narration.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
    html! {
        circle.mark.on[on] data-row=(record.row) cx=(round_px(x)) cy=(MARKS) r="4.5" {
            title { (super::page::visible_text(&tooltip)) }
        }
    }
}

/// Consecutive days, drawn as one pair of bars.
struct Bucket {
    from: Day,
    to: Day,
    inflow: i64,
    outflow: i64,
}

/// Buckets of days, weeks or months, depending on the length of the statement.
fn bucket_day_totals(days: &[DayTotals]) -> Vec<Bucket> {
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return Vec::new() };
    let length = last.day.days() - first.day.days();
    let start = |day: Day| match length {
        0..=62 => day,
        63..=430 => Day::from_days(day.days() - (day.days() - first.day.days()).rem_euclid(7)),
        _ => day.month_start(),
    };
    let end = |start: Day| match length {
        0..=62 => start,
        63..=430 => Day::from_days(start.days() + 6),
        _ => Day::from_days(Day::from_days(start.days() + 31).month_start().days() - 1),
    };
    let mut buckets: Vec<Bucket> = Vec::new();
    for day in days {
        let from = start(day.day);
        if buckets.last().is_none_or(|bucket| bucket.from != from) {
            buckets.push(Bucket { from, to: end(from), inflow: 0, outflow: 0 });
        }
        let Some(bucket) = buckets.last_mut() else { continue };
        bucket.inflow = bucket.inflow.saturating_add(day.inflow);
        bucket.outflow = bucket.outflow.saturating_add(day.outflow);
    }
    buckets
}

fn bar(bucket: &Bucket, time: &Time, scale: &Scale, currency: &Currency) -> Markup {
    let left = time.x(bucket.from).max(LEFT);
    let right = time.x(Day::from_days(bucket.to.days() + 1)).min(time.right());
    let width = (right - left - 1.0).max(1.0);
    let when =
        if bucket.from == bucket.to { bucket.from.to_string() } else { format!("{} to {}", bucket.from, bucket.to) };
    let zero = scale.place(0.0);
    let (top, bottom) = (scale.place(bucket.inflow as f64), scale.place(-(bucket.outflow as f64)));
    html! {
        @if bucket.inflow > 0 {
            rect.in x=(round_px(left)) width=(round_px(width)) y=(round_px(top))
                height=(round_px((zero - top).max(0.5))) {
                title { (when) ": " (format_report_money(currency, bucket.inflow)) " in" }
            }
        }
        @if bucket.outflow > 0 {
            rect.out x=(round_px(left)) width=(round_px(width)) y=(round_px(zero))
                height=(round_px((bottom - zero).max(0.5))) {
                title { (when) ": " (format_report_money(currency, bucket.outflow)) " out" }
            }
        }
    }
}

/// The first day of a month, below the chart.
struct Label {
    text: String,
    line: f64,
    /// Where its name is, and its text anchor if not the start; `None` if there is no room.
    name: Option<(f64, Option<&'static str>)>,
}

/// Maps days to x coordinates.
struct Time {
    first: Day,
    days: f64,
    /// The width of the whole chart.
    width: f64,
}

impl Time {
    /// Where the chart ends.
    fn right(&self) -> f64 {
        self.width - RIGHT
    }

    fn x(&self, day: Day) -> f64 {
        // One more day, so that the last one has room.
        LEFT + f64::from(day.days() - self.first.days()) / (self.days + 1.0) * (self.right() - LEFT)
    }

    /// The first days of months, or of every few months so that their names have room.
    fn labels(&self) -> Vec<Label> {
        let months = (self.days / 30.4).ceil().max(1.0);
        let most = ((self.right() - LEFT) / (LABEL + 14.0)).floor();
        let every = [1, 2, 3, 6, 12, 24, 60, 120].into_iter().find(|every| months / f64::from(*every) <= most);
        let every = every.unwrap_or(240);
        let last = self.first.days().saturating_add(self.days as i32);
        let mut labels = Vec::new();
        let mut taken = 0.0;
        let mut day = self.first.month_start();
        while day.days() <= last && labels.len() < 400 {
            let (year, month, _) = day.ymd();
            if day >= self.first && (year * 12 + month as i32 - 1).rem_euclid(every) == 0 {
                let line = self.x(day);
                // A name that would leave the chart ends at its edge.
                let (x, anchor) = match line + LABEL > self.width {
                    true => (self.width - 1.0, Some("end")),
                    false => (line + 3.0, None),
                };
                let start = if anchor.is_some() { self.width - LABEL } else { line };
                let name = (start >= taken).then_some((x, anchor));
                taken = start + LABEL;
                labels.push(Label { text: format!("{year}-{month:02}"), line, name });
            }
            day = Day::from_days(day.days() + 32).month_start();
        }
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_months_stay_in_the_chart_and_apart() {
        let first = Day::parse_iso("2025-01-05").expect("a day");
        for (days, width) in (1..900).flat_map(|days| [(days, WIDE), (days, NARROW)]) {
            let labels = Time { first, days: f64::from(days), width }.labels();
            let mut end = 0.0;
            for (x, anchor) in labels.iter().filter_map(|label| label.name) {
                let start = if anchor.is_some() { x - LABEL + 1.0 } else { x };
                assert!(start >= end && start + LABEL - 3.0 <= width, "{days} days: {start} after {end}");
                end = start + LABEL - 4.0;
            }
            // Only the last one may have no room.
            let before = labels.len().saturating_sub(1);
            assert!(labels[..before].iter().all(|label| label.name.is_some()), "{days} days");
        }
        let year = Time { first, days: 360.0, width: WIDE }.labels();
        assert_eq!(year.iter().map(|label| label.text.as_str()).next_back(), Some("2025-12"));
    }
}
