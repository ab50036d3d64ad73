//! The campaigns: many random cases, each decided by lendwright and by a reference, and the differences. Knows nothing
//! of what is in a case.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use lendwright::lender::simulation::{SimulationOptions, Strides, run_simulation, try_every_death};
use lendwright_fuzz::policy::campaign::{self, Tally};
use lendwright_fuzz::random::Source;
use lendwright_fuzz::ties::{self, Ties};

/// Summarizes a campaign in a few lines.
fn report(tally: &Tally) -> String {
    let mut report = format!("{} policies, {} cases\n", tally.policies, tally.cases);
    let tables = [
        ("refused", &tally.refused),
        ("outcome", &tally.outcomes),
        ("decided by", &tally.arms),
        ("unknown", &tally.unknown),
        ("policies with", &tally.constructs),
    ];
    for (what, counted) in tables {
        counted.iter().for_each(|(name, count)| report.push_str(&format!("{what} {name}: {count}\n")));
    }
    report + &format!("customers dealt out: {}", tally.places.len())
}

/// Runs the metrics campaign: shrinks every difference and reports at most ten.
pub fn metrics(cases: u64, seed: u64) -> Result<(), String> {
    let (mut known, mut different) = (0, Vec::new());
    for number in seed..seed + cases {
        let source = &mut Source::seeded(number);
        let numbers: Vec<u32> = (0..40 + source.below(400)).map(|_| source.draw() as u32).collect();
        match compared(&numbers) {
            Ok(values) => known += values,
            Err(told) => different.push(format!("==== seed {number}\n{}", smallest(numbers, told))),
        }
        if different.len() == 10 {
            break;
        }
    }
    println!("{cases} cases with {known} known values, {} of them different", different.len());
    if different.is_empty() { Ok(()) } else { Err(different.join("\n")) }
}

/// Reports a panic as a difference.
fn compared(numbers: &[u32]) -> Result<usize, String> {
    let compare = || lendwright_fuzz::metrics::compare(numbers);
    std::panic::catch_unwind(compare)
        .unwrap_or_else(|_| Err(format!("panics\n{}", lendwright_fuzz::metrics::rules(numbers))))
}

/// Describes the smallest input that still differs.
fn smallest(mut numbers: Vec<u32>, mut told: String) -> String {
    let mut at = numbers.len();
    while let Some(before) = at.checked_sub(1) {
        at = before;
        let zero = |value: &u32| [0, value % 12].into_iter().filter(|less| less < value).collect::<Vec<_>>();
        for less in numbers.get(at).map(zero).unwrap_or_default() {
            let mut smaller = numbers.clone();
            smaller[at] = less;
            if let Err(still) = compared(&smaller) {
                (numbers, told) = (smaller, still);
                break;
            }
        }
    }
    told
}

/// Runs the policy campaign and reports at most ten differences.
pub fn differential(policies: u64, people: u64, seed: u64) -> Result<(), String> {
    let (mut tally, mut of_ties) = (Tally::default(), Ties::default());
    let mut different = Vec::new();
    for number in seed..seed + policies {
        let source = || Source::seeded(number);
        let told = campaign::one(&mut source(), people as usize, &mut tally);
        // Every fifth seed also tries people at the limits of a policy.
        let told = told.and_then(|()| match number.is_multiple_of(5) {
            true => ties::one(&mut source(), people as usize, &mut of_ties).map_err(|told| format!("ties: {told}")),
            false => Ok(()),
        });
        different.extend(told.err().map(|told| format!("==== seed {number}\n{told}")));
        if different.len() == 10 {
            break;
        }
    }
    println!("{}\nties: {of_ties}", report(&tally));
    if different.is_empty() { Ok(()) } else { Err(different.join("\n")) }
}

/// The options of a campaign over ties.
pub struct TiesOptions {
    pub cases: u64,
    pub people: usize,
    pub seed: u64,
    pub threads: usize,
}

/// The campaign over ties: policies from one seed after the other until there are enough cases. Reports at most ten
/// differences.
pub fn ties(options: &TiesOptions) -> Result<(), String> {
    let (next, began) = (AtomicU64::new(options.seed), Instant::now());
    let (all, different) = (Mutex::new(Ties::default()), Mutex::new(Vec::new()));
    let run = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let mut ties = Ties::default();
            let one = || ties::one(&mut Source::seeded(number), options.people, &mut ties);
            let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(one));
            let told = told.unwrap_or_else(|_| Err("panics".to_owned()));
            let (mut all, mut different) = (all.lock().expect("a tally"), different.lock().expect("a list"));
            all.add(&ties);
            if let Err(told) = told {
                different.push(format!("==== seed {number}\n{told}"));
            }
            if all.cases >= options.cases || different.len() >= 10 {
                break;
            }
        }
    };
    std::thread::scope(|scope| (0..options.threads.max(1)).for_each(|_| drop(scope.spawn(run))));
    let (all, different) = (all.into_inner().expect("a tally"), different.into_inner().expect("a list"));
    let seconds = began.elapsed().as_secs_f64();
    println!("{all}\n{} of them different; {:.0} cases a second", different.len(), all.cases as f64 / seconds);
    if !different.is_empty() {
        return Err(different.join("\n"));
    }
    all.is_worth_something()
}

/// The campaign over worlds of loans, in steps that show how far it is.
#[cfg(feature = "shared")]
pub fn simulate(options: &SimulationOptions) -> Result<(), String> {
    let (began, mut done, mut deaths, mut orders) = (Instant::now(), 0, 0, 0);
    let mut ends = std::collections::BTreeMap::new();
    let step = 20_000;
    while done < options.loans {
        let seed = options.seed.wrapping_add(done / options.each.max(1));
        let part = SimulationOptions { seed, loans: step.min(options.loans - done), ..*options };
        let report = run_simulation(&part);
        if !report.violations.is_empty() {
            return Err(report.violations.join("\n"));
        }
        (done, deaths, orders) = (done + report.loans, deaths + report.deaths, orders + report.orders);
        report.ends.iter().for_each(|(state, count)| *ends.entry(*state).or_insert(0) += count);
        let rate = done as f64 / began.elapsed().as_secs_f64();
        println!("{done} loans, {deaths} deaths, {orders} orders of money, nothing wrong; {rate:.0} loans a second");
    }
    println!("{ends:?}");
    Ok(())
}

/// The campaign over every death.
#[cfg(feature = "shared")]
pub fn deaths(strides: Strides) -> Result<(), String> {
    let tried = try_every_death(strides);
    println!("{} lives, {} deaths", tried.lives, tried.deaths);
    if tried.violations.is_empty() { Ok(()) } else { Err(tried.violations.join("\n")) }
}
