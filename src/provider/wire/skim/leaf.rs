//! Steps past a text, a number, a word or a flat list of texts. Each returns where the value ends. Knows nothing of
//! what surrounds a value.

use crate::base::block::{BLOCK, ends_text, load_sixteen_bytes, plain_number};

/// Passes a value that is not an object. A list must be flat, of texts, and without white space.
#[inline(always)]
pub(super) fn skip_leaf_value(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => skip_json_text(bytes, at + 1),
        b'[' => skip_flat_text_list(bytes, at + 1),
        b'-' => skip_json_number(bytes, at + 1),
        b'0'..=b'9' => skip_json_number(bytes, at),
        b'n' => skip_json_word(bytes, at, b"null"),
        b't' => skip_json_word(bytes, at, b"true"),
        b'f' => skip_json_word(bytes, at, b"false"),
        _ => None,
    }
}

/// After its opening quote: passes a text and its closing quote.
#[inline]
pub(super) fn skip_json_text(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        while let Some(block) = load_sixteen_bytes(bytes, at) {
            let ends = ends_text(block).to_bitmask();
            if ends != 0 {
                at += ends.trailing_zeros() as usize;
                break;
            }
            at += BLOCK;
        }
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at = skip_escape_sequence(bytes, at)?,
            0..0x20 => return None,
            _ => at += 1,
        }
    }
}

#[cold]
fn skip_escape_sequence(bytes: &[u8], at: usize) -> Option<usize> {
    let length = match bytes.get(at + 1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
        b'u' => 6,
        _ => return None,
    };
    let digits = bytes.get(at + 2..at + length)?;
    digits.iter().all(u8::is_ascii_hexdigit).then_some(at + length)
}

/// After its opening bracket: passes a flat list of texts.
#[inline]
fn skip_flat_text_list(bytes: &[u8], mut at: usize) -> Option<usize> {
    if bytes.get(at) == Some(&b']') {
        return Some(at + 1);
    }
    loop {
        if bytes.get(at) != Some(&b'"') {
            return None;
        }
        at = skip_json_text(bytes, at + 1)?;
        match bytes.get(at)? {
            b',' => at += 1,
            b']' => return Some(at + 1),
            _ => return None,
        }
    }
}

#[inline]
fn skip_json_word<const N: usize>(bytes: &[u8], at: usize, word: &[u8; N]) -> Option<usize> {
    (bytes.get(at..)?.first_chunk::<N>()? == word).then_some(at + N)
}

/// After its sign: passes a number. Most are short and have no exponent, and are passed in one step.
#[inline]
fn skip_json_number(bytes: &[u8], at: usize) -> Option<usize> {
    let end = load_sixteen_bytes(bytes, at).and_then(plain_number).map(|length| at + length);
    end.or_else(|| any_number(bytes, at))
}

#[cold]
fn any_number(bytes: &[u8], mut at: usize) -> Option<usize> {
    at = match bytes.get(at) {
        Some(b'0') => at + 1,
        _ => skip_digit_run(bytes, at)?,
    };
    if bytes.get(at) == Some(&b'.') {
        at = skip_digit_run(bytes, at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        at += usize::from(matches!(bytes.get(at), Some(b'+' | b'-')));
        at = skip_digit_run(bytes, at)?;
    }
    Some(at)
}

/// Passes one digit or more.
fn skip_digit_run(bytes: &[u8], at: usize) -> Option<usize> {
    let length = bytes.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (length > 0).then_some(at + length)
}
