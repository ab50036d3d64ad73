//! Bills by commands: made once, and confirmed for their own amount.

use std::fs;

use lendwright::sandbox::{Fault, Faults};

use super::Scene;

#[test]
fn a_bill_whose_answer_is_lost_is_kept() {
    let lost = Fault { lost_after_commit: true, times: Some(1), ..Fault::default() };
    let scene = Scene::new(Faults { create_bill: Some(lost), ..Faults::default() });
    let create = "bill create --merchant M1 --payable P1 --amount-minor 250000 --customer C1 --reference OWN-1 \
                  --redirect-url http://localhost/paid --store a.json"
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let said = scene.run(&create);
    assert!(said.status == 1 && said.err.contains("the request is kept in `a.json`"), "{}", said.err);
    let asked = scene.run("bill confirm a.json");
    assert!(asked.status == 1 && asked.err.contains("no answer came"), "{}", asked.err);
    // By the merchant's own reference it can be asked about.
    let settings = fs::read_to_string(scene.folder.path().join("provider.toml")).unwrap();
    let asks_by_own = ", status = { reference = \"transaction\" } }\ntoken";
    fs::write(scene.folder.path().join("provider.toml"), settings.replace(" }\ntoken", asks_by_own)).unwrap();
    let asked = scene.run("bill confirm a.json --dry-run");
    assert!(asked.out.contains("transactionreference=OWN-1"), "{} {}", asked.out, asked.err);
}

#[test]
fn a_bill_is_confirmed_for_its_own_amount_alone() {
    let scene = Scene::new(Faults::default());
    let create = "bill create --merchant M1 --payable P1 --amount-minor 250000 --customer C1 \
        --redirect-url http://localhost/paid";
    for (store, paid, expected) in [
        ("a.json", None, Err((5, "has not been paid yet"))),
        ("b.json", Some(""), Ok(())),
        ("c.json", Some("?amount=100"), Err((1, "it is of 100 minor units, but 250000 were asked for"))),
    ] {
        let bill = scene.run(&format!("{create} --store {store}")).json();
        if let Some(amount) = paid {
            let url = format!("{}/now{amount}", bill["paymentUrl"].as_str().unwrap());
            scene.runtime.block_on(crate::fixtures::sandbox::client().get(url).send()).unwrap();
        }
        let said = scene.run(&format!("bill confirm {store}"));
        match expected {
            Ok(()) => assert_eq!(said.json()["paid"], true),
            Err((status, problem)) => {
                assert_eq!((said.status, said.out.as_str()), (status, ""));
                assert!(said.err.contains(problem), "{}", said.err);
            }
        }
    }
    let again = scene.run(&format!("{create} --store a.json"));
    assert!(again.status == 1 && again.err.contains("already exists"), "{}", again.err);
    let shown = scene.run("bill confirm a.json --dry-run");
    assert_eq!(shown.status, 1, "a script that checks the exit status must not see a payment");
    assert!(shown.out.contains("gettransaction.json?merchantcode=M1&transactionreference="), "{}", shown.out);
}
