//! A live policy: what is on disk comes into force complete and valid, or not at all.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use lendwright::decision::{Application, Request, decide_one};
use lendwright::live_policy::{Error, Reloaded};
use lendwright::{LivePolicy, Outcome, load_policies};

use super::{digests, put, rules, statement, version, versions};

fn said(reloaded: &Result<Reloaded, Error>, folder: &Path) -> String {
    match reloaded {
        Ok(Reloaded::Unchanged) => "unchanged".to_owned(),
        Ok(Reloaded::Changing) => "changing".to_owned(),
        Ok(Reloaded::Swapped { .. }) => "swapped".to_owned(),
        Err(wrong) => wrong.to_string().replace(&folder.display().to_string(), "[folder]"),
    }
}

/// A change on disk.
type Change = fn(&Path);

#[test]
fn a_reload_puts_in_force_what_is_good_and_keeps_what_was() {
    let steps: [(&str, Change); 11] = [
        ("nothing changed", |_| {}),
        ("another version", |file| put(file, &rules("2"))),
        ("a mistake", |file| put(file, &rules("3").replace("records < 0", "recrods < 0"))),
        ("the mistake still", |_| {}),
        ("cut short within a line", |file| put(file, &rules("3")[..60])),
        ("no byte", |file| put(file, "")),
        ("no text", |file| fs::write(file, b"[policy]\nname = \"\xff\"").unwrap()),
        ("gone", |file| fs::remove_file(file).unwrap()),
        ("a folder in its place, with nothing in it", |file| fs::create_dir(file).unwrap()),
        ("back as it was", |file| {
            fs::remove_dir(file).unwrap();
            put(file, &rules("2"));
        }),
        ("the version after", |file| put(file, &rules("3"))),
    ];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.toml");
    put(&file, &rules("1"));
    let live = LivePolicy::load(&file, &[]).unwrap();
    let mut told = String::new();
    for (what, change) in steps {
        change(&file);
        let before = live.current();
        let reloaded = live.reload();
        if !matches!(reloaded, Ok(Reloaded::Swapped { .. })) {
            assert_eq!(digests(&before), digests(&live.current()), "{what}");
        }
        told += &format!("{what}: {}\n    in force: {}\n", said(&reloaded, folder.path()), versions(&live));
    }
    insta::assert_snapshot!("embedding_reload", told);
}

#[test]
fn what_is_refused_at_first_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(LivePolicy::load(folder.path().join("none.toml"), &[]).is_err());
    let file = folder.path().join("policy.toml");
    put(&file, &rules("1").replace("records <", "<"));
    assert!(matches!(LivePolicy::load(&file, &[]), Err(Error::Policy(_))));
}

#[test]
fn parameters_given_at_first_hold_for_every_load() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.toml");
    let with = |version: &str| rules(version) + "\n[parameters]\nlimit = 3\n";
    put(&file, &with("1"));
    let live = LivePolicy::load(&file, &[("limit".into(), "4".into())]).unwrap();
    put(&file, &with("2"));
    assert!(matches!(live.reload(), Ok(Reloaded::Swapped { .. })));
    let decision = decide(&live);
    assert_eq!((version(&decision).as_str(), decision.parameters["limit"].as_str()), ("2", "4"));
    // A version without this parameter is refused, as a file on the command line would be.
    put(&file, &rules("3"));
    assert!(live.reload().is_err());
    assert_eq!(versions(&live), "2");
}

fn decide(live: &LivePolicy) -> lendwright::Decision {
    let (body, request) = (statement(1, 5), Request::default());
    decide_one(&*live.current(), &Application { label: "one", body: &body, request: &request }).unwrap()
}

#[test]
fn every_file_that_is_used_is_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let head = rules("1").replace("[metric]", "use = [\"shared.toml\"]\n\n[metric]");
    put(&at("policy.toml"), &head);
    put(&at("shared.toml"), "[parameters]\nlimit = 3\n");
    let live = LivePolicy::load(at("policy.toml"), &[]).unwrap();
    let look = || said(&live.reload_if_changed(), folder.path());
    assert_eq!(look(), "unchanged");
    put(&at("shared.toml"), "[parameters]\nlimit = 4\n");
    assert_eq!([look(), look(), look()], ["changing", "swapped", "unchanged"]);
    fs::remove_file(at("shared.toml")).unwrap();
    assert_eq!(look(), "changing");
    let refused = look();
    assert!(refused.contains("shared.toml"), "{refused}");
    // A refused policy is not reported again until it changes.
    assert_eq!(look(), "unchanged");
    put(&at("shared.toml"), "[parameters]\nlimit = 4\n");
    assert_eq!([look(), look(), look()], ["changing", "unchanged", "unchanged"]);
    assert_eq!(decide(&live).outcome, Outcome::Decline);
}

