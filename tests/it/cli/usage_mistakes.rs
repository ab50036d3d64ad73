//! Mistakes at the command line by an analyst who has read only the pages: each message says what to do.

use crate::fixtures::desk::{Desk, POLICY};

/// Whatever it is that they hold.
#[test]
fn files_for_policies_to_use_need_no_head() {
    let desk = Desk::new();
    for holds in [
        "[parameters]\nleast = 3\n",
        "[words]\npay = [\"salary\"]\n",
        "[request]\nage = \"count\"\n",
        "[bureau]\nscore = \"count\"\n",
        "[transaction]\nin = \"credit\"\n",
        "[month]\nin = \"SUM(credit)\"\n",
        "[metric]\nin = \"SUM(credit)\"\n",
        "[[require]]\nid = \"R\"\nwhen = \"COUNT(*) > 3\"\nreason = \"few\"\n",
        "[table.t]\nhit = \"first\"\ninputs = [\"COUNT(*)\"]\noutputs = { o = \"text\" }\nrows = [[\"-\", \"A\"]]\n",
        "[score]\nbase = 1\n[[score.item]]\non = \"COUNT(*)\"\npoints = [[\"-\", 2]]\n",
        "[[offer]]\nid = \"o\"\ntenure = 30\namount = 100\ninterest = 3\n",
    ] {
        desk.write("part.toml", holds);
        let said = desk.run(&["check", "part.toml"]);
        assert_eq!(said.status, 0, "{holds}{}", said.err);
        assert!(said.out.starts_with("part.toml: ok, for policies to use"), "{holds}{}", said.out);
    }
    for empty in ["", "# nothing yet\n", "[metric]\n"] {
        desk.write("part.toml", empty);
        let said = desk.run(&["check", "part.toml"]);
        assert!(said.status == 1 && said.err.contains("`[policy]` is missing"), "{empty}{}", said.err);
    }
}

/// Mistakes at the command line have no line in a file.
#[test]
fn a_parameter_given_wrongly_is_no_mistake_of_the_file() {
    let desk = Desk::new();
    let with = |values: &[&str]| {
        let mut args = vec!["decide", "--policy", "rules/small.toml", "in/statement-000001.json"];
        values.iter().for_each(|value| args.extend(["--param", value]));
        desk.run(&args)
    };
    let said = with(&["min_records=abc", "x=3"]);
    let whole = "error: --param: unknown parameter `x` given from outside; the policy has no such parameter\n\
                 --param: parameter `min_records`: `abc`, given from outside, has a different type from 5\n\
                 nothing was done: `--param` makes `rules/small.toml` invalid\n";
    assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (1, "", whole));
    desk.write("rules/small.toml", &POLICY.replace("records >=", "recrods >="));
    let said = with(&["min_records=abc"]);
    assert!(
        said.status == 1 && said.err.ends_with("`rules/small.toml` has mistakes; nothing was done\n"),
        "{}",
        said.err
    );
}

#[test]
fn the_help_of_format_says_what_each_command_prints() {
    let desk = Desk::new();
    for (command, says) in [
        ("explain", "`json` is the whole explanation, one object per line"),
        ("diff", "`json` is one list of all changes"),
        ("test", "`json` is one object per case, one per line"),
        ("decide", "results are the same either way"),
        ("metrics", "results are the same either way"),
    ] {
        let help = desk.run(&[command, "--help"]).out;
        let whole = help.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(whole.contains(says), "{command}: {help}");
    }
}

