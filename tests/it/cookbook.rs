//! Every piece of the cookbook with its people, as `lendwright test` runs them.

use std::path::Path;
use std::process::Command;

const HEADER: &str = "[policy]\nname = \"cookbook\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\nuse = [\"metrics.toml\"]\n\n";
const OFFER: &str = "\n[[offer]]\nid = \"any\"\ntenure = 30\namount = 10_000\ninterest = 1\n";

/// The block of a kind in a piece.
fn block<'p>(piece: &'p str, kind: &str) -> Option<&'p str> {
    let (_, rest) = piece.split_once(&format!("\n```{kind}\n"))?;
    rest.split_once("\n```").map(|(block, _)| block)
}

#[test]
fn every_piece_does_to_its_people_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/rules/cookbook.md")).unwrap();
    let desk = tempfile::tempdir().unwrap();
    std::fs::copy(root.join("rules/metrics.toml"), desk.path().join("metrics.toml")).unwrap();
    let mut pieces = 0;
    let mut wrong = String::new();
    for piece in page.split("\n## ").skip(1) {
        let title = piece.lines().next().unwrap();
        let rules = block(piece, "toml").unwrap_or_else(|| panic!("`{title}` has no rules"));
        let cases = block(piece, "cases").unwrap_or_else(|| panic!("`{title}` has nobody to try it on"));
        let offer = if rules.contains("[[offer]]") { "" } else { OFFER };
        let name = format!("piece{pieces}");
        std::fs::write(desk.path().join(format!("{name}.toml")), format!("{HEADER}{rules}\n{offer}")).unwrap();
        std::fs::write(desk.path().join(format!("{name}.cases.toml")), cases).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_lendwright"))
            .args(["test", &format!("{name}.toml")])
            .current_dir(desk.path())
            .output()
            .unwrap();
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            wrong += &format!("## {title}\n{said}\n");
        }
        pieces += 1;
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(pieces >= 20, "{pieces} pieces");
}
