//! Decimal digits read eight bytes at a time, by arithmetic on one number. Must not know what they count.

/// How eight bytes are written: where it has `0` there is a digit, and else the same sign.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    text: u64,
    /// All bits of each sign.
    signs: u64,
}

const EACH: u64 = 0x0101_0101_0101_0101;

impl Form {
    pub(super) const fn of(text: [u8; 8]) -> Form {
        let mut signs = [0; 8];
        let mut at = 0;
        while at < text.len() {
            if text[at] != b'0' {
                signs[at] = u8::MAX;
            }
            at += 1;
        }
        Form { text: u64::from_le_bytes(text), signs: u64::from_le_bytes(signs) }
    }

    /// The number that each byte makes as tens with the one behind it as ones, if they are written so. A sign counts as 0, and so does what is
    /// behind the last.
    #[inline]
    pub(crate) fn pairs(self, bytes: [u8; 8]) -> Option<[u8; 8]> {
        let digits = u64::from_le_bytes(bytes) ^ self.text;
        // The upper bit of each byte above 9.
        let above = (digits.wrapping_add(EACH * (0x7f - 9)) | digits) & (EACH * 0x80);
        // No byte goes beyond 99, so that none is carried into the next.
        (above | digits & self.signs == 0).then(|| (digits.wrapping_mul(10).wrapping_add(digits >> 8)).to_le_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each byte there is at each place, beside two others.
    #[test]
    fn what_is_not_written_so_has_no_pairs() {
        const FORM: Form = Form::of(*b"0000-00T");
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
                let found = FORM.pairs(bytes);
                assert_eq!(found.is_some(), fits, "{bytes:?}");
                assert!(found.is_none_or(|pairs| pairs[..7] == expected), "{bytes:?} {found:?}");
            }
        }
    }
}
