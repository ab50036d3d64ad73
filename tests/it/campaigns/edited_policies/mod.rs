//! A thousand seeded edits of the shipped policies, of named kinds: each mistake is reported at its line, and none
//! changes a decision silently. docs/explanation/robustness.md defines what is counted. `LENDWRIGHT_CAMPAIGN=all` runs
//! everything, otherwise every eighth edit.

mod edits;
mod file;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use lendwright::base::diagnostic::{Diagnostic, Severity, Sources};
use lendwright::portfolio::{Cases, try_for_update};
use lendwright::rules::{AGGREGATES, FUNCTIONS};
use lendwright::{Decision, load_policy};

use edits::{Chance, Edit, KINDS, Names, Sort};

use crate::fixtures::campaign;

const EDITS: usize = 1_152;

/// The policies, with the files of theirs that are edited.
const POLICIES: [&str; 3] = ["starter", "salary-advance", "small-business"];

/// The result of an edit, from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Came {
    /// Reported: the first error is on an edited line.
    AtTheEdit,
    /// Reported: the first error is where the consequence shows, see [`Reach::holds`].
    AtAConsequence,
    /// Valid, and a warning reports something odd.
    Warned,
    /// Valid, and all cases are decided as before.
    SameDecisions,
    /// Valid, and some case is decided differently, as intended by the edit: it changed a number, a text, a sign or an
    /// optional key.
    OtherMeaning,
    /// Reported, but first at an unrelated place.
    Elsewhere,
    /// Looks like a mistake, nothing is reported, and a case is decided differently.
    Silent,
}

impl Came {
    const ALL: [Came; 7] = [
        Came::AtTheEdit,
        Came::AtAConsequence,
        Came::Warned,
        Came::SameDecisions,
        Came::OtherMeaning,
        Came::Elsewhere,
        Came::Silent,
    ];

    fn title(self) -> &'static str {
        match self {
            Came::AtTheEdit => "told at the edit",
            Came::AtAConsequence => "at its consequence",
            Came::Warned => "warned",
            Came::SameDecisions => "same decisions",
            Came::OtherMeaning => "other meaning",
            Came::Elsewhere => "told elsewhere",
            Came::Silent => "silent",
        }
    }
}

/// A folder with the shipped rules, one of them edited.
struct Desk {
    folder: tempfile::TempDir,
    texts: BTreeMap<String, String>,
    decided: BTreeMap<&'static str, String>,
}

impl Desk {
    fn new() -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
        let mut texts = BTreeMap::new();
        for entry in fs::read_dir(rules).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                continue;
            }
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            texts.insert(name, fs::read_to_string(path).unwrap());
        }
        let mut desk = Desk { folder, texts, decided: BTreeMap::new() };
        desk.texts.iter().for_each(|(name, text)| desk.write(name, text));
        for policy in POLICIES {
            let decided = desk.decisions(policy).expect("the policies that ship are right");
            desk.decided.insert(policy, decided);
        }
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// The decisions on the shipped cases, without wording, metrics and digests.
    fn decisions(&self, policy: &str) -> Result<String, String> {
        let file = self.path(&format!("{policy}.cases.toml"));
        let cases = Cases::read(&file).map_err(|error| error.to_string())?;
        let trial =
            try_for_update(&self.path(&format!("{policy}.toml")), &file, &cases).map_err(|error| error.to_string())?;
        Ok(trial.tried.iter().map(|tried| in_short(&tried.decision)).collect())
    }
}

fn in_short(decision: &Decision) -> String {
    let reasons: Vec<_> = decision.reasons.iter().map(|reason| (&reason.id, reason.effect)).collect();
    let offers: Vec<_> = decision
        .offers
        .iter()
        .map(|offer| {
            (
                offer.tenure,
                offer.amount_offered,
                offer.interest.to_bits(),
                offer.fee,
                offer.amount_payable,
                &offer.expiry_date,
            )
        })
        .collect();
    let outputs: Vec<_> = decision.grade.values().collect();
    format!("{:?} {reasons:?} {:?} {outputs:?} {offers:?}\n", decision.outcome, decision.score)
}

/// What an edit affects beyond its own lines.
struct Reach<'e> {
    edit: &'e Edit,
    /// Names that the edited line defines or uses, that were cut off with it, or that depend on one of those.
    names: BTreeSet<String>,
}

