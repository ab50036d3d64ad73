//! `docs/guides/batch.md`: the program prints what the page shows.

use std::path::Path;

use super::*;

#[test]
fn the_page_shows_what_the_program_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("docs/guides/batch.md");
    let page = fs::read_to_string(&file).unwrap();
    let desk = Desk::new();
    for file in ["starter.toml", "metrics.toml", "words.toml"] {
        desk.write(&format!("rules/{file}"), &fs::read_to_string(root.join("rules").join(file)).unwrap());
    }
    let (block, _) = page.split_once("```console\n").unwrap().1.split_once("```").unwrap();
    let mut ran = String::new();
    for command in block.lines().filter_map(|line| line.strip_prefix("$ lendwright ")) {
        let said = desk.run(&command.split(' ').collect::<Vec<_>>());
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{command}");
        ran.push_str(&format!("$ lendwright {command}\n{}", steady(&said.out)));
    }
    if ran != block && std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        fs::write(file, page.replacen(block, &ran, 1)).unwrap();
        return;
    }
    assert_eq!(ran, block, "docs/guides/batch.md: run the test with INSTA_UPDATE=always to print it anew");
}

#[test]
fn the_page_names_every_column_and_option() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guides/batch.md")).unwrap();
    let desk = Desk::new();
    let tables = ["--write", "decisions,offers,reasons", "--as", "csv", "in"];
    assert_eq!(batch(&desk, &tables).status, 0);
    for table in ["decisions", "offers", "reasons", "failures"] {
        let text = desk.read(&format!("out/{table}.csv"));
        for column in text.lines().next().unwrap().split(',') {
            assert!(page.contains(&format!("`{column}`")), "{table}: {column}");
        }
    }
    for option in [
        "--write",
        "--as",
        "--shard",
        "--memory",
        "--statement-max",
        "--apart",
        "--restart",
        "--checkpoint",
        "--merge",
        "--temp",
        "--temp-max",
    ] {
        assert!(page.contains(&format!("`{option}")), "{option}");
    }
}
