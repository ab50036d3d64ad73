//! Valid and invalid lists, whole and in pieces.

use proptest::prelude::*;
use serde_json::Value;

use super::{List, Skim};

const PATH: &[&[&str]] = &[&["data"], &["list", "items"]];

/// The list that is found if the answer arrives in pieces that end at these places.
fn found(answer: &[u8], ends: &[usize]) -> Option<List> {
    let mut skim = Skim::new(PATH);
    for end in ends {
        skim.look(&answer[..*end]);
    }
    skim.list(answer)
}

fn count(answer: &str) -> Option<u64> {
    found(answer.as_bytes(), &[]).map(|list| list.items)
}

#[test]
fn a_list_in_order_is_counted_and_anything_else_is_left_alone() {
    for (list, items) in [
        ("[]", Some(0)),
        (" [ ] ", Some(0)),
        ("[{}]", Some(1)),
        (r#"[{"a":1},{"a":-0.5e+7},{"a":null}]"#, Some(3)),
        (r#"[ {"a" : "x\u00e9\\" } , {"a":["]", "}"]} ]"#, Some(2)),
        (r#"[1,"two",[3,{"four":[]}],true,null,{}]"#, Some(6)),
        ("[{},]", None),
        ("[,{}]", None),
        ("[{} {}]", None),
        (r#"[{"a":1,}]"#, None),
        (r#"[{"a" 1}]"#, None),
        (r#"[{a:1}]"#, None),
        (r#"[{"a":01}]"#, None),
        (r#"[{"a":1.}]"#, None),
        (r#"[{"a":.5}]"#, None),
        (r#"[{"a":+1}]"#, None),
        (r#"[{"a":NaN}]"#, None),
        (r#"[{"a":nul}]"#, None),
        (r#"[{"a":"\x"}]"#, None),
        (r#"[{"a":"\u00g0"}]"#, None),
        ("[{\"a\":\"\n\"}]", None),
        (r#"[{"a":"x}]"#, None),
        (r#"[{"a":[1}]"#, None),
        (r#"{"a":1}"#, None),
        ("null", None),
    ] {
        assert_eq!(count(&format!(r#"{{"before":[{{"list":[1]}}],"data":{{"n":0,"list":{list}}}}}"#)), items, "{list}");
    }
    assert_eq!(count(r#"{"list":[1]}"#), None);
    assert_eq!(count(r#"[{"data":{"list":[1]}}]"#), None);
    assert_eq!(count(r#"{"data":[{"list":[1]}]}"#), None);
    let deep = format!(r#"{{"data":{{"list":[{}{}]}}}}"#, "[".repeat(200), "]".repeat(200));
    assert_eq!(count(&deep), None);
}

#[test]
fn an_item_that_is_almost_like_the_others_is_looked_through_as_well() {
    let good = r#"{"id":"aa","sum":1.25,"tags":["x","y"],"note":"long enough for two words"}"#;
    for (part, other, is_good) in [
        (r#""aa""#, r#""aaa""#, true),
        (r#""aa""#, r#""a\"""#, true),
        (r#""aa""#, "\"a\t\"", false),
        (r#""aa""#, r#""aa"#, false),
        ("1.25", "1.255", true),
        ("1.25", "1.2x", false),
        ("1.25", "1..2", false),
        ("1.25", "null", true),
        (r#""x","y""#, "", true),
        (r#""x","y""#, r#""x","#, false),
        (r#""x","y""#, r#""x" "y""#, false),
        (r#""x","y""#, r#""x",2"#, true),
        ("two words", "two\\q words", false),
        ("\"note\"", "note", false),
    ] {
        let item = |n: usize| good.replace("aa", &format!("{n:02}")).replace("1.25", &format!("{n}.25"));
        let mut items: Vec<String> = (0..9).map(item).collect();
        items[7] = good.replacen(part, other, 1);
        let answer = format!(r#"{{"data":{{"list":[{}]}}}}"#, items.join(","));
        assert_eq!(serde_json::from_str::<Value>(&answer).is_ok(), is_good, "{other}");
        assert_eq!(count(&answer), is_good.then_some(9), "{other}");
    }
}

/// Changes every byte of an item in turn: in shared text and in values, within blocks and at their ends.
#[test]
fn no_byte_of_an_item_goes_unseen() {
    let item = |n: usize| {
        let tail = format!(r#""day":"2025-02-{:02}T00:00:00Z","end":null}}"#, n % 27 + 1);
        format!(
            r#"{{"id":"6ad1ace107acdedd{n:08}","kinds":[{}],"text":"{}","sum":{n}.50,"left":{},{tail}"#,
            ["", r#""web""#, r#""ussd","transfer""#][n % 3],
            "a letter or two, and more ".get(..n % 27).unwrap_or_default(),
            [1000 - n, 0, 7][n % 3],
        )
    };
    let (before, after) = ((0..20).map(item).collect::<Vec<_>>().join(","), item(24));
    let looked_at = item(22);
    for at in 0..looked_at.len() {
        for byte in *b"\"\\,:]}[{05.-eEn \n\t\x00\x7fx" {
            let mut damaged = looked_at.clone().into_bytes();
            damaged[at] = byte;
            let answer =
                [br#"{"data":{"list":["#, before.as_bytes(), b",", &damaged, b",", after.as_bytes(), b"]}}"].concat();
            let read = serde_json::from_slice::<serde_json::Value>(&answer).ok();
            let items = read.and_then(|read| Some(read["data"]["list"].as_array()?.len() as u64));
            assert_eq!(found(&answer, &[]).map(|list| list.items), items, "{}", String::from_utf8_lossy(&damaged));
        }
    }
}

/// Large items that match, then many small ones that begin like them. Without the budget this would take minutes.
#[test]
fn what_was_alike_costs_nothing_where_it_is_not() {
    let large = |layout: usize, n: usize| format!(r#"{{"k{layout}":"{}","n":{n}}}"#, "x".repeat(15_000));
    let text = |n: usize| format!(r#"{{"k0":"{n:09}{}"}}"#, "x".repeat(15_000));
    // Has too many values to be learned from.
    let odd = (0..70).map(|_| "1").collect::<Vec<_>>().join(",");
    for small in ["1", r#"{"k0":""}"#] {
        let mut items: Vec<String> = (0..3).flat_map(|layout| [large(layout, 1), large(layout, 2)]).collect();
        items.extend([text(1), text(2)]);
        items.extend(std::iter::repeat_n(format!("[{odd}]"), 64));
        items.extend(std::iter::repeat_n(small.to_owned(), 500_000));
        let answer = format!(r#"{{"data":{{"list":[{}]}}}}"#, items.join(","));
        assert_eq!(count(&answer), Some(items.len() as u64));
    }
}

/// Items that share most of their keys.
fn items() -> impl Strategy<Value = Vec<Value>> {
    let word = prop_oneof![
        "[a-z]{0,30}".prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (0..100_000).prop_map(|cents| Value::from(f64::from(cents) / 100.0)),
        proptest::collection::vec("[A-Z]{0,9}", 0..3).prop_map(Value::from),
        Just(Value::Null),
        Just(serde_json::json!({"within": [1, {"x": ["y"]}]})),
    ];
    let item = proptest::collection::vec(proptest::option::weighted(0.9, word), 5).prop_map(|values| {
        let keys = ["id", "notes", "sum", "tags", "day"].into_iter().zip(values);
        keys.filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
    });
    proptest::collection::vec(item.prop_map(Value::Object), 0..40)
}

/// A place in an answer, and the byte to put there.
fn any_damage() -> impl Strategy<Value = (prop::sample::Index, u8)> {
    (any::<prop::sample::Index>(), prop_oneof![any::<u8>(), Just(b'"'), Just(b','), Just(b'}')])
}

proptest! {
    #[test]
    fn pieces_and_damage_change_nothing_of_what_is_found(
        items in items(),
        is_pretty in any::<bool>(),
        damage in proptest::option::of(any_damage()),
        ends in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let answer = serde_json::json!({"data": {"items": items.clone(), "next": null}, "status": "success"});
        let write = if is_pretty { serde_json::to_vec_pretty } else { serde_json::to_vec };
        let mut answer = write(&answer).unwrap();
        if let Some((place, byte)) = damage {
            *place.get_mut(&mut answer) = byte;
        }
        let mut ends: Vec<usize> = ends.iter().map(|end| end.index(answer.len())).collect();
        ends.sort_unstable();
        let whole = found(&answer, &[]);
        let pieces = found(&answer, &ends);
        prop_assert_eq!(
            whole.as_ref().map(|list| (list.place.clone(), list.items)),
            pieces.map(|list| (list.place, list.items))
        );
        if damage.is_none() {
            prop_assert_eq!(whole.as_ref().map(|list| list.items), Some(items.len() as u64));
        }
        if let Some(list) = whole {
            // As the strict reader does, which does not check that ignored bytes are UTF-8.
            let read: Vec<serde::de::IgnoredAny> = serde_json::from_slice(&answer[list.place]).unwrap();
            prop_assert_eq!(read.len() as u64, list.items);
        }
    }
}