impl<'e> Reach<'e> {
    fn of(desk: &Desk, name: &str, policy: &str, edit: &'e Edit) -> Self {
        let own = [
            "and", "or", "not", "filter", "where", "id", "when", "value", "min", "max", "unit", "doc", "money", "days",
        ];
        let words = |text: &str| words_of(text).filter(|word| !own.contains(&word.as_str())).collect::<Vec<_>>();
        let mut names: BTreeSet<String> = [words(&edit.before), words(&edit.after)].concat().into_iter().collect();
        let defined = |text: &str| -> Vec<(String, Vec<String>)> {
            let lines = file::lines(text);
            lines.iter().filter(|line| line.is_named()).map(|line| (line.key.to_owned(), words(line.code))).collect()
        };
        let there: BTreeSet<String> = defined(&edit.text).into_iter().map(|(name, _)| name).collect();
        let was = defined(&desk.texts[name]);
        names.extend(was.into_iter().map(|(name, _)| name).filter(|name| !there.contains(name)));
        // A definition that uses an affected name is affected itself.
        let files = [defined(&desk.texts["metrics.toml"]), defined(&desk.texts[&format!("{policy}.toml")])].concat();
        let defines: BTreeSet<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        loop {
            let reached = |(name, words): &&(String, Vec<String>)| {
                !names.contains(name)
                    && words.iter().any(|word| defines.contains(word.as_str()) && names.contains(word))
            };
            let more: Vec<String> = files.iter().filter(reached).map(|(name, _)| name.clone()).collect();
            if more.is_empty() {
                return Reach { edit, names };
            }
            names.extend(more);
        }
    }

    /// Whether an error about the edit may rightly be on `line`, which reads `text`. The line uses an affected name. Or
    /// it is the header of the edited section, which lacks a key. Or it is a row of the table whose outputs were
    /// edited. Or TOML read on to it: over at most three lines with content, or to the end.
    fn holds(&self, error: &Diagnostic, here: bool, line: usize, text: &str) -> bool {
        let edit = self.edit;
        let lines = file::lines(&edit.text);
        let says = |line: &usize| lines.get(line - 1).is_some_and(|line| !line.code.trim().is_empty());
        let next = (edit.lines.end..=lines.len()).filter(says).take(3).last().unwrap_or(lines.len());
        let ran_on = error.code == "toml" && line >= edit.lines.start && (line <= next || line == lines.len());
        let is_row = edit.after.starts_with("outputs")
            && lines.get(line - 1).map(|line| line.section) == lines.get(edit.lines.start - 1).map(|line| line.section);
        here && (ran_on || is_row || line == edit.section) || words_of(text).any(|word| self.names.contains(&word))
    }
}

fn words_of(text: &str) -> impl Iterator<Item = String> + '_ {
    file::words(text, 0..text.len()).into_iter().map(|word| text[word].to_lowercase())
}

/// The warnings of `check` on a policy that compiles.
fn warned(policy: &lendwright::rules::Policy) -> Option<String> {
    let found = policy.warnings().iter().cloned().chain(lendwright::analysis::analyse(policy)).next();
    found.map(|diagnostic| diagnostic.message)
}

/// The result of an edit, and the message.
fn came(desk: &Desk, name: &str, edit: &Edit, sort: Sort) -> (Came, String) {
    let of_policy = POLICIES.iter().find(|policy| name == format!("{policy}.toml"));
    let policies: Vec<&str> = of_policy.map_or(POLICIES.to_vec(), |policy| vec![*policy]);
    let mut worst = Came::AtTheEdit;
    let mut said = String::new();
    for policy in policies {
        let (came, told) = match load_policy(desk.path(&format!("{policy}.toml")), &[]) {
            Err(lendwright::files::PolicyError::Refused(refused)) => {
                told(&Reach::of(desk, name, policy, edit), name, &refused.diagnostics, &refused.sources)
            }
            Err(other) => (Came::Elsewhere, other.to_string()),
            Ok(edited) if warned(&edited).is_some() => (Came::Warned, warned(&edited).unwrap_or_default()),
            Ok(_) => match desk.decisions(policy) {
                Ok(decided) if decided == desk.decided[policy] => (Came::SameDecisions, String::new()),
                Ok(_) if sort == Sort::Meaning => (Came::OtherMeaning, String::new()),
                Ok(_) => (Came::Silent, String::new()),
                // A case sets something that is gone.
                Err(told) => (Came::AtAConsequence, told),
            },
        };
        if came >= worst {
            (worst, said) = (came, told);
        }
    }
    (worst, said)
}

