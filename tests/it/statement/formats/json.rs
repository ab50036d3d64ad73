//! The scanner takes what another JSON reader takes, apart from where it is stricter on purpose.

use std::collections::HashSet;
use std::fmt;

use lendwright::statement::{Envelope, Error};
use proptest::prelude::*;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Reads any value at this depth, refusing what the scanner refuses on purpose.
struct Strict(u32);

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

fn refused<E: serde::de::Error>(depth: u32) -> Result<(), E> {
    if depth > 64 { Err(E::custom("refused: too deep")) } else { Ok(()) }
}

impl<'de> Visitor<'de> for Strict {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("anything")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        refused(self.0)?;
        while items.next_element_seed(Strict(self.0 + 1))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        refused(self.0)?;
        let mut keys = HashSet::new();
        let mut twice = false;
        while let Some(key) = entries.next_key::<String>()? {
            twice |= !keys.insert(key);
            entries.next_value_seed(Strict(self.0 + 1))?;
        }
        if twice { Err(serde::de::Error::custom("refused: a key twice")) } else { Ok(()) }
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("a".to_owned()),
        Just("é".to_owned()),
        Just("\u{1f600}".to_owned()),
        Just(r"\n".to_owned()),
        Just(r"\u0041".to_owned()),
        Just(r"\ud83d\ude00".to_owned()),
        Just(r"\ud83d".to_owned()),
        Just(r"\/".to_owned()),
        Just(r"\u0000".to_owned()),
        "[ -~&&[^\"\\\\]]{0,12}",
    ];
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn any_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        any_text(),
        any::<i64>().prop_map(|number| number.to_string()),
        (any::<i32>(), 0_u32..1000, -400_i32..400).prop_map(|(whole, part, power)| format!("{whole}.{part}e{power}")),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        let space = "[ \n\t\r]{0,2}";
        prop_oneof![
            (proptest::collection::vec(inner.clone(), 0..5), space)
                .prop_map(|(items, space)| format!("[{space}{}{space}]", items.join(&format!("{space},")))),
            (proptest::collection::vec(("[a-c]|\\\\u0061", inner), 0..5), space).prop_map(|(entries, space)| {
                let entries: Vec<String> =
                    entries.into_iter().map(|(key, value)| format!("{space}\"{key}\"{space}:{space}{value}")).collect();
                format!("{{{}{space}}}", entries.join(","))
            }),
        ]
    })
}

/// Bytes put in, taken out or replaced.
fn mutated(text: String, changes: Vec<(usize, u8, u8)>) -> Vec<u8> {
    let mut bytes = text.into_bytes();
    for (at, how, byte) in changes {
        let at = at % (bytes.len() + 1);
        let odd = b"\"\\{}[],:0-.eEu \ntfn\x01\xc3a";
        let byte = odd[usize::from(byte) % odd.len()];
        match how % 3 {
            0 => bytes.insert(at, byte),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            _ if at < bytes.len() => bytes[at] = byte,
            _ => {}
        }
    }
    bytes
}

fn check(body: &[u8]) -> Result<(), TestCaseError> {
    let shown = String::from_utf8_lossy(body);
    let ours = Envelope::scan(body);
    let malformed = matches!(ours, Err(Error::Malformed { .. }));
    let refused = matches!(ours, Err(Error::Refused { .. }));
    let taken = std::str::from_utf8(body).is_ok() && serde_json::from_slice::<IgnoredAny>(body).is_ok();
    if !taken {
        prop_assert!(malformed || refused, "taken here alone: {shown}");
        return Ok(());
    }
    prop_assert!(!malformed, "refused here alone: {shown}: {ours:?}");
    let mut strict = serde_json::Deserializer::from_slice(body);
    match Strict(1).deserialize(&mut strict) {
        Ok(()) => prop_assert!(!refused, "refused here alone: {shown}: {ours:?}"),
        Err(wrong) if wrong.to_string().starts_with("refused") => prop_assert!(refused, "taken here alone: {shown}"),
        // Numbers beyond a float and halves of surrogate pairs: the other reader stops, this one continues.
        Err(_) => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn it_takes_what_another_reader_takes(
        json in any_json(), changes in proptest::collection::vec(any::<(usize, u8, u8)>(), 0..4),
    ) {
        let body = [br#"{"data":{"trans":[]},"x":"#, mutated(json, changes).as_slice(), b"}"].concat();
        check(&body)?;
    }
}

#[test]
fn the_grammar_has_no_extras() {
    for json in [
        "01",
        "1.",
        ".5",
        "+1",
        "1e",
        "- 1",
        "0x1",
        "tru",
        "nulll",
        "[1,]",
        "{\"a\":1,}",
        "{a:1}",
        "'a'",
        "[1 2]",
        "{\"a\" 1}",
        "\"\t\"",
        "\"\\x\"",
        "\"\\u12\"",
        "// c\n1",
        "[",
        "]",
        "NaN",
        "-Infinity",
        "1 1",
    ] {
        let body = format!(r#"{{"data":{{"trans":[]}},"x":{json}}}"#);
        assert!(matches!(Envelope::scan(body.as_bytes()), Err(Error::Malformed { .. })), "{json}");
        assert!(serde_json::from_str::<IgnoredAny>(&body).is_err(), "{json}");
    }
}