#[test]
fn an_edited_list_comes_into_force_and_a_broken_one_does_not() {
    use polars::prelude::{DataFrame, ParquetWriter, df};

    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let lists = "[list.blocked]\nfile = \"blocked.csv\"\n[list.known]\nfile = \"known.parquet\"\n\
                 [request]\nphone = \"text\"\n[metric]\n\
                 listed = \"in_list(blocked, request.phone) AND in_list(known, request.phone)\"\n";
    let write_known = |mut frame: DataFrame| {
        let file = fs::File::create(at("known.part")).unwrap();
        ParquetWriter::new(file).finish(&mut frame).unwrap();
        fs::rename(at("known.part"), at("known.parquet")).unwrap();
    };
    put(&at("policy.toml"), &rules("1").replace("[metric]\n", lists));
    put(&at("blocked.csv"), "phone\n0803\n");
    write_known(df!("phone" => ["0803"]).unwrap());
    let live = LivePolicy::load(at("policy.toml"), &[]).unwrap();
    let look = || said(&live.reload_if_changed(), folder.path());
    let is_listed = |phone: &str| {
        let (body, policies) = (statement(1, 5), live.current());
        let json = format!("{{\"phone\": \"{phone}\"}}");
        let request = Request::from_json(&*policies, json.as_bytes()).unwrap();
        let application = Application { label: "one", body: &body, request: &request };
        decide_one(&*policies, &application).unwrap().metrics["listed"].as_bool().unwrap()
    };
    assert_eq!((look(), is_listed("0803"), is_listed("0900")), ("unchanged".to_owned(), true, false));
    put(&at("blocked.csv"), "phone\n0803\n0900\n");
    assert_eq!([look(), look(), look()], ["changing", "swapped", "unchanged"]);
    write_known(df!("phone" => ["0803", "0900"]).unwrap());
    assert_eq!([look(), look(), look()], ["changing", "swapped", "unchanged"]);
    assert!(is_listed("0900"));
    // Broken: the last good list stays in force, and the message shows no key.
    put(&at("blocked.csv"), "phone\n\"0803\n0900\n");
    assert_eq!(look(), "changing");
    let refused = look();
    assert!(refused.contains("line 2: this quote is never closed") && !refused.contains("0803"), "{refused}");
    assert!(is_listed("0803") && is_listed("0900"));
    fs::write(at("known.parquet"), b"PAR1 no longer").unwrap();
    assert_eq!(look(), "changing");
    assert!(look().contains("known.parquet"), "both files are broken");
    assert!(is_listed("0803") && is_listed("0900"));
}

/// Every prefix of a rule file may be a policy that lacks requirements; none ever comes into force.
#[test]
fn a_file_that_is_being_written_is_not_loaded_until_it_holds_still() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.toml");
    put(&file, &rules("1"));
    let live = LivePolicy::load(&file, &[]).unwrap();
    let text = rules("2");
    let prefixes: Vec<&str> = (0..text.len()).map(|to| &text[..to]).collect();
    let mut policies = 0;
    for prefix in prefixes {
        fs::write(&file, prefix).unwrap();
        assert!(matches!(live.reload_if_changed(), Ok(Reloaded::Changing)));
        policies += usize::from(load_policies(&file, &[]).is_ok());
        assert_eq!(version(&decide(&live)), "1");
    }
    assert!(policies > 10, "some beginnings are policies: {policies}");
    fs::write(&file, &text).unwrap();
    assert!(matches!(live.reload_if_changed(), Ok(Reloaded::Changing)));
    assert!(matches!(live.reload_if_changed(), Ok(Reloaded::Swapped { .. })));
    assert_eq!(version(&decide(&live)), "2");
}

/// A new file, in a folder of versions or used by another file, is read twice like the others.
#[test]
fn a_new_file_that_is_being_written_is_not_loaded_until_it_holds_still() {
    let folder = tempfile::tempdir().unwrap();
    let dated = |version: &str, from: &str| rules(version).replace("\n\n[metric]", &format!("\n{from}\n\n[metric]"));
    put(&folder.path().join("a.toml"), &dated("1", "valid_to = 2026-06-30"));
    let live = LivePolicy::load(folder.path(), &[]).unwrap();
    let text = dated("2", "valid_from = 2026-07-01");
    for to in 1..=text.len() {
        fs::write(folder.path().join("b.toml"), &text[..to]).unwrap();
        assert!(matches!(live.reload_if_changed(), Ok(Reloaded::Changing)), "{to}");
    }
    assert!(matches!(live.reload_if_changed(), Ok(Reloaded::Swapped { .. })));
    assert_eq!(live.in_force().len(), 2);

    // The second version now uses a file, which is half written when it is first read.
    let shared = "[parameters]\nlimit = 3\n";
    let using = text
        .replace("[metric]", "use = [\"shared/limits.toml\"]\n\n[metric]")
        .replace("version = \"2\"", "version = \"3\"");
    fs::create_dir(folder.path().join("shared")).unwrap();
    put(&folder.path().join("b.toml"), &using);
    let mut looks = Vec::new();
    for to in [0, 13, shared.len() - 2, shared.len()] {
        fs::write(folder.path().join("shared/limits.toml"), &shared[..to]).unwrap();
        looks.push(said(&live.reload_if_changed(), folder.path()));
    }
    assert!(looks.iter().all(|look| look == "changing"), "{looks:?}");
    assert_eq!(said(&live.reload_if_changed(), folder.path()), "swapped");
    assert_eq!(said(&live.reload_if_changed(), folder.path()), "unchanged");
}

