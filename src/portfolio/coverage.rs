//! Coverage of a policy by its cases, in LCOV's format for lines of rule files. The line of a requirement has two
//! branches, met and not met. The lines of bins, rows and tenures have hit counts.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::trial::Trial;
use crate::engine::decision::CoveredPart;

/// Share of the policy's parts that at least one case reaches, in percent.
pub fn coverage_percent(trial: &Trial) -> f64 {
    match trial.parts.len() {
        0 => 100.0,
        all => 100.0 * trial.parts.iter().filter(|part| trial.reached.contains_key(part)).count() as f64 / all as f64,
    }
}

#[derive(Default)]
struct CoveredLine {
    hits: usize,
    /// Of a requirement: met, and not met.
    branches: Option<[usize; 2]>,
}

/// The tracefile of a trial: one record per rule file or file of rows.
pub fn write_lcov_tracefile(trial: &Trial) -> String {
    let mut files: BTreeMap<&str, BTreeMap<usize, CoveredLine>> = BTreeMap::new();
    for (part, file, number) in &trial.places {
        let hits = trial.reached.get(part).copied().unwrap_or(0);
        let line = files.entry(file).or_default().entry(*number).or_default();
        line.hits += hits;
        match part.part {
            CoveredPart::Met(_) => line.branches.get_or_insert([0, 0])[0] += hits,
            CoveredPart::NotMet(_) => line.branches.get_or_insert([0, 0])[1] += hits,
            CoveredPart::Bin(..) | CoveredPart::Row(..) | CoveredPart::Offer(..) => {}
        }
    }
    let mut out = String::new();
    for (file, lines) in files {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "TN:\nSF:{file}");
        let branches = || lines.iter().filter_map(|(number, line)| line.branches.map(|branches| (number, branches)));
        for (number, taken) in branches() {
            for (index, taken) in taken.iter().enumerate() {
                let _ = writeln!(out, "BRDA:{number},0,{index},{taken}");
            }
        }
        let taken = branches().flat_map(|(_, taken)| taken).filter(|taken| *taken > 0).count();
        let _ = writeln!(out, "BRF:{}\nBRH:{taken}", 2 * branches().count());
        for (number, line) in &lines {
            let _ = writeln!(out, "DA:{number},{}", line.hits);
        }
        let hit = lines.values().filter(|line| line.hits > 0).count();
        let _ = writeln!(out, "LF:{}\nLH:{hit}\nend_of_record", lines.len());
    }
    out
}
