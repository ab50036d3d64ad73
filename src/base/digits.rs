//! Reads decimal digits eight bytes at a time, by arithmetic on one number.

/// A pattern of eight bytes: `0` matches any digit, every other byte matches itself.
#[derive(Clone, Copy)]
pub(crate) struct DigitPattern {
    text: u64,
    /// All bits set in each byte that is not a digit.
    signs: u64,
}

const EACH: u64 = 0x0101_0101_0101_0101;

impl DigitPattern {
    pub(super) const fn new(text: [u8; 8]) -> DigitPattern {
        let mut signs = [0; 8];
        let mut at = 0;
        while at < text.len() {
            if text[at] != b'0' {
                signs[at] = u8::MAX;
            }
            at += 1;
        }
        DigitPattern { text: u64::from_le_bytes(text), signs: u64::from_le_bytes(signs) }
    }

    /// For each byte, the number of two digits that it forms with the next byte; `None` if the bytes do not match. A
    /// byte that is not a digit counts as 0, and so does the byte after the last.
    #[inline]
    pub(crate) fn pairs(self, bytes: [u8; 8]) -> Option<[u8; 8]> {
        let digits = u64::from_le_bytes(bytes) ^ self.text;
        // The top bit of each byte above 9.
        let above = (digits.wrapping_add(EACH * (0x7f - 9)) | digits) & (EACH * 0x80);
        // No byte exceeds 99, so nothing carries into the next byte.
        (above | digits & self.signs == 0).then(|| (digits.wrapping_mul(10).wrapping_add(digits >> 8)).to_le_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte value at every position.
    #[test]
    fn bytes_that_do_not_match_have_no_pairs() {
        const PATTERN: DigitPattern = DigitPattern::new(*b"0000-00T");
        for at in 0..8 {
            for byte in 0..=u8::MAX {
                let mut bytes = *b"2024-09T";
                bytes[at] = byte;
                let fits = match at {
                    4 => byte == b'-',
                    7 => byte == b'T',
                    _ => byte.is_ascii_digit(),
                };
                let digit = |at: usize| if bytes[at].is_ascii_digit() { bytes[at] - b'0' } else { 0 };
                let expected = [0, 1, 2, 3, 4, 5, 6].map(|at| digit(at) * 10 + digit(at + 1));
                let found = PATTERN.pairs(bytes);
                assert_eq!(found.is_some(), fits, "{bytes:?}");
                assert!(found.is_none_or(|pairs| pairs[..7] == expected), "{bytes:?} {found:?}");
            }
        }
    }
}