#[test]
fn a_folder_of_versions_is_looked_at_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let dated = |version: &str, from: &str| rules(version).replace("\n\n[metric]", &format!("\n{from}\n\n[metric]"));
    put(&folder.path().join("a.toml"), &dated("1", "valid_to = 2026-06-30"));
    let live = LivePolicy::load(folder.path(), &[]).unwrap();
    let mut told = String::new();
    let mut step = |what: &str, name: &str, text: &str| {
        put(&folder.path().join(name), text);
        let looked = [live.reload_if_changed(), live.reload_if_changed()].map(|look| said(&look, folder.path()));
        told += &format!("{what}: {}\n    in force: {}\n", looked.join(", then "), versions(&live));
    };
    step("a later version", "b.toml", &dated("2", "valid_from = 2026-07-01"));
    step("one with days of another", "c.toml", &dated("3", "valid_from = 2026-07-01"));
    step("a file of cases", "c.cases.toml", "[[case]]\n");
    step("that one later still", "c.toml", &dated("3", "valid_from = 2026-10-01"));
    step("the second with an end", "b.toml", &dated("2", "valid_from = 2026-07-01\nvalid_to = 2026-09-30"));
    step("the second without a byte", "b.toml", "");
    insta::assert_snapshot!("embedding_folder", told);
}

#[test]
fn readers_see_one_whole_policy_during_two_hundred_reloads() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("policy.toml");
    put(&file, &rules("1"));
    let live = LivePolicy::load(&file, &[]).unwrap();
    let known: Vec<_> = ["2", "1"]
        .map(|version| {
            put(&file, &rules(version));
            let _ = live.reload().unwrap();
            live.in_force()[0].digest
        })
        .into();
    let (body, request, done) = (statement(1, 5), Request::default(), AtomicBool::new(false));
    let seen = [(); 2].map(|()| AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let policy = live.current();
                    let application = Application { label: "one", body: &body, request: &request };
                    let decision = decide_one(&*policy, &application).unwrap();
                    let at = known.iter().position(|digest| *digest == decision.policy.digest).unwrap();
                    assert_eq!(version(&decision), ["2", "1"][at]);
                    assert_eq!(digests(&policy), [decision.policy.digest]);
                    seen[at].fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for reload in 0..200 {
            put(&file, &rules(["2", "1"][reload % 2]));
            let swapped = live.reload();
            let Ok(Reloaded::Swapped { before, now }) = swapped else { panic!("{swapped:?}") };
            assert_eq!((digests(&before)[0], digests(&now)[0]), (known[(reload + 1) % 2], known[reload % 2]));
        }
        // Both are seen by some thread, however the threads are scheduled.
        while seen.iter().any(|seen| seen.load(Ordering::Relaxed) == 0) {
            put(&file, &rules("2"));
            let _ = live.reload().unwrap();
            std::thread::yield_now();
            put(&file, &rules("1"));
            let _ = live.reload().unwrap();
            std::thread::yield_now();
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_policy_with_other_parameters_is_another_one() {
    let text = "[policy]\nname = \"live\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\n\n\
        [parameters]\nleast = 3\n\n[metric]\nenough = \"COUNT(*) >= $least\"\n";
    let compiled = |least: &str| {
        let overrides = [("least".to_owned(), least.to_owned())];
        lendwright::compile("live.toml", text, &mut |_| Err("no other files".into()), &overrides).expect("a policy")
    };
    let live = LivePolicy::new(compiled("3"));
    assert!(matches!(live.replace(compiled("3")), Reloaded::Unchanged));
    assert!(matches!(live.replace(compiled("4")), Reloaded::Swapped { .. }));
    assert!(matches!(live.reload(), Err(lendwright::live_policy::Error::NoFiles)));
    assert!(matches!(live.reload_if_changed(), Err(lendwright::live_policy::Error::NoFiles)));
}
