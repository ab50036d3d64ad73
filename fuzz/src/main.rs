//! `cargo xtask fuzz` and `cargo xtask differential`: runs the targets for a time, the campaign for so many cases.

use lendwright_fuzz::policy::campaign::{self, Tally};
use lendwright_fuzz::random::Source;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(default);
    let (first, policies, people) = (number(1, 1), number(2, 100), number(3, 50));
    let mut tally = Tally::default();
    let mut wrong = 0;
    for seed in first..first + policies {
        if let Err(told) = campaign::one(&mut Source::seeded(seed), people as usize, &mut tally) {
            eprintln!("==== seed {seed}\n{told}");
            wrong += 1;
            if wrong > 60 {
                break;
            }
        }
    }
    println!("{tally:#?}");
}
