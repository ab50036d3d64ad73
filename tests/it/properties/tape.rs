//! Choices read off a list of numbers. A shorter list, and smaller numbers, make simpler things: a list that shrinks makes the
//! thing built from it shrink. Past its end every choice is the first.

pub struct Tape<'a> {
    choices: &'a [u16],
    at: usize,
}

impl<'a> Tape<'a> {
    pub fn new(choices: &'a [u16]) -> Self {
        Self { choices, at: 0 }
    }

    /// One of `0..count`.
    pub fn below(&mut self, count: usize) -> usize {
        let choice = self.choices.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        (usize::from(choice) * count) >> 16
    }

    pub fn chance(&mut self, of_ten: usize) -> bool {
        self.below(10) >= 10 - of_ten
    }

    pub fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.below(among.len())]
    }

    pub fn done(&self) -> bool {
        self.at >= self.choices.len()
    }
}
