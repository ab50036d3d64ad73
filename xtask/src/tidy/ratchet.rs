//! Names and sentences that may only become fewer: functions of one word, type names used all over the tree, tuples as
//! parameters, the marks of translated sentences. Each count has a line in `tidy.allow`.

use std::collections::BTreeMap;

use super::source::{Function, Source};
use super::{House, note};

/// A count is lowered in steps of this size, so that not every commit edits its line.
pub const STEP: usize = 10;

/// A type name defined this often says nothing by itself.
const OFTEN: usize = 5;

/// Words that plain English seldom needs in a comment or a message.
const MARKS: &[&str] = &["asked", "beside", "stands", "nobody", "whose", "is no"];

pub fn count(house: &House, found: &mut BTreeMap<String, (usize, String)>) {
    let (mut one_word, mut tuples, mut marks) = (0, 0, 0);
    let mut types: BTreeMap<String, usize> = BTreeMap::new();
    for file in house.files("src") {
        for function in file.source.declared_functions() {
            one_word += usize::from(crosses_its_file(&function) && is_one_word(&function.name));
            tuples += usize::from(has_tuple(&function.parameters));
        }
        for name in file.source.declared_types() {
            *types.entry(name).or_default() += 1;
        }
    }
    for file in house.files("src").chain(house.files("tests")) {
        marks += file.source.words_of_comments_and_literals(&file.text, MARKS);
    }
    let often = types.iter().filter(|(name, count)| **count >= OFTEN && *name != "Error").count();
    let mut counted = |what: &str, number: usize, advice: &str| note(found, format!("count {what}"), number, advice);
    counted("one-word-functions", one_word, "a function that crosses a file has a verb and an object: `first_unmet`");
    counted("repeated-type-names", often, "a type's name says what it is without its module");
    counted("tuple-parameters", tuples, "name the parts in a struct, or pass them one by one");
    counted("translated-marks", marks, "say it plainly: docs/explanation/style.md");
}

/// A free function that other files can call.
fn crosses_its_file(function: &Function) -> bool {
    function.is_free && function.is_visible
}

fn is_one_word(name: &str) -> bool {
    !name.trim_matches('_').contains('_')
}

/// Whether a parameter is a tuple: `at: (Timestamp, &Plan)`.
fn has_tuple(parameters: &str) -> bool {
    parameters.match_indices(':').any(|(at, _)| {
        let ty = parameters[at + 1..].trim_start_matches([':', ' ', '&', '\n']);
        let ty = ty.strip_prefix("mut ").unwrap_or(ty);
        ty.starts_with('(') && !ty.starts_with("()")
    })
}

#[test]
fn names_and_marks_are_counted() {
    let text = "/// Nobody asked, beside the asking.\npub fn first(at: (u8, &str)) {}\n\
        pub(crate) fn first_unmet(f: impl Fn(u8)) {}\nfn own() { \"is no name\" }\n\
        impl A {\n    pub fn get(&self, all: &[u8]) {}\n}\nstruct A;\npub enum Kind {}\ntype B = u8;\n";
    let source = Source::new(text);
    let functions = source.declared_functions();
    let crossing: Vec<&str> =
        functions.iter().filter(|function| crosses_its_file(function)).map(|function| function.name.as_str()).collect();
    assert_eq!(crossing, ["first", "first_unmet"]);
    assert!(is_one_word("first") && !is_one_word("first_unmet"));
    let tuples: Vec<bool> = functions.iter().map(|function| has_tuple(&function.parameters)).collect();
    assert_eq!(tuples, [true, false, false, false]);
    assert_eq!(source.declared_types(), ["A", "Kind", "B"]);
    assert_eq!(source.words_of_comments_and_literals(text, MARKS), 4);
}
