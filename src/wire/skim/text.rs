//! A place in a text of JSON, and steps from it: past a value, into an object, to the end of a text. Knows nothing of what is looked for.

use std::ops::Range;

use super::alike::Alike;

/// What stands open around a place.
#[derive(Clone, Copy)]
enum Open {
    Object,
    List,
}

/// Values within one another, at most; what is deeper is out of the ordinary.
const DEPTH_MAX: usize = 32;

/// A text and a place in it. Each step that cannot be taken gives nothing, wherever it leaves the place.
pub(super) struct Text<'t> {
    pub(super) bytes: &'t [u8],
    pub(super) at: usize,
}

impl<'t> Text<'t> {
    /// The next byte that is no blank.
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

    /// Behind an opening bracket: whether the closing one comes next, which is then passed.
    #[inline]
    fn closes(&mut self, bracket: u8) -> Option<bool> {
        let closes = self.peek()? == bracket;
        self.at += usize::from(closes);
        Some(closes)
    }

    /// Behind a value: whether another one follows, or the closing bracket. Passes either.
    #[inline]
    fn goes_on(&mut self, bracket: u8) -> Option<bool> {
        let next = self.peek()?;
        self.at += 1;
        match next {
            b',' => Some(true),
            _ => (next == bracket).then_some(false),
        }
    }

    /// Goes into an object, up to the value of its first member with one of these names, which begins with this bracket.
    fn member(&mut self, names: &[&str], bracket: u8) -> Option<()> {
        self.takes(b'{')?;
        loop {
            let key = self.key()?;
            if names.iter().any(|name| name.as_bytes() == key) {
                return (self.peek()? == bracket).then_some(());
            }
            self.value(&mut |_| {})?;
            if !self.goes_on(b'}')? {
                return None;
            }
        }
    }

    /// Goes into the list that the path leads to; where its opening bracket stands.
    pub(super) fn opening(&mut self, path: &[&[&str]]) -> Option<usize> {
        let (last, before) = path.split_last()?;
        for names in before {
            self.member(names, b'{')?;
        }
        self.member(last, b'[')?;
        self.at += 1;
        Some(self.at - 1)
    }

    /// Passes the list's next item, or its closing bracket; whether it was an item.
    #[inline]
    pub(super) fn item(&mut self, is_first: bool, alike: &mut Alike) -> Option<bool> {
        let closes = if is_first { self.closes(b']')? } else { !self.goes_on(b']')? };
        if closes {
            return Some(false);
        }
        self.peek()?;
        match alike.pass(self.bytes, self.at) {
            Some(end) => self.at = end,
            None => alike.learn(self)?,
        }
        Some(true)
    }

