//! A position in JSON text, and steps from it: past a value, into an object, to the end of a text. Knows nothing of
//! what is looked for.

use std::ops::Range;

use super::leaf;

/// A bracket that is open at the position.
#[derive(Clone, Copy)]
enum JsonBracket {
    Object,
    List,
}

/// How deep values may be nested. Deeper ones count as unusual.
const DEPTH_MAX: usize = 32;

/// A text and a position in it. A step that fails returns `None`, and leaves the position anywhere.
pub(super) struct JsonCursor<'t> {
    pub(super) bytes: &'t [u8],
    pub(super) at: usize,
}

impl<'t> JsonCursor<'t> {
    /// The next byte that is not white space.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    #[inline]
    fn takes(&mut self, byte: u8) -> Option<()> {
        if self.bytes.get(self.at) != Some(&byte) && self.peek()? != byte {
            return None;
        }
        self.at += 1;
        Some(())
    }

    /// After an opening bracket: whether the closing one comes next. If so, passes it.
    #[inline]
    fn closes(&mut self, bracket: u8) -> Option<bool> {
        let closes = self.peek()? == bracket;
        self.at += usize::from(closes);
        Some(closes)
    }

    /// After a value: whether another one follows. Passes the comma or the closing bracket.
    #[inline]
    fn has_next(&mut self, bracket: u8) -> Option<bool> {
        let next = self.peek()?;
        self.at += 1;
        match next {
            b',' => Some(true),
            _ => (next == bracket).then_some(false),
        }
    }

    /// Goes into an object, to the value of its first member with one of these names. The value must begin with
    /// `bracket`.
    fn member(&mut self, names: &[&str], bracket: u8) -> Option<()> {
        self.takes(b'{')?;
        loop {
            let key = self.key()?;
            if names.iter().any(|name| name.as_bytes() == key) {
                return (self.peek()? == bracket).then_some(());
            }
            self.value(&mut |_| {})?;
            if !self.has_next(b'}')? {
                return None;
            }
        }
    }

    /// Goes into the list at `path`. Returns the position of its opening bracket.
    pub(super) fn opening(&mut self, path: &[&[&str]]) -> Option<usize> {
        let (last, before) = path.split_last()?;
        for names in before {
            self.member(names, b'{')?;
        }
        self.member(last, b'[')?;
        self.at += 1;
        Some(self.at - 1)
    }

    /// Goes to the list's next item, or past its closing bracket. Returns whether there is an item.
    #[inline]
    pub(super) fn next_item(&mut self, is_first: bool) -> Option<bool> {
        let closes = if is_first { self.closes(b']')? } else { !self.has_next(b']')? };
        if closes {
            return Some(false);
        }
        self.peek()?;
        Some(true)
    }

    /// Passes any value, and reports the place of each text, number, word or flat list of texts in it.
    pub(super) fn value(&mut self, found: &mut impl FnMut(Range<usize>)) -> Option<()> {
        let mut open = [JsonBracket::List; DEPTH_MAX];
        let mut depth = 0;
        loop {
            let next = self.peek()?;
            let start = self.at;
            if let Some(end) = leaf::skip_leaf_value(self.bytes, start) {
                self.at = end;
                found(start..end);
            } else {
                self.at = start + 1;
                let (bracket, kind) = match next {
                    b'{' => (b'}', JsonBracket::Object),
                    b'[' => (b']', JsonBracket::List),
                    _ => return None,
                };
                if !self.closes(bracket)? {
                    if let JsonBracket::Object = kind {
                        self.key()?;
                    }
                    *open.get_mut(depth)? = kind;
                    depth += 1;
                    continue;
                }
            }
            loop {
                let Some(around) = depth.checked_sub(1) else { return Some(()) };
                let kind = *open.get(around)?;
                let bracket = if let JsonBracket::Object = kind { b'}' } else { b']' };
                if self.has_next(bracket)? {
                    if let JsonBracket::Object = kind {
                        self.key()?;
                    }
                    break;
                }
                depth = around;
            }
        }
    }

    /// Passes a key and its colon. Returns the key as it is written.
    #[inline]
    fn key(&mut self) -> Option<&'t [u8]> {
        self.takes(b'"')?;
        let start = self.at;
        self.at = leaf::skip_json_text(self.bytes, start)?;
        let key = self.bytes.get(start..self.at - 1)?;
        self.takes(b':')?;
        Some(key)
    }
}
