//! The floors of the house, read from docs/architecture.md and compared with the imports of `src`: the folder of a file
//! is its floor, and the parts of a folder are used in the order of the page.

use std::collections::BTreeMap;

use super::{HOUSE, none};

/// The place, in an order, of every part of a folder that the order does not name.
const OTHERS: &str = "others";

#[test]
fn files_use_lower_floors_only() {
    let house = &*HOUSE;
    let mut wrong = Vec::new();
    for file in house.files("src") {
        for name in file.source.root_names(file.depth) {
            let is_item = name.starts_with(char::is_uppercase);
            if !is_item && !file.path.ends_with("src/lib.rs") && !house.plan.floors.contains_key(&name) {
                wrong.push(format!(
                    "{}: `crate::{name}` is no folder of src; write the path from the folder",
                    file.path
                ));
            }
        }
    }
    let imports = house.imports();
    for (from, to) in imports.edges() {
        wrong.extend(to.into_iter().filter_map(|to| house.plan.forbids(from, to)));
    }
    none(
        wrong,
        "docs/architecture.md orders the folders and their parts; a new arrow changes that page in the same commit and \
         says why",
    );
}

#[test]
fn the_page_lists_every_folder_and_every_part() {
    let house = &*HOUSE;
    let listed: Vec<&String> = house.plan.floors.keys().collect();
    let mut built = house.children("src");
    built.retain(|name| name != "lib" && name != "main");
    assert_eq!(listed, built.iter().collect::<Vec<_>>(), "left: docs/architecture.md, right: src/");
    for (folder, parts) in &house.plan.orders {
        let mut children = house.children(&format!("src/{folder}"));
        children.retain(|name| name != "tests");
        let mut missing: Vec<String> =
            parts.iter().filter(|part| *part != OTHERS && !children.contains(part)).cloned().collect();
        if !parts.iter().any(|part| part == OTHERS) {
            missing.extend(children.into_iter().filter(|child| !parts.contains(child)));
        }
        assert!(missing.is_empty(), "docs/architecture.md orders `{folder}`, and differs from it in {missing:?}");
    }
    let main = house.files("src").find(|file| file.path == "src/main.rs").expect("src/main.rs");
    assert_eq!(
        main.source.count("lendwright::"),
        main.source.count("lendwright::cli::"),
        "src/main.rs calls the command line and nothing else"
    );
}

/// What docs/architecture.md says about folders.
pub struct Plan {
    /// `base` -> 0.
    pub floors: BTreeMap<String, u32>,
    /// Paths below `src` that must not reach the outside world: `base`, `lender/loan`.
    pub pure: Vec<String>,
    /// `lender` -> the parts of that folder, each of which may use those before it.
    pub orders: BTreeMap<String, Vec<String>>,
}

impl Plan {
    /// Rows `| floor | `folder` | pure rooms | ...` and rows `| `folder` | `part` `part` ... |` of the page.
    pub fn read(page: &str) -> Plan {
        let mut plan = Plan { floors: BTreeMap::new(), pure: Vec::new(), orders: BTreeMap::new() };
        for line in page.lines() {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            match cells[..] {
                ["", floor, folder, pure, _, _, ""] => {
                    let (Ok(floor), Some(folder)) = (floor.parse(), quoted_names(folder).pop()) else { continue };
                    match pure {
                        "all" => plan.pure.push(folder.clone()),
                        rooms => plan.pure.extend(quoted_names(rooms).iter().map(|room| format!("{folder}/{room}"))),
                    }
                    let before = plan.floors.insert(folder.clone(), floor);
                    assert!(before.is_none(), "docs/architecture.md: `{folder}` has two rows");
                }
                ["", folder, parts, ""] if parts.starts_with('`') && parts.contains("` < `") => {
                    plan.orders.insert(quoted_names(folder).concat(), quoted_names(parts));
                }
                _ => {}
            }
        }
        assert!(!plan.floors.is_empty(), "docs/architecture.md has a table of floors");
        plan
    }

    /// Whether a file must not reach the outside world.
    pub fn is_pure(&self, path: &str) -> bool {
        let within = within(path);
        self.pure
            .iter()
            .any(|pure| within.strip_prefix(pure.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    }

    /// Why a file must not import from another one, if it must not.
    fn forbids(&self, from: &str, to: &str) -> Option<String> {
        let (user, used): (Vec<&str>, Vec<&str>) = (within(from).split('/').collect(), within(to).split('/').collect());
        let floor = |parts: &[&str]| self.floors.get(parts[0]).copied();
        let (above, below) = (floor(&user)?, floor(&used)?);
        if user[0] != used[0] {
            let folders = format!("`{}` (floor {above}) must not use `{}` (floor {below})", user[0], used[0]);
            return (below >= above).then(|| format!("{from} -> {to}: {folders}"));
        }
        let depth = user.iter().zip(&used).take_while(|(left, right)| left == right).count();
        let folder = user[..depth].join("/");
        let order = self.orders.get(&folder)?;
        let place = |parts: &[&str]| {
            let part = *parts.get(depth)?;
            order.iter().position(|other| other == part).or_else(|| order.iter().position(|other| other == OTHERS))
        };
        let (user_at, used_at) = (place(&user)?, place(&used)?);
        (used_at > user_at)
            .then(|| format!("{from} -> {to}: in `{folder}`, `{}` comes before `{}`", order[user_at], order[used_at]))
    }
}

/// `engine/metrics/eval` of `src/engine/metrics/eval/mod.rs`.
fn within(path: &str) -> &str {
    path.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod")
}

fn quoted_names(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_string).collect()
}

#[test]
fn an_arrow_up_or_against_the_order_is_forbidden() {
    let plan = Plan::read(
        "| floor | folder | pure | holds | must not know |\n|---|---|---|---|---|\n| 0 | `a` | all | x | y |\n\
         | 1 | `b` | `c` | x | y |\n| 1 | `s` | | x | y |\n\n| `b` | `c` < `others` < `d` |\n",
    );
    assert!(plan.is_pure("src/a/x.rs") && plan.is_pure("src/b/c/mod.rs") && !plan.is_pure("src/b/cc.rs"));
    for (from, to, allowed) in [
        ("src/b/c.rs", "src/a/x.rs", true),
        ("src/a/x.rs", "src/b/c.rs", false),
        ("src/b/c.rs", "src/s/x.rs", false),
        ("src/b/d/x.rs", "src/b/c/y.rs", true),
        ("src/b/c/y.rs", "src/b/d/x.rs", false),
        ("src/b/c/y.rs", "src/b/z.rs", false),
        ("src/b/z.rs", "src/b/c/y.rs", true),
        ("src/b/d/x.rs", "src/b/d/y.rs", true),
        ("src/b/mod.rs", "src/b/d/y.rs", true),
    ] {
        assert_eq!(plan.forbids(from, to).is_none(), allowed, "{from} -> {to}");
    }
}
