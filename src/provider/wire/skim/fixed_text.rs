//! Text that items share, with gaps for texts of fixed length, compared block by block.

use std::ops::Range;

use wide::u8x16;

use crate::base::block::{BLOCK, ends_text, load_sixteen_bytes};

/// The text up to a value of variable length, or to an item's end.
pub(super) struct FixedText {
    /// The text, padded to whole blocks. Any byte matches the padding.
    blocks: Box<[Block]>,
    length: usize,
    /// The texts in the gaps, cut into blocks.
    letters: Box<[Letters]>,
}

struct Block {
    text: u8x16,
    /// All bits set where the text must match.
    asked: u8x16,
}

/// A block that covers a part of a gap.
struct Letters {
    at: usize,
    /// All bits set where the gap is.
    asked: u8x16,
}

/// All bits set at these places of a block.
fn mask_of_places(places: Range<usize>) -> u8x16 {
    u8x16::new(std::array::from_fn(|at| if places.contains(&at) { u8::MAX } else { 0 }))
}

impl FixedText {
    /// `texts` are the gaps: the places of the variable texts, between their quotes.
    pub(super) fn new(text: &[u8], texts: &[Range<usize>]) -> Self {
        let mut filled = text.to_vec();
        filled.resize(text.len().next_multiple_of(BLOCK), 0);
        let mut asked = vec![u8::MAX; text.len()];
        asked.resize(filled.len(), 0);
        for place in texts {
            asked[place.clone()].fill(0);
        }
        let both = filled.as_chunks().0.iter().zip(asked.as_chunks().0);
        let blocks = both.map(|(text, asked)| Block { text: u8x16::new(*text), asked: u8x16::new(*asked) }).collect();
        let last = filled.len().saturating_sub(BLOCK);
        let letters = texts.iter().flat_map(|place| {
            place.clone().step_by(BLOCK).map(move |start| {
                let at = start.min(last);
                Letters { at, asked: mask_of_places(start - at..place.end - at) }
            })
        });
        FixedText { length: text.len(), letters: letters.collect(), blocks }
    }

    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Where the text ends, if it matches here. Does not match so close to the end of the bytes that the last block
    /// does not fit.
    #[inline]
    pub(super) fn passed(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let there = bytes.get(at..at + self.blocks.len() * BLOCK)?;
        let mut wrong = u8x16::default();
        for (block, there) in self.blocks.iter().zip(there.as_chunks::<BLOCK>().0) {
            wrong |= (block.text ^ u8x16::new(*there)) & block.asked;
        }
        for letters in &self.letters {
            wrong |= ends_text(load_sixteen_bytes(there, letters.at)?) & letters.asked;
        }
        (wrong == u8x16::default()).then_some(at + self.length)
    }
}