fn told(reach: &Reach, name: &str, diagnostics: &[Diagnostic], sources: &Sources) -> (Came, String) {
    let errors: Vec<&Diagnostic> = diagnostics.iter().filter(|found| found.severity == Severity::Error).collect();
    for error in diagnostics {
        let source = sources.get(error.span).expect("a place in one of the files");
        let (start, end) = (error.span.start as usize, error.span.end as usize);
        assert!(source.text.get(start..end).is_some(), "{error:?} points between letters");
        assert!(!error.message.is_empty() && !error.message.contains("DeValue"), "{error:?}");
    }
    let first = errors[0];
    let source = sources.get(first.span).expect("a place in one of the files");
    let here = source.name.ends_with(name);
    let (line, _) = sources.line_column(first.span);
    let text = source.text.lines().nth(line - 1).unwrap_or("");
    let said =
        format!("{}:{line}: {} [{}] {text}", source.name.rsplit('/').next().unwrap_or(""), first.message, first.code);
    // A place over several lines contains the edit if it covers its line.
    let last = line + source.text[first.span.start as usize..first.span.end as usize].trim_end().matches('\n').count();
    let came = if here && line < reach.edit.lines.end && reach.edit.lines.start <= last {
        Came::AtTheEdit
    } else if reach.holds(first, here, line, text) {
        Came::AtAConsequence
    } else {
        Came::Elsewhere
    };
    (came, said)
}

fn names() -> Names {
    let starter = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/starter.toml");
    let policy = load_policy(starter, &[]).unwrap();
    let units = policy.metrics().map(|(name, ty)| (name.to_owned(), ty.unit.word())).collect();
    Names { units, functions: FUNCTIONS.iter().chain(AGGREGATES).copied().collect() }
}

#[test]
fn no_edit_of_a_policy_changes_a_decision_in_silence() {
    let whole = campaign::is_everything();
    let (desk, names) = (Desk::new(), names());
    let files = ["starter.toml", "metrics.toml", "salary-advance.toml", "small-business.toml"];
    let mut counts: BTreeMap<(usize, Came), usize> = BTreeMap::new();
    let mut findings = String::new();
    let mut made = 0;
    for number in (0..EDITS).step_by(if whole { 1 } else { campaign::size(48, 8) }) {
        let mut chance = Chance(number as u64 * 7_919 + 1);
        // Evenly over the kinds, even in a part of the campaign.
        let kind = (number / 8 + number % 8) % KINDS.len();
        let edit = (0..20).find_map(|_| {
            // Word lists are in a file of their own.
            let of_words = KINDS[kind].0 == "a word list removed";
            let name = if of_words { "words.toml" } else { chance.one(&files)? };
            Some((name, edits::edit(&desk.texts[name], kind, &names, &mut chance)?))
        });
        let Some((name, edit)) = edit else { panic!("there is no place for {}", KINDS[kind].0) };
        made += 1;
        desk.write(name, &edit.text);
        let (came, told) = came(&desk, name, &edit, KINDS[kind].1);
        desk.write(name, &desk.texts[name]);
        *counts.entry((kind, came)).or_default() += 1;
        if came >= Came::Elsewhere {
            let _ = writeln!(
                findings,
                "{number} {name}:{} {}, {came:?}\n  - {}\n  + {}\n  {told}",
                edit.lines.start, KINDS[kind].0, edit.before, edit.after
            );
        }
    }
    let mut table = format!(
        "{made} edits\n\n| kind |{}\n|---|{}\n",
        Came::ALL.map(|came| format!(" {} |", came.title())).concat(),
        "---|".repeat(7)
    );
    for (kind, (name, ..)) in KINDS.iter().enumerate() {
        let cells = Came::ALL.map(|came| format!(" {} |", counts.get(&(kind, came)).copied().unwrap_or(0)));
        let _ = writeln!(table, "| {name} |{}", cells.concat());
    }
    let total = Came::ALL.map(|came| {
        format!(" {} |", counts.iter().filter(|((_, found), _)| *found == came).map(|(_, count)| count).sum::<usize>())
    });
    let _ = writeln!(table, "| **all** |{}", total.concat());
    if whole {
        println!("{table}");
    }
    assert!(findings.is_empty(), "{table}\n{findings}");
}