    /// Passes a value, whatever is in it, and tells where each text, number, word or flat list of texts in it stands.
    pub(super) fn value(&mut self, leaf: &mut impl FnMut(Range<usize>)) -> Option<()> {
        let mut open = [Open::List; DEPTH_MAX];
        let mut depth = 0;
        loop {
            let next = self.peek()?;
            let start = self.at;
            if let Some(()) = self.leaf(next) {
                leaf(start..self.at);
            } else {
                self.at = start + 1;
                let (bracket, kind) = match next {
                    b'{' => (b'}', Open::Object),
                    b'[' => (b']', Open::List),
                    _ => return None,
                };
                if !self.closes(bracket)? {
                    if let Open::Object = kind {
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
                let bracket = if let Open::Object = kind { b'}' } else { b']' };
                if self.goes_on(bracket)? {
                    if let Open::Object = kind {
                        self.key()?;
                    }
                    break;
                }
                depth = around;
            }
        }
    }

    /// Passes a text that is known to be so long, if it is.
    #[inline]
    pub(super) fn text_of(&mut self, length: usize) -> Option<()> {
        let [b'"', text @ .., b'"'] = self.bytes.get(self.at..self.at + length + 2)? else { return None };
        let word = |eight: &[u8; 8]| special(u64::from_le_bytes(*eight));
        let found = match (text.as_chunks::<8>().0, text.last_chunk::<8>()) {
            (eights, Some(last)) => eights.iter().fold(word(last), |found, eight| found | word(eight)),
            _ => text.iter().fold(0, |found, byte| found | u64::from(matches!(byte, b'"' | b'\\' | 0..0x20))),
        };
        (found == 0).then(|| self.at += length + 2)
    }

    /// Passes a value that is no object, and a list only where it is flat, of texts and without blanks.
    #[inline]
    pub(super) fn leaf(&mut self, first: u8) -> Option<()> {
        match first {
            b'"' => {
                self.at += 1;
                self.string()
            }
            b'[' => self.flat(),
            b'-' | b'0'..=b'9' => self.number(),
            _ => self.word(match first {
                b'n' => b"null",
                b't' => b"true",
                b'f' => b"false",
                _ => return None,
            }),
        }
    }

    #[inline]
    fn flat(&mut self) -> Option<()> {
        self.at += 1;
        if self.bytes.get(self.at) == Some(&b']') {
            self.at += 1;
            return Some(());
        }
        loop {
            if self.bytes.get(self.at) != Some(&b'"') {
                return None;
            }
            self.at += 1;
            self.string()?;
            let next = self.bytes.get(self.at)?;
            self.at += 1;
            match next {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    /// A key as it is written, and the colon behind it.
    #[inline]
    fn key(&mut self) -> Option<&'t [u8]> {
        self.takes(b'"')?;
        let start = self.at;
        self.string()?;
        let key = self.bytes.get(start..self.at - 1)?;
        self.takes(b':')?;
        Some(key)
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.bytes.get(self.at..)?.starts_with(word).then(|| self.at += word.len())
    }

    /// Passes one digit or more.
    #[inline]
    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while let Some(eight) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<8>()) {
            let passed = first(no_digit(u64::from_le_bytes(*eight)));
            self.at += passed;
            if passed < 8 {
                return (self.at > start).then_some(());
            }
        }
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    #[inline]
    fn number(&mut self) -> Option<()> {
        let next = |text: &Self| text.bytes.get(text.at).copied();
        self.at += usize::from(next(self) == Some(b'-'));
        match next(self) {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if next(self) == Some(b'.') {
            self.at += 1;
            match self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<3>()) {
                // Money has two digits there.
                Some([b'0'..=b'9', b'0'..=b'9', b',' | b'}']) => {
                    self.at += 2;
                    return Some(());
                }
                _ => self.digits()?,
            }
        }
        if matches!(next(self), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(next(self), Some(b'+' | b'-')));
            self.digits()?;
        }
        Some(())
    }

    /// Behind its opening quote: passes the text and the quote that ends it.
    #[inline]
    fn string(&mut self) -> Option<()> {
        loop {
            // Most texts are short: sixteen bytes in one go are fewer branches than twice eight.
            while let Some(sixteen) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<16>()) {
                let both = u128::from_le_bytes(*sixteen);
                let (low, high) = (special(both as u64), special((both >> 64) as u64));
                if low | high != 0 {
                    self.at += if low == 0 { 8 + first(high) } else { first(low) };
                    break;
                }
                self.at += 16;
            }
            match self.bytes.get(self.at)? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => self.escape()?,
                0..0x20 => return None,
                _ => self.at += 1,
            }
        }
    }

    #[cold]
    fn escape(&mut self) -> Option<()> {
        let length = match self.bytes.get(self.at + 1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
            b'u' => 6,
            _ => return None,
        };
        let digits = self.bytes.get(self.at + 2..self.at + length)?;
        self.at += length;
        digits.iter().all(u8::is_ascii_hexdigit).then_some(())
    }
}

/// One in each of eight bytes.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The highest bit of each byte that ends a text, begins an escape or may not stand in one. Bits above the lowest that is set may be wrong.
#[inline]
fn special(eight: u64) -> u64 {
    let is_zero = |bytes: u64| bytes.wrapping_sub(ONES) & !bytes;
    let quote = is_zero(eight ^ (ONES * b'"' as u64));
    let stroke = is_zero(eight ^ (ONES * b'\\' as u64));
    let control = eight.wrapping_sub(ONES * 0x20) & !eight;
    (quote | stroke | control) & (ONES << 7)
}

/// The same of each byte that is no digit.
#[inline]
fn no_digit(eight: u64) -> u64 {
    let above = eight ^ (ONES * b'0' as u64);
    (above.wrapping_add(ONES * (0x7f - 9)) | above) & (ONES << 7)
}

/// Which byte the lowest of such bits is in; eight where there is none.
#[inline]
fn first(bits: u64) -> usize {
    (bits.trailing_zeros() / 8) as usize
}
