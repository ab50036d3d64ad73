//! One customer in every spelling that programs use, in every format and across them: always one customer or a refusal,
//! never two.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::spellings::{FORMATS, SAME, Spelling, batched, file, later};
use super::whole;

#[test]
fn a_customer_is_one_or_refused_however_he_is_spelt() {
    let (mut findings, mut named, mut refused) = (String::new(), 0, 0);
    for class in SAME {
        let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for spelling in *class {
            for (format, read) in FORMATS {
                match read(*spelling) {
                    Some(Ok(name)) => {
                        named += 1;
                        names.entry(name).or_default().push(format!("{format} {spelling:?}"));
                    }
                    Some(Err(wrong)) => {
                        refused += 1;
                        let is_told = wrong.contains("customer") || wrong.contains("who");
                        if !is_told {
                            let _ = writeln!(findings, "{format} {spelling:?}: not at its place: {wrong}");
                        }
                    }
                    None => {}
                }
            }
        }
        if names.len() > 1 {
            for (name, ways) in &names {
                let _ = writeln!(
                    findings,
                    "one of {} names of a customer: {name:?}: {} ways, {}",
                    names.len(),
                    ways.len(),
                    ways[0]
                );
            }
        }
    }
    println!("{named} named, {refused} refused");
    assert!(findings.is_empty(), "{findings}");
    assert!(named > 100 && refused > 100, "{named} named, {refused} refused");
}

/// Two files of one customer in one batch.
#[test]
fn two_files_of_one_customer_are_one_statement_or_refused() {
    let (mut findings, mut at, mut batches) = (String::new(), 0_usize, 0);
    for class in SAME {
        let files: Vec<(Spelling, usize)> =
            class.iter().flat_map(|spelling| (0..4).map(move |format| (*spelling, format))).collect();
        for (first, one) in files.iter().enumerate() {
            for other in files.iter().skip(first + 1) {
                at += 1;
                if !whole() && !at.is_multiple_of(97) {
                    continue;
                }
                let (Some((name, bytes)), Some((other_name, other_bytes))) =
                    (file(one.1, one.0), later(other.1, other.0))
                else {
                    continue;
                };
                batches += 1;
                // Each in a folder of its own, because two of one format have the same name.
                let files = [(format!("one/{name}"), bytes), (format!("two/{other_name}"), other_bytes)];
                if let Ok(customers) = batched(&files)
                    && customers.len() != 1
                    // Lines that name nobody are a statement of their own, one per file.
                    && customers.iter().any(|customer| customer != "null")
                {
                    let _ = writeln!(findings, "{one:?} and {other:?} are {customers:?}");
                }
            }
        }
    }
    println!("{batches} batches");
    assert!(findings.is_empty(), "{findings}");
}
