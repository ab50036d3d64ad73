//! The option of pay in parts: two or three payments over some days.

use super::event::{Event, Label};
use super::scene::Scene;
use crate::provider::generate::calendar;

/// The share of payments that are split, in thousandths.
const SPLIT: u32 = 800;

/// Splits most salaries and pensions, if the option is set.
pub(crate) fn split_pay_events(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    if !scene.hard.split {
        return;
    }
    let whole = std::mem::take(events);
    scene.aside(|scene| {
        for event in whole {
            let is_pay = matches!(event.label, Label::Salary | Label::Pension);
            if is_pay && scene.draw.chance(SPLIT) { split_into_parts(scene, events, event) } else { events.push(event) }
        }
    });
}

fn split_into_parts(scene: &mut Scene<'_>, events: &mut Vec<Event>, whole: Event) {
    let count = if scene.draw.chance(400) { 3 } else { 2 };
    let mut left = whole.amount;
    let mut day = whole.day;
    for part in 1..=count {
        let share = scene.draw.range(30, 65);
        let amount = if part == count { left } else { left / 100 * share };
        let mut event = Event { day, amount: amount.max(100), ..whole.clone() };
        if let Some(employer) = event.employer.filter(|_| event.label == Label::Salary && part > 1) {
            let what = scene.draw.pick(&["SALARY", "SALARY BAL", "SALARY PART", "SAL ARREARS"]);
            event.desc = scene.pay_narration(employer, calendar::month_index(whole.day), what);
        }
        events.push(event);
        left -= amount;
        day += scene.draw.range(1, 6) as i32;
    }
}
