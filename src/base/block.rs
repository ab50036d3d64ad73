//! Compares sixteen bytes at a time, with one instruction where the processor has one. Of JSON it knows only which
//! bytes end a text and what a number looks like.

use wide::u8x16;

pub(crate) const BLOCK: usize = 16;

/// The sixteen bytes from `at` on, if there are enough.
#[inline]
pub(crate) fn load_sixteen_bytes(bytes: &[u8], at: usize) -> Option<u8x16> {
    Some(u8x16::new(*bytes.get(at..)?.first_chunk()?))
}

/// Sets all bits of each byte that ends a text, starts an escape, or is not allowed in a text.
#[inline]
pub(crate) fn ends_text(block: u8x16) -> u8x16 {
    let is = |byte| block.simd_eq(u8x16::splat(byte));
    is(b'"') | is(b'\\') | block.min(u8x16::splat(0x1f)).simd_eq(block)
}

/// Sets all bits of each byte that is one of `count` values from `first` on.
#[inline]
pub(crate) fn mask_byte_range(block: u8x16, first: u8, count: u8) -> u8x16 {
    let above = block - u8x16::splat(first);
    above.min(u8x16::splat(count - 1)).simd_eq(above)
}

/// The length of the number at the start of the block, if it is valid, has no exponent and ends within the block. A
/// sign must be before the block.
#[inline]
pub(crate) fn plain_number(block: u8x16) -> Option<usize> {
    let bytes = block.to_array();
    let others = (!mask_byte_range(block, b'0', 10)).to_bitmask();
    let whole = others.trailing_zeros() as usize;
    let mut end = whole;
    if *bytes.get(whole)? == b'.' {
        end = (others & (others - 1)).trailing_zeros() as usize;
    }
    let is_number = match bytes.get(end)? {
        b'e' | b'E' => false,
        _ => whole > 0 && (bytes[0] != b'0' || whole == 1) && end != whole + 1,
    };
    is_number.then_some(end)
}
