//! The commands that call the provider, against a sandbox: the program itself, run in a folder with settings.

mod bill;
mod iqr;
mod ledger;
mod lending;

use std::fs;
use std::process::Command;
use std::sync::Arc;

use lendwright::sandbox::{Config, Faults, Sandbox};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// A sandbox, a folder with settings for it, and the program.
struct Scene {
    // Before the runtime, which it needs in order to stop.
    sandbox: Sandbox,
    runtime: Runtime,
    folder: TempDir,
}

struct Said {
    status: i32,
    out: String,
    err: String,
}

impl Said {
    fn json(&self) -> Value {
        assert_eq!(self.status, 0, "{}", self.err);
        serde_json::from_str(&self.out).unwrap_or_else(|_| panic!("{}", self.out))
    }
}

impl Scene {
    fn new(faults: Faults) -> Scene {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let statement = |_: &_| br#"{"status":"success","data":{"transactions":[{"id":"1"}]}}"#.to_vec();
        let mut config = Config::new(1, Arc::new(statement));
        config.faults = faults;
        let sandbox = runtime.block_on(Sandbox::start(config)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let url = sandbox.base_url();
        let settings = format!(
            "base_url = \"{url}\"\nprovider_code = \"SANDBOX\"\n\
             iqr = {{ base_url = \"{url}\", aggregator_id = \"AGG\" }}\n\
             bill = {{ base_url = \"{url}\" }}\ntoken = {{ file = {{ path = \"{}\" }} }}\n",
            folder.path().join("token").display()
        );
        fs::write(folder.path().join("provider.toml"), settings).unwrap();
        fs::write(folder.path().join("token"), sandbox.token().expose()).unwrap();
        fs::write(folder.path().join("card.enc"), "ENCRYPTED-CARD\n").unwrap();
        Scene { sandbox, runtime, folder }
    }

    fn run(&self, line: &str) -> Said {
        let person = &self.sandbox.people()[0];
        let line = line
            .replace("{customer}", &person.customer_id)
            .replace("{born}", &person.date_of_birth)
            .replace("{account}", &person.account_number)
            .replace("{bank}", &person.bank_code);
        let output = Command::new(env!("CARGO_BIN_EXE_lendwright"))
            .args(line.split(' '))
            .args(["--settings", "provider.toml"])
            .current_dir(self.folder.path())
            .env_remove("LENDWRIGHT_TOKEN")
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Said { status: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// A loan of 50,000.00, from the customer's question to the acceptance.
    fn loan(&self) -> String {
        let asked = self.run("offers --customer {customer} --born {born} --amount-minor 5000000");
        assert_eq!(asked.json()["responseCode"], "00");
        let reference = self.sandbox.requests()[0].reference.clone();
        let decision = r#"{"outcome":"offer","offers":[{"offerId":"O1","amountOffered":5000000,"interest":3.0,
            "amountPayable":5200000,"fee":0,"tenure":30,"terms":"","expiryDate":"2099-01-01T00:00:00Z",
            "currency":"566","isPartPaymentAllowed":true}]}"#;
        fs::write(self.folder.path().join("decision.json"), decision).unwrap();
        self.run(&format!("send decision.json --reference {reference}")).json();
        fs::write(self.folder.path().join("customer-token"), "customer-token").unwrap();
        let accept = "accept O1 --customer {customer} --account {account} --bank {bank} --loan-reference R1";
        let tokenless = self.run(accept);
        assert_eq!(tokenless.status, 2, "{}", tokenless.err);
        assert!(tokenless.err.contains("--customer-token-file"), "{}", tokenless.err);
        assert!(self.run(&format!("{accept} --dry-run")).out.contains("\"token\": \"[secret]\""));
        assert!(self.sandbox.state().loans().is_empty(), "nothing was sent");
        let accepted = self.run(&format!("{accept} --customer-token-file customer-token")).json();
        assert_eq!(accepted["answer"], "loan");
        accepted["loanId"].as_str().unwrap().to_owned()
    }

    fn add_settings(&self, lines: &str) {
        let path = self.folder.path().join("provider.toml");
        let before = fs::read_to_string(&path).unwrap();
        fs::write(path, before + lines).unwrap();
    }

    fn ledger(&self, id: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.path().join(format!("ledger/{id}.ndjson")));
        text.unwrap_or_default().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

const FUND: &str = "--customer {customer} --amount-minor 5000000 --terminal 3ABC --loan-reference R1 --ledger ledger";
