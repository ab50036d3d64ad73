//! Bytes that are read as text. They are checked to be UTF-8 as a whole, or one chunk ahead of the reader, so that a
//! long body is not traversed twice.

/// Bytes that are checked at a time: they are still in the cache when they are read.
const CHUNK_BYTES: usize = 64 * 1024;

/// The bytes, and a chunk of them that is known to be UTF-8.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checked<'a> {
    bytes: &'a [u8],
    /// Where the chunk begins.
    from: usize,
    text: &'a str,
}

impl<'a> Checked<'a> {
    /// Checks all bytes. The error is the offset of the first byte that is not UTF-8.
    pub(crate) fn whole(bytes: &'a [u8]) -> Result<Checked<'a>, usize> {
        // The fast check does not report the place.
        let text = simdutf8::basic::from_utf8(bytes).or_else(|_| std::str::from_utf8(bytes));
        text.map(|text| Checked { bytes, from: 0, text }).map_err(|wrong| wrong.valid_up_to())
    }

    /// Checks nothing yet. Bytes that are never requested may not be UTF-8.
    pub(crate) fn ahead(bytes: &'a [u8]) -> Checked<'a> {
        Checked { bytes, from: 0, text: "" }
    }

    #[inline]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The text between two places. `None` if it is not UTF-8, or if bytes soon after it are not.
    #[inline]
    pub(crate) fn text(&mut self, from: usize, to: usize) -> Option<&'a str> {
        match self.known(from, to) {
            Some(text) => Some(text),
            None => self.look_at(from, to),
        }
    }

    #[inline]
    fn known(&self, from: usize, to: usize) -> Option<&'a str> {
        self.text.get(from.checked_sub(self.from)?..to.checked_sub(self.from)?)
    }

    /// Like [`Checked::text`], for a place that was passed before.
    pub(crate) fn passed(&self, from: usize, to: usize) -> Option<&'a str> {
        self.known(from, to).or_else(|| std::str::from_utf8(self.bytes.get(from..to)?).ok())
    }

    #[cold]
    fn look_at(&mut self, from: usize, to: usize) -> Option<&'a str> {
        let mut end = from.saturating_add(CHUNK_BYTES).min(self.bytes.len()).max(to);
        // A character of several bytes is not split.
        while end > to && self.bytes.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
            end -= 1;
        }
        self.text = simdutf8::basic::from_utf8(self.bytes.get(from..end)?).ok()?;
        self.from = from;
        self.known(from, to)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Pieces of several chunks, forwards and then backwards, with odd bytes at one place.
        #[test]
        fn a_piece_is_what_the_whole_has_there(
            odd in proptest::sample::select(vec![
                &b"a"[..], "ọ".as_bytes(), "\u{1f4b0}".as_bytes(), b"\xff", b"\xe1\xbb", b"\x80\x80\x80",
            ]),
            before in prop_oneof![CHUNK_BYTES - 5..CHUNK_BYTES + 2, 0_usize..3 * CHUNK_BYTES],
            steps in proptest::collection::vec(0_usize..CHUNK_BYTES, 1..8),
        ) {
            let mut bytes = "ẹ".repeat(before / 3).into_bytes();
            bytes.resize(before, b'x');
            bytes.extend_from_slice(odd);
            bytes.extend_from_slice(&"ẹ".repeat(CHUNK_BYTES / 3).into_bytes());
            let whole = std::str::from_utf8(&bytes);
            let mut checked = Checked::ahead(&bytes);
            let places = steps.iter().scan(0, |at, step| {
                let from = *at;
                *at += step;
                Some((from, *at))
            });
            let forth: Vec<(usize, usize)> = places.filter(|(_, to)| *to <= bytes.len()).collect();
            for (from, to) in forth.iter().chain(forth.iter().rev()) {
                // Places are requested where characters begin.
                let is_cut = |at: &&usize| bytes.get(**at).is_some_and(|byte| byte & 0xc0 == 0x80);
                if [from, to].iter().any(is_cut) {
                    continue;
                }
                match checked.text(*from, *to) {
                    Some(piece) => prop_assert_eq!(piece.as_bytes(), &bytes[*from..*to]),
                    None => prop_assert!(whole.is_err(), "{from}..{to}"),
                }
            }
            prop_assert_eq!(Checked::whole(&bytes).err(), whole.err().map(|wrong| wrong.valid_up_to()));
        }
    }
}
