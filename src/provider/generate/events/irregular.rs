//! The option of irregular streams: payments early, late or at weekends, and missed ones that are made up with the
//! next.

use std::collections::BTreeMap;

use super::event::Event;
use super::scene::Scene;

/// The most days by which a payment moves. Weekly payments stay near their week.
fn most_days_moved(period: &str) -> i64 {
    if period == "weekly" { 3 } else { 9 }
}

/// Moves every payment of every stream.
pub(crate) fn make_irregular(scene: &mut Scene<'_>, events: &mut Vec<Event>) {
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
    // Some streams are only ever late, as a state's pay is.
    let early = if scene.draw.chance(350) { 0 } else { 1 };
    for (count, place) in places.iter().enumerate() {
        let reach = most_days_moved(events[*place].period);
        let moved = scene.draw.range(-reach * early, reach) as i32;
        events[*place].day += moved;
        let missed = scene.draw.chance(120);
        let doubled = scene.draw.chance(500);
        let Some(next) = places.get(count + 1).filter(|_| missed) else { continue };
        if doubled {
            events[*next].amount += events[*place].amount;
            gone[*place] = true;
        } else {
            // It is paid on the day of the next payment, or shortly after.
            events[*place].day = events[*next].day + scene.draw.range(0, 2) as i32;
        }
    }
}
