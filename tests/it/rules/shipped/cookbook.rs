//! Every piece of the cookbook with its people, as `lendwright test` runs them.

use std::path::Path;
use std::process::Command;

/// The block of a kind in a piece.
fn block<'p>(piece: &'p str, kind: &str) -> Option<&'p str> {
    let (_, rest) = piece.split_once(&format!("\n```{kind}\n"))?;
    rest.split_once("\n```").map(|(block, _)| block)
}

/// The list that the pieces ask.
fn blocked(page: &str) -> String {
    format!("{}\n", block(page, "csv").unwrap())
}

#[test]
fn every_piece_does_to_its_people_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/guides/cookbook.md")).unwrap();
    let (first, last) = (block(&page, "toml first").unwrap(), block(&page, "toml last").unwrap());
    let desk = tempfile::tempdir().unwrap();
    for shared in ["metrics.toml", "words.toml"] {
        std::fs::copy(root.join("rules").join(shared), desk.path().join(shared)).unwrap();
    }
    std::fs::write(desk.path().join("blocked.csv"), blocked(&page)).unwrap();
    let mut pieces = 0;
    let mut wrong = String::new();
    for piece in page.split("\n## ").skip(1) {
        let title = piece.lines().next().unwrap();
        let rules = block(piece, "toml").unwrap_or_else(|| panic!("`{title}` has no rules"));
        let cases = block(piece, "cases").unwrap_or_else(|| panic!("`{title}` has no cases"));
        let offer = if rules.contains("[[offer]]") { "" } else { last };
        let name = format!("piece{pieces}");
        std::fs::write(desk.path().join(format!("{name}.toml")), format!("{first}\n{rules}\n{offer}\n")).unwrap();
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

/// The other way on the page: as a file that a policy uses under a name.
#[test]
fn a_piece_is_brought_into_the_starter_as_a_file_of_its_own() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/guides/cookbook.md")).unwrap();
    let starter = std::fs::read_to_string(root.join("rules/starter.toml")).unwrap();
    let pieces = page.split("\n## ").skip(1).map(|piece| block(piece, "toml").unwrap());
    let mut brought = 0;
    for piece in pieces.filter(|piece| ["[score]", "[exposure]", "[ask]"].iter().all(|part| !piece.contains(part))) {
        let own = format!("use = [\"metrics.toml\"]\n{piece}\n");
        let both = "use = [\"metrics.toml\", { file = \"piece.toml\", as = \"piece\" }]";
        let policy = starter.replacen("use = [\"metrics.toml\"]", both, 1);
        let mut read = |name: &str| match name {
            "piece.toml" => Ok(own.clone()),
            "blocked.csv" => Ok(blocked(&page)),
            shared => std::fs::read_to_string(root.join("rules").join(shared)).map_err(|wrong| wrong.to_string()),
        };
        lendwright::compile("policy.toml", &policy, &mut read, &[]).unwrap_or_else(|wrong| panic!("{wrong}\n{piece}"));
        brought += 1;
    }
    assert!(brought >= 12, "{brought}");
}
