//! The mistakes that analysts made (`testdata/rules/mistakes.toml`): each gives its finding with a remedy, and what was
//! meant does not.

use std::path::Path;

use lendwright::analysis::analyse;
use lendwright::base::diagnostic::Diagnostic;
use lendwright::compile;
use serde::Deserialize;

const HEADER: &str = "[policy]\nname = \"line\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\n";
const OFFER: &str = "\n[[offer]]\nid = \"any\"\ntenure = 30\namount = \"SUM(credit)\"\ninterest = 3\n";

#[derive(Deserialize)]
struct Collection {
    mistake: Vec<Mistake>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mistake {
    what: String,
    /// What `check` said of it before.
    #[allow(dead_code, reason = "for people who read the table")]
    before: String,
    /// Severity and code.
    now: [String; 2],
    /// A part of the message or the remedy.
    says: String,
    /// The text that a quick fix replaces, and the new one.
    fix: Option<[String; 2]>,
    policy: String,
    wrong: String,
    right: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What `check` finds, and the text of the policy.
fn findings(policy: &str) -> (Vec<Diagnostic>, String) {
    let head = if policy.contains("[policy]") { "" } else { HEADER };
    let offer = if policy.contains("[[offer]]") { "" } else { OFFER };
    let text = format!("{head}{policy}{offer}");
    let mut read = |name: &str| std::fs::read_to_string(root().join("rules").join(name)).map_err(|why| why.to_string());
    let found = match compile("policy.toml", &text, &mut read, &[]) {
        Ok(policy) => [analyse(&policy), policy.warnings().to_vec()].concat(),
        Err(refused) => refused.diagnostics,
    };
    (found, text)
}

/// As JSON names it.
fn severity(found: &Diagnostic) -> String {
    serde_json::to_value(found.severity).unwrap().as_str().unwrap().to_owned()
}

#[test]
fn every_mistake_is_found_with_its_remedy() {
    let table = std::fs::read_to_string(root().join("testdata/rules/mistakes.toml")).unwrap();
    let table: Collection = toml::from_str(&table).unwrap();
    assert!(table.mistake.len() >= 32, "{}", table.mistake.len());
    let failures: Vec<String> = table.mistake.iter().filter_map(|mistake| failure_of(mistake).err()).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn failure_of(mistake: &Mistake) -> Result<(), String> {
    let Mistake { what, now: [level, code], says, fix, policy, wrong, right, .. } = mistake;
    let (found, text) = findings(policy);
    let is_it = |one: &&Diagnostic| {
        let said = format!("{}; {}", one.message, one.help.as_deref().unwrap_or_default());
        one.code == code && severity(one) == *level && said.contains(says)
    };
    let Some(finding) = found.iter().find(is_it) else {
        return Err(format!("{what}: no {level} `{code}` that says `{says}` among {found:#?}"));
    };
    let place = &text[finding.span.start as usize..finding.span.end as usize];
    if let Some([old, new]) = fix {
        let meant = finding.replacement.as_ref().ok_or_else(|| format!("{what}: no quick fix at `{place}`"))?;
        let written = &text[meant.span.start as usize..meant.span.end as usize];
        if (written, meant.old.as_str(), meant.new.as_str()) != (old, old, new) {
            return Err(format!("{what}: the quick fix writes {meant:?} in place of `{written}`"));
        }
    }
    if !policy.contains(wrong.as_str()) {
        return Err(format!("{what}: `{wrong}` is not in the policy"));
    }
    let (left, _) = findings(&policy.replacen(wrong, right, 1));
    match left.iter().find(|one| one.code == code || severity(one) == "error") {
        Some(left) => Err(format!("{what}: with `{right}`, there is still {left:#?}")),
        None => Ok(()),
    }
}

#[test]
fn what_ships_has_none_of_them() {
    let table = std::fs::read_to_string(root().join("testdata/rules/mistakes.toml")).unwrap();
    let table: Collection = toml::from_str(&table).unwrap();
    for name in ["starter", "small-business", "salary-advance", "examples/berka"] {
        let text = std::fs::read_to_string(root().join(format!("rules/{name}.toml"))).unwrap();
        let folder = root().join("rules").join(name).parent().unwrap().to_owned();
        let mut read = |used: &str| std::fs::read_to_string(folder.join(used)).map_err(|why| why.to_string());
        let policy = compile(name, &text, &mut read, &[]).unwrap();
        for found in [analyse(&policy), policy.warnings().to_vec()].concat() {
            let is_listed = table.mistake.iter().any(|mistake| mistake.now[1] == found.code);
            assert!(!is_listed, "{name}: {found:#?}");
        }
    }
}

/// What looks like a mistake and may well be meant: at most a note, so `--deny warnings` lets it pass.
#[test]
fn what_may_be_meant_is_no_warning() {
    let policies = [
        // Income covers repayments several times.
        "[metric]\ncover = \"SUM(credit) / SUM(debit) FILTER (WHERE desc ILIKE '%loan%')\"\n\n[[require]]\nid = \"R\"\n\
         when = \"cover >= 5\"\nreason = \"{cover}\"\n",
        // Savings last for months.
        "[month]\nspent = \"SUM(debit)\"\n\n[metric]\nlasts = \"SUM(debit) FILTER (WHERE desc ILIKE '%save%') / \
         AVG(spent)\"\n\n[[require]]\nid = \"R\"\nwhen = \"lasts >= 1\"\nreason = \"{lasts}\"\n",
        // A loan for a week.
        "[[offer]]\nid = \"week\"\ntenure = 7\namount = \"0.1 * SUM(credit)\"\ninterest = 8\n",
        // Several debits for each credit.
        "[metric]\ntimes = \"COUNT(*) FILTER (WHERE debit > 0) / COUNT(*) FILTER (WHERE credit > 0)\"\n\n[[require]]\n\
         id = \"R\"\nwhen = \"times <= 30\"\nreason = \"{times}\"\n",
        // Requirements that meet.
        "[metric]\nn = \"COUNT(*)\"\n\n[[require]]\nid = \"A\"\nwhen = \"n >= 6\"\nreason = \"{n}\"\n\n[[require]]\n\
         id = \"B\"\nwhen = \"n <= 6\"\nreason = \"{n}\"\n",
        // One that is unknown passes both.
        "[request]\nage = \"count\"\n\n[[require]]\nid = \"A\"\nwhen = \"request.age >= 60\"\nunknown = \"pass\"\n\
         reason = \"{request.age}\"\n\n[[require]]\nid = \"B\"\nwhen = \"request.age <= 20\"\nunknown = \"pass\"\n\
         reason = \"{request.age}\"\n",
        // Switches, and a bound that lets everything pass.
        "[parameters]\nbets = false\nleast = { value = 0, unit = \"money\" }\n\n[[require]]\nid = \"A\"\n\
         when = \"COUNT(*) FILTER (WHERE $bets AND desc ILIKE '%bet%' OR debit < 0.5 AND debit >= $least) < 3 \
         AND as_of - MAX(trans_date) <= 14\"\nreason = \"bets\"\n",
        // Days since something bad, which must be long ago.
        "[metric]\nsince = \"as_of - MAX(trans_date) FILTER (WHERE desc ILIKE '%returned%')\"\n\n[[require]]\nid = \
         \"A\"\nwhen = \"since >= 30\"\nunknown = \"pass\"\nreason = \"{since}\"\n",
        // A least amount, a fee in coins, a rate above the offer's.
        "[[offer]]\nid = \"line\"\ntenure = 90\ninstalments = 3\nmethod = \"reducing\"\ninterest = 3\nfee = \"1.5\"\n\
         amount = \"LEAST(GREATEST(principal_for(0.2 * SUM(credit), 4, instalments), 10000), 200000)\"\n",
    ];
    for policy in policies {
        let warned = findings(policy).0.into_iter().filter(|found| severity(found) != "note");
        let warned: Vec<Diagnostic> = warned.collect();
        assert!(warned.is_empty(), "{policy}\n{warned:#?}");
    }
}