#[test]
fn explain_takes_several_files() {
    let desk = Desk::new();
    let files = ["in/statement-000001.json", "in/none.json", "in/statement-000002.json"];
    let explain = |more: &[&str]| {
        let mut arguments = vec!["explain", "--policy", "rules/small.toml", "--as-of", "2026-10-31"];
        arguments.extend(more);
        desk.run(&arguments)
    };
    let alone: Vec<String> = [files[0], files[2]].map(|file| explain(&[file]).out).into();
    let said = explain(&files);
    assert_eq!((said.status, said.out), (1, alone.join("\n")));
    assert!(said.err.contains("in/none.json"), "{}", said.err);
    let said = explain(&[files[0], files[2], "--format", "json", "--html", "all.html"]);
    assert_eq!((said.status, said.out.lines().count()), (0, 2));
    assert!(desk.read("all.html").contains("<h1>2 decisions</h1>"));
    let customer = serde_json::from_str::<serde_json::Value>(said.out.lines().nth(1).unwrap()).unwrap();
    let customer = customer["decision"]["customer"].as_str().unwrap().to_owned();
    assert_eq!(explain(&[files[0], files[2], "--only-customer", &customer]).out, alone[1]);
    let said = explain(&[files[0], files[2], "--only-customer", "nobody"]);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    assert!(said.err.contains("none of the 2 files has a statement of the customer `nobody`"), "{}", said.err);
}

#[test]
fn a_score_is_no_metric() {
    let desk = Desk::new();
    let tables = "[score]\nbase = 1\n[[score.item]]\non = \"records\"\npoints = [[\"-\", 2]]\n[table.band]\n\
        hit = \"first\"\n\
        inputs = [\"score\"]\noutputs = { band = \"text\" }\nrows = [[\"-\", \"A\"]]\n";
    desk.write("rules/small.toml", &format!("{POLICY}\n{tables}"));
    let metric = |name: &str| {
        desk.run(&["explain", "--policy", "rules/small.toml", "in/statement-000001.json", "--metric", name]).err
    };
    assert!(metric("score").contains("`score` is the score, not a metric; `explain` without `--metric` shows it"));
    assert!(metric("band").contains("`band` is an output of a table"));
    assert!(metric("record").contains("did you mean `records`?"));
}

#[test]
fn a_version_that_is_no_text_is_told_once() {
    let desk = Desk::new();
    desk.write("rules/small.toml", &POLICY.replace("version = \"1\"", "version = 2026.11"));
    let said = desk.run(&["check", "rules/small.toml"]);
    assert_eq!(said.out, "rules/small.toml: 1 error\n", "{}", said.err);
    assert!(said.err.contains("expected text in quotes, found a number"), "{}", said.err);
}

#[test]
fn a_file_of_rows_is_checked_with_its_policy() {
    let desk = Desk::new();
    desk.write("rules/price.csv", "score,rate\n-,3\n");
    for command in
        [&["check", "rules/price.csv"][..], &["decide", "--policy", "rules/price.csv", "in/statement-000001.json"]]
    {
        let said = desk.run(command);
        let whole = "`rules/price.csv` is a file of rows: check the policy that names it, such as \
            `rows = \"price.csv\"` of a table";
        assert_eq!((said.status, said.out.as_str()), (1, ""));
        assert!(said.err.contains(whole), "{}", said.err);
    }
}

#[test]
fn a_field_of_a_request_is_told_with_what_is_wanted() {
    let desk = Desk::new();
    desk.write("rules/small.toml", &POLICY.replace("amount = \"money\"", "amount = \"money\"\ncity = \"text\""));
    for (request, says) in [
        (
            r#"{"amuont": 1}"#,
            "request field `amuont`: did you mean `amount`? the policy declares under [request]: amount, city",
        ),
        (
            r#"{"asof": "2026-06-30"}"#,
            "request field `asof`: did you mean `as_of`? the policy declares under [request]: amount, city",
        ),
        (r#"{"x": 1}"#, "request field `x`: the policy declares under [request]: amount, city"),
        (r#"{"bureau": {"x": 1}}"#, "request field `bureau.x`: the policy declares nothing under [bureau]"),
        (r#"{"amount": "200000"}"#, "money is a whole number of minor units, without quotes: NGN 2,000.00 is 200000"),
        (r#"{"amount": 200000.50}"#, "money is a whole number of minor units, without quotes: NGN 2,000.00 is 200000"),
    ] {
        desk.write("request.json", request);
        let said = desk.run(&[
            "decide",
            "--policy",
            "rules/small.toml",
            "--request",
            "request.json",
            "in/statement-000001.json",
        ]);
        assert_eq!((said.status, said.out.as_str()), (1, ""), "{request}");
        assert!(said.err.contains(says), "{request}: {}", said.err);
    }
}
