//! Streams on irregular days, where that is asked for: early, late, at weekends; one missed and caught up with the next. Knows nothing of
//! what the streams are.

use std::collections::BTreeMap;

use super::event::Event;
use super::scene::Scene;

/// How far a payment moves, in days: the days of a week stay in sight of their week.
fn reach(period: &str) -> i64 {
    if period == "weekly" { 3 } else { 9 }
}

/// Moves every payment of every stream.
pub(crate) fn disturb(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
    if !scene.hard.irregular {
        return;
    }
    let mut streams: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (place, event) in events.iter().enumerate() {
        if let Some(stream) = &event.stream {
            streams.entry(stream.clone()).or_default().push(place);
        }
    }
    let mut gone = vec![false; events.len()];
    scene.aside(|scene| {
        for places in streams.into_values() {
            one_stream(scene, events, &places, &mut gone);
        }
    });
    let mut gone = gone.into_iter();
    events.retain(|_| gone.next() != Some(true));
}

fn one_stream(scene: &mut Scene<'_>, events: &mut [Event], places: &[usize], gone: &mut [bool]) {
    // Some are always late, as states are with their servants.
    let early = if scene.draw.chance(350) { 0 } else { 1 };
    for (count, place) in places.iter().enumerate() {
        let reach = reach(events[*place].period);
        let moved = scene.draw.range(-reach * early, reach) as i32;
        events[*place].day += moved;
        let missed = scene.draw.chance(120);
        let doubled = scene.draw.chance(500);
        let Some(next) = places.get(count + 1).filter(|_| missed) else { continue };
        if doubled {
            events[*next].amount += events[*place].amount;
            gone[*place] = true;
        } else {
            // It moves on from the next one's day, and so stands near it.
            events[*place].day = events[*next].day + scene.draw.range(0, 2) as i32;
        }
    }
}
