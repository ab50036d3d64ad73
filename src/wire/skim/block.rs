//! Sixteen bytes at a time, compared with one instruction where the processor has it. Knows nothing of JSON but which bytes end a text.

use wide::u8x16;

pub(super) const BLOCK: usize = 16;

/// The bytes from here on, if there are enough.
#[inline]
pub(super) fn block(bytes: &[u8], at: usize) -> Option<u8x16> {
    Some(u8x16::new(*bytes.get(at..)?.first_chunk()?))
}

/// All bits of each byte that ends a text, begins an escape or may not stand in one.
#[inline]
pub(super) fn ends_text(block: u8x16) -> u8x16 {
    let is = |byte| block.simd_eq(u8x16::splat(byte));
    is(b'"') | is(b'\\') | block.min(u8x16::splat(0x1f)).simd_eq(block)
}

/// All bits of each byte that is no digit.
#[inline]
pub(super) fn is_no_digit(block: u8x16) -> u8x16 {
    let above = block - u8x16::splat(b'0');
    !above.min(u8x16::splat(9)).simd_eq(above)
}
