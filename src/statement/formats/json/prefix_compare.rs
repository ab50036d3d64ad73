//! Compares a text with the bytes at one place, in blocks and, for short texts, without a call.

use wide::u8x16;

use crate::base::block::{BLOCK, load_sixteen_bytes};

/// A text to compare with the bytes at a place. Most texts fit into one block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prefix<'t> {
    head: [u8; BLOCK],
    /// A bit for each byte of the text in `head`.
    bits: u32,
    /// The text after `head`.
    rest: &'t [u8],
    text: &'t str,
}

impl<'t> Prefix<'t> {
    pub(crate) fn new(text: &'t str) -> Prefix<'t> {
        let (head, rest) = text.as_bytes().split_at(text.len().min(BLOCK));
        let mut padded = [0; BLOCK];
        padded.iter_mut().zip(head).for_each(|(into, byte)| *into = *byte);
        Prefix { head: padded, bits: (1 << head.len()) - 1, rest, text }
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    /// Whether the bytes at this place begin with the text.
    #[inline]
    pub(crate) fn is_at(&self, bytes: &[u8], at: usize) -> bool {
        let Some(here) = load_sixteen_bytes(bytes, at) else {
            return bytes.get(at..).is_some_and(|here| here.starts_with(self.text.as_bytes()));
        };
        let same = here.simd_eq(u8x16::new(self.head)).to_bitmask();
        let behind = |bytes: &[u8]| same_bytes(bytes, self.rest);
        same & self.bits == self.bits
            && (self.rest.is_empty() || bytes.get(at + BLOCK..at + BLOCK + self.rest.len()).is_some_and(behind))
    }
}

/// Whether two slices are equal. Up to two blocks are compared without a call; the two ends may overlap.
#[inline]
pub(crate) fn same_bytes(left: &[u8], right: &[u8]) -> bool {
    if left.len() != right.len() {
        return false;
    }
    match left.len() {
        16..=32 => left.first_chunk::<16>() == right.first_chunk() && left.last_chunk::<16>() == right.last_chunk(),
        8..16 => left.first_chunk::<8>() == right.first_chunk() && left.last_chunk::<8>() == right.last_chunk(),
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of every length up to three blocks, each byte changed in turn, with more and fewer bytes after them.
    #[test]
    fn a_prefix_is_found_where_its_text_is() {
        let text: String = ('!'..='~').cycle().take(3 * BLOCK).collect();
        for length in 0..=text.len() {
            let prefix = Prefix::new(&text[..length]);
            assert_eq!(prefix.text(), &text[..length]);
            for behind in [0, 1, BLOCK - 1, BLOCK, 3 * BLOCK] {
                let mut bytes = b"..".to_vec();
                bytes.extend_from_slice(prefix.text().as_bytes());
                bytes.resize(bytes.len() + behind, b'.');
                assert!(prefix.is_at(&bytes, 2), "{length} {behind}");
                assert!(!prefix.is_at(&bytes, bytes.len() + 1));
                for at in 0..length {
                    bytes[at + 2] ^= 0x80;
                    assert!(!prefix.is_at(&bytes, 2), "{length} {behind} {at}");
                    assert!(!same_bytes(&bytes[2..length + 2], prefix.text().as_bytes()), "{length} {at}");
                    bytes[at + 2] ^= 0x80;
                }
                bytes.truncate(length + 1);
                assert!(length == 0 || !prefix.is_at(&bytes, 2), "{length} cut");
                assert!(same_bytes(&text.as_bytes()[..length], prefix.text().as_bytes()));
                assert!(length == 0 || !same_bytes(&text.as_bytes()[1..length], prefix.text().as_bytes()));
            }
        }
    }
}
